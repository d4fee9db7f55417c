// Stores of bytes, halves and words to packed records, and stores of all threads of a grid to the same words.
#include <stdint.h>
template <int W> static __device__ __forceinline__ void put(char *a, uint32_t v)
{
    if (W == 1) asm volatile("st.global.u8 [%0], %1;" :: "l"(a), "r"(v) : "memory");
    if (W == 2) asm volatile("st.global.u16 [%0], %1;" :: "l"(a), "h"((uint16_t)v) : "memory");
    if (W == 4) asm volatile("st.global.u32 [%0], %1;" :: "l"(a), "r"(v) : "memory");
    if (W == 8) asm volatile("st.global.v2.u32 [%0], {%1, %1};" :: "l"(a), "r"(v) : "memory");
}
// Every thread stores `pieces` pieces of W bytes, `step` bytes apart, to its record of `stride` bytes; then to the record `apart` bytes
// farther, `reps` times; of each warp the first `active` lanes.
template <int W> static __device__ __forceinline__ void records(char *p, int stride, int pieces, int step, int reps, int apart, int active)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if ((threadIdx.x & 31) >= active) return;
    char *a = p + (long long)i * stride;
    for (int r = 0; r < reps; ++r, a += apart)
        for (int k = 0; k < pieces; ++k) put<W>(a + k * step, k);
}
extern "C" {
__global__ void packed_1(char *p, int a, int b, int c, int d, int e, int f) { records<1>(p, a, b, c, d, e, f); }
__global__ void packed_2(char *p, int a, int b, int c, int d, int e, int f) { records<2>(p, a, b, c, d, e, f); }
__global__ void packed_4(char *p, int a, int b, int c, int d, int e, int f) { records<4>(p, a, b, c, d, e, f); }
__global__ void packed_8(char *p, int a, int b, int c, int d, int e, int f) { records<8>(p, a, b, c, d, e, f); }

// Records of three words and `bytes` bytes behind them, as points with a colour are; `first`: what was loaded is waited for.
__global__ void points(char *p, const float *q, int bytes, int first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = first ? q[i] : i;
    char *a = p + (long long)i * 16;
    for (int k = 0; k < 3; ++k) put<4>(a + 4 * k, __float_as_int(v) + k);
    for (int k = 0; k < bytes; ++k) put<1>(a + 12 + k, k);
}
// All threads (who 0), the first lane of each warp (1) or the first thread of each block (2) store to n words, `gap` bytes apart; with
// `own`, each lane has a word of its own behind the first.
__global__ void spots(char *p, int n, int gap, int who, int own)
{
    if (who == 1 && (threadIdx.x & 31)) return;
    if (who == 2 && threadIdx.x) return;
    char *a = p + (own ? (threadIdx.x & 31) * 4 : 0);
    for (int k = 0; k < n; ++k) put<4>(a + k * gap, k);
}
}
