// <tuple>
namespace std {
template <typename... T> struct tuple;
template <> struct tuple<> {};
template <typename H, typename... T> struct tuple<H, T...> {
    H __head;
    [[no_unique_address]] tuple<T...> __tail;
    __host__ __device__ constexpr tuple() : __head(), __tail() {}
    __host__ __device__ constexpr tuple(const H &h, const T &...t) : __head(h), __tail(t...) {}
    template <typename A, typename B> __host__ __device__ constexpr tuple(const pair<A, B> &p) : __head(p.first), __tail(p.second) {}
    template <typename G, typename... U> __host__ __device__ constexpr tuple &operator=(const tuple<G, U...> &o) {
        __head = o.__head;
        if constexpr (sizeof...(T) > 0) __tail = o.__tail;
        return *this;
    }
    template <typename A, typename B> __host__ __device__ constexpr tuple &operator=(const pair<A, B> &o) {
        __head = o.first;
        __tail.__head = o.second;
        return *this;
    }
};
template <typename H, typename... T> struct tuple<H &, T...> {
    H &__head;
    [[no_unique_address]] tuple<T...> __tail;
    __host__ __device__ constexpr tuple(H &h, T... t) : __head(h), __tail(static_cast<T &&>(t)...) {}
    template <typename G, typename... U> __host__ __device__ constexpr tuple &operator=(const tuple<G, U...> &o) {
        __head = o.__head;
        if constexpr (sizeof...(T) > 0) __tail = o.__tail;
        return *this;
    }
    template <typename A, typename B> __host__ __device__ constexpr tuple &operator=(const pair<A, B> &o) {
        __head = o.first;
        __tail.__head = o.second;
        return *this;
    }
};
template <typename H, typename... T> struct tuple<H &&, T...> {
    H &&__head;
    [[no_unique_address]] tuple<T...> __tail;
    __host__ __device__ constexpr tuple(H &&h, T... t) : __head(static_cast<H &&>(h)), __tail(static_cast<T &&>(t)...) {}
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
template <size_t I, typename H, typename... T> __host__ __device__ constexpr auto &get(tuple<H, T...> &t) {
    if constexpr (I == 0) return t.__head;
    else return get<I - 1>(t.__tail);
}
template <size_t I, typename H, typename... T> __host__ __device__ constexpr const tuple_element_t<I, tuple<H, T...>> &get(const tuple<H, T...> &t) {
    if constexpr (I == 0) return t.__head;
    else return get<I - 1>(t.__tail);
}
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
template <typename... T, typename... U> __host__ __device__ constexpr bool operator==(const tuple<T...> &a, const tuple<U...> &b) {
    if constexpr (sizeof...(T) == 0) return true;
    else return a.__head == b.__head && a.__tail == b.__tail;
}
template <typename... T, typename... U> __host__ __device__ constexpr bool operator<(const tuple<T...> &a, const tuple<U...> &b) {
    if constexpr (sizeof...(T) == 0) return false;
    else return a.__head < b.__head || (!(b.__head < a.__head) && a.__tail < b.__tail);
}
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
