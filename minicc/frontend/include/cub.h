// cub's collectives over warps and blocks. The device-wide algorithms are host code and not here.
#pragma once
#include <cccl.h>
namespace cub {
enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};
enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };
struct NullType {};
// A key's bits, so that they sort as unsigned numbers do.
template <int N> struct __bits_of;
template <> struct __bits_of<1> { typedef unsigned char type; };
template <> struct __bits_of<2> { typedef unsigned short type; };
template <> struct __bits_of<4> { typedef unsigned type; };
template <> struct __bits_of<8> { typedef unsigned long long type; };
template <typename T> struct Traits {
    typedef typename __bits_of<sizeof(T)>::type UnsignedBits;
    static constexpr UnsignedBits HIGH_BIT = UnsignedBits(UnsignedBits(1) << (sizeof(T) * 8 - 1));
    __host__ __device__ static UnsignedBits TwiddleIn(UnsignedBits key) {
        if constexpr (std::is_unsigned<T>::value) return key;
        else if constexpr (std::is_integral<T>::value) return key ^ HIGH_BIT;
        else return key ^ (key & HIGH_BIT ? UnsignedBits(-1) : HIGH_BIT);
    }
    __host__ __device__ static UnsignedBits TwiddleOut(UnsignedBits key) {
        if constexpr (std::is_unsigned<T>::value) return key;
        else if constexpr (std::is_integral<T>::value) return key ^ HIGH_BIT;
        else return key ^ (key & HIGH_BIT ? HIGH_BIT : UnsignedBits(-1));
    }
};

struct Sum {
    template <typename T> __host__ __device__ T operator()(const T &a, const T &b) const { return a + b; }
};
struct Max {
    template <typename T> __host__ __device__ T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
struct Min {
    template <typename T> __host__ __device__ T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
struct Equality {
    template <typename T> __host__ __device__ bool operator()(const T &a, const T &b) const { return a == b; }
};
struct Inequality {
    template <typename T> __host__ __device__ bool operator()(const T &a, const T &b) const { return !(a == b); }
};
template <typename K, typename V> struct KeyValuePair {
    typedef K Key;
    typedef V Value;
    K key;
    V value;
    __host__ __device__ KeyValuePair() {}
    __host__ __device__ KeyValuePair(const K &k, const V &v) : key(k), value(v) {}
    __host__ __device__ bool operator!=(const KeyValuePair &o) const { return key != o.key || value != o.value; }
};
struct ArgMax {
    template <typename T, typename I> __host__ __device__ KeyValuePair<I, T> operator()(const KeyValuePair<I, T> &a, const KeyValuePair<I, T> &b) const {
        return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
struct ArgMin {
    template <typename T, typename I> __host__ __device__ KeyValuePair<I, T> operator()(const KeyValuePair<I, T> &a, const KeyValuePair<I, T> &b) const {
        return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};

// A value of any size from another lane, word by word: `word` brings one.
template <typename T, typename F> __device__ __forceinline__ T __words(const T &value, F word) {
    if constexpr (sizeof(T) == 4 && __is_trivially_copyable(T)) {
        T out;
        *reinterpret_cast<unsigned *>(&out) = word(*reinterpret_cast<const unsigned *>(&value));
        return out;
    } else {
        constexpr int words = (sizeof(T) + 3) / 4;
        union Words {
            unsigned word[words];
            char bytes[sizeof(T)];
        } in, out;
        in.word[words - 1] = 0;
        for (int i = 0; i < (int)sizeof(T); ++i) in.bytes[i] = reinterpret_cast<const char *>(&value)[i];
        for (int i = 0; i < words; ++i) out.word[i] = word(in.word[i]);
        T made = value;
        for (int i = 0; i < (int)sizeof(T); ++i) reinterpret_cast<char *>(&made)[i] = out.bytes[i];
        return made;
    }
}
template <typename T> __device__ __forceinline__ T __from_lane(const T &value, int lane, unsigned mask) {
    return __words(value, [=](unsigned word) { return __shfl_sync(mask, word, lane); });
}
template <typename T> __device__ __forceinline__ T __from_above(const T &value, int offset, unsigned mask, int width) {
    return __words(value, [=](unsigned word) { return __shfl_down_sync(mask, word, offset, width); });
}
// All lanes of a warp, or of each part of it, for the first one: what others are left with is no result.
template <int WIDTH, typename T, typename Op> __device__ __forceinline__ T __reduced(T input, Op op, unsigned mask) {
    #pragma unroll
    for (int offset = 1; offset < WIDTH; offset *= 2) {
        T above = __from_above(input, offset, mask, WIDTH);  // An operator may take references.
        input = op(input, above);
    }
    return input;
}
__device__ __forceinline__ int __lane() {
    int lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
template <int WIDTH, typename T> __device__ __forceinline__ T ShuffleIndex(T value, int lane, unsigned mask) {
    return __from_lane(value, lane % WIDTH + __lane() / WIDTH * WIDTH, mask);
}
__device__ __forceinline__ int RowMajorTid(int x, int y, int z) { return (threadIdx.z * y + threadIdx.y) * x + threadIdx.x; }
template <int WIDTH> __host__ __device__ constexpr unsigned WarpMask(unsigned warp) {
    unsigned mask = WIDTH == 32 ? ~0u : (1u << WIDTH % 32) - 1;
    return (WIDTH & (WIDTH - 1)) == 0 ? mask << warp * WIDTH % 32 : mask;
}
template <int WIDTH, typename T> __device__ __forceinline__ T ShuffleUp(T value, int distance, int first, unsigned mask) {
    int from = __lane() % WIDTH - distance;
    return __from_lane(value, from < first ? __lane() : __lane() - distance, mask);
}
template <int WIDTH, typename T> __device__ __forceinline__ T ShuffleDown(T value, int distance, int last, unsigned mask) {
    int from = __lane() % WIDTH + distance;
    return __from_lane(value, from > last ? __lane() : __lane() + distance, mask);
}

template <typename T, int WIDTH = 32> class WarpReduce {
    unsigned lane_, first_, mask_;

public:
    typedef NullType TempStorage;
    __device__ __forceinline__ WarpReduce(TempStorage &) {
        unsigned lane = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z) & 31;
        lane_ = lane % WIDTH;
        first_ = lane - lane_;
        mask_ = WIDTH == 32 ? 0xffffffffu : ((1u << (WIDTH & 31)) - 1) << first_;
    }
    template <typename Op> __device__ __forceinline__ T Reduce(T input, Op op) {
        if constexpr ((WIDTH & (WIDTH - 1)) == 0) return __reduced<WIDTH>(input, op, mask_);
        else return Reduce(input, op, WIDTH);
    }
    template <typename Op> __device__ __forceinline__ T Reduce(T input, Op op, int valid) {
        #pragma unroll
        for (int offset = 1; offset < WIDTH; offset *= 2) {
            T other = __from_lane(input, first_ + (lane_ + offset < WIDTH ? lane_ + offset : lane_), mask_);
            if (lane_ + offset < valid) input = op(input, other);
        }
        return input;
    }
    __device__ __forceinline__ T Sum(T input) { return Reduce(input, cub::Sum()); }
    __device__ __forceinline__ T Sum(T input, int valid) { return Reduce(input, cub::Sum(), valid); }
    __device__ __forceinline__ T Max(T input) { return Reduce(input, cub::Max()); }
    __device__ __forceinline__ T Min(T input) { return Reduce(input, cub::Min()); }
    template <int N, typename Op> __device__ __forceinline__ T Reduce(const T (&input)[N], Op op) {
        T partial = input[0];
        #pragma unroll
        for (int i = 1; i < N; ++i) partial = op(partial, input[i]);
        return Reduce(partial, op);
    }
    template <int N> __device__ __forceinline__ T Sum(const T (&input)[N]) { return Reduce(input, cub::Sum()); }
    // To the next flagged lane, which begins a segment (heads) or ends this one (tails).
    template <typename Op> __device__ __forceinline__ T segmented(T input, Op op, unsigned ends) {
        ends = (ends & mask_) >> first_ | 1u << (WIDTH - 1);
        unsigned last = __ffs(ends >> lane_) - 1 + lane_;
        #pragma unroll
        for (int offset = 1; offset < WIDTH; offset *= 2) {
            T other = __from_lane(input, first_ + (lane_ + offset <= last ? lane_ + offset : lane_), mask_);
            if (lane_ + offset <= last) input = op(input, other);
        }
        return input;
    }
    template <typename F, typename Op> __device__ __forceinline__ T HeadSegmentedReduce(T input, F head, Op op) { return segmented(input, op, (__ballot_sync(mask_, head) & mask_) >> 1); }
    template <typename F, typename Op> __device__ __forceinline__ T TailSegmentedReduce(T input, F tail, Op op) { return segmented(input, op, __ballot_sync(mask_, tail)); }
    template <typename F> __device__ __forceinline__ T HeadSegmentedSum(T input, F head) { return HeadSegmentedReduce(input, head, cub::Sum()); }
    template <typename F> __device__ __forceinline__ T TailSegmentedSum(T input, F tail) { return TailSegmentedReduce(input, tail, cub::Sum()); }
};

template <typename T, int WIDTH = 32> class WarpScan {
    unsigned lane_, first_, mask_;

public:
    typedef NullType TempStorage;
    __device__ __forceinline__ WarpScan(TempStorage &) {
        unsigned lane = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z) & 31;
        lane_ = lane % WIDTH;
        first_ = lane - lane_;
        mask_ = WIDTH == 32 ? 0xffffffffu : ((1u << (WIDTH & 31)) - 1) << first_;
    }
    template <typename Op> __device__ __forceinline__ void InclusiveScan(T input, T &output, Op op) {
        T value = input;
        #pragma unroll
        for (unsigned offset = 1; offset < WIDTH; offset *= 2) {
            T other = __from_lane(value, first_ + (lane_ >= offset ? lane_ - offset : lane_), mask_);
            if (lane_ >= offset) value = op(other, value);
        }
        output = value;
    }
    template <typename Op> __device__ __forceinline__ void InclusiveScan(T input, T &output, Op op, T &aggregate) {
        InclusiveScan(input, output, op);
        aggregate = __from_lane(output, first_ + WIDTH - 1, mask_);
    }
    template <typename Op> __device__ __forceinline__ void ExclusiveScan(T input, T &output, T initial, Op op) {
        T inclusive;
        InclusiveScan(input, inclusive, op);
        T before = __from_lane(inclusive, first_ + (lane_ ? lane_ - 1 : 0), mask_);
        output = lane_ ? op(initial, before) : initial;
    }
    template <typename Op> __device__ __forceinline__ void ExclusiveScan(T input, T &output, T initial, Op op, T &aggregate) {
        T inclusive;
        InclusiveScan(input, inclusive, op);
        T before = __from_lane(inclusive, first_ + (lane_ ? lane_ - 1 : 0), mask_);
        output = lane_ ? op(initial, before) : initial;
        aggregate = __from_lane(inclusive, first_ + WIDTH - 1, mask_);
    }
    // Without an initial value the first lane's output means nothing.
    template <typename Op> __device__ __forceinline__ void ExclusiveScan(T input, T &output, Op op) {
        T inclusive;
        Scan(input, inclusive, output, op);
    }
    template <typename Op> __device__ __forceinline__ void ExclusiveScan(T input, T &output, Op op, T &aggregate) {
        T inclusive;
        Scan(input, inclusive, output, op);
        aggregate = __from_lane(inclusive, first_ + WIDTH - 1, mask_);
    }
    template <typename Op> __device__ __forceinline__ void Scan(T input, T &inclusive, T &exclusive, Op op) {
        T all;
        InclusiveScan(input, all, op);
        exclusive = __from_lane(all, first_ + (lane_ ? lane_ - 1 : 0), mask_);
        inclusive = all;
    }
    template <typename Op> __device__ __forceinline__ void Scan(T input, T &inclusive, T &exclusive, T initial, Op op) {
        T all, before;
        InclusiveScan(input, all, op);
        before = __from_lane(all, first_ + (lane_ ? lane_ - 1 : 0), mask_);
        exclusive = lane_ ? op(initial, before) : initial;
        inclusive = op(initial, all);
    }
    __device__ __forceinline__ void InclusiveSum(T input, T &output) { InclusiveScan(input, output, cub::Sum()); }
    __device__ __forceinline__ void InclusiveSum(T input, T &output, T &aggregate) { InclusiveScan(input, output, cub::Sum(), aggregate); }
    __device__ __forceinline__ void ExclusiveSum(T input, T &output) { ExclusiveScan(input, output, T(), cub::Sum()); }
    __device__ __forceinline__ void ExclusiveSum(T input, T &output, T &aggregate) { ExclusiveScan(input, output, T(), cub::Sum(), aggregate); }
    __device__ __forceinline__ T Broadcast(T input, unsigned lane) { return __from_lane(input, first_ + lane, mask_); }
};

template <int X, int Y, int Z> struct __block {
    static constexpr int threads = X * Y * Z, warps = (threads + 31) / 32;
    static __device__ __forceinline__ int thread() {
        return Y == 1 && Z == 1 ? threadIdx.x : threadIdx.x + X * (threadIdx.y + Y * threadIdx.z);
    }
};

template <typename T, int X, BlockReduceAlgorithm A = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int ARCH = 0> class BlockReduce {
    typedef __block<X, Y, Z> block;

public:
    struct TempStorage {
        alignas(alignof(T)) char bytes[sizeof(T) * block::warps];
        __device__ __forceinline__ T &at(int i) { return reinterpret_cast<T *>(bytes)[i]; }
    };

private:
    TempStorage &storage_;
    static __device__ __forceinline__ TempStorage &own() {
        __shared__ TempStorage storage;
        return storage;
    }
    // Of the warps' results the block's, in thread 0.
    template <typename Op> __device__ __forceinline__ T across(T input, Op op, int valid) {
        if (block::warps > 1) {
            int thread = block::thread();
            if ((thread & 31) == 0) storage_.at(thread >> 5) = input;
            __syncthreads();
            if (thread == 0) {
                #pragma unroll
                for (int w = 1; w < block::warps; ++w)
                    if (w * 32 < valid) input = op(input, storage_.at(w));
            }
        }
        return input;
    }

public:
    __device__ __forceinline__ BlockReduce() : storage_(own()) {}
    __device__ __forceinline__ BlockReduce(TempStorage &storage) : storage_(storage) {}
    template <typename Op> __device__ __forceinline__ T Reduce(T input, Op op) {
        if constexpr (block::threads % 32 == 0) return across(__reduced<32>(input, op, 0xffffffffu), op, block::threads);
        else return Reduce(input, op, block::threads);
    }
    template <typename Op> __device__ __forceinline__ T Reduce(T input, Op op, int valid) {
        int thread = block::thread(), lane = thread & 31, warp = thread >> 5, start = warp * 32;
        int here = valid - start < 32 ? valid - start : 32;
        int width = block::threads - start < 32 ? block::threads - start : 32;
        unsigned mask = width == 32 ? 0xffffffffu : (1u << width) - 1;
        #pragma unroll
        for (int offset = 1; offset < 32; offset *= 2) {
            T other = __from_lane(input, lane + offset < width ? lane + offset : lane, mask);
            if (lane + offset < here) input = op(input, other);
        }
        return across(input, op, valid);
    }
    template <int N, typename Op> __device__ __forceinline__ T Reduce(T (&input)[N], Op op) {
        T partial = input[0];
        #pragma unroll
        for (int i = 1; i < N; ++i) partial = op(partial, input[i]);
        return Reduce(partial, op);
    }
    __device__ __forceinline__ T Sum(T input) { return Reduce(input, cub::Sum()); }
    __device__ __forceinline__ T Sum(T input, int valid) { return Reduce(input, cub::Sum(), valid); }
    template <int N> __device__ __forceinline__ T Sum(T (&input)[N]) { return Reduce(input, cub::Sum()); }
};

template <typename T, int X, BlockScanAlgorithm A = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int ARCH = 0> class BlockScan {
    typedef __block<X, Y, Z> block;

public:
    struct TempStorage {
        alignas(alignof(T)) char bytes[sizeof(T) * (block::warps + 1)];
        __device__ __forceinline__ T &at(int i) { return reinterpret_cast<T *>(bytes)[i]; }
    };

private:
    TempStorage &storage_;
    static __device__ __forceinline__ TempStorage &own() {
        __shared__ TempStorage storage;
        return storage;
    }
    // What comes before this thread (none for the first), and all.
    template <typename Op> __device__ __forceinline__ T scan(T input, Op op, T &before, T &aggregate) {
        int thread = block::thread(), lane = thread & 31, warp = thread >> 5, start = warp * 32;
        int width = block::threads - start < 32 ? block::threads - start : 32;
        unsigned mask = width == 32 ? 0xffffffffu : (1u << width) - 1;
        T value = input;
        #pragma unroll
        for (int offset = 1; offset < 32; offset *= 2) {
            T other = __from_lane(value, lane >= offset ? lane - offset : lane, mask);
            if (lane >= offset) value = op(other, value);
        }
        before = __from_lane(value, lane ? lane - 1 : 0, mask);
        if (lane == width - 1) storage_.at(warp) = value;
        __syncthreads();
        T prefix = storage_.at(0), total = prefix;
        #pragma unroll
        for (int w = 1; w < block::warps; ++w) {
            if (w == warp) prefix = total;
            total = op(total, storage_.at(w));
        }
        if (warp > 0) {
            before = lane ? op(prefix, before) : prefix;
            value = op(prefix, value);
        }
        aggregate = total;
        return value;
    }

public:
    __device__ __forceinline__ BlockScan() : storage_(own()) {}
    __device__ __forceinline__ BlockScan(TempStorage &storage) : storage_(storage) {}
    template <typename Op> __device__ __forceinline__ void InclusiveScan(T input, T &output, Op op, T &aggregate) {
        T before;
        output = scan(input, op, before, aggregate);
    }
    template <typename Op> __device__ __forceinline__ void InclusiveScan(T input, T &output, Op op) {
        T before, aggregate;
        output = scan(input, op, before, aggregate);
    }
    template <typename Op> __device__ __forceinline__ void ExclusiveScan(T input, T &output, T initial, Op op, T &aggregate) {
        T before;
        scan(input, op, before, aggregate);
        output = block::thread() ? op(initial, before) : initial;
    }
    template <typename Op> __device__ __forceinline__ void ExclusiveScan(T input, T &output, T initial, Op op) {
        T aggregate;
        ExclusiveScan(input, output, initial, op, aggregate);
    }
    template <int N, typename Op> __device__ __forceinline__ void InclusiveScan(T (&input)[N], T (&output)[N], Op op, T &aggregate) {
        T partial = input[0], before;
        #pragma unroll
        for (int i = 1; i < N; ++i) partial = op(partial, input[i]);
        scan(partial, op, before, aggregate);
        T running = block::thread() ? op(before, input[0]) : input[0];
        output[0] = running;
        #pragma unroll
        for (int i = 1; i < N; ++i) {
            running = op(running, input[i]);
            output[i] = running;
        }
    }
    template <int N, typename Op> __device__ __forceinline__ void InclusiveScan(T (&input)[N], T (&output)[N], Op op) {
        T aggregate;
        InclusiveScan(input, output, op, aggregate);
    }
    template <int N, typename Op> __device__ __forceinline__ void ExclusiveScan(T (&input)[N], T (&output)[N], T initial, Op op, T &aggregate) {
        T partial = input[0], before;
        #pragma unroll
        for (int i = 1; i < N; ++i) partial = op(partial, input[i]);
        scan(partial, op, before, aggregate);
        T running = block::thread() ? op(initial, before) : initial;
        #pragma unroll
        for (int i = 0; i < N; ++i) {
            T item = input[i];
            output[i] = running;
            running = op(running, item);
        }
    }
    template <int N, typename Op> __device__ __forceinline__ void ExclusiveScan(T (&input)[N], T (&output)[N], T initial, Op op) {
        T aggregate;
        ExclusiveScan(input, output, initial, op, aggregate);
    }
    __device__ __forceinline__ void InclusiveSum(T input, T &output) { InclusiveScan(input, output, cub::Sum()); }
    __device__ __forceinline__ void InclusiveSum(T input, T &output, T &aggregate) { InclusiveScan(input, output, cub::Sum(), aggregate); }
    __device__ __forceinline__ void ExclusiveSum(T input, T &output) { ExclusiveScan(input, output, T(), cub::Sum()); }
    __device__ __forceinline__ void ExclusiveSum(T input, T &output, T &aggregate) { ExclusiveScan(input, output, T(), cub::Sum(), aggregate); }
    template <int N> __device__ __forceinline__ void InclusiveSum(T (&input)[N], T (&output)[N]) { InclusiveScan(input, output, cub::Sum()); }
    template <int N> __device__ __forceinline__ void InclusiveSum(T (&input)[N], T (&output)[N], T &aggregate) { InclusiveScan(input, output, cub::Sum(), aggregate); }
    template <int N> __device__ __forceinline__ void ExclusiveSum(T (&input)[N], T (&output)[N]) { ExclusiveScan(input, output, T(), cub::Sum()); }
    template <int N> __device__ __forceinline__ void ExclusiveSum(T (&input)[N], T (&output)[N], T &aggregate) { ExclusiveScan(input, output, T(), cub::Sum(), aggregate); }
    // The first warp asks for what comes before the block, once it knows the block's sum.
    template <typename P> __device__ __forceinline__ T ahead(P &prefix, T aggregate) {
        if (block::thread() < 32) {
            T before = prefix(aggregate);
            if (block::thread() == 0) storage_.at(block::warps) = before;
        }
        __syncthreads();
        return storage_.at(block::warps);
    }
    template <typename Op, typename P> __device__ __forceinline__ void InclusiveScan(T input, T &output, Op op, P &prefix) {
        T before, aggregate;
        T value = scan(input, op, before, aggregate);
        output = op(ahead(prefix, aggregate), value);
    }
    template <typename Op, typename P> __device__ __forceinline__ void ExclusiveScan(T input, T &output, Op op, P &prefix) {
        T before, aggregate;
        scan(input, op, before, aggregate);
        T first = ahead(prefix, aggregate);
        output = block::thread() ? op(first, before) : first;
    }
    template <int N, typename Op, typename P> __device__ __forceinline__ void both(T (&input)[N], T (&output)[N], Op op, P &prefix, bool inclusive) {
        T partial = input[0], before, aggregate;
        #pragma unroll
        for (int i = 1; i < N; ++i) partial = op(partial, input[i]);
        scan(partial, op, before, aggregate);
        T running = ahead(prefix, aggregate);
        if (block::thread()) running = op(running, before);
        #pragma unroll
        for (int i = 0; i < N; ++i) {
            T next = op(running, input[i]);
            output[i] = inclusive ? next : running;
            running = next;
        }
    }
    template <int N, typename Op, typename P> __device__ __forceinline__ void InclusiveScan(T (&input)[N], T (&output)[N], Op op, P &prefix) { both(input, output, op, prefix, true); }
    template <int N, typename Op, typename P> __device__ __forceinline__ void ExclusiveScan(T (&input)[N], T (&output)[N], Op op, P &prefix) { both(input, output, op, prefix, false); }
    template <typename P> __device__ __forceinline__ void InclusiveSum(T input, T &output, P &prefix) { InclusiveScan(input, output, cub::Sum(), prefix); }
    template <typename P> __device__ __forceinline__ void ExclusiveSum(T input, T &output, P &prefix) { ExclusiveScan(input, output, cub::Sum(), prefix); }
    template <int N, typename P> __device__ __forceinline__ void InclusiveSum(T (&input)[N], T (&output)[N], P &prefix) { InclusiveScan(input, output, cub::Sum(), prefix); }
    template <int N, typename P> __device__ __forceinline__ void ExclusiveSum(T (&input)[N], T (&output)[N], P &prefix) { ExclusiveScan(input, output, cub::Sum(), prefix); }
    // Without an initial value the first thread's output means nothing.
    template <typename Op> __device__ __forceinline__ void ExclusiveScan(T input, T &output, Op op) {
        T aggregate;
        scan(input, op, output, aggregate);
    }
    template <typename Op> __device__ __forceinline__ void ExclusiveScan(T input, T &output, Op op, T &aggregate) {
        T before;
        scan(input, op, before, aggregate);
        output = before;
    }
    template <typename Op> __device__ __forceinline__ void InclusiveScan(T input, T &output, T initial, Op op) {
        T before, aggregate;
        output = op(initial, scan(input, op, before, aggregate));
    }
    template <typename Op> __device__ __forceinline__ void InclusiveScan(T input, T &output, T initial, Op op, T &aggregate) {
        T before;
        output = op(initial, scan(input, op, before, aggregate));
        aggregate = op(initial, aggregate);
    }
};

// Rearranging items between the order of the data (blocked: thread t holds t * N ...) and striped order.
template <typename T, int THREADS, int N> struct __exchange {
    alignas(alignof(T)) char bytes[sizeof(T) * THREADS * N];
    __device__ __forceinline__ T &at(int i) { return reinterpret_cast<T *>(bytes)[i]; }
};
template <typename T, int X, int N, bool TIME_SLICED = false, int Y = 1, int Z = 1, int ARCH = 0> class BlockExchange {
    typedef __block<X, Y, Z> block;

public:
    typedef __exchange<T, X * Y * Z, N> TempStorage;

private:
    TempStorage &storage_;

public:
    __device__ __forceinline__ BlockExchange(TempStorage &storage) : storage_(storage) {}
    template <typename U> __device__ __forceinline__ void StripedToBlocked(const T (&in)[N], U (&out)[N]) {
        #pragma unroll
        for (int i = 0; i < N; ++i) storage_.at(i * block::threads + block::thread()) = in[i];
        __syncthreads();
        #pragma unroll
        for (int i = 0; i < N; ++i) out[i] = storage_.at(block::thread() * N + i);
    }
    template <typename U> __device__ __forceinline__ void BlockedToStriped(const T (&in)[N], U (&out)[N]) {
        #pragma unroll
        for (int i = 0; i < N; ++i) storage_.at(block::thread() * N + i) = in[i];
        __syncthreads();
        #pragma unroll
        for (int i = 0; i < N; ++i) out[i] = storage_.at(i * block::threads + block::thread());
    }
    template <typename U, typename R> __device__ __forceinline__ void ScatterToBlocked(const T (&in)[N], U (&out)[N], R (&ranks)[N]) {
        #pragma unroll
        for (int i = 0; i < N; ++i) storage_.at(ranks[i]) = in[i];
        __syncthreads();
        #pragma unroll
        for (int i = 0; i < N; ++i) out[i] = storage_.at(block::thread() * N + i);
    }
    template <typename U, typename R> __device__ __forceinline__ void ScatterToStriped(const T (&in)[N], U (&out)[N], R (&ranks)[N]) {
        #pragma unroll
        for (int i = 0; i < N; ++i) storage_.at(ranks[i]) = in[i];
        __syncthreads();
        #pragma unroll
        for (int i = 0; i < N; ++i) out[i] = storage_.at(i * block::threads + block::thread());
    }
    __device__ __forceinline__ void StripedToBlocked(T (&items)[N]) { StripedToBlocked(items, items); }
    __device__ __forceinline__ void BlockedToStriped(T (&items)[N]) { BlockedToStriped(items, items); }
    // Each warp's items among themselves; the last warp may be smaller.
    __device__ __forceinline__ int striped(int i) {
        int warp = block::thread() / 32 * 32, lanes = block::threads - warp < 32 ? block::threads - warp : 32;
        return warp * N + i * lanes + block::thread() % 32;
    }
    template <typename U> __device__ __forceinline__ void WarpStripedToBlocked(const T (&in)[N], U (&out)[N]) {
        #pragma unroll
        for (int i = 0; i < N; ++i) storage_.at(striped(i)) = in[i];
        __syncwarp();
        #pragma unroll
        for (int i = 0; i < N; ++i) out[i] = storage_.at(block::thread() * N + i);
    }
    template <typename U> __device__ __forceinline__ void BlockedToWarpStriped(const T (&in)[N], U (&out)[N]) {
        #pragma unroll
        for (int i = 0; i < N; ++i) storage_.at(block::thread() * N + i) = in[i];
        __syncwarp();
        #pragma unroll
        for (int i = 0; i < N; ++i) out[i] = storage_.at(striped(i));
    }
    // Items of negative rank, or without a flag, stay behind.
    template <typename U, typename R> __device__ __forceinline__ void ScatterToStripedGuarded(const T (&in)[N], U (&out)[N], R (&ranks)[N]) {
        #pragma unroll
        for (int i = 0; i < N; ++i)
            if (ranks[i] >= 0) storage_.at(ranks[i]) = in[i];
        __syncthreads();
        #pragma unroll
        for (int i = 0; i < N; ++i) out[i] = storage_.at(i * block::threads + block::thread());
    }
    template <typename U, typename R, typename F> __device__ __forceinline__ void ScatterToStripedFlagged(const T (&in)[N], U (&out)[N], R (&ranks)[N], F (&flags)[N]) {
        #pragma unroll
        for (int i = 0; i < N; ++i)
            if (flags[i]) storage_.at(ranks[i]) = in[i];
        __syncthreads();
        #pragma unroll
        for (int i = 0; i < N; ++i) out[i] = storage_.at(i * block::threads + block::thread());
    }
    template <typename R> __device__ __forceinline__ void ScatterToBlocked(T (&items)[N], R (&ranks)[N]) { ScatterToBlocked(items, items, ranks); }
    template <typename R> __device__ __forceinline__ void ScatterToStriped(T (&items)[N], R (&ranks)[N]) { ScatterToStriped(items, items, ranks); }
};
template <typename T, int N, int WIDTH = 32, WarpExchangeAlgorithm A = WARP_EXCHANGE_SMEM> class WarpExchange {
public:
    typedef __exchange<T, WIDTH, N> TempStorage;

private:
    TempStorage &storage_;
    int lane_;

public:
    __device__ __forceinline__ WarpExchange(TempStorage &storage) : storage_(storage) {
        lane_ = (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % WIDTH;
    }
    template <typename U> __device__ __forceinline__ void StripedToBlocked(const T (&in)[N], U (&out)[N]) {
        #pragma unroll
        for (int i = 0; i < N; ++i) storage_.at(i * WIDTH + lane_) = in[i];
        __syncwarp();
        #pragma unroll
        for (int i = 0; i < N; ++i) out[i] = storage_.at(lane_ * N + i);
    }
    template <typename U> __device__ __forceinline__ void BlockedToStriped(const T (&in)[N], U (&out)[N]) {
        #pragma unroll
        for (int i = 0; i < N; ++i) storage_.at(lane_ * N + i) = in[i];
        __syncwarp();
        #pragma unroll
        for (int i = 0; i < N; ++i) out[i] = storage_.at(i * WIDTH + lane_);
    }
    template <typename U, typename R> __device__ __forceinline__ void ScatterToStriped(const T (&in)[N], U (&out)[N], R (&ranks)[N]) {
        #pragma unroll
        for (int i = 0; i < N; ++i) storage_.at(ranks[i]) = in[i];
        __syncwarp();
        #pragma unroll
        for (int i = 0; i < N; ++i) out[i] = storage_.at(i * WIDTH + lane_);
    }
};

template <typename T, int N, typename I> __device__ __forceinline__ void LoadDirectBlocked(int thread, I from, T (&items)[N]) {
    #pragma unroll
    for (int i = 0; i < N; ++i) items[i] = from[thread * N + i];
}
template <typename T, int N, typename I> __device__ __forceinline__ void LoadDirectBlocked(int thread, I from, T (&items)[N], int valid) {
    #pragma unroll
    for (int i = 0; i < N; ++i)
        if (thread * N + i < valid) items[i] = from[thread * N + i];
}
template <int THREADS, typename T, int N, typename I> __device__ __forceinline__ void LoadDirectStriped(int thread, I from, T (&items)[N]) {
    #pragma unroll
    for (int i = 0; i < N; ++i) items[i] = from[i * THREADS + thread];
}
template <int THREADS, typename T, int N, typename I> __device__ __forceinline__ void LoadDirectStriped(int thread, I from, T (&items)[N], int valid) {
    #pragma unroll
    for (int i = 0; i < N; ++i)
        if (i * THREADS + thread < valid) items[i] = from[i * THREADS + thread];
}
template <typename T, int N, typename O> __device__ __forceinline__ void StoreDirectBlocked(int thread, O to, T (&items)[N]) {
    #pragma unroll
    for (int i = 0; i < N; ++i) to[thread * N + i] = items[i];
}
template <typename T, int N, typename O> __device__ __forceinline__ void StoreDirectBlocked(int thread, O to, T (&items)[N], int valid) {
    #pragma unroll
    for (int i = 0; i < N; ++i)
        if (thread * N + i < valid) to[thread * N + i] = items[i];
}
template <int THREADS, typename T, int N, typename O> __device__ __forceinline__ void StoreDirectStriped(int thread, O to, T (&items)[N]) {
    #pragma unroll
    for (int i = 0; i < N; ++i) to[i * THREADS + thread] = items[i];
}
template <int THREADS, typename T, int N, typename O> __device__ __forceinline__ void StoreDirectStriped(int thread, O to, T (&items)[N], int valid) {
    #pragma unroll
    for (int i = 0; i < N; ++i)
        if (i * THREADS + thread < valid) to[i * THREADS + thread] = items[i];
}
template <typename T, int X, int N, BlockLoadAlgorithm A = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1, int ARCH = 0> class BlockLoad {
    typedef __block<X, Y, Z> block;

public:
    struct TempStorage {
        __exchange<T, A == BLOCK_LOAD_TRANSPOSE || A == BLOCK_LOAD_WARP_TRANSPOSE ? X * Y * Z : 1, N> exchange;
    };

private:
    TempStorage *storage_;

public:
    __device__ __forceinline__ BlockLoad() : storage_(nullptr) {}
    __device__ __forceinline__ BlockLoad(TempStorage &storage) : storage_(&storage) {}
    template <typename I> __device__ __forceinline__ void Load(I from, T (&items)[N]) {
        if constexpr (A == BLOCK_LOAD_STRIPED) LoadDirectStriped<X * Y * Z>(block::thread(), from, items);
        else if constexpr (A == BLOCK_LOAD_TRANSPOSE || A == BLOCK_LOAD_WARP_TRANSPOSE) {
            LoadDirectStriped<X * Y * Z>(block::thread(), from, items);
            BlockExchange<T, X, N, false, Y, Z>(storage_->exchange).StripedToBlocked(items, items);
        } else LoadDirectBlocked(block::thread(), from, items);
    }
    template <typename I> __device__ __forceinline__ void Load(I from, T (&items)[N], int valid) {
        if constexpr (A == BLOCK_LOAD_STRIPED) LoadDirectStriped<X * Y * Z>(block::thread(), from, items, valid);
        else if constexpr (A == BLOCK_LOAD_TRANSPOSE || A == BLOCK_LOAD_WARP_TRANSPOSE) {
            LoadDirectStriped<X * Y * Z>(block::thread(), from, items, valid);
            BlockExchange<T, X, N, false, Y, Z>(storage_->exchange).StripedToBlocked(items, items);
        } else LoadDirectBlocked(block::thread(), from, items, valid);
    }
    template <typename I, typename D> __device__ __forceinline__ void Load(I from, T (&items)[N], int valid, D other) {
        #pragma unroll
        for (int i = 0; i < N; ++i) items[i] = other;
        Load(from, items, valid);
    }
};
template <typename T, int X, int N, BlockStoreAlgorithm A = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1, int ARCH = 0> class BlockStore {
    typedef __block<X, Y, Z> block;

public:
    struct TempStorage {
        __exchange<T, A == BLOCK_STORE_TRANSPOSE || A == BLOCK_STORE_WARP_TRANSPOSE ? X * Y * Z : 1, N> exchange;
    };

private:
    TempStorage *storage_;

public:
    __device__ __forceinline__ BlockStore() : storage_(nullptr) {}
    __device__ __forceinline__ BlockStore(TempStorage &storage) : storage_(&storage) {}
    template <typename O> __device__ __forceinline__ void Store(O to, T (&items)[N]) {
        if constexpr (A == BLOCK_STORE_STRIPED) StoreDirectStriped<X * Y * Z>(block::thread(), to, items);
        else if constexpr (A == BLOCK_STORE_TRANSPOSE || A == BLOCK_STORE_WARP_TRANSPOSE) {
            BlockExchange<T, X, N, false, Y, Z>(storage_->exchange).BlockedToStriped(items, items);
            StoreDirectStriped<X * Y * Z>(block::thread(), to, items);
        } else StoreDirectBlocked(block::thread(), to, items);
    }
    template <typename O> __device__ __forceinline__ void Store(O to, T (&items)[N], int valid) {
        if constexpr (A == BLOCK_STORE_STRIPED) StoreDirectStriped<X * Y * Z>(block::thread(), to, items, valid);
        else if constexpr (A == BLOCK_STORE_TRANSPOSE || A == BLOCK_STORE_WARP_TRANSPOSE) {
            BlockExchange<T, X, N, false, Y, Z>(storage_->exchange).BlockedToStriped(items, items);
            StoreDirectStriped<X * Y * Z>(block::thread(), to, items, valid);
        } else StoreDirectBlocked(block::thread(), to, items, valid);
    }
};

template <typename T, int X, int Y = 1, int Z = 1, int ARCH = 0> class BlockAdjacentDifference {
    typedef __block<X, Y, Z> block;

public:
    struct TempStorage {
        alignas(alignof(T)) char bytes[sizeof(T) * X * Y * Z];
        __device__ __forceinline__ T &at(int i) { return reinterpret_cast<T *>(bytes)[i]; }
    };

private:
    TempStorage &storage_;

public:
    __device__ __forceinline__ BlockAdjacentDifference(TempStorage &storage) : storage_(storage) {}
    template <int N, typename U, typename Op> __device__ __forceinline__ void SubtractLeft(T (&in)[N], U (&out)[N], Op op) {
        storage_.at(block::thread()) = in[N - 1];
        __syncthreads();
        #pragma unroll
        for (int i = N - 1; i > 0; --i) out[i] = op(in[i], in[i - 1]);
        if (block::thread() == 0) out[0] = in[0];
        else out[0] = op(in[0], storage_.at(block::thread() - 1));
    }
    template <int N, typename U, typename Op> __device__ __forceinline__ void SubtractRight(T (&in)[N], U (&out)[N], Op op) {
        storage_.at(block::thread()) = in[0];
        __syncthreads();
        #pragma unroll
        for (int i = 0; i < N - 1; ++i) out[i] = op(in[i], in[i + 1]);
        if (block::thread() == block::threads - 1) out[N - 1] = in[N - 1];
        else out[N - 1] = op(in[N - 1], storage_.at(block::thread() + 1));
    }
};

template <typename T, typename D = long> struct CountingInputIterator {
    typedef T value_type;
    T value;
    __host__ __device__ CountingInputIterator(const T &v) : value(v) {}
    __host__ __device__ T operator*() const { return value; }
    __host__ __device__ T operator[](D i) const { return value + (T)i; }
    __host__ __device__ CountingInputIterator operator+(D i) const { return CountingInputIterator(value + (T)i); }
    __host__ __device__ CountingInputIterator &operator++() {
        ++value;
        return *this;
    }
};
template <typename V, typename F, typename I, typename D = long> struct TransformInputIterator {
    typedef V value_type;
    I from;
    F function;
    __host__ __device__ TransformInputIterator(I i, F f) : from(i), function(f) {}
    __host__ __device__ V operator*() const { return function(*from); }
    __host__ __device__ V operator[](D i) const { return function(from[i]); }
    __host__ __device__ TransformInputIterator operator+(D i) const { return TransformInputIterator(from + i, function); }
};
template <typename V, typename D = long> struct ConstantInputIterator {
    typedef V value_type;
    V value;
    __host__ __device__ ConstantInputIterator(const V &v) : value(v) {}
    __host__ __device__ V operator*() const { return value; }
    __host__ __device__ V operator[](D) const { return value; }
    __host__ __device__ ConstantInputIterator operator+(D) const { return *this; }
};
template <CacheLoadModifier M, typename T> __device__ __forceinline__ T ThreadLoad(const T *p) {
    if constexpr (M == LOAD_CG) return __ldcg(p);
    else if constexpr (M == LOAD_CS) return __ldcs(p);
    else if constexpr (M == LOAD_LDG) return __ldg(p);
    else if constexpr (M == LOAD_CV || M == LOAD_VOLATILE) return *(const volatile T *)p;
    else return *p;
}
template <CacheStoreModifier M, typename T> __device__ __forceinline__ void ThreadStore(T *p, T v) {
    if constexpr (M == STORE_CG) __stcg(p, v);
    else if constexpr (M == STORE_CS) __stcs(p, v);
    else if constexpr (M == STORE_WT) __stwt(p, v);
    else if constexpr (M == STORE_VOLATILE) *(volatile T *)p = v;
    else *p = v;
}
template <CacheLoadModifier M, typename V, typename D = long> struct CacheModifiedInputIterator {
    typedef V value_type;
    const V *from;
    __host__ __device__ CacheModifiedInputIterator(const V *p) : from(p) {}
    __device__ V operator*() const { return ThreadLoad<M>(from); }
    __device__ V operator[](D i) const { return ThreadLoad<M>(from + i); }
    __host__ __device__ CacheModifiedInputIterator operator+(D i) const { return CacheModifiedInputIterator(from + i); }
};
template <int N, typename T, typename Op> __device__ __forceinline__ T ThreadReduce(T (&items)[N], Op op) {
    T sum = items[0];
    #pragma unroll
    for (int i = 1; i < N; ++i) sum = op(sum, items[i]);
    return sum;
}
template <int N, typename T, typename Op> __device__ __forceinline__ T ThreadReduce(T (&items)[N], Op op, T sum) {
    #pragma unroll
    for (int i = 0; i < N; ++i) sum = op(sum, items[i]);
    return sum;
}
}
#include <cub_sort.h>
