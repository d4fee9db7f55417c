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
static_assert(sizeof(cuda::std::tuple<int, float>) == 8, "as libcu++ lays it out");
__global__ void guided(int *o)
{
    cuda::std::tuple t{o[1], 2.5f, short(-3)}, u = t;
    cuda::std::tuple v{cuda::std::pair{1, 2.f}};
    o[0] = cuda::std::get<2>(u) + cuda::std::get<0>(v);
}
