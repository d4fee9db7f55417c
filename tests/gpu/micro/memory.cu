// Micro-benchmarks of the memory system. Every kernel is run on an H200 and on the SM model from the same cubin
// (tests/gpu/micro/plan.py has the launches). Times go out as clock() differences where a kernel takes `out`.
#include <cstdint>

__device__ __forceinline__ uint32_t now()
{
    uint32_t t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}

// The latency of each of n dependent loads of one thread: base[at] is the byte offset of the next.
extern "C" __global__ void chase_trace(const char *base, uint32_t at, int n, uint32_t *out)
{
    __shared__ uint32_t took[2048];
    for (int i = 0; i < n; ++i) {
        uint32_t t0 = now();
        at = *(const volatile uint32_t *)(base + at);
        uint32_t t1;
        asm volatile("{ .reg .u32 x; add.u32 x, %1, 0; mov.u32 %0, %%clock; }" : "=r"(t1) : "r"(at) : "memory");
        took[i] = t1 - t0 + (at >> 31);
    }
    for (int i = 0; i < n; ++i) out[i] = took[i];
}

// The same through L2 only.
extern "C" __global__ void chase_trace_cg(const char *base, uint32_t at, int n, uint32_t *out)
{
    __shared__ uint32_t took[2048];
    for (int i = 0; i < n; ++i) {
        uint32_t t0 = now();
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(base + at) : "memory");
        uint32_t t1;
        asm volatile("{ .reg .u32 x; add.u32 x, %1, 0; mov.u32 %0, %%clock; }" : "=r"(t1) : "r"(at) : "memory");
        took[i] = t1 - t0 + (at >> 31);
    }
    for (int i = 0; i < n; ++i) out[i] = took[i];
}

// Warm pass, then the mean of a timed one; out[block] (one thread a block).
extern "C" __global__ void chase_mean(const char *base, uint32_t at, int warm, int n, uint32_t *out)
{
    for (int i = 0; i < warm; ++i) at = *(const volatile uint32_t *)(base + at);
    uint32_t t0 = now();
    for (int i = 0; i < n; ++i) at = *(const volatile uint32_t *)(base + at);
    out[2 * blockIdx.x] = now() - t0 + (at >> 31);
    out[2 * blockIdx.x + 1] = n;
}

template <typename T> __device__ __forceinline__ float sum(T v);
template <> __device__ __forceinline__ float sum(float v) { return v; }
template <> __device__ __forceinline__ float sum(float2 v) { return v.x + v.y; }
template <> __device__ __forceinline__ float sum(float4 v) { return v.x + v.y + v.z + v.w; }

// Grid-stride reads, U independent ones in flight a thread; `reps` times over the same data.
template <typename T, int U> __device__ __forceinline__ void read_body(const T *p, int n, int reps, float *out)
{
    float total = 0;
    int step = gridDim.x * blockDim.x;
    for (int r = 0; r < reps; ++r)
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i + (U - 1) * step < n; i += U * step) {
            T v[U];
#pragma unroll
            for (int k = 0; k < U; ++k) v[k] = __ldcg(p + i + k * step);
#pragma unroll
            for (int k = 0; k < U; ++k) total += sum(v[k]);
        }
    if (total == 1.2345e30f) *out = total;
}
#define READ(name, T, U) \
    extern "C" __global__ void name(const T *p, int n, int reps, float *out) { read_body<T, U>(p, n, reps, out); }
READ(read4_1, float, 1)
READ(read4_4, float, 4)
READ(read4_8, float, 8)
READ(read8_4, float2, 4)
READ(read16_1, float4, 1)
READ(read16_4, float4, 4)

template <typename T, int U> __device__ __forceinline__ void write_body(T *p, int n, T v)
{
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i + (U - 1) * step < n; i += U * step) {
#pragma unroll
        for (int k = 0; k < U; ++k) p[i + k * step] = v;
    }
}
extern "C" __global__ void write4_1(float *p, int n) { write_body<float, 1>(p, n, 1.0f); }
extern "C" __global__ void write4_4(float *p, int n) { write_body<float, 4>(p, n, 1.0f); }
extern "C" __global__ void write16_1(float4 *p, int n) { write_body<float4, 1>(p, n, make_float4(1, 2, 3, 4)); }
extern "C" __global__ void copy4(const float *p, float *q, int n)
{
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) q[i] = p[i];
}
extern "C" __global__ void copy4_4(const float *p, float *q, int n)
{
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i + 3 * step < n; i += 4 * step) {
        float a = p[i], b = p[i + step], c = p[i + 2 * step], d = p[i + 3 * step];
        q[i] = a, q[i + step] = b, q[i + 2 * step] = c, q[i + 3 * step] = d;
    }
}
extern "C" __global__ void copy16(const float4 *p, float4 *q, int n)
{
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) q[i] = p[i];
}
// One element a thread, no loop: what most kernels look like.
extern "C" __global__ void flat_read(const float *p, float *q, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && p[i] == 1.2345e30f) q[i] = 1;
}
extern "C" __global__ void flat_write(float *q, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) q[i] = 1;
}
extern "C" __global__ void flat_copy(const float *p, float *q, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) q[i] = p[i];
}
extern "C" __global__ void flat_triad(const float *p, const float *r, const float *s, float *q, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) q[i] = p[i] * r[i] + s[i];
}
extern "C" __global__ void flat_update(float *q, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) q[i] = q[i] * 2 + 1;
}

// Each warp does n accesses; lanes `lane` floats apart, accesses `step` floats apart, warps `warp` floats apart.
extern "C" __global__ void store_pattern(float *p, int lane, int step, int warp, int n, uint32_t *out)
{
    int w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    float *q = p + w * warp + (threadIdx.x & 31) * lane;
    __syncthreads();
    uint32_t t0 = now();
#pragma unroll 4
    for (int i = 0; i < n; ++i) q[i * step] = 1.0f;
    uint32_t t1 = now();
    __syncthreads();
    if (threadIdx.x == 0) out[2 * blockIdx.x] = t1 - t0, out[2 * blockIdx.x + 1] = now() - t0;
}
template <bool L1> __device__ __forceinline__ void load_body(const float *p, int lane, int step, int warp, int n,
                                                            int reps, uint32_t *out)
{
    int w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const float *q = p + w * warp + (threadIdx.x & 31) * lane;
    float total = 0;
    for (int r = 0; r < reps; ++r) {
        __syncthreads();
        uint32_t t0 = now();
#pragma unroll 4
        for (int i = 0; i < n; ++i) total += L1 ? __ldca(q + i * step) : __ldcg(q + i * step);
        if (total == 1.2345e30f) out[0] = 1;
        __syncthreads();
        if (threadIdx.x == 0) out[blockIdx.x * reps + r] = now() - t0;
    }
}
extern "C" __global__ void load_pattern(const float *p, int lane, int step, int warp, int n, int reps, uint32_t *out)
{
    load_body<true>(p, lane, step, warp, n, reps, out);
}
extern "C" __global__ void load_pattern_cg(const float *p, int lane, int step, int warp, int n, int reps, uint32_t *out)
{
    load_body<false>(p, lane, step, warp, n, reps, out);
}

// Gathers, scatters and atomics at given places.
extern "C" __global__ void gather(const int *at, const float *p, float *q, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) q[i] = p[at[i]];
}
extern "C" __global__ void scatter(const int *at, float *q, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) q[at[i]] = 1.0f;
}
extern "C" __global__ void red_at(const int *at, int *q, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(q + at[i], 1 + i);
}
extern "C" __global__ void redf_at(const int *at, float *q, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(q + at[i], 1.0f);
}
extern "C" __global__ void atom_at(const int *at, int *q, int *r, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) r[i] = atomicAdd(q + at[i], 1 + i);
}
extern "C" __global__ void cas_at(const int *at, int *q, int *r, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) r[i] = atomicCAS(q + at[i], i, i + 1);
}

// Rows to columns: what a transposed store costs for several block shapes and pitches.
extern "C" __global__ void columns(const float *p, float *q, int width, int pitch)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    q[x * pitch + y] = p[y * width + x];
}
extern "C" __global__ void columns_read(const float *p, float *q, int width, int pitch)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    q[y * width + x] = p[x * pitch + y];
}
// Each thread walks its own row (or all walk one column): the two halves of many matrix-vector products.
extern "C" __global__ void row_walk(const float *p, float *q, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float total = 0;
    for (int k = 0; k < width; ++k) total += p[i * width + k];
    q[i] = total;
}
extern "C" __global__ void column_walk(const float *p, float *q, int rows, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float total = 0;
    for (int k = 0; k < rows; ++k) total += p[k * width + i];
    q[i] = total;
}
// Read-modify-write of global memory in a loop, as PolyBench-like code leaves it: does a store hit what it loaded?
extern "C" __global__ void accumulate(const float *p, float *q, int rows, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < rows; ++k) *(volatile float *)(q + i) = *(volatile float *)(q + i) + p[k * width + i];
}
extern "C" __global__ void accumulate_weak(const float *p, float *q, int rows, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < rows; ++k) q[i] += p[k * width + i];
}
// A store, then loads of the same address: out[k] how long each took.
extern "C" __global__ void store_load(volatile float *p, uint32_t *out)
{
    __shared__ uint32_t took[64];
    float total = 0;
    for (int i = 0; i < 16; ++i) {
        p[threadIdx.x] = i;
        uint32_t t0 = now();
        total += p[threadIdx.x];
        uint32_t t1;
        asm volatile("{ .reg .f32 x; add.f32 x, %1, 0f00000000; mov.u32 %0, %%clock; }" : "=r"(t1) : "f"(total) : "memory");
        took[i] = t1 - t0;
    }
    if (threadIdx.x == 0)
        for (int i = 0; i < 16; ++i) out[i] = took[i];
}
// Local memory: an array that cannot be in registers.
extern "C" __global__ void local_array(const int *at, int *q, int n)
{
    int held[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 64; ++k) held[k] = i + k;
    int x = 0;
    for (int k = 0; k < n; ++k) {
        x = (x + at[k]) & 63;
        held[x] += k;
        x = held[(x + 7) & 63] & 63;
    }
    q[i] = x;
}
