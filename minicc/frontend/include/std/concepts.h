// <concepts>: what is asked of types most.
namespace std {
template <typename T, typename U> concept same_as = is_same_v<T, U> && is_same_v<U, T>;
template <typename D, typename B> concept derived_from = is_base_of_v<B, D> && is_convertible_v<const volatile D *, const volatile B *>;
template <typename F, typename T> concept convertible_to = is_convertible_v<F, T>;
template <typename T> concept integral = is_integral_v<T>;
template <typename T> concept signed_integral = integral<T> && is_signed_v<T>;
template <typename T> concept unsigned_integral = integral<T> && !signed_integral<T>;
template <typename T> concept floating_point = is_floating_point_v<T>;
template <typename T> concept destructible = true;
template <typename T, typename... A> concept constructible_from = is_constructible_v<T, A...>;
template <typename T> concept default_initializable = is_default_constructible_v<T>;
template <typename F, typename... A> concept invocable = requires(F &&f, A &&...a) { f(static_cast<A &&>(a)...); };
template <typename F, typename... A> concept regular_invocable = invocable<F, A...>;
template <typename T, typename U> concept common_with = requires(bool c, T t, U u) { c ? t : u; };
template <typename T> concept equality_comparable = requires(const T &a, const T &b) { { a == b } -> convertible_to<bool>; };
template <typename T> concept totally_ordered = equality_comparable<T> && requires(const T &a, const T &b) { { a < b } -> convertible_to<bool>; { a > b } -> convertible_to<bool>; };
template <typename T> concept copyable = is_constructible_v<T, const T &>;
template <typename T> concept movable = is_object_v<T>;
template <typename T> concept semiregular = copyable<T> && default_initializable<T>;
template <typename T> concept regular = semiregular<T> && equality_comparable<T>;
}
