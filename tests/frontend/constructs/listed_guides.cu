// Class template arguments from a list for a std::initializer_list; a friend that a parameter stands for.
#include <initializer_list>
template <class T> struct List { T v[8]; int n = 0; __device__ List(std::initializer_list<T> l) { for (auto &x : l) v[n++] = x; } };
template <class T> class Secret { int k; __device__ Secret() : k(sizeof(T)) {} friend T; };
struct Spy { __device__ int look() { Secret<Spy> s; return s.k; } };
template <class T> __global__ void named(T *o) { o[0] = T(); }
template __global__ void named(decltype(List{1.5f, 2.f}.v[0] + 0) *);
__global__ void kernel(int *o)
{
    List l{o[0], 2, 3};
    List l2 = {1.5f, 2.f};
    List l3{List{1}};
    o[0] = l.n + (int)l2.v[1] + l3.v[0] + Spy().look();
}
