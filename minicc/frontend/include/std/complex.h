// <complex>: arithmetic; and thrust::complex, which is the same.
namespace std {
template <typename T> struct complex {
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
        T re = __re * o.real() - __im * o.imag();
        __im = __re * o.imag() + __im * o.real();
        __re = re;
        return *this;
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
template <typename T> __host__ __device__ constexpr complex<T> operator*(const complex<T> &a, const complex<T> &b) {
    return complex<T>(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
}
template <typename T> __host__ __device__ constexpr complex<T> operator/(const complex<T> &a, const complex<T> &b) {
    T s = fabs(b.real()) + fabs(b.imag());
    T o = T(1) / s;
    T ar = a.real() * o, ai = a.imag() * o, br = b.real() * o, bi = b.imag() * o;
    T d = T(1) / (br * br + bi * bi);
    return complex<T>((ar * br + ai * bi) * d, (ai * br - ar * bi) * d);
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
