// Declarations and definitions of templates apart; names in parentheses; what CUDA's headers define; PRI macros.
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <functional>

#ifndef __VECTOR_TYPES_H__
struct float4 { float x; };
#endif

struct P { __device__ operator float() const { return 1.f; } };
template <class T> __device__ int f(T a, int b = 3);
template <class T> __device__ int f(T a, int b) { return b; }
namespace n {
template <class T> struct W { T a; };
template <class T> __device__ int g(T a, float b = P{});
template <class T, int N> __device__ int h(W<T> a, const T *p, float b = P());
namespace s {
template <class T> __device__ int f(T x, int n);
template <class T> __device__ int f(T x, P p = P{});
}
template <class T> __device__ int f(T x, int n) { return 1; }
template <class T> __device__ int s::f(T x, int n) { return 2; }
template <class T> __device__ int s::f(T x, P p) { return 3; }
template <class T> __device__ int g(T a, float b) { return b; }
template <class T, int N> __device__ int h(W<T> a, const T *p, float b) { return N; }
}

template <class T> __device__ T (floor)(const T &x) { return x; }
template <> __device__ float (floor)(const float &x) { return ::floorf(x); }
__device__ int (greater)(int a, int b) { return a > b ? a : b; }

struct V { int v; __device__ V(int a) : v(a) {} };
__device__ V operator<<(V a, int b) { return V(a.v + b); }
enum E { wide = 4 };
__device__ int operator|(E a, int b) { return 100; }

namespace fs = std::filesystem;
namespace std { template <> struct hash<V> { __device__ size_t operator()(const V &a) const { return a.v; } }; }
namespace m {
using ::min;
struct F { float x; };
__device__ F min(F a, F b) { return a; }
__device__ float g(float a) { F f{a}; return min(min(f, f).x, a); }
}

__global__ void k(float *o) {
    enum { bits = 1 << wide };
    o[0] = f(1) + n::g(2) + n::h<int, 3>(n::W<int>{1}, (int *)o) + n::f(1.f, 3) + n::s::f(1.f, 2) + n::s::f(2);
    o[1] = greater(3, o[1]) + (floor)(o[2]) + floor(o[3]) + m::g(o[2]) + std::hash<V>()(V(3)) + bits + (wide | 2);
    printf("%" PRIu64 " %" PRId64 " %" PRIx32 "\n", uint64_t(3), int64_t(4), uint32_t(5));
    struct L { __device__ int get() { return 3; } };
    o[4] = L().get();
}
int main() { fs::path p; }
// A namespace that is opened behind a template hides no other of its name in it.
namespace outer_ns { namespace detail { namespace parts { template <class T> struct Help { using type = T; }; } }
namespace inner_ns { template <class T> struct Described { using U = typename detail::parts::Help<T>::type; U u; }; } }
namespace outer_ns { namespace inner_ns { namespace detail { int coordinates(); } } }
struct Globals { outer_ns::inner_ns::Described<int> d; double x; };
__global__ void described(Globals g, int *o) { o[0] = g.d.u + sizeof(Globals); }
// An alias template may be declared again.
template <class T> using Again = T *;
template <class T> using Again = T *;
__global__ void again(Again<int> o) { *o = 1; }
