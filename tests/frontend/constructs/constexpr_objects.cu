// constexpr objects of the host, copied into device code.
struct A {int x[2];}; constexpr A a{3,4}; struct T0 {}; constexpr T0 tag{}; struct C { int v; float w; constexpr C(int i) : v(i * 2), w(0.5f) {} __host__ __device__ constexpr int get() const { return v + 1; } };
constexpr C c(7); namespace n { inline constexpr C d{9}; template <int N> constexpr C e{N}; }
__device__ int f(T0, int x) { return x; } __device__ int g(A q, int i) { return q.x[i]; } __device__ int h(C q) { return q.get(); }
__global__ void k(int* p, int i) { A b = a; auto b2 = a; A b3(a); A b4{a}; p[i] = b.x[i & 1] + b2.x[1] + b3.x[0] + b4.x[0] + f(tag, 3) + g(a, i & 1) + h(c) + h(n::d) * 2 + h(n::e<3>); C z = c; z.v += i; p[i] += z.v; }
// A constexpr function whose result is a reference, called by another one.
template <typename T> constexpr __host__ __device__ const T &smaller_(const T &a, const T &b) { return a < b ? a : b; }
template <typename T> constexpr __host__ __device__ T clamped_(T a, T b) { return smaller_(a, b); }
template <int A> __global__ void nested_constants(int *o)
{
    constexpr int n = clamped_(A / 2, 7);
    __shared__ int s[n];
    s[0] = o[0];
    o[n] = s[0];
}
template __global__ void nested_constants<9>(int *);

// Elements of a constexpr array of the host are constants where a constant is wanted, and as a whole initialiser.
constexpr int widths[2][2] = {{1, 2}, {3, 4}};
struct Sizes { static constexpr int all[2] = {5, 6}; };
__global__ void elements(int *o)
{
    int room[widths[1][0]];
    constexpr int two = widths[0][1];
    int first = widths[0][0];
    static_assert(widths[1][1] == 4, "");
    room[0] = o[0];
    if constexpr (widths[1][0] > 2) o[1] = room[0] + two + first + Sizes::all[1];
    switch (o[2]) { case widths[1][1]: o[3] = 1; }
    auto last = [] { return widths[1][1]; };
    o[4] = last();
}
