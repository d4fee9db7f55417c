namespace ns { enum class Mode { A, B }; struct S { enum K { X = 2, Y }; template <typename T> struct In { T v; }; }; template <typename T> struct V { struct P { T *p; }; using type = T; T a; }; template <typename A, typename B> struct W { A a; B b; }; }
template <ns::Mode M, ns::S::K K> __global__ void k1(int *o) { *o = (int)M + K; }
template <typename Op> __global__ void k2(typename Op::P p, int n) { p.p[0] = n; }
template <typename T> __global__ void k3(typename ns::V<T>::P p, typename ns::V<T>::P q, ns::V<T> v) { p.p[0] = q.p[0]; }
template <typename T> __global__ void k4(ns::W<T, float> a, ns::W<float, T> b, ns::W<T, T> *c, typename ns::V<T>::type d) { c->a = a.a + b.b + d; }
template <typename T, int N> __global__ void k5(T (*f)(T), const ns::S::In<T> x, ns::S::K k, ns::Mode m) { }
template <typename T> __global__ void k6(typename T::type *p, const typename T::type *q) { *p = *q; }
template __global__ void k1<ns::Mode::B, ns::S::Y>(int *); template __global__ void k2<ns::V<float>>(ns::V<float>::P, int); template __global__ void k3<int>(ns::V<int>::P, ns::V<int>::P, ns::V<int>); template __global__ void k4<int>(ns::W<int, float>, ns::W<float, int>, ns::W<int, int> *, int); template __global__ void k5<float, 3>(float (*)(float), ns::S::In<float>, ns::S::K, ns::Mode); template __global__ void k6<ns::V<double>>(double *, const double *);
__global__ void k7(ns::Mode a, ns::Mode b, ns::S::K c, ns::S::K *d) {}
namespace glm_ { template <int L, typename T> struct vec { T x[L]; }; }
template <unsigned N, typename S> __global__ void k8(glm_::vec<2, S> *a, const glm_::vec<3, S> *b, glm_::vec<3, float> c) { a->x[0] = b->x[1] + c.x[2]; }
template __global__ void k8<3, float>(glm_::vec<2, float> *, const glm_::vec<3, float> *, glm_::vec<3, float>);
struct HostMade { float k; HostMade(float k) : k(k) {} __device__ float operator()(float v) const { return v * k; } };
template <typename F> __global__ void k9(float *o, F f) { o[0] = f(o[1]); }
template <typename F> void launch_(float *o, const F &f) { k9<F><<<1, 1>>>(o, f); }
void host_(float *o) { launch_(o, HostMade(2.f)); }
// The driver's types, and handles of libraries in classes.
#include <cuda.h>
struct Context_ { CUstream other; cudaStream_t stream; CUfunction f; cudaArray_t array; float *p; };
using Map_ = CUtensorMap;
__global__ void drivers_(const __grid_constant__ CUtensorMap m, const __grid_constant__ Map_ n, Context_ c)
{
    c.p[0] = ((size_t)&m ^ (size_t)&n) & 127;
    c.p[1] = sizeof c;
}
