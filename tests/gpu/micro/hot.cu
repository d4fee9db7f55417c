// Reductions to a few places by all threads: which places, in what order.
#include <stdint.h>
template <class T> __device__ __forceinline__ void red(T *at, T v);
template <> __device__ __forceinline__ void red(float *at, float v) { asm volatile("red.global.add.f32 [%0], %1;" ::"l"(at), "f"(v) : "memory"); }
template <> __device__ __forceinline__ void red(int *at, int v) { asm volatile("red.global.add.s32 [%0], %1;" ::"l"(at), "r"(v) : "memory"); }
template <> __device__ __forceinline__ void red(double *at, double v) { asm volatile("red.global.add.f64 [%0], %1;" ::"l"(at), "d"(v) : "memory"); }
template <> __device__ __forceinline__ void red(unsigned long long *at, unsigned long long v) { asm volatile("red.global.add.u64 [%0], %1;" ::"l"(at), "l"(v) : "memory"); }
template <> __device__ __forceinline__ void red(unsigned *at, unsigned v) { asm volatile("red.global.max.u32 [%0], %1;" ::"l"(at), "r"(v) : "memory"); }
// n rounds through k places (bytes, in `places`), warp w from place `turn` * w on; lane l `spread` * (l % ways) bytes farther; lanes from `lanes` on do nothing.
template <class T> __device__ __forceinline__ void hot(char *p, const int *places, int k, int n, int turn, int spread, int ways, int lanes)
{
    int w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, l = threadIdx.x & 31, j = turn * w % k;
    p += spread * (l % ways);
    if (l >= lanes) return;
    int a[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) a[i] = places[(j + i) % k];
    for (int r = 0; r < n; r += 16)
#pragma unroll
        for (int i = 0; i < 16; ++i) red((T *)(p + a[i]), (T)0);
}
#define HOT(name, T) extern "C" __global__ void hot_##name(char *p, const int *places, int k, int n, int turn, int spread, int ways, int lanes) { hot<T>(p, places, k, n, turn, spread, ways, lanes); }
HOT(f32, float) HOT(s32, int) HOT(f64, double) HOT(u64, unsigned long long) HOT(max, unsigned)
