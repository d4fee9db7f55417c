// <expected> of types that are copied as bytes.
namespace std {
struct unexpect_t {};
template <typename E> struct unexpected {
    E error_;
    __host__ __device__ constexpr explicit unexpected(const E &e) : error_(e) {}
    __host__ __device__ constexpr const E &error() const { return error_; }
};
template <typename T, typename E> struct expected {
    typedef T value_type;
    typedef E error_type;
    union { T value_; E error_; };
    bool has_;
    __host__ __device__ constexpr expected() : value_(), has_(true) {}
    __host__ __device__ constexpr expected(const T &v) : value_(v), has_(true) {}
    template <typename G> __host__ __device__ constexpr expected(const unexpected<G> &e) : error_(e.error()), has_(false) {}
    __host__ __device__ constexpr bool has_value() const { return has_; }
    __host__ __device__ constexpr explicit operator bool() const { return has_; }
    __host__ __device__ constexpr T &operator*() { return value_; }
    __host__ __device__ constexpr const T &operator*() const { return value_; }
    __host__ __device__ constexpr T *operator->() { return &value_; }
    __host__ __device__ constexpr const T *operator->() const { return &value_; }
    __host__ __device__ constexpr T &value() { return value_; }
    __host__ __device__ constexpr const T &value() const { return value_; }
    __host__ __device__ constexpr const E &error() const { return error_; }
    template <typename U> __host__ __device__ constexpr T value_or(U &&other) const { return has_ ? value_ : (T)other; }
};
}
