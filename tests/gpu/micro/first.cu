// First touches: a module's variable, its address in bank 4, a constant of bank 3, a word of a buffer that everybody reads or stores.
__device__ int sym[1 << 20];
__constant__ int cst[1024];
#define I int i = blockIdx.x * blockDim.x + threadIdx.x
extern "C" {
__global__ void g_none(int *o, int *b) { I; o[i] = i; }
__global__ void g_c4(int *o, int *b) { I; o[i] = (int)(size_t)sym + i; }
__global__ void g_sym(int *o, int *b) { I; o[i] = sym[0] + i; }
__global__ void g_sym_far(int *o, int *b) { I; o[i] = sym[(blockIdx.x & 7) << 17] + i; }
__global__ void g_sym_own(int *o, int *b) { I; o[i] = sym[i] + i; }
__global__ void g_buf(int *o, int *b) { I; o[i] = b[0] + i; }
__global__ void g_buf_own(int *o, int *b) { I; o[i] = b[i] + i; }
__global__ void g_c3(int *o, int *b) { I; o[i] = cst[0] + i; }
__global__ void g_c3_index(int *o, int *b) { I; o[i] = cst[blockIdx.x & 255] + i; }
__global__ void g_store_one(int *o, int *b) { I; o[0] = i; }
__global__ void g_buf_store_one(int *o, int *b) { I; o[0] = b[0]; }
__global__ void g_sym_store_one(int *o, int *b) { I; o[0] = sym[0]; }
__global__ void g_sym_store(int *o, int *b) { I; sym[i] = i; }
__global__ void g_volatile(int *o, int *b) { I; o[i] = *(volatile int *)b + i; }
__global__ void g_c4_exit(int *o, int *b) { I; if ((size_t)sym == 12345) o[i] = i; }
__global__ void g_sym_exit(int *o, int *b) { I; if (sym[0] == 12345) o[i] = i; }
__global__ void g_buf_exit(int *o, int *b) { I; if (b[0] == 12345) o[i] = i; }
__global__ void g_double(double *o, int *b) { int i = blockIdx.x * blockDim.x + threadIdx.x; o[i] = i * 1.2345678901234 + 0.3333333333333333; }
__global__ void g_atomic(int *o, int *b) { I; atomicAdd(o + (i & 255), 1); }
__global__ void g_atomic_result(int *o, int *b) { I; o[65536 + i] = atomicAdd(b + (i & 255), 1); }
}
