#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> counter;
__global__ void k(int *p, float *f) {
  cuda::atomic_ref<int, cuda::thread_scope_device> r(p[0]);
  r.fetch_add(1, cuda::memory_order_relaxed); r++; r += 5; int e = r.load(cuda::std::memory_order_acquire); while (!r.compare_exchange_weak(e, e + 1)) ; 
  cuda::atomic_ref<float, cuda::thread_scope_block>(*f).fetch_add(1.5f, cuda::std::memory_order_relaxed);
  counter.fetch_add(2); p[1] = counter.load(); cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
}
