// Cold loads of all SMs at once; calls of printf.
#include <cstdio>
#define CLK(x) asm volatile("mov.u32 %0, %%clock;" : "=r"(x) :: "memory")
typedef unsigned u;
__device__ __forceinline__ u smid() { u x; asm volatile("mov.u32 %0, %%smid;" : "=r"(x)); return x; }
__device__ __forceinline__ u get(const u *p) { u v; asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
#define USE(v) asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 0x12345; @p trap; }" :: "r"(v) : "memory")
extern "C" {
// A cold line a warp; the CTAs' places `stride` words apart, warps' `apart`. Each warp's clocks: SM, begin, its load asked for and there.
__global__ void burst(const u *p, int stride, int apart, int wait, uint4 *r)
{
    u t0, t1, t2; CLK(t0); const u *q = p + (size_t)blockIdx.x * stride + threadIdx.x / 32 * apart + threadIdx.x % 32;
    do CLK(t1); while (t1 - t0 < wait);
    u v = get(q); CLK(t1); USE(v); CLK(t2);
    if (threadIdx.x % 32 == 0) r[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = make_uint4(smid(), t0, t1, t2);
}
// The same with two and four loads at once, 1 MB apart.
__global__ void burst4(const u *p, int stride, int apart, int wait, uint4 *r)
{
    u t0, t1, t2; CLK(t0); const u *q = p + (size_t)blockIdx.x * stride + threadIdx.x / 32 * apart + threadIdx.x % 32;
    do CLK(t1); while (t1 - t0 < wait);
    u a = get(q), b = get(q + (1 << 18)), c = get(q + (2 << 18)), d = get(q + (3 << 18)); CLK(t1); u v = a ^ b ^ c ^ d; USE(v); CLK(t2);
    if (threadIdx.x % 32 == 0) r[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = make_uint4(smid(), t0, t1, t2);
}
__global__ void print_no(int *q, int n) { if (n == 12345) printf("%d\n", n); }
__global__ void print_one(int *q, int n) { if (blockIdx.x * blockDim.x + threadIdx.x == 0) printf("%d\n", n); }
__global__ void print_float(int *q, int n) { if (blockIdx.x * blockDim.x + threadIdx.x == 0) printf("x %f %d %s\n", n * 0.5, n, "y"); }
__global__ void print_two(int *q, int n) { if (blockIdx.x * blockDim.x + threadIdx.x == 0) { printf("%d\n", n); printf("%d\n", n + 1); } }
__global__ void print_eight(int *q, int n) { if (blockIdx.x * blockDim.x + threadIdx.x == 0) for (int k = 0; k < 8; k++) printf("%d\n", k); }
__global__ void print_warp(int *q, int n) { if (blockIdx.x == 0 && threadIdx.x < 32) printf("%d\n", n); }
__global__ void print_ctas(int *q, int n) { if (threadIdx.x == 0) printf("%d\n", n); }
}
