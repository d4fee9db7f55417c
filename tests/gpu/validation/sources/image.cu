#include <cuda_runtime.h>
// Image processing: planar and interleaved, borders clamped.
struct Size { int w, h; };
__device__ inline int clampi(int v, int lo, int hi) { return v < lo ? lo : (v > hi ? hi : v); }
extern "C" __global__ void yuv420_to_rgb(const unsigned char *__restrict__ y, const unsigned char *__restrict__ u, const unsigned char *__restrict__ v, uchar4 *__restrict__ rgb, int w, int h)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w || py >= h) return;
    int c = (y[py * w + px] - 16) * 298, d = u[(py >> 1) * (w >> 1) + (px >> 1)] - 128, e = v[(py >> 1) * (w >> 1) + (px >> 1)] - 128;
    int r = (c + 409 * e + 128) >> 8, g = (c - 100 * d - 208 * e + 128) >> 8, b = (c + 516 * d + 128) >> 8;
    rgb[py * w + px] = make_uchar4(clampi(r, 0, 255), clampi(g, 0, 255), clampi(b, 0, 255), 255);
}
extern "C" __global__ void sobel_magnitude(const float *__restrict__ in, float *__restrict__ out, Size s)
{
    __shared__ float tile[18][34];
    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16, t = threadIdx.y * 32 + threadIdx.x;
    for (int k = t; k < 18 * 34; k += 32 * blockDim.y) {
        int ty = k / 34, tx = k % 34;
        tile[ty][tx] = in[clampi(y0 + ty - 1, 0, s.h - 1) * s.w + clampi(x0 + tx - 1, 0, s.w - 1)];
    }
    __syncthreads();
    for (int r = threadIdx.y; r < 16; r += blockDim.y) {
        int x = x0 + threadIdx.x, y = y0 + r, i = r + 1, j = threadIdx.x + 1;
        if (x >= s.w || y >= s.h) continue;
        float gx = tile[i - 1][j + 1] + 2 * tile[i][j + 1] + tile[i + 1][j + 1] - tile[i - 1][j - 1] - 2 * tile[i][j - 1] - tile[i + 1][j - 1];
        float gy = tile[i + 1][j - 1] + 2 * tile[i + 1][j] + tile[i + 1][j + 1] - tile[i - 1][j - 1] - 2 * tile[i - 1][j] - tile[i - 1][j + 1];
        out[y * s.w + x] = sqrtf(gx * gx + gy * gy);
    }
}
extern "C" __global__ void median3x3(const unsigned char *__restrict__ in, unsigned char *__restrict__ out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    int v[9];
    for (int j = 0; j < 3; j++) for (int i = 0; i < 3; i++) v[j * 3 + i] = in[(y + j - 1) * w + x + i - 1];
#pragma unroll
    for (int i = 0; i < 5; i++)
#pragma unroll
        for (int j = i + 1; j < 9; j++) { int a = min(v[i], v[j]), b = max(v[i], v[j]); v[i] = a; v[j] = b; }
    out[y * w + x] = v[4];
}
extern "C" __global__ void bilinear_resize(const float *__restrict__ in, float *__restrict__ out, int iw, int ih, int ow, int oh)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= ow || y >= oh) return;
    float fx = (x + 0.5f) * iw / ow - 0.5f, fy = (y + 0.5f) * ih / oh - 0.5f;
    int x0 = (int)floorf(fx), y0 = (int)floorf(fy);
    float ax = fx - x0, ay = fy - y0;
    int x1 = clampi(x0 + 1, 0, iw - 1), y1 = clampi(y0 + 1, 0, ih - 1);
    x0 = clampi(x0, 0, iw - 1); y0 = clampi(y0, 0, ih - 1);
    float a = in[y0 * iw + x0], b = in[y0 * iw + x1], c = in[y1 * iw + x0], d = in[y1 * iw + x1];
    out[y * ow + x] = (1 - ay) * ((1 - ax) * a + ax * b) + ay * ((1 - ax) * c + ax * d);
}
extern "C" __global__ void integral_rows(const unsigned char *__restrict__ in, unsigned *__restrict__ out, int w, int h)
{
    __shared__ unsigned part[32];
    int row = blockIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    unsigned carry = 0;
    for (int base = 0; base < w; base += blockDim.x) {
        int x = base + threadIdx.x;
        unsigned v = x < w ? in[row * w + x] : 0;
        for (int d = 1; d < 32; d <<= 1) { unsigned o = __shfl_up_sync(~0u, v, d); if (lane >= d) v += o; }
        if (lane == 31) part[warp] = v;
        __syncthreads();
        if (warp == 0) {
            unsigned p = lane < warps ? part[lane] : 0;
            for (int d = 1; d < 32; d <<= 1) { unsigned o = __shfl_up_sync(~0u, p, d); if (lane >= d) p += o; }
            part[lane] = p;
        }
        __syncthreads();
        unsigned before = warp ? part[warp - 1] : 0, total = part[warps - 1];
        if (x < w) out[row * w + x] = v + before + carry;
        carry += total;
        __syncthreads();
    }
}
extern "C" __global__ void dct8x8_quant(const float *__restrict__ in, short *__restrict__ out, const float *__restrict__ quant, int pitch)
{
    __shared__ float b[8][64 + 1];
    int bx = blockIdx.x * 8 + threadIdx.y, by = blockIdx.y, k = threadIdx.x;   // one 8x8 block for each eight threads
    float *tile = b[threadIdx.y];
    float v[8];
    for (int i = 0; i < 8; i++) v[i] = in[(by * 8 + k) * pitch + bx * 8 + i] - 128.f;
    for (int pass = 0; pass < 2; pass++) {
        float s07 = v[0] + v[7], d07 = v[0] - v[7], s16 = v[1] + v[6], d16 = v[1] - v[6];
        float s25 = v[2] + v[5], d25 = v[2] - v[5], s34 = v[3] + v[4], d34 = v[3] - v[4];
        float a = s07 + s34, c = s07 - s34, e = s16 + s25, f = s16 - s25;
        float r[8];
        r[0] = 0.353553f * (a + e); r[4] = 0.353553f * (a - e);
        r[2] = 0.461940f * c + 0.191342f * f; r[6] = 0.191342f * c - 0.461940f * f;
        r[1] = 0.490393f * d07 + 0.415735f * d16 + 0.277785f * d25 + 0.097545f * d34;
        r[3] = 0.415735f * d07 - 0.097545f * d16 - 0.490393f * d25 - 0.277785f * d34;
        r[5] = 0.277785f * d07 - 0.490393f * d16 + 0.097545f * d25 + 0.415735f * d34;
        r[7] = 0.097545f * d07 - 0.277785f * d16 + 0.415735f * d25 - 0.490393f * d34;
        if (pass == 0) {
            for (int i = 0; i < 8; i++) tile[k * 8 + i] = r[i];
            __syncthreads();
            for (int i = 0; i < 8; i++) v[i] = tile[i * 8 + k];
        } else
            for (int i = 0; i < 8; i++) out[(by * gridDim.x * 8 + bx) * 64 + i * 8 + k] = (short)rintf(r[i] / quant[i * 8 + k]);
    }
}
extern "C" __global__ void histogram_equalize(const unsigned char *__restrict__ in, unsigned char *__restrict__ out, const unsigned *__restrict__ cdf, int n, float scale)
{
    __shared__ unsigned char lut[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) lut[k] = (unsigned char)fminf(255.f, cdf[k] * scale);
    __syncthreads();
    for (int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4; i < n; i += gridDim.x * blockDim.x * 4) {
        uchar4 p = *(const uchar4 *)(in + i);
        *(uchar4 *)(out + i) = make_uchar4(lut[p.x], lut[p.y], lut[p.z], lut[p.w]);
    }
}
extern "C" __global__ void guided_box(const float *__restrict__ in, float *__restrict__ mean, float *__restrict__ var, int w, int h, int r)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;      // a column a thread, a running sum down it
    if (x >= w) return;
    int y0 = blockIdx.y * 64, y1 = min(y0 + 64, h);
    float s = 0, q = 0;
    for (int y = y0 - r; y < y0 + r; y++) { float v = in[clampi(y, 0, h - 1) * w + x]; s += v; q += v * v; }
    float inv = 1.f / (2 * r + 1);
    for (int y = y0; y < y1; y++) {
        float a = in[clampi(y + r, 0, h - 1) * w + x], b = in[clampi(y - r, 0, h - 1) * w + x];
        s += a; q += a * a;
        mean[y * w + x] = s * inv; var[y * w + x] = q * inv - s * inv * s * inv;
        s -= b; q -= b * b;
    }
}
