// cooperative_groups::memcpy_async with counts of bytes and of elements, and with an alignment.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <mma.h>
namespace cg = cooperative_groups;
using namespace nvcuda::wmma;

__global__ void k(int *o, float *f) {
  __shared__ int b[64];
  auto g = cg::this_thread_block();
  cg::memcpy_async(g, b, 64, o, 40);
  cg::memcpy_async(g, b, cuda::aligned_size_t<4>(16), o, cuda::aligned_size_t<4>(16));
  cg::wait(g);
  o[0] = b[3];
  f[0] = __float_to_tf32(f[1]);
}
