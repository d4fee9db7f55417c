// LDC by lists: every warp goes through rows of places of its own (or all through the same), with the clock around each.
#include <stdint.h>
__constant__ __align__(64) uint32_t table[16128];
__device__ __forceinline__ uint32_t now()
{
    uint32_t t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}
// The clock after `x` has been used: a store to shared memory cannot be passed over.
__device__ __forceinline__ uint32_t after(int *place, uint32_t x)
{
    uint32_t t;
    asm volatile("{ st.volatile.shared.s32 [%1], %2; mov.u32 %0, %%clock; }"
                 : "=r"(t) : "r"((uint32_t)__cvta_generic_to_shared(place)), "r"(x) : "memory");
    return t;
}
// Warps of `who` (a bit each): `warm` lines of the table by the first of them, one after the other, then n rows of 32 words' byte offsets,
// DEPTH rows at a time, `apart` rows from warp to warp, `blocks` from block to block. t[warp][i][1 + DEPTH]: the clock before, and
// when each is there (of the first block).
template <int DEPTH> __device__ __forceinline__ void lists(const uint16_t *list, uint32_t who, int warm, int n, int apart, int blocks, uint32_t *t)
{
    __shared__ uint32_t took[2560];
    __shared__ int sink;
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    uint32_t sum = 0;
    if (warp == __ffs(who) - 1)
        for (int k = 0; k < warm; ++k) {
            sum += table[16 * k + sum];
            after(&sink, sum);
        }
    __syncthreads();
    if (!(who >> warp & 1)) return;
    const int place = __popc(who & (1u << warp) - 1);
    list += 32 * (apart * place + blocks * blockIdx.x) + lane;
    uint32_t *mine = took + n / DEPTH * (1 + DEPTH) * place;
    uint32_t at[DEPTH], x[DEPTH];
#pragma unroll
    for (int k = 0; k < DEPTH; ++k) at[k] = list[32 * k];
#pragma unroll 1
    for (int i = 0; i < n / DEPTH; ++i) {
        list += 32 * DEPTH;
        bool end_of_list = false;
#pragma unroll
        for (int k = 0; k < DEPTH; ++k) end_of_list |= at[k] & 1;
        if (__any_sync(0xFFFFFFFF, end_of_list)) break;
        uint32_t begin = now();
#pragma unroll
        for (int k = 0; k < DEPTH; ++k) x[k] = *(const uint32_t *)((const char *)table + at[k]);
        uint32_t end[DEPTH];
#pragma unroll
        for (int k = 0; k < DEPTH; ++k) end[k] = after(&sink, x[k]);
        if (lane == 0) {
            mine[0] = begin;
#pragma unroll
            for (int k = 0; k < DEPTH; ++k) mine[1 + k] = end[k];
        }
        mine += 1 + DEPTH;
#pragma unroll
        for (int k = 0; k < DEPTH; ++k) at[k] = list[32 * k];
    }
    __syncwarp();
    if (blockIdx.x == 0)
        for (int i = lane; i < n / DEPTH * (1 + DEPTH); i += 32) t[n / DEPTH * (1 + DEPTH) * place + i] = took[n / DEPTH * (1 + DEPTH) * place + i];
}
extern "C" __global__ void lists_1(const uint16_t *list, uint32_t who, int warm, int n, int apart, int blocks, uint32_t *t) { lists<1>(list, who, warm, n, apart, blocks, t); }
extern "C" __global__ void lists_4(const uint16_t *list, uint32_t who, int warm, int n, int apart, int blocks, uint32_t *t) { lists<4>(list, who, warm, n, apart, blocks, t); }
