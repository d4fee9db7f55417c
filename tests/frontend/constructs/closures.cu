// Names of kernels launched with lambdas: numbers, captures, in members, templates and lambdas.
#include <cstdio>
template <typename F> __global__ void kf(F f) { }
template <typename F, typename G> __global__ void kg(F f, G g) { }
template <typename F> void run(F f) { kf<<<1, 1>>>(f); }
struct Solver { int n; void go() { auto l = [=] __device__ (int i) { printf("%d", i); }; kf<<<1, 1>>>(l); kf<<<1, 1>>>([*this] __device__ (int i) { return n; }); } template <typename T> void tgo(T t) { kf<<<1, 1>>>([=] __device__ (int i) { return t; }); } };
namespace ns { template <int N> void launch(int x) { run([=] __device__ (int i) { return i + N + x; }); run([=] __device__ (int i) { return i - N; }); run([=] __device__ (float i) { return i - N; }); } void plain() { run([] __host__ __device__ (double) {}); run([] __host__ __device__ (int, float *) {}); } }
inline void inl() { run([] __device__ (int) {}); }
struct Local1 {};
int main() {
  struct Loc { int a; __device__ void operator()(int) const {} };
  run([] __device__ (int i) { return i; });
  kg<<<1, 1>>>([] __device__ (int i) {}, [] __device__ (int i) { return 2; });
  { auto h = [](int q) { return q; }; (void)h; run([] __device__ (int i) { return i; }); }
  ns::launch<3>(1); ns::launch<4>(2); ns::plain(); Solver s{1}; s.go(); s.tgo(2.f); inl();
  auto outer = [&]() { run([] __device__ (int j) { return j; }); }; outer();
  auto nothing = [] __device__ () {}; (void)nothing; run([s] __device__ (int i) { return s.n; });
}
