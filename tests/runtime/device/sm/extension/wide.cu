// Atomics of vectors and of 128 bits, and the heap, for test_wide.py.
typedef unsigned u32;
typedef unsigned long long u64;
extern "C" __global__ void vectors(float4 *sum, float4 *old, u32 *halves, u32 *most) {
  int k = threadIdx.x;
  float x = k, a, b, c, d;
  asm volatile("atom.global.v4.f32.add {%0,%1,%2,%3}, [%4], {%5,%6,%7,%8};"
               : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(sum), "f"(x), "f"(2 * x), "f"(1.0f), "f"(-x) : "memory");
  old[k] = make_float4(a, b, c, d);
  asm volatile("red.global.v2.f32.add [%0], {%1,%2};" ::"l"(sum + 1), "f"(x), "f"(0.5f) : "memory");
  asm volatile("red.global.v4.f16x2.add.noftz [%0], {%1,%2,%1,%2};" ::"l"(halves), "r"(0x3c004000u), "r"(0x3800bc00u) : "memory");
  u32 bits = (__float_as_uint(x - 10) >> 16) | (__float_as_uint(5 - x) & 0xffff0000u);
  asm volatile("red.global.v4.bf16x2.max.noftz [%0], {%1,%1,%1,%1};" ::"l"(most), "r"(bits) : "memory");
}
extern "C" __global__ void quads(u64 *cell, u64 *seen, int *locked) {
  u64 a, b, k = threadIdx.x + 1;
  asm volatile("{.reg .b128 v, w; mov.b128 v, {%2, %3}; atom.global.exch.b128 w, [%4], v; mov.b128 {%0, %1}, w;}"
               : "=l"(a), "=l"(b) : "l"(k), "l"(~k), "l"(cell) : "memory");
  seen[2 * threadIdx.x] = a;
  seen[2 * threadIdx.x + 1] = b;
  asm volatile("{.reg .b128 c, v, w; mov.b128 c, {%2, %3}; mov.b128 v, {%4, %4}; atom.global.cas.b128 w, [%5], c, v; mov.b128 {%0, %1}, w;}"
               : "=l"(a), "=l"(b) : "l"(32ull), "l"(~32ull), "l"(7ull), "l"(cell) : "memory");
  if (a == 32 && b == ~32ull) atomicAdd(locked, 1);
}
struct Node {
  Node *next;
  int value;
};
extern "C" __global__ void heap(int *out, int n) {
  Node *list = nullptr;
  for (int k = 0; k < n; k++) {
    Node *one = (Node *)malloc(sizeof(Node) + 8 * (k % 5));
    if (!one) { out[threadIdx.x] = -1; return; }
    one->next = list;
    one->value = k * (threadIdx.x + 1);
    list = one;
    if (k % 3 == 2) {
      Node *gone = list->next;
      list->next = gone->next;
      free(gone);
    }
  }
  int sum = 0;
  while (list) {
    sum += list->value;
    Node *next = list->next;
    free(list);
    list = next;
  }
  out[threadIdx.x] = sum;
}
extern "C" __global__ void too_much(u64 *out) { *out = (u64)malloc(1ull << 40); free(nullptr); }
