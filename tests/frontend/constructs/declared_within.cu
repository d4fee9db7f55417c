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
