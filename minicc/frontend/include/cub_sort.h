// cub's collectives that sort, count and compare neighbours, and its loads and stores by warps. Part of cub.h.
#pragma once
namespace cub {
enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };
enum WarpLoadAlgorithm { WARP_LOAD_DIRECT, WARP_LOAD_STRIPED, WARP_LOAD_VECTORIZE, WARP_LOAD_TRANSPOSE };
enum WarpStoreAlgorithm { WARP_STORE_DIRECT, WARP_STORE_STRIPED, WARP_STORE_VECTORIZE, WARP_STORE_TRANSPOSE };

// A stable sort by digits of four bits: every thread counts its own items, the counts are summed in the order of digits
// and then of threads, and items move to where their digit's sum says.
template <typename K, int X, int N, typename V = NullType, int RADIX_BITS = 4, bool MEMOIZE = true, BlockScanAlgorithm SCAN = BLOCK_SCAN_WARP_SCANS, int SMEM = 0, int Y = 1, int Z = 1, int ARCH = 0>
class BlockRadixSort {
    typedef __block<X, Y, Z> block;
    typedef typename Traits<K>::UnsignedBits Bits;
    static constexpr int bits = 4, digits = 1 << bits, items = block::threads * N;
    static constexpr bool pairs = !std::is_same<V, NullType>::value;
    typedef BlockScan<unsigned, X, SCAN, Y, Z> Scan;

public:
    union TempStorage {
        struct {
            unsigned short count[digits * block::threads];
            typename Scan::TempStorage scan;
        } ranks;
        __exchange<K, block::threads, N> keys;
        __exchange<V, block::threads, N> values;
    };

private:
    TempStorage &storage_;
    static __device__ __forceinline__ TempStorage &own() {
        __shared__ TempStorage storage;
        return storage;
    }
    static __device__ __forceinline__ unsigned digit(const K &key, int begin, int end, bool descending) {
        Bits b = Traits<K>::TwiddleIn(reinterpret_cast<const Bits &>(key));
        // The two zeros of a floating-point type are one key.
        if (!std::is_integral<K>::value && b == (Bits)~Traits<K>::HIGH_BIT) b = Traits<K>::HIGH_BIT;
        if (descending) b = ~b;
        int width = end - begin < bits ? end - begin : bits;
        return (unsigned)(b >> begin) & ((1u << width) - 1);
    }
    template <typename T> __device__ __forceinline__ void move(__exchange<T, block::threads, N> &room, T (&held)[N], const int (&rank)[N], bool striped) {
        __syncthreads();
        #pragma unroll
        for (int i = 0; i < N; ++i) room.at(rank[i]) = held[i];
        __syncthreads();
        #pragma unroll
        for (int i = 0; i < N; ++i) held[i] = room.at(striped ? i * block::threads + block::thread() : block::thread() * N + i);
        __syncthreads();
    }
    __device__ __forceinline__ void run(K (&keys)[N], V *values, int begin, int end, bool descending, bool striped) {
        int thread = block::thread();
        for (int at = begin; at < end; at += bits) {
            unsigned short *count = storage_.ranks.count;
            int rank[N];
            #pragma unroll
            for (int d = 0; d < digits; ++d) count[d * block::threads + thread] = 0;
            #pragma unroll
            for (int i = 0; i < N; ++i) rank[i] = count[digit(keys[i], at, end, descending) * block::threads + thread]++;
            __syncthreads();
            unsigned sum = 0;
            #pragma unroll
            for (int d = 0; d < digits; ++d) sum += count[thread * digits + d];
            unsigned before;
            Scan(storage_.ranks.scan).ExclusiveSum(sum, before);
            #pragma unroll
            for (int d = 0; d < digits; ++d) {
                unsigned own = count[thread * digits + d];
                count[thread * digits + d] = (unsigned short)before;
                before += own;
            }
            __syncthreads();
            #pragma unroll
            for (int i = 0; i < N; ++i) rank[i] += count[digit(keys[i], at, end, descending) * block::threads + thread];
            bool last = striped && at + bits >= end;
            move(storage_.keys, keys, rank, last);
            if constexpr (pairs) move(storage_.values, reinterpret_cast<V (&)[N]>(*values), rank, last);
        }
    }
    static constexpr int whole = sizeof(K) * 8;

public:
    __device__ __forceinline__ BlockRadixSort() : storage_(own()) {}
    __device__ __forceinline__ BlockRadixSort(TempStorage &storage) : storage_(storage) {}
    __device__ __forceinline__ void Sort(K (&keys)[N], int begin = 0, int end = whole) { run(keys, nullptr, begin, end, false, false); }
    __device__ __forceinline__ void Sort(K (&keys)[N], V (&values)[N], int begin = 0, int end = whole) { run(keys, values, begin, end, false, false); }
    __device__ __forceinline__ void SortDescending(K (&keys)[N], int begin = 0, int end = whole) { run(keys, nullptr, begin, end, true, false); }
    __device__ __forceinline__ void SortDescending(K (&keys)[N], V (&values)[N], int begin = 0, int end = whole) { run(keys, values, begin, end, true, false); }
    __device__ __forceinline__ void SortBlockedToStriped(K (&keys)[N], int begin = 0, int end = whole) { run(keys, nullptr, begin, end, false, true); }
    __device__ __forceinline__ void SortBlockedToStriped(K (&keys)[N], V (&values)[N], int begin = 0, int end = whole) { run(keys, values, begin, end, false, true); }
    __device__ __forceinline__ void SortDescendingBlockedToStriped(K (&keys)[N], int begin = 0, int end = whole) { run(keys, nullptr, begin, end, true, true); }
    __device__ __forceinline__ void SortDescendingBlockedToStriped(K (&keys)[N], V (&values)[N], int begin = 0, int end = whole) { run(keys, values, begin, end, true, true); }
};

// A stable merge sort: each thread sorts its items, then neighbouring runs are merged, every thread finding by bisection
// which items of the two runs are its own.
template <typename K, typename V, int N> struct __merge_room {
    alignas(alignof(K)) char keys[sizeof(K) * N];
    alignas(alignof(V)) char values[std::is_same<V, NullType>::value ? 1 : sizeof(V) * N];
    __device__ __forceinline__ K &key(int i) { return reinterpret_cast<K *>(keys)[i]; }
    __device__ __forceinline__ V &value(int i) { return reinterpret_cast<V *>(values)[i]; }
};
template <typename K, int THREADS, int N, typename V, bool WARP> class __merge_sort {
    static constexpr bool pairs = !std::is_same<V, NullType>::value;

public:
    typedef __merge_room<K, V, THREADS * N> TempStorage;

private:
    TempStorage &storage_;
    int thread_;
    static __device__ __forceinline__ void sync() {
        if constexpr (WARP) __syncwarp();
        else __syncthreads();
    }
    template <typename Op> __device__ __forceinline__ void run(K (&keys)[N], V *values, Op before) {
        #pragma unroll
        for (int i = 1; i < N; ++i)
            #pragma unroll
            for (int j = i; j > 0; --j)
                if (before(keys[j], keys[j - 1])) {
                    K key = keys[j];
                    keys[j] = keys[j - 1];
                    keys[j - 1] = key;
                    if constexpr (pairs) {
                        V value = values[j];
                        values[j] = values[j - 1];
                        values[j - 1] = value;
                    }
                }
        const int items = THREADS * N;
        for (int width = N; width < items; width *= 2) {
            sync();
            #pragma unroll
            for (int i = 0; i < N; ++i) {
                storage_.key(thread_ * N + i) = keys[i];
                if constexpr (pairs) storage_.value(thread_ * N + i) = values[i];
            }
            sync();
            int begin = thread_ * N / (2 * width) * (2 * width);
            int middle = begin + width < items ? begin + width : items;
            int end = begin + 2 * width < items ? begin + 2 * width : items;
            int diagonal = thread_ * N - begin;
            int low = diagonal - (end - middle) > 0 ? diagonal - (end - middle) : 0;
            int high = diagonal < middle - begin ? diagonal : middle - begin;
            while (low < high) {
                int half = (low + high) / 2;
                if (before(storage_.key(middle + diagonal - 1 - half), storage_.key(begin + half))) high = half;
                else low = half + 1;
            }
            int left = begin + low, right = middle + diagonal - low;
            #pragma unroll
            for (int i = 0; i < N; ++i) {
                bool first = right >= end || (left < middle && !before(storage_.key(right), storage_.key(left)));
                int from = first ? left++ : right++;
                keys[i] = storage_.key(from);
                if constexpr (pairs) values[i] = storage_.value(from);
            }
        }
        sync();
    }
    __device__ __forceinline__ void fill(K (&keys)[N], int valid, const K &last) {
        #pragma unroll
        for (int i = 0; i < N; ++i)
            if (thread_ * N + i >= valid) keys[i] = last;
    }

public:
    __device__ __forceinline__ __merge_sort(TempStorage &storage, int thread) : storage_(storage), thread_(thread) {}
    template <typename Op> __device__ __forceinline__ void Sort(K (&keys)[N], Op op) { run(keys, nullptr, op); }
    template <typename Op> __device__ __forceinline__ void Sort(K (&keys)[N], V (&values)[N], Op op) { run(keys, values, op); }
    template <typename Op> __device__ __forceinline__ void Sort(K (&keys)[N], Op op, int valid, K last) { fill(keys, valid, last); run(keys, nullptr, op); }
    template <typename Op> __device__ __forceinline__ void Sort(K (&keys)[N], V (&values)[N], Op op, int valid, K last) { fill(keys, valid, last); run(keys, values, op); }
    template <typename Op> __device__ __forceinline__ void StableSort(K (&keys)[N], Op op) { run(keys, nullptr, op); }
    template <typename Op> __device__ __forceinline__ void StableSort(K (&keys)[N], V (&values)[N], Op op) { run(keys, values, op); }
    template <typename Op> __device__ __forceinline__ void StableSort(K (&keys)[N], Op op, int valid, K last) { fill(keys, valid, last); run(keys, nullptr, op); }
    template <typename Op> __device__ __forceinline__ void StableSort(K (&keys)[N], V (&values)[N], Op op, int valid, K last) { fill(keys, valid, last); run(keys, values, op); }
};
template <typename K, int X, int N, typename V = NullType, int Y = 1, int Z = 1> class BlockMergeSort : public __merge_sort<K, X * Y * Z, N, V, false> {
    typedef __merge_sort<K, X * Y * Z, N, V, false> base;
    static __device__ __forceinline__ typename base::TempStorage &own() {
        __shared__ typename base::TempStorage storage;
        return storage;
    }

public:
    typedef typename base::TempStorage TempStorage;
    __device__ __forceinline__ BlockMergeSort() : base(own(), __block<X, Y, Z>::thread()) {}
    __device__ __forceinline__ BlockMergeSort(TempStorage &storage) : base(storage, __block<X, Y, Z>::thread()) {}
};
template <typename K, int N, int WIDTH = 32, typename V = NullType, int ARCH = 0> class WarpMergeSort : public __merge_sort<K, WIDTH, N, V, true> {
    typedef __merge_sort<K, WIDTH, N, V, true> base;

public:
    typedef typename base::TempStorage TempStorage;
    __device__ __forceinline__ WarpMergeSort(TempStorage &storage) : base(storage, (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % WIDTH) {}
};

template <typename T, int X, int N, int BINS, BlockHistogramAlgorithm A = BLOCK_HISTO_SORT, int Y = 1, int Z = 1, int ARCH = 0> class BlockHistogram {
    typedef __block<X, Y, Z> block;

public:
    typedef NullType TempStorage;
    __device__ __forceinline__ BlockHistogram() {}
    __device__ __forceinline__ BlockHistogram(TempStorage &) {}
    template <typename C> __device__ __forceinline__ void InitHistogram(C (&bins)[BINS]) {
        for (int i = block::thread(); i < BINS; i += block::threads) bins[i] = 0;
    }
    template <typename C> __device__ __forceinline__ void Composite(T (&items)[N], C (&bins)[BINS]) {
        #pragma unroll
        for (int i = 0; i < N; ++i) atomicAdd(&bins[items[i]], C(1));
    }
    template <typename C> __device__ __forceinline__ void Histogram(T (&items)[N], C (&bins)[BINS]) {
        InitHistogram(bins);
        __syncthreads();
        Composite(items, bins);
    }
};

template <typename T, int X, int Y = 1, int Z = 1, int ARCH = 0> class BlockDiscontinuity {
    typedef __block<X, Y, Z> block;

public:
    struct TempStorage {
        __exchange<T, X * Y * Z, 1> first, last;
    };

private:
    TempStorage &storage_;
    static __device__ __forceinline__ TempStorage &own() {
        __shared__ TempStorage storage;
        return storage;
    }
    template <typename Op> static __device__ __forceinline__ bool differ(Op op, const T &a, const T &b, int index) {
        if constexpr (std::is_invocable<Op, const T &, const T &, int>::value) return op(a, b, index);
        else return op(a, b);
    }
    template <int N> __device__ __forceinline__ void share(T (&items)[N]) {
        storage_.first.at(block::thread()) = items[0];
        storage_.last.at(block::thread()) = items[N - 1];
        __syncthreads();
    }
    template <int N, typename F, typename Op> __device__ __forceinline__ void heads(F (&flags)[N], T (&items)[N], Op op, const T *before) {
        int thread = block::thread();
        if (thread == 0) flags[0] = before ? F(differ(op, *before, items[0], 0)) : F(1);
        else flags[0] = differ(op, storage_.last.at(thread - 1), items[0], thread * N);
        #pragma unroll
        for (int i = 1; i < N; ++i) flags[i] = differ(op, items[i - 1], items[i], thread * N + i);
    }
    template <int N, typename F, typename Op> __device__ __forceinline__ void tails(F (&flags)[N], T (&items)[N], Op op, const T *after) {
        int thread = block::thread();
        #pragma unroll
        for (int i = 0; i < N - 1; ++i) flags[i] = differ(op, items[i], items[i + 1], thread * N + i + 1);
        if (thread == block::threads - 1) flags[N - 1] = after ? F(differ(op, items[N - 1], *after, thread * N + N)) : F(1);
        else flags[N - 1] = differ(op, items[N - 1], storage_.first.at(thread + 1), thread * N + N);
    }

public:
    __device__ __forceinline__ BlockDiscontinuity() : storage_(own()) {}
    __device__ __forceinline__ BlockDiscontinuity(TempStorage &storage) : storage_(storage) {}
    template <int N, typename F, typename Op> __device__ __forceinline__ void FlagHeads(F (&flags)[N], T (&items)[N], Op op) { share(items); heads(flags, items, op, nullptr); }
    template <int N, typename F, typename Op> __device__ __forceinline__ void FlagHeads(F (&flags)[N], T (&items)[N], Op op, T before) { share(items); heads(flags, items, op, &before); }
    template <int N, typename F, typename Op> __device__ __forceinline__ void FlagTails(F (&flags)[N], T (&items)[N], Op op) { share(items); tails(flags, items, op, nullptr); }
    template <int N, typename F, typename Op> __device__ __forceinline__ void FlagTails(F (&flags)[N], T (&items)[N], Op op, T after) { share(items); tails(flags, items, op, &after); }
    template <int N, typename F, typename Op> __device__ __forceinline__ void FlagHeadsAndTails(F (&h)[N], F (&t)[N], T (&items)[N], Op op) { share(items); heads(h, items, op, nullptr); tails(t, items, op, nullptr); }
    template <int N, typename F, typename Op> __device__ __forceinline__ void FlagHeadsAndTails(F (&h)[N], F (&t)[N], T after, T (&items)[N], Op op) { share(items); heads(h, items, op, nullptr); tails(t, items, op, &after); }
    template <int N, typename F, typename Op> __device__ __forceinline__ void FlagHeadsAndTails(F (&h)[N], T before, F (&t)[N], T (&items)[N], Op op) { share(items); heads(h, items, op, &before); tails(t, items, op, nullptr); }
    template <int N, typename F, typename Op> __device__ __forceinline__ void FlagHeadsAndTails(F (&h)[N], T before, F (&t)[N], T after, T (&items)[N], Op op) { share(items); heads(h, items, op, &before); tails(t, items, op, &after); }
};

template <typename T, int X, int Y = 1, int Z = 1, int ARCH = 0> class BlockShuffle {
    typedef __block<X, Y, Z> block;

public:
    typedef __exchange<T, X * Y * Z, 1> TempStorage;

private:
    TempStorage &storage_;

public:
    __device__ __forceinline__ BlockShuffle(TempStorage &storage) : storage_(storage) {}
    __device__ __forceinline__ void Offset(T input, T &output, int distance = 1) {
        storage_.at(block::thread()) = input;
        __syncthreads();
        int from = block::thread() + distance;
        if (from >= 0 && from < block::threads) output = storage_.at(from);
    }
    __device__ __forceinline__ void Rotate(T input, T &output, unsigned distance = 1) {
        storage_.at(block::thread()) = input;
        __syncthreads();
        output = storage_.at((block::thread() + distance) % block::threads);
    }
    template <int N> __device__ __forceinline__ void Up(T (&input)[N], T (&output)[N]) {
        storage_.at(block::thread()) = input[N - 1];
        __syncthreads();
        #pragma unroll
        for (int i = N - 1; i > 0; --i) output[i] = input[i - 1];
        if (block::thread() > 0) output[0] = storage_.at(block::thread() - 1);
    }
    template <int N> __device__ __forceinline__ void Up(T (&input)[N], T (&output)[N], T &suffix) {
        Up(input, output);
        suffix = storage_.at(block::threads - 1);
    }
    template <int N> __device__ __forceinline__ void Down(T (&input)[N], T (&output)[N]) {
        storage_.at(block::thread()) = input[0];
        __syncthreads();
        #pragma unroll
        for (int i = 0; i < N - 1; ++i) output[i] = input[i + 1];
        if (block::thread() < block::threads - 1) output[N - 1] = storage_.at(block::thread() + 1);
    }
    template <int N> __device__ __forceinline__ void Down(T (&input)[N], T (&output)[N], T &prefix) {
        Down(input, output);
        prefix = storage_.at(0);
    }
};

template <typename T, int N, WarpLoadAlgorithm A = WARP_LOAD_DIRECT, int WIDTH = 32, int ARCH = 0> class WarpLoad {
public:
    typedef __exchange<T, WIDTH, A == WARP_LOAD_TRANSPOSE ? N : 1> TempStorage;

private:
    TempStorage &storage_;
    int lane_;

public:
    __device__ __forceinline__ WarpLoad(TempStorage &storage) : storage_(storage), lane_((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % WIDTH) {}
    template <typename I> __device__ __forceinline__ void Load(I from, T (&items)[N], int valid = WIDTH * N) {
        constexpr bool across = A == WARP_LOAD_STRIPED || A == WARP_LOAD_TRANSPOSE;
        #pragma unroll
        for (int i = 0; i < N; ++i) {
            int at = across ? i * WIDTH + lane_ : lane_ * N + i;
            if (at < valid) items[i] = from[at];
        }
        if constexpr (A == WARP_LOAD_TRANSPOSE) WarpExchange<T, N, WIDTH>(storage_).StripedToBlocked(items, items);
    }
    template <typename I, typename D> __device__ __forceinline__ void Load(I from, T (&items)[N], int valid, D other) {
        #pragma unroll
        for (int i = 0; i < N; ++i) items[i] = other;
        Load(from, items, valid);
    }
};
template <typename T, int N, WarpStoreAlgorithm A = WARP_STORE_DIRECT, int WIDTH = 32, int ARCH = 0> class WarpStore {
public:
    typedef __exchange<T, WIDTH, A == WARP_STORE_TRANSPOSE ? N : 1> TempStorage;

private:
    TempStorage &storage_;
    int lane_;

public:
    __device__ __forceinline__ WarpStore(TempStorage &storage) : storage_(storage), lane_((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % WIDTH) {}
    template <typename O> __device__ __forceinline__ void Store(O to, T (&items)[N], int valid = WIDTH * N) {
        constexpr bool across = A == WARP_STORE_STRIPED || A == WARP_STORE_TRANSPOSE;
        if constexpr (A == WARP_STORE_TRANSPOSE) WarpExchange<T, N, WIDTH>(storage_).BlockedToStriped(items, items);
        #pragma unroll
        for (int i = 0; i < N; ++i) {
            int at = across ? i * WIDTH + lane_ : lane_ * N + i;
            if (at < valid) to[at] = items[i];
        }
    }
};

template <typename T, int X, int RUNS, int N, typename O = unsigned, int Y = 1, int Z = 1> class BlockRunLengthDecode {
    typedef __block<X, Y, Z> block;
    static constexpr int runs = block::threads * RUNS;

public:
    struct TempStorage {
        __exchange<T, X * Y * Z, RUNS> values;
        O ends[runs];
        typename BlockScan<O, X, BLOCK_SCAN_RAKING, Y, Z>::TempStorage scan;
    };

private:
    TempStorage &storage_;

public:
    template <typename L, typename S> __device__ __forceinline__ BlockRunLengthDecode(TempStorage &storage, T (&values)[RUNS], L (&lengths)[RUNS], S &total) : storage_(storage) {
        O own[RUNS], sum = 0, before, all;
        #pragma unroll
        for (int i = 0; i < RUNS; ++i) own[i] = sum += lengths[i];
        BlockScan<O, X, BLOCK_SCAN_RAKING, Y, Z>(storage.scan).ExclusiveSum(sum, before, all);
        #pragma unroll
        for (int i = 0; i < RUNS; ++i) {
            storage_.values.at(block::thread() * RUNS + i) = values[i];
            storage_.ends[block::thread() * RUNS + i] = before + own[i];
        }
        total = all;
        __syncthreads();
    }
    template <typename R> __device__ __forceinline__ void RunLengthDecode(T (&items)[N], R (&offsets)[N], O from = 0) {
        #pragma unroll
        for (int i = 0; i < N; ++i) {
            O at = from + block::thread() * N + i;
            int low = 0, high = runs - 1;
            while (low < high) {
                int half = (low + high) / 2;
                if (storage_.ends[half] > at) high = half;
                else low = half + 1;
            }
            items[i] = storage_.values.at(low);
            offsets[i] = at - (low ? storage_.ends[low - 1] : 0);
        }
    }
    __device__ __forceinline__ void RunLengthDecode(T (&items)[N], O from = 0) {
        O offsets[N];
        RunLengthDecode(items, offsets, from);
    }
};
}
