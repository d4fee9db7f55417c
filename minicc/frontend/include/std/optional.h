// <optional>, <span> and <bit>, as far as device code uses them.
namespace std {
enum class nullopt_t { none };
constexpr nullopt_t nullopt = nullopt_t::none;
template <typename T> struct optional {
    typedef T value_type;
    T held_;
    bool has_;
    __host__ __device__ constexpr optional() : held_(), has_(false) {}
    __host__ __device__ constexpr optional(nullopt_t) : held_(), has_(false) {}
    __host__ __device__ constexpr optional(const T &v) : held_(v), has_(true) {}
    __host__ __device__ constexpr optional &operator=(nullopt_t) { has_ = false; return *this; }
    __host__ __device__ constexpr optional &operator=(const T &v) { held_ = v; has_ = true; return *this; }
    __host__ __device__ constexpr bool has_value() const { return has_; }
    __host__ __device__ constexpr explicit operator bool() const { return has_; }
    __host__ __device__ constexpr T &operator*() { return held_; }
    __host__ __device__ constexpr const T &operator*() const { return held_; }
    __host__ __device__ constexpr T *operator->() { return &held_; }
    __host__ __device__ constexpr const T *operator->() const { return &held_; }
    __host__ __device__ constexpr T &value() { return held_; }
    __host__ __device__ constexpr const T &value() const { return held_; }
    template <typename U> __host__ __device__ constexpr T value_or(U &&other) const { return has_ ? held_ : (T)other; }
    __host__ __device__ constexpr void reset() { has_ = false; }
};
template <typename T> struct span {
    typedef T element_type;
    T *data_;
    size_t size_;
    __host__ __device__ constexpr span() : data_(nullptr), size_(0) {}
    __host__ __device__ constexpr span(T *p, size_t n) : data_(p), size_(n) {}
    template <size_t N> __host__ __device__ constexpr span(T (&a)[N]) : data_(a), size_(N) {}
    __host__ __device__ constexpr T *data() const { return data_; }
    __host__ __device__ constexpr size_t size() const { return size_; }
    __host__ __device__ constexpr bool empty() const { return size_ == 0; }
    __host__ __device__ constexpr T &operator[](size_t i) const { return data_[i]; }
    __host__ __device__ constexpr T &front() const { return data_[0]; }
    __host__ __device__ constexpr T &back() const { return data_[size_ - 1]; }
    __host__ __device__ constexpr T *begin() const { return data_; }
    __host__ __device__ constexpr T *end() const { return data_ + size_; }
    __host__ __device__ constexpr span first(size_t n) const { return span(data_, n); }
    __host__ __device__ constexpr span subspan(size_t from, size_t n) const { return span(data_ + from, n); }
};
template <typename To, typename From> __host__ __device__ To bit_cast(const From &v) {
    static_assert(sizeof(To) == sizeof(From), "bit_cast of types of different sizes");
    To r;
    memcpy(&r, &v, sizeof(To));
    return r;
}
template <typename T> __host__ __device__ int popcount(T v) { return sizeof(T) == 8 ? __popcll((unsigned long long)v) : __popc((unsigned)v); }
template <typename T> __host__ __device__ int countl_zero(T v) { return sizeof(T) == 8 ? __clzll((long long)v) : __clz((int)(unsigned)v) - (32 - 8 * (int)sizeof(T)); }
template <typename T> __host__ __device__ int countr_zero(T v) { return v == 0 ? 8 * (int)sizeof(T) : __ffsll((long long)v) - 1; }
template <typename T> __host__ __device__ bool has_single_bit(T v) { return v != 0 && (v & (v - 1)) == 0; }
}
