// What waits: asynchronous copies to shared memory, stores to places whose load is under way, stores of all blocks to the
// same lines.
typedef unsigned u;

__device__ __forceinline__ void use(u v)
{
    asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 0x12345; @p trap; }" ::"r"(v) : "memory");
}

#define COPY(N, HOW) \
    for (int k = 0; k < n; k++) { \
        for (int b = 0; b < batch; b++) \
            asm volatile("cp.async." HOW ".shared.global [%0], [%1], " N ";" :: "r"(to + (b & 3) * 16384), "l"(from) : "memory"); \
        asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory"); \
    }

extern "C" {
// `batch` copies at a time, waited for. mode: bytes of each through L1; 0: 16 past L1; 2: groups of nothing
__global__ void cpa(const char *p, int mode, int n, int batch, int from_lane, int to_lane)
{
    extern __shared__ char s[];
    u to = (u)__cvta_generic_to_shared(s) + (threadIdx.x % 32) * to_lane + threadIdx.x / 32 * 512;
    const char *from = p + threadIdx.x / 32 * 1024 + (threadIdx.x % 32) * from_lane;
    if (mode == 4) COPY("4", "ca")
    if (mode == 8) COPY("8", "ca")
    if (mode == 16) COPY("16", "ca")
    if (mode == 0) COPY("16", "cg")
    if (mode == 2)
        for (int k = 0; k < n; k++) asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
}

// a load and a store of zero: kind 0 to the same place at once, 1 to another place, 2 when the load is there
__global__ void rw4(u *p, u *q, u *r, int kind)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    u v;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p + i) : "memory");
    if (kind == 2) use(v);
    u *b = kind == 1 ? q + i : p + i;
    asm volatile("st.global.u32 [%0], %1;" ::"l"(b), "r"(0) : "memory");
    r[i] = v;
}
__global__ void rw16(u *p, u *q, u *r, int kind)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    u v, w, x, y;
    asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v), "=r"(w), "=r"(x), "=r"(y) : "l"(p + 4 * i) : "memory");
    if (kind == 2) use(v + w + x + y);
    u *b = kind == 1 ? q + 4 * i : p + 4 * i;
    asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(b), "r"(0) : "memory");
    r[i] = v + w + x + y;
}

// all blocks store to the same lines: warp w to line w % lines. pattern 0 all of it, 1 a word, 2 a sector
__global__ void same(u *q, int pattern, int lines)
{
    u w = threadIdx.x / 32, l = threadIdx.x % 32, *p = q + w % lines * 32;
    if (pattern == 0) p[l] = l;
    if (pattern == 1 && l == 0) p[0] = w;
    if (pattern == 2 && l < 8) p[l] = l;
}
}
