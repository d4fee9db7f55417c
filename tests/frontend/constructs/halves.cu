// CUDA's halves where they are volatile, as generated reductions have them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
template <typename T> __global__ void reversed(T *o) {
  __shared__ T r[64];
  ((volatile T *)r)[threadIdx.x] = o[threadIdx.x];
  __syncthreads();
  o[64 + threadIdx.x] = (T)(((volatile T *)r)[63 - threadIdx.x]);
  volatile T *v = r;
  T q = v[3];
  o[128] = q;
}
template __global__ void reversed(__half *); template __global__ void reversed(__nv_bfloat16 *);
