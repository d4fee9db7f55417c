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
    __host__ __device__ constexpr const T *cbegin() const { return __data; }
    __host__ __device__ constexpr const T *cend() const { return __data + N; }
    __host__ __device__ auto rbegin() { return reverse_iterator<T *>(end()); }
    __host__ __device__ auto rend() { return reverse_iterator<T *>(begin()); }
    __host__ __device__ auto rbegin() const { return reverse_iterator<const T *>(end()); }
    __host__ __device__ auto rend() const { return reverse_iterator<const T *>(begin()); }
    __host__ __device__ constexpr size_t size() const { return N; }
    __host__ __device__ constexpr size_t max_size() const { return N; }
    __host__ __device__ constexpr bool empty() const { return N == 0; }
    __host__ __device__ constexpr void fill(const T &v) {
        for (size_t i = 0; i < N; ++i) __data[i] = v;
    }
    __host__ __device__ constexpr void swap(array &o) {
        for (size_t i = 0; i < N; ++i) {
            T kept = __data[i];
            __data[i] = o.__data[i];
            o.__data[i] = kept;
        }
    }
    __host__ __device__ friend constexpr bool operator==(const array &a, const array &b) {
        for (size_t i = 0; i < N; ++i)
            if (!(a.__data[i] == b.__data[i])) return false;
        return true;
    }
    __host__ __device__ friend constexpr bool operator<(const array &a, const array &b) {
        for (size_t i = 0; i < N; ++i) {
            if (a.__data[i] < b.__data[i]) return true;
            if (b.__data[i] < a.__data[i]) return false;
        }
        return false;
    }
    __host__ __device__ friend constexpr bool operator!=(const array &a, const array &b) { return !(a == b); }
    __host__ __device__ friend constexpr bool operator>(const array &a, const array &b) { return b < a; }
    __host__ __device__ friend constexpr bool operator<=(const array &a, const array &b) { return !(b < a); }
    __host__ __device__ friend constexpr bool operator>=(const array &a, const array &b) { return !(a < b); }
};
template <typename T, typename... U> array(T, U...) -> array<T, 1 + sizeof...(U)>;
}
