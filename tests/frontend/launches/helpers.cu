// hpc_helpers' kind: launchers, generic kernels, tuples of views, host-chosen instances
#include <tuple>
#include <type_traits>
#include <utility>
namespace helpers {
template <class Body, class... Args> __global__ void generic_kernel(Body body, Args... args) { body(args...); }
template <int B = 128, class Body, class... Args> void launch(std::size_t n, Body body, Args &&...args) { generic_kernel<<<(n + B - 1) / B, B>>>(body, std::forward<Args>(args)...); }
struct exec { int grid, block; template <class F, class... A> void operator()(F f, A... a) const { generic_kernel<<<grid, block>>>(f, a...); } };
template <class T> struct view { T *p; std::size_t n; __host__ __device__ T &operator[](std::size_t i) const { return p[i]; } };
template <class V, class F> void transform(V v, F f) { launch(v.n, [=] __device__(auto w) { auto i = threadIdx.x + blockDim.x * blockIdx.x; if (i < w.n) w[i] = f(w[i]); }, v); }
template <class T, class Op> struct folder { T init; Op op; void run(view<T> v) const { auto o = op; auto s = init; launch<64>(v.n, [o, s] __device__(view<T> w) { T a = s; for (std::size_t i = threadIdx.x; i < w.n; i += 64) a = o(a, w[i]); w[threadIdx.x] = a; }, v); } };
template <class T, class Op> folder(T, Op) -> folder<T, Op>;
enum class mode { a, b };
template <mode M, class F> void dispatch(bool x, F f) { if constexpr (M == mode::a) { if (x) f(std::integral_constant<int, 1>{}); else f(std::integral_constant<int, 2>{}); } else f(std::true_type{}); }
template <int N, class T> __global__ void fixed(T *p) { p[threadIdx.x] += N; }
template <class... Ts> void each_type(void *p) { (fixed<sizeof(Ts)><<<1, 32>>>(static_cast<Ts *>(p)), ...); }
template <class F, std::size_t... I> void unrolled(F f, std::index_sequence<I...>) { (f(std::integral_constant<std::size_t, I>{}), ...); }
}
using namespace helpers;
struct add { __host__ __device__ float operator()(float a, float b) const { return a + b; } };
void host(float *x, int n, double *d) {
  view<float> v{x, (std::size_t)n};
  transform(v, [] __device__(float q) { return q * 2; });
  folder f{0.f, add{}}; f.run(v);
  folder{1.0, [] __device__(double a, double b) { return a * b; }}.run(view<double>{d, 7});
  exec{2, 64}([=] __device__(float *p, int m) { if (threadIdx.x < m) p[threadIdx.x] = m; }, x, n);
  dispatch<mode::b>(n > 3, [&](auto c) { fixed<3 + decltype(c)::value><<<1, 32>>>(x); });
  each_type<int, double, char>(x);
  unrolled([&](auto i) { fixed<10 + i><<<1, 1>>>(d); }, std::make_index_sequence<3>{});
  auto table = std::make_tuple(&fixed<100, float>, &fixed<200, float>);
  std::get<0>(table)<<<1, 32>>>(x);
  void (*kp)(double *) = n > 2 ? fixed<7, double> : fixed<8, double>; kp<<<1, 1>>>(d);
}
