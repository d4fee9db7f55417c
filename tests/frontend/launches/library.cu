// Launches whose types come from the C++ library.
#include <vector>
#include <string>
#include <memory>
#include <map>
#include <functional>
#include <thread>
#include <algorithm>
template <typename T, int N> __global__ void k1(T* p) { p[threadIdx.x] += N; }
template <typename T> __global__ void k2(const T* p, T* q, int n) { if (threadIdx.x < n) q[threadIdx.x] = p[threadIdx.x] * 2; }
template <typename T, typename U> __global__ void k3(T* p, U u, size_t n) { p[0] = u + n; }
template <typename T> class Tensor {
  std::vector<T> host_; std::string name_; T* dev_; std::shared_ptr<int> rc_;
public:
  explicit Tensor(size_t n, std::string name = "x") : host_(n), name_(std::move(name)), dev_{nullptr} { cudaMalloc(&dev_, n * sizeof(T)); }
  void fill(T v) { k3<<<1, 1>>>(dev_, v, host_.size()); }
  T* dev() const { return dev_; }
  size_t size() const { return host_.size(); }
  Tensor& operator+=(const Tensor& o) { k2<T><<<1, 1>>>(o.dev(), dev_, size()); return *this; }
};
template <typename T> Tensor<T> operator*(const Tensor<T>& a, const Tensor<T>& b) { k1<T, 60><<<1,1>>>(a.dev()); return a; }
template <typename T> void run(const std::vector<T>& in, const std::string& s) {
  T* p; cudaMalloc(&p, in.size() * sizeof(T));
  k2<<<1, 1>>>(p, p, (int)in.size());
  for (auto& x : in) { k3<<<1, 1>>>(p, x, 3); }
}
struct Base { virtual void go(float* p) = 0; virtual ~Base() {} };
template <int N> struct Derived : Base { void go(float* p) override { k1<float, N><<<1, 1>>>(p); } };
template <typename F> void apply(const char* name, F&& f) { f(1); }
static std::map<std::string, std::function<void(int*)>> table = {
  {"a", [](int* p) { k1<int, 700><<<1, 1>>>(p); }}, {"b", [](int* p) { k1<int, 701><<<1,1>>>(p); }} };
int main() {
  std::vector<float> v{1, 2, 3}; std::vector<double> w(10, 1.0);
  run(v, "hi"); run<double>(w, std::string("x"));
  
  Tensor<short> t(3); t.fill(3); 
  Tensor<long> a(3), b(4, "b"); a += b; auto c = a * b;
  std::unique_ptr<Base> base; base.reset(new Derived<40>()); 
  auto base2 = std::make_shared<Derived<41>>();
  Base* pb = new Derived<42>;
  std::vector<std::unique_ptr<Base>> all; all.push_back(std::make_unique<Derived<43>>());
  all.emplace_back(new Derived<44>());
  float* f = nullptr;
  apply("x", [&](auto n) { k1<float, 500><<<n, 1>>>(f); });
  std::thread th([&] { k1<float, 501><<<1, 1>>>(f); }); th.join();
  std::vector<float*> ptrs(4);
  for (int i = 0; i < 4; i++) k1<std::remove_pointer_t<decltype(ptrs)::value_type>, 502><<<1, 1>>>(ptrs[i]);
  for (float* p : ptrs) k3<<<1,1>>>(p, *p, sizeof(*p));
  std::for_each(ptrs.begin(), ptrs.end(), [](auto* p) { k1<double, 503><<<1, 1>>>((double*)p); });
  auto kernel = v.size() > 3 ? k1<float, 504> : k1<float, 505>;
  kernel<<<1, 1>>>(f);
  decltype(&k1<int, 506>) kk = nullptr;
  auto [x, y] = std::make_pair(f, 3); k3<<<1, 1>>>(x, y, 1);
  std::map<int, double> m; k3<<<1, 1>>>(f, m[3], 1);
  for (auto& [key, val] : m) k3<<<1, 1>>>(&val, (char)key, 1);
  if (const auto n = v.size(); n > 2) k1<unsigned char, 507><<<1, 1>>>((unsigned char*)f);
  while (auto* q = f) { k1<float, 508><<<1, 1>>>(q); break; }
  void* args[] = {&f}; cudaLaunchCooperativeKernel((void*)k1<float, 509>, 1, 1, args);
  static const auto fn = k1<float, 510>; fn<<<1,1>>>(f);
  return 0;
}
#include <variant>
template <typename T> __global__ void held(T *o) { o[0] = 1; }
void visited(const std::variant<long *, short *> &w)
{
    if (auto *p = std::get_if<1>(&w)) held<<<1, 1>>>(*p);
    if (std::holds_alternative<long *>(w)) held<<<1, 1>>>((double *)std::get<long *>(w));
}
