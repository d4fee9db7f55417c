// LDC that misses, by some SMs at the same time: how long a line takes where other SMs of the pair, of the GPC, of the
// device ask too.
#include <stdint.h>
__constant__ __align__(64) uint32_t table[8192];
// Warps of the SMs in `who` (a bit each) go through the table: `places` lanes name a line of 64 bytes each, `apart` lines from lane to
// lane, n times, `next` lines on; SMs begin `own` lines apart, warps `warp`. Once to bring the lines near, then all at once with the clock:
// t[SM].
extern "C" __global__ void gpcs(uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3, uint32_t w4, int places, int apart, int next, int own, int warp,
                                int n, uint32_t *count, int target, uint32_t *t)
{
    uint32_t sm, who[5] = {w0, w1, w2, w3, w4}, sum = 0, took = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (!(who[sm >> 5] >> (sm & 31) & 1)) return;
    int lane = threadIdx.x & 31;
    int at = (lane < places ? lane : 0) * apart + sm * own + (threadIdx.x >> 5) * warp;
    for (int turn = 0; turn < 2; ++turn) {
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(count, 1);
            while (*(volatile uint32_t *)count < target * (turn + 1)) {}
        }
        __syncthreads();
        uint32_t begin = clock();
#pragma unroll 1
        for (int k = 0; k < n; ++k) sum += table[((at + k * next) * 16 & 8191) + (sum & 0xF0000000)];
        took = clock() - begin + (sum & 0x80000000);
    }
    if (threadIdx.x == 0) t[sm] = took;
}
// The same for operands: an add of the first word of each of 128 lines, twice over; t[SM].
extern "C" __global__ void operands(uint32_t *count, int target, uint32_t *t)
{
    uint32_t sm, sum = threadIdx.x, took = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    for (int turn = 0; turn < 2; ++turn) {
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(count, 1);
            while (*(volatile uint32_t *)count < target * (turn + 1)) {}
        }
        __syncthreads();
        uint32_t begin = clock();
#pragma unroll
        for (int k = 0; k < 128; ++k) asm volatile("xor.b32 %0, %0, %1;" : "+r"(sum) : "r"(table[16 * k + 8]));
        took = clock() - begin + (sum == 0x12345);
    }
    if (threadIdx.x == 0) t[sm] = took;
}
// Where blocks run: t[block] is the number of its SM, plus one.
extern "C" __global__ void where(uint32_t *t)
{
    uint32_t sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x == 0) t[blockIdx.x] = sm + 1;
}
