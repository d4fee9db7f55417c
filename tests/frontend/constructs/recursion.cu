__device__ int fib_(int n) { return n < 2 ? n : fib_(n - 1) + fib_(n - 2); }
__device__ __noinline__ float big_(float x, float4 v) { return x * v.x + v.w; }
__global__ void recursion_kernel(float *o, int n) { o[0] = fib_(n) + big_(o[1], make_float4(1, 2, 3, 4)); }
