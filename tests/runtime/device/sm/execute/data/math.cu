// Arithmetic as nvcc writes it: one thread per operand pair, one row of results per thread.
#include <cuda_fp16.h>
#include <cuda_bf16.h>

typedef unsigned long long u64;

extern "C" __global__ void integers(const unsigned *a, const unsigned *b, unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = a[i], y = b[i], *q = out + i * 32;
  int sx = x, sy = y;
  unsigned yn = y ? y : 7u;
  int syn = sy ? sy : 7;
  if (syn == -1) syn = 3;
  q[0] = x / yn, q[1] = x % yn, q[2] = sx / syn, q[3] = sx % syn;
  q[4] = x / 7, q[5] = x % 10, q[6] = sx / 7, q[7] = sx % 10;
  u64 X = ((u64)x << 32) | y, Y = ((u64)yn << (x & 31)) | 1, s;
  long long SX = X, SY = (long long)Y, t;
  s = X / Y, q[8] = s, q[9] = s >> 32, s = X % Y, q[10] = s, q[11] = s >> 32;
  t = SX / SY, q[12] = t, q[13] = t >> 32, t = SX % SY, q[14] = t, q[15] = t >> 32;
  s = X * Y, q[16] = s, q[17] = s >> 32;
  q[18] = __umul64hi(X, Y), q[19] = __umulhi(x, y), q[20] = __mulhi(sx, sy);
  q[21] = __popcll(X), q[22] = __clzll(X), q[23] = __ffs(x), q[24] = __brev(x), q[25] = __byte_perm(x, y, sx & 0x7777);
  q[26] = __funnelshift_l(x, y, y & 63), q[27] = __funnelshift_rc(x, y, y & 63);
  s = X << (y & 63), q[28] = s, q[29] = s >> 32, t = SX >> (x & 63), q[30] = t, q[31] = t >> 32;
}

extern "C" __global__ void floats(const float *a, const float *b, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i], y = b[i], *q = out + i * 20;
  q[0] = x / y, q[1] = sqrtf(x), q[2] = 1.f / y, q[3] = fmodf(x, y), q[4] = floorf(x), q[5] = rintf(x);
  q[6] = (float)(int)x, q[7] = (float)(unsigned)x, q[8] = fminf(x, y), q[9] = fmaxf(x, y);
  q[10] = __half2float(__float2half(x)), q[11] = __bfloat162float(__float2bfloat16(x));
  q[12] = expf(x), q[13] = logf(fabsf(x)), q[14] = tanhf(x), q[15] = rsqrtf(fabsf(x)), q[16] = erff(x);
  q[17] = sinf(x), q[18] = cosf(x), q[19] = powf(fabsf(x), y);
}

extern "C" __global__ void doubles(const double *a, const double *b, double *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double x = a[i], y = b[i], *q = out + i * 12;
  q[0] = x / y, q[1] = sqrt(x), q[2] = 1. / y, q[3] = x * y, q[4] = x - y, q[5] = fmin(x, y), q[6] = fmax(x, y);
  q[7] = floor(x), q[8] = (double)(float)x, q[9] = exp(x), q[10] = log(fabs(x)), q[11] = (double)(long long)x;
}

extern "C" __global__ void halves(const __half *a, const __half *b, __half *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __half x = a[i], y = b[i], *q = out + i * 4;
  q[0] = __hadd(x, y), q[1] = __hmul(x, y), q[2] = __hsub(x, y), q[3] = __hmin(x, y);
}
