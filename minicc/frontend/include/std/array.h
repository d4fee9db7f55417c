// <array>
namespace std {
template <typename T, size_t N> struct array {
    typedef T value_type;
    typedef T *iterator;
    typedef const T *const_iterator;
    typedef size_t size_type;
    T __data[N ? N : 1];
    __host__ __device__ constexpr T &operator[](size_t i) { return __data[i]; }
    __host__ __device__ constexpr const T &operator[](size_t i) const { return __data[i]; }
    __host__ __device__ constexpr T &at(size_t i) { return __data[i]; }
    __host__ __device__ constexpr const T &at(size_t i) const { return __data[i]; }
    __host__ __device__ constexpr T &front() { return __data[0]; }
    __host__ __device__ constexpr const T &front() const { return __data[0]; }
    __host__ __device__ constexpr T &back() { return __data[N - 1]; }
    __host__ __device__ constexpr const T &back() const { return __data[N - 1]; }
    __host__ __device__ constexpr T *data() { return __data; }
    __host__ __device__ constexpr const T *data() const { return __data; }
    __host__ __device__ constexpr T *begin() { return __data; }
    __host__ __device__ constexpr const T *begin() const { return __data; }
    __host__ __device__ constexpr T *end() { return __data + N; }
    __host__ __device__ constexpr const T *end() const { return __data + N; }
    __host__ __device__ constexpr size_t size() const { return N; }
    __host__ __device__ constexpr bool empty() const { return N == 0; }
    __host__ __device__ constexpr void fill(const T &v) {
        for (size_t i = 0; i < N; ++i) __data[i] = v;
    }
};
}
