// Launches from host templates, members, lambdas; addresses of kernels.
#include <cstdio>
#include <vector>
#include <memory>
#include <functional>
#include <cstdint>
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1);} } while (0)
template <typename T, int N> __global__ void k1(T* p) { p[threadIdx.x] += N; }
template <typename T> __global__ void k2(T* p, int n) { if (threadIdx.x < n) p[threadIdx.x] *= 2; }
template <typename T, typename F> __global__ void kf(T* p, F f) { p[threadIdx.x] = f(p[threadIdx.x]); }
template <class P> __global__ void kp(P p) { p.out[threadIdx.x] = p.n; }
struct Params { int* out; int n; };
template <typename T> struct Scale { T s; __host__ __device__ T operator()(T x) const { return x * s; } };

template <typename T> class Solver {
  T* d_; int n_;
public:
  Solver(int n) : n_(n) { cudaMalloc(&d_, n * sizeof(T)); init(); }
  ~Solver() { k1<T, 99><<<1, 32>>>(d_); cudaFree(d_); }
  void init() { k1<T, 10><<<1, 32>>>(d_); }
  void run() { k2<<<1, 32>>>(d_, n_); }
  template <int N> void step() { k1<T, N><<<1, 32>>>(d_); }
  void unused() { k1<T, 1000><<<1, 32>>>(d_); }
  T* data() { return d_; }
};
template <typename T> struct Ex { T* p; void go(); static void sgo(T* q); };
template <typename T> void Ex<T>::go() { k1<T, 11><<<1, 32>>>(p); }
template <typename T> void Ex<T>::sgo(T* q) { k1<T, 12><<<1, 32>>>(q); }

template <typename T> void launch(T* p, int n) { k2<T><<<n, 32>>>(p, n); }
template <int N, typename T> void launchN(T* p) { k1<T, N><<<1, 32>>>(p); }
template <typename T, int N> struct Rec { static void go(T* p) { k1<T, N><<<1, 32>>>(p); Rec<T, N / 2>::go(p); } };
template <typename T> struct Rec<T, 0> { static void go(T*) {} };
template <typename... Ts> void all(Ts*... ps) { (k1<Ts, 500><<<1, 32>>>(ps), ...); }
template <int I> void upto(float* p) { if constexpr (I > 600) { k1<float, I><<<1,1>>>(p); upto<I - 1>(p); } }
template <typename F> void timeit(F f) { for (int i = 0; i < 3; i++) f(); }
enum class Mode { A, B };
template <Mode M> __global__ void km(int* p) { *p = (int)M; }
template <typename T, T V> __global__ void kv(T* p) { *p = V; }
int main(int argc, char** argv) {
  float* f; double* d; int* i; short* s; unsigned char* uc;
  CHECK(cudaMalloc(&f, 100)); cudaMalloc((void**)&d, 100); cudaMalloc(&i, 100); cudaMalloc(&s, 100); cudaMalloc(&uc, 100);
  k1<float, 1><<<1, 32>>>(f);
  Solver<float> sf(100);
  sf.run();
  sf.step<33>();
  auto sd = std::make_unique<Solver<double>>(32);
  sd->run();
  Solver<int>* si = new Solver<int>(5);
  si->template step<44>();
  delete si;
  Ex<short> e{s}; e.go();
  Ex<short>::sgo(s);
  launch(f, 3);
  launch<double>(d, 3);
  launchN<7>(d);
  Rec<float, 8>::go(f);
  all(f, d, i);
  upto<603>(f);
  Params ps{i, 3};
  kp<<<1, 32>>>(ps);
  auto ps2 = ps;
  Scale<float> sc{2.f};
  kf<<<1, 32>>>(f, sc);
  kf<<<1, 32>>>(d, Scale<double>{2.});
  auto sc2 = Scale<int>{4};
  kf<<<1, 32>>>(i, sc2);
  timeit([&] { k1<float, 77><<<1, 32>>>(f); });
  auto lam = [&](auto* p) { k1<std::remove_pointer_t<decltype(p)>, 78><<<1, 32>>>(p); };
  lam(f); lam(i);
  auto lam2 = [&]<int N>() { k1<float, 1000 + N><<<1, 32>>>(f); };
  lam2.operator()<5>();
  auto lam3 = [=](int n) { k1<int, 79><<<n, 32>>>(i); };
  lam3(4);
  auto kern = k1<float, 80>;
  kern<<<1, 32>>>(f);
  void (*kptr)(float*) = &k1<float, 81>;
  kptr<<<1, 32>>>(f);
  void* args[] = {&f};
  cudaLaunchKernel((void*)k1<float, 82>, dim3(1), dim3(1), args, 0, 0);
  cudaLaunchKernel((const void*)&k1<float, 83>, dim3(1), dim3(1), args, 0, 0);
  cudaFuncSetAttribute(k1<float, 84>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
  int nb; cudaOccupancyMaxActiveBlocksPerMultiprocessor(&nb, k1<float, 85>, 128, 0);
  std::vector<float> v(100); std::vector<double*> dv;
  auto dv0 = dv[0];
  k2<<<1, 32>>>(dv[0], 3);
  k2<<<1, 32>>>(reinterpret_cast<unsigned char*>(f), 3);
  k2<<<1, 32>>>((char*)f, 3);
  const auto n = 5 * argc; 
  for (auto x : {1, 2}) k1<long, 86><<<x, 32>>>((long*)f);
  switch (argc) { case 1: k1<float, 87><<<1, 32>>>(f); break; case 2: k1<float, 88><<<1, 32>>>(f); break; default: k1<float, 89><<<1, 32>>>(f); }
  km<Mode::A><<<1, 1>>>(i); km<Mode::B><<<1, 1>>>(i);
  kv<int, 3><<<1, 1>>>(i);
  void (*table[])(float*) = {k1<float, 90>, k1<float, 91>};
  for (auto fn : table) fn<<<1, 32>>>(f);
  if (auto p = argc > 3 ? f : nullptr) k1<float, 92><<<1, 32>>>(p);
  constexpr int C = 93; k1<float, C><<<1, 32>>>(f);
  const int C2 = sizeof(float) * 25; k1<float, C2><<<1, 32>>>(f);
  std::function<void()> fn = [&]() { k1<float, 94><<<1, 32>>>(f); }; fn();
  cudaLaunchConfig_t cfg = {}; cudaLaunchKernelEx(&cfg, k1<float, 95>, f);
  printf("%d\n", nb);
  try { k1<float, 96><<<1, 32>>>(f); } catch (...) { }
  using Q = Solver<unsigned>; Q q(3); q.run();
  using K = void (*)(float*); K kk = k1<float, 97>; kk<<<1,1>>>(f);
  return 0;
}
template <class T, int N> struct Traits { static constexpr int V = N; };
template <class K, bool A, bool B, bool C, bool D> __global__ void deep(int *p) { *p = K::V + A + B + C + D; }
template <class K, bool A> __global__ void shallow(int *p) { *p = K::V + A; }
#define EITHER(c, N, ...) [&] { if (c) { constexpr bool N = true; return __VA_ARGS__(); } else { constexpr bool N = false; return __VA_ARGS__(); } }()
template <class T, int N> void nested(int *p, bool c) { using Traits = Traits<T, N>; EITHER(p[0], A, [&] { EITHER(p[1], B, [&] { EITHER(p[2], C, [&] { EITHER(p[3], D, [&] { auto k = &deep<Traits, A, B, C, D>; if (c) { return; } k<<<1, 1>>>(p); using Other = ::Traits<T, B>; auto k2 = &shallow<Other, D>; k2<<<1, 1>>>(p); }); }); }); }); }
void nested_float(int *p) { nested<float, 3>(p, true); }
void nested_char(int *p) { nested<char, 4>(p, true); }

// Nothing is deduced from `typename Traits::Point`: an argument for it need only convert, as nullptr does.
template <class T> struct Bounds_ { T lower, upper; };
template <class T> struct Traits_ { using Point = T; };
template <class D, class T> __global__ void boxed(D *d, Bounds_<typename T::Point> *b) {}
template <class D, class T = Traits_<D>>
void build(D *d, int n, Bounds_<typename T::Point> *b = 0, cudaStream_t s = 0) { boxed<D, T><<<1, n, 0, s>>>(d, b); }
void builds(float3 *d, float2 *e) { build(d, 3, nullptr); build(e, 2); }

// Where the parameters have no values yet, nobody knows what `count` is.
namespace counted {
template <int N> struct Number { static constexpr int value = N; };
template <int N> struct Row {};
template <int N> __host__ __device__ constexpr Number<N> count(Row<N> const &) { return {}; }
}
template <class P, class Q, class R> __global__ static __launch_bounds__(decltype(count(R{}))::value)
void bounded(P *p, Q const *q, R r) { *p = *q + decltype(count(r))::value; }
template <class T> void run_bounded(T *p) { bounded<<<1, 32>>>(p, (T const *)p, counted::Row<64>{}); }
void run_bounded_float(float *p) { run_bounded(p); }
