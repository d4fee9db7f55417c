// Which lines of L1 a row of stores loses: one warp stores, waits, and then notes what a load of each line takes.
#include <stdint.h>
static __device__ __forceinline__ uint32_t now() { uint32_t t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
template <int W> static __device__ __forceinline__ void store(uint8_t *a, uint32_t x)
{
    if (W == 1) asm volatile("st.global.u8 [%0], %1;" :: "l"(a), "r"(x) : "memory");
    else if (W == 2) asm volatile("{.reg .b16 t; cvt.u16.u32 t, %1; st.global.u16 [%0], t;}" :: "l"(a), "r"(x) : "memory");
    else asm volatile("st.global.u32 [%0], %1;" :: "l"(a), "r"(x) : "memory");
}
static __device__ __forceinline__ uint32_t load(const uint8_t *a)
{
    uint32_t x;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(a) : "memory");
    return x;
}
// N stores by lanes `lane` bytes apart, four bits of `ops` each (the first lowest): of one of eight arrays `space` apart
// the line 2, the first or (bit 3) the second element of each word. G: steps of arithmetic between them. `prepare`: 0
// lines are stored to by words before, 1 loaded, 2 left alone, 3 stored by halves, 4 loaded and stored by words. Lines 0
// to 7 of each array are looked at afterwards.
template <int W, int N, int G> __device__ __forceinline__ void lost(uint8_t *p, int lane, int space, uint64_t ops, int prepare, uint32_t *out)
{
    __shared__ uint64_t places[N][32];
    uint8_t *q = p + threadIdx.x * 4, *a[N];
    uint32_t x = 0;
    for (int k = 0; k < 64; ++k) {
        uint8_t *at = q + (k >> 3) * space + (k & 7) * 128;
        if (prepare == 1 || prepare == 4) x += load(at);
        if (prepare == 0 || prepare == 4) store<4>(at, 0);
        if (prepare == 3) store<2>(at, 0), store<2>(at + 2, 0);
    }
    for (int j = 0; j < N; ++j) {
        const int op = ops >> 4 * j & 15;
        places[j][threadIdx.x] = (uint64_t)(p + threadIdx.x * lane + (op & 7) * space + 256 + (op >> 3) * (W & 3));
    }
    __nanosleep(3000);
#pragma unroll
    for (int j = 0; j < N; ++j) a[j] = (uint8_t *)*(volatile uint64_t *)&places[j][threadIdx.x];
    x = (x == 0x12345);
    __nanosleep(100);
#pragma unroll
    for (int j = 0; j < N; ++j) {
        store<W>(a[j], x);
#pragma unroll
        for (int g = 0; g < G; ++g) asm volatile("xor.b32 %0, %0, 1;" : "+r"(x));
    }
    __nanosleep(3000);
    for (int k = 0; k < 64; ++k) {
        uint8_t *at = q + (k >> 3) * space + (k & 7) * 128 + (x & 0x10000);
        uint32_t begin = now();
        x = load(at);
        if (x == 0x12345) asm volatile("trap;");
        if (threadIdx.x == 0) out[k] = now() - begin;
    }
}
#define LOST(w, n, g) extern "C" __global__ void lost_##w##_##n##_##g(uint8_t *p, int lane, int space, uint64_t ops, int prepare, uint32_t *out) \
    { lost<w, n, g>(p, lane, space, ops, prepare, out); }
#define WIDTHS(n) LOST(1, n, 0) LOST(2, n, 0) LOST(4, n, 0) LOST(2, n, 2) LOST(2, n, 4) LOST(2, n, 8)
WIDTHS(1) WIDTHS(2) WIDTHS(3) WIDTHS(4) WIDTHS(5) WIDTHS(6) WIDTHS(7) WIDTHS(8) WIDTHS(16)
