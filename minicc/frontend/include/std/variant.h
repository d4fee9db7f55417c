// <variant> of types that are copied as bytes; one variant is visited at a time.
namespace std {
struct monostate {};
constexpr size_t variant_npos = (size_t)-1;
template <size_t I, typename H, typename... T> struct __nth { typedef typename __nth<I - 1, T...>::type type; };
template <typename H, typename... T> struct __nth<0, H, T...> { typedef H type; };
template <typename U, typename... T> __host__ __device__ constexpr size_t __alternative() {
    constexpr bool same[] = {is_same_v<U, T>...}, fits[] = {is_convertible_v<U, T>...};
    for (size_t i = 0; i < sizeof...(T); i++) if (same[i]) return i;
    for (size_t i = 0; i < sizeof...(T); i++) if (fits[i]) return i;
    return sizeof...(T);
}
template <typename... S> __host__ __device__ constexpr size_t __largest(S... s) {
    size_t most = 0;
    ((most = s > most ? s : most), ...);
    return most;
}
template <typename T> struct __is_variant { static constexpr bool value = false; };
template <typename... T> struct variant {
    alignas(__largest(alignof(T)...)) unsigned char held_[__largest(sizeof(T)...)];
    unsigned index_;
    template <size_t I> using __type = typename __nth<I, T...>::type;
    __host__ __device__ variant() : index_(0) { new (held_) __type<0>(); }
    template <typename U, enable_if_t<!__is_variant<decay_t<U>>::value, int> = 0> __host__ __device__ variant(U &&v) {
        constexpr size_t i = __alternative<decay_t<U>, T...>();
        index_ = i;
        new (held_) __type<i>(v);
    }
    template <typename U, enable_if_t<!__is_variant<decay_t<U>>::value, int> = 0> __host__ __device__ variant &operator=(U &&v) {
        constexpr size_t i = __alternative<decay_t<U>, T...>();
        index_ = i;
        new (held_) __type<i>(v);
        return *this;
    }
    __host__ __device__ constexpr size_t index() const { return index_; }
    __host__ __device__ constexpr bool valueless_by_exception() const { return false; }
    template <size_t I, typename... A> __host__ __device__ __type<I> &emplace(A &&...a) {
        index_ = I;
        return *new (held_) __type<I>(a...);
    }
    template <typename U, typename... A> __host__ __device__ U &emplace(A &&...a) {
        index_ = __alternative<U, T...>();
        return *new (held_) U(a...);
    }
};
template <typename... T> struct __is_variant<variant<T...>> { static constexpr bool value = true; };
template <typename V> struct variant_size;
template <typename... T> struct variant_size<variant<T...>> { static constexpr size_t value = sizeof...(T); };
template <typename... T> struct variant_size<const variant<T...>> { static constexpr size_t value = sizeof...(T); };
template <typename V> constexpr size_t variant_size_v = variant_size<V>::value;
template <size_t I, typename V> struct variant_alternative;
template <size_t I, typename... T> struct variant_alternative<I, variant<T...>> { typedef typename __nth<I, T...>::type type; };
template <size_t I, typename V> using variant_alternative_t = typename variant_alternative<I, V>::type;
// What has no exceptions stops.
__host__ __device__ inline void __holds(bool yes) { if (!yes) __trap(); }
template <size_t I, typename... T> __host__ __device__ variant_alternative_t<I, variant<T...>> &get(variant<T...> &v) {
    __holds(v.index_ == I);
    return *(variant_alternative_t<I, variant<T...>> *)v.held_;
}
template <size_t I, typename... T> __host__ __device__ const variant_alternative_t<I, variant<T...>> &get(const variant<T...> &v) {
    __holds(v.index_ == I);
    return *(const variant_alternative_t<I, variant<T...>> *)v.held_;
}
template <typename U, typename... T> __host__ __device__ U &get(variant<T...> &v) {
    static_assert((is_same<U, T>::value || ...), "the variant has no such alternative");
    return get<__alternative<U, T...>()>(v);
}
template <typename U, typename... T> __host__ __device__ const U &get(const variant<T...> &v) {
    static_assert((is_same<U, T>::value || ...), "the variant has no such alternative");
    return get<__alternative<U, T...>()>(v);
}
template <typename U, typename... T> __host__ __device__ constexpr bool holds_alternative(const variant<T...> &v) {
    return v.index() == __alternative<U, T...>();
}
template <typename U, typename... T> __host__ __device__ U *get_if(variant<T...> *v) {
    return v && holds_alternative<U>(*v) ? (U *)v->held_ : nullptr;
}
template <typename U, typename... T> __host__ __device__ const U *get_if(const variant<T...> *v) {
    return v && holds_alternative<U>(*v) ? (const U *)v->held_ : nullptr;
}
template <size_t I, typename... T> __host__ __device__ variant_alternative_t<I, variant<T...>> *get_if(variant<T...> *v) {
    return v && v->index() == I ? (variant_alternative_t<I, variant<T...>> *)v->held_ : nullptr;
}
template <size_t I, typename... T> __host__ __device__ const variant_alternative_t<I, variant<T...>> *get_if(const variant<T...> *v) {
    return v && v->index() == I ? (const variant_alternative_t<I, variant<T...>> *)v->held_ : nullptr;
}
template <size_t I, typename F, typename V> __host__ __device__ constexpr decltype(auto) __visited(F &&f, V &v) {
    if constexpr (I + 1 == variant_size<remove_const_t<V>>::value) return f(*get_if<I>(&v));
    else {
        if (v.index() == I) return f(*get_if<I>(&v));
        return __visited<I + 1>(f, v);
    }
}
template <typename F, typename V> __host__ __device__ constexpr decltype(auto) visit(F &&f, V &&v) { return __visited<0>(f, v); }
}
