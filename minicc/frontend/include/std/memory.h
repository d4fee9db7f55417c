// <memory>, of single objects.
namespace std {
template <typename T, typename... A> __host__ __device__ constexpr T *construct_at(T *at, A &&...a) { return ::new ((void *)at) T(static_cast<A &&>(a)...); }
template <typename T> __host__ __device__ constexpr void destroy_at(T *at) { at->~T(); }
template <typename T> __host__ __device__ constexpr T *to_address(T *p) { return p; }
template <size_t N, typename T> __host__ __device__ constexpr T *assume_aligned(T *p) { return (T *)__builtin_assume_aligned(p, N); }
}
