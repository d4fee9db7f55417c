#include <cuda_runtime.h>
#include <mma.h>
// Linear algebra, sparse and dense.
extern "C" __global__ void csr_spmv_warp(const int *__restrict__ ptr, const int *__restrict__ col, const float *__restrict__ val, const float *__restrict__ x, float *__restrict__ y, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31; if (row >= rows) return;
    float s = 0; for (int k = ptr[row] + lane; k < ptr[row + 1]; k += 32) s += val[k] * x[col[k]];
    for (int d = 16; d; d >>= 1) s += __shfl_down_sync(~0u, s, d);
    if (lane == 0) y[row] = s;
}
extern "C" __global__ void ell_spmv(const int *__restrict__ col, const double *__restrict__ val, const double *__restrict__ x, double *__restrict__ y, int rows, int width)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x; if (r >= rows) return;
    double s = 0; for (int k = 0; k < width; k++) { int c = col[k * rows + r]; if (c >= 0) s += val[k * rows + r] * x[c]; }
    y[r] = s;
}
extern "C" __global__ void gemm_tiled64(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int M, int N, int K)
{
    __shared__ float a[16][64 + 4], b[16][64];
    int tx = threadIdx.x & 15, ty = threadIdx.x >> 4, row = blockIdx.y * 64, col = blockIdx.x * 64; float c[4][4] = {};
    for (int k = 0; k < K; k += 16) {
        int r = threadIdx.x >> 2, q = (threadIdx.x & 3) * 4; float4 v = *(const float4 *)&A[(size_t)(row + r) * K + k + q];
        a[q][r] = v.x; a[q + 1][r] = v.y; a[q + 2][r] = v.z; a[q + 3][r] = v.w;
        *(float4 *)&b[threadIdx.x >> 4][(threadIdx.x & 15) * 4] = *(const float4 *)&B[(size_t)(k + (threadIdx.x >> 4)) * N + col + (threadIdx.x & 15) * 4];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++) {
            float4 u = *(float4 *)&a[i][ty * 4], w = *(float4 *)&b[i][tx * 4]; float uu[4] = {u.x, u.y, u.z, u.w}, ww[4] = {w.x, w.y, w.z, w.w};
            for (int p = 0; p < 4; p++) for (int s = 0; s < 4; s++) c[p][s] += uu[p] * ww[s];
        }
        __syncthreads();
    }
    for (int p = 0; p < 4; p++) *(float4 *)&C[(size_t)(row + ty * 4 + p) * N + col + tx * 4] = make_float4(c[p][0], c[p][1], c[p][2], c[p][3]);
}
extern "C" __global__ void wmma_gemm(const half *__restrict__ A, const half *__restrict__ B, float *__restrict__ C, int M, int N, int K)
{
    using namespace nvcuda; int warp = threadIdx.x >> 5, r = blockIdx.y * 64 + (warp >> 1) * 32, c = blockIdx.x * 64 + (warp & 1) * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2]; for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) wmma::fill_fragment(acc[i][j], 0.f);
    for (int k = 0; k < K; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2]; wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b[2];
        for (int i = 0; i < 2; i++) { wmma::load_matrix_sync(a[i], A + (size_t)(r + 16 * i) * K + k, K); wmma::load_matrix_sync(b[i], B + (size_t)k * N + c + 16 * i, N); }
        for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
    }
    for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) wmma::store_matrix_sync(C + (size_t)(r + 16 * i) * N + c + 16 * j, acc[i][j], N, wmma::mem_row_major);
}
extern "C" __global__ void batched_cholesky(float *__restrict__ a, int n, int batch)
{
    extern __shared__ float s[]; float *g = a + (size_t)blockIdx.x * n * n;
    for (int k = threadIdx.x; k < n * n; k += blockDim.x) s[k] = g[k];
    __syncthreads();
    for (int k = 0; k < n; k++) {
        if (threadIdx.x == 0) s[k * n + k] = sqrtf(s[k * n + k]);
        __syncthreads();
        for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x) s[i * n + k] /= s[k * n + k];
        __syncthreads();
        int m = n - k - 1;
        for (int t = threadIdx.x; t < m * m; t += blockDim.x) { int i = k + 1 + t / m, j = k + 1 + t % m; if (j <= i) s[i * n + j] -= s[i * n + k] * s[j * n + k]; }
        __syncthreads();
    }
    for (int k = threadIdx.x; k < n * n; k += blockDim.x) g[k] = s[k];
}
extern "C" __global__ void conjugate_update(const float *__restrict__ p, const float *__restrict__ ap, float *__restrict__ x, float *__restrict__ r, const float *__restrict__ rz, const float *__restrict__ pap, float *__restrict__ norm, int n)
{
    __shared__ float part[8]; float alpha = *rz / *pap, s = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) { x[i] += alpha * p[i]; float v = r[i] - alpha * ap[i]; r[i] = v; s += v * v; }
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = s;
    __syncthreads();
    if (threadIdx.x == 0) { for (int w = 1; w < 8; w++) s += part[w]; atomicAdd(norm, s); }
}
extern "C" __global__ void gram_schmidt_dots(const float *__restrict__ q, const float *__restrict__ v, float *__restrict__ dots, int n)
{
    __shared__ float part[256]; const float *row = q + (size_t)blockIdx.x * n; float s = 0;
    for (int i = threadIdx.x; i < n; i += 256) s += row[i] * v[i];
    part[threadIdx.x] = s; __syncthreads();
    for (int d = 128; d; d >>= 1) { if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d]; __syncthreads(); }
    if (threadIdx.x == 0) dots[blockIdx.x] = part[0];
}
extern "C" __global__ void fft_radix4_pass(const float2 *__restrict__ in, float2 *__restrict__ out, int n, int span)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, quarter = n / 4; if (t >= quarter) return;
    int k = t & (span - 1); float angle = -1.57079632679f * k / span; float2 v[4];
    for (int r = 0; r < 4; r++) { float2 a = in[t + r * quarter]; float s, c; __sincosf(angle * r, &s, &c); v[r] = make_float2(a.x * c - a.y * s, a.x * s + a.y * c); }
    float2 a = {v[0].x + v[2].x, v[0].y + v[2].y}, b = {v[0].x - v[2].x, v[0].y - v[2].y}, c = {v[1].x + v[3].x, v[1].y + v[3].y}, d = {v[1].y - v[3].y, v[3].x - v[1].x};
    int base = (t - k) * 4 + k;
    out[base] = make_float2(a.x + c.x, a.y + c.y); out[base + span] = make_float2(b.x + d.x, b.y + d.y);
    out[base + 2 * span] = make_float2(a.x - c.x, a.y - c.y); out[base + 3 * span] = make_float2(b.x - d.x, b.y - d.y);
}
extern "C" __global__ void trsm_lower(const double *__restrict__ l, double *__restrict__ b, int n, int cols)
{
    __shared__ double row[64];
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < n; i++) {
        for (int k = threadIdx.x; k <= i; k += blockDim.x) row[k] = l[i * n + k];
        __syncthreads();
        if (c < cols) { double s = b[i * cols + c]; for (int k = 0; k < i; k++) s -= row[k] * b[k * cols + c]; b[i * cols + c] = s / row[i]; }
        __syncthreads();
    }
}
