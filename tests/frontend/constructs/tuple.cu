template <typename... Ts> struct Tup_;
template <> struct Tup_<> {};
template <typename H, typename... T> struct Tup_<H, T...> { H h; Tup_<T...> t; };
template <int I, typename... T> struct El_;
template <typename H, typename... T> struct El_<0, H, T...> { typedef H type; };
template <int I, typename H, typename... T> struct El_<I, H, T...> { typedef typename El_<I - 1, T...>::type type; };
template <typename H, typename... T> __device__ H first_(Tup_<H, T...> t) { return t.h; }
__global__ void tuple_kernel(float *o) {
    Tup_<int, float, double> t;
    t.h = 1;
    t.t.h = 2.f;
    t.t.t.h = 3.0;
    El_<1, int, float>::type e = t.t.h;
    o[0] = e + first_(t);
}
#include <cuda/std/tuple>
struct Empty_ {};
static_assert(sizeof(cuda::std::tuple<int, float>) == 8 && sizeof(cuda::std::tuple<char, short, int>) == 8, "as libcu++ lays it out");
static_assert(sizeof(cuda::std::tuple<Empty_, int, Empty_>) == 8 && sizeof(cuda::std::tuple<Empty_, Empty_>) == 2, "empty members");
static_assert(sizeof(cuda::std::tuple<cuda::std::pair<int, char>, char>) == 12, "no room at a member's end is used");
__device__ void tied(int *o, cuda::std::tuple<char, short, int> t)
{
    int x, y;
    cuda::std::tie(x, y) = cuda::std::make_tuple(o[0], o[1]);
    cuda::std::tie(x, y) = cuda::std::tie(y, x);
    cuda::std::tuple<long long, float, int> wide = t;
    o[2] = x + 2 * y + int(cuda::std::get<1>(wide)) + cuda::std::get<int>(t);
}
__global__ void guided(int *o)
{
    cuda::std::tuple t{o[1], 2.5f, short(-3)}, u = t;
    cuda::std::tuple v{cuda::std::pair{1, 2.f}};
    tied(o, {char(1), short(2), 3});
    o[0] = cuda::std::get<2>(u) + cuda::std::get<0>(v);
}
