// Where the time of an ordinary kernel goes: each warp notes the clock at its begin, when its load is there, behind a loop, behind
// the same loop once more, and behind its store.
#include <stdint.h>
static __device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
static __device__ __forceinline__ uint32_t timer() { uint32_t t; asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(t) :: "memory"); return t; }
static __device__ __forceinline__ uint32_t smid() { uint32_t t; asm volatile("mov.u32 %0, %%smid;" : "=r"(t)); return t; }
#define PHASES(name, T, PREPARE, BODY)                                                                                  \
    extern "C" __global__ void phase_##name(const T *p, T *q, int n, uint4 *out)                                        \
    {                                                                                                                  \
        uint32_t c0 = now(), g = timer(), c[3];                                                                         \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                  \
        T x = p[i & 0x3ffff], y = p[(i & 0x3ffff) + 1], z = x, u = y;                                                   \
        PREPARE;                                                                                                       \
        if (x == (T)123456789) asm volatile("trap;");                                                                  \
        c[0] = now();                                                                                                  \
        for (int r = 1; r < 3; ++r) {                                                                                  \
            _Pragma("unroll 1") for (int k = 0; k < n; ++k) { BODY; }                                                  \
            if (x == (T)123456789) asm volatile("trap;");                                                              \
            c[r] = now();                                                                                              \
        }                                                                                                              \
        q[i] = x + y + z + u;                                                                                          \
        uint32_t end = now();                                                                                          \
        if ((threadIdx.x & 31) == 0) {                                                                                 \
            out[(i >> 5) * 2] = make_uint4(smid(), g, c0, c[0]);                                                       \
            out[(i >> 5) * 2 + 1] = make_uint4(c[1], c[2], end, 0);                                                    \
        }                                                                                                              \
    }
#define FOUR(e) e e e e
PHASES(ffma, float, , FOUR(x = x * 1.5f + y; y = y * 0.5f + z; z = z * 1.25f + u; u = u * 0.25f + x;) FOUR(x = x * 1.5f + y; y = y * 0.5f + z; z = z * 1.25f + u; u = u * 0.25f + x;))
PHASES(wide, float, float a = x; float b = y; float c2 = z; float d = u, FOUR(x = x * 1.5f + 1.0f; y = y * 0.5f + 1.0f; z = z * 1.25f + 1.0f; u = u * 0.25f + 1.0f; a = a * x + b; b = b * y + c2; c2 = c2 * z + d; d = d * u + a;) if (a + b + c2 + d == 1.2345f) x = 0)
PHASES(hash, uint32_t, , FOUR(x ^= x << 13; y += x >> 7; z ^= y * 0x9E3779B1u; u += (z & y) | x; x += u ^ k;))
PHASES(branch, uint32_t, , if ((x >> (k & 15)) & 1) x = x * 3 + y; else x = (x >> 1) ^ y)
PHASES(ballot, uint32_t, , x += __ballot_sync(0xffffffffu, x > y + k))
PHASES(shuffle, uint32_t, , x += __shfl_xor_sync(0xffffffffu, x, (k & 15) + 1); y += __shfl_xor_sync(0xffffffffu, y, 1); z += __shfl_xor_sync(0xffffffffu, z, 2))
PHASES(exps, float, , x = expf(x * 1e-3f) + y; z = expf(z * 1e-3f) + u)
PHASES(divide, uint32_t, , x = (x * 0x9E3779B9u + k) / (y + k + 1))
PHASES(shared, uint32_t, __shared__ uint32_t s[1056]; s[threadIdx.x & 1023] = x, x += s[(threadIdx.x + k) & 1023]; y += s[(threadIdx.x ^ k) & 1023]; z ^= x + y; __syncwarp())
PHASES(barrier, uint32_t, __shared__ uint32_t s[1056]; s[threadIdx.x & 1023] = x, s[(threadIdx.x + k) & 1023] = x; __syncthreads(); x += s[(threadIdx.x ^ 33) & 1023] + k; __syncthreads())
PHASES(hits, uint32_t, , x += p[(i + k * 32) & 1023]; y += p[(i * 2 + k) & 1023])
PHASES(double, double, , x = x * 1.5 + y; z = z * 1.25 + u)
