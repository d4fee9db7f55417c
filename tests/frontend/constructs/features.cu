// What headers ask of a compiler, and what of the host's they hold.
#include <algorithm>
#include <cuda.h>
#if __cpp_constexpr < 201603 || __cpp_if_constexpr < 201606 || !__cpp_fold_expressions || !__cpp_structured_bindings
#error not C++17
#endif
#if defined(__cpp_concepts) || defined(__cpp_impl_three_way_comparison) || __cpp_generic_lambdas > 201304
#error more than C++17
#endif
static thread_local int host_state = 3;
template <typename T> __device__ T elsewhere(T x);
extern template __device__ int elsewhere<int>(int);
template <typename T> struct Box { T v; };
extern template struct Box<float>;
__global__ void k(uint64_t *o)
{
    constexpr int most = std::max({3, 7, 5});
    int part[most];
    part[most - 1] = 2;
    o[0] = __cpp_lambdas + most + part[6] + sizeof(part);
}
