// Conversion templates, mutable members, decltype(auto), members brought in by using and hidden.
template <typename T> struct cplx { T re, im; template <typename U> __host__ __device__ explicit operator cplx<U>() const { return {U(re), U(im)}; } };
struct Any { int v; template <typename T> __device__ operator T() const { return T(v); } };
__global__ void conv(cplx<double> *d, cplx<float> *f, Any *a) { f[threadIdx.x] = static_cast<cplx<float>>(d[threadIdx.x]); f[1] = cplx<float>(d[2]); float x = a[0]; int y = a[1]; f[2].re = x + y; f[3] = (cplx<float>)d[4]; }
struct Ray { float o; mutable float t; mutable int id{-1}; };
__device__ void meet(const Ray &r) { r.t = 2 * r.o; ++r.id; }
__device__ decltype(auto) pick(int (&a)[4], int i) { return (a[i]); }
struct B { __device__ int h() const { return 1; } __device__ int g() const { return 2; } };
struct C : B { using B::g; using B::h; __device__ int h() const { return B::h() + 100; } };
__global__ void members(Ray *r, int *o) { meet(r[threadIdx.x]); int a[4] = {1, 2, 3, 4}; pick(a, 2) = 9; C c; o[threadIdx.x] = a[threadIdx.x & 3] + c.h() + c.g(); }

// Enumerations without a type of their own promote to int where that has their values.
enum { small_ = 32 };
enum Big_ { big_ = 0x80000000u };
enum Wide_ { wide_ = 0x100000000ll };
enum Signed_ { minus_ = -1, zero_ };
enum Typed_ : unsigned { typed_ = 3 };
template <class A, class B> struct Same_ { static const bool v = false; };
template <class A> struct Same_<A, A> { static const bool v = true; };
static_assert(Same_<decltype(+small_), int>::v && Same_<decltype(+big_), unsigned>::v, "");
static_assert(Same_<decltype(+wide_), long>::v && Same_<decltype(+zero_), int>::v, "");
static_assert(Same_<decltype(+typed_), unsigned>::v && small_ - 33 < 0, "");
__host__ __device__ constexpr int halves_(int x) { return x > 1 ? halves_(x / 2) + 1 : 0; }
__host__ __device__ constexpr long halves_(unsigned long x) { return x > 1 ? halves_(x / 2) + 1 : 0; }
static_assert(sizeof(halves_(small_)) == 4, "");
struct Volatile_ {
    float r;
    __device__ float real() const volatile { return r; }
    __device__ float real() const { return r + 1; }
};
[[noreturn]] static __device__ void stops_()
{
    __trap();
    (void)stops_;
}
__device__ int never_() { stops_(); }
__global__ void promoted_(int *o, int i, Volatile_ *c, volatile Volatile_ *d)
{
    o[0] = (i - small_ < 0) + (int)c->real() + (int)d->real() + (i == 12345 ? never_() : 0);
}
template <class T> struct Named_ {
    T v;
    __host__ __device__ Named_<T>(T t) : v(t) {}
    template <class U> __host__ __device__ Named_<T>(const Named_<U> &o) : v(o.v) {}
    __host__ __device__ operator const Named_<int>() const { return Named_<int>(int(v)); }
};
struct Derived_ : Named_<float> {
    using Base = Named_<float>;
    using Base::Base;
};
__global__ void named_(float *o)
{
    Named_<float> a(1.5f);
    Derived_ d(2.5f);
    o[0] = Named_<int>(a).v + d.v;
}
// CWG 2327: the function that gives the class itself comes before constructors that need a conversion.
struct Number_ {
    double v;
    __device__ Number_(float x) : v(x) {}
    __device__ Number_(int x) : v(x) {}
};
struct Packed_ {
    int v;
    __device__ operator float() const { return v; }
    __device__ operator Number_() const { return Number_(v + 1); }
};
__global__ void direct_(double *o, Packed_ p) { o[0] = static_cast<Number_>(p).v + Number_(p).v; }
// ?: over a pointer to a class and one to its base.
struct Derived2_ : Number_ { int more; };
__global__ void either_(double *o, Number_ *n, const Derived2_ *d, bool b) { o[0] = (b ? n : d)->v; }
// [over.ics.rank]: behind one conversion function, the better standard conversion; partial ordering over two arguments.
struct Short_ {
    unsigned short x;
    __host__ __device__ operator float() const { return x; }
};
template <unsigned L, typename T> struct Vector_ { T c[L]; };
template <typename T> __device__ inline T least_(T a, T b) { return b < a ? b : a; }
template <unsigned L, typename T> __device__ inline Vector_<L, T> least_(const Vector_<L, T> &a, const Vector_<L, T> &b)
{
    Vector_<L, T> r;
    for (unsigned i = 0; i < L; i++)
        r.c[i] = least_(a.c[i], b.c[i]);
    return r;
}
__global__ void ranked_(Vector_<3, float> *o, float *f, Short_ g, Short_ h)
{
    const Vector_<3, float> &a = o[0];
    o[2] = least_(a, o[1]);
    f[0] = pow(h, 3) + max(h, g) + sqrt(h) + fmin(h, g);
}

// dim3 is made of a number or a uint3, and becomes a uint3.
struct Where_ { dim3 thread, block; };
__device__ unsigned by_dim3(dim3 d) { return d.x + d.y * d.z; }
__device__ unsigned by_uint3(uint3 u) { return u.x; }
__global__ void dimensions(Where_ *w, unsigned *o) { w->thread = threadIdx; w->block = 7; dim3 a = blockIdx, b(threadIdx), c = 3; uint3 u = gridDim; u = a; o[0] = by_dim3(threadIdx) + by_dim3(5) + by_uint3(blockDim) + a.x + b.y + c.z + u.x + dim3{threadIdx}.y; }
