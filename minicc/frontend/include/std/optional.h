// <optional>, as far as device code uses it.
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
    template <typename F> __host__ __device__ constexpr auto transform(F &&f) const {
        using R = optional<remove_cv_t<decltype(f(held_))>>;
        return has_ ? R(f(held_)) : R();
    }
    template <typename F> __host__ __device__ constexpr auto and_then(F &&f) const {
        using R = remove_cvref_t<decltype(f(held_))>;
        return has_ ? f(held_) : R();
    }
    template <typename F> __host__ __device__ constexpr optional or_else(F &&f) const { return has_ ? *this : f(); }
    template <typename... A> __host__ __device__ constexpr T &emplace(A &&...a) {
        held_ = T(a...);
        has_ = true;
        return held_;
    }
};
template <typename T> struct optional<T &> {
    typedef T &value_type;
    T *held_;
    __host__ __device__ constexpr optional() : held_(nullptr) {}
    __host__ __device__ constexpr optional(nullopt_t) : held_(nullptr) {}
    __host__ __device__ constexpr optional(T &v) : held_(&v) {}
    __host__ __device__ constexpr bool has_value() const { return held_ != nullptr; }
    __host__ __device__ constexpr explicit operator bool() const { return held_ != nullptr; }
    __host__ __device__ constexpr T &operator*() const { return *held_; }
    __host__ __device__ constexpr T *operator->() const { return held_; }
    __host__ __device__ constexpr T &value() const { return *held_; }
};
// Nothing is less than a value.
#define __COMPARED(op) \
    template <typename T, typename U> __host__ __device__ constexpr bool operator op(const optional<T> &a, const optional<U> &b) { return a.has_value() && b.has_value() ? *a op *b : a.has_value() op b.has_value(); } \
    template <typename T> __host__ __device__ constexpr bool operator op(const optional<T> &a, nullopt_t) { return a.has_value() op false; } \
    template <typename T> __host__ __device__ constexpr bool operator op(nullopt_t, const optional<T> &b) { return false op b.has_value(); } \
    template <typename T, typename U> __host__ __device__ constexpr enable_if_t<is_convertible_v<const U &, T>, bool> operator op(const optional<T> &a, const U &b) { return a.has_value() ? *a op b : false op true; } \
    template <typename T, typename U> __host__ __device__ constexpr enable_if_t<is_convertible_v<const U &, T>, bool> operator op(const U &a, const optional<T> &b) { return b.has_value() ? a op *b : true op false; }
__COMPARED(==)
__COMPARED(!=)
__COMPARED(<)
__COMPARED(<=)
__COMPARED(>)
__COMPARED(>=)
#undef __COMPARED
template <typename T> __host__ __device__ constexpr optional<T> make_optional(const T &v) { return optional<T>(v); }
}
