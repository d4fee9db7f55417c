// Patterns of global loads and stores.
__global__ void coalesced(const float *a, float *o) { o[threadIdx.x] = a[threadIdx.x]; }
__global__ void broadcast(const float *a, float *o) { o[threadIdx.x] = a[o == a]; }
__global__ void pairs(const float *a, float *o) { o[threadIdx.x] = a[threadIdx.x / 2]; }
__global__ void stride2(const float *a, float *o) { o[2 * threadIdx.x] = a[2 * threadIdx.x]; }
__global__ void stride8(const float *a, float *o) { o[8 * threadIdx.x] = a[8 * threadIdx.x]; }
__global__ void stride3(const float *a, float *o) { o[3 * threadIdx.x] = a[3 * threadIdx.x]; }
__global__ void half_warp(const float *a, float *o) { if (threadIdx.x % 2) o[threadIdx.x] = a[threadIdx.x]; }
__global__ void doubles(const double *a, double *o) { o[threadIdx.x] = a[threadIdx.x]; }
__global__ void bytes(const char *a, char *o) { o[threadIdx.x] = a[threadIdx.x]; }
__global__ void quads(const float4 *a, float4 *o) { o[3 * threadIdx.x] = a[3 * threadIdx.x]; }
__global__ void shifted(const float *a, float *o) { o[threadIdx.x + 1] = a[threadIdx.x + 1]; }
__global__ void same_store(const float *a, float *o) { o[threadIdx.x / 4] = a[threadIdx.x]; }
__global__ void shared1(float *o) {
    __shared__ float s[1024];
    s[threadIdx.x] = o[threadIdx.x];
    __syncthreads();
    o[threadIdx.x] = s[31 - threadIdx.x];
}
__global__ void shared2(float *o) {
    __shared__ float s[1024];
    s[2 * threadIdx.x] = o[threadIdx.x];
    __syncthreads();
    o[threadIdx.x] = s[62 - 2 * threadIdx.x];
}
__global__ void shared0(float *o) {
    __shared__ float s[1024];
    s[threadIdx.x] = o[threadIdx.x];
    __syncthreads();
    o[threadIdx.x] = s[(int)o[40]];
}
__global__ void shared4(float4 *o) {
    __shared__ float4 s[64];
    s[threadIdx.x] = o[threadIdx.x];
    __syncthreads();
    o[threadIdx.x] = s[31 - threadIdx.x];
}
