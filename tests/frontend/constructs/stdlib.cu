#include <type_traits>
#include <limits>
#include <utility>
#include <array>
#include <tuple>
#include <functional>
#include <cstdint>
#include <complex>
enum class E_ : short { a }; struct P_ { int x; }; struct D_ : P_ {};
template <typename T, std::enable_if_t<std::is_integral<T>::value, int> = 0> __device__ T f_(T x) { return x + 1; } template <typename T, typename std::enable_if<std::is_floating_point<T>::value>::type * = nullptr> __device__ T f_(T x) { return x * 2; }
template <typename T> __device__ auto g_(T x) { if constexpr (std::is_same_v<T, float>) return x; else if constexpr (std::is_pointer_v<T>) return *x; else return (typename std::make_unsigned<T>::type)x; }
template <typename... A, size_t... I> __device__ float ap_(const std::tuple<A...> &t, std::index_sequence<I...>) { return (0.f + ... + std::get<I>(t)); }
template <typename T> __device__ typename std::remove_reference<T>::type by_(T &&t) { return std::forward<T>(t); }
template <class F, class... A> __device__ std::invoke_result_t<F, A...> inv_(F f, A &&...a) { return f(std::forward<A>(a)...); }
template <typename T> struct acc_ { using type = std::conditional_t<std::is_same<T, float>::value, double, T>; };
template <typename T, typename = void> struct has_x_ : std::false_type {}; template <typename T> struct has_x_<T, std::void_t<decltype(std::declval<T>().x)>> : std::true_type {};
__global__ void k_stdlib(float *o, std::uint32_t n, std::pair<int, float> pr) { using namespace std; o[0] = f_((int)n) + f_(o[1]) + g_(o[2]) + g_(o) + g_((int)n); o[1] = std::numeric_limits<float>::max(); o[2] = std::numeric_limits<int>::min() + numeric_limits<uint8_t>::max(); std::array<float, 4> a{{1, 2, 3, 4}}; a[1] = 5; float s = 0; for (auto v : a) s += v; o[3] = s + a.size(); auto t = std::make_tuple(1, 2.f, 3.0); o[4] = ap_(t, std::make_index_sequence<3>{}); float x = by_(s), y = std::move(x); o[5] = x + y + std::min(1, 2) + std::max(s, x); auto q = std::make_pair(1, 2.f); o[6] = q.first + q.second + pr.second + std::plus<float>()(x, y); static_assert(std::is_base_of<P_, D_>::value && !std::is_base_of_v<D_, P_>); static_assert(std::is_same<std::underlying_type_t<E_>, short>::value, ""); static_assert(std::is_convertible<int, float>::value); static_assert(has_x_<P_>::value && !has_x_<int>::value); static_assert(std::is_same_v<std::common_type_t<int, float>, float>); static_assert(std::is_same_v<std::decay_t<const int (&)[3]>, const int *>); acc_<float>::type d = 1; o[7] = d + inv_([](float a, int b) { return a * b; }, 2.f, 3); o[8] = std::abs(-x) + std::sqrt(y); o[9] = std::is_trivially_copyable<P_>::value; }
#include <type_traits>
namespace again_ {
using std::enable_if_t;
using std::is_unsigned;
using std::is_unsigned_v;
} // namespace again_
template <class T> again_::enable_if_t<again_::is_unsigned_v<T> && again_::is_unsigned<T>::value, T> __device__ twice_(T t) { return t + t; }
__global__ void traits_again(unsigned *o) { o[0] = twice_(o[1]) + again_::is_unsigned_v<int>; }
template <class T> struct Al_ { T x; };
template <class T> using red_ [[deprecated("use Al_")]] = Al_<T>;
template <class T> struct is_i_ { static constexpr bool value = false; }; template <> struct is_i_<int> { static constexpr bool value = true; };
template <bool b, class T = void> struct en_ {}; template <class T> struct en_<true, T> { typedef T type; };
template <int v> struct C_ { static constexpr int value = v; };
template <auto t, class U, typename en_<(is_i_<U>::value && t == 0)>::type * = nullptr> __host__ __device__ constexpr C_<0> operator*(C_<t>, U) { return {}; }
__global__ void alias_and_auto(int *o) { red_<int> a; a.x = 2; o[0] = a.x + (C_<0>{} * 5).value; }

#include <iterator>
struct Walker_ {
    typedef float value_type;
    typedef int difference_type;
    typedef float *pointer;
    typedef float &reference;
    typedef std::random_access_iterator_tag iterator_category;
};
template <class It> __device__ typename std::iterator_traits<It>::value_type first_(It it) { return *it; }
static_assert(std::is_same<std::iterator_traits<const int *>::value_type, int>::value, "");
static_assert(sizeof(std::iterator_traits<Walker_>::difference_type) == 4, "");
static_assert(std::is_base_of<std::input_iterator_tag, std::iterator_traits<float *>::iterator_category>::value, "");
__global__ void traits_of(const double *p, double *o) { o[0] = first_(p); }
