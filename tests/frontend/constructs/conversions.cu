// Conversion templates, mutable members, decltype(auto), members brought in by using and hidden.
template <typename T> struct cplx { T re, im; template <typename U> __host__ __device__ explicit operator cplx<U>() const { return {U(re), U(im)}; } };
struct Any { int v; template <typename T> __device__ operator T() const { return T(v); } };
__global__ void conv(cplx<double> *d, cplx<float> *f, Any *a) { f[threadIdx.x] = static_cast<cplx<float>>(d[threadIdx.x]); f[1] = cplx<float>(d[2]); float x = a[0]; int y = a[1]; f[2].re = x + y; f[3] = (cplx<float>)d[4]; }
struct Ray { float o; mutable float t; mutable int id{-1}; };
__device__ void meet(const Ray &r) { r.t = 2 * r.o; ++r.id; }
__device__ decltype(auto) pick(int (&a)[4], int i) { return (a[i]); }
struct B { __device__ int h() const { return 1; } __device__ int g() const { return 2; } };
struct C : B { using B::g; using B::h; __device__ int h() const { return B::h() + 100; } };
__global__ void members(Ray *r, int *o) { meet(r[threadIdx.x]); int a[4] = {1, 2, 3, 4}; pick(a, 2) = 9; C c; o[threadIdx.x] = a[threadIdx.x & 3] + c.h() + c.g(); }
