// How long a batch of cold loads takes that all wait for one another. out[block][rep] = cycles of a batch.
__device__ __forceinline__ unsigned clk() { unsigned x; asm volatile("mov.u32 %0, %%clock;" : "=r"(x) :: "memory"); return x; }
template <int N> __device__ __forceinline__ void batch(int *p, int stride, int next, int reps, int own, int *out)
{
    int *a = p + (size_t)blockIdx.x * own; unsigned first = clk();
    for (int r = 0; r < reps; r++, a += next) {
        int v[N], s = 0; unsigned t = clk();
#pragma unroll
        for (int k = 0; k < N; k++) asm volatile("ld.global.u32 %0, [%1];" : "=r"(v[k]) : "l"(a + (size_t)k * stride) : "memory");
#pragma unroll
        for (int k = 0; k < N; k++) s += v[k];
        unsigned e;
        asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 0x12345; @p trap; }" :: "r"(s) : "memory");
        e = clk();
        if (threadIdx.x == 0) { out[(blockIdx.x * reps + r) * 2] = e - t; out[(blockIdx.x * reps + r) * 2 + 1] = t - first; }
    }
}
extern "C" {
__global__ void batch1(int *p, int s, int n, int r, int w, int *o) { batch<1>(p, s, n, r, w, o); }
__global__ void batch2(int *p, int s, int n, int r, int w, int *o) { batch<2>(p, s, n, r, w, o); }
__global__ void batch4(int *p, int s, int n, int r, int w, int *o) { batch<4>(p, s, n, r, w, o); }
__global__ void batch8(int *p, int s, int n, int r, int w, int *o) { batch<8>(p, s, n, r, w, o); }
__global__ void batch16(int *p, int s, int n, int r, int w, int *o) { batch<16>(p, s, n, r, w, o); }
__global__ void batch32(int *p, int s, int n, int r, int w, int *o) { batch<32>(p, s, n, r, w, o); }
// A warp, a line each lane that is below `lanes`.
__global__ void batch_lanes(int *p, int stride, int next, int reps, int own, int lanes, int *out)
{
    int *a = p + (size_t)blockIdx.x * own + threadIdx.x * stride;
    unsigned first = clk();
    for (int r = 0; r < reps; r++, a += next) {
        unsigned t = clk(); int v = 0;
        if (threadIdx.x < lanes) asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(a) : "memory");
        if (__any_sync(~0u, v == 0x12345)) break;
        unsigned e = clk();
        if (threadIdx.x == 0) { out[(blockIdx.x * reps + r) * 2] = e - t; out[(blockIdx.x * reps + r) * 2 + 1] = t - first; }
    }
}
// Sectors of lines one after the other: sector 0 of each of `n` lines, then sector 1, ...
__global__ void sectors(int *p, int reps, int next, int order, int *out)
{
    for (int r = 0; r < reps; r++)
        for (int k = 0; k < 4; k++) {
            int s = order >> 4 * k & 15, v; unsigned t = clk();
            asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p + (size_t)r * next + s * 8) : "memory");
            asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 0x12345; @p trap; }" :: "r"(v) : "memory");
            unsigned e = clk();
            out[(r * 4 + k) * 2] = e - t; out[(r * 4 + k) * 2 + 1] = 0;
        }
}
}
// A block of small work with the times of its first warp: r[block] = SM, clock at its begin, when its word was there, before its end.
extern "C" __global__ void shape(const int *p, int *q, int mode, uint4 *r)
{
    unsigned t0 = clk(), t1, m; int i = blockIdx.x * blockDim.x + threadIdx.x, v = i;
    if (mode & 1) { asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p + i) : "memory"); asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 0x12345; @p trap; }" :: "r"(v) : "memory"); }
    t1 = clk();
    if (mode & 2) q[i] = v + 1;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(m));
    if ((mode & 4) && threadIdx.x == 0) r[blockIdx.x] = make_uint4(m, t0, t1, clk());
}
