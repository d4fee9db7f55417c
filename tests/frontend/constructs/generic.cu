// Lambdas: generic, mutable, recursive, of arrays; conversion functions to classes.
// lambda-heavy, nested lambdas, generic, mutable, init capture, returning lambdas, recursion via Y
template <typename F> struct Y { F f; template <typename... A> __device__ decltype(auto) operator()(A &&...a) const { return f(*this, static_cast<A &&>(a)...); } };
template <typename F> Y(F) -> Y<F>;
template <typename F, typename G> __device__ auto compose(F f, G g) { return [=](auto... a) { return f(g(a...)); }; }
__global__ void k(int *o, const float *in, int n) {
  int i = threadIdx.x;
  auto add = [](auto a) { return [a](auto b) { return a + b; }; };
  auto twice = [](auto f) { return [f](auto x) { return f(f(x)); }; };
  auto ctr = [c = 0]() mutable { return c++; };
  int s = 0; for (int j = 0; j < 5; ++j) s += ctr();
  auto fib = Y{[](auto self, int m) -> int { return m < 2 ? m : self(m - 1) + self(m - 2); }};
  auto h = compose([](float x) { return (int)x; }, [&](int j, float z) { return in[j] * z; });
  o[i] = add(3)(4.5f) + twice(add(10))(i) + s + fib(i & 7) + h(i, 2.f);
  int arr[8] = {}; auto fill = [&arr](int v) { for (int &x : arr) x = v++; }; fill(i);
  auto sum = [](const auto &a) { int t = 0; for (auto x : a) t += x; return t; };
  o[i + 64] = sum(arr);
  int (*fp)(int) = [](int q) { return q * 3; }; o[i + 128] = fp(i);
  const auto visit = [&](auto &&self, int d) -> void { if (d > 0) { o[i + 192] += d; self(self, d - 1); } }; visit(visit, 4);
  auto sel = n > 3 ? +[](int a) { return a; } : +[](int a) { return -a; }; o[i + 256] = sel(i);
}
struct S { int v; __device__ int run(int x) { auto f = [this, x] { return v * x; }; auto g = [*this]() mutable { return ++v; }; auto h = [this, x](int k) { return v + x + k; }; return f() + g() + h(2); } };
__global__ void m(S *s, int *o) { o[threadIdx.x] = s[threadIdx.x].run(threadIdx.x); }
__global__ void arrays(int *o) { int arr[8] = {}; arr[0] = 1; auto sum = [](const auto &a) { int t = 0; for (auto x : a) t += x; return t; }; o[1] = sum(arr); auto s2 = [](auto &a) { return a[0]; }; o[2] = s2(arr); auto s3 = [](auto &&a) { return a[0]; }; o[3] = s3(arr); auto s4 = [](auto *a, const auto *b) { return a[0] + b[0]; }; o[4] = s4(arr, arr); }
template <typename T> __device__ int f(const T &a) { int t = 0; for (auto x : a) t += x; return t + sizeof(a); }
__global__ void bound(int *o) { int arr[3] = {1, 2, 3}; o[0] = f(arr); }
struct B { int v; }; struct A { int x; __device__ operator B() const { return B{x}; } }; __global__ void k2(A *a, B *b) { B q = a[0]; b[0] = q; b[1] = a[2]; }
__global__ void changed(int *o) { int a = 1; auto f = [=](auto t) mutable { a += t; return a; }; o[0] = f(2) + f(3.5); auto g = [a](auto t, int u) mutable -> int { return a += t * u; }; o[1] = g(2, 3); }
template <class... T> struct Listed { static constexpr int n = sizeof...(T); }; template <class... T> constexpr int counted = sizeof...(T); template <bool B> struct When { typedef int type; };
template <class... T, typename When<(counted<Listed<T>...> > 0)>::type = 0> __device__ int folded(T... t) { return (counted<T *...>) + (Listed<T...>::n) + (0 + ... + t) + (t > ... > 0) + (t >> ... >> 1); }
__global__ void folds(int *o) { o[0] = folded(3, 2, 1); }
