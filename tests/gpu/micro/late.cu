// Micro-benchmarks of loads that come late: one after the other, in trains, beside others that miss; loops as people write them.
#include <cstdint>
__device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory"); return t; }
__device__ __forceinline__ uint32_t load(const void *p) { uint32_t v; asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
// The clock when v is there.
__device__ __forceinline__ uint32_t when(uint32_t v, uint32_t &sum) { asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 0x7ffffff1; @p trap; }" :: "r"(v) : "memory"); sum += v; return now(); }

// The clock, read at once: only its sum over many is of use.
__device__ __forceinline__ uint32_t soon(uint32_t v, uint32_t &sum) { uint32_t t; asm volatile("add.u32 %1, %1, %2;\n\tmov.u32 %0, %%clock;" : "=r"(t), "+r"(sum) : "r"(v) : "memory"); return t; }
// A chain of loads by one thread through memory that nobody has read: what each takes.
extern "C" __global__ void chain(const char *p, int n, uint32_t *out)
{
    __shared__ uint32_t took[2048];
    uint32_t at = 0, x = 0;
    for (int i = 0; i < n; ++i) { uint32_t t0 = now(); at = load(p + at); took[i] = when(at, x) - t0; }
    for (int i = 0; i < n; ++i) out[i] = took[i];
    out[n] = x;
}
// Each lane walks its row, `pitch` bytes apart, U loads of four bytes in flight; when each of the first 16 batches of each warp came.
template <int U> __device__ __forceinline__ void walk_body(const char *p, int pitch, int n, uint32_t *out)
{
    __shared__ uint32_t took[8 * 16 * (U + 1)];
    int warp = threadIdx.x >> 5; uint32_t x = 0;
    const char *row = p + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * pitch;
    for (int k = 0; k < n; k += U) {
        uint32_t v[U], t[U], t0 = now();
#pragma unroll
        for (int u = 0; u < U; ++u) v[u] = load(row + 4 * (k + u));
        uint32_t t1 = now();
#pragma unroll
        for (int u = 0; u < U; ++u) t[u] = soon(v[u], x);
        if (k < 16 * U && (threadIdx.x & 31) == 0) {
            uint32_t *o = took + (warp * 16 + k / U) * (U + 1); o[0] = t1 - t0;
#pragma unroll
            for (int u = 0; u < U; ++u) o[1 + u] = t[u] - t0;
        }
    }
    __syncthreads();
    if (blockIdx.x == 0) for (int i = threadIdx.x; i < (blockDim.x >> 5) * 16 * (U + 1); i += blockDim.x) out[i] = took[i];
    if (x == 12345) out[0] = x;
}
extern "C" __global__ void walk_1(const char *p, int pitch, int n, uint32_t *out) { walk_body<1>(p, pitch, n, out); }
extern "C" __global__ void walk_4(const char *p, int pitch, int n, uint32_t *out) { walk_body<4>(p, pitch, n, out); }
extern "C" __global__ void walk_16(const char *p, int pitch, int n, uint32_t *out) { walk_body<16>(p, pitch, n, out); }

// Warp 0 loads a line that is in L1, 60 cycles after `who` asked for `lines` lines (of `many` loads) that are in no cache.
extern "C" __global__ void under(const char *hot, const char *cold, int who, int many, int lines, int same, uint32_t *out)
{
    int warp = threadIdx.x >> 5, lane = threadIdx.x & 31; uint32_t x = 0;
    for (int r = 0; r < 10; ++r) {
        x += load(hot + lane * 4); x += load(hot + lane * 128);
        __syncthreads();
        const char *c = cold + (size_t)r * 65536 + (lines == 1 ? lane * 4 : lane * 128 % (lines * 128)); uint32_t a = 0, b = 0, d = 0, e = 0;
        uint32_t t0 = now();
        if (warp == who) {
            a = load(c); if (many > 1) b = load(c + 4096); if (many > 2) d = load(c + 8192); if (many > 3) e = load(c + 12288);
        }
        if (warp == 0) {
            while (now() - t0 < 60) ;
            uint32_t t1 = now(); uint32_t v = load(same ? c : hot + lane * 4); uint32_t t2 = when(v, x);
            uint32_t t3 = now(); v = load(hot + lane * 128); uint32_t t4 = when(v, x);
            if (lane == 0) { out[4 * r] = t2 - t1; out[4 * r + 1] = t4 - t3; }
        }
        if (warp == who) { uint32_t t5 = when(a + b + d + e, x); if (lane == 0) out[4 * r + 2] = t5 - t0; }
        __syncthreads();
    }
    if (x == 12345) out[63] = x;
}
// Whole warps read lines one after the other, each 128 bytes on, waiting for each; W warps of a block side by side.
extern "C" __global__ void lines(const char *p, int n, int step, uint32_t *out)
{
    __shared__ uint32_t took[1024];
    uint32_t x = 0; const char *q = p + (size_t)(threadIdx.x >> 5) * n * step + (threadIdx.x & 31) * 4 + (size_t)blockIdx.x * (blockDim.x >> 5) * n * step;
    for (int i = 0; i < n; ++i) { uint32_t t0 = now(); uint32_t v = load(q + (size_t)i * step + (x & 0)); uint32_t t = when(v, x); if (threadIdx.x == 0 && i < 1024) took[i] = t - t0; }
    __syncthreads();
    if (blockIdx.x == 0) for (int i = threadIdx.x; i < n && i < 1024; i += blockDim.x) out[i] = took[i];
    if (x == 12345) out[0] = x;
}
// Loops as people write them: a window, one word a thread and a filter of one word for all.
extern "C" __global__ void window_loop(const float *__restrict__ x, const float *__restrict__ f, float *__restrict__ y, int taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; float s = 0;
#pragma unroll 1
    for (int k = 0; k < taps; ++k) s += x[i + k] * f[k];
    y[i] = s;
}
extern "C" __global__ void window_loop_4(const float *__restrict__ x, const float *__restrict__ f, float *__restrict__ y, int taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; float s = 0;
#pragma unroll 4
    for (int k = 0; k < taps; ++k) s += x[i + k] * f[k];
    y[i] = s;
}
// A word for all, one after the other.
extern "C" __global__ void broadcast_loop(const float *__restrict__ f, float *__restrict__ y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; float s = 0;
#pragma unroll 1
    for (int k = 0; k < n; ++k) s = s * 1.5f + f[k];
    y[i] = s;
}
extern "C" __global__ void broadcast_loop_4(const float *__restrict__ f, float *__restrict__ y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; float s = 0;
#pragma unroll 4
    for (int k = 0; k < n; ++k) s = s * 1.5f + f[k];
    y[i] = s;
}
// Each warp, 20 cycles after the one before, loads a word of each of 32 lines (`pitch` 128) or of one line (4): the same words (`step` 0),
// or `step` bytes on; when each asked, and when it was answered. `warm`: the lines are in L1 first.
extern "C" __global__ void train(const char *p, int pitch, int step, int warm, uint32_t *out)
{
    int warp = threadIdx.x >> 5, lane = threadIdx.x & 31; uint32_t x = 0;
    for (int r = 0; r < 4; ++r) {
        const char *c = p + (size_t)r * 65536 + lane * pitch + warp * step;
        if (warm) { x += load(c); if (x == 12345) out[0] = x; }
        __syncthreads();
        uint32_t t0 = now(); while (now() - t0 < 50 + 20 * warp) ;
        uint32_t t1 = now(); uint32_t v = load(c); uint32_t t2 = when(v, x);
        if (lane == 0) { out[(r * 32 + warp) * 2] = t1; out[(r * 32 + warp) * 2 + 1] = t2; }
        __syncthreads();
    }
    if (x == 12345) out[0] = x;
}
