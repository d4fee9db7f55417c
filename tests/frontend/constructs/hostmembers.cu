#include <initializer_list>
#include <vector>
template <typename T> __global__ void ka(T *o) { *o = 1; }
template <typename T> __global__ void kb(T *o, int n) { *o = n; }
template <typename T, int N> __global__ void kc(T *o) { *o = N; }
template <typename T> struct Fun { __device__ T operator()(T a) const { return a + 1; } };
template <typename T, typename F> __global__ void kd(T *o, F f) { *o = f(*o); }
struct A { float *p; void run() { ka<<<1, 1>>>(p); } template <typename T> void go(T *q) { kb<T><<<1, 1>>>(q, 3); } void both() { int *z = nullptr; go(z); } static void st(double *d) { kd<<<1, 1>>>(d, Fun<double>()); } };
template <typename T> class B { T *q; public: B(int n) { ka<T><<<1, n>>>(q); } void run(int k) { switch (k) { case 1: kc<T, 1><<<1, 1>>>(q); break; case 2: kc<T, 2><<<1, 1>>>(q); } } };
template <typename T> void via(T *p) { B<T> b(3); b.run(1); }
float nested(const std::vector<std::vector<int>> &labels, const std::vector<int> &lengths) { return 0; }
struct Sizes { Sizes(const std::vector<long> &) {} Sizes(std::initializer_list<long>) {} Sizes(const long &) {} };
float made(Sizes s, int n = 0) { return n; }
void listed(int n, long m, signed char *p) { auto f = made({n, m}); kb<<<1, 1>>>(p, (int)f); }
int main() { A a; a.run(); a.both(); B<short> b(1); b.run(2); via((char *)0); }
