#pragma once
// nvcuda::experimental::pipeline: one thread's cp.async in batches.
#include <stdint.h>
#include <cuda_awbarrier.h>
#include <cuda_pipeline_primitives.h>
namespace nvcuda {
namespace experimental {
template <size_t N, typename T> __device__ auto segment(T *p) -> T (*)[N] { return (T(*)[N])p; }
class pipeline {
    size_t batch;
public:
    __device__ pipeline() : batch(0) {}
    pipeline(const pipeline &) = delete;
    pipeline &operator=(const pipeline &) = delete;
    __device__ size_t commit() { __pipeline_commit(); return batch++; }
    __device__ void wait(size_t of) { __pipeline_wait_prior(batch > of ? batch - of : 0); }
    template <unsigned N> __device__ void wait_prior() { __pipeline_wait_prior(N); }
    __device__ void commit_and_wait() { commit(); wait_prior<0>(); }
    __device__ void arrive_on(awbarrier &b) { __pipeline_arrive_on(&b.barrier); }
};
namespace details {
template <size_t Piece> __device__ void copy_pieces(void *to, const void *from, size_t bytes) {
    for (size_t k = 0; k < bytes; k += Piece) __pipeline_memcpy_async((char *)to + k, (const char *)from + k, Piece);
}
}
template <typename T> __device__ void memcpy_async(T &to, const T &from, pipeline &) {
    if constexpr (alignof(T) >= 16 && sizeof(T) % 16 == 0) details::copy_pieces<16>(&to, &from, sizeof(T));
    else if constexpr (alignof(T) >= 8 && sizeof(T) % 8 == 0) details::copy_pieces<8>(&to, &from, sizeof(T));
    else if constexpr (alignof(T) >= 4 && sizeof(T) % 4 == 0) details::copy_pieces<4>(&to, &from, sizeof(T));
    else to = from;
}
template <typename T, size_t To, size_t From> __device__ void memcpy_async(T (*to)[To], const T (*from)[From], pipeline &) {
    static_assert(sizeof(*to) == 4 || sizeof(*to) == 8 || sizeof(*to) == 16, "Unsupported copy size.");
    static_assert(From <= To, "Source size must be less than or equal to destination size.");
    __pipeline_memcpy_async(*to, *from, sizeof(*to), sizeof(*to) - sizeof(*from));
}
}
}
