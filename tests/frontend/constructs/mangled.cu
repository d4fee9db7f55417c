// Names of kernels: every kind of template argument, packs, members of templates, expressions.
#include <cstdint>
#include <type_traits>
namespace a { namespace b { template <typename T, int N> struct V { T d[N]; struct In { T x; }; template <typename U> struct Q { U u; }; enum E { E0, E1 }; }; enum class C : char { X, Y = 5 }; struct P { int x; }; } inline namespace v2 { struct W {}; template <typename T> struct Z {}; } template <typename... T> struct Pk {}; }
template <typename T> __global__ void k(T t, T *p = nullptr) {}
template <typename T, typename U> __global__ void k2(T t, U u, T *a, U *b, const T *c, const U *const d) {}
template <auto V> __global__ void kv(int *o) { o[0] = 1; }
template <int N, unsigned long long U, bool B, char C, a::b::C E, long L> __global__ void kn(int *o) {}
template <template <typename, int> class T, typename... R> __global__ void kt(T<float, 3> t, R... r) {}
template <typename F> __global__ void kf(F f) {}
template <typename T> __global__ void kd(typename T::In x, T *y) {}
template <typename T, typename = std::enable_if_t<std::is_integral<T>::value>> __global__ void ke(T t) {}
template <typename T> using Al = a::b::V<T, 7>;
template <typename T> __global__ void kal(Al<T> x, Al<T> *y) {}
template <int N> struct Tag { static constexpr int n = N; };
template <int N> __global__ void ktag(Tag<N> t, Tag<N + 1> u) {}
template <typename T, int N> __global__ void karr(T (*p)[N], T (&r)[N]) {}
template <typename R, typename... A> __global__ void kfp(R (*f)(A...), A... a) {}
template <typename T> __global__ void kmem(int T::*p, int (T::*q)(float) const) {}
struct S { int x; int m(float) const { return 1; } };
__device__ int gv; __device__ int df(int x) { return x; }
template <int *P> __global__ void kp(int *o) { *o = *P; }
template <int (*F)(int)> __global__ void kfun(int *o) { *o = F(1); }
template <typename T> struct Base { template <typename U> struct Inner { template <int N> struct Deep {}; U u; }; };
template <typename... P> __global__ void kpk(a::Pk<P...> x, a::Pk<P *...> y) {}
template <int... I> __global__ void kseq(std::integer_sequence<int, I...> s) {}
struct Fun { template <typename T> __device__ void operator()(T) {} };
namespace a { template <typename T> __global__ void nk(T t, b::V<T, 2> v) {} namespace { struct Anon {}; } }
__global__ void plain(a::b::V<int, 2> x, a::b::V<int, 2>::In y, a::b::P *z, a::b::P *const w, const volatile int *q, a::b::V<a::b::P, 1>::Q<float> r, a::b::C c, a::b::V<int, 2>::E e, float (*f)(int, ...), uint64_t u, long long l, __int128 i, unsigned char h, signed char sc, std::nullptr_t np) {}
__global__ void inl(a::W w, a::Z<a::W> z, a::v2::Z<int> q) {}
__global__ void deep(Base<int>::Inner<float>::Deep<3> d, Base<int>::Inner<char> e) {}
extern "C" { __global__ void cl(int x) {} }
__global__ void vec(float4 a, uint3 b, dim3 c, double2 *d, cudaTextureObject_t t, cudaStream_t s) {}
__global__ void cst(const int a, int *const b, int *__restrict__ c, const float *__restrict__ d, int e[], int f[3][4], void g(int)) {}
template __global__ void k<int>(int, int *); template __global__ void k<a::b::V<a::b::P, 3>>(a::b::V<a::b::P, 3>, a::b::V<a::b::P, 3> *); template __global__ void k<const float *>(const float *, const float **); template __global__ void k<a::W>(a::W, a::W *);
template __global__ void k2<float, double>(float, double, float *, double *, const float *, const double *); template __global__ void k2<a::b::P, a::b::V<a::b::P, 1>>(a::b::P, a::b::V<a::b::P, 1>, a::b::P *, a::b::V<a::b::P, 1> *, const a::b::P *, const a::b::V<a::b::P, 1> *);
template __global__ void kv<3>(int *); template __global__ void kv<'x'>(int *); template __global__ void kv<true>(int *); template __global__ void kv<5u>(int *); template __global__ void kv<-7ll>(int *); template __global__ void kv<a::b::C::Y>(int *); template __global__ void kv<&gv>(int *); template __global__ void kv<nullptr>(int *); template __global__ void kv<&S::x>(int *);
template __global__ void kn<-3, 7ull, true, 'a', a::b::C::Y, -9l>(int *);
template __global__ void kt<a::b::V, int, float *>(a::b::V<float, 3>, int, float *); template __global__ void kt<a::b::V>(a::b::V<float, 3>);
template __global__ void kd<a::b::V<int, 2>>(a::b::V<int, 2>::In, a::b::V<int, 2> *);
template __global__ void ke<int>(int); template __global__ void kal<float>(Al<float>, Al<float> *); template __global__ void ktag<3>(Tag<3>, Tag<4>);
template __global__ void karr<float, 4>(float (*)[4], float (&)[4]); template __global__ void kfp<int, float, char *>(int (*)(float, char *), float, char *);
template __global__ void kmem<S>(int S::*, int (S::*)(float) const); template __global__ void kp<&gv>(int *); template __global__ void kfun<df>(int *);
template __global__ void kpk<int, float>(a::Pk<int, float>, a::Pk<int *, float *>); template __global__ void kpk<>(a::Pk<>, a::Pk<>); template __global__ void kseq<1, 2, 3>(std::integer_sequence<int, 1, 2, 3>);
template __global__ void kf<Fun>(Fun); template __global__ void kf<int (*)(int)>(int (*)(int)); template __global__ void a::nk<int>(int, a::b::V<int, 2>); template __global__ void kf<Base<int>::Inner<a::Pk<int>>>(Base<int>::Inner<a::Pk<int>>); template __global__ void kf<std::integral_constant<int, 3>>(std::integral_constant<int, 3>);
template <typename T> __global__ void S_sk(T t) {}
// Parameters of a member template and of the kernel, which is a template at file scope, are not each other's.
template <class F, class... A> __global__ void boxed(F f, int n, A... a) { f(n); }
template <class T> struct Sorter {
    template <class K, class V, class W> void go(K k, V v, W w) {
        boxed<<<1, 1>>>([=] __device__(int i) { k[i] = v + w; }, 3);
        boxed<<<1, 1>>>([=] __device__(int i) { k[i] = v; }, 3, k, v);
    }
};
void sort_all(float *p) { Sorter<short>().go(p, 1, 2L); }
