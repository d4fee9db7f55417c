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

namespace details {
// An inclusive scan, from lane to lane: how far back a thread looks doubles with each step.
template <typename T, typename F> __device__ T scanned(const coalesced_group &g, T v, F f) {
    unsigned rank = g.thread_rank(), size = g.size();
    int from = rank ? 31 - __clz((int)(g.mask_ & lanes_below())) : (int)lane();
    for (unsigned step = 1; step < size; step *= 2) {
        T before = shfl(g.mask_, v, from, 32);
        from = shfl(g.mask_, from, from, 32);
        if (rank >= step) v = f(before, v);
    }
    return v;
}
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
    if constexpr (details::has_redux<T, F>::value) return details::redux(g.mask_, v, f);
    if (g.size() == 32) {
        for (int with = 16; with > 0; with /= 2) v = f(v, details::shfl_xor(0xffffffffu, v, (unsigned)with, 32));
        return v;
    }
    return details::shfl(g.mask_, details::scanned(g, v, f), 31 - __clz((int)g.mask_), 32);
}
}
}
