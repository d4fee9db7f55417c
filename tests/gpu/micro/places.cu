// Chains of conversions and special functions; when CTAs begin that take the place of others.
#include <stdint.h>
static __device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
static __device__ __forceinline__ uint32_t smid() { uint32_t t; asm volatile("mov.u32 %0, %%smid;" : "=r"(t)); return t; }
#define EIGHT(e) e e e e e e e e
#define CHAIN(name, T, BODY)                                                                                            \
    extern "C" __global__ void chain_##name(const T *p, T *q, int n, uint32_t *took)                                   \
    {                                                                                                                  \
        T x = p[threadIdx.x];                                                                                          \
        if (x == (T)123456789) asm volatile("trap;");                                                                  \
        uint32_t t0 = now();                                                                                           \
        for (int k = 0; k < n; ++k) { EIGHT(BODY) }                                                                    \
        if (x == (T)123456789) asm volatile("trap;");                                                                  \
        uint32_t t1 = now();                                                                                           \
        q[blockIdx.x * blockDim.x + threadIdx.x] = x;                                                                  \
        if (threadIdx.x % 32 == 0) took[(blockIdx.x * blockDim.x + threadIdx.x) >> 5] = t1 - t0;                       \
    }
CHAIN(rcp, float, asm volatile("rcp.approx.ftz.f32 %0, %0;" : "+f"(x));)
CHAIN(ex2, float, asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));)
CHAIN(i2f_f2i, uint32_t, { float f; asm volatile("cvt.rp.f32.u32 %0, %1;" : "=f"(f) : "r"(x)); asm volatile("cvt.rzi.ftz.u32.f32 %0, %1;" : "=r"(x) : "f"(f)); })
CHAIN(i2f_s, uint32_t, { float f; asm volatile("cvt.rn.f32.s32 %0, %1;" : "=f"(f) : "r"(x)); asm volatile("cvt.rzi.s32.f32 %0, %1;" : "=r"(x) : "f"(f)); })
CHAIN(i2f_rcp, uint32_t, { float f; asm volatile("cvt.rp.f32.u32 %0, %1;" : "=f"(f) : "r"(x)); asm volatile("rcp.approx.ftz.f32 %0, %0;" : "+f"(f)); x = __float_as_uint(f) & 0xffff; })
CHAIN(rcp_f2i, float, { uint32_t u; asm volatile("cvt.rzi.ftz.u32.f32 %0, %1;" : "=r"(u) : "f"(x)); x = __uint_as_float((u & 0xffff) | 0x3f800000); })
CHAIN(i2f_64, uint64_t, { float f; asm volatile("cvt.rp.f32.u64 %0, %1;" : "=f"(f) : "l"(x)); asm volatile("cvt.rzi.u64.f32 %0, %1;" : "=l"(x) : "f"(f)); })
CHAIN(i2d, uint32_t, { double f; asm volatile("cvt.rn.f64.u32 %0, %1;" : "=d"(f) : "r"(x)); asm volatile("cvt.rzi.u32.f64 %0, %1;" : "=r"(x) : "d"(f)); })
CHAIN(f2d, float, { double f; asm volatile("cvt.f64.f32 %0, %1;" : "=d"(f) : "f"(x)); asm volatile("cvt.rn.f32.f64 %0, %1;" : "=f"(x) : "d"(f)); })
CHAIN(frnd, float, asm volatile("cvt.rmi.f32.f32 %0, %0;" : "+f"(x));)
CHAIN(popc, uint32_t, x = __popc(x);)
CHAIN(flo, uint32_t, x = 31 - __clz(x);)
CHAIN(imad, uint32_t, x = x * 0x9E3779B1u + 12345u;)
CHAIN(umulhi, uint32_t, x = __umulhi(x, 0x9E3779B1u);)
CHAIN(shfl, uint32_t, x = __shfl_xor_sync(0xffffffffu, x, 1);)
CHAIN(wide, uint64_t, x = (uint64_t)(uint32_t)x * 0x9E3779B1u + x;)

// Each warp notes the clock at its begin; what is stored of it, and what the CTA does until `spin` cycles later: 0 nothing, 1 all
// threads store at the end, 2 all threads meet before they end.
extern "C" __global__ void places(int mode, int spin, uint32_t *q, uint2 *out)
{
    uint32_t t0 = now();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if ((threadIdx.x & 31) == 0) out[i >> 5] = make_uint2(smid(), t0);
    uint32_t end = spin + (blockIdx.x * 2654435761u >> 24), t;
    do { t = now(); } while (t - t0 < end);
    if (mode == 1) q[i] = t;
    if (mode == 2) __syncthreads();
}
