// Lines of L1 that stores of bytes and halves lose, and LDC that misses: which lines, how soon, by how many warps.
#include <stdint.h>
#define LD8(x, a) asm volatile("ld.global.u8 %0, [%1];" : "=r"(x) : "l"(a) : "memory")
#define LD16(x, a) asm volatile("{.reg .b16 t; ld.global.u16 t, [%1]; cvt.u32.u16 %0, t;}" : "=r"(x) : "l"(a) : "memory")
#define LD32(x, a) asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(a) : "memory")
#define ST8(a, x) asm volatile("st.global.u8 [%0], %1;" :: "l"(a), "r"(x) : "memory")
#define ST16(a, x) asm volatile("{.reg .b16 t; cvt.u16.u32 t, %1; st.global.u16 [%0], t;}" :: "l"(a), "r"(x) : "memory")
#define ST32(a, x) asm volatile("st.global.u32 [%0], %1;" :: "l"(a), "r"(x) : "memory")
template <int W> __device__ __forceinline__ uint32_t load(const uint8_t *a)
{
    uint32_t x;
    if (W == 1) LD8(x, a); else if (W == 2) LD16(x, a); else LD32(x, a);
    return x;
}
template <int W> __device__ __forceinline__ void store(uint8_t *a, uint32_t x)
{
    if (W == 1) ST8(a, x); else if (W == 2) ST16(a, x); else ST32(a, x);
}
__device__ __forceinline__ void end(uint32_t x) { __shared__ uint32_t wanted[1024]; *(volatile uint32_t *)(wanted + threadIdx.x) = x; }
// `n` dependent steps of arithmetic.
__device__ __forceinline__ uint32_t wait(uint32_t x, int n)
{
    for (int j = 0; j < n; ++j) asm volatile("xor.b32 %0, %0, %1;" : "+r"(x) : "r"(j));
    return x;
}

// The first `lanes` lanes of each warp store `lane` bytes apart, and load `away` bytes from there: `gap` steps after the
// store, and the next store `rest` steps after the load. `turn`: what places move by from turn to turn, in a ring of 4 KB.
template <int W, int L> __device__ __forceinline__ void after(uint8_t *p, int lanes, int lane, int away, int turn, int gap, int rest, int n)
{
    uint8_t *q = p + 4096 + (threadIdx.x >> 5) * 16384 + (threadIdx.x & 31) * lane;
    if ((threadIdx.x & 31) >= lanes) return;
    uint32_t x = 0;
    for (int k = 0; k < 64; ++k) x += load<4>(p + 4096 + (threadIdx.x >> 5) * 16384 + ((threadIdx.x & 31) + 32 * k) * 4);
    for (int k = 0; k < n; ++k) {
        uint8_t *a = q + (k * turn & 4095);
        store<W>(a, x);
        uint32_t y = wait(x, gap);
        x = wait(load<L>(a + away) + y, rest);
    }
    end(x);
}
#define AFTER(w, l) extern "C" __global__ void after_##w##_##l(uint8_t *p, int lanes, int lane, int away, int turn, int gap, int rest, int n) \
    { after<w, l>(p, lanes, lane, away, turn, gap, rest, n); }
AFTER(1, 1) AFTER(2, 2) AFTER(4, 4) AFTER(1, 4) AFTER(2, 4) AFTER(4, 1)

// `count` arrays of a thread as local memory has them (element k of lane l at 128 (k W / 4) + 4 l + k W % 4), `space`
// bytes apart. Of each turn `unit` elements: loads of all, then stores of all; order 0 an element of each array by
// turns, 1 array after array, 2 loads and stores of one element at once. Loads are `back` elements behind.
template <int W> __device__ __forceinline__ uint8_t *element(uint8_t *p, int k)
{
    return p + (k * W >> 2) * 128 + (k * W & 3);
}
template <int W, int N, int U, int ORDER> __device__ __forceinline__ void arrays(uint8_t *p, int space, int back, int gap, int n)
{
    uint8_t *q = p + (threadIdx.x >> 5) * 65536 + (threadIdx.x & 31) * 4;
    uint32_t x[N][U], sum = 0;
    for (int a = 0; a < N; ++a)
        for (int k = 0; k < n * U * W / 4; ++k) store<4>(q + a * space + 128 * k, 0);
    for (int k = back; k < n * U; k += U) {
        if (ORDER == 2) {
#pragma unroll
            for (int j = 0; j < U; ++j)
#pragma unroll
                for (int a = 0; a < N; ++a) {
                    x[a][j] = load<W>(element<W>(q + a * space, k + j - back)) + 1;
                    store<W>(element<W>(q + a * space, k + j), x[a][j]);
                    sum += x[a][j];
                }
        } else {
#pragma unroll
            for (int j = 0; j < U; ++j)
#pragma unroll
                for (int a = 0; a < N; ++a) x[a][j] = load<W>(element<W>(q + a * space, k + j - back)), sum += x[a][j];
            sum = wait(sum, gap);
            if (ORDER == 0) {
#pragma unroll
                for (int j = 0; j < U; ++j)
#pragma unroll
                    for (int a = 0; a < N; ++a) store<W>(element<W>(q + a * space, k + j), x[a][j] + sum);
            } else {
#pragma unroll
                for (int a = 0; a < N; ++a)
#pragma unroll
                    for (int j = 0; j < U; ++j) store<W>(element<W>(q + a * space, k + j), x[a][j] + sum);
            }
        }
    }
    end(sum);
}
#define ARRAYS(w, n, u, o) extern "C" __global__ void arrays_##w##_##n##_##u##_##o(uint8_t *p, int space, int back, int gap, int n_) \
    { arrays<w, n, u, o>(p, space, back, gap, n_); }
#define ALL(w, n) ARRAYS(w, n, 2, 0) ARRAYS(w, n, 2, 1) ARRAYS(w, n, 1, 0) ARRAYS(w, n, 1, 2)
ALL(1, 1) ALL(1, 2) ALL(1, 4) ALL(2, 1) ALL(2, 2) ALL(2, 3) ALL(2, 4) ALL(2, 8) ALL(4, 1) ALL(4, 2) ALL(4, 4) ALL(4, 8)

// The same two arrays in local memory, index by what was read.
template <class T> __device__ __forceinline__ void locals(const int *at, int n, int mode, int zero)
{
    T a[128], b[128];
    uint32_t sum = 0;
#pragma unroll 1
    for (int k = 0; k < 128; ++k) a[k + zero] = b[k + zero] = 0;
    if (mode == 0)
#pragma unroll 1
        for (int k = 1; k < n; ++k) {
            uint32_t x = *(volatile T *)(a + (k - 1 & 127)), y = *(volatile T *)(b + (k - 1 & 127));
            *(volatile T *)(a + (k & 127)) = x + y, *(volatile T *)(b + (k & 127)) = y + 1, sum += x;
        }
    else if (mode == 1) // exchanges by a walk of one's own: RC4's
#pragma unroll 1
        for (uint32_t k = 0, j = threadIdx.x; k < n; ++k) {
            T u = *(volatile T *)(a + (k & 127));
            j += u + 13;
            T v = *(volatile T *)(a + (j & 127));
            *(volatile T *)(a + (k & 127)) = v, *(volatile T *)(a + (j & 127)) = u;
            sum += *(volatile T *)(a + (u + v & 127));
        }
    else if (mode == 2) // counters
#pragma unroll 1
        for (uint32_t k = 0, j = threadIdx.x; k < n; ++k) j = j * 5 + 1, *(volatile T *)(a + (j >> 3 & 127)) += 1;
    else if (mode == 3) // the same element by all lanes
#pragma unroll 1
        for (uint32_t k = 0; k < n; ++k) *(volatile T *)(a + (k * 7 & 127)) += 1;
    else // moved by one: a[k] = a[k - 1], from the end
#pragma unroll 1
        for (uint32_t k = 0; k < n; ++k) *(volatile T *)(a + (127 - k & 127)) = *(volatile T *)(a + (126 - k & 127));
    end(sum + a[zero] + b[zero]);
}
extern "C" __global__ void locals_1(const int *at, int n, int mode, int zero) { locals<uint8_t>(at, n, mode, zero); }
extern "C" __global__ void locals_2(const int *at, int n, int mode, int zero) { locals<uint16_t>(at, n, mode, zero); }
extern "C" __global__ void locals_4(const int *at, int n, int mode, int zero) { locals<uint32_t>(at, n, mode, zero); }

// LDC: each warp `rows` times 32 words of 64 bits `step` words apart, `own` words from warp to warp, in turns of `size`.
__constant__ __align__(16) uint2 table[8192];
extern "C" __global__ void lookups(int step, int own, int next, int size, int n)
{
    uint32_t sum = 0;
    for (int k = 0; k < n; ++k) {
        uint2 x = table[(threadIdx.x & 31) * step + (threadIdx.x >> 5) * own + k * next + (sum & 0xF0000000) & size - 1];
        sum += x.x ^ x.y;
    }
    end(sum);
}
