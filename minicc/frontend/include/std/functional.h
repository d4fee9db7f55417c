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
template <typename T = void> struct logical_not { __host__ __device__ constexpr auto operator()(const T &a) const { return !a; } };
template <typename T = void> struct bit_not { __host__ __device__ constexpr auto operator()(const T &a) const { return ~a; } };
template <> struct plus<void> { template <typename A, typename B> __host__ __device__ constexpr auto operator()(const A &a, const B &b) const { return a + b; } };
template <> struct multiplies<void> { template <typename A, typename B> __host__ __device__ constexpr auto operator()(const A &a, const B &b) const { return a * b; } };
template <> struct less<void> { template <typename A, typename B> __host__ __device__ constexpr bool operator()(const A &a, const B &b) const { return a < b; } };
template <> struct greater<void> { template <typename A, typename B> __host__ __device__ constexpr bool operator()(const A &a, const B &b) const { return a > b; } };
template <> struct minus<void> { template <typename A, typename B> __host__ __device__ constexpr auto operator()(const A &a, const B &b) const { return a - b; } };
template <> struct divides<void> { template <typename A, typename B> __host__ __device__ constexpr auto operator()(const A &a, const B &b) const { return a / b; } };
template <> struct modulus<void> { template <typename A, typename B> __host__ __device__ constexpr auto operator()(const A &a, const B &b) const { return a % b; } };
template <> struct bit_and<void> { template <typename A, typename B> __host__ __device__ constexpr auto operator()(const A &a, const B &b) const { return a & b; } };
template <> struct bit_or<void> { template <typename A, typename B> __host__ __device__ constexpr auto operator()(const A &a, const B &b) const { return a | b; } };
template <> struct bit_xor<void> { template <typename A, typename B> __host__ __device__ constexpr auto operator()(const A &a, const B &b) const { return a ^ b; } };
template <> struct less_equal<void> { template <typename A, typename B> __host__ __device__ constexpr bool operator()(const A &a, const B &b) const { return a <= b; } };
template <> struct greater_equal<void> { template <typename A, typename B> __host__ __device__ constexpr bool operator()(const A &a, const B &b) const { return a >= b; } };
template <> struct equal_to<void> { template <typename A, typename B> __host__ __device__ constexpr bool operator()(const A &a, const B &b) const { return a == b; } };
template <> struct not_equal_to<void> { template <typename A, typename B> __host__ __device__ constexpr bool operator()(const A &a, const B &b) const { return a != b; } };
template <> struct logical_and<void> { template <typename A, typename B> __host__ __device__ constexpr bool operator()(const A &a, const B &b) const { return a && b; } };
template <> struct logical_or<void> { template <typename A, typename B> __host__ __device__ constexpr bool operator()(const A &a, const B &b) const { return a || b; } };
template <> struct negate<void> { template <typename A> __host__ __device__ constexpr auto operator()(const A &a) const { return -a; } };
template <> struct logical_not<void> { template <typename A> __host__ __device__ constexpr auto operator()(const A &a) const { return !a; } };
template <> struct bit_not<void> { template <typename A> __host__ __device__ constexpr auto operator()(const A &a) const { return ~a; } };
template <typename A, typename R> struct unary_function { typedef A argument_type; typedef R result_type; };
template <typename A, typename B, typename R> struct binary_function { typedef A first_argument_type; typedef B second_argument_type; typedef R result_type; };
struct identity { template <typename T> __host__ __device__ constexpr const T &operator()(const T &t) const { return t; } };
template <typename M, typename T, typename O, typename... A> __host__ __device__ constexpr decltype(auto) __through(M T::*m, O &&o, A &&...a) {
    if constexpr (is_pointer_v<remove_reference_t<O>>) return __through(m, *o, static_cast<A &&>(a)...);
    else if constexpr (is_function_v<M>) return (o.*m)(static_cast<A &&>(a)...);
    else return (o.*m);
}
template <typename F, typename... A> __host__ __device__ constexpr decltype(auto) invoke(F &&f, A &&...a) {
    if constexpr (is_member_pointer_v<remove_reference_t<F>>) return __through(f, static_cast<A &&>(a)...);
    else return static_cast<F &&>(f)(static_cast<A &&>(a)...);
}
template <typename F> struct __negated {
    F f_;
    template <typename... A> __host__ __device__ constexpr bool operator()(A &&...a) const { return !f_(static_cast<A &&>(a)...); }
};
template <typename F> __host__ __device__ constexpr __negated<decay_t<F>> not_fn(F &&f) { return {f}; }
template <typename T> struct reference_wrapper {
    typedef T type;
    T *to_;
    __host__ __device__ constexpr reference_wrapper(T &t) : to_(&t) {}
    __host__ __device__ constexpr operator T &() const { return *to_; }
    __host__ __device__ constexpr T &get() const { return *to_; }
    template <typename... A> __host__ __device__ constexpr decltype(auto) operator()(A &&...a) const { return (*to_)(static_cast<A &&>(a)...); }
};
template <typename T> __host__ __device__ constexpr reference_wrapper<T> ref(T &t) { return reference_wrapper<T>(t); }
template <typename T> __host__ __device__ constexpr reference_wrapper<const T> cref(const T &t) { return reference_wrapper<const T>(t); }
template <typename R, typename F> struct __returning {
    F f_;
    template <typename... A> __host__ __device__ constexpr R operator()(A &&...a) const { return f_(static_cast<A &&>(a)...); }
};
template <typename R, typename F> __host__ __device__ constexpr __returning<R, decay_t<F>> proclaim_return_type(F &&f) { return {f}; }
}
