// Kernels of many kinds for tests of the backend: loops, divergence, shared memory, doubles, conversions, atomics.
extern "C" __global__ void reduce(const float *x, float *out, int n) {
    __shared__ float part[256];
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, part[0]);
}

extern "C" __global__ void branches(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = x[i];
    if (v & 1) {
        for (int k = 0; k < (v & 15); ++k) {
            if (k & 2) v += x[(i + k) % n];
            else v ^= k * v;
        }
    } else if (v % 3 == 0) {
        v = v / 7 + i;
    } else {
        switch (v & 7) {
            case 2: v *= 5; break;
            case 4: v -= i; break;
            default: v = -v;
        }
    }
    x[i] = v;
}

extern "C" __global__ void doubles(const double *x, double *y, long long n) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = sqrt(fabs(x[i])) / (1.0 + x[i] * x[i]) + (double)(float)i;
}

extern "C" __global__ void many(const float *x, float *y, int n) {
    float v[48];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 48; ++k) v[k] = x[(i + k * 97) % n];
    float sum = 0.0f;
    for (int k = 0; k < 48; ++k)
        for (int j = 0; j < 48; ++j) sum = sum * 0.5f + v[k] * v[(j * 7 + k) % 48];
    y[i] = sum;
}

extern "C" __global__ void warps(unsigned *x) {
    unsigned v = x[threadIdx.x];
    for (int s = 16; s > 0; s >>= 1) v += __shfl_xor_sync(~0u, v, s);
    unsigned ballot = __ballot_sync(~0u, v & 1);
    x[threadIdx.x] = v + __popc(ballot) + __ffs(ballot) + __clz(v);
}
