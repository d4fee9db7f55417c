// Branches for ncu's source counters: loops of different length, nested conditions, a switch, early exits.
__device__ __noinline__ int twist(int x, int n)
{
    for (int i = 0; i < n; i++)
        x = x * 1664525 + 1013904223 ^ x >> 7;
    return x;
}

extern "C" __global__ void loops(int *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, x = t;
    for (int i = 0; i < (t % n); i++) {
        x = x * 17 + i;
        if (x & 64)
            x = __popc(x) + x / 3;
    }
    out[t] = x;
}

extern "C" __global__ void nested(int *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, x = t;
    if (t & 1) {
        x = twist(x, 5);
        if (t & 2)
            x = twist(x, 3);
        else
            x = twist(x + 1, 7);
    } else if (blockIdx.x & 1)
        x = twist(x, n);
    out[t] = x;
}

extern "C" __global__ void choose(int *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, x = t;
    switch (t % n) {
    case 0: x = twist(x, 2); break;
    case 1: x /= 7; break;
    case 2: x = twist(x, 4) * 3; break;
    case 3: out[t] = 5; return;
    case 4: x = x * x; break;
    case 5: x = twist(x, 9); break;
    case 6: x = 0; break;
    default: x = twist(x, 1);
    }
    out[t] = x;
}

extern "C" __global__ void early(int *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    int x = t;
    for (int i = 0; i < 10; i++)
        x = twist(x, 2);
    out[t] = x;
}
