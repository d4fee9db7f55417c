// Definitions outside of their namespaces, explicit instances, using-declarations.
#include <cstdint>
#include <vector>
namespace ns { template <uint32_t N> struct KV { int k[N]; }; 
template <uint32_t n, uint32_t b> __global__ void comp(KV<n>* t, const uint64_t e, uint64_t* r) { r[0] = t->k[0] + b; }
template <uint32_t n> void comp_(KV<n>* t, uint64_t *r) { comp<n, 1024> <<<1, 1024>>>(t, 3, r); }
template void comp_<3>(KV<3>*, uint64_t*);
struct Q { static __device__ int f(int x); };
__global__ void outl(int* p);
}
__global__ void ns::outl(int* p) { p[0] = Q::f(3); }
__device__ int ns::Q::f(int x) { return x + 1; }
using std::vector;
template <typename T> class csr { public: csr(int m) : m_(m), r_(m + 1, 0) {} csr(const std::vector<T>& o); int rows() const { return m_; } const T* d() const { return v_.data(); } private: int m_; vector<T> v_; vector<int> r_; };
template <typename T> class sy { public: sy(int n) : a(n) {} T& alpha(int i) { return a[i]; } private: vector<T> a; };
template <typename T> __global__ void dotk(const int n, const T* x, T* y) { y[0] = x[0] * n; }
template <typename T> T ddot(int n, const T* x, T* y) { dotk<T><<<1, 1>>>(n, x, y); vector<T> h(n); return h[0]; }
template <typename T> sy<T> lan(const csr<T>& m, const vector<T>& v) { sy<T> r(3); T* x; cudaMalloc(&x, 4); T prod = ddot(3, x, x); r.alpha(0) = prod; return r; }
template <typename T> vector<T> eig(const csr<T>& m, int k) { vector<T> v(k); auto s = lan(m, v); return v; }
template vector<float> eig(const csr<float>& m, int k);
