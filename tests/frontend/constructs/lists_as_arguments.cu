// Lists as arguments: for arrays by reference, in a base's initialiser, and for the one class that can be made of them.
struct Coord {
  int v[4];
  __host__ __device__ explicit Coord(int x = 0) : v{x, x, x, x} {}
  __host__ __device__ Coord(const int (&a)[4]) { for (int i = 0; i < 4; i++) v[i] = a[i]; }
};
struct Tensor4 : Coord {
  __host__ __device__ Tensor4() {}
  __host__ __device__ Tensor4(const Coord &c) : Coord(c) {}
  __host__ __device__ Tensor4(int n, int h, int w, int c) : Coord({n, h, w, c}) {}
};
struct Pair { int a, b; };
struct Three { int s; __device__ Three(int a, int b, int c) : s(a + b + c) {} };
__device__ int sum(const int (&a)[3]) { return a[0] + a[1] + a[2]; }
__device__ int which(const Pair &p) { return p.a; }
__device__ int which(const Three &t) { return t.s; }
__global__ void k(int *o, int n) {
  Coord c({n, 2, 3, 4});
  o[0] = c.v[0] + Tensor4(1, 2, n, 4).v[2] + Tensor4({n, 1, 2, 3}).v[3] + sum({1, n, 3}) + sum({n});
  o[1] = which({1, n, 3}) + which({2});
}
