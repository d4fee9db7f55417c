// <numeric> of iterators and of whole numbers, std::byte.
namespace std {
template <typename A, typename B> __host__ __device__ constexpr auto gcd(A a, B b) {
    using T = common_type_t<A, B>;
    T x = a < 0 ? -(T)a : (T)a, y = b < 0 ? -(T)b : (T)b;
    while (y != 0) {
        T rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}
template <typename A, typename B> __host__ __device__ constexpr auto lcm(A a, B b) {
    using T = common_type_t<A, B>;
    T x = a < 0 ? -(T)a : (T)a, y = b < 0 ? -(T)b : (T)b;
    return x == 0 || y == 0 ? T(0) : x / gcd(x, y) * y;
}
template <typename T> __host__ __device__ constexpr T midpoint(T a, T b) {
    if constexpr (is_integral_v<T>) {
        using U = make_unsigned_t<T>;
        return a > b ? (T)(a - (T)((U)((U)a - (U)b) / 2)) : (T)(a + (T)((U)((U)b - (U)a) / 2));
    } else return (a + b) / 2;
}
template <typename I, typename T> __host__ __device__ constexpr T accumulate(I first, I last, T sum) {
    for (; first != last; ++first) sum = sum + *first;
    return sum;
}
template <typename I, typename T, typename F> __host__ __device__ constexpr T accumulate(I first, I last, T sum, F f) {
    for (; first != last; ++first) sum = f(sum, *first);
    return sum;
}
template <typename I, typename J, typename T> __host__ __device__ constexpr T inner_product(I first, I last, J other, T sum) {
    for (; first != last; ++first, ++other) sum = sum + *first * *other;
    return sum;
}
template <typename I, typename T, typename F> __host__ __device__ constexpr T reduce(I first, I last, T sum, F f) { return accumulate(first, last, sum, f); }
template <typename I, typename T> __host__ __device__ constexpr T reduce(I first, I last, T sum) { return accumulate(first, last, sum); }
template <typename I> __host__ __device__ constexpr auto reduce(I first, I last) { return accumulate(first, last, typename iterator_traits<I>::value_type()); }
template <typename I, typename T> __host__ __device__ constexpr void iota(I first, I last, T value) {
    for (; first != last; ++first, ++value) *first = value;
}
template <typename I, typename O> __host__ __device__ constexpr O partial_sum(I first, I last, O out) {
    if (first == last) return out;
    auto sum = *first;
    *out = sum;
    while (++first != last) *++out = sum = sum + *first;
    return ++out;
}
enum class byte : unsigned char {};
template <typename T> __host__ __device__ constexpr T to_integer(byte b) { return (T)b; }
__host__ __device__ constexpr byte operator|(byte a, byte b) { return (byte)((unsigned)a | (unsigned)b); }
__host__ __device__ constexpr byte operator&(byte a, byte b) { return (byte)((unsigned)a & (unsigned)b); }
__host__ __device__ constexpr byte operator^(byte a, byte b) { return (byte)((unsigned)a ^ (unsigned)b); }
__host__ __device__ constexpr byte operator~(byte a) { return (byte)~(unsigned)a; }
__host__ __device__ constexpr byte operator<<(byte a, int n) { return (byte)((unsigned)a << n); }
__host__ __device__ constexpr byte operator>>(byte a, int n) { return (byte)((unsigned)a >> n); }
__host__ __device__ constexpr byte &operator|=(byte &a, byte b) { return a = a | b; }
__host__ __device__ constexpr byte &operator&=(byte &a, byte b) { return a = a & b; }
__host__ __device__ constexpr byte &operator^=(byte &a, byte b) { return a = a ^ b; }
}
