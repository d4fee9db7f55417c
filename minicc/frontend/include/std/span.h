// <span>: of a fixed length a pointer, else a pointer and a length.
namespace std {
constexpr size_t dynamic_extent = ~(size_t)0;
template <typename T, size_t N> struct __extent {
    T *data_;
    __host__ __device__ constexpr __extent(T *p, size_t) : data_(p) {}
    __host__ __device__ constexpr size_t size() const { return N; }
};
template <typename T> struct __extent<T, ~(size_t)0> {
    T *data_;
    size_t size_;
    __host__ __device__ constexpr __extent(T *p, size_t n) : data_(p), size_(n) {}
    __host__ __device__ constexpr size_t size() const { return size_; }
};
template <typename T, size_t N = ~(size_t)0> struct span : __extent<T, N> {
    typedef T element_type;
    typedef typename remove_cv<T>::type value_type;
    typedef size_t size_type;
    typedef T *pointer;
    typedef T &reference;
    typedef T *iterator;
    static constexpr size_t extent = N;
    __host__ __device__ constexpr span() : __extent<T, N>(nullptr, 0) {}
    __host__ __device__ constexpr span(T *p, size_t n) : __extent<T, N>(p, n) {}
    __host__ __device__ constexpr span(T *first, T *last) : __extent<T, N>(first, last - first) {}
    template <size_t M> __host__ __device__ constexpr span(T (&a)[M]) : __extent<T, N>(a, M) {}
    template <typename C, typename = decltype(static_cast<T *>(((C *)0)->data()))> __host__ __device__ constexpr span(C &c) : __extent<T, N>(c.data(), c.size()) {}
    template <typename C, typename = decltype(static_cast<T *>(((const C *)0)->data()))> __host__ __device__ constexpr span(const C &c) : __extent<T, N>(c.data(), c.size()) {}
    __host__ __device__ constexpr T *data() const { return this->data_; }
    __host__ __device__ constexpr size_t size_bytes() const { return this->size() * sizeof(T); }
    __host__ __device__ constexpr bool empty() const { return this->size() == 0; }
    __host__ __device__ constexpr T &operator[](size_t i) const { return this->data_[i]; }
    __host__ __device__ constexpr T &front() const { return this->data_[0]; }
    __host__ __device__ constexpr T &back() const { return this->data_[this->size() - 1]; }
    __host__ __device__ constexpr T *begin() const { return this->data_; }
    __host__ __device__ constexpr T *end() const { return this->data_ + this->size(); }
    __host__ __device__ constexpr span<T> first(size_t n) const { return span<T>(this->data_, n); }
    __host__ __device__ constexpr span<T> last(size_t n) const { return span<T>(this->data_ + this->size() - n, n); }
    __host__ __device__ constexpr span<T> subspan(size_t from, size_t n = ~(size_t)0) const {
        return span<T>(this->data_ + from, n == ~(size_t)0 ? this->size() - from : n);
    }
    template <size_t M> __host__ __device__ constexpr span<T, M> first() const { return span<T, M>(this->data_, M); }
    template <size_t M> __host__ __device__ constexpr span<T, M> last() const { return span<T, M>(this->data_ + this->size() - M, M); }
    template <size_t F, size_t M = ~(size_t)0> __host__ __device__ constexpr auto subspan() const {
        return span<T, M != ~(size_t)0 ? M : N != ~(size_t)0 ? N - F : M>(this->data_ + F, M != ~(size_t)0 ? M : this->size() - F);
    }
    __host__ __device__ auto rbegin() const { return reverse_iterator<T *>(end()); }
    __host__ __device__ auto rend() const { return reverse_iterator<T *>(begin()); }
};
template <typename T, size_t N> span(T (&)[N]) -> span<T, N>;
template <typename T, size_t N> span(array<T, N> &) -> span<T, N>;
template <typename T, size_t N> span(const array<T, N> &) -> span<const T, N>;
template <typename T> span(T *, size_t) -> span<T>;
template <typename T> span(T *, T *) -> span<T>;
}
