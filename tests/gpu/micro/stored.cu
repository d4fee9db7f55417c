// Loads of what was stored: threads that walk along rows of their own, word by word or by fours.
#include <stdint.h>
#define LD(x, a) asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(a) : "memory")
#define ST(a, x) asm volatile("st.global.u32 [%0], %1;" :: "l"(a), "r"(x) : "memory")
template <int U> __device__ __forceinline__ uint32_t loads(uint32_t *q, int words, int step)
{
    uint32_t sum = 0;
    for (int k = 0; k < words; k += U) {
        uint32_t x[U];
        #pragma unroll
        for (int j = 0; j < U; ++j) LD(x[j], q + (k + j) * step);
        #pragma unroll
        for (int j = 0; j < U; ++j) sum += x[j];
    }
    return sum;
}
template <int U> __device__ __forceinline__ void stores(uint32_t *q, int words, int step, uint32_t v)
{
    for (int k = 0; k < words; k += U)
        #pragma unroll
        for (int j = 0; j < U; ++j) ST(q + (k + j) * step, v + j);
}
// Each word is loaded and stored back.
template <int U> __device__ __forceinline__ uint32_t both(uint32_t *q, int words, int step)
{
    uint32_t sum = 0;
    for (int k = 0; k < words; k += U) {
        uint32_t x[U];
        #pragma unroll
        for (int j = 0; j < U; ++j) LD(x[j], q + (k + j) * step);
        #pragma unroll
        for (int j = 0; j < U; ++j) { x[j] = x[j] * 3 + 1; ST(q + (k + j) * step, x[j]); sum += x[j]; }
    }
    return sum;
}
// The rows begin `row` words apart; their words lie `step` words apart.
#define KERNEL(name, body) extern "C" __global__ void name(uint32_t *p, int words, int row, int step, uint32_t v) \
    { uint32_t *q = p + threadIdx.x * row; uint32_t s = 0; body; if (s == 0x12345) asm volatile("trap;"); }
KERNEL(store_load1, stores<1>(q, words, step, v); s = loads<1>(q, words, step))
KERNEL(store_load4, stores<4>(q, words, step, v); s = loads<4>(q, words, step))
KERNEL(store4_load1, stores<4>(q, words, step, v); s = loads<1>(q, words, step))
KERNEL(load_store_load1, s = loads<1>(q, words, step); stores<1>(q, words, step, v); s += loads<1>(q, words, step))
KERNEL(load_store_load4, s = loads<4>(q, words, step); stores<4>(q, words, step, v); s += loads<4>(q, words, step))
KERNEL(store_both1, stores<1>(q, words, step, v); s = both<1>(q, words, step))
KERNEL(store_both4, stores<4>(q, words, step, v); s = both<4>(q, words, step))
KERNEL(load_both1, s = loads<1>(q, words, step); s += both<1>(q, words, step))
KERNEL(load_both4, s = loads<4>(q, words, step); s += both<4>(q, words, step))
KERNEL(both1, s = both<1>(q, words, step))
KERNEL(both4, s = both<4>(q, words, step))
KERNEL(store_wait_load1, stores<1>(q, words, step, v); __nanosleep(2000); s = loads<1>(q, words, step))
KERNEL(load_store_wait_load1, s = loads<1>(q, words, step); stores<1>(q, words, step, v); __nanosleep(2000); s += loads<1>(q, words, step))
