// The begin and the end of grids.
#define CLK(x) asm volatile("mov.u32 %0, %%clock;" : "=r"(x) :: "memory")
typedef unsigned u;
__device__ __forceinline__ u smid() { u x; asm volatile("mov.u32 %0, %%smid;" : "=r"(x)); return x; }
extern "C" {
// A CTA that lasts a fixed time, and what it does beside that. kind: 1 a store at once, 2 at the end, 4 a load at once, 8 all
// threads do so (else one a CTA), 16 a reduction at the end, 32 warps end without waiting for the first.
__global__ void tail(const u *p, u *q, int kind, int spin, int step)
{
    u t0, t, v = 0; CLK(t0); int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool who = (kind & 8) || threadIdx.x == 0;
    if (kind & 4) { asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p + i) : "memory"); asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 0x12345; @p trap; }" :: "r"(v) : "memory"); }
    if ((kind & 1) && who) q[i] = v + 1;
    u end = spin + step * blockIdx.x;
    if (threadIdx.x < 32) do { CLK(t); } while (t - t0 < end);
    if (!(kind & 32)) __syncthreads();
    if ((kind & 2) && who) q[i] = v + 1;
    if ((kind & 16) && who) atomicAdd(q + i, 1);
}
// Ordinary first instructions; each warp's clock after its constants, its load asked for, there, and before it ends.
__global__ void usual(const u *p, u *q, u n, uint4 *r, int a, int b, int c, int d)
{
    u t0, t1, t2, t3; CLK(t0);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    CLK(t1);
    u v; asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p + i) : "memory");
    CLK(t2);
    asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 0x12345; @p trap; }" :: "r"(v) : "memory");
    CLK(t3);
    q[i] = v + a;
    if (threadIdx.x % 32 == 0) { uint4 *o = r + 2 * (i / 32); u t4; CLK(t4); o[0] = make_uint4(smid(), t0, t1, t2); o[1] = make_uint4(t3, t4, 0, 0); }
}
}
