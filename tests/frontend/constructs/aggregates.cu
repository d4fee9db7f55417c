// std=c++20 : classes that are found by their members' values, compared member by member; numbers.
#include <numbers>
#if __cpp_concepts < 202002 || __cpp_constexpr < 202002 || __cpp_generic_lambdas < 201707
#error not C++20
#endif
template <typename T> struct Pair { T a, b; };
template <typename T, typename U> struct Mixed { T *p, q; const U r = 3; static const int n = 2; __device__ T f() { return q; } };
struct P { float x; int y; __device__ friend bool operator==(const P &, const P &) = default; };
struct Q { P p; int z; __device__ bool operator==(const Q &) const = default; };
__global__ void k(int *o, float *f)
{
    Pair g{o[0], o[1]};
    Pair<float> h(2.0f, 3.0f);
    Mixed m{f, 2.0f, 4u};
    static_assert(sizeof(m.r) == 4 && sizeof(g) == 8);
    o[2] = g.a + g.b + m.r + m.n + (int)m.f() + (int)h.b;
    o[3] = P{f[0], 1} == P{f[1], 1};
    o[4] = Q{{f[0], 2}, 3} != Q{{f[1], 2}, o[0]};
    f[2] = std::numbers::pi_v<float> + (float)std::numbers::e;
}
