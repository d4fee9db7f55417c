// Kernels for the tests of the SM engine, compiled with nvcc.
#include <cassert>
#include <cstdio>

__device__ __noinline__ int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1) + 1; }

__device__ __noinline__ int sum8(const int *p, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += p[i];
    return s;
}

extern "C" {

__global__ void vadd(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void reduce_shared(const int *p, int *o, int n)
{
    __shared__ int s[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    s[threadIdx.x] = i < n ? p[i] : 0;
    __syncthreads();
    for (int k = 128; k; k >>= 1) {
        if (threadIdx.x < k)
            s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (!threadIdx.x)
        atomicAdd(o, s[0]);
}

__global__ void reduce_shuffle(const float *p, float *o)
{
    float v = p[blockIdx.x * blockDim.x + threadIdx.x];
    for (int k = 16; k; k >>= 1)
        v += __shfl_xor_sync(~0u, v, k);
    __shared__ float s[32];
    if ((threadIdx.x & 31) == 0)
        s[threadIdx.x >> 5] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0.f;
        for (int k = 16; k; k >>= 1)
            v += __shfl_down_sync(~0u, v, k);
        if (!threadIdx.x)
            o[blockIdx.x] = v;
    }
}

__global__ void histogram(const unsigned char *p, int *h, int n)
{
    __shared__ int s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        atomicAdd(&s[p[i]], 1);
    __syncthreads();
    atomicAdd(&h[threadIdx.x], s[threadIdx.x]);
}

__global__ void collatz(const unsigned *p, int *o, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned long long x = p[i];
    int c = 0;
    while (x != 1) {
        x = (x & 1) ? 3 * x + 1 : x >> 1;
        c++;
    }
    o[i] = c;
}

__global__ void lock(int *p)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(p, 0, 1) == 0) {
            p[1]++;
            __threadfence();
            atomicExch(p, 0);
            done = true;
        }
    }
}

__global__ void switch_(const int *p, int *o)
{
    int i = threadIdx.x, v = p[i];
    switch (v) {
    case 0: v = i * 3; break;
    case 1: v = i + 7; break;
    case 2: v = i ^ 5; break;
    case 3: v = -i; break;
    case 4: v = i * i; break;
    case 5: v = i << 3; break;
    case 6: v = ~i; break;
    case 7: v = i % 5; break;
    case 8: v = 1000 / (i + 1); break;
    default: v = 99;
    }
    o[i] = v;
}

__global__ void recursion(int *o)
{
    int i = threadIdx.x;
    if (i & 1)
        o[i] = fact(i & 7);
    else
        o[i] = -fact(i & 3);
}

__global__ void generic(const int *p, int *o)
{
    __shared__ int s[64];
    int l[8];
    s[threadIdx.x] = p[threadIdx.x] * 2;
    for (int k = 0; k < 8; k++)
        l[k] = p[k] + threadIdx.x;
    __syncthreads();
    const int *q = threadIdx.x % 3 == 0 ? p : (threadIdx.x % 3 == 1 ? s : l);
    o[threadIdx.x] = sum8(q, 8);
}

__global__ void matmul(const float *A, const float *B, float *C, int n)
{
    __shared__ float a[16][16], b[16][16];
    int x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * 16 + y, j = blockIdx.x * 16 + x;
    float s = 0;
    for (int k = 0; k < n; k += 16) {
        a[y][x] = A[i * n + k + x];
        b[y][x] = B[(k + y) * n + j];
        __syncthreads();
        for (int t = 0; t < 16; t++)
            s += a[y][t] * b[t][x];
        __syncthreads();
    }
    C[i * n + j] = s;
}

__global__ void votes(const int *p, unsigned *o)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    unsigned b = __ballot_sync(~0u, p[i] > 5);
    int a = __all_sync(~0u, p[i] > 0);
    unsigned m = __match_any_sync(~0u, p[i]);
    o[i] = b ^ m ^ a ^ __reduce_add_sync(~0u, p[i]);
}

__global__ void block_votes(const int *p, int *o)
{
    int c = __syncthreads_count(p[threadIdx.x] > 3);
    int a = __syncthreads_and(p[threadIdx.x] > 0);
    int r = __syncthreads_or(p[threadIdx.x] > 8);
    o[threadIdx.x] = c * 100 + (a != 0) * 10 + (r != 0);
}

__global__ void producer_consumer(int *o)
{
    __shared__ int buf[32];
    int w = threadIdx.x >> 5, l = threadIdx.x & 31;
    if (w == 0) {
        for (int k = 0; k < 4; k++) {
            asm volatile("bar.sync 1, 64;");
            buf[l] = l * k;
            __threadfence_block();
            asm volatile("bar.arrive 2, 64;");
        }
    } else {
        int s = 0;
        for (int k = 0; k < 4; k++) {
            asm volatile("bar.arrive 1, 64;");
            asm volatile("bar.sync 2, 64;");
            s += buf[31 - l];
        }
        o[l] = s;
    }
}

__global__ void atomics(float *f, double *d, int *m, unsigned long long *u)
{
    atomicAdd(f, 1.5f);
    atomicAdd(d, 0.25);
    atomicMax(m, (int)threadIdx.x - 5);
    atomicMin(m + 1, -(int)threadIdx.x);
    atomicXor(m + 2, threadIdx.x);
    atomicAdd(u, (unsigned long long)threadIdx.x << 33);
    atomicInc((unsigned *)m + 3, 10);
    atomicExch(m + 4, 7);
}

__global__ void print(int *p)
{
    printf("%d %5.2f %s %x %c %lld\n", p[threadIdx.x], 1.5 * threadIdx.x, "str", threadIdx.x, 65 + threadIdx.x,
           -(long long)threadIdx.x);
}

__global__ void asserts(int n) { assert(int(threadIdx.x) < n); }

__global__ void gather(const float *p, const int *index, float *o)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    o[i] = p[index[i]];
}

__global__ void shared_stride(int *o, int stride)
{
    __shared__ int s[32 * 32];
    for (int k = 0; k < 32; k++)
        s[k * 32 + threadIdx.x] = k * 32 + threadIdx.x;
    __syncwarp();
    o[threadIdx.x] = s[threadIdx.x * stride];
}
}
