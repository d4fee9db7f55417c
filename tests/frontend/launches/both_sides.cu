// Lambdas that launch kernels, passed to functions that the device may call, too.
template <class T, int N> __global__ void tagged(T *p) { *p = N; }
template <bool B> struct Flag { static constexpr bool value = B; };
template <class F> __host__ __device__ void applied(float *p, F f) { f(p); }
template <class F> __host__ __device__ constexpr void looped(float *p, float *e, F f) { for (; p != e; ++p) f(*p); }
template <int N, class F> constexpr void counted(F &&f) { if constexpr (N > 0) { f.template operator()<N>(); counted<N - 1>(f); } }
template <class F> constexpr auto chosen(bool b, F &&f) { if (b) return f(Flag<true>{}); else return f(Flag<false>{}); }
struct Launching { float *p; template <class T> void operator()(T t) const { tagged<T, 7><<<1, 1>>>(&t); } };
struct Storing { float *p; template <class T> __host__ __device__ void operator()(T t) const { p[0] = t; } };
__global__ void stored(float *p) { looped(p, p + 3, Storing{p}); applied(p, [](float *q) { *q = 1; }); }
template <class T> struct Pair { T a, b; __device__ void operator=(int) {} };
template <class T> __host__ __device__ Pair<T> pair_of(T const &a, T const &b) { return {a, b}; }
template <class T, class F> __host__ __device__ constexpr auto paired(T t, F &&f) { return pair_of(f(t), f(t)); }
void host(float *p, bool q) {
    applied(p, [](auto *q) { tagged<double, 1><<<1, 1>>>((double *)q); });
    looped(p, p + 3, [](auto &q) { tagged<double, 2><<<1, 1>>>((double *)&q); });
    counted<3>([&]<int N>() { tagged<float, N><<<1, 1>>>(p); });
    chosen(q, [&](auto c) { tagged<float, 5 + decltype(c)::value><<<1, 1>>>(p); return 0; });
    looped(p, p + 3, Launching{p});
    looped(p, p, Storing{p});
    tagged<decltype(paired(1, [](auto x) { return x * 0.5; })), 20><<<1, 1>>>(nullptr);
    auto both = paired(1, [](auto x) { return Flag<sizeof(x) == 4>{}; });
    tagged<decltype(both), 21><<<1, 1>>>(&both);
}
