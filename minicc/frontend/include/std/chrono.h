// <chrono>: durations, points of time, clocks that read the machine's %globaltimer; no calendar.
namespace std {
namespace chrono {
template <typename Rep, typename Period = ratio<1>> class duration;
template <typename T> struct treat_as_floating_point : is_floating_point<T> {};
template <typename T> inline constexpr bool treat_as_floating_point_v = treat_as_floating_point<T>::value;
template <typename T> struct __is_duration : false_type {};
template <typename R, typename P> struct __is_duration<duration<R, P>> : true_type {};
// Every multiple of A's period and of B's is one of this.
template <typename A, typename B> using __finer = ratio<__ratio_gcd(A::num, B::num), A::den / __ratio_gcd(A::den, B::den) * B::den>;
template <typename T> struct duration_values {
    static __host__ __device__ constexpr T zero() { return T(0); }
    static __host__ __device__ constexpr T min() { return numeric_limits<T>::lowest(); }
    static __host__ __device__ constexpr T max() { return numeric_limits<T>::max(); }
};
template <typename To, typename R, typename P> __host__ __device__ constexpr To duration_cast(const duration<R, P> &d) {
    typedef ratio_divide<P, typename To::period> __factor;
    typedef typename common_type<typename To::rep, R, long>::type __wide;
    if constexpr (__factor::num == 1 && __factor::den == 1)
        return To((typename To::rep)d.count());
    else if constexpr (__factor::num == 1)
        return To((typename To::rep)((__wide)d.count() / (__wide)__factor::den));
    else if constexpr (__factor::den == 1)
        return To((typename To::rep)((__wide)d.count() * (__wide)__factor::num));
    else
        return To((typename To::rep)((__wide)d.count() * (__wide)__factor::num / (__wide)__factor::den));
}
template <typename Rep, typename Period> class duration {
    Rep count_;
public:
    typedef Rep rep;
    typedef typename Period::type period;
    constexpr duration() = default;
    template <typename R, typename = enable_if_t<is_convertible<const R &, Rep>::value && (treat_as_floating_point<Rep>::value || !treat_as_floating_point<R>::value)>> __host__ __device__ constexpr explicit duration(const R &r) : count_((Rep)r) {}
    template <typename R, typename P, typename = enable_if_t<treat_as_floating_point<Rep>::value || (ratio_divide<P, Period>::den == 1 && !treat_as_floating_point<R>::value)>> __host__ __device__ constexpr duration(const duration<R, P> &d) : count_(duration_cast<duration>(d).count()) {}
    __host__ __device__ constexpr Rep count() const { return count_; }
    __host__ __device__ constexpr typename common_type<duration>::type operator+() const { return *this; }
    __host__ __device__ constexpr typename common_type<duration>::type operator-() const { return duration(-count_); }
    __host__ __device__ constexpr duration &operator++() { ++count_; return *this; }
    __host__ __device__ constexpr duration operator++(int) { return duration(count_++); }
    __host__ __device__ constexpr duration &operator--() { --count_; return *this; }
    __host__ __device__ constexpr duration operator--(int) { return duration(count_--); }
    __host__ __device__ constexpr duration &operator+=(const duration &d) { count_ += d.count(); return *this; }
    __host__ __device__ constexpr duration &operator-=(const duration &d) { count_ -= d.count(); return *this; }
    __host__ __device__ constexpr duration &operator*=(const Rep &r) { count_ *= r; return *this; }
    __host__ __device__ constexpr duration &operator/=(const Rep &r) { count_ /= r; return *this; }
    __host__ __device__ constexpr duration &operator%=(const Rep &r) { count_ %= r; return *this; }
    __host__ __device__ constexpr duration &operator%=(const duration &d) { count_ %= d.count(); return *this; }
    static __host__ __device__ constexpr duration zero() { return duration(duration_values<Rep>::zero()); }
    static __host__ __device__ constexpr duration min() { return duration(duration_values<Rep>::min()); }
    static __host__ __device__ constexpr duration max() { return duration(duration_values<Rep>::max()); }
};
template <typename A, typename B> using __both = typename common_type<A, B>::type;
template <typename R, typename P, typename S, typename Q> __host__ __device__ constexpr __both<duration<R, P>, duration<S, Q>> operator+(const duration<R, P> &a, const duration<S, Q> &b) { typedef __both<duration<R, P>, duration<S, Q>> D; return D(D(a).count() + D(b).count()); }
template <typename R, typename P, typename S, typename Q> __host__ __device__ constexpr __both<duration<R, P>, duration<S, Q>> operator-(const duration<R, P> &a, const duration<S, Q> &b) { typedef __both<duration<R, P>, duration<S, Q>> D; return D(D(a).count() - D(b).count()); }
template <typename R, typename P, typename S, typename = enable_if_t<!__is_duration<S>::value>> __host__ __device__ constexpr duration<__both<R, S>, P> operator*(const duration<R, P> &a, const S &s) { typedef duration<__both<R, S>, P> D; return D(D(a).count() * (__both<R, S>)s); }
template <typename S, typename R, typename P, typename = enable_if_t<!__is_duration<S>::value>> __host__ __device__ constexpr duration<__both<S, R>, P> operator*(const S &s, const duration<R, P> &a) { return a * s; }
template <typename R, typename P, typename S, typename = enable_if_t<!__is_duration<S>::value>> __host__ __device__ constexpr duration<__both<R, S>, P> operator/(const duration<R, P> &a, const S &s) { typedef duration<__both<R, S>, P> D; return D(D(a).count() / (__both<R, S>)s); }
template <typename R, typename P, typename S, typename Q> __host__ __device__ constexpr __both<R, S> operator/(const duration<R, P> &a, const duration<S, Q> &b) { typedef __both<duration<R, P>, duration<S, Q>> D; return D(a).count() / D(b).count(); }
template <typename R, typename P, typename S, typename = enable_if_t<!__is_duration<S>::value>> __host__ __device__ constexpr duration<__both<R, S>, P> operator%(const duration<R, P> &a, const S &s) { typedef duration<__both<R, S>, P> D; return D(D(a).count() % (__both<R, S>)s); }
template <typename R, typename P, typename S, typename Q> __host__ __device__ constexpr __both<duration<R, P>, duration<S, Q>> operator%(const duration<R, P> &a, const duration<S, Q> &b) { typedef __both<duration<R, P>, duration<S, Q>> D; return D(D(a).count() % D(b).count()); }
template <typename R, typename P, typename S, typename Q> __host__ __device__ constexpr bool operator==(const duration<R, P> &a, const duration<S, Q> &b) { typedef __both<duration<R, P>, duration<S, Q>> D; return D(a).count() == D(b).count(); }
template <typename R, typename P, typename S, typename Q> __host__ __device__ constexpr bool operator!=(const duration<R, P> &a, const duration<S, Q> &b) { return !(a == b); }
template <typename R, typename P, typename S, typename Q> __host__ __device__ constexpr bool operator<(const duration<R, P> &a, const duration<S, Q> &b) { typedef __both<duration<R, P>, duration<S, Q>> D; return D(a).count() < D(b).count(); }
template <typename R, typename P, typename S, typename Q> __host__ __device__ constexpr bool operator>(const duration<R, P> &a, const duration<S, Q> &b) { return b < a; }
template <typename R, typename P, typename S, typename Q> __host__ __device__ constexpr bool operator<=(const duration<R, P> &a, const duration<S, Q> &b) { return !(b < a); }
template <typename R, typename P, typename S, typename Q> __host__ __device__ constexpr bool operator>=(const duration<R, P> &a, const duration<S, Q> &b) { return !(a < b); }
template <typename To, typename R, typename P> __host__ __device__ constexpr To floor(const duration<R, P> &d) { To t = duration_cast<To>(d); if (t > d) t = t - To(1); return t; }
template <typename To, typename R, typename P> __host__ __device__ constexpr To ceil(const duration<R, P> &d) { To t = duration_cast<To>(d); if (t < d) t = t + To(1); return t; }
template <typename To, typename R, typename P> __host__ __device__ constexpr To round(const duration<R, P> &d) {
    To low = floor<To>(d), high = low + To(1);
    auto below = d - low, above = high - d;
    if (below == above)
        return low.count() & 1 ? high : low;
    return below < above ? low : high;
}
template <typename R, typename P> __host__ __device__ constexpr duration<R, P> abs(duration<R, P> d) { return d >= d.zero() ? +d : -d; }
using nanoseconds = duration<long long, nano>;
using microseconds = duration<long long, micro>;
using milliseconds = duration<long long, milli>;
using seconds = duration<long long>;
using minutes = duration<long, ratio<60>>;
using hours = duration<long, ratio<3600>>;
using days = duration<int, ratio<86400>>;
using weeks = duration<int, ratio<604800>>;
using years = duration<int, ratio<31556952>>;
using months = duration<int, ratio<2629746>>;
template <typename Clock, typename Duration = typename Clock::duration> class time_point {
    Duration since_;
public:
    typedef Clock clock;
    typedef Duration duration;
    typedef typename Duration::rep rep;
    typedef typename Duration::period period;
    __host__ __device__ constexpr time_point() : since_(Duration::zero()) {}
    __host__ __device__ constexpr explicit time_point(const Duration &d) : since_(d) {}
    template <typename E, typename = enable_if_t<is_convertible<E, Duration>::value>> __host__ __device__ constexpr time_point(const time_point<Clock, E> &t) : since_(t.time_since_epoch()) {}
    __host__ __device__ constexpr Duration time_since_epoch() const { return since_; }
    __host__ __device__ constexpr time_point &operator+=(const Duration &d) { since_ += d; return *this; }
    __host__ __device__ constexpr time_point &operator-=(const Duration &d) { since_ -= d; return *this; }
    static __host__ __device__ constexpr time_point min() { return time_point(Duration::min()); }
    static __host__ __device__ constexpr time_point max() { return time_point(Duration::max()); }
};
template <typename To, typename C, typename D> __host__ __device__ constexpr time_point<C, To> time_point_cast(const time_point<C, D> &t) { return time_point<C, To>(duration_cast<To>(t.time_since_epoch())); }
template <typename C, typename D, typename R, typename P> __host__ __device__ constexpr time_point<C, __both<D, duration<R, P>>> operator+(const time_point<C, D> &t, const duration<R, P> &d) { return time_point<C, __both<D, duration<R, P>>>(t.time_since_epoch() + d); }
template <typename R, typename P, typename C, typename D> __host__ __device__ constexpr time_point<C, __both<D, duration<R, P>>> operator+(const duration<R, P> &d, const time_point<C, D> &t) { return t + d; }
template <typename C, typename D, typename R, typename P> __host__ __device__ constexpr time_point<C, __both<D, duration<R, P>>> operator-(const time_point<C, D> &t, const duration<R, P> &d) { return time_point<C, __both<D, duration<R, P>>>(t.time_since_epoch() - d); }
template <typename C, typename D, typename E> __host__ __device__ constexpr __both<D, E> operator-(const time_point<C, D> &a, const time_point<C, E> &b) { return a.time_since_epoch() - b.time_since_epoch(); }
template <typename C, typename D, typename E> __host__ __device__ constexpr bool operator==(const time_point<C, D> &a, const time_point<C, E> &b) { return a.time_since_epoch() == b.time_since_epoch(); }
template <typename C, typename D, typename E> __host__ __device__ constexpr bool operator!=(const time_point<C, D> &a, const time_point<C, E> &b) { return !(a == b); }
template <typename C, typename D, typename E> __host__ __device__ constexpr bool operator<(const time_point<C, D> &a, const time_point<C, E> &b) { return a.time_since_epoch() < b.time_since_epoch(); }
template <typename C, typename D, typename E> __host__ __device__ constexpr bool operator>(const time_point<C, D> &a, const time_point<C, E> &b) { return b < a; }
template <typename C, typename D, typename E> __host__ __device__ constexpr bool operator<=(const time_point<C, D> &a, const time_point<C, E> &b) { return !(b < a); }
template <typename C, typename D, typename E> __host__ __device__ constexpr bool operator>=(const time_point<C, D> &a, const time_point<C, E> &b) { return !(a < b); }
template <typename Self, typename Tick, bool Steady> struct __clock {
    typedef Tick duration;
    typedef typename Tick::rep rep;
    typedef typename Tick::period period;
    typedef chrono::time_point<Self, Tick> time_point;
    static constexpr bool is_steady = Steady;
    static __host__ __device__ time_point now() {
        long long ns = 0;
#ifdef __CUDA_ARCH__
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
#endif
        return time_point(duration_cast<Tick>(nanoseconds(ns)));
    }
};
struct system_clock : __clock<system_clock, microseconds, false> {};
struct steady_clock : __clock<steady_clock, nanoseconds, true> {};
using high_resolution_clock = steady_clock;
}
template <typename R, typename P, typename S, typename Q> struct common_type<chrono::duration<R, P>, chrono::duration<S, Q>> { typedef chrono::duration<typename common_type<R, S>::type, typename chrono::__finer<typename P::type, typename Q::type>::type> type; };
template <typename C, typename D, typename E> struct common_type<chrono::time_point<C, D>, chrono::time_point<C, E>> { typedef chrono::time_point<C, typename common_type<D, E>::type> type; };
inline namespace literals {
inline namespace chrono_literals {
__host__ __device__ constexpr chrono::hours operator""h(unsigned long long n) { return chrono::hours((long)n); }
__host__ __device__ constexpr chrono::duration<long double, ratio<3600>> operator""h(long double n) { return chrono::duration<long double, ratio<3600>>(n); }
__host__ __device__ constexpr chrono::minutes operator""min(unsigned long long n) { return chrono::minutes((long)n); }
__host__ __device__ constexpr chrono::duration<long double, ratio<60>> operator""min(long double n) { return chrono::duration<long double, ratio<60>>(n); }
__host__ __device__ constexpr chrono::seconds operator""s(unsigned long long n) { return chrono::seconds((long long)n); }
__host__ __device__ constexpr chrono::duration<long double> operator""s(long double n) { return chrono::duration<long double>(n); }
__host__ __device__ constexpr chrono::milliseconds operator""ms(unsigned long long n) { return chrono::milliseconds((long long)n); }
__host__ __device__ constexpr chrono::duration<long double, milli> operator""ms(long double n) { return chrono::duration<long double, milli>(n); }
__host__ __device__ constexpr chrono::microseconds operator""us(unsigned long long n) { return chrono::microseconds((long long)n); }
__host__ __device__ constexpr chrono::duration<long double, micro> operator""us(long double n) { return chrono::duration<long double, micro>(n); }
__host__ __device__ constexpr chrono::nanoseconds operator""ns(unsigned long long n) { return chrono::nanoseconds((long long)n); }
__host__ __device__ constexpr chrono::duration<long double, nano> operator""ns(long double n) { return chrono::duration<long double, nano>(n); }
}
}
namespace chrono {
using namespace literals::chrono_literals;
}
}
