__device__ unsigned __int128 mul_(unsigned long long a, unsigned long long b) { return (unsigned __int128)a * b; }
__global__ void i128_kernel(unsigned long long *o, long long s) {
    unsigned __int128 p = mul_(o[0], o[1]);
    o[2] = (unsigned long long)(p >> 64);
    o[3] = (unsigned long long)p;
    __int128 q = s;
    q = q * s + 5;
    o[4] = q < 0;
    p += 1;
    o[5] = p > 7;
}
