// <compare>: what <=> gives. Only a literal 0 is compared with it, so that is what the parameter takes.
namespace std {
struct partial_ordering {
    signed char value_;
    __host__ __device__ constexpr explicit partial_ordering(signed char v) : value_(v) {}
    static const partial_ordering less, equivalent, greater, unordered;
};
struct weak_ordering {
    signed char value_;
    __host__ __device__ constexpr explicit weak_ordering(signed char v) : value_(v) {}
    static const weak_ordering less, equivalent, greater;
    __host__ __device__ constexpr operator partial_ordering() const { return partial_ordering(value_); }
};
struct strong_ordering {
    signed char value_;
    __host__ __device__ constexpr explicit strong_ordering(signed char v) : value_(v) {}
    static const strong_ordering less, equal, equivalent, greater;
    __host__ __device__ constexpr operator weak_ordering() const { return weak_ordering(value_); }
    __host__ __device__ constexpr operator partial_ordering() const { return partial_ordering(value_); }
};
inline constexpr partial_ordering partial_ordering::less(-1);
inline constexpr partial_ordering partial_ordering::equivalent(0);
inline constexpr partial_ordering partial_ordering::greater(1);
inline constexpr partial_ordering partial_ordering::unordered(2);
inline constexpr weak_ordering weak_ordering::less(-1);
inline constexpr weak_ordering weak_ordering::equivalent(0);
inline constexpr weak_ordering weak_ordering::greater(1);
inline constexpr strong_ordering strong_ordering::less(-1);
inline constexpr strong_ordering strong_ordering::equal(0);
inline constexpr strong_ordering strong_ordering::equivalent(0);
inline constexpr strong_ordering strong_ordering::greater(1);
__host__ __device__ constexpr bool operator==(partial_ordering a, nullptr_t) { return a.value_ == 0; }
__host__ __device__ constexpr bool operator<(partial_ordering a, nullptr_t) { return a.value_ == -1; }
__host__ __device__ constexpr bool operator>(partial_ordering a, nullptr_t) { return a.value_ == 1; }
__host__ __device__ constexpr bool operator<=(partial_ordering a, nullptr_t) { return a.value_ <= 0; }
__host__ __device__ constexpr bool operator>=(partial_ordering a, nullptr_t) { return a.value_ == 0 || a.value_ == 1; }
__host__ __device__ constexpr bool operator<(nullptr_t, partial_ordering a) { return a.value_ == 1; }
__host__ __device__ constexpr bool operator>(nullptr_t, partial_ordering a) { return a.value_ == -1; }
__host__ __device__ constexpr bool operator<=(nullptr_t, partial_ordering a) { return a.value_ == 0 || a.value_ == 1; }
__host__ __device__ constexpr bool operator>=(nullptr_t, partial_ordering a) { return a.value_ <= 0; }
__host__ __device__ constexpr partial_ordering operator<=>(nullptr_t, partial_ordering a) { return a.value_ == 2 ? a : partial_ordering(-a.value_); }
__host__ __device__ constexpr weak_ordering operator<=>(nullptr_t, weak_ordering a) { return weak_ordering(-a.value_); }
__host__ __device__ constexpr strong_ordering operator<=>(nullptr_t, strong_ordering a) { return strong_ordering(-a.value_); }
__host__ __device__ constexpr bool operator==(partial_ordering a, partial_ordering b) { return a.value_ == b.value_; }
__host__ __device__ constexpr bool operator==(weak_ordering a, weak_ordering b) { return a.value_ == b.value_; }
__host__ __device__ constexpr bool operator==(strong_ordering a, strong_ordering b) { return a.value_ == b.value_; }
__host__ __device__ constexpr bool is_eq(partial_ordering a) { return a.value_ == 0; }
__host__ __device__ constexpr bool is_neq(partial_ordering a) { return a.value_ != 0; }
__host__ __device__ constexpr bool is_lt(partial_ordering a) { return a.value_ == -1; }
__host__ __device__ constexpr bool is_gt(partial_ordering a) { return a.value_ == 1; }
__host__ __device__ constexpr bool is_lteq(partial_ordering a) { return a.value_ <= 0; }
__host__ __device__ constexpr bool is_gteq(partial_ordering a) { return a.value_ == 0 || a.value_ == 1; }
template <typename... T> struct common_comparison_category { typedef conditional_t<(is_same_v<T, partial_ordering> || ...), partial_ordering, conditional_t<(is_same_v<T, weak_ordering> || ...), weak_ordering, strong_ordering>> type; };
template <typename... T> using common_comparison_category_t = typename common_comparison_category<T...>::type;
template <typename T, typename U = T> using compare_three_way_result_t = decltype(declval<const T &>() <=> declval<const U &>());
struct compare_three_way { template <typename T, typename U> __host__ __device__ constexpr auto operator()(const T &a, const U &b) const { return a <=> b; } };
// The built-in operator, of two values of one type; what a defaulted comparison does with members that are arrays.
template <typename T> __host__ __device__ constexpr strong_ordering __three_way_exact(T a, T b) { return strong_ordering(a < b ? -1 : a != b); }
template <typename T> __host__ __device__ constexpr partial_ordering __three_way_floating(T a, T b) { return partial_ordering(a < b ? -1 : a > b ? 1 : a == b ? 0 : 2); }
template <typename T> __host__ __device__ constexpr bool __equal_members(const T &a, const T &b) { return a == b; }
template <typename T, size_t N> __host__ __device__ constexpr bool __equal_members(const T (&a)[N], const T (&b)[N]) {
    for (size_t i = 0; i < N; i++)
        if (!__equal_members(a[i], b[i])) return false;
    return true;
}
template <typename T> __host__ __device__ constexpr auto __ordered_members(const T &a, const T &b) { return a <=> b; }
template <typename T, size_t N> __host__ __device__ constexpr auto __ordered_members(const T (&a)[N], const T (&b)[N]) {
    for (size_t i = 0; i + 1 < N; i++)
        if (auto c = __ordered_members(a[i], b[i]); c != nullptr) return c;
    return __ordered_members(a[N - 1], b[N - 1]);
}
}
