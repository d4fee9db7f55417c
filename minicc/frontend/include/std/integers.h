// <cuda/cmath>: arithmetic on whole numbers.
namespace std {
template <typename T, typename U> __host__ __device__ constexpr auto ceil_div(T a, U b) { return a / b + (a % b != 0); }
template <typename T, typename U> __host__ __device__ constexpr auto round_up(T a, U b) { return ceil_div(a, b) * b; }
template <typename T, typename U> __host__ __device__ constexpr auto round_down(T a, U b) { return a / b * b; }
template <typename T> __host__ __device__ constexpr int ilog2(T v) { return bit_width((make_unsigned_t<T>)v) - 1; }
}
