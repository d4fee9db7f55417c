#pragma once
#include <cooperative_groups.h>
namespace cooperative_groups {
inline namespace __v1 {
template <typename T> struct plus { __device__ T operator()(T a, T b) const { return a + b; } };
template <typename T> struct less { __device__ T operator()(T a, T b) const { return b < a ? b : a; } };
template <typename T> struct greater { __device__ T operator()(T a, T b) const { return a < b ? b : a; } };
template <typename T> struct bit_and { __device__ T operator()(T a, T b) const { return a & b; } };
template <typename T> struct bit_or { __device__ T operator()(T a, T b) const { return a | b; } };
template <typename T> struct bit_xor { __device__ T operator()(T a, T b) const { return a ^ b; } };

namespace details {
// Integers have an instruction for it.
template <typename T, typename F> __device__ T redux(unsigned mask, T v, F f) { return v; }
__device__ inline int redux(unsigned mask, int v, const plus<int> &) { return __reduce_add_sync(mask, v); }
__device__ inline int redux(unsigned mask, int v, const less<int> &) { return __reduce_min_sync(mask, v); }
__device__ inline int redux(unsigned mask, int v, const greater<int> &) { return __reduce_max_sync(mask, v); }
__device__ inline unsigned redux(unsigned mask, unsigned v, const plus<unsigned> &) { return __reduce_add_sync(mask, v); }
__device__ inline unsigned redux(unsigned mask, unsigned v, const less<unsigned> &) { return __reduce_min_sync(mask, v); }
__device__ inline unsigned redux(unsigned mask, unsigned v, const greater<unsigned> &) { return __reduce_max_sync(mask, v); }
__device__ inline unsigned redux(unsigned mask, unsigned v, const bit_and<unsigned> &) { return __reduce_and_sync(mask, v); }
__device__ inline unsigned redux(unsigned mask, unsigned v, const bit_or<unsigned> &) { return __reduce_or_sync(mask, v); }
__device__ inline unsigned redux(unsigned mask, unsigned v, const bit_xor<unsigned> &) { return __reduce_xor_sync(mask, v); }
template <typename T, typename F> struct has_redux { static const bool value = false; };
template <> struct has_redux<int, plus<int>> { static const bool value = true; };
template <> struct has_redux<int, less<int>> { static const bool value = true; };
template <> struct has_redux<int, greater<int>> { static const bool value = true; };
template <> struct has_redux<unsigned, plus<unsigned>> { static const bool value = true; };
template <> struct has_redux<unsigned, less<unsigned>> { static const bool value = true; };
template <> struct has_redux<unsigned, greater<unsigned>> { static const bool value = true; };
template <> struct has_redux<unsigned, bit_and<unsigned>> { static const bool value = true; };
template <> struct has_redux<unsigned, bit_or<unsigned>> { static const bool value = true; };
template <> struct has_redux<unsigned, bit_xor<unsigned>> { static const bool value = true; };
}

template <unsigned Size, typename P, typename T, typename F> __device__ T reduce(const thread_block_tile<Size, P> &g, T v, F f) {
    if constexpr (Size > 32) {
        thread_block_tile<32, thread_block> warp;
        return g.join(reduce(warp, v, f), f);
    } else if constexpr (Size == 32 && details::has_redux<T, F>::value) {
        return details::redux(g.mask(), v, f);
    } else {
        for (int with = (int)Size / 2; with > 0; with /= 2) v = f(v, g.shfl_xor(v, (unsigned)with));
        return v;
    }
}
template <typename T, typename F> __device__ T reduce(const coalesced_group &g, T v, F f) {
    unsigned size = g.size(), rank = g.thread_rank();
    if (size == 32) {
        for (int with = 16; with > 0; with /= 2) v = f(v, details::shfl_xor(0xffffffffu, v, (unsigned)with, 32));
        return v;
    }
    // Halves of the group onto each other; one thread more than half passes an odd one on.
    for (unsigned left = size; left > 1; left = (left + 1) / 2) {
        T other = g.shfl_down(v, (left + 1) / 2);
        if (rank + (left + 1) / 2 < left) v = f(v, other);
    }
    return g.shfl(v, 0);
}
}
}
