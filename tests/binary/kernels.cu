#include <cstdio>
struct S { int a; float b; };
__constant__ float ctab[16] = {1, 2, 3};
__device__ int gcount;
__device__ float ginit[4] = {1.f, 2.f, 3.f, 4.f};
__device__ float *gptr = ginit + 1;
__device__ double big[100];
extern __shared__ float dyn[];
__device__ __noinline__ float helper(float x, int n) { for (int i = 0; i < n; i++) x = x * x + 1.0f; return x; }
__device__ __forceinline__ float sq(float x) { return x * x; }
extern "C" __global__ void k_one(float *p, int n, S s) {
  __shared__ float t[250];
  int i = threadIdx.x;
  t[i] = sq(p[i]);
  __syncthreads();
  p[i] = helper(t[(i + 1) % 250], n) + ctab[i & 15] + s.b + gptr[0] + dyn[i];
  if (i == 3) printf("hello %d %f\n", i, p[i]);
  atomicAdd(&gcount, 1);
  big[i] = p[i];
}
extern "C" __global__ void __launch_bounds__(128) k_switch(int *p, int n) {
  int v = p[threadIdx.x];
  switch (n) {
    case 0: v += __shfl_xor_sync(~0u, v, 1); break;
    case 1: v *= 3; break;
    case 2: v = __ballot_sync(~0u, v); break;
    case 3: v ^= 55; break;
    case 4: v = v / n; break;
    case 5: v = v * v * v; break;
    case 6: v = clock(); break;
    default: v = -1;
  }
  p[threadIdx.x] = v;
}
__global__ void __cluster_dims__(2, 1, 1) k_cluster(int *p) { p[blockIdx.x] = 1; }
