// Thrust's algorithms with an execution policy, on pointers, in one thread: what device code calls as thrust::seq.
namespace std {
struct __policy {};
constexpr __policy seq{};
constexpr __policy device{};
constexpr __policy host{};
template <typename T, typename C> __host__ __device__ void stable_sort(__policy, T *first, T *last, C less) {
    for (T *p = first + 1; p < last; ++p) {
        T v = *p;
        T *q = p;
        for (; q > first && less(v, q[-1]); --q) *q = q[-1];
        *q = v;
    }
}
template <typename T> __host__ __device__ void stable_sort(__policy, T *first, T *last) {
    stable_sort(seq, first, last, std::less<T>());
}
template <typename T, typename C> __host__ __device__ void sort(__policy, T *first, T *last, C less) {
    stable_sort(seq, first, last, less);
}
template <typename T> __host__ __device__ void sort(__policy, T *first, T *last) {
    stable_sort(seq, first, last, std::less<T>());
}
template <typename K, typename V, typename C> __host__ __device__ void stable_sort_by_key(__policy, K *first, K *last, V *values, C less) {
    for (long p = 1; p < last - first; ++p) {
        K k = first[p];
        V v = values[p];
        long q = p;
        for (; q > 0 && less(k, first[q - 1]); --q) {
            first[q] = first[q - 1];
            values[q] = values[q - 1];
        }
        first[q] = k;
        values[q] = v;
    }
}
template <typename K, typename V> __host__ __device__ void stable_sort_by_key(__policy, K *first, K *last, V *values) {
    stable_sort_by_key(seq, first, last, values, std::less<K>());
}
template <typename K, typename V, typename C> __host__ __device__ void sort_by_key(__policy, K *first, K *last, V *values, C less) {
    stable_sort_by_key(seq, first, last, values, less);
}
template <typename K, typename V> __host__ __device__ void sort_by_key(__policy, K *first, K *last, V *values) {
    stable_sort_by_key(seq, first, last, values, std::less<K>());
}
template <typename I, typename U, typename F> __host__ __device__ U reduce(__policy, I first, I last, U sum, F op) {
    for (; first != last; ++first) sum = op(sum, *first);
    return sum;
}
template <typename I, typename U> __host__ __device__ U reduce(__policy, I first, I last, U sum) {
    for (; first != last; ++first) sum = sum + *first;
    return sum;
}
template <typename I> __host__ __device__ typename std::iterator_traits<I>::value_type reduce(__policy, I first, I last) {
    typename std::iterator_traits<I>::value_type sum{};
    for (; first != last; ++first) sum = sum + *first;
    return sum;
}
template <typename I, typename G, typename U, typename F> __host__ __device__ U transform_reduce(__policy, I first, I last, G map, U sum, F op) {
    for (; first != last; ++first) sum = op(sum, map(*first));
    return sum;
}
template <typename T, typename O, typename U> __host__ __device__ U inner_product(__policy, const T *first, const T *last, const O *other, U sum) {
    for (; first != last; ++first, ++other) sum = sum + *first * *other;
    return sum;
}
template <typename T, typename U> __host__ __device__ void fill(__policy, T *first, T *last, const U &v) {
    for (; first != last; ++first) *first = v;
}
template <typename T, typename N, typename U> __host__ __device__ T * fill_n(__policy, T *first, N n, const U &v) {
    for (N i = 0; i < n; ++i) *first++ = v;
    return first;
}
template <typename T> __host__ __device__ void sequence(__policy, T *first, T *last) {
    for (T v = T(); first != last; ++first, ++v) *first = v;
}
template <typename T, typename U> __host__ __device__ void sequence(__policy, T *first, T *last, U v) {
    for (; first != last; ++first, ++v) *first = v;
}
template <typename T, typename O> __host__ __device__ O * copy(__policy, const T *first, const T *last, O *to) {
    for (; first != last; ++first, ++to) *to = *first;
    return to;
}
template <typename T, typename N, typename O> __host__ __device__ O * copy_n(__policy, const T *first, N n, O *to) {
    for (N i = 0; i < n; ++i) *to++ = *first++;
    return to;
}
template <typename T, typename O, typename F> __host__ __device__ O * copy_if(__policy, const T *first, const T *last, O *to, F keep) {
    for (; first != last; ++first)
        if (keep(*first)) *to++ = *first;
    return to;
}
template <typename T, typename F> __host__ __device__ T * remove_if(__policy, T *first, T *last, F drop) {
    T *to = first;
    for (; first != last; ++first)
        if (!drop(*first)) *to++ = *first;
    return to;
}
template <typename T> __host__ __device__ T * unique(__policy, T *first, T *last) {
    if (first == last) return last;
    T *to = first;
    while (++first != last)
        if (!(*to == *first)) *++to = *first;
    return to + 1;
}
template <typename T, typename O, typename F> __host__ __device__ O * transform(__policy, const T *first, const T *last, O *to, F map) {
    for (; first != last; ++first, ++to) *to = map(*first);
    return to;
}
template <typename T, typename U, typename O, typename F> __host__ __device__ O * transform(__policy, const T *first, const T *last, const U *other, O *to, F op) {
    for (; first != last; ++first, ++other, ++to) *to = op(*first, *other);
    return to;
}
template <typename T, typename F> __host__ __device__ T * for_each(__policy, T *first, T *last, F f) {
    for (; first != last; ++first) f(*first);
    return last;
}
template <typename T, typename O, typename F> __host__ __device__ O * inclusive_scan(__policy, const T *first, const T *last, O *to, F op) {
    if (first == last) return to;
    T sum = *first;
    *to++ = sum;
    while (++first != last) *to++ = sum = op(sum, *first);
    return to;
}
template <typename T, typename O> __host__ __device__ O * inclusive_scan(__policy, const T *first, const T *last, O *to) {
    return inclusive_scan(seq, first, last, to, std::plus<T>());
}
template <typename T, typename O, typename U, typename F> __host__ __device__ O * exclusive_scan(__policy, const T *first, const T *last, O *to, U sum, F op) {
    for (; first != last; ++first) {
        U next = op(sum, *first);
        *to++ = sum;
        sum = next;
    }
    return to;
}
template <typename T, typename O, typename U> __host__ __device__ O * exclusive_scan(__policy, const T *first, const T *last, O *to, U sum) {
    return exclusive_scan(seq, first, last, to, sum, std::plus<U>());
}
template <typename T, typename O> __host__ __device__ O * exclusive_scan(__policy, const T *first, const T *last, O *to) {
    return exclusive_scan(seq, first, last, to, T(), std::plus<T>());
}
template <typename T, typename U> __host__ __device__ long count(__policy, const T *first, const T *last, const U &v) {
    long n = 0;
    for (; first != last; ++first) n += *first == v;
    return n;
}
template <typename T, typename F> __host__ __device__ long count_if(__policy, const T *first, const T *last, F f) {
    long n = 0;
    for (; first != last; ++first) n += f(*first) ? 1 : 0;
    return n;
}
template <typename T, typename U> __host__ __device__ T * find(__policy, T *first, T *last, const U &v) {
    while (first != last && !(*first == v)) ++first;
    return first;
}
template <typename T, typename F> __host__ __device__ T * find_if(__policy, T *first, T *last, F f) {
    while (first != last && !f(*first)) ++first;
    return first;
}
template <typename T> __host__ __device__ T * max_element(__policy, T *first, T *last) {
    T *best = first;
    for (T *p = first; p != last; ++p)
        if (*best < *p) best = p;
    return best;
}
template <typename T, typename C> __host__ __device__ T * max_element(__policy, T *first, T *last, C less) {
    T *best = first;
    for (T *p = first; p != last; ++p)
        if (less(*best, *p)) best = p;
    return best;
}
template <typename T> __host__ __device__ T * min_element(__policy, T *first, T *last) {
    T *best = first;
    for (T *p = first; p != last; ++p)
        if (*p < *best) best = p;
    return best;
}
template <typename T, typename C> __host__ __device__ T * min_element(__policy, T *first, T *last, C less) {
    T *best = first;
    for (T *p = first; p != last; ++p)
        if (less(*p, *best)) best = p;
    return best;
}
template <typename T, typename U, typename C> __host__ __device__ T * lower_bound(__policy, T *first, T *last, const U &v, C less) {
    for (long n = last - first; n > 0;) {
        if (less(first[n / 2], v)) {
            first += n / 2 + 1;
            n -= n / 2 + 1;
        } else n /= 2;
    }
    return first;
}
template <typename T, typename U> __host__ __device__ T * lower_bound(__policy, T *first, T *last, const U &v) {
    return lower_bound(seq, first, last, v, std::less<>());
}
template <typename T, typename U, typename C> __host__ __device__ T * upper_bound(__policy, T *first, T *last, const U &v, C less) {
    for (long n = last - first; n > 0;) {
        if (!less(v, first[n / 2])) {
            first += n / 2 + 1;
            n -= n / 2 + 1;
        } else n /= 2;
    }
    return first;
}
template <typename T, typename U> __host__ __device__ T * upper_bound(__policy, T *first, T *last, const U &v) {
    return upper_bound(seq, first, last, v, std::less<>());
}
template <typename T, typename U> __host__ __device__ bool binary_search(__policy, T *first, T *last, const U &v) {
    T *at = lower_bound(seq, first, last, v);
    return at != last && !(v < *at);
}
template <typename T, typename F> __host__ __device__ bool all_of(__policy, const T *first, const T *last, F f) {
    for (; first != last; ++first)
        if (!f(*first)) return false;
    return true;
}
template <typename T, typename F> __host__ __device__ bool any_of(__policy, const T *first, const T *last, F f) {
    for (; first != last; ++first)
        if (f(*first)) return true;
    return false;
}
template <typename T, typename F> __host__ __device__ bool none_of(__policy, const T *first, const T *last, F f) {
    for (; first != last; ++first)
        if (f(*first)) return false;
    return true;
}
template <typename T> __host__ __device__ void reverse(__policy, T *first, T *last) {
    while (first < --last) {
        T v = *first;
        *first++ = *last;
        *last = v;
    }
}
}
