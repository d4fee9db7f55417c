// std=c++20 Objects of classes as template arguments; comparisons by default.
struct P { int x; float y; bool b; }; struct Cfg { int bm, bn; float alpha; P p; int a[2]; constexpr int area() const { return bm * bn; } };
constexpr Cfg big{128, 64, 0.5f, {1, 2.f, true}, {3, 4}};
template <Cfg C> __global__ void k(float *o) { __shared__ float s[C.bm]; s[threadIdx.x] = o[threadIdx.x]; if constexpr (C.p.b) o[1] = C.alpha + C.area() + s[0]; else o[0] = C.bn; for (int i = 0; i < C.a[1]; ++i) o[i] += C.p.y; }
template __global__ void k<big>(float *); template __global__ void k<Cfg{64, 32, 1.5f}>(float *); template __global__ void k<Cfg{.bm = 8, .bn = 0, .alpha = -0.0f, .p = {.x = -1}}>(float *);
template <P p, int N> struct T { static constexpr int v = p.x + N; }; template <P p> __global__ void kt(T<p, 3> t, int *o) { o[0] = t.v; } template __global__ void kt<P{2}>(T<P{2}, 3>, int *);
struct E {}; template <E e> __global__ void ke() {} template __global__ void ke<E{}>();
struct Pt { int x, y; __host__ __device__ bool operator==(const Pt &) const = default; };
__global__ void same(Pt *p, int *o) { o[0] = (p[0] == p[1]) + 2 * (p[0] != p[2]); }
template <int N> struct Name { char s[N]; constexpr Name(const char (&a)[N]) { for (int i = 0; i < N; i++) s[i] = a[i]; } };
template <Name S> struct Tag { static constexpr int first = S.s[0]; }; template <Name<3> S> __device__ int length() { return sizeof S.s; }
__global__ void text(int *o) { static_assert(Tag<"matmul">::first == 'm'); o[0] = Tag<"gemm">::first + length<"ab">(); }
