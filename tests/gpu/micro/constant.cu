// Micro-benchmarks of constant memory: the three ways to it (operand, LDC, ULDC), cold and in turn, by stride, footprint
// and lanes.
#include <cstdint>

__device__ __forceinline__ uint32_t now()
{
    uint32_t t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}
__constant__ int table[16384]; // all zero: an index can hang on what was read, and is what it would be without that

// The clock after `x` has been used: a store to shared memory cannot be passed over.
__device__ __forceinline__ uint32_t after(int *place, int x)
{
    uint32_t t;
    asm volatile("{ st.volatile.shared.s32 [%1], %2; mov.u32 %0, %%clock; }"
                 : "=r"(t) : "r"((uint32_t)__cvta_generic_to_shared(place)), "r"(x) : "memory");
    return t;
}

// LDC at places `step` words apart, each index from the value before; `passes` over n places (at most 1024). out[pass][i].
extern "C" __global__ void ldc_trace(int step, int n, int passes, uint32_t *out)
{
    __shared__ uint32_t took[1024];
    __shared__ int sink;
    int x = threadIdx.x >> 10;
    for (int pass = 0; pass < passes; ++pass) {
        for (int i = 0; i < n; ++i) {
            uint32_t t0 = now();
            x += table[i * step + x];
            took[i] = after(&sink, x) - t0;
        }
        for (int i = 0; i < n; ++i) out[pass * n + i] = took[i];
    }
}
// Passes over n places `step` words apart, by all warps; the first warp's cycles for each pass.
extern "C" __global__ void ldc_pass(int step, int n, int passes, uint32_t *out)
{
    __shared__ int sink;
    int x = threadIdx.x >> 10;
    for (int pass = 0; pass < passes; ++pass) {
        uint32_t t0 = now();
#pragma unroll 1
        for (int i = 0; i < n; ++i) x += table[i * step + x];
        uint32_t t1 = after(&sink, x);
        if (threadIdx.x == 0) out[blockIdx.x * passes + pass] = t1 - t0;
    }
}
// Independent LDCs: `spread` lanes of a warp name places of their own, `step` words apart.
extern "C" __global__ void ldc_rate(int spread, int step, int n, uint32_t *out)
{
    __shared__ int sink;
    int at = (threadIdx.x & (spread - 1)) * step, x = 0;
    uint32_t times[2];
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        uint32_t t0 = now();
#pragma unroll 8
        for (int i = 0; i < n; ++i) x += table[at + (i & 7)];
        times[pass] = after(&sink, x) - t0;
    }
    if (threadIdx.x == 0) out[2 * blockIdx.x] = times[0], out[2 * blockIdx.x + 1] = times[1];
}
// The same by pairs and fours of words, all lanes at one place.
extern "C" __global__ void ldc_wide(int n, uint32_t *out)
{
    __shared__ int sink;
    int x = 0;
    uint32_t times[2];
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        uint32_t t0 = now();
#pragma unroll 8
        for (int i = 0; i < n; ++i) {
            int4 v = *(const int4 *)(table + 4 * ((i + (threadIdx.x >> 5)) & 31));
            x += v.x ^ v.y ^ v.z ^ v.w;
        }
        times[pass] = after(&sink, x) - t0;
    }
    if (threadIdx.x == 0) out[2 * blockIdx.x] = times[0], out[2 * blockIdx.x + 1] = times[1];
}
// Uniform loads: indices that are the same for all threads, values that go into arithmetic.
extern "C" __global__ void uldc_pass(int step, int n, int passes, uint32_t *out)
{
    __shared__ int sink;
    float x = threadIdx.x;
    const float *p = (const float *)table;
    for (int pass = 0; pass < passes; ++pass) {
        uint32_t t0 = now();
#pragma unroll 1
        for (int i = 0; i < n; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(x) : "f"(p[i * step]));
        uint32_t t1 = after(&sink, __float_as_int(x));
        if (threadIdx.x == 0) out[blockIdx.x * passes + pass] = t1 - t0;
    }
}

#define USE(x, at) x = x * __int_as_float(table[at]) + x
// Operands of arithmetic: N of them, STEP words apart; each one's cycles, or (PASSES) those of each pass.
template <int N, int STEP> __device__ __forceinline__ void operand_trace(uint32_t *out)
{
    __shared__ uint32_t took[N];
    float x = threadIdx.x;
#pragma unroll
    for (int i = 0; i < N; ++i) {
        uint32_t t0 = now();
        USE(x, i * STEP);
        took[i] = now() - t0;
    }
    if (threadIdx.x == 0)
        for (int i = 0; i < N; ++i) out[i] = took[i];
    if (x == 1.25f) out[0] = 1;
}
#define TRACE(STEP) \
    extern "C" __global__ void operand_trace_##STEP(uint32_t *out) { operand_trace<64, STEP>(out); }
TRACE(4)
TRACE(8)
TRACE(16)
TRACE(32)
TRACE(64)
TRACE(128)
template <int N, int STEP> __device__ __forceinline__ void operand_pass(int passes, uint32_t *out)
{
    __shared__ int sink;
    float x = threadIdx.x;
#pragma unroll 1
    for (int pass = 0; pass < passes; ++pass) {
        uint32_t t0 = now();
#pragma unroll
        for (int i = 0; i < N; ++i) USE(x, i * STEP);
        uint32_t t1 = after(&sink, __float_as_int(x));
        if (threadIdx.x == 0) out[blockIdx.x * passes + pass] = t1 - t0;
    }
}
#define PASS(N) \
    extern "C" __global__ void operand_pass_##N(int passes, uint32_t *out) { operand_pass<N, 16>(passes, out); }
PASS(16)
PASS(32)
PASS(48)
PASS(64)
PASS(128)
PASS(256)
PASS(512)
PASS(1024)

// Lines that LDC brought, read again as operands, and the other way round: cycles of each of the four passes.
extern "C" __global__ void both_ways(int n, int first, uint32_t *out)
{
    __shared__ int sink;
    int x = threadIdx.x >> 10;
    float y = x;
#pragma unroll 1
    for (int turn = 0; turn < 4; ++turn) {
        uint32_t t0 = now();
        if ((turn + first) & 1) {
#pragma unroll
            for (int i = 0; i < 24; ++i) USE(y, i * 16);
        } else {
#pragma unroll 1
            for (int i = 0; i < n; ++i) x += table[i * 16 + x];
        }
        uint32_t t1 = after(&sink, x + __float_as_int(y));
        if (threadIdx.x == 0) out[turn] = t1 - t0;
    }
}
