template <typename T, int N> struct Mat_ {
    T d[N];
    __device__ Mat_(T v);
    __device__ T get(int i) const;
    __device__ Mat_ &add(const Mat_ &o);
    template <typename U> __device__ U as(int i);
    static __device__ int rows();
};
template <typename T, int N> __device__ Mat_<T, N>::Mat_(T v) { for (int i = 0; i < N; i++) d[i] = v; }
template <typename T, int N> __device__ T Mat_<T, N>::get(int i) const { return d[i]; }
template <typename T, int M> __device__ Mat_<T, M> &Mat_<T, M>::add(const Mat_<T, M> &o) { for (int i = 0; i < M; i++) d[i] += o.d[i]; return *this; }
template <typename T, int N> template <typename U> __device__ U Mat_<T, N>::as(int i) { return (U)d[i]; }
template <typename T, int N> __device__ int Mat_<T, N>::rows() { return N; }
struct Pl_ {
    int a;
    __device__ Pl_(int x);
    __device__ int f(int) const;
    struct In { int q; };
    __device__ In g(In i);
};
__device__ Pl_::Pl_(int x) : a(x) {}
__device__ int Pl_::f(int y) const { return a + y; }
__device__ Pl_::In Pl_::g(In i) { i.q += a; return i; }
__global__ void outline_kernel(float *o) {
    Mat_<float, 4> m(1.f), n(o[1]);
    m.add(n);
    o[0] = m.get(2) + m.as<int>(1) + Mat_<int, 7>::rows();
    Pl_ p(3);
    Pl_::In i{2};
    o[1] = p.f(1) + p.g(i).q;
}
// Member templates of explicit specialisations; what is static in the class is so outside of it.
template <int I> struct Get_ {
    template <typename T, typename R> static inline __device__ R of(const T &v);
};
template <> template <typename T, typename R> inline __device__ R Get_<0>::of(const T &v) { return v.x; }
template <> template <typename T, typename R> inline __device__ R Get_<1>::of(const T &v) { return v.y; }
template <class T> struct Maker_ { template <class U> __device__ static T of(U u); };
template <class T> template <class U> __device__ T Maker_<T>::of(U u) { return T(u) + 1; }
__global__ void outline_member_templates(float *o, float4 v)
{
    o[0] = Get_<0>::of<float4, float>(v) + Get_<1>::of<float4, float>(v) + Maker_<float>::of(3);
}
// Constructors, destructors and members of member classes, of templates too; nested classes defined outside.
struct View_ { const char *d; struct It; __device__ It begin() const; };
struct View_::It { const char *p; int pos; __device__ inline It(View_ const &s, int pos); __device__ inline ~It(); __device__ It &operator++(); };
__device__ inline View_::It::It(View_ const &s, int pos) : p{s.d}, pos{pos} { pos++; }
__device__ inline View_::It::~It() { pos = 0; }
__device__ inline View_::It &View_::It::operator++() { ++pos; return *this; }
__device__ inline View_::It View_::begin() const { return It(*this, 2); }
namespace outer_ { struct A { __device__ A(int); int v; }; struct X { int q; }; template <class T> struct Z { T t; }; }
__device__ outer_::A::A(int x) : v(x) {}
template <class T> struct Box_ { struct C { T t; __device__ C(T x); __device__ ~C(); __device__ T get() const; }; __device__ T get() const; __device__ Box_(T); __device__ ~Box_(); T b; };
template <class T> __device__ Box_<T>::C::C(T x) : t(x) {}
template <class T> __device__ Box_<T>::C::~C() { t = 0; }
template <class T> __device__ T Box_<T>::C::get() const { return t + 1; }
template <class T> __device__ T Box_<T>::get() const { return b + 2; }
template <class T> __device__ Box_<T>::Box_(T v) : b(v) {}
template <class T> __device__ Box_<T>::~Box_() { b = 0; }
template <class T, int N> struct Out_ { template <class U> struct I { U u; __device__ U twice() const; __device__ I(T t); }; __device__ T twice() const; };
template <class T, int N> template <class U> __device__ U Out_<T, N>::I<U>::twice() const { return 2 * u + N; }
template <class T, int N> template <class U> __device__ Out_<T, N>::I<U>::I(T t) : u(t) {}
template <class T, int N> __device__ T Out_<T, N>::twice() const { return N; }
__device__ int elaborate_(struct Pl_::In b, const struct outer_::X *x, struct outer_::Z<int> z) { return b.q + x->q + z.t; }
__global__ void outline_members(int *o, View_ s, struct outer_::X x)
{
    auto b = s.begin();
    ++b;
    o[0] = b.pos + outer_::A(3).v + Box_<int>::C(4).get() + Box_<int>(3).get();
    struct Pl_::In i = {1};
    o[1] = Out_<int, 3>::I<float>(5).twice() + Out_<int, 2>().twice() + elaborate_(i, &x, {5});
}

// Members whose definitions a macro writes: the whole text has one place.
template <typename T> struct Made {
    static __device__ T first();
    static __device__ T both(T x) { return x * first() + Made::second(); }
    static __device__ T second();
    __device__ T operator+(T x) const;
    __device__ T operator-(T x) const;
};
#define GETTER(name, value) template <typename T> __device__ T Made<T>::name() { return value; }
#define OPERATOR(o) template <typename T> __device__ T Made<T>::operator o(T x) const { return x o both(x); }
GETTER(first, 2)
GETTER(second, 3)
OPERATOR(+)
OPERATOR(-)
__global__ void made(float *o) { o[0] = Made<float>::both(o[1]) + (Made<float>() + 1.f) * (Made<float>() - 2.f); }
