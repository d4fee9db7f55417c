// <expected> of types that are copied as bytes.
namespace std {
struct unexpect_t {};
template <typename E> struct unexpected {
    E error_;
    __host__ __device__ constexpr explicit unexpected(const E &e) : error_(e) {}
    __host__ __device__ constexpr const E &error() const { return error_; }
};
template <typename E> unexpected(E) -> unexpected<E>;
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
    template <typename... A> __host__ __device__ constexpr T &emplace(A &&...a) {
        has_ = true;
        value_ = T(a...);
        return value_;
    }
    template <typename F> __host__ __device__ constexpr auto transform(F &&f) const {
        using R = expected<remove_cv_t<decltype(f(value_))>, E>;
        return has_ ? R(f(value_)) : R(unexpected<E>(error_));
    }
    template <typename F> __host__ __device__ constexpr auto transform_error(F &&f) const {
        using G = remove_cv_t<decltype(f(error_))>;
        return has_ ? expected<T, G>(value_) : expected<T, G>(unexpected<G>(f(error_)));
    }
    template <typename F> __host__ __device__ constexpr auto and_then(F &&f) const {
        using R = remove_cvref_t<decltype(f(value_))>;
        return has_ ? f(value_) : R(unexpected<E>(error_));
    }
    template <typename F> __host__ __device__ constexpr auto or_else(F &&f) const {
        using R = remove_cvref_t<decltype(f(error_))>;
        return has_ ? R(value_) : f(error_);
    }
    __host__ __device__ friend constexpr bool operator==(const expected &a, const expected &b) {
        return a.has_ == b.has_ && (a.has_ ? a.value_ == b.value_ : a.error_ == b.error_);
    }
    __host__ __device__ friend constexpr bool operator!=(const expected &a, const expected &b) { return !(a == b); }
    __host__ __device__ friend constexpr bool operator==(const expected &a, const T &b) { return a.has_ && a.value_ == b; }
    __host__ __device__ friend constexpr bool operator!=(const expected &a, const T &b) { return !(a == b); }
};
template <typename E> struct expected<void, E> {
    typedef void value_type;
    typedef E error_type;
    E error_;
    bool has_;
    __host__ __device__ constexpr expected() : error_(), has_(true) {}
    template <typename G> __host__ __device__ constexpr expected(const unexpected<G> &e) : error_(e.error()), has_(false) {}
    __host__ __device__ constexpr bool has_value() const { return has_; }
    __host__ __device__ constexpr explicit operator bool() const { return has_; }
    __host__ __device__ constexpr void value() const {}
    __host__ __device__ constexpr const E &error() const { return error_; }
    __host__ __device__ constexpr void emplace() { has_ = true; }
};
}
