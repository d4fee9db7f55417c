#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
// Pieces of inference of a language model.
template <int THREADS> __device__ inline float block_sum(float v, float *scratch)
{
    for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
    if ((threadIdx.x & 31) == 0) scratch[threadIdx.x >> 5] = v;
    __syncthreads();
    v = threadIdx.x < THREADS / 32 ? scratch[threadIdx.x] : 0.f;
    if (threadIdx.x < 32) for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
    if (threadIdx.x == 0) scratch[0] = v;
    __syncthreads();
    return scratch[0];
}
extern "C" __global__ void rmsnorm_residual(const __half *__restrict__ x, __half *__restrict__ residual, const __half *__restrict__ weight, __half *__restrict__ out, int dim, float eps)
{
    __shared__ float scratch[32];
    const __half2 *px = (const __half2 *)(x + (size_t)blockIdx.x * dim); __half2 *pr = (__half2 *)(residual + (size_t)blockIdx.x * dim), *po = (__half2 *)(out + (size_t)blockIdx.x * dim);
    float sum = 0;
    for (int i = threadIdx.x; i < dim / 2; i += 256) {
        float2 a = __half22float2(px[i]), b = __half22float2(pr[i]);
        a.x += b.x; a.y += b.y; pr[i] = __float22half2_rn(a); sum += a.x * a.x + a.y * a.y;
    }
    float scale = rsqrtf(block_sum<256>(sum, scratch) / dim + eps);
    for (int i = threadIdx.x; i < dim / 2; i += 256) {
        float2 a = __half22float2(pr[i]), w = __half22float2(((const __half2 *)weight)[i]);
        po[i] = __floats2half2_rn(a.x * scale * w.x, a.y * scale * w.y);
    }
}
extern "C" __global__ void gemv_q4(const unsigned *__restrict__ q, const __half *__restrict__ scales, const float *__restrict__ x, float *__restrict__ y, int rows, int cols)
{
    int row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5), lane = threadIdx.x & 31;
    if (row >= rows) return;
    const unsigned *p = q + (size_t)row * cols / 8; float sum = 0;
    for (int c = lane; c < cols / 8; c += 32) {
        unsigned w = p[c]; float s = __half2float(scales[(size_t)row * (cols / 32) + c / 4]), part = 0;
        float4 a = ((const float4 *)x)[c * 2], b = ((const float4 *)x)[c * 2 + 1];
        part += ((int)(w & 15) - 8) * a.x + ((int)(w >> 4 & 15) - 8) * a.y + ((int)(w >> 8 & 15) - 8) * a.z + ((int)(w >> 12 & 15) - 8) * a.w;
        part += ((int)(w >> 16 & 15) - 8) * b.x + ((int)(w >> 20 & 15) - 8) * b.y + ((int)(w >> 24 & 15) - 8) * b.z + ((int)(w >> 28) - 8) * b.w;
        sum += s * part;
    }
    for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0) y[row] = sum;
}
extern "C" __global__ void gemv_bf16(const __nv_bfloat16 *__restrict__ w, const __nv_bfloat16 *__restrict__ x, float *__restrict__ y, int cols)
{
    __shared__ float scratch[32];
    const uint4 *p = (const uint4 *)(w + (size_t)blockIdx.x * cols); float sum = 0;
    for (int i = threadIdx.x; i < cols / 8; i += 128) {
        uint4 a = p[i], b = ((const uint4 *)x)[i];
        const __nv_bfloat162 *ha = (const __nv_bfloat162 *)&a, *hb = (const __nv_bfloat162 *)&b;
        for (int k = 0; k < 4; k++) { float2 u = __bfloat1622float2(ha[k]), v = __bfloat1622float2(hb[k]); sum += u.x * v.x + u.y * v.y; }
    }
    sum = block_sum<128>(sum, scratch);
    if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
extern "C" __global__ void decode_attention(const float *__restrict__ q, const __half *__restrict__ k, const __half *__restrict__ v, float *__restrict__ out, int heads, int len, float scale)
{
    extern __shared__ float score[];
    __shared__ float scratch[32];
    const int D = 64; int head = blockIdx.x, batch = blockIdx.y, warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    const float *qh = q + ((size_t)batch * heads + head) * D; const __half *kh = k + ((size_t)batch * heads + head) * len * D, *vh = v + ((size_t)batch * heads + head) * len * D;
    float q0 = qh[lane * 2] * scale, q1 = qh[lane * 2 + 1] * scale, top = -1e30f;
    for (int t = warp; t < len; t += 4) {
        float2 kk = __half22float2(((const __half2 *)(kh + t * D))[lane]);
        float s = q0 * kk.x + q1 * kk.y;
        for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
        if (lane == 0) score[t] = s;
        top = fmaxf(top, s);
    }
    if (lane == 0) scratch[warp] = top;
    __syncthreads();
    top = fmaxf(fmaxf(scratch[0], scratch[1]), fmaxf(scratch[2], scratch[3]));
    __syncthreads();
    float sum = 0;
    for (int t = threadIdx.x; t < len; t += 128) { float e = __expf(score[t] - top); score[t] = e; sum += e; }
    sum = block_sum<128>(sum, scratch);
    __shared__ float acc[2][64];
    int dim = threadIdx.x & 63, half = threadIdx.x >> 6; float o = 0;
    for (int t = half; t < len; t += 2) o += score[t] * __half2float(vh[t * D + dim]);
    acc[half][dim] = o;
    __syncthreads();
    if (half == 0) out[((size_t)batch * heads + head) * D + dim] = (acc[0][dim] + acc[1][dim]) / sum;
}
extern "C" __global__ void rope_qk(float *__restrict__ q, float *__restrict__ k, const int *__restrict__ pos, int heads, int kv_heads, int dim, float base)
{
    int token = blockIdx.x, half = dim / 2;
    for (int i = threadIdx.x; i < heads * half; i += blockDim.x) {
        int h = i / half, j = i % half; float s, c, angle = pos[token] * __powf(base, -2.f * j / dim);
        __sincosf(angle, &s, &c);
        float *p = q + ((size_t)token * heads + h) * dim; float a = p[j], b = p[j + half];
        p[j] = a * c - b * s; p[j + half] = a * s + b * c;
        if (h < kv_heads) { p = k + ((size_t)token * kv_heads + h) * dim; a = p[j]; b = p[j + half]; p[j] = a * c - b * s; p[j + half] = a * s + b * c; }
    }
}
extern "C" __global__ void softmax_topk(const float *__restrict__ logits, float *__restrict__ prob, int *__restrict__ index, int vocab)
{
    const int K = 4; __shared__ float bv[8]; __shared__ int bi[8];
    const float *row = logits + (size_t)blockIdx.x * vocab; float v[K]; int id[K];
    for (int i = 0; i < K; i++) { v[i] = -1e30f; id[i] = -1; }
    for (int i = threadIdx.x; i < vocab; i += 256) {
        float x = row[i]; int at = i;
        for (int j = 0; j < K; j++) if (x > v[j]) { float t = v[j]; int u = id[j]; v[j] = x; id[j] = at; x = t; at = u; }
    }
    for (int r = 0; r < K; r++) {
        float best = v[0]; int at = id[0];
        for (int d = 16; d; d >>= 1) { float o = __shfl_xor_sync(~0u, best, d); int p = __shfl_xor_sync(~0u, at, d); if (o > best || (o == best && p < at)) { best = o; at = p; } }
        if ((threadIdx.x & 31) == 0) { bv[threadIdx.x >> 5] = best; bi[threadIdx.x >> 5] = at; }
        __syncthreads();
        best = bv[0]; at = bi[0];
        for (int w = 1; w < 8; w++) if (bv[w] > best) { best = bv[w]; at = bi[w]; }
        if (at == id[0]) { for (int j = 0; j < K - 1; j++) { v[j] = v[j + 1]; id[j] = id[j + 1]; } v[K - 1] = -1e30f; id[K - 1] = -1; }
        if (threadIdx.x == 0) { prob[blockIdx.x * K + r] = best; index[blockIdx.x * K + r] = at; }
        __syncthreads();
    }
}
extern "C" __global__ void moe_count(const int *__restrict__ expert, int *__restrict__ count, int *__restrict__ slot, int tokens, int experts)
{
    extern __shared__ int local[];
    for (int e = threadIdx.x; e < experts; e += blockDim.x) local[e] = 0;
    __syncthreads();
    int t = blockIdx.x * blockDim.x + threadIdx.x, mine = 0, e = 0;
    if (t < tokens) { e = expert[t]; mine = atomicAdd(&local[e], 1); }
    __syncthreads();
    for (int k = threadIdx.x; k < experts; k += blockDim.x) local[k] = atomicAdd(&count[k], local[k]);
    __syncthreads();
    if (t < tokens) slot[t] = local[e] + mine;
}
extern "C" __global__ void embed_add(const int *__restrict__ token, const float4 *__restrict__ table, const float4 *__restrict__ position, float4 *__restrict__ out, int dim4, int seq)
{
    int t = blockIdx.x, id = token[t];
    for (int i = threadIdx.x; i < dim4; i += blockDim.x) {
        float4 a = table[(size_t)id * dim4 + i], b = position[(size_t)(t % seq) * dim4 + i];
        out[(size_t)t * dim4 + i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }
}
