// Micro-benchmarks that take each access's time by the SM's clock: loads one after another by page, by row of DRAM, of
// lines that others ask for as well; stores with a fence; bursts. And stores of an SM to few lines, counted in L2.
#include <cstdint>
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory"); return t; }

// Lane l of warp w of block b loads at k: b * first + w * apart + (k * stride mod wrap) + k * stride / wrap * jump + l * 4
// (wrap a power of two, `bits` its logarithm). Blocks other than 0 wait `delay` cycles first. took[b * (n + 2)]: SM,
// cycles of all, then each load's of warp 0.
template <bool LANE> __device__ __forceinline__ void trace_body(const char *p, long long first, long long apart, long long stride,
    int bits, long long jump, int n, int delay, uint32_t *took)
{
    __shared__ uint32_t held[1024];
    int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    long long mask = (1ll << bits) - 1;
    const char *q = p + blockIdx.x * first + warp * apart + (LANE ? 0 : lane * 4);
    if (blockIdx.x && delay) { uint32_t s = now(); while (now() - s < (uint32_t)delay) {} }
    uint32_t zero = 0, begin = now(), bad = 0;
    for (int k = 0; k < n; ++k) {
        long long pos = k * stride;
        const char *at = q + (pos & mask) + (pos >> bits) * jump;
        uint32_t t0 = now(), x;
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(at + zero) : "memory");
        // The clock is read behind a branch on what came.
        if (x == 0x12345u) asm volatile("trap;");
        uint32_t t1 = now();
        zero = x & 0x80000000u ? 4 : 0;
        if (threadIdx.x == 0) held[k & 1023] = t1 - t0;
    }
    uint32_t end = now();
    if (threadIdx.x == 0) {
        uint32_t sm; asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
        uint32_t *out = took + blockIdx.x * (n + 2);
        out[0] = sm; out[1] = end - begin;
        for (int k = 0; k < n; ++k) out[2 + k] = held[k];
    }
    if (bad + zero == 77) took[0] = 1;
}
extern "C" __global__ void trace_lane(const char *p, long long first, long long apart, long long stride, int bits, long long jump, int n, int delay, uint32_t *took)
{ if ((threadIdx.x & 31) == 0) trace_body<true>(p, first, apart, stride, bits, jump, n, delay, took); }
extern "C" __global__ void trace_warp(const char *p, long long first, long long apart, long long stride, int bits, long long jump, int n, int delay, uint32_t *took)
{ trace_body<false>(p, first, apart, stride, bits, jump, n, delay, took); }

// A store and its fence, by page.
extern "C" __global__ void trace_store(char *p, long long first, long long apart, long long stride, int bits, long long jump, int n, int delay, uint32_t *took)
{
    __shared__ uint32_t held[1024];
    long long mask = (1ll << bits) - 1;
    char *q = p + blockIdx.x * first;
    if (blockIdx.x && delay) { uint32_t s = now(); while (now() - s < (uint32_t)delay) {} }
    uint32_t begin = now();
    for (int k = 0; k < n; ++k) {
        long long pos = k * stride;
        char *at = q + (pos & mask) + (pos >> bits) * jump;
        uint32_t t0 = now();
        asm volatile("st.global.u32 [%0], %1;" :: "l"(at), "r"(0) : "memory");
        __threadfence();
        held[k & 1023] = now() - t0;
    }
    uint32_t end = now();
    uint32_t sm; asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    uint32_t *out = took + blockIdx.x * (n + 2);
    out[0] = sm; out[1] = end - begin;
    for (int k = 0; k < n; ++k) out[2 + k] = held[k];
}
// `loads` independent loads in flight, one a page or a line: how many walks are done at a time.
extern "C" __global__ void burst(const char *p, long long first, long long step, int loads, int rounds, long long jump, uint32_t *took)
{
    const char *q = p + blockIdx.x * first + threadIdx.x * step;
    uint32_t zero = 0;
    __shared__ uint32_t held[64];
    for (int r = 0; r < rounds; ++r) {
        __syncthreads();
        uint32_t t0 = now(), x = 0;
        if (threadIdx.x < loads) asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(q + r * jump + zero) : "memory");
        if (x == 0x12345u) asm volatile("trap;");
        zero = x & 0x80000000u ? 4 : 0;
        __syncthreads();
        if (threadIdx.x == 0) held[r] = now() - t0;
    }
    if (threadIdx.x == 0)
        for (int r = 0; r < rounds; ++r) took[blockIdx.x * rounds + r] = held[r];
}

// When do stores of an SM to the same sectors leave it as one? Lane l of warp w stores in turn k to word
// ((d*l + e*k + f*w) mod 32) of line ((a*l + b*k + c*w) mod lines) of q + block * apart; mode 1: to a mixed word of the
// lines; mode 2: and loads a line of p in between. It pauses for `gap` cycles after each.
extern "C" __global__ void stores(int *q, const int *p, int apart, int mode, int lines, int active, int a, int b, int c, int d, int e, int f,
                                  int gap, int reps, uint32_t *took)
{
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    uint32_t mixed = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 12345u;
    int *base = q + blockIdx.x * apart;
    uint32_t t0 = now();
    for (int k = 0; k < reps; ++k) {
        int line = (uint32_t)(a * lane + b * k + c * warp) % (uint32_t)lines, word = (d * lane + e * k + f * warp) & 31;
        if (mode & 1) {
            mixed = mixed * 1664525u + 1013904223u;
            line = (mixed >> 16) % (uint32_t)lines; word = mixed >> 10 & 31;
        }
        if (lane < active) *(volatile int *)(base + line * 32 + word) = k;
        if (mode & 2) { int x; asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(p + (k & 63) * 32 + lane) : "memory"); if (x == 0x12345) asm volatile("trap;"); }
        if (gap) { uint32_t s = now(); while (now() - s < (uint32_t)gap) {} }
    }
    if (threadIdx.x == 0) took[blockIdx.x] = now() - t0;
}
