// Attributes of alignment: before and behind classes, members, variables and typedefs.
struct A1 { int x; } __attribute__((aligned(32)));
typedef struct { int x; } __attribute__((aligned(4 * sizeof(int)))) A2;
typedef struct __attribute__((aligned(16))) { int x; } A3;
typedef struct { int x; } A4 __attribute__((aligned(16)));
typedef int A5 __attribute__((aligned(16)));
typedef __attribute__((__aligned__(16))) int A6;
struct A7 { char c; int x __attribute__((aligned(8))); char d; __attribute__((aligned(4))) char e; };
struct A8 { char c; A2 x; A4 y; A5 *z; };
__attribute__((aligned(64))) typedef struct __a9 { int h[8]; } A9;
extern "C" { typedef __attribute__((aligned(64))) struct A10 { int h[8]; } A10; }
struct A11 { int x; } __attribute__((aligned));
struct A12 { char c; int x; } __attribute__((packed, aligned(2)));

static_assert(sizeof(A1) == 32 && alignof(A1) == 32, "");
static_assert(sizeof(A2) == 16 && alignof(A2) == 16 && sizeof(A3) == 16, "");
static_assert(sizeof(A4) == 4 && alignof(A4) == 16 && sizeof(A5) == 4 && alignof(A5) == 16 && alignof(A6) == 16, "");
static_assert(sizeof(A7) == 24 && alignof(A7) == 8, "");
static_assert(sizeof(A8) == 48 && alignof(A8) == 16, "");
static_assert(sizeof(A9) == 32 && alignof(A9) == 64 && sizeof(A10) == 32 && alignof(A10) == 64, "");
static_assert(sizeof(A11) == 16 && alignof(A11) == 16 && sizeof(A12) == 6 && alignof(A12) == 2, "");

__device__ int first(A9 *a, A5 *b) { int *plain = b; return a->h[0] + *plain; }
__global__ void k(A9 *a, int *o) {
  __shared__ A5 s;
  s = o[0];
  A5 local = s;
  o[1] = first(a, &local);
}
