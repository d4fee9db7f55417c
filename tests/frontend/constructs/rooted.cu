// Names from the global namespace on: ::cuda::std.
#include <cuda/std/array>
namespace inner { __device__ inline int first() { ::cuda::std::array<int, 4> a{}; return a[0]; } }
__global__ void rooted(int *o) { o[0] = inner::first(); }
