#pragma once
// Groups of threads that work together, as the CUDA C++ Programming Guide describes them.
// grid_group::sync() needs all blocks of the grid to be resident at once, as with NVIDIA's, which has the launch check it.
#include <halves.h>
namespace cooperative_groups {
inline namespace __v1 {

namespace details {
template <typename T> struct words { static const int count = (sizeof(T) + 3) / 4; };
__device__ inline unsigned lane() { unsigned r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }
__device__ inline unsigned lanes_below() { unsigned r; asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r)); return r; }
__device__ inline unsigned rank_in_block() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
__device__ inline unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }
// A value of any type, word by word.
template <typename T> __device__ T shfl(unsigned mask, T v, int lane, int width) {
    unsigned w[words<T>::count] = {};
    memcpy(w, &v, sizeof(T));
    for (int k = 0; k < words<T>::count; k++) w[k] = __shfl_sync(mask, w[k], lane, width);
    memcpy(&v, w, sizeof(T));
    return v;
}
template <typename T> __device__ T shfl_up(unsigned mask, T v, unsigned delta, int width) {
    unsigned w[words<T>::count] = {};
    memcpy(w, &v, sizeof(T));
    for (int k = 0; k < words<T>::count; k++) w[k] = __shfl_up_sync(mask, w[k], delta, width);
    memcpy(&v, w, sizeof(T));
    return v;
}
template <typename T> __device__ T shfl_down(unsigned mask, T v, unsigned delta, int width) {
    unsigned w[words<T>::count] = {};
    memcpy(w, &v, sizeof(T));
    for (int k = 0; k < words<T>::count; k++) w[k] = __shfl_down_sync(mask, w[k], delta, width);
    memcpy(&v, w, sizeof(T));
    return v;
}
template <typename T> __device__ T shfl_xor(unsigned mask, T v, unsigned with, int width) {
    unsigned w[words<T>::count] = {};
    memcpy(w, &v, sizeof(T));
    for (int k = 0; k < words<T>::count; k++) w[k] = __shfl_xor_sync(mask, w[k], with, width);
    memcpy(&v, w, sizeof(T));
    return v;
}
static __device__ unsigned grid_barrier;
}

struct thread_block_dims;

class thread_block {
public:
    struct arrival_token {};
    __device__ static void sync() { __syncthreads(); }
    __device__ static unsigned thread_rank() { return details::rank_in_block(); }
    __device__ static unsigned size() { return details::block_size(); }
    __device__ static unsigned num_threads() { return details::block_size(); }
    __device__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    __device__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    __device__ static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    __device__ static dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    __device__ arrival_token barrier_arrive() const { __syncthreads(); return arrival_token(); }
    __device__ void barrier_wait(arrival_token &&) const {}
    __device__ void barrier_wait() const {}
};
__device__ inline thread_block this_thread_block() { return thread_block(); }
// What tiles of several warps may ask for; ours have their own.
template <unsigned MaxBlockSize = 1024> struct block_tile_memory { unsigned unused; };
template <unsigned N> __device__ thread_block this_thread_block(block_tile_memory<N> &) { return thread_block(); }

class grid_group {
public:
    __device__ bool is_valid() const { return true; }
    __device__ void sync() const {
        __syncthreads();
        if (details::rank_in_block() == 0) {
            // The first block's share makes the top bit turn when the last of them has come.
            bool first = blockIdx.x + blockIdx.y + blockIdx.z == 0;
            unsigned share = first ? 0x80000000u - ((unsigned)num_blocks() - 1u) : 1u;
            __threadfence();
            unsigned old = atomicAdd(&details::grid_barrier, share);
            while (((old ^ *(volatile unsigned *)&details::grid_barrier) & 0x80000000u) == 0) {}
            __threadfence();
        }
        __syncthreads();
    }
    __device__ static unsigned long long block_rank() { return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
    __device__ static unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    __device__ static unsigned long long thread_rank() { return block_rank() * details::block_size() + details::rank_in_block(); }
    __device__ static unsigned long long size() { return num_blocks() * details::block_size(); }
    __device__ static unsigned long long num_threads() { return num_blocks() * details::block_size(); }
    __device__ static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    __device__ static dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    __device__ static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};
__device__ inline grid_group this_grid() { return grid_group(); }

class cluster_group {
public:
    struct arrival_token {};
    __device__ static void sync() { __cluster_barrier_arrive(); __cluster_barrier_wait(); }
    __device__ static arrival_token barrier_arrive() { __cluster_barrier_arrive(); return arrival_token(); }
    __device__ static void barrier_wait() { __cluster_barrier_wait(); }
    __device__ static void barrier_wait(arrival_token &&) { __cluster_barrier_wait(); }
    __device__ static unsigned block_rank() { return __clusterRelativeBlockRank(); }
    __device__ static unsigned num_blocks() { return __clusterSizeInBlocks(); }
    __device__ static dim3 block_index() { return __clusterRelativeBlockIdx(); }
    __device__ static dim3 dim_blocks() { return __clusterDim(); }
    __device__ static dim3 dim_threads() { dim3 d = __clusterDim(); return dim3(d.x * blockDim.x, d.y * blockDim.y, d.z * blockDim.z); }
    __device__ static unsigned thread_rank() { return block_rank() * details::block_size() + details::rank_in_block(); }
    __device__ static unsigned num_threads() { return num_blocks() * details::block_size(); }
    __device__ static unsigned size() { return num_threads(); }
    template <typename T> __device__ static T *map_shared_rank(T *p, int rank) { return (T *)__cluster_map_shared_rank(p, (unsigned)rank); }
    __device__ static unsigned query_shared_rank(const void *p) { return __cluster_query_shared_rank(p); }
};
__device__ inline cluster_group this_cluster() { return cluster_group(); }

class coalesced_group {
public:
    unsigned mask_, meta_rank_, meta_size_;
    __device__ coalesced_group(unsigned mask) : mask_(mask), meta_rank_(0), meta_size_(1) {}
    __device__ coalesced_group(unsigned mask, unsigned rank, unsigned size) : mask_(mask), meta_rank_(rank), meta_size_(size) {}
    __device__ unsigned lane_of(unsigned rank) const { return size() == 32 ? rank : __fns(mask_, 0, (int)rank + 1); }
    __device__ unsigned packed(unsigned lanes) const {
        unsigned out = 0, k = 0;
        for (unsigned m = mask_; m; m &= m - 1, k++) out |= ((lanes >> (__ffs((int)m) - 1)) & 1u) << k;
        return out;
    }
    __device__ unsigned size() const { return (unsigned)__popc(mask_); }
    __device__ unsigned num_threads() const { return (unsigned)__popc(mask_); }
    __device__ unsigned thread_rank() const { return (unsigned)__popc(mask_ & details::lanes_below()); }
    __device__ unsigned meta_group_rank() const { return meta_rank_; }
    __device__ unsigned meta_group_size() const { return meta_size_; }
    __device__ void sync() const { __syncwarp(mask_); }
    __device__ int any(int p) const { return (__ballot_sync(mask_, p) & mask_) != 0; }
    __device__ int all(int p) const { return (__ballot_sync(mask_, p) & mask_) == mask_; }
    __device__ unsigned ballot(int p) const { unsigned m = __ballot_sync(mask_, p); return size() == 32 ? m : packed(m); }
    template <typename T> __device__ unsigned match_any(T v) const { unsigned m = __match_any_sync(mask_, v) & mask_; return size() == 32 ? m : packed(m); }
    template <typename T> __device__ unsigned match_all(T v, int &p) const { unsigned m = __match_any_sync(mask_, v) & mask_; p = m == mask_; return p ? packed(m) : 0; }
    template <typename T> __device__ T shfl(T v, int rank) const { return details::shfl(mask_, v, (int)lane_of((unsigned)rank % size()), 32); }
    template <typename T> __device__ T shfl_up(T v, unsigned delta) const {
        unsigned rank = thread_rank();
        return details::shfl(mask_, v, (int)(rank >= delta ? lane_of(rank - delta) : details::lane()), 32);
    }
    template <typename T> __device__ T shfl_down(T v, unsigned delta) const {
        unsigned rank = thread_rank();
        return details::shfl(mask_, v, (int)(rank + delta < size() ? lane_of(rank + delta) : details::lane()), 32);
    }
};
__device__ inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <unsigned Size, typename Parent = void> class thread_block_tile;

namespace details {
template <unsigned Size, bool Wide = (Size > 32)> class tile {
    static_assert(Size > 0 && (Size & (Size - 1)) == 0, "a tile's size is a power of two");
public:
    __device__ static unsigned mask() { return Size == 32 ? 0xffffffffu : ((1u << (Size & 31)) - 1u) << (lane() & ~(Size - 1)); }
    __device__ static unsigned first() { return lane() & ~(Size - 1); }
    __device__ static unsigned thread_rank() { return lane() & (Size - 1); }
    __host__ __device__ static constexpr unsigned size() { return Size; }
    __host__ __device__ static constexpr unsigned num_threads() { return Size; }
    __device__ void sync() const { __syncwarp(mask()); }
    __device__ int any(int p) const { return Size == 32 ? __any_sync(0xffffffffu, p) : (__ballot_sync(mask(), p) & mask()) != 0; }
    __device__ int all(int p) const { return Size == 32 ? __all_sync(0xffffffffu, p) : (__ballot_sync(mask(), p) & mask()) == mask(); }
    __device__ unsigned ballot(int p) const { return Size == 32 ? __ballot_sync(0xffffffffu, p) : (__ballot_sync(mask(), p) & mask()) >> first(); }
    template <typename T> __device__ unsigned match_any(T v) const { return (__match_any_sync(mask(), v) & mask()) >> (Size == 32 ? 0 : first()); }
    template <typename T> __device__ unsigned match_all(T v, int &p) const { unsigned m = __match_any_sync(mask(), v) & mask(); p = m == mask(); return p ? m >> (Size == 32 ? 0 : first()) : 0; }
    template <typename T> __device__ T shfl(T v, int rank) const { return details::shfl(mask(), v, rank, (int)Size); }
    template <typename T> __device__ T shfl_up(T v, unsigned delta) const { return details::shfl_up(mask(), v, delta, (int)Size); }
    template <typename T> __device__ T shfl_down(T v, unsigned delta) const { return details::shfl_down(mask(), v, delta, (int)Size); }
    template <typename T> __device__ T shfl_xor(T v, unsigned with) const { return details::shfl_xor(mask(), v, with, (int)Size); }
};
}

namespace details {
static __shared__ unsigned tile_arrivals[16];
// A barrier for tiles of 64 for which no hardware barrier is left: half of what arrives turns the top bit.
__device__ inline void tile_barrier(unsigned index) {
    __syncwarp();
    if (lane() == 0) {
        bool first = (rank_in_block() / 32 & 1) == 0;
        __threadfence_block();
        unsigned old = atomicAdd(&tile_arrivals[index], first ? 0x7fffffffu : 1u);
        while (((old ^ *(volatile unsigned *)&tile_arrivals[index]) & 0x80000000u) == 0) {}
        __threadfence_block();
    }
    __syncwarp();
}
// A slot for each warp.
template <typename T> __device__ T *tile_slots() {
    __shared__ alignas(T) unsigned char raw[32 * sizeof(T)];
    return (T *)raw;
}
// Tiles of several warps: barriers of the block and slots in shared memory. Tiles of several sizes have barriers of their
// own, as the nodes of a binary tree are numbered, for a warp that is ahead may be in another tile already.
template <unsigned Size> class tile<Size, true> {
    static_assert(Size <= 512 && (Size & (Size - 1)) == 0, "a tile's size is a power of two, at most 512");
public:
    __device__ static unsigned index() { return rank_in_block() / Size; }
    __device__ static unsigned thread_rank() { return rank_in_block() & (Size - 1); }
    __host__ __device__ static constexpr unsigned size() { return Size; }
    __host__ __device__ static constexpr unsigned num_threads() { return Size; }
    __device__ void sync() const {
        unsigned number = (block_size() > 512 ? 1024 : 512) / Size + index();
        if (Size > 64 || number < 16) asm volatile("barrier.sync %0, %1;" ::"r"(number), "n"(Size) : "memory");
        else tile_barrier(index());
    }
    template <typename T> __device__ T shfl(T v, int rank) const {
        T *slot = tile_slots<T>() + index() * (Size / 32) + rank / 32;
        if (thread_rank() == (unsigned)rank) *slot = v;
        sync();
        v = *slot;
        sync();
        return v;
    }
    // Each warp's value, joined in their order.
    template <typename T, typename F> __device__ T join(T v, F f) const {
        T *slot = tile_slots<T>();
        if (lane() == 0) slot[rank_in_block() / 32] = v;
        sync();
        slot += index() * (Size / 32);
        v = slot[0];
        for (unsigned k = 1; k < Size / 32; k++) v = f(v, slot[k]);
        sync();
        return v;
    }
    __device__ int any(int p) const { return join(__any_sync(0xffffffffu, p), [](int a, int b) { return a | b; }); }
    __device__ int all(int p) const { return join(__all_sync(0xffffffffu, p), [](int a, int b) { return a & b; }); }
};
}

// A tile that has forgotten its parent still knows where it stood in it.
template <unsigned Size> class thread_block_tile<Size, void> : public details::tile<Size> {
    unsigned rank_, groups_;
public:
    template <typename P> __device__ thread_block_tile(const thread_block_tile<Size, P> &t) : rank_(t.meta_group_rank()), groups_(t.meta_group_size()) {}
    __device__ unsigned meta_group_rank() const { return rank_; }
    __device__ unsigned meta_group_size() const { return groups_; }
};
template <unsigned Size> class thread_block_tile<Size, thread_block> : public details::tile<Size> {
public:
    __device__ static unsigned meta_group_rank() { return details::rank_in_block() / Size; }
    __device__ static unsigned meta_group_size() { return (details::block_size() + Size - 1) / Size; }
};
template <unsigned Size, unsigned Outer, typename P> class thread_block_tile<Size, thread_block_tile<Outer, P>> : public details::tile<Size> {
public:
    __device__ static unsigned meta_group_rank() { return (details::rank_in_block() & (Outer - 1)) / Size; }
    __device__ static unsigned meta_group_size() { return Outer / Size; }
};

template <unsigned Size> __device__ thread_block_tile<Size, thread_block> tiled_partition(const thread_block &) {
    if constexpr (Size == 64) {
        if (details::block_size() > 512) {
            __syncthreads();
            if (details::rank_in_block() < 16) details::tile_arrivals[details::rank_in_block()] = 0;
            __syncthreads();
        }
    }
    return thread_block_tile<Size, thread_block>();
}
template <unsigned Size, unsigned Outer, typename P>
__device__ thread_block_tile<Size, thread_block_tile<Outer, P>> tiled_partition(const thread_block_tile<Outer, P> &) {
    static_assert(Size <= Outer, "a tile is no larger than its parent");
    return thread_block_tile<Size, thread_block_tile<Outer, P>>();
}

// Any of the groups, told apart when the program runs.
class thread_group {
    unsigned kind_, mask_, size_;
public:
    __device__ thread_group(const thread_block &) : kind_(0), mask_(0), size_(details::block_size()) {}
    __device__ thread_group(const grid_group &g) : kind_(1), mask_(0), size_((unsigned)g.size()) {}
    __device__ thread_group(const coalesced_group &g) : kind_(2), mask_(g.mask_), size_(g.size()) {}
    template <unsigned Size, typename P> __device__ thread_group(const thread_block_tile<Size, P> &t) : kind_(2), mask_(t.mask()), size_(Size) {}
    __device__ thread_group(unsigned mask) : kind_(2), mask_(mask), size_((unsigned)__popc(mask)) {}
    __device__ unsigned long long size() const { return size_; }
    __device__ unsigned long long num_threads() const { return size_; }
    __device__ unsigned long long thread_rank() const {
        return kind_ == 0 ? details::rank_in_block() : kind_ == 1 ? grid_group::thread_rank() : (unsigned)__popc(mask_ & details::lanes_below());
    }
    __device__ unsigned lanes() const { return mask_; }
    __device__ bool is_valid() const { return true; }
    __device__ void sync() const {
        if (kind_ == 0) __syncthreads();
        else if (kind_ == 1) this_grid().sync();
        else __syncwarp(mask_);
    }
};
__device__ inline thread_group tiled_partition(const thread_group &g, unsigned size) {
    unsigned lane = details::lane(), all = size >= 32 ? 0xffffffffu : ((1u << size) - 1u) << (lane & ~(size - 1));
    return thread_group(g.lanes() ? all & g.lanes() : all & __activemask());
}
__device__ inline thread_group this_thread() { return thread_group(1u << details::lane()); }

__device__ inline coalesced_group binary_partition(const coalesced_group &g, bool p) {
    unsigned yes = __ballot_sync(g.mask_, p);
    return p ? coalesced_group(yes, 1, 2) : coalesced_group(g.mask_ & ~yes, 0, 2);
}
template <unsigned Size, typename P> __device__ coalesced_group binary_partition(const thread_block_tile<Size, P> &g, bool p) {
    return binary_partition(coalesced_group(g.mask()), p);
}
template <typename L> __device__ coalesced_group labeled_partition(const coalesced_group &g, L label) {
    unsigned mine = __match_any_sync(g.mask_, label);
    // Groups are numbered by their first threads.
    unsigned leaders = __ballot_sync(g.mask_, (mine & details::lanes_below()) == 0);
    return coalesced_group(mine, (unsigned)__popc(leaders & ((mine & (0u - mine)) - 1u)), (unsigned)__popc(leaders));
}
template <unsigned Size, typename P, typename L> __device__ coalesced_group labeled_partition(const thread_block_tile<Size, P> &g, L label) {
    return labeled_partition(coalesced_group(g.mask()), label);
}

template <typename G> __device__ void sync(const G &g) { g.sync(); }
template <typename G> __device__ auto thread_rank(const G &g) { return g.thread_rank(); }
template <typename G> __device__ auto group_size(const G &g) { return g.size(); }
template <typename G, typename F, typename... A> __device__ void invoke_one(const G &g, F &&f, A &&...a) { if (g.thread_rank() == 0) f(static_cast<A &&>(a)...); }
template <typename G, typename F, typename... A> __device__ auto invoke_one_broadcast(const G &g, F &&f, A &&...a) {
    decltype(f(static_cast<A &&>(a)...)) out{};
    if (g.thread_rank() == 0) out = f(static_cast<A &&>(a)...);
    return g.shfl(out, 0);
}
}
}
