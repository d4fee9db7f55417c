// Bytes: constants at other places for each lane, arrays in local memory, loads of what was just stored, packed bytes.
#include <stdint.h>
#define LD8(x, a) asm volatile("ld.global.u8 %0, [%1];" : "=r"(x) : "l"(a) : "memory")
#define LD32(x, a) asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(a) : "memory")
#define ST8(a, x) asm volatile("st.global.u8 [%0], %1;" :: "l"(a), "r"(x) : "memory")
#define ST32(a, x) asm volatile("st.global.u32 [%0], %1;" :: "l"(a), "r"(x) : "memory")
__constant__ __align__(16) uint32_t table[1024]; // all zero: an index can hang on what was read
__device__ __forceinline__ void end(uint32_t x) { __shared__ uint32_t wanted[1024]; *(volatile uint32_t *)(wanted + threadIdx.x) = x; }
// What a lane adds to an index: of `spread` lanes each another, `step` elements apart.
__device__ __forceinline__ uint32_t place(int spread, int step) { return (threadIdx.x & spread - 1) * step; }

__device__ __forceinline__ uint32_t low(uint32_t x) { return x; }
__device__ __forceinline__ uint32_t low(uint2 x) { return x.x ^ x.y; }
__device__ __forceinline__ uint32_t low(uint4 x) { return x.x ^ x.y ^ x.z ^ x.w; }
// `n` loads of constants, each of whose index hangs on the one before it (chain), or on none of the eight before it.
template <class T> __device__ __forceinline__ void constant_chain(int spread, int step, int n)
{
    const T *t = (const T *)table + place(spread, step);
    uint32_t x = 0;
#pragma unroll 4
    for (int k = 0; k < n; ++k) x = low(t[x]);
    end(x);
}
template <class T> __device__ __forceinline__ void constant_rate(int spread, int step, int n)
{
    const T *t = (const T *)table + place(spread, step);
    uint32_t sum = 0;
    for (int k = 0; k < n; k += 8) {
        T x[8];
#pragma unroll
        for (int j = 0; j < 8; ++j) x[j] = t[(sum & 0xF0000000) + 128 / sizeof(T) * j];
#pragma unroll
        for (int j = 0; j < 8; ++j) sum += low(x[j]);
    }
    end(sum);
}
#define CONSTANTS(name, T) \
    extern "C" __global__ void constant_chain_##name(int spread, int step, int n) { constant_chain<T>(spread, step, n); } \
    extern "C" __global__ void constant_rate_##name(int spread, int step, int n) { constant_rate<T>(spread, step, n); }
CONSTANTS(1, uint8_t)
CONSTANTS(2, uint16_t)
CONSTANTS(4, uint32_t)
CONSTANTS(8, uint2)
CONSTANTS(16, uint4)
// Tables of which each load takes the next row, `step` words of 64 bits a lane, in turns of `size` (a power of two).
__constant__ __align__(16) uint2 rows[4096];
extern "C" __global__ void constant_rows(int step, int size, int n)
{
    uint32_t sum = 0;
    for (int k = 0; k < n; k += 4) {
        uint2 x[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) x[j] = rows[(threadIdx.x + (k + j) * blockDim.x) * step + (sum & 0xF0000000) & size - 1];
#pragma unroll
        for (int j = 0; j < 4; ++j) sum += low(x[j]);
    }
    end(sum);
}

// An array of 256 elements in local memory, index by lane: mode 0 loads in a chain, 1 loads by eights, 2 stores, 3 a
// load of what was just stored, 4 a load and a store of one place, 5 two places exchanged.
template <class T> __device__ __forceinline__ void local_array(int spread, int step, int n, int mode, int zero)
{
    T a[256];
    const uint32_t at = place(spread, step);
#pragma unroll 1
    for (int k = 0; k < 256; ++k) a[k + zero] = zero;
    uint32_t x = 0;
    if (mode == 0)
#pragma unroll 4
        for (int k = 0; k < n; ++k) x = a[at + k + x & 255];
    else if (mode == 1)
        for (int k = 0; k < n; k += 8) {
            uint32_t y[8];
#pragma unroll
            for (int j = 0; j < 8; ++j) y[j] = *(volatile T *)(a + (at + k + j & 255));
#pragma unroll
            for (int j = 0; j < 8; ++j) x += y[j];
        }
    else if (mode == 2)
#pragma unroll 4
        for (int k = 0; k < n; ++k) *(volatile T *)(a + (at + k & 255)) = zero;
    else if (mode == 3)
#pragma unroll 4
        for (int k = 0; k < n; ++k) *(volatile T *)(a + (at + k & 255)) = x, x = *(volatile T *)(a + (at + k & 255));
    else if (mode == 4)
#pragma unroll 4
        for (int k = 0; k < n; ++k) *(volatile T *)(a + (at + k + x & 255)) += zero;
    else
#pragma unroll 2
        for (int k = 0; k < n; ++k) {
            volatile T *p = a + (at + k & 255), *q = a + (at + 7 * k + x & 255);
            T u = *p, v = *q;
            *p = v, *q = u;
            x += v;
        }
    end(x + a[at & 255]);
}
extern "C" __global__ void local_1(int spread, int step, int n, int mode, int zero) { local_array<uint8_t>(spread, step, n, mode, zero); }
extern "C" __global__ void local_2(int spread, int step, int n, int mode, int zero) { local_array<uint16_t>(spread, step, n, mode, zero); }
extern "C" __global__ void local_4(int spread, int step, int n, int mode, int zero) { local_array<uint32_t>(spread, step, n, mode, zero); }

// A row a thread, `row` bytes apart: element k is that `back` elements before it, and one. `warm`: rows are loaded first.
// `gap`: the load of the next element begins so many steps of arithmetic after the store.
template <int W> __device__ __forceinline__ void follow(uint8_t *p, int row, int back, int n, int warm, int gap)
{
    uint8_t *q = p + (blockIdx.x * blockDim.x + threadIdx.x) * row;
    uint32_t x = 0;
    if (warm) for (int k = 0; k < n; ++k) { uint32_t y; LD8(y, q + W * k); x += y; }
    for (int k = back; k < n; ++k) {
        uint32_t y;
        if (W == 1) LD8(y, q + k - back); else LD32(y, q + 4 * (k - back));
        ++y;
        for (int j = 0; j < gap; ++j) asm volatile("xor.b32 %0, %0, %1;" : "+r"(y) : "r"(x & 0));
        if (W == 1) ST8(q + k, y); else ST32(q + 4 * k, y);
        for (int j = 0; j < gap; ++j) asm volatile("xor.b32 %0, %0, %1;" : "+r"(x) : "r"(j));
    }
    end(x);
}
extern "C" __global__ void follow_1(uint8_t *p, int row, int back, int n, int warm, int gap) { follow<1>(p, row, back, n, warm, gap); }
extern "C" __global__ void follow_4(uint8_t *p, int row, int back, int n, int warm, int gap) { follow<4>(p, row, back, n, warm, gap); }

// A record of `in` bytes is loaded byte by byte (none with `load` 0), `out` bytes are stored (none with `out` 0).
template <int IN, int OUT> __device__ __forceinline__ void records(uint8_t *p, uint8_t *r, int reps)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    for (int k = 0; k < reps; ++k) {
        uint32_t x[IN + 1], sum = 0;
#pragma unroll
        for (int j = 0; j < IN; ++j) LD8(x[j], p + (i + k * all) * IN + j);
#pragma unroll
        for (int j = 0; j < IN; ++j) sum += x[j];
#pragma unroll
        for (int j = 0; j < OUT; ++j) ST8(r + (i + k * all) * OUT + j, sum + j);
        if (OUT == 0) end(sum);
    }
}
#define RECORDS(i, o) extern "C" __global__ void records_##i##_##o(uint8_t *p, uint8_t *r, int reps) { records<i, o>(p, r, reps); }
RECORDS(1, 0) RECORDS(2, 0) RECORDS(3, 0) RECORDS(4, 0) RECORDS(8, 0)
RECORDS(0, 1) RECORDS(0, 2) RECORDS(0, 3) RECORDS(0, 4) RECORDS(0, 8)
RECORDS(1, 1) RECORDS(1, 2) RECORDS(3, 1) RECORDS(1, 4) RECORDS(3, 4) RECORDS(4, 3) RECORDS(5, 8)

// Each thread walks along its row of bytes, `row` apart: one load a turn, each awaited (chain), or four at a time.
extern "C" __global__ void row_chain(const uint8_t *p, int row, int n)
{
    const uint8_t *q = p + (blockIdx.x * blockDim.x + threadIdx.x) * row;
    uint32_t x = 0;
    for (int k = 0; k < n; ++k) { uint32_t y; LD8(y, q + k + x); x = y; }
    end(x);
}
extern "C" __global__ void row_four(const uint8_t *p, int row, int n)
{
    const uint8_t *q = p + (blockIdx.x * blockDim.x + threadIdx.x) * row;
    uint32_t x = 0;
    for (int k = 0; k < n; k += 4) {
        uint32_t y[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) LD8(y[j], q + k + j);
#pragma unroll
        for (int j = 0; j < 4; ++j) x += y[j];
    }
    end(x);
}
// Rows of bytes stored, one a turn, `gap` steps of arithmetic apart.
extern "C" __global__ void row_store(uint8_t *p, int row, int n, int gap)
{
    uint8_t *q = p + (blockIdx.x * blockDim.x + threadIdx.x) * row;
    uint32_t x = 1;
    for (int k = 0; k < n; ++k) {
        ST8(q + k, x);
        for (int j = 0; j < gap; ++j) asm volatile("xor.b32 %0, %0, %1;" : "+r"(x) : "r"(j));
    }
}

// Lane l loads and stores in turn k what lies `lane` l + `turn` k bytes on, in a ring of `ring` bytes (a power of two).
template <int W> __device__ __forceinline__ void again(uint8_t *p, int lane, int turn, int ring, int n)
{
    uint8_t *q = p + (threadIdx.x >> 5) * ring;
    for (int k = 0; k < n; ++k) {
        uint8_t *a = q + ((threadIdx.x & 31) * lane + k * turn & ring - 1);
        uint32_t x;
        if (W == 1) LD8(x, a); else LD32(x, a);
        ++x;
        if (W == 1) ST8(a, x); else ST32(a, x);
    }
}
extern "C" __global__ void again_1(uint8_t *p, int lane, int turn, int ring, int n) { again<1>(p, lane, turn, ring, n); }
extern "C" __global__ void again_4(uint8_t *p, int lane, int turn, int ring, int n) { again<4>(p, lane, turn, ring, n); }
