template <typename T> constexpr T pi_v_ = T(3.1415926535897932385);
template <typename T> inline constexpr bool isf_ = false;
template <> inline constexpr bool isf_<float> = true;
template <typename T> inline constexpr bool isp_ = false;
template <typename T> inline constexpr bool isp_<T *> = true;
template <template <typename> class C, typename T> struct Wrap_ { C<T> c; };
template <typename T> struct Box_ { T v; };
template <typename T> using Bx_ = Box_<T>;
template <template <typename> class C, typename T> __device__ T open_(C<T> b) { return b.v; }
constexpr int tbl_[4] = {1, 2, 3, 4};
__device__ constexpr int dtbl_[4] = {1, 2, 3, 4};
__host__ __device__ constexpr int sq_(int n) { int r = 0; for (int i = 0; i < n; i++) r += n; return r; }
struct Cfg_ { int m, n; constexpr int area() const { return m * n; } };
constexpr Cfg_ cfg_{4, 8};
enum class Mode_ { A, B };
template <Mode_ M> __device__ int mode_() { if constexpr (M == Mode_::A) return 1; else return 2; }
template <auto N> __device__ int an_() { return N; }
template <typename T, T V> struct ic_ { static constexpr T value = V; using type = ic_; };
union Un_ { float f; struct { unsigned m : 23, e : 8, s : 1; }; int i; };
struct Bits_ { int a : 5; unsigned b : 3; bool c : 1; };
__global__ void misc_kernel(float *o, int n) {
    int s = 0;
    int arr[] = {1, 2, 3};
    for (int x : arr) s += x;
    for (auto &x : arr) x *= 2;
    for (const auto &x : dtbl_) s += x;
    Wrap_<Box_, int> w;
    w.c.v = 3;
    Bx_<float> b{2.f};
    int buf[sq_(3)];
    buf[0] = cfg_.m;
    __shared__ float tile[tbl_[2]][cfg_.n];
    tile[0][0] = 1;
    static_assert(sq_(3) == 9, "x");
    static_assert(tbl_[1] == 2);
    o[0] = s + pi_v_<float> + isf_<float> + isf_<int> + isp_<int *> + open_(b) + w.c.v + buf[0] + mode_<Mode_::B>() + an_<5>() + ic_<int, 4>::value + ic_<bool, true>::type::value + tile[0][0];
    Un_ u;
    u.f = o[1];
    o[2] = u.e + u.s;
    auto [p, q] = Cfg_{1, 2};
    o[3] = p + q;
    switch (n) { case 1 ... 5: o[4] = 1; break; case 'a' ... 'z': o[4] = 2; }
    goto end;
    end: o[5] = alignof(float4) + sizeof(Bits_);
    int v = n;
    [[maybe_unused]] int y = v;
    if (int k = n * 2; k > 3) o[6] = k;
    Cfg_ d = {.m = 1, .n = 2};
    o[7] = d.n;
    float4 f4 = {1, 2, 3, 4};
    o[8] = f4.w;
}

// What files of other projects use, each once found missing.
namespace [[deprecated]] attributed_ __attribute__((visibility("default"))) { __device__ int a = 3; }
namespace __attribute__((visibility("default"))) visible_ { __device__ int b = 4; }
template <class T> struct Pair_ { T x, y; };
template <typename V> __host__ __device__ inline Pair_<V> operator/(const Pair_<V> &l, const Pair_<V> &r);
template <> __host__ __device__ inline Pair_<float> operator/(const Pair_<float> &l, const Pair_<float> &r);
template <typename V> __host__ __device__ inline Pair_<V> operator/(const Pair_<V> &l, const Pair_<V> &r)
{
    return Pair_<V>{l.x / r.x, l.y / r.y};
}
template <> __host__ __device__ inline Pair_<float> operator/(const Pair_<float> &l, const Pair_<float> &r)
{
    return Pair_<float>{l.x / r.x, 1.0f};
}
struct Ends_ {
    int v;
    ~Ends_() noexcept;
};
inline Ends_::~Ends_() noexcept = default;
struct Wrapped_ {
    float v;
    __device__ explicit operator Pair_<int>() const { return {(int)v, 1}; }
    __device__ operator float() const { return v; }
    __device__ bool positive() const { return (float(*this) > 0.0f); }
};
#define ARCHITECTURE_ (defined(__gfx908__))
#define ARCHITECTURES_ (ARCHITECTURE_ || (defined __CUDACC__ && defined(NO_SUCH_)))
#if ARCHITECTURES_ || !defined(__host__) || !defined __device__
#error "neither is so"
#endif
__global__ void foreign(int *o, Pair_<float> *p, Pair_<double> *q, Wrapped_ *w)
{
    union {
        short s[2];
        float f;
        struct {
            char lo, hi;
        };
    };
    f = p->x;
    o[0] = s[1] + lo + attributed_::a + visible_::b;
    p[0] = p[1] / p[2], q[0] = q[1] / q[2];
    o[1] = w->positive() + static_cast<Pair_<int>>(w[1]).x + (FP_NAN == 0);
}
#define UNROLL_ #pragma unroll
#define UNROLL_BY_ #pragma unroll 4
__global__ void unrolled(float *o, int n)
{
    UNROLL_
    for (int i = 0; i < 4; i++) o[i] += 1.0f;
    UNROLL_BY_
    for (int i = 0; i < n; i++) o[i] += 1.0f;
}
enum class Colour : unsigned char { red = 1, green = red << 2, blue };
struct Enums { enum Plain { one = 1, two = one + 1 }; enum class Scoped { one = 5, six = one + 1 }; };
__global__ void enums(int *o) { o[0] = (int)Colour::blue + Enums::two + (int)Enums::Scoped::six; }
static_assert((int)Colour::blue == 5 && Enums::one == 1 && (int)Enums::Scoped::six == 6, "names of a scope of their own");
// Declarators in brackets behind a qualified type; a function that begins with a loop and keeps nothing in memory.
struct Shape_ { struct Piece { int v[4]; }; using Word = int; };
template <class T> struct Holds_ { using Word = T; };
template <class T> __global__ void bracketed_(int *o, int *in) {
    __shared__ Shape_::Piece pieces[3];
    int q[5] = {in[0], in[1], in[2], in[3], in[4]};
    Shape_::Piece(&p)[3] = pieces;
    Shape_::Word(&r)[5] = q;
    Shape_::Word(*w)[5] = &q;
    typename Holds_<T>::Word(&h)[5] = q;
    Shape_::Word(e) = 3;
    int(f) = 4;
    p[threadIdx.x].v[0] = r[2];
    o[0] = p[1].v[2] + (*w)[0] + e + f + h[0];
}
template __global__ void bracketed_<int>(int *, int *);
template <typename F> __device__ inline void polled_(F &&f) { while (!f()) {} }
__global__ void polling_(volatile int *o) { polled_([&]() { return o[0] == 3; }); }
