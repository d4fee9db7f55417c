// <complex>: arithmetic; and thrust::complex (__THRUST), whose products know no infinities and whose quotients are scaled
// by another number (std's as C has them in its annex G.5.1). CUDA's and thrust's are aligned as wholes (__ALIGNED).
namespace std {
#ifdef __ALIGNED
#define __ALIGNMENT alignas(2 * sizeof(T))
#else
#define __ALIGNMENT
#endif
template <typename T> struct complex;
template <typename T> struct __ALIGNMENT complex {
    typedef T value_type;
    T __re, __im;
    __host__ __device__ constexpr complex(const T &re = T(), const T &im = T()) : __re(re), __im(im) {}
    template <typename U> __host__ __device__ constexpr complex(const complex<U> &o) : __re(o.real()), __im(o.imag()) {}
    __host__ __device__ constexpr T real() const { return __re; }
    __host__ __device__ constexpr T imag() const { return __im; }
    __host__ __device__ constexpr void real(T v) { __re = v; }
    __host__ __device__ constexpr void imag(T v) { __im = v; }
    __host__ __device__ constexpr complex &operator=(const T &v) {
        __re = v;
        __im = T();
        return *this;
    }
    template <typename U> __host__ __device__ constexpr complex &operator+=(const complex<U> &o) {
        __re += o.real();
        __im += o.imag();
        return *this;
    }
    template <typename U> __host__ __device__ constexpr complex &operator-=(const complex<U> &o) {
        __re -= o.real();
        __im -= o.imag();
        return *this;
    }
    template <typename U> __host__ __device__ constexpr complex &operator*=(const complex<U> &o) {
        return *this = *this * complex(o);
    }
    template <typename U> __host__ __device__ constexpr complex &operator/=(const complex<U> &o) {
        return *this = *this / complex(o);
    }
    __host__ __device__ constexpr complex &operator+=(const T &v) {
        __re += v;
        return *this;
    }
    __host__ __device__ constexpr complex &operator-=(const T &v) {
        __re -= v;
        return *this;
    }
    __host__ __device__ constexpr complex &operator*=(const T &v) {
        __re *= v;
        __im *= v;
        return *this;
    }
    __host__ __device__ constexpr complex &operator/=(const T &v) {
        __re /= v;
        __im /= v;
        return *this;
    }
};
template <typename T> __host__ __device__ constexpr complex<T> operator+(const complex<T> &a) { return a; }
template <typename T> __host__ __device__ constexpr complex<T> operator-(const complex<T> &a) { return complex<T>(-a.real(), -a.imag()); }
template <typename T> __host__ __device__ constexpr complex<T> operator+(const complex<T> &a, const complex<T> &b) { return complex<T>(a.real() + b.real(), a.imag() + b.imag()); }
template <typename T> __host__ __device__ constexpr complex<T> operator-(const complex<T> &a, const complex<T> &b) { return complex<T>(a.real() - b.real(), a.imag() - b.imag()); }
template <typename T> __host__ __device__ constexpr bool __infinite(T v) { return v == T(INFINITY) || v == -T(INFINITY); }
template <typename T> __host__ __device__ constexpr void __signs(T &a, T &b) {
    a = copysign(T(__infinite(a)), a);
    b = copysign(T(__infinite(b)), b);
}
template <typename T> __host__ __device__ constexpr void __numbers(T &a, T &b) {
    if (a != a) a = copysign(T(0), a);
    if (b != b) b = copysign(T(0), b);
}
template <typename T> __host__ __device__ constexpr complex<T> operator*(const complex<T> &x, const complex<T> &y) {
    T a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
    T ac = a * c, bd = b * d, ad = a * d, bc = b * c;
    T re = ac - bd, im = ad + bc;
#ifndef __THRUST
    if (re != re && im != im && !__builtin_is_constant_evaluated()) {
        bool left = __infinite(a) || __infinite(b);
        if (left) {
            __signs(a, b);
            __numbers(c, d);
        }
        bool right = __infinite(c) || __infinite(d);
        if (right) {
            __signs(c, d);
            __numbers(a, b);
        }
        bool large = !left && !right && (__infinite(ac) || __infinite(bd) || __infinite(ad) || __infinite(bc));
        if (large) {
            __numbers(a, b);
            __numbers(c, d);
        }
        if (left || right || large) {
            re = T(INFINITY) * (a * c - b * d);
            im = T(INFINITY) * (a * d + b * c);
        }
    }
#endif
    return complex<T>(re, im);
}
template <typename T> __host__ __device__ constexpr complex<T> __scaled_quotient(const complex<T> &a, const complex<T> &b) {
    T s = fabs(b.real()) + fabs(b.imag());
    T o = T(1) / s;
    T ar = a.real() * o, ai = a.imag() * o, br = b.real() * o, bi = b.imag() * o;
    T d = T(1) / (br * br + bi * bi);
    return complex<T>((ar * br + ai * bi) * d, (ai * br - ar * bi) * d);
}
template <typename T> __host__ __device__ constexpr complex<T> operator/(const complex<T> &x, const complex<T> &y) {
#ifndef __THRUST
    if (!__builtin_is_constant_evaluated()) {
        int down = 0;
        T a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
        T exponent = logb(fmax(fabs(c), fabs(d)));
        if (isfinite(exponent)) {
            down = -int(exponent);
            c = scalbn(c, down);
            d = scalbn(d, down);
        }
        T ac = a * c, bd = b * d, ad = a * d, bc = b * c, cc = c * c, dd = d * d;
        T under = cc + dd;
        T re = scalbn((ac + bd) / under, down), im = scalbn((bc - ad) / under, down);
        if (re != re && im != im) {
            if (under == T(0) && (a == a || b == b)) {
                re = copysign(T(INFINITY), c) * a;
                im = copysign(T(INFINITY), c) * b;
            } else if ((__infinite(a) || __infinite(b)) && isfinite(c) && isfinite(d)) {
                __signs(a, b);
                re = T(INFINITY) * (a * c + b * d);
                im = T(INFINITY) * (b * c - a * d);
            } else if (__infinite(exponent) && exponent > T(0) && isfinite(a) && isfinite(b)) {
                __signs(c, d);
                re = T(0) * (a * c + b * d);
                im = T(0) * (b * c - a * d);
            }
        }
        return complex<T>(re, im);
    }
#endif
    return __scaled_quotient(x, y);
}
template <typename T> __host__ __device__ constexpr complex<T> operator+(const complex<T> &a, const T &b) { return complex<T>(a.real() + b, a.imag()); }
template <typename T> __host__ __device__ constexpr complex<T> operator+(const T &a, const complex<T> &b) { return complex<T>(a + b.real(), b.imag()); }
template <typename T> __host__ __device__ constexpr complex<T> operator-(const complex<T> &a, const T &b) { return complex<T>(a.real() - b, a.imag()); }
template <typename T> __host__ __device__ constexpr complex<T> operator-(const T &a, const complex<T> &b) { return complex<T>(a - b.real(), -b.imag()); }
template <typename T> __host__ __device__ constexpr complex<T> operator*(const complex<T> &a, const T &b) { return complex<T>(a.real() * b, a.imag() * b); }
template <typename T> __host__ __device__ constexpr complex<T> operator*(const T &a, const complex<T> &b) { return complex<T>(a * b.real(), a * b.imag()); }
template <typename T> __host__ __device__ constexpr complex<T> operator/(const complex<T> &a, const T &b) { return complex<T>(a.real() / b, a.imag() / b); }
template <typename T> __host__ __device__ constexpr complex<T> operator/(const T &a, const complex<T> &b) { return complex<T>(a) / b; }
template <typename T> __host__ __device__ constexpr bool operator==(const complex<T> &a, const complex<T> &b) { return a.real() == b.real() && a.imag() == b.imag(); }
template <typename T> __host__ __device__ constexpr bool operator!=(const complex<T> &a, const complex<T> &b) { return !(a == b); }
template <typename T> __host__ __device__ constexpr T real(const complex<T> &a) { return a.real(); }
template <typename T> __host__ __device__ constexpr T imag(const complex<T> &a) { return a.imag(); }
template <typename T> __host__ __device__ constexpr complex<T> conj(const complex<T> &a) { return complex<T>(a.real(), -a.imag()); }
template <typename T> __host__ __device__ constexpr T norm(const complex<T> &a) { return a.real() * a.real() + a.imag() * a.imag(); }
template <typename T> __host__ __device__ T abs(const complex<T> &a) { return hypot(a.real(), a.imag()); }
template <typename T> __host__ __device__ T arg(const complex<T> &a) { return atan2(a.imag(), a.real()); }
template <typename T> __host__ __device__ complex<T> polar(const T &r, const T &t = T()) { return complex<T>(r * cos(t), r * sin(t)); }
template <typename T> __host__ __device__ complex<T> exp(const complex<T> &a) { return polar<T>(::exp(a.real()), a.imag()); }
template <typename T> __host__ __device__ complex<T> log(const complex<T> &a) { return complex<T>(::log(abs(a)), arg(a)); }
template <typename T> __host__ __device__ complex<T> sqrt(const complex<T> &a) { return polar<T>(::sqrt(abs(a)), arg(a) * T(0.5)); }
template <typename T> __host__ __device__ complex<T> log10(const complex<T> &a) { return log(a) / T(2.30258509299404568402); }
template <typename T> __host__ __device__ complex<T> pow(const complex<T> &a, const complex<T> &b) { return exp(log(a) * b); }
template <typename T> __host__ __device__ complex<T> pow(const complex<T> &a, const T &b) { return exp(log(a) * b); }
template <typename T> __host__ __device__ complex<T> pow(const T &a, const complex<T> &b) { return exp(b * T(::log(a))); }
template <typename T> __host__ __device__ complex<T> sin(const complex<T> &a) { return complex<T>(::sin(a.real()) * ::cosh(a.imag()), ::cos(a.real()) * ::sinh(a.imag())); }
template <typename T> __host__ __device__ complex<T> cos(const complex<T> &a) { return complex<T>(::cos(a.real()) * ::cosh(a.imag()), -::sin(a.real()) * ::sinh(a.imag())); }
template <typename T> __host__ __device__ complex<T> sinh(const complex<T> &a) { return complex<T>(::sinh(a.real()) * ::cos(a.imag()), ::cosh(a.real()) * ::sin(a.imag())); }
template <typename T> __host__ __device__ complex<T> cosh(const complex<T> &a) { return complex<T>(::cosh(a.real()) * ::cos(a.imag()), ::sinh(a.real()) * ::sin(a.imag())); }
template <typename T> __host__ __device__ complex<T> tan(const complex<T> &a) { return sin(a) / cos(a); }
template <typename T> __host__ __device__ complex<T> tanh(const complex<T> &a) { return sinh(a) / cosh(a); }
template <typename T> __host__ __device__ complex<T> proj(const complex<T> &a) { return isinf(a.real()) || isinf(a.imag()) ? complex<T>(T(INFINITY), ::copysign(T(0), a.imag())) : a; }
}
