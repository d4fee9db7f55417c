// Names of instances: packs, values, addresses, members of templates, unnamed namespaces.
template <unsigned N> struct KV { int k[N]; }; 
template <unsigned n, unsigned b> __global__ void comp(KV<n>* t, unsigned long* r) { r[0] = t->k[0] + b; }
template <unsigned n> __global__ void comq(KV<n>* t, unsigned long* r) { r[0] = t->k[0]; }
template <unsigned n, unsigned b> __global__ void comr(KV<n> t, unsigned long* r) { r[0] = t.k[0]; }
template <unsigned n, unsigned b> __global__ void comw(KV<n>* __restrict__ t, const KV<b>* r) { t->k[0] = r->k[0]; }
template __global__ void comp<3,4>(KV<3>*, unsigned long*);
template __global__ void comr<3,4>(KV<3>, unsigned long*);
template __global__ void comq<3>(KV<3>*, unsigned long*);
template __global__ void comw<3,4>(KV<3>*, const KV<4>*);
template <int... N> struct Seq { int k; };
template <class... T> struct Tup { int k; };
template <class T, T v> struct IC { int k; };
template <int... N> __global__ void s1(Seq<N...> s, int* p) { p[0] = s.k; }
template <class... T> __global__ void s2(Tup<T...> s, T*... p) { }
template <class T, int N> __global__ void s4(IC<T, 3> s, IC<int, N> t, Seq<1, N> u) { }
template <bool B, char C, long L> __global__ void s6(Seq<B, C> s) { }
template <class T> struct Out { struct In { T t; }; template <int N> struct In2 { T t; }; enum E { a }; };
template <class T, int N> __global__ void s8(T (*a)[N], const volatile T* const* b, void (*f)(T, int), T Out<T>::*m) { }
typedef enum { MA, MB } mode_t1; typedef struct { int x; } st_t;
template <class T> __global__ void s9(T a, mode_t1 m, st_t* s) { }
enum class EC : short { X = -3, Y }; namespace a { namespace b { enum E3 { q }; struct S3 {}; template <class T> struct S4 {}; } }
template <EC e, a::b::E3 f> __global__ void s10(a::b::S3*, a::b::S4<a::b::S3>*, a::b::S4<int>, EC x) { }
template <class F> __global__ void s11(F f, int* p) { f(p); }
__device__ void df(int* p) { *p = 1; } __device__ int gv;
template <void (*F)(int*)> __global__ void s12(int* p) { F(p); }
template <int* P> __global__ void s13(int* p) { *p = *P; }
namespace { __global__ void s14(int* p) { } template <class T> __global__ void s15(T* p) {} struct An {}; }
template <class T> __global__ void s16(T* p) { }
__global__ void s18(float4 a, const uint2* b, dim3 c, cudaTextureObject_t t, float (*f)(float)) {}
int main() {
 s1<<<1,1>>>(Seq<1,2>(), (int*)0); s2<<<1,1>>>(Tup<int,float>(), (int*)0, (float*)0);
 s4<int,5><<<1,1>>>({}, {}, {});  s6<true,'a',-5><<<1,1>>>({});
  s8<int,4><<<1,1>>>(0,0,0,0); s9<<<1,1>>>(3, MA, (st_t*)0);
 s10<EC::X, a::b::q><<<1,1>>>(0,0,{},EC::Y); s12<df><<<1,1>>>(0); s13<&gv><<<1,1>>>(0); s14<<<1,1>>>(0); s15<<<1,1>>>((int*)0); s16<<<1,1>>>((An*)0); s16<<<1,1>>>((st_t*)0); s16<<<1,1>>>((mode_t1*)0);
}
__device__ int gw, ga[4]; __constant__ float cc;
template <int* P> __global__ void t13(int* p) { *p = *P; P[0]++; }
template <int& P> __global__ void t14(int* p) { *p = P; P++; }
template <int (&P)[4]> __global__ void t15(int* p) { *p = P[2]; }
template <const float* P> __global__ void t16(float* p) { *p = *P; }
template <auto P> __global__ void s17(int* p) { *p = *P; }
template <auto V> __global__ void s18(int* p) { *p = V; }
template <auto F> __device__ int ap(int x) { return F(x); }
__device__ int sq(int x) { return x * x; }
struct CC { int a, b; __device__ int g(int x) { return a * x; } };
template <int (CC::*M)(int)> __global__ void s20(CC* c, int* p) { *p = (c->*M)(3); }
int run() { t13<&gw><<<1,1>>>(0); t13<ga><<<1,1>>>(0); t14<gw><<<1,1>>>(0); t15<ga><<<1,1>>>(0); t16<&cc><<<1,1>>>(0); s17<&gw><<<1,1>>>(0); s18<3><<<1,1>>>(0); s18<'c'><<<1,1>>>(0); s18<true><<<1,1>>>(0); s18<5u><<<1,1>>>(0); s20<&CC::g><<<1,1>>>(0, 0); return 0; }
__global__ void e(int* p) { p[0] = ap<sq>(p[1]); }
