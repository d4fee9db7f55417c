// Local memory: what L1 keeps, what it writes back.
extern "C" {
// Each thread stores to `words` words of its own local memory, then loads them, `reps` times. mode 1: stores only, 2: one pass of stores, then loads.
__global__ void local_walk(int words, int reps, int mode, int *out) {
    volatile int a[2048];
    int sum = 0, z = mode >> 4; mode &= 15;
    for (int r = 0; r < reps; r++) {
        if (mode != 2 || r == 0) for (int i = 0; i < words; i++) a[(i + z) & 2047] = i + r;
        if (mode != 1) for (int i = 0; i < words; i++) sum += a[(i + z) & 2047];
    }
    if (sum == 0x7fffffff) out[0] = a[sum & 2047];
}
// The same in global memory, each warp a row of lines of its own: how stores differ.
__global__ void global_walk(int words, int reps, int mode, int *out) {
    volatile int *a = out + (size_t)(blockIdx.x * blockDim.x + threadIdx.x >> 5) * words * 32 + (threadIdx.x & 31);
    int sum = 0;
    for (int r = 0; r < reps; r++) {
        if (mode != 2 || r == 0) for (int i = 0; i < words; i++) a[i * 32] = i + r;
        if (mode != 1) for (int i = 0; i < words; i++) sum += a[i * 32];
    }
    if (sum == 0x7fffffff) out[0] = sum;
}
// Each warp stores `lines` lines of its own in turn, reps times; then adds a word that it loads each time (mode 1).
__global__ void own_lines(int *q, const int *f, int lines, int reps, int mode) {
    int w = blockIdx.x * blockDim.x + threadIdx.x >> 5; int *a = q + (size_t)w * lines * 32 + (threadIdx.x & 31); int x = 0;
    for (int r = 0; r < reps; r++) {
        if (mode) x += *(volatile const int *)f; else x++;
        asm volatile("st.global.u32 [%0], %1;" :: "l"(a + (r % lines) * 32), "r"(x) : "memory");
    }
}
// A word by a thread, in place of the last: loads what it stored (mode 0), or another place of the line (mode 1).
__global__ void store_load(int *q, int reps, int mode) {
    int i = blockIdx.x * blockDim.x + threadIdx.x; int v = 0;
    for (int r = 0; r < reps; r++) {
        int *a = q + (mode == 1 ? i ^ 1 : mode == 2 ? i + 132 * 1024 : i);
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(a) : "memory");
        asm volatile("st.global.u32 [%0], %1;" :: "l"(q + i), "r"(v + 1) : "memory");
    }
}
}
