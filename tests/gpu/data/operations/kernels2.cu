#include <cuda_fp16.h>
#include <mma.h>
#include <cuda_pipeline.h>
#include <cstdio>
#define I (blockIdx.x * blockDim.x + threadIdx.x)
__global__ void popcs(const unsigned *a, unsigned *b) { b[I] = __popc(a[I]); }
__global__ void revs(const unsigned *a, unsigned *b) { b[I] = __brev(a[I]); }
__global__ void flos(const unsigned *a, unsigned *b) { b[I] = __clz(a[I]); }
__global__ void perms(const unsigned *a, unsigned *b) { b[I] = __byte_perm(a[I], a[I + 1], 0x3715); }
__global__ void dots(const unsigned *a, unsigned *b) { b[I] = __dp4a(a[I], a[I + 1], 7u); }
__global__ void sgxts(const int *a, int *b) { int r; asm("bfe.s32 %0, %1, %2, 5;" : "=r"(r) : "r"(a[I]), "r"(a[I + 1])); b[I] = r; }
__global__ void masks(const int *a, int *b) { int r; asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(r) : "r"(a[I]), "r"(a[I + 1])); b[I] = r; }
__global__ void fences(int *a, int *b) { b[I] = 1; __threadfence_block(); a[I] = 2; }
__global__ void fencesys(int *a, int *b) { b[I] = 1; __threadfence_system(); a[I] = 2; }
__global__ void clocks(const int *a, long long *b) { b[I] = clock64(); }
__global__ void sleeps(const int *a, int *b) { __nanosleep(100); b[I] = a[I]; }
__device__ __noinline__ int called(int x, int y) { return x * y + 3; }
__global__ void calls(const int *a, int *b) { b[I] = called(a[I], b[I]); }
__global__ void switches(const int *a, int *b, int n) { int r; switch (n) { case 0: r = a[1]; break; case 1: r = atomicAdd(b, 1); break; case 2: r = __popc(a[3]); break; case 3: r = a[4] * a[9]; break; case 4: r = clock(); break; case 5: r = a[7] / 7; break; case 6: r = b[3]; break; default: r = 5; } b[I] = r; }
__global__ void asyncs(const float4 *a, float4 *b) { __shared__ float4 s[256]; __pipeline_memcpy_async(&s[threadIdx.x], &a[I], 16); __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads(); b[I] = s[255 - threadIdx.x]; }
__global__ void syncwarps(const int *a, int *b) { __shared__ int s[256]; s[threadIdx.x] = a[I]; __syncwarp(); b[I] = s[threadIdx.x ^ 1]; if (a[I] == 5) { __syncwarp(__activemask()); b[I] = 3; } }
__global__ void hcmps(const __half2 *a, __half2 *b) { b[I] = __hgt2(a[I], b[I]); }
__global__ void mmas(const half *a, float *b) { using namespace nvcuda; wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa; wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb; wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc; wmma::fill_fragment(fc, 0.0f); wmma::load_matrix_sync(fa, a, 16); wmma::load_matrix_sync(fb, a + 256, 16); wmma::mma_sync(fc, fa, fb, fc); wmma::store_matrix_sync(b + 256 * (I / 32), fc, 16, wmma::mem_row_major); }
__global__ void dmins(const double *a, double *b) { b[I] = fmin(a[I], b[I]); }
__global__ void votes(const int *a, int *b) { b[I] = __ballot_sync(~0u, 1) + __activemask(); }
__global__ void reds(int *a, int *b) { atomicAdd(&a[I & 7], 1); }
__global__ void tanhs(const float *a, float *b) { float r; asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(a[I])); b[I] = r; }
__global__ void cvt8(const float *a, signed char *b) { b[I] = (signed char)a[I]; }
__global__ void barred(const int *a, int *b) { b[I] = __syncthreads_count(a[I] > 3); }
__global__ void locals(const int *a, int *b, int n) { int q[8]; for (int i = 0; i < 8; i++) q[i] = a[i]; b[I] = q[n & 7]; }
int main() {
  void *a, *b; cudaMalloc(&a, 1 << 22); cudaMalloc(&b, 1 << 22); cudaMemset(a, 0x3c, 1 << 22); cudaMemset(b, 0, 1 << 22);
  dim3 g(8), t(256);
#define R(k, T) k<<<g, t>>>((T *)a, (T *)b)
  R(popcs, unsigned); R(revs, unsigned); R(flos, unsigned); R(perms, unsigned); R(dots, unsigned); R(sgxts, int); R(masks, int); R(fences, int); R(fencesys, int);
  clocks<<<g, t>>>((int *)a, (long long *)b); R(sleeps, int); R(calls, int); switches<<<g, t>>>((int *)a, (int *)b, 3); R(asyncs, float4); R(syncwarps, int); R(hcmps, __half2);
  mmas<<<g, t>>>((half *)a, (float *)b); R(dmins, double); R(votes, int); R(reds, int); R(tanhs, float); cvt8<<<g, t>>>((float *)a, (signed char *)b); R(barred, int); locals<<<g, t>>>((int *)a, (int *)b, 3);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
