// <limits>
namespace std {
enum float_round_style { round_indeterminate = -1, round_toward_zero, round_to_nearest, round_toward_infinity, round_toward_neg_infinity };
enum float_denorm_style { denorm_indeterminate = -1, denorm_absent, denorm_present };
template <typename T> struct __integer_limits {
    static constexpr bool is_specialized = true, is_signed = T(-1) < T(0), is_integer = true, is_exact = true;
    static constexpr bool has_infinity = false, has_quiet_NaN = false, has_signaling_NaN = false, is_iec559 = false;
    static constexpr bool is_bounded = true, is_modulo = !is_signed, traps = true, tinyness_before = false;
    static constexpr int digits = int(sizeof(T) * 8) - is_signed, digits10 = digits * 643L / 2136, max_digits10 = 0, radix = 2;
    static constexpr int min_exponent = 0, min_exponent10 = 0, max_exponent = 0, max_exponent10 = 0;
    static __host__ __device__ constexpr T max() { return is_signed ? T(((T(1) << (digits - 1)) - T(1)) * T(2) + T(1)) : T(~T(0)); }
    static __host__ __device__ constexpr T min() { return is_signed ? T(-max() - T(1)) : T(0); }
    static __host__ __device__ constexpr T lowest() { return min(); }
    static __host__ __device__ constexpr T epsilon() { return T(0); }
    static __host__ __device__ constexpr T round_error() { return T(0); }
    static __host__ __device__ constexpr T infinity() { return T(0); }
    static __host__ __device__ constexpr T quiet_NaN() { return T(0); }
    static __host__ __device__ constexpr T signaling_NaN() { return T(0); }
    static __host__ __device__ constexpr T denorm_min() { return T(0); }
};
template <typename T> struct numeric_limits {
    static constexpr bool is_specialized = false, is_signed = false, is_integer = false, is_exact = false, has_infinity = false;
    static constexpr int digits = 0, digits10 = 0, max_digits10 = 0;
    static __host__ __device__ constexpr T max() { return T(); }
    static __host__ __device__ constexpr T min() { return T(); }
    static __host__ __device__ constexpr T lowest() { return T(); }
    static __host__ __device__ constexpr T epsilon() { return T(); }
    static __host__ __device__ constexpr T round_error() { return T(); }
    static __host__ __device__ constexpr T infinity() { return T(); }
    static __host__ __device__ constexpr T quiet_NaN() { return T(); }
    static __host__ __device__ constexpr T signaling_NaN() { return T(); }
    static __host__ __device__ constexpr T denorm_min() { return T(); }
};
template <typename T> struct numeric_limits<const T> : numeric_limits<T> {};
template <> struct numeric_limits<bool> {
    static constexpr bool is_specialized = true, is_signed = false, is_integer = true, is_exact = true, has_infinity = false;
    static constexpr int digits = 1, digits10 = 0, max_digits10 = 0;
    static __host__ __device__ constexpr bool max() { return true; }
    static __host__ __device__ constexpr bool min() { return false; }
    static __host__ __device__ constexpr bool lowest() { return false; }
};
template <> struct numeric_limits<char> : __integer_limits<char> {};
template <> struct numeric_limits<signed char> : __integer_limits<signed char> {};
template <> struct numeric_limits<unsigned char> : __integer_limits<unsigned char> {};
template <> struct numeric_limits<wchar_t> : __integer_limits<wchar_t> {};
template <> struct numeric_limits<short> : __integer_limits<short> {};
template <> struct numeric_limits<unsigned short> : __integer_limits<unsigned short> {};
template <> struct numeric_limits<int> : __integer_limits<int> {};
template <> struct numeric_limits<unsigned> : __integer_limits<unsigned> {};
template <> struct numeric_limits<long> : __integer_limits<long> {};
template <> struct numeric_limits<unsigned long> : __integer_limits<unsigned long> {};
template <> struct numeric_limits<long long> : __integer_limits<long long> {};
template <> struct numeric_limits<unsigned long long> : __integer_limits<unsigned long long> {};
template <> struct numeric_limits<__int128> : __integer_limits<__int128> {};
template <> struct numeric_limits<unsigned __int128> : __integer_limits<unsigned __int128> {};
struct __floating_limits {
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false;
    static constexpr bool has_infinity = true, has_quiet_NaN = true, has_signaling_NaN = true, is_iec559 = true;
    static constexpr bool is_bounded = true, is_modulo = false, traps = false, tinyness_before = false;
    static constexpr int radix = 2;
};
template <> struct numeric_limits<float> : __floating_limits {
    static constexpr int digits = 24, digits10 = 6, max_digits10 = 9, min_exponent = -125, min_exponent10 = -37, max_exponent = 128, max_exponent10 = 38;
    static __host__ __device__ constexpr float min() { return 0x1p-126f; }
    static __host__ __device__ constexpr float max() { return 0x1.fffffep127f; }
    static __host__ __device__ constexpr float lowest() { return -0x1.fffffep127f; }
    static __host__ __device__ constexpr float epsilon() { return 0x1p-23f; }
    static __host__ __device__ constexpr float round_error() { return 0.5f; }
    static __host__ __device__ constexpr float denorm_min() { return 0x1p-149f; }
    static __host__ __device__ constexpr float infinity() { return __builtin_inff(); }
    static __host__ __device__ constexpr float quiet_NaN() { return __builtin_nanf(""); }
    static __host__ __device__ constexpr float signaling_NaN() { return __builtin_nanf("1"); }
};
template <> struct numeric_limits<double> : __floating_limits {
    static constexpr int digits = 53, digits10 = 15, max_digits10 = 17, min_exponent = -1021, min_exponent10 = -307, max_exponent = 1024, max_exponent10 = 308;
    static __host__ __device__ constexpr double min() { return 0x1p-1022; }
    static __host__ __device__ constexpr double max() { return 0x1.fffffffffffffp1023; }
    static __host__ __device__ constexpr double lowest() { return -0x1.fffffffffffffp1023; }
    static __host__ __device__ constexpr double epsilon() { return 0x1p-52; }
    static __host__ __device__ constexpr double round_error() { return 0.5; }
    static __host__ __device__ constexpr double denorm_min() { return 0x1p-1074; }
    static __host__ __device__ constexpr double infinity() { return __builtin_inf(); }
    static __host__ __device__ constexpr double quiet_NaN() { return __builtin_nan(""); }
    static __host__ __device__ constexpr double signaling_NaN() { return __builtin_nan("1"); }
};
template <> struct numeric_limits<long double> : numeric_limits<double> {};
}
