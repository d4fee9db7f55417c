// Micro-benchmarks of launch, instruction supply, constants, barriers, divergence, pipes and shared memory.
#include <cstdint>

__device__ __forceinline__ uint32_t now()
{
    uint32_t t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}
__device__ __forceinline__ uint32_t sm()
{
    uint32_t t;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(t));
    return t;
}
__device__ __forceinline__ uint64_t nanoseconds()
{
    uint64_t t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
    return t;
}

extern "C" __global__ void empty() {}
extern "C" __global__ void empty_args(int *p, int n)
{
    if (n == 123456789) *p = 1;
}
// Registers: 200 live values if `n` asks for it, so the launch needs them all.
extern "C" __global__ void __launch_bounds__(256) empty_registers(float *p, int n)
{
    if (n == 0) return;
    float v[200];
#pragma unroll
    for (int i = 0; i < 200; ++i) v[i] = p[i * n];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 200; ++i) p[i * n + 1] = v[i] + v[199 - i];
}
// Where and when each block ran: SM, its clock at start and end, nanoseconds of the device.
extern "C" __global__ void blocks(uint32_t *out, int spin)
{
    uint32_t t0 = now();
    uint64_t ns = nanoseconds();
    if (spin)
        while (now() - t0 < (uint32_t)spin) {}
    if (threadIdx.x == 0) {
        uint32_t t1 = now();
        uint32_t *o = out + 4 * blockIdx.x;
        o[0] = sm(), o[1] = t0, o[2] = t1, o[3] = (uint32_t)ns;
    }
}
// A fixed amount of arithmetic, dependent: occupancy and waves without memory.
extern "C" __global__ void spin(int n, float *out)
{
    float a = threadIdx.x;
    for (int i = 0; i < n; ++i) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(a));
    if (a == 1.2345e30f) *out = a;
}

// N instructions in a row, `reps` times. out[block] = cycles of each repetition of the first warp.
template <int N> __device__ __forceinline__ void straight_body(int reps, uint32_t *out, float *sink)
{
    float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
    for (int r = 0; r < reps; ++r) {
        uint32_t t0 = now();
#pragma unroll
        for (int i = 0; i < N / 4; ++i)
            asm volatile("fma.rn.f32 %0, %0, %0, %0; fma.rn.f32 %1, %1, %1, %1; fma.rn.f32 %2, %2, %2, %2; "
                         "fma.rn.f32 %3, %3, %3, %3;" : "+f"(a), "+f"(b), "+f"(c), "+f"(d));
        uint32_t t1 = now();
        if (threadIdx.x == 0) out[blockIdx.x * reps + r] = t1 - t0;
    }
    if (a + b + c + d == 1.2345e30f) *sink = a;
}
#define STRAIGHT(N) \
    extern "C" __global__ void straight_##N(int reps, uint32_t *out, float *sink) { straight_body<N>(reps, out, sink); }
STRAIGHT(128)
STRAIGHT(512)
STRAIGHT(1024)
STRAIGHT(2048)
STRAIGHT(4096)
STRAIGHT(8192)

// Jumps forward over code that is not run: 64 targets, each 1 KB further.
extern "C" __global__ void jumps(int zero, uint32_t *out, float *sink)
{
    float a = threadIdx.x;
    __shared__ uint32_t took[64];
#pragma unroll
    for (int i = 0; i < 48; ++i) {
        uint32_t t0 = now();
        if (zero) {
#pragma unroll
            for (int k = 0; k < 60; ++k) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(a));
        }
        if (threadIdx.x == 0) took[i] = now() - t0;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < 48; ++i) out[blockIdx.x * 48 + i] = took[i];
    if (a == 1.2345e30f) *sink = a;
}

__constant__ int table[12288];
// First and second touches of constants `step` words apart, by index.
extern "C" __global__ void constants(int step, int n, uint32_t *out)
{
    __shared__ uint32_t took[512];
    int x = 0;
    for (int pass = 0; pass < 2; ++pass)
        for (int i = 0; i < n; ++i) {
            uint32_t t0 = now();
            x = table[i * step + x];
            uint32_t t1;
            asm volatile("{ .reg .u32 x; add.u32 x, %1, 0; mov.u32 %0, %%clock; }" : "=r"(t1) : "r"(x) : "memory");
            took[pass * n + i] = t1 - t0;
        }
    for (int i = 0; i < 2 * n; ++i) out[i] = took[i];
}
// Constants as operands of arithmetic: 32 different lines.
extern "C" __global__ void constant_operands(uint32_t *out, int *sink)
{
    __shared__ uint32_t took[64];
    int x = threadIdx.x;
#pragma unroll
    for (int i = 0; i < 32; ++i) {
        uint32_t t0 = now();
        asm volatile("add.s32 %0, %0, %1;" : "+r"(x) : "r"(table[i * 64]));
        took[i] = now() - t0;
    }
    if (threadIdx.x == 0)
        for (int i = 0; i < 32; ++i) out[blockIdx.x * 32 + i] = took[i];
    if (x == 123456789) *sink = x;
}

extern "C" __global__ void barriers(int n, uint32_t *out)
{
    __syncthreads();
    uint32_t t0 = now();
    for (int i = 0; i < n; ++i) __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = now() - t0;
}

// Lanes leave a loop at different times.
extern "C" __global__ void ragged(const int *trips, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int n = trips[i];
    float a = i;
    for (int k = 0; k < n; ++k) {
        a = a * 1.0001f + 0.5f;
        if (a > 1e6f) break;
    }
    out[i] = a;
}
// Both sides of a branch by lane, nested `depth` deep.
extern "C" __global__ void branches(const int *bits, int n, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int b = bits[i];
    float a = i;
    for (int k = 0; k < n; ++k) {
        if (b >> (k & 15) & 1) {
            a = sqrtf(a) + 3;
            if (b >> (k + 5 & 15) & 1) a = a * a;
        } else
            a = a * 0.5f + __expf(-a);
    }
    out[i] = a;
}

template <int KIND> __device__ __forceinline__ void step(float &a, int &x, double &d, float *s)
{
    if (KIND == 0) a = fmaf(a, 1.01f, 0.5f);
    if (KIND == 1) x = x * 5 + 3;
    if (KIND == 2) x = (x ^ 0x55) + (x >> 3);
    if (KIND == 3) a = __expf(a) * 0.5f;
    if (KIND == 4) d = fma(d, 1.01, 0.5);
    if (KIND == 5) a += s[(threadIdx.x + x) & 1023], x += 32;
    if (KIND == 6) a = a / (a + 1.5f);
    if (KIND == 7) a = sinf(a) + 1.0f;
    if (KIND == 8) x = x / (int)(threadIdx.x + 3) + 100000;
    if (KIND == 9) a = __shfl_xor_sync(0xffffffffu, a, 5) + 1.0f;
    if (KIND == 10) s[(threadIdx.x + x) & 1023] = a, a += s[(threadIdx.x + x + 32) & 1023], x += 64;
    if (KIND == 11) a = powf(a, 0.37f) + 1.0f;
}
// n rounds of two kinds of work, on two independent values.
template <int A, int B> __device__ __forceinline__ void mix_body(int n, float *out)
{
    __shared__ float s[1024];
    s[threadIdx.x & 1023] = threadIdx.x;
    __syncthreads();
    float a = threadIdx.x, b = a + 1;
    int x = threadIdx.x, y = x + 1;
    double d = a, e = b;
#pragma unroll 4
    for (int i = 0; i < n; ++i) {
        step<A>(a, x, d, s);
        step<B>(b, y, e, s);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + x + y + (float)(d + e);
}
#define MIX(A, B) \
    extern "C" __global__ void mix_##A##_##B(int n, float *out) { mix_body<A, B>(n, out); }
MIX(0, 0) MIX(0, 1) MIX(0, 2) MIX(0, 3) MIX(0, 4) MIX(0, 5) MIX(1, 2) MIX(1, 3) MIX(2, 2) MIX(2, 5) MIX(3, 3) MIX(4, 4)
MIX(4, 2) MIX(5, 5) MIX(6, 6) MIX(7, 7) MIX(8, 8) MIX(9, 9) MIX(9, 5) MIX(10, 10) MIX(11, 11) MIX(3, 5)

// Shared atomics at given places (a histogram), and a tree reduction.
extern "C" __global__ void shared_atomics(const int *at, int n, int *out)
{
    __shared__ int bins[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) bins[i] = 0;
    __syncthreads();
    for (int i = 0; i < n; ++i) atomicAdd(bins + at[(blockIdx.x * n + i) * blockDim.x + threadIdx.x], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        if (bins[i]) atomicAdd(out + i, bins[i]);
}
extern "C" __global__ void tree(const float *p, float *q)
{
    __shared__ float s[1024];
    int t = threadIdx.x;
    s[t] = p[blockIdx.x * blockDim.x + t];
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        __syncthreads();
        if (t < k) s[t] += s[t + k];
    }
    if (t == 0) q[blockIdx.x] = s[0];
}
