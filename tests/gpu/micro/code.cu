// A kernel of 64 KB that ends at once.
extern "C" __global__ void code64k(unsigned *p, int n)
{
    if (n == 0) return;
    unsigned a = n, b = threadIdx.x;
#pragma unroll
    for (int i = 0; i < 3900; i++) asm volatile("lop3.b32 %0, %0, %1, 77, 0x96;" : "+r"(a) : "r"(b));
    p[threadIdx.x] = a;
}
