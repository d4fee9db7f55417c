// std=c++20
// Members that bear the name by which their class was found, literal operators for characters, `auto &&` for what has a
// place, references in tuples that are no variables.
#include <cuda/std/tuple>
template <template <class...> class F, class... T> struct Apply { using type = F<T...>; };
template <class A, class... R> struct Last : Last<R...> {};
template <class A> struct Last<A> { using type = A; };
template <class A, class B> constexpr bool same = false;
template <class A> constexpr bool same<A, A> = true;
static_assert(same<Apply<Last, char, short, double>::type::type, double>);
struct Base { int b; __device__ Base(int k) : b(k) {} };
template <class T> struct Derived : T { using Parent = T; using Parent::Parent; };

__host__ __device__ constexpr int operator""_letter(char c) { return c - 'a'; }
static_assert('d'_letter == 3);

struct Pair { int x; unsigned low : 5, high : 11; };

__global__ void kernel(int *p)
{
    Pair pair{p[0], 3, 4};
    auto &&[x, low, high] = pair;
    x += 2;
    low = high;
    int a = p[1], b = p[2];
    cuda::std::get<0>(cuda::std::tie(a, b)) += x;
    p[0] = pair.x + pair.low + a + b + Derived<Base>(3).b;
}
