// <algorithm> without a policy: what is constexpr in C++20, over iterators of any kind that pointers are of.
namespace std {
template <typename I, typename F> __host__ __device__ constexpr bool all_of(I first, I last, F f) {
    for (; first != last; ++first)
        if (!f(*first)) return false;
    return true;
}
template <typename I, typename F> __host__ __device__ constexpr bool any_of(I first, I last, F f) {
    for (; first != last; ++first)
        if (f(*first)) return true;
    return false;
}
template <typename I, typename F> __host__ __device__ constexpr bool none_of(I first, I last, F f) {
    return !any_of(first, last, f);
}
template <typename I, typename F> __host__ __device__ constexpr F for_each(I first, I last, F f) {
    for (; first != last; ++first) f(*first);
    return f;
}
template <typename I, typename T> __host__ __device__ constexpr long count(I first, I last, const T &v) {
    long n = 0;
    for (; first != last; ++first) n += *first == v;
    return n;
}
template <typename I, typename F> __host__ __device__ constexpr long count_if(I first, I last, F f) {
    long n = 0;
    for (; first != last; ++first) n += f(*first) ? 1 : 0;
    return n;
}
template <typename I, typename F> __host__ __device__ constexpr I find_if(I first, I last, F f) {
    while (first != last && !f(*first)) ++first;
    return first;
}
template <typename I, typename F> __host__ __device__ constexpr I find_if_not(I first, I last, F f) {
    while (first != last && f(*first)) ++first;
    return first;
}
template <typename I, typename T> __host__ __device__ constexpr I find(I first, I last, const T &v) {
    while (first != last && !(*first == v)) ++first;
    return first;
}
template <typename I> __host__ __device__ constexpr I adjacent_find(I first, I last) {
    if (first == last) return last;
    for (I next = first; ++next != last; first = next)
        if (*first == *next) return first;
    return last;
}
template <typename I, typename J, typename F> __host__ __device__ constexpr I search(I first, I last, J from, J to, F same) {
    for (;; ++first) {
        I at = first;
        for (J want = from;; ++want, ++at) {
            if (want == to) return first;
            if (at == last) return last;
            if (!same(*at, *want)) break;
        }
    }
}
template <typename I, typename J> __host__ __device__ constexpr I search(I first, I last, J from, J to) {
    return search(first, last, from, to, equal_to<>());
}
template <typename I, typename J> __host__ __device__ constexpr pair<I, J> mismatch(I first, I last, J other) {
    while (first != last && *first == *other) ++first, ++other;
    return pair<I, J>(first, other);
}
template <typename I, typename J> __host__ __device__ constexpr bool equal(I first, I last, J other) {
    for (; first != last; ++first, ++other)
        if (!(*first == *other)) return false;
    return true;
}
template <typename I, typename J> __host__ __device__ constexpr bool equal(I first, I last, J from, J to) {
    for (; first != last && from != to; ++first, ++from)
        if (!(*first == *from)) return false;
    return first == last && from == to;
}
template <typename I, typename J, typename C> __host__ __device__ constexpr bool lexicographical_compare(I first, I last, J from, J to, C less) {
    for (; first != last && from != to; ++first, ++from) {
        if (less(*first, *from)) return true;
        if (less(*from, *first)) return false;
    }
    return first == last && from != to;
}
template <typename I, typename J> __host__ __device__ constexpr bool lexicographical_compare(I first, I last, J from, J to) {
    return lexicographical_compare(first, last, from, to, std::less<>());
}
template <typename I, typename O> __host__ __device__ constexpr O copy(I first, I last, O to) {
    for (; first != last; ++first, ++to) *to = *first;
    return to;
}
template <typename I, typename O, typename F> __host__ __device__ constexpr O copy_if(I first, I last, O to, F f) {
    for (; first != last; ++first)
        if (f(*first)) *to++ = *first;
    return to;
}
template <typename I, typename N, typename O> __host__ __device__ constexpr O copy_n(I first, N n, O to) {
    for (; n > 0; --n, ++first, ++to) *to = *first;
    return to;
}
template <typename I, typename O> __host__ __device__ constexpr O copy_backward(I first, I last, O to) {
    while (first != last) *--to = *--last;
    return to;
}
template <typename I, typename O> __host__ __device__ constexpr O move(I first, I last, O to) {
    for (; first != last; ++first, ++to) *to = std::move(*first);
    return to;
}
template <typename I, typename J> __host__ __device__ constexpr J swap_ranges(I first, I last, J other) {
    for (; first != last; ++first, ++other) std::swap(*first, *other);
    return other;
}
template <typename I, typename O, typename F> __host__ __device__ constexpr O transform(I first, I last, O to, F f) {
    for (; first != last; ++first, ++to) *to = f(*first);
    return to;
}
template <typename I, typename J, typename O, typename F> __host__ __device__ constexpr O transform(I first, I last, J other, O to, F f) {
    for (; first != last; ++first, ++other, ++to) *to = f(*first, *other);
    return to;
}
template <typename I, typename T> __host__ __device__ constexpr void fill(I first, I last, const T &v) {
    for (; first != last; ++first) *first = v;
}
template <typename I, typename N, typename T> __host__ __device__ constexpr I fill_n(I first, N n, const T &v) {
    for (; n > 0; --n, ++first) *first = v;
    return first;
}
template <typename I, typename F> __host__ __device__ constexpr void generate(I first, I last, F f) {
    for (; first != last; ++first) *first = f();
}
template <typename I, typename T> __host__ __device__ constexpr void replace(I first, I last, const T &old, const T &v) {
    for (; first != last; ++first)
        if (*first == old) *first = v;
}
template <typename I, typename F, typename T> __host__ __device__ constexpr void replace_if(I first, I last, F f, const T &v) {
    for (; first != last; ++first)
        if (f(*first)) *first = v;
}
template <typename I, typename F> __host__ __device__ constexpr I remove_if(I first, I last, F f) {
    I to = first;
    for (; first != last; ++first)
        if (!f(*first)) *to++ = std::move(*first);
    return to;
}
template <typename I, typename T> __host__ __device__ constexpr I remove(I first, I last, const T &v) {
    return remove_if(first, last, [&v](const auto &x) { return x == v; });
}
template <typename I> __host__ __device__ constexpr I unique(I first, I last) {
    if (first == last) return last;
    I to = first;
    while (++first != last)
        if (!(*to == *first)) *++to = std::move(*first);
    return ++to;
}
template <typename I> __host__ __device__ constexpr void reverse(I first, I last) {
    while (first != last && first != --last) std::swap(*first++, *last);
}
template <typename I> __host__ __device__ constexpr I rotate(I first, I middle, I last) {
    I to = first + (last - middle);
    reverse(first, middle);
    reverse(middle, last);
    reverse(first, last);
    return to;
}
template <typename I> __host__ __device__ constexpr I shift_left(I first, I last, long n) {
    return n <= 0 ? last : n >= last - first ? first : std::move(first + n, last, first);
}
template <typename I, typename F> __host__ __device__ constexpr I partition(I first, I last, F f) {
    while (true) {
        while (first != last && f(*first)) ++first;
        if (first == last) return first;
        do
            if (first == --last) return first;
        while (!f(*last));
        std::swap(*first++, *last);
    }
}
template <typename I, typename T, typename C> __host__ __device__ constexpr I lower_bound(I first, I last, const T &v, C less) {
    for (long n = last - first; n > 0;) {
        I middle = first + n / 2;
        if (less(*middle, v)) {
            first = middle + 1;
            n -= n / 2 + 1;
        } else n /= 2;
    }
    return first;
}
template <typename I, typename T> __host__ __device__ constexpr I lower_bound(I first, I last, const T &v) {
    return lower_bound(first, last, v, std::less<>());
}
template <typename I, typename T, typename C> __host__ __device__ constexpr I upper_bound(I first, I last, const T &v, C less) {
    return lower_bound(first, last, v, [&less](const auto &x, const T &y) { return !less(y, x); });
}
template <typename I, typename T> __host__ __device__ constexpr I upper_bound(I first, I last, const T &v) {
    return upper_bound(first, last, v, std::less<>());
}
template <typename I, typename T> __host__ __device__ constexpr bool binary_search(I first, I last, const T &v) {
    first = lower_bound(first, last, v);
    return first != last && !(v < *first);
}
template <typename I, typename J, typename O> __host__ __device__ constexpr O merge(I first, I last, J from, J to, O out) {
    while (first != last && from != to) {
        if (*from < *first) *out++ = *from++;
        else *out++ = *first++;
    }
    return copy(from, to, copy(first, last, out));
}
template <typename I, typename C> __host__ __device__ constexpr bool is_sorted(I first, I last, C less) {
    if (first == last) return true;
    for (I next = first; ++next != last; first = next)
        if (less(*next, *first)) return false;
    return true;
}
template <typename I> __host__ __device__ constexpr bool is_sorted(I first, I last) {
    return is_sorted(first, last, std::less<>());
}
// A heap: no stack is needed, and no second array.
template <typename I, typename C> __host__ __device__ constexpr void sort(I first, I last, C less) {
    for (long n = last - first, start = n / 2; n > 1;) {
        if (start > 0) --start;
        else std::swap(first[--n], first[0]);
        for (long at = start, child = 2 * at + 1; child < n; child = 2 * at + 1) {
            if (child + 1 < n && less(first[child], first[child + 1])) ++child;
            if (!less(first[at], first[child])) break;
            std::swap(first[at], first[child]);
            at = child;
        }
    }
}
template <typename I> __host__ __device__ constexpr void sort(I first, I last) {
    sort(first, last, std::less<>());
}
template <typename I, typename C> __host__ __device__ constexpr void nth_element(I first, I, I last, C less) {
    sort(first, last, less);
}
template <typename I> __host__ __device__ constexpr void nth_element(I first, I, I last) {
    sort(first, last, std::less<>());
}
template <typename I> __host__ __device__ constexpr bool next_permutation(I first, I last) {
    if (last - first < 2) return false;
    I at = last - 1;
    while (at != first && !(at[-1] < *at)) --at;
    reverse(at, last);
    if (at == first) return false;
    I other = at;
    while (!(at[-1] < *other)) ++other;
    std::swap(at[-1], *other);
    return true;
}
template <typename I, typename C> __host__ __device__ constexpr I max_element(I first, I last, C less) {
    I best = first;
    for (; first != last; ++first)
        if (less(*best, *first)) best = first;
    return best;
}
template <typename I> __host__ __device__ constexpr I max_element(I first, I last) {
    return max_element(first, last, std::less<>());
}
template <typename I, typename C> __host__ __device__ constexpr I min_element(I first, I last, C less) {
    I best = first;
    for (; first != last; ++first)
        if (less(*first, *best)) best = first;
    return best;
}
template <typename I> __host__ __device__ constexpr I min_element(I first, I last) {
    return min_element(first, last, std::less<>());
}
template <typename I> __host__ __device__ constexpr pair<I, I> minmax_element(I first, I last) {
    I most = first;
    for (I p = first; p != last; ++p)
        if (!(*p < *most)) most = p;
    return pair<I, I>(min_element(first, last), most);
}
template <typename T> __host__ __device__ constexpr pair<const T &, const T &> minmax(const T &a, const T &b) {
    return b < a ? pair<const T &, const T &>(b, a) : pair<const T &, const T &>(a, b);
}
template <typename I, typename O> __host__ __device__ constexpr O adjacent_difference(I first, I last, O to) {
    if (first == last) return to;
    auto before = *first;
    *to = before;
    while (++first != last) {
        auto now = *first;
        *++to = now - before;
        before = now;
    }
    return ++to;
}
template <typename I, typename O, typename T> __host__ __device__ constexpr O exclusive_scan(I first, I last, O to, T sum) {
    for (; first != last; ++first) {
        T now = sum;
        sum = sum + *first;
        *to++ = now;
    }
    return to;
}
template <typename I, typename O> __host__ __device__ constexpr O inclusive_scan(I first, I last, O to) {
    if (first == last) return to;
    auto sum = *first;
    *to++ = sum;
    while (++first != last) *to++ = sum = sum + *first;
    return to;
}
}
