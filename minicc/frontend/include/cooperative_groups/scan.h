#pragma once
#include <cooperative_groups/reduce.h>
namespace cooperative_groups {
inline namespace __v1 {
template <typename G, typename T, typename F> __device__ T inclusive_scan(const G &g, T v, F f) {
    unsigned rank = (unsigned)g.thread_rank(), size = (unsigned)g.size();
    for (unsigned step = 1; step < size; step *= 2) {
        T before = g.shfl_up(v, step);
        if (rank >= step) v = f(before, v);
    }
    return v;
}
template <typename T, typename F> __device__ T inclusive_scan(const coalesced_group &g, T v, F f) { return details::scanned(g, v, f); }
template <typename G, typename T> __device__ T inclusive_scan(const G &g, T v) { return inclusive_scan(g, v, plus<T>()); }
template <typename G, typename T, typename F> __device__ T exclusive_scan(const G &g, T v, F f) {
    T before = g.shfl_up(inclusive_scan(g, v, f), 1);
    return g.thread_rank() == 0 ? T() : before;
}
template <typename G, typename T> __device__ T exclusive_scan(const G &g, T v) { return exclusive_scan(g, v, plus<T>()); }
}
}
