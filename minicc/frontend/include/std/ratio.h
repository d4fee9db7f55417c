// <ratio>
namespace std {
__host__ __device__ constexpr long __ratio_gcd(long a, long b) { while (b != 0) { long r = a % b; a = b; b = r; } return a < 0 ? -a : a; }
template <long N, long D = 1> struct ratio {
    static_assert(D != 0, "ratio divide by 0");
    static constexpr long num = (D < 0 ? -N : N) / __ratio_gcd(N, D);
    static constexpr long den = (D < 0 ? -D : D) / __ratio_gcd(N, D);
    typedef ratio<num, den> type;
};
template <typename A, typename B> using ratio_add = typename ratio<A::num * B::den + B::num * A::den, A::den * B::den>::type;
template <typename A, typename B> using ratio_subtract = typename ratio<A::num * B::den - B::num * A::den, A::den * B::den>::type;
template <typename A, typename B> using ratio_multiply = typename ratio<(A::num / __ratio_gcd(A::num, B::den)) * (B::num / __ratio_gcd(B::num, A::den)), (A::den / __ratio_gcd(B::num, A::den)) * (B::den / __ratio_gcd(A::num, B::den))>::type;
template <typename A, typename B> using ratio_divide = ratio_multiply<A, typename ratio<B::den, B::num>::type>;
template <typename A, typename B> struct ratio_equal : bool_constant<A::num == B::num && A::den == B::den> {};
template <typename A, typename B> struct ratio_not_equal : bool_constant<!ratio_equal<A, B>::value> {};
template <typename A, typename B> struct ratio_less : bool_constant<((__int128)A::num * B::den < (__int128)B::num * A::den)> {};
template <typename A, typename B> struct ratio_less_equal : bool_constant<!ratio_less<B, A>::value> {};
template <typename A, typename B> struct ratio_greater : bool_constant<ratio_less<B, A>::value> {};
template <typename A, typename B> struct ratio_greater_equal : bool_constant<!ratio_less<A, B>::value> {};
template <typename A, typename B> inline constexpr bool ratio_equal_v = ratio_equal<A, B>::value;
template <typename A, typename B> inline constexpr bool ratio_not_equal_v = ratio_not_equal<A, B>::value;
template <typename A, typename B> inline constexpr bool ratio_less_v = ratio_less<A, B>::value;
template <typename A, typename B> inline constexpr bool ratio_less_equal_v = ratio_less_equal<A, B>::value;
template <typename A, typename B> inline constexpr bool ratio_greater_v = ratio_greater<A, B>::value;
template <typename A, typename B> inline constexpr bool ratio_greater_equal_v = ratio_greater_equal<A, B>::value;
using atto = ratio<1, 1000000000000000000>;
using femto = ratio<1, 1000000000000000>;
using pico = ratio<1, 1000000000000>;
using nano = ratio<1, 1000000000>;
using micro = ratio<1, 1000000>;
using milli = ratio<1, 1000>;
using centi = ratio<1, 100>;
using deci = ratio<1, 10>;
using deca = ratio<10>;
using hecto = ratio<100>;
using kilo = ratio<1000>;
using mega = ratio<1000000>;
using giga = ratio<1000000000>;
using tera = ratio<1000000000000>;
using peta = ratio<1000000000000000>;
using exa = ratio<1000000000000000000>;
}
