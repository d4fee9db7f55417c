// Fetches of every kind, for test_texture.py.
typedef unsigned u32;
typedef unsigned long long u64;
#define EACH for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
#define OUT "{%0,%1,%2,%3}"
#define REGS(...)                                         \
  u32 a, b, c, d;                                         \
  asm volatile(__VA_ARGS__);                              \
  o[i] = make_uint4(a, b, c, d);
#define RESULT "=r"(a), "=r"(b), "=r"(c), "=r"(d)

extern "C" __global__ void t1(u64 t, const float *x, uint4 *o, int n) {
  EACH { REGS("tex.1d.v4.u32.f32 " OUT ", [%4, {%5}];" : RESULT : "l"(t), "f"(x[i])) }
}
extern "C" __global__ void t2(u64 t, const float *x, const float *y, uint4 *o, int n) {
  EACH { REGS("tex.2d.v4.u32.f32 " OUT ", [%4, {%5,%6}];" : RESULT : "l"(t), "f"(x[i]), "f"(y[i])) }
}
extern "C" __global__ void t3(u64 t, const float *x, const float *y, const float *z, uint4 *o, int n) {
  EACH { REGS("tex.3d.v4.u32.f32 " OUT ", [%4, {%5,%6,%7,%7}];" : RESULT : "l"(t), "f"(x[i]), "f"(y[i]), "f"(z[i])) }
}
extern "C" __global__ void g2(u64 t, const float *x, const float *y, uint4 *o, int n) {
  EACH { REGS("tld4.r.2d.v4.u32.f32 " OUT ", [%4, {%5,%6}];" : RESULT : "l"(t), "f"(x[i]), "f"(y[i])) }
}
extern "C" __global__ void a2(u64 t, const u32 *l, const float *x, const float *y, uint4 *o, int n) {
  EACH { REGS("tex.a2d.v4.u32.f32 " OUT ", [%4, {%5,%6,%7,%7}];" : RESULT : "l"(t), "r"(l[i]), "f"(x[i]), "f"(y[i])) }
}
extern "C" __global__ void fetch1(u64 t, const int *x, float2 *o, int n) {
  EACH o[i] = tex1Dfetch<float2>(t, x[i]);
}
extern "C" __global__ void one(u64 t, const float *x, const float *y, float *o, int n) {
  EACH o[i] = tex2D<float>(t, x[i], y[i]) + tex2DLod<float>(t, x[i], y[i], 0) + tex2DGrad<float>(t, x[i], y[i], make_float2(0, 0), make_float2(0, 0));
}
extern "C" __global__ void size(u64 t, u32 *o) {
  u32 a, b;
  asm volatile("txq.width.b32 %0, [%1];" : "=r"(a) : "l"(t));
  asm volatile("txq.height.b32 %0, [%1];" : "=r"(b) : "l"(t));
  o[0] = a;
  o[1] = b;
}
extern "C" __global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  uchar4 v;
  surf2Dread(&v, from, 4 * x, y, cudaBoundaryModeClamp);
  surf2Dwrite(make_uchar4(v.w, v.z, v.y, v.x), to, 4 * y, x, cudaBoundaryModeZero);
}
extern "C" __global__ void cube(cudaTextureObject_t t, const float *x, const float *y, const float *z, float *o, int n) {
  EACH { o[i] = texCubemap<float>(t, x[i], y[i], z[i]); }
}
extern "C" __global__ void cubes(cudaTextureObject_t t, const float *x, const float *y, const float *z, float *o, int n) {
  EACH { o[i] = texCubemapLayered<float>(t, x[i], y[i], z[i], i % 3); }
}
