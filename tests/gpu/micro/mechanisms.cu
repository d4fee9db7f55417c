// What single mechanisms of an SM cost: each kernel leaves the cycles of warp 0 of each block in `took`.
#include <stdint.h>
static __device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }

// MATCH.ANY on `distinct` values among the lanes, one after the other (kind 0: 32 bits, 1: 64 bits, 2: MATCH.ALL).
template<int KIND> static __device__ void matches(int distinct, int reps, uint32_t *took)
{
    int lane = threadIdx.x & 31;
    uint32_t v = lane % distinct, sum = 0;
    __syncthreads();
    uint32_t t0 = now();
    for (int k = 0; k < reps; ++k) {
        uint32_t r; uint64_t w = v;
        if (KIND == 0) asm volatile("match.any.sync.b32 %0, %1, -1;" : "=r"(r) : "r"(v));
        if (KIND == 1) asm volatile("match.any.sync.b64 %0, %1, -1;" : "=r"(r) : "l"(w));
        if (KIND == 2) asm volatile("{.reg .pred p; match.all.sync.b32 %0|p, %1, -1;}" : "=r"(r) : "r"(v));
        sum += r;
    }
    uint32_t t1 = now();
    __syncthreads();
    uint32_t t2 = now();
    if (threadIdx.x == 0) { took[3 * blockIdx.x] = t1 - t0; took[3 * blockIdx.x + 1] = t2 - t0; took[3 * blockIdx.x + 2] = sum; }
}
extern "C" __global__ void match_any32(int d, int n, uint32_t *t) { matches<0>(d, n, t); }
extern "C" __global__ void match_any64(int d, int n, uint32_t *t) { matches<1>(d, n, t); }
extern "C" __global__ void match_all32(int d, int n, uint32_t *t) { matches<2>(d, n, t); }

// Loads that hit L1: lane l reads word (l / lines) * across of line (l % lines) * step; `walk` words further each time (within a line).
template<typename T> static __device__ void hits(const char *p, int lines, int step, int across, int walk, int reps, int rows, uint32_t *took)
{
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const char *q = p + (warp % rows) * 32768 + (lane % lines) * step * 128 + (lane / lines) * across * 4;
    uint32_t sum = 0;
    for (int k = 0; k < 4; ++k) sum += *(volatile const uint32_t *)(q + (k * 32 & 127));
    for (int k = 0; k < 128; k += 32) { uint32_t x; asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x) : "l"((const char *)((uintptr_t)q & ~127ll) + k) : "memory"); sum += x; }
    __syncthreads();
    uint32_t t0 = now();
    for (int r = 0; r < reps; ++r) {
        uint32_t x[8 * sizeof(T) / 4];
        #pragma unroll
        for (int k = 0; k < 8; ++k) {
            const char *a = q + ((r * 8 + k) * walk * 4 & 63);
            if (sizeof(T) == 4) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x[k]) : "l"(a) : "memory");
            if (sizeof(T) == 8) asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(x[2 * k]), "=r"(x[2 * k + 1]) : "l"(a) : "memory");
            if (sizeof(T) == 16) asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x[4 * k]), "=r"(x[4 * k + 1]), "=r"(x[4 * k + 2]), "=r"(x[4 * k + 3]) : "l"(a) : "memory");
        }
        #pragma unroll
        for (int k = 0; k < 8 * sizeof(T) / 4; ++k) sum += x[k];
    }
    uint32_t t1 = now();
    __syncthreads();
    uint32_t t2 = now();
    if (threadIdx.x == 0) { took[3 * blockIdx.x] = t1 - t0; took[3 * blockIdx.x + 1] = t2 - t0; took[3 * blockIdx.x + 2] = sum; }
}
extern "C" __global__ void hits4(const char *p, int a, int b, int c, int d, int n, int rows, uint32_t *t) { hits<uint32_t>(p, a, b, c, d, n, rows, t); }
extern "C" __global__ void hits8(const char *p, int a, int b, int c, int d, int n, int rows, uint32_t *t) { hits<uint2>(p, a, b, c, d, n, rows, t); }
extern "C" __global__ void hits16(const char *p, int a, int b, int c, int d, int n, int rows, uint32_t *t) { hits<uint4>(p, a, b, c, d, n, rows, t); }

// Loads beside stores. Lane l has a row of `words` words; turn k loads word k (mode 0, 1: alone; 2: stores what it loaded back to the word; 3: to a row
// `other` bytes away; 4: stores first, then loads the next word; 5: loads only the row that was stored before).
extern "C" __global__ void beside(char *p, int words, int mode, int other, int reps, uint32_t *took)
{
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    uint32_t *q = (uint32_t *)(p + (warp * 32 + lane) * (words * 4));
    uint32_t *o = (uint32_t *)((char *)q + other);
    uint32_t sum = 0;
    for (int k = 0; k < words; k += 8) { uint32_t x; asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(q + k) : "memory"); sum += x; if (mode == 5) { asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(o + k) : "memory"); sum += x; } }
    if (sum == 0x12345) asm volatile("trap;");
    __syncthreads();
    uint32_t t0 = now();
    for (int r = 0; r < reps; ++r)
        for (int k = 0; k < words; k += 4) {
            uint32_t x[4];
            #pragma unroll
            for (int j = 0; j < 4; ++j) asm volatile("ld.global.u32 %0, [%1];" : "=r"(x[j]) : "l"(q + k + j) : "memory");
            if (mode == 5) {
                uint32_t y[4];
                #pragma unroll
                for (int j = 0; j < 4; ++j) asm volatile("ld.global.u32 %0, [%1];" : "=r"(y[j]) : "l"(o + k + j) : "memory");
                #pragma unroll
                for (int j = 0; j < 4; ++j) x[j] += y[j];
            }
            #pragma unroll
            for (int j = 0; j < 4; ++j) x[j] = x[j] * 3 + 1;
            if (mode == 2) {
                #pragma unroll
                for (int j = 0; j < 4; ++j) asm volatile("st.global.u32 [%0], %1;" :: "l"(q + k + j), "r"(x[j]) : "memory");
            }
            if (mode == 3 || mode == 5) {
                #pragma unroll
                for (int j = 0; j < 4; ++j) asm volatile("st.global.u32 [%0], %1;" :: "l"(o + k + j), "r"(x[j]) : "memory");
            }
            sum += x[0] ^ x[1] ^ x[2] ^ x[3];
            if (sum == 0x12345) asm volatile("trap;");
        }
    uint32_t t1 = now();
    __syncthreads();
    uint32_t t2 = now();
    if (threadIdx.x == 0) { took[3 * blockIdx.x] = t1 - t0; took[3 * blockIdx.x + 1] = t2 - t0; took[3 * blockIdx.x + 2] = sum; }
}

// Loads of one word (or one a warp) by everybody, `reps` times: kind 0 volatile, 1 ld.cg, 2 relaxed.gpu.
extern "C" __global__ void same(const char *p, int kind, int stride, int places, int reps, uint32_t *took)
{
    const char *q = p + (long long)((blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5)) % places) * stride;
    uint32_t sum = 0, t0 = now();
    for (int k = 0; k < reps; ++k) {
        uint32_t x = 0;
        if (kind == 0) asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(x) : "l"(q) : "memory");
        if (kind == 1) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x) : "l"(q) : "memory");
        if (kind == 2) asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(q) : "memory");
        if (x == 0x12345) asm volatile("trap;");
        sum += x;
    }
    if (threadIdx.x == 0 && took) { took[3 * blockIdx.x] = now() - t0; took[3 * blockIdx.x + 2] = sum; }
}
// One thread a block (or all) store to one place, as a counter's last store.
extern "C" __global__ void one_place(uint32_t *p, int places, int load, uint32_t *took)
{
    uint32_t x = 1;
    if (load) asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(p + 1024) : "memory");
    p[((blockIdx.x * blockDim.x + threadIdx.x) >> 5) % places] = x;
}
