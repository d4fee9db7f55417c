// What iterators are, and Thrust's that device code reads from.
namespace std {
struct input_iterator_tag {};
struct output_iterator_tag {};
struct forward_iterator_tag : input_iterator_tag {};
struct bidirectional_iterator_tag : forward_iterator_tag {};
struct random_access_iterator_tag : bidirectional_iterator_tag {};
template <typename It> struct iterator_traits {
    typedef typename It::value_type value_type;
    typedef typename It::difference_type difference_type;
    typedef typename It::pointer pointer;
    typedef typename It::reference reference;
    typedef typename It::iterator_category iterator_category;
};
template <typename T> struct iterator_traits<T *> {
    typedef T value_type;
    typedef long difference_type;
    typedef T *pointer;
    typedef T &reference;
    typedef random_access_iterator_tag iterator_category;
};
template <typename T> struct iterator_traits<const T *> {
    typedef T value_type;
    typedef long difference_type;
    typedef const T *pointer;
    typedef const T &reference;
    typedef random_access_iterator_tag iterator_category;
};
template <typename I> using __apart = typename iterator_traits<I>::difference_type;
template <typename I> __host__ __device__ constexpr __apart<I> distance(I first, I last) { return last - first; }
template <typename I, typename N> __host__ __device__ constexpr void advance(I &at, N n) { at += n; }
template <typename I> __host__ __device__ constexpr I next(I at, __apart<I> n = 1) { at += n; return at; }
template <typename I> __host__ __device__ constexpr I prev(I at, __apart<I> n = 1) { at += -n; return at; }

// Of an iterator `Self` of random access, what follows from `*`, `+=` and `-`.
template <typename Self, typename T, typename Reference = T> struct __steps {
    typedef T value_type;
    typedef long difference_type;
    typedef const T *pointer;
    typedef Reference reference;
    typedef random_access_iterator_tag iterator_category;
    __host__ __device__ Self &self_() { return static_cast<Self &>(*this); }
    __host__ __device__ const Self &self_() const { return static_cast<const Self &>(*this); }
    __host__ __device__ decltype(auto) operator[](long n) const { return *(self_() + n); }
    __host__ __device__ Self &operator-=(long n) { return self_() += -n; }
    __host__ __device__ Self &operator++() { return self_() += 1; }
    __host__ __device__ Self &operator--() { return self_() += -1; }
    __host__ __device__ Self operator++(int) { Self old = self_(); self_() += 1; return old; }
    __host__ __device__ Self operator--(int) { Self old = self_(); self_() += -1; return old; }
    __host__ __device__ friend Self operator+(Self a, long n) { a += n; return a; }
    __host__ __device__ friend Self operator+(long n, Self a) { a += n; return a; }
    __host__ __device__ friend Self operator-(Self a, long n) { a += -n; return a; }
    __host__ __device__ friend bool operator==(const Self &a, const Self &b) { return a - b == 0; }
    __host__ __device__ friend bool operator!=(const Self &a, const Self &b) { return a - b != 0; }
    __host__ __device__ friend bool operator<(const Self &a, const Self &b) { return a - b < 0; }
    __host__ __device__ friend bool operator>(const Self &a, const Self &b) { return a - b > 0; }
    __host__ __device__ friend bool operator<=(const Self &a, const Self &b) { return a - b <= 0; }
    __host__ __device__ friend bool operator>=(const Self &a, const Self &b) { return a - b >= 0; }
};
template <typename T> struct counting_iterator : __steps<counting_iterator<T>, T> {
    T value;
    __host__ __device__ counting_iterator() : value() {}
    __host__ __device__ explicit counting_iterator(T v) : value(v) {}
    __host__ __device__ T operator*() const { return value; }
    __host__ __device__ counting_iterator &operator+=(long n) { value += (T)n; return *this; }
    __host__ __device__ friend long operator-(const counting_iterator &a, const counting_iterator &b) { return (long)(a.value - b.value); }
};
template <typename T> __host__ __device__ counting_iterator<T> make_counting_iterator(T v) { return counting_iterator<T>(v); }
template <typename T> struct constant_iterator : __steps<constant_iterator<T>, T> {
    T value;
    long at_;
    __host__ __device__ explicit constant_iterator(T v, long at = 0) : value(v), at_(at) {}
    __host__ __device__ T operator*() const { return value; }
    __host__ __device__ constant_iterator &operator+=(long n) { at_ += n; return *this; }
    __host__ __device__ friend long operator-(const constant_iterator &a, const constant_iterator &b) { return a.at_ - b.at_; }
};
template <typename T> __host__ __device__ constant_iterator<T> make_constant_iterator(T v) { return constant_iterator<T>(v); }
template <typename F, typename I, typename R = void, typename V = void>
struct transform_iterator : __steps<transform_iterator<F, I, R, V>, decltype(declval<F>()(*declval<I>()))> {
    I from;
    F map;
    __host__ __device__ transform_iterator(I i, F f) : from(i), map(f) {}
    __host__ __device__ auto operator*() const { return map(*from); }
    __host__ __device__ transform_iterator &operator+=(long n) { from += n; return *this; }
    __host__ __device__ friend long operator-(const transform_iterator &a, const transform_iterator &b) { return a.from - b.from; }
};
template <typename F, typename I> __host__ __device__ transform_iterator<F, I> make_transform_iterator(I i, F f) { return transform_iterator<F, I>(i, f); }
template <typename E, typename I>
struct permutation_iterator : __steps<permutation_iterator<E, I>, typename iterator_traits<E>::value_type, typename iterator_traits<E>::reference> {
    E from;
    I index;
    __host__ __device__ permutation_iterator(E e, I i) : from(e), index(i) {}
    __host__ __device__ decltype(auto) operator*() const { return from[*index]; }
    __host__ __device__ permutation_iterator &operator+=(long n) { index += n; return *this; }
    __host__ __device__ friend long operator-(const permutation_iterator &a, const permutation_iterator &b) { return a.index - b.index; }
};
template <typename E, typename I> __host__ __device__ permutation_iterator<E, I> make_permutation_iterator(E e, I i) { return permutation_iterator<E, I>(e, i); }
template <typename I>
struct reverse_iterator : __steps<reverse_iterator<I>, typename iterator_traits<I>::value_type, typename iterator_traits<I>::reference> {
    I behind;
    __host__ __device__ explicit reverse_iterator(I i) : behind(i) {}
    __host__ __device__ I base() const { return behind; }
    __host__ __device__ decltype(auto) operator*() const { return behind[-1]; }
    __host__ __device__ reverse_iterator &operator+=(long n) { behind += -n; return *this; }
    __host__ __device__ friend long operator-(const reverse_iterator &a, const reverse_iterator &b) { return b.behind - a.behind; }
};
template <typename I> __host__ __device__ reverse_iterator<I> make_reverse_iterator(I i) { return reverse_iterator<I>(i); }
}
