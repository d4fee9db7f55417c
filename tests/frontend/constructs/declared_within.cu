// Functions declared within functions: of the file, and of the host where nothing is evaluated.
__device__ int twice(int x) { return 2 * x; }
int host(int);
struct S { int a; __device__ S() : a(1) {} double on_host(); };
__global__ void kernel(int *o)
{
    S s();
    int twice(int);
    decltype(host(1)) x = sizeof(s()) + sizeof(host(2));
    decltype(S().on_host()) d = 0.5;
    o[0] = twice(o[1]) + x + (int)(d * 2);
}

// Declared in bodies before anything else declares them.
namespace far {
__global__ void early(int *p) {
    __device__ float larger(float a, float b = 1);
    __device__ float larger(float a, float b);
    extern __device__ void store(int n, float *p);
    p[0] = larger(1, 2) + larger(3);
    store(1, (float *)p);
}
__device__ void store(int n, float *p) {
    __device__ float larger(float a, float b);
    p[n] = larger(3, n);
}
__device__ float larger(float a, float b) { return a > b ? a : b; }
}  // namespace far
