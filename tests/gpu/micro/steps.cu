// One block whose threads exchange words of global memory between barriers; trees in local memory; rows of results stored
// word by word; a filter slid over an image.
#include <stdint.h>
#define LD(x, a) asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(a) : "memory")
#define ST(a, x) asm volatile("st.global.u32 [%0], %1;" :: "l"(a), "r"(x) : "memory")
// Steps of a bitonic sort of n words; t: the clock after each step.
extern "C" __global__ void sort_words(uint32_t *q, int n, uint32_t *t)
{
    int count = 0;
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            for (int i = threadIdx.x; i < n; i += blockDim.x) {
                int o = i ^ j;
                if (o > i) {
                    uint32_t a, b;
                    LD(a, q + i);
                    LD(b, q + o);
                    if ((a > b) == ((i & k) == 0)) {
                        ST(q + i, b);
                        ST(q + o, a);
                    }
                }
            }
            __syncthreads();
            if (threadIdx.x == 0) t[count] = clock();
            ++count;
        }
}
// n times: each thread loads its word and (mode 1, 3) that of thread ^ j, barrier, stores, barrier. mode 2, 3: no second barrier; 4: stores
// alone; 5: loads alone; 6: only every second pair of threads stores; 7: stores to the other's word.
extern "C" __global__ void exchange(uint32_t *q, int j, int n, int mode, uint32_t *t)
{
    int i = threadIdx.x, o = i ^ j;
    uint32_t a = 0, b = 0;
    LD(a, q + i);
    for (int k = 0; k < n; ++k) {
        if (mode != 4) { LD(a, q + i); }
        if (mode == 1 || mode == 3 || mode == 6 || mode == 7) { LD(b, q + o); }
        if (mode != 2 && mode != 3) __syncthreads();
        if (mode != 5 && (mode != 6 || i & 2)) { ST(q + (mode == 7 ? o : i), a + b + 1); }
        __syncthreads();
        if (threadIdx.x == 0) t[k & 63] = clock();
    }
    if (a == 0x12345) asm volatile("trap;");
}
// Binary indexed trees of n words a thread in local memory: `adds` counts at mixed places, and a sum for each.
extern "C" __global__ void trees(uint32_t *q, int n, int adds, int all)
{
    uint32_t tree[512];
    for (int k = 0; k <= n; ++k) tree[k] = 0;
    uint32_t x = all ? 7 : blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int k = 0; k < adds; ++k) {
        x = x * 1664525u + 1013904223u;
        int at = (x >> 12) % n + 1;
        for (int i = at - 1; i > 0; i &= i - 1) sum += tree[i];
        for (int i = at; i <= n; i += i & -i) tree[i] += 1;
    }
    q[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// Each thread stores `words` words of a row of its own, `row` words from thread to thread, four or one after a little arithmetic.
extern "C" __global__ void results(float *q, const float *p, int words, int row)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = p[i], y = x * x;
    float *at = q + (long long)i * row;
    for (int k = 0; k < words; k += 8) {
#pragma unroll
        for (int j = 0; j < 8; ++j) { at[k + j] = x; x = x * y + j; }
        asm volatile("" ::: "memory");
    }
}
// A filter of `size` by `size` words slid over an image; `edges`: what is outside is passed over.
extern "C" __global__ void slide(const float *p, const float *f, float *q, int width, int height, int size, int edges)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j) {
            int u = x + j - size / 2, v = y + i - size / 2;
            if (edges ? u >= 0 && u < width && v >= 0 && v < height : 1) {
                if (!edges) u += size, v += size;
                sum += p[v * (edges ? width : width + 2 * size) + u] * f[i * size + j];
            }
        }
    q[y * width + x] = sum;
}
// Lanes of a warp at rows of their own, 32 words each, `group` lanes in a row: n times, `next` rows on each time. mode 0 loads in a chain, 1 stores,
// 2 words changed in place, 3 stores and then loads two rows on, 4 the same with the load waited for. In local memory or laid out as it is.
template <class F> __device__ __forceinline__ uint32_t scattered(F at, int group, int next, int n, int mode, uint32_t *t)
{
    uint32_t row = (threadIdx.x & 31) / group * 5, x = 0;
    for (int turn = 0; turn < 2; ++turn) {
        uint32_t begin = clock();
#pragma unroll 1
        for (int k = 0; k < n; ++k) {
            uint32_t r = row + k * next & 127;
            if (mode == 0) x += *at(r + (x & 0x80000000));
            else if (mode == 1) *at(r) = k;
            else if (mode == 2) *at(r) = *at(r) + k;
            else { *at(r) = k; x += *at(r + 2 & 127); if (mode == 4) x &= 0x7fffffff, row += x >> 31; }
        }
        if ((threadIdx.x & 31) == 0) t[2 * (threadIdx.x >> 5) + turn] = clock() - begin + (x >> 31);
    }
    return x;
}
extern "C" __global__ void scattered_local(uint32_t *q, int group, int next, int n, int mode, uint32_t *t)
{
    volatile uint32_t a[128];
    for (int k = 0; k < 128; ++k) a[k] = 0;
    uint32_t x = scattered([&](uint32_t r) { return a + r; }, group, next, n, mode, t);
    if (x == 0x12345) q[0] = x;
}
extern "C" __global__ void scattered_global(uint32_t *q, int group, int next, int n, int mode, uint32_t *t)
{
    volatile uint32_t *a = q + (threadIdx.x >> 5) * 4096 + (threadIdx.x & 31);
    for (int k = 0; k < 128; ++k) a[32 * k] = 0;
    uint32_t x = scattered([&](uint32_t r) { return a + 32 * r; }, group, next, n, mode, t);
    if (x == 0x12345) q[0] = x;
}
