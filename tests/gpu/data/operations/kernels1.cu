#include <cuda_fp16.h>
#include <cstdio>
#define I (blockIdx.x * blockDim.x + threadIdx.x)
__global__ void coal(const float *a, float *b) { b[I] = a[I] + 1.0f; }
__global__ void strided(const float *a, float *b) { b[I * 8] = a[I * 4]; }
__global__ void broadcast(const float *a, float *b) { b[I] = a[blockIdx.x * 32]; }
__global__ void wide(const float4 *a, float4 *b) { b[I] = a[I]; }
__global__ void bytes(const unsigned char *a, unsigned char *b) { b[I] = a[I]; }
__global__ void pairs(const float *a, float *b) { b[I] = a[I / 2]; }
__global__ void masked(const float *a, float *b) { if (threadIdx.x % 32 < 5) b[I] = a[I]; }
__global__ void writesame(const float *a, float *b) { b[I / 4] = a[I]; }
__global__ void smem(const float *a, float *b) { __shared__ float s[1024]; s[threadIdx.x * 4] = a[I]; __syncthreads(); b[I] = s[threadIdx.x * 2] + s[0]; }
__global__ void smem4(const float4 *a, float4 *b) { __shared__ float4 s[256]; s[threadIdx.x] = a[I]; __syncthreads(); b[I] = s[255 - threadIdx.x]; }
__global__ void ints(const int *a, int *b, int n) { int x = a[I], y = x; for (int i = 0; i < n; i++) { x = x * y + i; y = min(x, y) + abs(x); x = max(x, i); } b[I] = x + y; }
__global__ void bits(const unsigned *a, unsigned *b, int n) { unsigned x = a[I], y = x; for (int i = 0; i < n; i++) { x ^= y & 0x1234u; y = (y << 3) | (x >> 29); x = __popc(x) + __brev(y) + __clz(x); x = __byte_perm(x, y, i); } b[I] = x + y; }
__global__ void fp32s(const float *a, float *b, int n) { float x = a[I], y = x; for (int i = 0; i < n; i++) { x = x * y + 0.5f; y = y * x; x = x + y; x = fminf(x, y); if (x > 2.0f) x = 1.0f; } b[I] = x + y; }
__global__ void mufu(const float *a, float *b, int n) { float x = a[I]; for (int i = 0; i < n; i++) { x = rsqrtf(x + 1.0f); x = __sinf(x) + __expf(x); x = sqrtf(x) + x / 3.1f; } b[I] = x; }
__global__ void fp64s(const double *a, double *b, int n) { double x = a[I], y = x; for (int i = 0; i < n; i++) { x = x * y + 0.5; y = y * x; x = x + y; if (x > 2.0) x = 1.0; } b[I] = x + y; }
__global__ void fp16s(const __half2 *a, __half2 *b, int n) { __half2 x = a[I], y = x; for (int i = 0; i < n; i++) { x = __hfma2(x, y, x); y = __hmul2(y, x); x = __hadd2(x, y); x = __hmin2(x, y); } b[I] = x + y; }
__global__ void conv(const int *a, float *b, int n) { float s = 0; int x = a[I]; for (int i = 0; i < n; i++) { s += (float)x; x = (int)(s * 0.5f); s += (float)(double)x; x += (int)(long long)(s); x = (signed char)x; s = rintf(s); s += __half2float(__float2half(s)); } b[I] = s; }
__global__ void control(const int *a, int *b, int n) { int x = a[I]; for (int i = 0; i < n; i++) { if (x & 1) { x = 3 * x + 1; if (x > 100) break; } else { x = x / 2; b[I] = x; } if (x == 7) return; } b[I] = x; }
__global__ void comm(const int *a, int *b, int n) { int x = a[I]; for (int i = 0; i < n; i++) { x += __shfl_xor_sync(~0u, x, 1); x += __ballot_sync(~0u, x & 1); x += __any_sync(~0u, x > 3); x += __match_any_sync(~0u, x); x += __reduce_add_sync(~0u, x); } b[I] = x; }
__global__ void atoms(int *a, int *b) { __shared__ int s[32]; if (threadIdx.x < 32) s[threadIdx.x] = 0; __syncthreads(); atomicAdd(&s[threadIdx.x % 7], 1); int old = atomicAdd(&a[I % 64], 3); atomicMax(&b[I % 5], old); __threadfence(); b[64 + I] = s[threadIdx.x % 32]; }
__global__ void uniform(const int *a, int *b, int n, int m) { int k = 0; for (int i = blockIdx.x; i < n * m; i += n) k += a[i & 63] * (i >> 1); b[I] = k; }
__global__ void select(const int *a, float *b, int n) { int x = a[I]; float f = x; for (int i = 0; i < n; i++) { x = x > i ? n : x + i; f = f > 1.0f ? f * 0.5f : 3.0f; bool p = (x > 3) != (f < 2.0f); if (p) x++; } b[I] = f + x; }
__global__ void local(const int *a, int *b, int n) { int q[16]; for (int i = 0; i < 16; i++) q[i] = a[(I + i) & 255]; for (int i = 0; i < n; i++) q[a[i] & 15] += i; b[I] = q[n & 15]; }
int main() {
  void *a, *b; cudaMalloc(&a, 1 << 22); cudaMalloc(&b, 1 << 22); cudaMemset(a, 0x3c, 1 << 22); cudaMemset(b, 0, 1 << 22);
  dim3 g(8), t(256);
  coal<<<g, t>>>((float *)a, (float *)b); strided<<<g, t>>>((float *)a, (float *)b); broadcast<<<g, t>>>((float *)a, (float *)b);
  wide<<<g, t>>>((float4 *)a, (float4 *)b); bytes<<<g, t>>>((unsigned char *)a, (unsigned char *)b); pairs<<<g, t>>>((float *)a, (float *)b);
  masked<<<g, t>>>((float *)a, (float *)b); writesame<<<g, t>>>((float *)a, (float *)b); smem<<<g, t>>>((float *)a, (float *)b);
  smem4<<<g, t>>>((float4 *)a, (float4 *)b); ints<<<g, t>>>((int *)a, (int *)b, 9); bits<<<g, t>>>((unsigned *)a, (unsigned *)b, 9);
  fp32s<<<g, t>>>((float *)a, (float *)b, 9); mufu<<<g, t>>>((float *)a, (float *)b, 9); fp64s<<<g, t>>>((double *)a, (double *)b, 9);
  fp16s<<<g, t>>>((__half2 *)a, (__half2 *)b, 9); conv<<<g, t>>>((int *)a, (float *)b, 9); control<<<g, t>>>((int *)a, (int *)b, 9);
  comm<<<g, t>>>((int *)a, (int *)b, 9); atoms<<<g, t>>>((int *)a, (int *)b); uniform<<<g, t>>>((int *)a, (int *)b, 9, 5);
  select<<<g, t>>>((int *)a, (float *)b, 9); local<<<g, t>>>((int *)a, (int *)b, 9);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
