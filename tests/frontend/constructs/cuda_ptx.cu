// cuda::ptx: barriers, bulk copies, fences, special registers.
#include <cuda/ptx>
#include <cstdint>
namespace ptx = cuda::ptx;
__global__ void bulk(const int* a, int* o, int n) {
  __shared__ alignas(128) int buf[256]; __shared__ uint64_t bar;
  if (threadIdx.x == 0) { ptx::mbarrier_init(&bar, blockDim.x); ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster); ptx::fence_proxy_async(ptx::space_shared); }
  __syncthreads();
  uint64_t state;
  if (threadIdx.x == 0) { ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, buf, a, (uint32_t)sizeof(buf), &bar); state = ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, (uint32_t)sizeof(buf)); }
  else state = ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar);
  while (!ptx::mbarrier_try_wait(&bar, state)) {}
  buf[threadIdx.x] += ptx::get_sreg_laneid() + ptx::get_sreg_ntid_x(); 
  ptx::fence_proxy_async(ptx::space_shared); __syncthreads();
  if (threadIdx.x == 0) { ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, o, buf, (uint32_t)sizeof(buf)); ptx::cp_async_bulk_commit_group(); ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()); }
}
__global__ void par(int* o) { __shared__ uint64_t bar; if (threadIdx.x == 0) ptx::mbarrier_init(&bar, blockDim.x); __syncthreads(); for (int i = 0; i < 3; i++) { (void)ptx::mbarrier_arrive(&bar); while (!ptx::mbarrier_test_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, i & 1)) {} } o[threadIdx.x] = ptx::get_sreg_lanemask_lt(); ptx::fence(ptx::sem_acq_rel, ptx::scope_gpu); }
