// <mdspan>: extents some of which are known, three layouts, elements by reference.
namespace std {
template <typename I, size_t... E> struct extents {
    typedef I index_type;
    typedef size_t rank_type;
    I sizes_[sizeof...(E) + (sizeof...(E) == 0)];
    static __host__ __device__ constexpr size_t rank() { return sizeof...(E); }
    static __host__ __device__ constexpr size_t rank_dynamic() { return ((size_t)(E == ~(size_t)0) + ... + 0); }
    static __host__ __device__ constexpr size_t static_extent(size_t k) {
        constexpr size_t all[] = {E..., 0};
        return all[k];
    }
    __host__ __device__ constexpr extents() : sizes_() { size_t k = 0; ((sizes_[k++] = E == ~(size_t)0 ? 0 : (I)E), ...); }
    template <typename... N, typename = enable_if_t<(is_convertible_v<N, I> && ...) && (sizeof...(N) > 0)>> __host__ __device__ constexpr extents(N... n) : sizes_() {
        const I given[] = {(I)n...};
        size_t k = 0, at = 0;
        ((sizes_[k++] = sizeof...(N) == sizeof...(E) ? given[k] : E == ~(size_t)0 ? given[at++] : (I)E), ...);
    }
    __host__ __device__ constexpr I extent(size_t k) const { return static_extent(k) == ~(size_t)0 ? sizes_[k] : (I)static_extent(k); }
};
template <typename I, typename S> struct __dextents;
template <typename I, size_t... K> struct __dextents<I, index_sequence<K...>> { typedef extents<I, (K, ~(size_t)0)...> type; };
template <typename I, size_t R> using dextents = typename __dextents<I, make_index_sequence<R>>::type;
template <size_t R, typename I = size_t> using dims = dextents<I, R>;
struct layout_right {
    template <typename E> struct mapping {
        typedef E extents_type;
        E extents_;
        __host__ __device__ constexpr mapping() : extents_() {}
        __host__ __device__ constexpr mapping(const E &e) : extents_(e) {}
        __host__ __device__ constexpr const E &extents() const { return extents_; }
        __host__ __device__ constexpr typename E::index_type stride(size_t k) const {
            typename E::index_type s = 1;
            for (size_t i = k + 1; i < E::rank(); i++) s *= extents_.extent(i);
            return s;
        }
        __host__ __device__ constexpr typename E::index_type required_span_size() const {
            typename E::index_type s = 1;
            for (size_t k = 0; k < E::rank(); k++) s *= extents_.extent(k);
            return s;
        }
    };
};
struct layout_left {
    template <typename E> struct mapping {
        typedef E extents_type;
        E extents_;
        __host__ __device__ constexpr mapping() : extents_() {}
        __host__ __device__ constexpr mapping(const E &e) : extents_(e) {}
        __host__ __device__ constexpr const E &extents() const { return extents_; }
        __host__ __device__ constexpr typename E::index_type stride(size_t k) const {
            typename E::index_type s = 1;
            for (size_t i = 0; i < k; i++) s *= extents_.extent(i);
            return s;
        }
        __host__ __device__ constexpr typename E::index_type required_span_size() const {
            typename E::index_type s = 1;
            for (size_t k = 0; k < E::rank(); k++) s *= extents_.extent(k);
            return s;
        }
    };
};
struct layout_stride {
    template <typename E> struct mapping {
        typedef E extents_type;
        E extents_;
        typename E::index_type strides_[E::rank() ? E::rank() : 1];
        template <typename S> __host__ __device__ constexpr mapping(const E &e, const array<S, E::rank()> &s) : extents_(e), strides_() { for (size_t k = 0; k < E::rank(); k++) strides_[k] = s[k]; }
        __host__ __device__ constexpr const E &extents() const { return extents_; }
        __host__ __device__ constexpr typename E::index_type stride(size_t k) const { return strides_[k]; }
        __host__ __device__ constexpr typename E::index_type required_span_size() const {
            typename E::index_type s = 1;
            for (size_t k = 0; k < E::rank(); k++) {
                if (extents_.extent(k) == 0) return 0;
                s += (extents_.extent(k) - 1) * strides_[k];
            }
            return s;
        }
    };
};
template <typename T> struct default_accessor {};
template <typename T, typename E, typename L = layout_right, typename A = default_accessor<T>> struct mdspan {
    typedef T element_type;
    typedef remove_cv_t<T> value_type;
    typedef E extents_type;
    typedef L layout_type;
    typedef typename L::template mapping<E> mapping_type;
    typedef typename E::index_type index_type;
    typedef size_t size_type;
    typedef T &reference;
    typedef T *data_handle_type;
    T *data_;
    mapping_type map_;
    __host__ __device__ constexpr mdspan() : data_(nullptr), map_() {}
    __host__ __device__ constexpr mdspan(T *p, const mapping_type &m) : data_(p), map_(m) {}
    __host__ __device__ constexpr mdspan(T *p, const E &e) : data_(p), map_(e) {}
    template <typename... N, typename = enable_if_t<(is_convertible_v<N, index_type> && ...)>> __host__ __device__ constexpr explicit mdspan(T *p, N... n) : data_(p), map_(E(n...)) {}
    template <size_t... K, typename... N> __host__ __device__ constexpr index_type at_(index_sequence<K...>, N... n) const { return (((index_type)n * map_.stride(K)) + ... + 0); }
    template <typename... N> __host__ __device__ constexpr T &operator()(N... n) const { return data_[at_(make_index_sequence<sizeof...(N)>{}, n...)]; }
    template <typename N> __host__ __device__ constexpr T &operator[](N n) const {
        if constexpr (is_convertible_v<N, index_type>) return data_[(index_type)n * map_.stride(0)];
        else {
            index_type at = 0;
            for (size_t k = 0; k < E::rank(); k++) at += n[k] * map_.stride(k);
            return data_[at];
        }
    }
    static __host__ __device__ constexpr size_t rank() { return E::rank(); }
    static __host__ __device__ constexpr size_t rank_dynamic() { return E::rank_dynamic(); }
    static __host__ __device__ constexpr size_t static_extent(size_t k) { return E::static_extent(k); }
    __host__ __device__ constexpr const E &extents() const { return map_.extents(); }
    __host__ __device__ constexpr index_type extent(size_t k) const { return map_.extents().extent(k); }
    __host__ __device__ constexpr index_type stride(size_t k) const { return map_.stride(k); }
    __host__ __device__ constexpr size_t size() const { size_t n = 1; for (size_t k = 0; k < E::rank(); k++) n *= extent(k); return n; }
    __host__ __device__ constexpr bool empty() const { return size() == 0; }
    __host__ __device__ constexpr T *data_handle() const { return data_; }
    __host__ __device__ constexpr const mapping_type &mapping() const { return map_; }
};
}
