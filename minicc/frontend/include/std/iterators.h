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
template <typename T> struct counting_iterator {
    typedef T value_type;
    T value;
    __host__ __device__ counting_iterator() : value() {}
    __host__ __device__ explicit counting_iterator(T v) : value(v) {}
    __host__ __device__ T operator*() const { return value; }
    __host__ __device__ T operator[](long i) const { return value + (T)i; }
    __host__ __device__ counting_iterator operator+(long i) const { return counting_iterator(value + (T)i); }
    __host__ __device__ counting_iterator &operator++() {
        ++value;
        return *this;
    }
    __host__ __device__ bool operator==(const counting_iterator &o) const { return value == o.value; }
    __host__ __device__ bool operator!=(const counting_iterator &o) const { return value != o.value; }
    __host__ __device__ long operator-(const counting_iterator &o) const { return (long)(value - o.value); }
};
template <typename T> __host__ __device__ counting_iterator<T> make_counting_iterator(T v) { return counting_iterator<T>(v); }
template <typename T> struct constant_iterator {
    typedef T value_type;
    T value;
    __host__ __device__ explicit constant_iterator(T v) : value(v) {}
    __host__ __device__ T operator*() const { return value; }
    __host__ __device__ T operator[](long) const { return value; }
    __host__ __device__ constant_iterator operator+(long) const { return *this; }
};
template <typename T> __host__ __device__ constant_iterator<T> make_constant_iterator(T v) { return constant_iterator<T>(v); }
template <typename F, typename I> struct transform_iterator {
    I from;
    F map;
    __host__ __device__ transform_iterator(I i, F f) : from(i), map(f) {}
    __host__ __device__ auto operator*() const { return map(*from); }
    __host__ __device__ auto operator[](long i) const { return map(from[i]); }
    __host__ __device__ transform_iterator operator+(long i) const { return transform_iterator(from + i, map); }
};
template <typename I, typename F> __host__ __device__ transform_iterator<F, I> make_transform_iterator(I i, F f) { return transform_iterator<F, I>(i, f); }
}
