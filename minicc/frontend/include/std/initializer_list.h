// <initializer_list>
namespace std {
template <typename T> struct initializer_list {
    typedef T value_type;
    typedef const T &reference;
    typedef const T &const_reference;
    typedef size_t size_type;
    typedef const T *iterator;
    typedef const T *const_iterator;
    const T *__first;
    size_t __size;
    __host__ __device__ constexpr const T *begin() const { return __first; }
    __host__ __device__ constexpr const T *end() const { return __first + __size; }
    __host__ __device__ constexpr size_t size() const { return __size; }
};
template <typename T> __host__ __device__ constexpr T min(initializer_list<T> values) {
    T least = *values.begin();
    for (const T &v : values) if (v < least) least = v;
    return least;
}
template <typename T> __host__ __device__ constexpr T max(initializer_list<T> values) {
    T most = *values.begin();
    for (const T &v : values) if (most < v) most = v;
    return most;
}
}
