#pragma once
#include <cooperative_groups.h>
namespace cooperative_groups {
inline namespace __v1 {
// The group's threads copy at once; wait() is the group's barrier, after which all may read.
template <typename G> __device__ void memcpy_async(const G &g, void *to, const void *from, size_t bytes) {
    unsigned rank = (unsigned)g.thread_rank(), size = (unsigned)g.size();
    if ((((size_t)to | (size_t)from | bytes) & 15) == 0)
        for (size_t k = rank; k < bytes / 16; k += size) ((uint4 *)to)[k] = ((const uint4 *)from)[k];
    else if ((((size_t)to | (size_t)from | bytes) & 3) == 0)
        for (size_t k = rank; k < bytes / 4; k += size) ((unsigned *)to)[k] = ((const unsigned *)from)[k];
    else
        for (size_t k = rank; k < bytes; k += size) ((char *)to)[k] = ((const char *)from)[k];
}
// Counted in elements: as many as both sides have.
template <typename G, typename T, typename To, typename From>
__device__ void memcpy_async(const G &g, T *to, const To &to_count, const T *from, const From &from_count) {
    size_t n = to_count, m = from_count;
    memcpy_async(g, (void *)to, (const void *)from, (n < m ? n : m) * sizeof(T));
}
template <typename G> __device__ void wait(const G &g) { g.sync(); }
template <unsigned Stages, typename G> __device__ void wait_prior(const G &g) { g.sync(); }
}
}
