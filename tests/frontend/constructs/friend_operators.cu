class Whole
{
    int n;
public:
    __device__ Whole(int n) : n(n) {}
    __host__ __device__ friend int operator/(int a, const Whole &b);
    friend __device__ bool operator==(const Whole &a, const Whole &b);
    friend __device__ int operator<<(const Whole &a, int b);
};
__host__ __device__ int operator/(int a, const Whole &b) { return a / b.n; }
__device__ bool operator==(const Whole &a, const Whole &b) { return a.n == b.n; }
__device__ int operator<<(const Whole &a, int b) { return a.n << b; }
__global__ void k(int *p) { Whole w(p[0]), v(p[1]); p[2] = 7 / w; p[3] = w == v; p[4] = w << 2; }
