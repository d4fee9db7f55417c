// std=c++20
// A constant object for a template's parameter that is a number, tuples of one's own, a fold that goes on as an object.
#include <cuda/std/tuple>
#include <cuda/std/utility>
template <auto v> struct C { static constexpr auto value = v; __host__ __device__ constexpr operator decltype(v)() const { return v; } };
template <int N> struct A { int v[N]; };
template <size_t... N> struct Sum { static constexpr int value = (int(N) + ...); };
namespace own {
template <class... T> struct tuple { int a; };
template <size_t I, class... T> __device__ int get(const tuple<T...> &t) { return t.a + I; }
template <class X, class... T> __device__ int get(const tuple<T...> &t) { return sizeof(X); }
}
namespace cuda::std {
template <class... T> struct tuple_size<own::tuple<T...>> : cuda::std::integral_constant<size_t, sizeof...(T)> {};
template <size_t I, class... T> struct tuple_element<I, own::tuple<T...>> : cuda::std::tuple_element<I, cuda::std::tuple<T...>> {};
}
namespace std {
template <class... T> struct tuple_size<own::tuple<T...>> : cuda::std::integral_constant<size_t, sizeof...(T)> {};
template <size_t I, class... T> struct tuple_element<I, own::tuple<T...>> : cuda::std::tuple_element<I, cuda::std::tuple<T...>> {};
}
template <class F, class V> struct Fold {
  template <class X> __device__ constexpr auto operator|(X x) { auto r = f(v, x); return Fold<F, decltype(r)>{f, r}; }
  F f; V v;
};
template <class F, class V, class... X> __device__ auto fold(F f, V v, X... x) { return (Fold<F, V>{f, v} | ... | x).v; }
template <class T> __device__ int numbers(T n, own::tuple<int, long> t) {
  A<n> a;
  return sizeof(a) + get<n>(t) + Sum<n, 4, n>::value;
}
__global__ void k(int *o) {
  own::tuple<int, long> t{3};
  auto [a, b] = t;
  o[0] = numbers(C<1>(), t) + a + b;
  o[1] = fold([](auto x, auto y) { return x + y; }, 1, 2L, 3.5f);
  auto within = [&](auto n) { return own::get<n>(t) + sizeof(A<n + 1>); };
  o[2] = within(C<1>());
}
template <int... I> struct seq {};
template <int J, class... T> __device__ int one(const T &...t) { return (J + ... + t); }
template <int I> __device__ int add(int t) { return I + t; }
template <class... T> __device__ int tup(T... t) { return (0 + ... + t); }
template <int... I, int... J> __device__ int zip(int t, seq<I...>, seq<J...>) {
  return tup(one<J>(add<I>(t)...)..., tup(I, 1)...) + tup([=](auto... a) { return (1 + ... + a) * J; }(I...)...) +
         tup(tup(J, sizeof...(I))...);
}
__global__ void nested(int *o) {
  o[0] = zip(3, seq<0, 1>(), seq<4, 1, 2>()) + zip(o[1], seq<>(), seq<1>()) + zip(o[2], seq<2, 3>(), seq<>());
}
// A bound may be an object that is converted to a number.
template <int N> struct Count { using value_type = int; __host__ __device__ constexpr operator value_type() const { return N; } };
template <int N> __host__ __device__ constexpr Count<N + 1> next(Count<N> const &) { return {}; }
template <class C> struct Slots { double at[next(C{})], two[C{}][2]; };
__global__ void bounded(int *o) {
  int local[next(Count<4>{})] = {};
  local[o[1] & 3] = 7;
  o[0] = sizeof(Slots<Count<6>>) + sizeof(local) + local[o[2] & 3];
}
