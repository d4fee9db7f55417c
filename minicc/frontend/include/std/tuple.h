// <tuple>
namespace std {
template <typename... T> struct tuple;
template <> struct tuple<> {};
template <size_t I, typename T, bool Empty = is_empty_v<T> && !is_final_v<T>> struct __leaf {
    T __value;
    __host__ __device__ constexpr __leaf() : __value() {}
    template <typename U> __host__ __device__ constexpr __leaf(int, U &&u) : __value(static_cast<U &&>(u)) {}
};
template <size_t I, typename T> struct __leaf<I, T, true> {
    [[no_unique_address]] T __value;
    __host__ __device__ constexpr __leaf() : __value() {}
    template <typename U> __host__ __device__ constexpr __leaf(int, U &&u) : __value(static_cast<U &&>(u)) {}
};
template <size_t I, typename T> __host__ __device__ constexpr T &__leaf_value(__leaf<I, T> &l) { return l.__value; }
template <size_t I, typename T> __host__ __device__ constexpr const T &__leaf_value(const __leaf<I, T> &l) { return l.__value; }
template <typename S, typename... T> struct __leaves;
template <size_t... I, typename... T> struct __leaves<index_sequence<I...>, T...> : __leaf<I, T>... {
    constexpr __leaves() = default;
    template <typename... U> __host__ __device__ constexpr __leaves(int, U &&...u) : __leaf<I, T>(0, static_cast<U &&>(u))... {}
    template <typename... U> __host__ __device__ constexpr __leaves(const __leaves<index_sequence<I...>, U...> &o) : __leaf<I, T>(0, __leaf_value<I>(o))... {}
    template <typename O> __host__ __device__ constexpr void __assign(const O &o) { ((__leaf_value<I>(*this) = __leaf_value<I>(o)), ...); }
};
struct __no_tuple {};
template <typename... T> struct tuple {
    __leaves<make_index_sequence<sizeof...(T)>, T...> __parts;
    constexpr tuple() = default;
    __host__ __device__ constexpr tuple(const T &...t) : __parts(0, t...) {}
    template <typename... U, enable_if_t<sizeof...(U) == sizeof...(T) && (is_constructible_v<T, U &&> && ...), int> = 0>
    __host__ __device__ constexpr tuple(U &&...u) : __parts(0, static_cast<U &&>(u)...) {}
    template <typename... U, enable_if_t<sizeof...(U) == sizeof...(T) && !is_same_v<tuple<U...>, tuple> && (is_constructible_v<T, const U &> && ...), int> = 0>
    __host__ __device__ constexpr tuple(const tuple<U...> &o) : __parts(o.__parts) {}
    template <typename A, typename B> __host__ __device__ constexpr tuple(const pair<A, B> &p) : __parts(0, p.first, p.second) {}
    __host__ __device__ constexpr tuple &operator=(const conditional_t<(is_reference_v<T> || ...), tuple, __no_tuple> &o) {
        __parts.__assign(o.__parts);
        return *this;
    }
    template <typename... U> __host__ __device__ constexpr tuple &operator=(const tuple<U...> &o) {
        __parts.__assign(o.__parts);
        return *this;
    }
    template <typename A, typename B> __host__ __device__ constexpr tuple &operator=(const pair<A, B> &o) {
        __leaf_value<0>(__parts) = o.first;
        __leaf_value<1>(__parts) = o.second;
        return *this;
    }
};
template <typename... T> tuple(T...) -> tuple<T...>;
template <typename A, typename B> tuple(pair<A, B>) -> tuple<A, B>;
template <size_t I, typename T> struct tuple_element;
template <typename H, typename... T> struct tuple_element<0, tuple<H, T...>> { typedef H type; };
template <size_t I, typename H, typename... T> struct tuple_element<I, tuple<H, T...>> : tuple_element<I - 1, tuple<T...>> {};
template <size_t I, typename T> using tuple_element_t = typename tuple_element<I, T>::type;
template <typename T> struct tuple_size;
template <typename... T> struct tuple_size<tuple<T...>> : integral_constant<size_t, sizeof...(T)> {};
template <typename A, typename B> struct tuple_size<pair<A, B>> : integral_constant<size_t, 2> {};
template <typename T, size_t N> struct tuple_size<array<T, N>> : integral_constant<size_t, N> {};
template <typename T> struct tuple_size<const T> : tuple_size<T> {};
template <typename A, typename B> struct tuple_element<0, pair<A, B>> { typedef A type; };
template <typename A, typename B> struct tuple_element<1, pair<A, B>> { typedef B type; };
template <size_t I, typename T, size_t N> struct tuple_element<I, array<T, N>> { typedef T type; };
template <typename T> inline constexpr size_t tuple_size_v = tuple_size<T>::value;
template <size_t I, typename... T> __host__ __device__ constexpr tuple_element_t<I, tuple<T...>> &get(tuple<T...> &t) { return __leaf_value<I>(t.__parts); }
template <size_t I, typename... T> __host__ __device__ constexpr const tuple_element_t<I, tuple<T...>> &get(const tuple<T...> &t) { return __leaf_value<I>(t.__parts); }
template <size_t I, typename A, typename B> __host__ __device__ constexpr auto &get(pair<A, B> &p) {
    if constexpr (I == 0) return p.first;
    else return p.second;
}
template <size_t I, typename A, typename B> __host__ __device__ constexpr const tuple_element_t<I, pair<A, B>> &get(const pair<A, B> &p) {
    if constexpr (I == 0) return p.first;
    else return p.second;
}
template <size_t I, typename T, size_t N> __host__ __device__ constexpr T &get(array<T, N> &a) { return a[I]; }
template <size_t I, typename T, size_t N> __host__ __device__ constexpr const T &get(const array<T, N> &a) { return a[I]; }
template <typename... T> __host__ __device__ constexpr tuple<T &...> tie(T &...t) { return tuple<T &...>(t...); }
template <typename... T> __host__ __device__ constexpr tuple<T &&...> forward_as_tuple(T &&...t) { return tuple<T &&...>(static_cast<T &&>(t)...); }
template <typename... T> __host__ __device__ constexpr tuple<typename decay<T>::type...> make_tuple(T &&...t) {
    return tuple<typename decay<T>::type...>(t...);
}
struct __ignore_t { template <typename T> __host__ __device__ constexpr const __ignore_t &operator=(const T &) const { return *this; } };
static __device__ const __ignore_t ignore{};
template <size_t I, typename A, typename B> __host__ __device__ constexpr bool __equal_from(const A &a, const B &b) {
    if constexpr (I == tuple_size<A>::value) return true;
    else return get<I>(a) == get<I>(b) && __equal_from<I + 1>(a, b);
}
template <size_t I, typename A, typename B> __host__ __device__ constexpr bool __less_from(const A &a, const B &b) {
    if constexpr (I == tuple_size<A>::value) return false;
    else return get<I>(a) < get<I>(b) || (!(get<I>(b) < get<I>(a)) && __less_from<I + 1>(a, b));
}
template <typename... T, typename... U> __host__ __device__ constexpr bool operator==(const tuple<T...> &a, const tuple<U...> &b) { return __equal_from<0>(a, b); }
template <typename... T, typename... U> __host__ __device__ constexpr bool operator<(const tuple<T...> &a, const tuple<U...> &b) { return __less_from<0>(a, b); }
template <typename... T, typename... U> __host__ __device__ constexpr bool operator!=(const tuple<T...> &a, const tuple<U...> &b) { return !(a == b); }
template <typename... T, typename... U> __host__ __device__ constexpr bool operator>(const tuple<T...> &a, const tuple<U...> &b) { return b < a; }
template <typename... T, typename... U> __host__ __device__ constexpr bool operator<=(const tuple<T...> &a, const tuple<U...> &b) { return !(b < a); }
template <typename... T, typename... U> __host__ __device__ constexpr bool operator>=(const tuple<T...> &a, const tuple<U...> &b) { return !(a < b); }
template <typename W, typename... T> __host__ __device__ constexpr size_t __place() {
    constexpr bool same[] = {is_same_v<W, T>...};
    size_t at = 0;
    while (!same[at]) at++;
    return at;
}
template <typename W, typename... T> __host__ __device__ constexpr W &get(tuple<T...> &t) { return get<__place<W, T...>()>(t); }
template <typename W, typename... T> __host__ __device__ constexpr const W &get(const tuple<T...> &t) { return get<__place<W, T...>()>(t); }
template <typename A, typename B, size_t... I, size_t... J> __host__ __device__ constexpr auto __joined(const A &a, const B &b, index_sequence<I...>, index_sequence<J...>) {
    return tuple<tuple_element_t<I, A>..., tuple_element_t<J, B>...>(get<I>(a)..., get<J>(b)...);
}
__host__ __device__ constexpr tuple<> tuple_cat() { return tuple<>(); }
template <typename A> __host__ __device__ constexpr A tuple_cat(const A &a) { return a; }
template <typename A, typename B, typename... C> __host__ __device__ constexpr auto tuple_cat(const A &a, const B &b, const C &...c) {
    return tuple_cat(__joined(a, b, make_index_sequence<tuple_size_v<A>>{}, make_index_sequence<tuple_size_v<B>>{}), c...);
}
template <typename R, typename T, size_t... I> __host__ __device__ constexpr R __made_of(T &t, index_sequence<I...>) { return R(get<I>(t)...); }
template <typename R, typename T> __host__ __device__ constexpr R make_from_tuple(T &&t) {
    return __made_of<R>(t, make_index_sequence<tuple_size<typename decay<T>::type>::value>{});
}
template <typename F, typename T, size_t... I> __host__ __device__ constexpr decltype(auto) __apply(F &&f, T &&t, index_sequence<I...>) {
    return f(get<I>(t)...);
}
template <typename F, typename T> __host__ __device__ constexpr decltype(auto) apply(F &&f, T &&t) {
    return __apply(f, t, make_index_sequence<tuple_size<typename decay<T>::type>::value>{});
}
}
