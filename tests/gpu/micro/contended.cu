// Micro-benchmarks of contended places: atomics of all kinds on few words, scattered parts of sectors, DRAM in both
// directions.
#include <cstdint>

// atomics at the word (i / divide % modulo) * times.
#define PLACE ((i / divide % modulo) * times)
#define ATOMIC(name, T, CALL)                                                                                         \
    extern "C" __global__ void name(T *q, T *r, int n, int divide, int modulo, int times)                             \
    {                                                                                                                 \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                \
        if (i < n) {                                                                                                  \
            T *at = q + PLACE;                                                                                        \
            CALL;                                                                                                     \
        }                                                                                                             \
    }
#define RED(op, type, c) asm volatile("red.global." #op "." #type " [%0], %1;" ::"l"(at), c : "memory")
ATOMIC(red_s32, int, RED(add, s32, "r"(i)))
ATOMIC(red_max, int, RED(max, s32, "r"(i)))
ATOMIC(red_f32, float, RED(add, f32, "f"(1.0f)))
ATOMIC(red_f64, double, RED(add, f64, "d"(1.0)))
ATOMIC(red_u64, unsigned long long, RED(add, u64, "l"((unsigned long long)i)))
ATOMIC(atom_s32, int, r[i] = atomicAdd(at, i))
ATOMIC(atom_f32, float, r[i] = atomicAdd(at, 1.0f))
ATOMIC(atom_exch, int, r[i] = atomicExch(at, i))
ATOMIC(atom_cas, int, r[i] = atomicCAS(at, i, i + 1))
ATOMIC(store_same, int, *(volatile int *)at = i)
ATOMIC(load_same, int, r[i] = __ldcg(at))
// Loops of compare-and-swap, as programs make atomics of their own; in turns of warps.
extern "C" __global__ void cas_loop(int *q, int n, int modulo, int times)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int *at = q + i % modulo * times;
    int old = *(volatile int *)at, seen;
    do {
        seen = old;
        old = atomicCAS(at, seen, seen + 1);
    } while (old != seen);
}
// Several in a row by each thread, as histograms do.
extern "C" __global__ void red_many(const int *t, int *q, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(q + t[i], 1);
}
extern "C" __global__ void sum_atomic(const float *p, float *q, int n)
{
    float a = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a += p[i];
    for (int k = 16; k; k >>= 1) a += __shfl_xor_sync(0xffffffffu, a, k);
    if ((threadIdx.x & 31) == 0) atomicAdd(q, a);
}

// Each group of `group` threads (a power of two, of 1 to 32) goes to its own mixed place; `mask` + 1 places.
__device__ __forceinline__ uint32_t mixed(int i, int shift, uint32_t mask)
{
    uint32_t g = (uint32_t)i >> shift;
    g = (g * 2654435761u) & mask;
    g = ((g ^ g >> 7) * 0x9E3779B1u) & mask;
    return (g << shift) + (i & ((1 << shift) - 1));
}
#define MIXED(T, name)                                                                                                \
    extern "C" __global__ void store_##name(T *q, int n, int shift, uint32_t mask)                                    \
    {                                                                                                                 \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                \
        if (i < n) q[mixed(i, shift, mask)] = (T)1;                                                                  \
    }                                                                                                                 \
    extern "C" __global__ void load_##name(const T *q, T *r, int n, int shift, uint32_t mask)                         \
    {                                                                                                                 \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                \
        if (i < n) r[i] = q[mixed(i, shift, mask)];                                                                   \
    }                                                                                                                 \
    extern "C" __global__ void update_##name(T *q, int n, int shift, uint32_t mask, T by)                             \
    {                                                                                                                 \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                \
        if (i < n) q[mixed(i, shift, mask)] += by;                                                                    \
    }
MIXED(unsigned char, u8)
MIXED(float, f32)
MIXED(double, f64)
extern "C" __global__ void store_f128(float4 *q, int n, int shift, uint32_t mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) q[mixed(i, shift, mask)] = make_float4(1, 2, 3, 4);
}
extern "C" __global__ void red_mixed(int *q, int n, int shift, uint32_t mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(q + mixed(i, shift, mask), i);
}

// DRAM: one element a thread; `streams` reads and one write, or none.
extern "C" __global__ void flow_1_0(const float4 *p, float4 *q, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = p[i];
    if (v.x == 1.2345e30f) q[i] = v;
}
extern "C" __global__ void flow_0_1(const float4 *p, float4 *q, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    q[i] = make_float4(i, 1, 2, 3);
}
extern "C" __global__ void flow_1_1(const float4 *p, float4 *q, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    q[i] = p[i];
}
extern "C" __global__ void flow_2_1(const float4 *p, float4 *q, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 a = p[i], b = p[i + n];
    q[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
extern "C" __global__ void flow_3_1(const float4 *p, float4 *q, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 a = p[i], b = p[i + n], c = p[i + 2 * n];
    q[i] = make_float4(a.x + b.x + c.x, a.y + b.y + c.y, a.z + b.z + c.z, a.w + b.w + c.w);
}
// A three-point and a five-point stencil, as image and grid codes have them.
extern "C" __global__ void stencil_3(const float *p, float *q, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < width - 1) q[i] = p[i - 1] + p[i] + p[i + 1];
}
extern "C" __global__ void stencil_5(const float *p, float *q, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
        q[y * width + x] = p[y * width + x] + p[y * width + x - 1] + p[y * width + x + 1] + p[(y - 1) * width + x] +
                           p[(y + 1) * width + x];
}
extern "C" __global__ void stencil_9(const float *p, float *q, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
        float a = 0;
        for (int dy = -1; dy < 2; ++dy)
            for (int dx = -1; dx < 2; ++dx) a += p[(y + dy) * width + x + dx];
        q[y * width + x] = a;
    }
}

// Every warp stores to `lines` lines in turn, `times` words apart, each `reps` times: what of it leaves the SM.
extern "C" __global__ void store_turns(int *q, int lines, int times, int reps)
{
    int w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    for (int i = 0; i < reps; ++i) ((volatile int *)q)[((i + w) & (lines - 1)) * times + (threadIdx.x & 31)] = i;
}
// Lanes store to mixed words of the first `words` (a power of two) of q.
extern "C" __global__ void store_few(int *q, int words, int reps)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < reps; ++k) {
        i = i * 1664525u + 1013904223u;
        ((volatile int *)q)[(i >> 12) & (words - 1)] = k;
    }
}

__device__ __forceinline__ void all_blocks(int *count, int target)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(count, 1);
        while (*(volatile int *)count < target) {}
    }
    __syncthreads();
}
// Pairs of places: in phase k all blocks' first lanes reduce to q and to q + offset[k] in turns. out[k] = the first
// block's cycles. Slow pairs share a slice. One block an SM, so that all are there.
extern "C" __global__ void pairs(int *q, const int *offset, int phases, int reps, int *count, uint32_t *out)
{
    for (int k = 0; k < phases; ++k) {
        int *other = q + offset[k];
        all_blocks(count, (2 * k + 1) * gridDim.x);
        long long t0 = clock64();
        if ((threadIdx.x & 31) == 0) {
#pragma unroll 4
            for (int i = 0; i < reps; ++i) {
                asm volatile("red.global.add.s32 [%0], 1;" ::"l"(q) : "memory");
                asm volatile("red.global.add.s32 [%0], 1;" ::"l"(other) : "memory");
            }
        }
        all_blocks(count, (2 * k + 2) * gridDim.x);
        if (blockIdx.x == 0 && threadIdx.x == 0) out[k] = (uint32_t)(clock64() - t0);
    }
}
// Each thread in a loop: atomics whose answer it waits for, at `at`, `spread` words apart for each warp.
extern "C" __global__ void atom_chain(int *q, int spread, int modulo, int n, uint32_t *out)
{
    int w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int *at = q + w % modulo * spread;
    int x = 0;
    long long t0 = clock64();
    for (int i = 0; i < n; ++i) x = atomicAdd(at, x & 1);
    if ((threadIdx.x & 31) == 0) out[w] = (uint32_t)(clock64() - t0) + (x >> 31);
}
