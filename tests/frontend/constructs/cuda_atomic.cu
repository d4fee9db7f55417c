#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> counter;
__global__ void k(int *p, float *f) {
  cuda::atomic_ref<int, cuda::thread_scope_device> r(p[0]);
  r.fetch_add(1, cuda::memory_order_relaxed); r++; r += 5; int e = r.load(cuda::std::memory_order_acquire); while (!r.compare_exchange_weak(e, e + 1)) ; 
  cuda::atomic_ref<float, cuda::thread_scope_block>(*f).fetch_add(1.5f, cuda::std::memory_order_relaxed);
  counter.fetch_add(2); p[1] = counter.load(); cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
}
__global__ void free_of_locks(int *o) { cuda::atomic_ref<int> r(o[0]); cuda::atomic<long> a(3); o[1] = cuda::atomic_ref<int>::is_always_lock_free + r.is_lock_free() + a.is_lock_free() + decltype(a)::is_always_lock_free + (int)cuda::atomic_ref<double, cuda::thread_scope_block>::required_alignment + sizeof(decltype(a)::value_type); }
