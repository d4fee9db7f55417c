// Micro-benchmarks of single causes: sums by sector, stores of a whole grid to one place, walks along rows with one
// sector a lane, pages, parts of sectors in a stream, long code of few warps.
#include <cstdint>
#include <cuda_fp16.h>

__device__ __forceinline__ uint32_t now()
{
    uint32_t t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}

// Reductions and atomics of kinds that `contended.cu` does not have, at the word (i / divide % modulo) * times.
#define ATOMIC(name, T, CALL)                                                                                         \
    extern "C" __global__ void name(T *q, T *r, int n, int divide, int modulo, int times)                             \
    {                                                                                                                 \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                \
        if (i < n) {                                                                                                  \
            T *at = q + (i / divide % modulo) * times;                                                                \
            CALL;                                                                                                     \
        }                                                                                                             \
    }
ATOMIC(red_f16x2, __half2, atomicAdd(at, __half2half2(__float2half(1.0f))))
ATOMIC(red_and, unsigned, atomicAnd(at, i))
ATOMIC(atom_f64, double, r[i] = atomicAdd(at, 1.0))
ATOMIC(atom_u64, unsigned long long, r[i] = atomicAdd(at, (unsigned long long)i))
ATOMIC(cas_u64, unsigned long long, r[i] = atomicCAS(at, (unsigned long long)i, 5ull))
ATOMIC(plain_store, int, *(volatile int *)at = i)
ATOMIC(plain_load, int, r[i] = __ldcg((const int *)at))
// One lane of each warp only.
ATOMIC(lane_red_f32, float, if ((threadIdx.x & 31) == 0) atomicAdd(at, 1.0f))
ATOMIC(lane_store, int, if ((threadIdx.x & 31) == 0) *(volatile int *)at = i)

// Loops of compare-and-swap; out[thread] = how often it was tried.
extern "C" __global__ void cas_count(int *q, int n, int modulo, int times, uint32_t *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int *at = q + i % modulo * times;
    int old = *(volatile int *)at, seen;
    uint32_t tries = 0;
    do {
        seen = old;
        old = atomicCAS(at, seen, seen + 1);
        ++tries;
    } while (old != seen);
    out[i] = tries;
}
// The same for a maximum of floats, as programs make it: few succeed.
extern "C" __global__ void cas_max(int *q, int n, int modulo, uint32_t *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int *at = q + i % modulo;
    float value = (float)(i * 40503 & 0xffff);
    int old = *(volatile int *)at, seen;
    uint32_t tries = 0;
    while (__int_as_float(old) < value) {
        seen = old;
        old = atomicCAS(at, seen, __float_as_int(value));
        ++tries;
        if (old == seen) break;
    }
    out[i] = tries;
}

// Each lane walks along a row of its own, rows `pitch` words apart: loads, U of them in flight; stores; both.
template <int U> __device__ __forceinline__ void rows_load_body(const float *p, int pitch, int n, int reps, float *q)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float *row = p + (size_t)i * pitch;
    float total = 0;
    for (int r = 0; r < reps; ++r)
        for (int k = 0; k < n; k += U) {
            float v[U];
#pragma unroll
            for (int u = 0; u < U; ++u) v[u] = *(const volatile float *)(row + k + u);
#pragma unroll
            for (int u = 0; u < U; ++u) total += v[u];
        }
    if (total == 1.2345e30f) q[i] = total;
}
extern "C" __global__ void rows_load_1(const float *p, int pitch, int n, int reps, float *q)
{
    rows_load_body<1>(p, pitch, n, reps, q);
}
extern "C" __global__ void rows_load_4(const float *p, int pitch, int n, int reps, float *q)
{
    rows_load_body<4>(p, pitch, n, reps, q);
}
extern "C" __global__ void rows_load_16(const float *p, int pitch, int n, int reps, float *q)
{
    rows_load_body<16>(p, pitch, n, reps, q);
}
extern "C" __global__ void rows_store(float *q, int pitch, int n, int reps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    volatile float *row = q + (size_t)i * pitch;
    for (int r = 0; r < reps; ++r)
#pragma unroll 4
        for (int k = 0; k < n; ++k) row[k] = k;
}
extern "C" __global__ void rows_update(float *q, int pitch, int n, int reps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    volatile float *row = q + (size_t)i * pitch;
    for (int r = 0; r < reps; ++r)
#pragma unroll 4
        for (int k = 0; k < n; ++k) row[k] = row[k] + 1;
}
extern "C" __global__ void rows_bytes(const unsigned char *p, int pitch, int n, int reps, int *q)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const volatile unsigned char *row = p + (size_t)i * pitch;
    int total = 0;
    for (int r = 0; r < reps; ++r)
#pragma unroll 4
        for (int k = 0; k < n; ++k) total += row[k];
    if (total == 123456789) q[i] = total;
}

// Byte stores of pixels: `parts` bytes each, `step` bytes apart; and loads of them.
extern "C" __global__ void pixels_store(unsigned char *q, int n, int step, int parts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; k < parts; ++k) q[(size_t)i * step + k] = (unsigned char)(i + k);
}
extern "C" __global__ void pixels_store_3(unsigned char *q, int n, int step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned char *at = q + (size_t)i * step;
    at[0] = i, at[1] = i + 1, at[2] = i + 2;
}
extern "C" __global__ void pixels_load_3(const unsigned char *q, int n, int step, unsigned char *r)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned char *at = q + (size_t)i * step;
    r[i] = at[0] + at[1] + at[2];
}
extern "C" __global__ void halves_store(unsigned short *q, int n, int step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) q[(size_t)i * step] = i;
}

// All lanes of all warps touch one word a page, as gathers over a large table do.
extern "C" __global__ void pages_gather(const float *p, long long step, long long wrap, int n, float *q)
{
    long long i = blockIdx.x * blockDim.x + threadIdx.x;
    float total = 0;
    long long at = i * step % wrap;
    for (int k = 0; k < n; ++k) {
        total += __ldcg((const float *)((const char *)p + at));
        at = (at + 132 * 256 * step + 4096 + 128) % wrap;
    }
    if (total == 1.2345e30f) q[i] = total;
}

// Long code of few warps: each thread's clock around n turns.
#define WORK(name, T, BODY)                                                                                           \
    extern "C" __global__ void name(const T *p, T *q, int n, int spread, uint32_t *out)                               \
    {                                                                                                                 \
        int i = blockIdx.x * blockDim.x + threadIdx.x, lane = (threadIdx.x & 31) * spread;                            \
        T x = p[lane], y = p[lane + 32];                                                                              \
        (void)y;                                                                                                      \
        uint32_t t0 = now();                                                                                          \
        for (int k = 0; k < n; ++k) { BODY; }                                                                         \
        uint32_t t1 = now();                                                                                          \
        q[i] = x;                                                                                                     \
        if ((threadIdx.x & 31) == 0) out[i >> 5] = t1 - t0;                                                           \
    }
WORK(work_udiv64, unsigned long long, x = (x * 0x9E3779B97F4A7C15ull + k) / (y + k))
WORK(work_umod64, unsigned long long, x = (x * 0x9E3779B97F4A7C15ull + k) % (y + k))
WORK(work_udiv64_small, unsigned long long, x = (x + 77777 + k) / (y + k) + 99999)
WORK(work_sdiv64, long long, x = (x * 0x1E3779B97F4A7C15ll + k) / (y + k))
WORK(work_udiv32, unsigned, x = (x * 0x9E3779B9u + k) / (y + k))
WORK(work_sdiv32, int, x = (x * 0x1E3779B9 + k) / (y + k))
WORK(work_fdiv, float, x = (x + 1.5f) / (y + k))
WORK(work_ddiv, double, x = (x + 1.5) / (y + k))
WORK(work_dsqrt, double, x = sqrt(x + k))
WORK(work_fsqrt, float, x = sqrtf(x + k))
WORK(work_expf, float, x = expf(x * 1e-3f) + y)
WORK(work_logf, float, x = logf(x + k) + y)
WORK(work_powf, float, x = powf(x + 1.0f, 0.37f) + y)
WORK(work_sinf, float, x = sinf(x + k))
WORK(work_sinf_big, float, x = sinf((x + k) * 1e6f))
WORK(work_atan2f, float, x = atan2f(x + k, y))
WORK(work_fmodf, float, x = fmodf(x + 1000.0f + k, y))
WORK(work_exp, double, x = exp(x * 1e-3) + y)
WORK(work_gcd, unsigned, unsigned a = x + 12345u + k; unsigned b = y + 777u; while (b) { unsigned c = a % b; a = b; b = c; } x += a)
WORK(work_collatz, unsigned, unsigned a = x + k + 27u; int c = 0; while (a > 1 && c < 200) { a = a & 1 ? 3 * a + 1 : a >> 1; ++c; } x += c)
WORK(work_switch, unsigned, switch ((x + k) & 7) { case 0: x += y; break; case 1: x *= 3; break; case 2: x ^= y << 3; break; case 3: x = x / (y | 1); break; case 4: x -= 7; break; case 5: x = __popc(x) + y; break; case 6: x = __brev(x); break; default: x += 0x51ed; })
WORK(work_branch, unsigned, if ((x >> (k & 15)) & 1) x = x * 3 + y; else x = (x >> 1) ^ y)
WORK(work_shuffle, unsigned, x += __shfl_xor_sync(0xffffffffu, x, (k & 15) + 1))
WORK(work_ballot, unsigned, x += __ballot_sync(0xffffffffu, x > y + k))
WORK(work_match, unsigned, x += __match_any_sync(0xffffffffu, (x + k) & 7))
WORK(work_reduce, unsigned, x += __reduce_add_sync(0xffffffffu, x & 255))
WORK(work_local, unsigned, unsigned a[16]; for (int j = 0; j < 16; ++j) a[j] = x + j; x = a[(x + k) & 15] + y)

// Shared memory: sums of floats at few words (a loop of compare-and-swap), maxima, exchanges.
extern "C" __global__ void shared_sums(int kind, int modulo, int n, float *q, uint32_t *out)
{
    __shared__ float s[1024];
    __shared__ int si[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) s[k] = 0, si[k] = 0;
    __syncthreads();
    uint32_t t0 = now();
    if (kind == 0)
        for (int k = 0; k < n; ++k) atomicAdd(s + (threadIdx.x + k) % modulo, 1.0f);
    else if (kind == 1)
        for (int k = 0; k < n; ++k) atomicAdd(si + (threadIdx.x + k) % modulo, k);
    else if (kind == 2)
        for (int k = 0; k < n; ++k) atomicMax(si + (threadIdx.x + k) % modulo, (int)threadIdx.x * 7 + k);
    else if (kind == 3)
        for (int k = 0; k < n; ++k) atomicExch(si + (threadIdx.x + k) % modulo, k);
    else
        for (int k = 0; k < n; ++k) atomicAdd((unsigned long long *)s + (threadIdx.x + k) % (modulo > 512 ? 512 : modulo), 1ull);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = now() - t0;
    q[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x] + si[threadIdx.x];
}

// Grids: a load that all rows of a block share, a column of it, one's own: a pass of all shortest paths.
extern "C" __global__ void shares(const unsigned *p, unsigned *q, int width, int pass)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    q[y * width + x] = p[y * width + x] + p[y * width + pass] + p[pass * width + x];
}
// Five-point stencils that keep to one array layout each: columns of a block in shared memory or not.
extern "C" __global__ void plane_copy(const float *p, float *q, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    q[y * width + x] = p[y * width + x] + 1;
}
extern "C" __global__ void plane_read(const float *p, float *q, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (p[y * width + x] == 1.2345e30f) q[0] = 1;
}
extern "C" __global__ void plane_write(float *q, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    q[y * width + x] = 1;
}
extern "C" __global__ void plane_3(const float *p, float *q, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y > 0 && y < height - 1) q[y * width + x] = p[(y - 1) * width + x] + p[y * width + x] + p[(y + 1) * width + x];
}
// A window of constants over a row: one load that all lanes share and one of their own, in turns.
extern "C" __global__ void window(const float *p, const float *mask, float *q, int n, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float total = 0;
    for (int k = 0; k < size; ++k) {
        int at = i + k - size / 2;
        if (at >= 0 && at < n) total += p[at] * mask[k];
    }
    q[i] = total;
}
extern "C" __global__ void window_f64(const double *p, const double *mask, double *q, int n, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double total = 0;
    for (int k = 0; k < size; ++k) {
        int at = i + k - size / 2;
        if (at >= 0 && at < n) total += p[at] * mask[k];
    }
    q[i] = total;
}
// Each thread stores `parts` words one after another, `step` words from the next thread's: what tests of memory do.
template <int PARTS> __device__ __forceinline__ void fill_body(int *q, int n, int step)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
#pragma unroll
        for (int k = 0; k < PARTS; ++k) ((volatile int *)q)[(size_t)i * step + k] = k;
}
#define FILL(PARTS) \
    extern "C" __global__ void fill_##PARTS(int *q, int n, int step) { fill_body<PARTS>(q, n, step); }
FILL(1)
FILL(2)
FILL(4)
FILL(8)
FILL(16)
// Stores to mixed words of the first `words` (a power of two), one a thread.
extern "C" __global__ void scatter_few(int *q, int words)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    q[(i * 2654435761u >> 8) & (words - 1)] = i;
}
// One store of each warp to one place after some turns of work.
extern "C" __global__ void late_store(int *q, int n)
{
    int x = threadIdx.x;
    for (int k = 0; k < n; ++k) x = x * 1664525 + 1013904223;
    if (x != 12345) *(volatile int *)q = x;
}
// One answer after another, each block at a place of its own: what a round trip of each kind costs.
extern "C" __global__ void chain(int kind, int *q, int spread, int n, uint32_t *out)
{
    int *at = q + blockIdx.x * spread;
    int x = 0;
    long long t0 = clock64();
    if (kind == 0)
        for (int i = 0; i < n; ++i) x = atomicAdd(at, x & 1);
    else if (kind == 1)
        for (int i = 0; i < n; ++i) x = __float_as_int(atomicAdd((float *)at, (float)(x & 1)));
    else if (kind == 2)
        for (int i = 0; i < n; ++i) x = atomicCAS(at, x, x + 1);
    else if (kind == 3)
        for (int i = 0; i < n; ++i) x = atomicExch(at, x + 1);
    else if (kind == 4)
        for (int i = 0; i < n; ++i) x = (int)atomicAdd((unsigned long long *)at, (unsigned long long)(x & 1));
    else if (kind == 5)
        for (int i = 0; i < n; ++i) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x) : "l"(at + (x & 1)) : "memory");
    else if (kind == 6)
        for (int i = 0; i < n; ++i) {
            asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(x) : "memory");
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x) : "l"(at) : "memory");
        }
    else if (kind == 7)
        for (int i = 0; i < n; ++i) x = (int)atomicAdd((double *)at, (double)(x & 1));
    else
        for (int i = 0; i < n; ++i) {
            asm volatile("red.global.add.s32 [%0], %1;" ::"l"(at), "r"(x) : "memory");
            __threadfence();
        }
    if ((threadIdx.x & 31) == 0) out[blockIdx.x] = (uint32_t)(clock64() - t0) + (x >> 31);
}
