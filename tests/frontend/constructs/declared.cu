// What nvcc accepts next to what it refuses (wrong.txt): jumps, lambdas, bases, redefinitions, special members, operators.
#include <type_traits>
#include <cuda_fp16.h>
namespace n0 {
constexpr int h(int a) { return a + 1; }
__host__ __device__ int d(int a) { return h(a); }
__global__ void k(int *o) { o[0] = d(o[1]); }
}
namespace n1 {
__global__ void k(int *o) { auto f = [](int a) { return a + 1; }; o[0] = f(2); }
}
namespace n2 {
__global__ void k(int *o) { if (o[0]) goto l; { int x = 3; o[1] = x; } l: o[2] = 1; }
}
namespace n3 {
__global__ void k(int *o) { if (o[0]) goto l; int x; x = 3; o[1] = x; l: o[2] = 1; }
}
namespace n4 {
__global__ void k(int *o) { l: int x = o[0]; if (x) goto l; o[2] = 1; }
}
namespace n5 {
struct S { int a; };
__global__ void k(int *o) { if (o[0]) goto l; S s; s.a = 1; o[1] = s.a; l: o[2] = 1; }
}
namespace n6 {
__global__ void k(int *o) { if (o[0]) goto l; __shared__ int s[4]; s[0] = 1; static const int q = 4; o[1] = s[0] + q; l: o[2] = 1; }
}
namespace n7 {
__global__ void k(int *o) { switch (o[0]) { case 0: int x = 3; o[1] = x; break; case 1: o[2] = 1; } }
}
namespace n8 {
__global__ void k(int *o) { switch (o[0]) { case 0: { int x = 3; o[1] = x; break; } default: int y = 4; o[2] = y; } }
}
namespace n9 {
__global__ void k(int *o) { switch (o[0]) { int x; case 0: x = 3; o[1] = x; break; case 1: o[2] = 1; } }
}
namespace n10 {
__global__ void k(int *o) { for (int i = 0; i < 4; ++i) { if (o[i]) goto done; int y = i; o[y + 1] = 1; } done: o[2] = 1; }
}
namespace n11 {
__global__ void k(int *o) { int &r = o[3]; goto l; { int &q = o[2]; q = 1; } l: r = 1; const int z = 4; o[0] = z; }
}
namespace n12 {
__global__ void k(int *o) { const int n = 4; auto f = [](int a) { return a + n; }; o[1] = f(2); }
}
namespace n13 {
__global__ void k(int *o) { constexpr float n = 4; auto f = [](int a) { return a + n; }; o[1] = f(2); }
}
namespace n14 {
__global__ void k(int *o) { const float n = 4; auto f = [](int a) { return a + n; }; o[1] = f(2); }
}
namespace n15 {
__global__ void k(int *o) { int x = 3; auto f = [](int a) { return a + sizeof(x); }; o[1] = f(2); }
}
namespace n16 {
__global__ void k(int *o) { __shared__ int s[4]; auto f = [](int a) { return s[a]; }; o[1] = f(2); }
}
namespace n17 {
__global__ void k(int *o) { static int s; auto f = [](int a) { return s + a; }; o[1] = f(2); }
}
namespace n18 {
__global__ void k(int *o) { int x = 3; auto f = [=](int a) { auto g = [&](int b) { return b + x + a; }; return g(a); }; o[1] = f(2); }
}
namespace n19 {
__global__ void k(int *o) { int x = 3; using T = decltype(x); auto f = [](int a) { decltype(x) q = a; T r = q; return r; }; o[1] = f(2); }
}
namespace n20 {
template <int N> __device__ int f(int q) { constexpr int M = N + 1; auto g = [](int a) { return a + N + M; }; return g(q); }
__global__ void k(int *o) { o[1] = f<3>(2); }
}
namespace n21 {
__global__ void k(int *o) { const int x = 3; struct L { __device__ int f() { return x; } }; o[1] = L().f(); }
}
namespace n22 {
enum E { a, b };
__global__ void k(int *o) { E e = (E)o[0]; switch (e) { case 0: o[1] = 1; break; case b: o[2] = 1; default: o[1] = 2; } }
}
namespace n23 {
enum class E { a, b };
__global__ void k(int *o) { E e = (E)o[0]; switch (e) { case E::a: o[1] = 1; break; case (E)1: o[2] = 1; break; case E(7): o[3] = 1; } }
}
namespace n24 {
enum E { a, b }; enum F { c, d };
__global__ void k(int *o) { E e = (E)o[0]; switch (e) { case c: o[1] = 1; break; default: o[1] = 2; } }
}
namespace n25 {
struct A { int x; __device__ int f() { return x; } };
struct B : private A { int y; using A::x; __device__ int g() { return f() + A::x; } friend __device__ int h(B &b); };
__device__ int h(B &b) { A &a = b; return a.x + b.f(); }
__global__ void k(int *o) { B b; b.y = 1; b.x = 3; o[0] = b.g() + h(b); }
}
namespace n26 {
struct A { int x; };
struct B : protected A { int y; }; struct C : B { __device__ int f() { A *a = this; return x + a->x; } };
__global__ void k(int *o) { C c; o[0] = c.f(); }
}
namespace n27 {
struct A { int x; };
class B : public A { public: int y; };
__global__ void k(int *o) { B b; b.x = 1; A a = b; o[0] = a.x; }
}
namespace n28 {
struct A { int x; };
struct B : private A { int y; };
__global__ void k(int *o) { B b; b.y = 2; A *a = (A *)&b; o[0] = a->x; }
}
namespace n29 {
template <class T> struct A { T x; using type = T; static __device__ T f() { return 1; } };
template <class T> class B : A<T> { public: using typename A<T>::type; __device__ T g() { return this->x + A<T>::f(); } };
__global__ void k(int *o) { B<int> b; o[0] = b.g(); }
}
namespace n30 {
struct A { int x; }; class B : A { public: using A::x; };
__global__ void k(int *o) { B b; b.x = 3; o[0] = b.x; }
}
namespace n31 {
template <class T> struct X; template <class T> struct X { T a; };
template <class T> __device__ T f(T a); template <class T> __device__ T f(T a) { return a; }
template <class T> __device__ T f(T *a) { return *a; }
template <class T> __device__ T g(T a) { return a; } template <class U> __device__ U *g(U *a) { return a; }
template <class T, int N> __device__ T h(T a) { return a; } template <class T, class N> __device__ T h(T a) { return a; }
__global__ void k(int *o) { X<int> x; x.a = 1; o[0] = x.a + f(2) + *g(o) + h<int, 3>(2); }
}
namespace n32 {
template <class T, std::enable_if_t<sizeof(T) == 4, int> = 0> __device__ int f(T a) { return 1; }
template <class T, std::enable_if_t<sizeof(T) != 4, int> = 0> __device__ int f(T a) { return 2; }
template <class T> __device__ typename std::enable_if<sizeof(T) == 4, int>::type g(T a) { return 1; }
template <class T> __device__ typename std::enable_if<sizeof(T) != 4, int>::type g(T a) { return 2; }
template <class T> __device__ auto h(T a) -> decltype(a + 1) { return 1; }
template <class T> __device__ auto h(T a) -> decltype(a.x) { return 2; }
__global__ void k(int *o) { o[0] = f(1) + f(1.0) + g(1) + g(1.0) + h(3); }
}
namespace n33 {
union U { struct N { int a; __device__ N() : a(1) {} } n; int b; __device__ U() : b(2) {} };
__global__ void k(int *o) { U u; u.b = 1; o[0] = u.b; }
}
namespace n35 {
union U { __half2 a; int b; };
__global__ void k(int *o) { U u; u.b = 1; o[0] = u.a.x > __half(0); }
}
namespace n36 {
struct N { int a; __device__ N() : a(1) {} };
union U { N n; int b; };
__global__ void k(int *o) { U u{}; u.b = 1; o[0] = u.b; }
}
namespace n37 {
struct C { int x; __shared__ int y; };
__global__ void k(int *o) { o[0] = 1; }
}
namespace n38 {
struct A { const int x; int y; __device__ A &operator=(const A &b) { y = b.y; return *this; } };
__global__ void k(int *o) { A a{1, 2}, b{2, 3}; a = b; o[0] = a.y; }
}
namespace n39 {
namespace n { __device__ int x; } namespace m { __device__ int x; }
using namespace n;
__global__ void k(int *o) { using namespace m; o[0] = n::x + m::x; }
}
namespace n40 {
namespace n { __device__ int x; } namespace m { using n::x; }
using namespace n; using namespace m;
__global__ void k(int *o) { o[0] = x; }
}
namespace n41 {
namespace n { __device__ int f(int); } namespace m { __device__ int f(float); }
namespace n { __device__ int f(int) { return 1; } } namespace m { __device__ int f(float) { return 2; } }
using namespace n; using namespace m;
__global__ void k(int *o) { o[0] = f(1); }
}
namespace n42 {
namespace n { typedef int T; } namespace m { typedef int T; }
using namespace n; using namespace m;
__global__ void k(int *o) { T t = 1; o[0] = t; }
}
namespace n43 {
namespace n { inline namespace v1 { __device__ int x; } } using namespace n;
__global__ void k(int *o) { int y = x; { int x = 2; y += x; } o[0] = y; }
}
namespace n44 {
namespace { __device__ int x; } namespace m { __device__ int x; __device__ int f() { return x; } }
__global__ void k(int *o) { o[0] = m::f() + x; }
}
namespace n45 {
struct A { int x; ~A() = delete; };
__global__ void k(int *o) { A *a = (A *)o; o[0] = a->x; A *b = new A; o[1] = b->x; }
}
namespace n46 {
struct A { int x; __device__ ~A() { } };
__global__ void k(int *o) { A a; o[0] = 1; }
}
namespace n47 {
struct A { int x; ~A() = delete; };
__device__ void f(A a);
__global__ void k(int *o) { o[0] = 1; }
}
namespace n48 {
__global__ void k(int *o) { auto a = 1, b = 2; auto *p = o, q = 3; o[0] = a + b; }
}
namespace n49 {
__global__ void k(int *o) { auto a = 1, *p = o; const auto &r = a, s = 3; o[0] = a + *p + r + s; }
}
namespace n50 {
__device__ auto f(int a) { if (a) return 1; return 2; }
__device__ auto g(int a) { if (a) return 1.0f; else return 2.0f; }
__global__ void k(int *o) { o[0] = f(1) + g(2); }
}
namespace n51 {
template <class T> __device__ auto f(T a) { if constexpr (sizeof(T) == 4) return 1; else return 2.0; }
__global__ void k(int *o) { o[0] = f(1) + f(2.0); }
}
namespace n52 {
__global__ void k(int *o) { auto f = [](int a) { if (a) return; o: ; }; f(1); }
}
namespace n53 {
template <class T> struct A { template <class T> struct B {}; };
__global__ void k(int *o) { o[0] = 1; }
}
namespace n54 {
template <class T = int, class... U> struct Q { }; template <class T = int, class U> __device__ int f(U u) { return u; }
template <class A, class B = int> struct R; template <class A = int, class B> struct R { };
__global__ void k(int *o) { Q<> q; R<> r; o[0] = f(1); }
}
namespace n55 {
struct A { int &r; __device__ A(int &q) : r(q) {} };
__global__ void k(int *o) { A a(o[0]); A b = a; o[0] = b.r; }
}
namespace n56 {
struct A { int &r; };
__global__ void k(int *o) { A a{o[0]}; A b = a; b.r = 3; }
}
namespace n57 {
struct A { const int x = 3; };
__global__ void k(int *o) { A a; o[0] = a.x; }
}
namespace n58 {
struct A { __device__ int operator+(A) { return 1; } __device__ int operator-() { return 2; } __device__ int operator()(int, int, int) { return 3; } __device__ int operator++(int) { return 1; } __device__ A &operator++() { return *this; } __device__ int operator*() { return 4; } __device__ int operator[](int) { return 1; } };
__device__ int operator*(A, int) { return 2; } __device__ int operator!(A) { return 2; }
__global__ void k(int *o) { A a; o[0] = (a + a) + -a + a(1, 2, 3) + a++ + *a + a[2] + a * 2 + !a; ++a; }
}
namespace n59 {
enum E { a }; __device__ int operator+(E a, int b) { return 1; } template <class T> __device__ int operator-(T a, int b) { return 1; }
__global__ void k(int *o) { o[0] = a + 1; }
}
namespace n60 {
struct A { int x; }; __device__ int operator+(const A &a, int b) { return 1; } __device__ int operator|(int b, A &&a) { return 1; }
__global__ void k(int *o) { A a; o[0] = a + 1; }
}
namespace n61 {
struct A { friend __device__ int operator+(A, A) { return 1; } template <class T> friend __device__ int operator-(A, T) { return 1; } __device__ int operator,(int) { return 1; } __device__ int operator->*(int) { return 1; } __device__ bool operator<(const A &) const { return 1; } };
__global__ void k(int *o) { A a; o[0] = a + a + (a - 3); }
}
namespace n63 {
__device__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); } __device__ void operator+=(float4 &a, float4 b) { a.x += b.x; } __device__ dim3 operator*(dim3 a, int b) { return a; }
__global__ void k(int *o) { float2 a = make_float2(1, 2); o[0] = (a + a).x; }
}
namespace n64 {
struct A { friend void f(); virtual __device__ void g() {} mutable int m; explicit __device__ A(int) {} };
__global__ void k(int *o) { o[0] = 1; }
}
namespace n65 {
__global__ void k(int *o) { auto f = [=]() mutable { return 1; }; o[0] = f(); }
}
namespace n67 {
struct A { __device__ ~A(void) {} __device__ A(void) {} };
__global__ void k(int *o) { A a; o[0] = 1; }
}
namespace n68 {
struct A { int x, y; __device__ A() : x(1), y(2) {} __device__ A(int) : A() {} };
__global__ void k(int *o) { A a; o[0] = 1; }
}
namespace n69 {
struct A { __device__ virtual int f() = 0; virtual ~A() = default; }; struct B : A { __device__ int f() override { return 1; } };
__global__ void k(int *o) { B b; o[0] = b.f(); }
}
namespace n70 {
__global__ void k(int *o) { bool b(nullptr); bool c{nullptr}; o[0] = b + c + (nullptr ? 1 : 2); if (!nullptr) o[1] = 2; }
}
namespace n71 {
__global__ void k(int *o) { bool b = (bool)nullptr, c = static_cast<bool>(nullptr); o[0] = b + c; int *p = o; p = nullptr; if (p == nullptr) o[1] = 1; bool d = o; d = p; }
}
namespace n72 {
__device__ int f(bool b) { return b; } __device__ int f(int *b) { return 2; }
__global__ void k(int *o) { o[0] = f(nullptr); }
}
