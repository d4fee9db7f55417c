// Reductions to rows of words, each block its own or all the same ones; LDC by warps that go through rows of their own.
#include <cstdint>
__constant__ __align__(16) int table[16384 - 64];
__device__ __forceinline__ uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16; return x; }
// n adds of each thread to random words of its block's row: `words` long (a power of two), `rows` of them, `gap` words apart.
// `group` lanes next to each other add to neighbouring words.
template <class T> __device__ __forceinline__ void rows(T *p, int words, int rows, int gap, int group, int n)
{
    T *row = p + (blockIdx.x % rows) * gap;
    uint32_t lane = threadIdx.x & (group - 1), seed = (blockIdx.x * blockDim.x + threadIdx.x) / group;
#pragma unroll 4
    for (int i = 0; i < n; ++i) {
        uint32_t at = mix(seed * 64 + i) * group & (words - 1);
        atomicAdd(row + at + lane, (T)1);
    }
}
extern "C" __global__ void rows_s32(int words, int number, int gap, int group, int n, int *p) { rows(p, words, number, gap, group, n); }
extern "C" __global__ void rows_f32(int words, int number, int gap, int group, int n, float *p) { rows(p, words, number, gap, group, n); }
// The lanes of the first `lanes` of each warp only, all others idle.
extern "C" __global__ void few_s32(int words, int number, int gap, int lanes, int n, int *p)
{
    if ((threadIdx.x & 31) >= lanes) return;
    rows(p, words, number, gap, 1, n);
}
// Warps go through rows of constants of their own, `apart` words from warp to warp, `spread` rows a warp, n words each.
extern "C" __global__ void ldc_rows(int apart, int spread, int far, int n, int again, int *p)
{
    int at = (threadIdx.x >> 5) * apart + (threadIdx.x & (spread - 1)) * far, x = 0;
    for (int k = 0; k < again; ++k)
#pragma unroll 1
        for (int i = 0; i < n; ++i) x += table[at + i + (x >> 30)];
    if (x == 123456) p[threadIdx.x] = x;
}
// The same by pairs.
extern "C" __global__ void ldc_pairs(int apart, int spread, int far, int n, int again, int *p)
{
    const int2 *pairs = (const int2 *)table;
    int at = (threadIdx.x >> 5) * apart + (threadIdx.x & (spread - 1)) * far, x = 0;
    for (int k = 0; k < again; ++k)
#pragma unroll 2
        for (int i = 0; i < n; ++i) { int2 v = pairs[at + i + (x >> 30)]; x ^= v.x + v.y; }
    if (x == 123456) p[threadIdx.x] = x;
}
