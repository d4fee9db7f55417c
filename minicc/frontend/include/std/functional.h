// <functional>: function objects.
namespace std {
template <typename T = void> struct plus { __host__ __device__ constexpr T operator()(const T &a, const T &b) const { return a + b; } };
template <typename T = void> struct minus { __host__ __device__ constexpr T operator()(const T &a, const T &b) const { return a - b; } };
template <typename T = void> struct multiplies { __host__ __device__ constexpr T operator()(const T &a, const T &b) const { return a * b; } };
template <typename T = void> struct divides { __host__ __device__ constexpr T operator()(const T &a, const T &b) const { return a / b; } };
template <typename T = void> struct modulus { __host__ __device__ constexpr T operator()(const T &a, const T &b) const { return a % b; } };
template <typename T = void> struct negate { __host__ __device__ constexpr T operator()(const T &a) const { return -a; } };
template <typename T = void> struct less { __host__ __device__ constexpr bool operator()(const T &a, const T &b) const { return a < b; } };
template <typename T = void> struct greater { __host__ __device__ constexpr bool operator()(const T &a, const T &b) const { return a > b; } };
template <typename T = void> struct less_equal { __host__ __device__ constexpr bool operator()(const T &a, const T &b) const { return a <= b; } };
template <typename T = void> struct greater_equal { __host__ __device__ constexpr bool operator()(const T &a, const T &b) const { return a >= b; } };
template <typename T = void> struct equal_to { __host__ __device__ constexpr bool operator()(const T &a, const T &b) const { return a == b; } };
template <typename T = void> struct not_equal_to { __host__ __device__ constexpr bool operator()(const T &a, const T &b) const { return a != b; } };
template <typename T = void> struct logical_and { __host__ __device__ constexpr bool operator()(const T &a, const T &b) const { return a && b; } };
template <typename T = void> struct logical_or { __host__ __device__ constexpr bool operator()(const T &a, const T &b) const { return a || b; } };
template <typename T = void> struct bit_and { __host__ __device__ constexpr T operator()(const T &a, const T &b) const { return a & b; } };
template <typename T = void> struct bit_or { __host__ __device__ constexpr T operator()(const T &a, const T &b) const { return a | b; } };
template <typename T = void> struct bit_xor { __host__ __device__ constexpr T operator()(const T &a, const T &b) const { return a ^ b; } };
template <typename T = void> struct maximum { __host__ __device__ constexpr T operator()(const T &a, const T &b) const { return a < b ? b : a; } };
template <typename T = void> struct minimum { __host__ __device__ constexpr T operator()(const T &a, const T &b) const { return b < a ? b : a; } };
template <> struct maximum<void> { template <typename T> __host__ __device__ constexpr T operator()(const T &a, const T &b) const { return a < b ? b : a; } };
template <> struct minimum<void> { template <typename T> __host__ __device__ constexpr T operator()(const T &a, const T &b) const { return b < a ? b : a; } };
template <> struct plus<void> { template <typename A, typename B> __host__ __device__ constexpr auto operator()(const A &a, const B &b) const { return a + b; } };
template <> struct multiplies<void> { template <typename A, typename B> __host__ __device__ constexpr auto operator()(const A &a, const B &b) const { return a * b; } };
template <> struct less<void> { template <typename A, typename B> __host__ __device__ constexpr bool operator()(const A &a, const B &b) const { return a < b; } };
template <> struct greater<void> { template <typename A, typename B> __host__ __device__ constexpr bool operator()(const A &a, const B &b) const { return a > b; } };
template <typename A, typename R> struct unary_function { typedef A argument_type; typedef R result_type; };
template <typename A, typename B, typename R> struct binary_function { typedef A first_argument_type; typedef B second_argument_type; typedef R result_type; };
struct identity { template <typename T> __host__ __device__ constexpr const T &operator()(const T &t) const { return t; } };
}
