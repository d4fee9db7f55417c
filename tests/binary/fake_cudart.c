/* Stands in for libcudart: prints what a program registers and launches. */
#include <stddef.h>
#include <stdio.h>
typedef struct { unsigned x, y, z; } d3;
static d3 grid_, block_;
static size_t shared_;
static void *stream_;
void **__cudaRegisterFatBinary(void *w) {
    static void *h;
    int *m = w;
    unsigned *f = *(unsigned **)((char *)w + 8);
    printf("fatbin %x %d %x\n", m[0], m[1], f[0]);
    return &h;
}
void __cudaRegisterFatBinaryEnd(void **h) { printf("end\n"); }
void __cudaUnregisterFatBinary(void **h) { printf("unregister\n"); }
void __cudaRegisterFunction(void **h, const char *host, char *d, const char *n, int limit, void *a, void *b, void *c,
                            void *e, int *w) { printf("function %s %d\n", n, limit); }
void __cudaRegisterVar(void **h, char *v, char *d, const char *n, int ext, size_t size, int constant, int global) {
    printf("variable %s %zu %d\n", n, size, constant);
}
unsigned __cudaPushCallConfiguration(d3 g, d3 b, size_t s, void *q) {
    grid_ = g; block_ = b; shared_ = s; stream_ = q;
    return 0;
}
unsigned __cudaPopCallConfiguration(d3 *g, d3 *b, size_t *s, void **q) {
    *g = grid_; *b = block_; *s = shared_; *q = stream_;
    return 0;
}
int cudaLaunchKernel(const void *f, d3 g, d3 b, void **a, size_t s, void *q) {
    printf("launch %u %u %u %u %u %u %zu %p: %llx %d %g %g %d %.20s\n", g.x, g.y, g.z, b.x, b.y, b.z, s, q,
           *(unsigned long long *)a[0], *(int *)a[1], *(float *)a[2], *(double *)a[3], *(short *)a[4], (char *)a[5]);
    return 0;
}
