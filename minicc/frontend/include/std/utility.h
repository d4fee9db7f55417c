// <utility>, and of <algorithm> what is one expression.
namespace std {
template <typename T> __host__ __device__ constexpr typename remove_reference<T>::type &&move(T &&t) noexcept {
    return static_cast<typename remove_reference<T>::type &&>(t);
}
template <typename T> __host__ __device__ constexpr T &&forward(typename remove_reference<T>::type &t) noexcept { return static_cast<T &&>(t); }
template <typename T> __host__ __device__ constexpr T &&forward(typename remove_reference<T>::type &&t) noexcept { return static_cast<T &&>(t); }
template <typename T> __host__ __device__ constexpr const T &as_const(T &t) { return t; }
template <typename T> __host__ __device__ constexpr T *addressof(T &t) { return __builtin_addressof(t); }
template <typename T> __host__ __device__ constexpr void swap(T &a, T &b) {
    T t(static_cast<T &&>(a));
    a = static_cast<T &&>(b);
    b = static_cast<T &&>(t);
}
template <typename T, size_t N> __host__ __device__ constexpr void swap(T (&a)[N], T (&b)[N]) {
    for (size_t i = 0; i < N; i++) swap(a[i], b[i]);
}
template <typename T, typename U = T> __host__ __device__ constexpr T exchange(T &t, U &&u) {
    T old(static_cast<T &&>(t));
    t = static_cast<U &&>(u);
    return old;
}
template <typename T, typename U> __host__ __device__ constexpr bool cmp_equal(T a, U b) { return a == (common_type_t<T, U>)b && (a < 0) == (b < 0); }
template <typename T, typename U> __host__ __device__ constexpr bool cmp_not_equal(T a, U b) { return !cmp_equal(a, b); }
template <typename T, typename U> __host__ __device__ constexpr bool cmp_less(T a, U b) { return (a < 0) != (b < 0) ? a < 0 : (common_type_t<T, U>)a < (common_type_t<T, U>)b; }
template <typename T, typename U> __host__ __device__ constexpr bool cmp_greater(T a, U b) { return cmp_less(b, a); }
template <typename T, typename U> __host__ __device__ constexpr bool cmp_less_equal(T a, U b) { return !cmp_less(b, a); }
template <typename T, typename U> __host__ __device__ constexpr bool cmp_greater_equal(T a, U b) { return !cmp_less(a, b); }
template <typename R, typename T> __host__ __device__ constexpr bool in_range(T v) { return !cmp_less(v, numeric_limits<R>::min()) && !cmp_less(numeric_limits<R>::max(), v); }
template <typename E> __host__ __device__ constexpr auto to_underlying(E e) { return (underlying_type_t<E>)e; }
__host__ __device__ inline void unreachable() { __builtin_unreachable(); }
template <typename T> __host__ __device__ constexpr const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <typename T> __host__ __device__ constexpr const T &max(const T &a, const T &b) { return a < b ? b : a; }
template <typename T, typename C> __host__ __device__ constexpr const T &min(const T &a, const T &b, C less) { return less(b, a) ? b : a; }
template <typename T, typename C> __host__ __device__ constexpr const T &max(const T &a, const T &b, C less) { return less(a, b) ? b : a; }
template <typename T> __host__ __device__ constexpr const T &clamp(const T &v, const T &lo, const T &hi) { return v < lo ? lo : hi < v ? hi : v; }
template <typename T, size_t N> __host__ __device__ constexpr size_t size(const T (&)[N]) { return N; }
template <typename T, size_t N> __host__ __device__ constexpr T *begin(T (&a)[N]) { return a; }
template <typename T, size_t N> __host__ __device__ constexpr T *end(T (&a)[N]) { return a + N; }

struct piecewise_construct_t {};
struct in_place_t {};
template <typename A, typename B> struct pair {
    typedef A first_type;
    typedef B second_type;
    A first;
    B second;
    __host__ __device__ constexpr pair() : first(), second() {}
    __host__ __device__ constexpr pair(const A &a, const B &b) : first(a), second(b) {}
    template <typename C, typename D, typename = enable_if_t<is_constructible<A, C>::value && is_constructible<B, D>::value>>
    __host__ __device__ constexpr pair(C &&c, D &&d) : first(static_cast<C &&>(c)), second(static_cast<D &&>(d)) {}
    template <typename C, typename D> __host__ __device__ constexpr pair(const pair<C, D> &o) : first(o.first), second(o.second) {}
    template <typename C, typename D> __host__ __device__ constexpr pair(pair<C, D> &&o) : first(static_cast<C &&>(o.first)), second(static_cast<D &&>(o.second)) {}
    __host__ __device__ constexpr bool operator==(const pair &o) const { return first == o.first && second == o.second; }
    __host__ __device__ constexpr bool operator!=(const pair &o) const { return !(*this == o); }
    __host__ __device__ constexpr bool operator<(const pair &o) const { return first < o.first || (!(o.first < first) && second < o.second); }
    __host__ __device__ constexpr bool operator>(const pair &o) const { return o < *this; }
};
template <typename A, typename B> __host__ __device__ constexpr pair<typename decay<A>::type, typename decay<B>::type> make_pair(A &&a, B &&b) {
    return pair<typename decay<A>::type, typename decay<B>::type>(static_cast<A &&>(a), static_cast<B &&>(b));
}

template <typename T, T... I> struct integer_sequence {
    typedef T value_type;
    static __host__ __device__ constexpr size_t size() { return sizeof...(I); }
};
template <size_t... I> using index_sequence = integer_sequence<size_t, I...>;
template <typename T, typename A, typename B> struct __join;
template <typename T, T... I, T... J> struct __join<T, integer_sequence<T, I...>, integer_sequence<T, J...>> {
    typedef integer_sequence<T, I..., (T(sizeof...(I)) + J)...> type;
};
template <typename T, size_t N> struct __sequence {
    typedef typename __join<T, typename __sequence<T, N / 2>::type, typename __sequence<T, N - N / 2>::type>::type type;
};
template <typename T> struct __sequence<T, 0> { typedef integer_sequence<T> type; };
template <typename T> struct __sequence<T, 1> { typedef integer_sequence<T, 0> type; };
template <typename T, T N> using make_integer_sequence = typename __sequence<T, size_t(N)>::type;
template <size_t N> using make_index_sequence = typename __sequence<size_t, N>::type;
template <typename... T> using index_sequence_for = typename __sequence<size_t, sizeof...(T)>::type;
}
