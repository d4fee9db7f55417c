// Reductions and atomics by all threads, place after place: what lanes name and what comes next, as gathers turned round
// (adjoints), particles and histograms have them.
#include <stdint.h>
__device__ __forceinline__ uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16; return x; }
template <class T> __device__ __forceinline__ void red(T *at, T v);
template <> __device__ __forceinline__ void red(float *at, float v) { asm volatile("red.global.add.f32 [%0], %1;" ::"l"(at), "f"(v) : "memory"); }
template <> __device__ __forceinline__ void red(int *at, int v) { asm volatile("red.global.add.s32 [%0], %1;" ::"l"(at), "r"(v) : "memory"); }
// Where thread i begins: `lane` words from thread to thread; if mixed is 1, each thread anywhere, if 2, each warp.
__device__ __forceinline__ uint32_t begin(int lane, uint32_t mask, int mixed)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (mixed == 1) return mix(i) * 2 & mask;
    if (mixed == 2) return (mix(i >> 5) * 32 + (i & 31) * lane) & mask;
    return i * lane & mask;
}
// n times `pair` words side by side, one after the other; the next ones `next` words on; `pause` dependent steps before each.
template <class T> __device__ __forceinline__ void adds(T *p, int lane, int next, int n, int pair, uint32_t mask, int mixed, int pause)
{
    uint32_t at = begin(lane, mask, mixed), wait = 0;
    for (int k = 0; k < n; ++k) {
        for (int j = 0; j < pause; ++j) asm volatile("xor.b32 %0, %0, %1;" : "+r"(wait) : "r"(j));
        red(p + at, (T)wait);
        if (pair > 1) red(p + at + 1, (T)wait);
        at = at + next & mask;
    }
}
extern "C" __global__ void adds_f32(float *p, int lane, int next, int n, int pair, uint32_t mask, int mixed, int pause) { adds(p, lane, next, n, pair, mask, mixed, pause); }
extern "C" __global__ void adds_s32(int *p, int lane, int next, int n, int pair, uint32_t mask, int mixed, int pause) { adds(p, lane, next, n, pair, mask, mixed, pause); }
// The same with answers.
extern "C" __global__ void asks_f32(float *p, int lane, int next, int n, int pair, uint32_t mask, int mixed, int pause)
{
    uint32_t at = begin(lane, mask, mixed);
    float x = 1;
    for (int k = 0; k < n; ++k) {
        x += atomicAdd(p + at, 1.0f) * 0;
        if (pair > 1) x += atomicAdd(p + at + 1, 1.0f) * 0;
        at = at + next & mask;
    }
    if (x == 12345) p[0] = x;
}
// A ray through an image of `width` by `width` pairs of words for each block row: places around each of its points.
extern "C" __global__ void rays(float *p, int width, int m, float step)
{
    int tx = blockIdx.x * blockDim.x + threadIdx.x, ty = blockIdx.y * blockDim.y + threadIdx.y;
    float s, c;
    sincosf(ty * step, &s, &c);
    float t = (tx - gridDim.x * blockDim.x / 2) * 0.9f, x = t * c + width / 2, y = t * s + width / 2;
    for (int i = -m; i <= m; ++i)
        for (int j = -m; j <= m; ++j) {
            int a = (int)floorf(x) + j, b = (int)floorf(y) + i;
            float u = a - x, v = b - y, w = __expf(-0.5f * (u * u + v * v));
            a &= width - 1, b &= width - 1;
            red(p + 2 * (b * width + a), w);
            red(p + 2 * (b * width + a) + 1, w * 0.5f);
        }
}
