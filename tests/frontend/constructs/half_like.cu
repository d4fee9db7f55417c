struct alignas(2) H_ {
    protected: unsigned short x;
    public: H_() = default;
    __host__ __device__ constexpr H_(unsigned short v, int) : x(v) {}
    __device__ H_(float f) { x = (unsigned short)f; }
    __device__ explicit H_(double f) : x((unsigned short)f) {}
    __device__ H_(int f) : x((unsigned short)f) {}
    __device__ operator float() const { return x; }
    __device__ explicit operator bool() const { return x != 0; }
    __device__ H_ &operator=(float f) { x = (unsigned short)f; return *this; }
    friend __device__ H_ operator+(const H_ &a, const H_ &b) { return H_((unsigned short)(a.x + b.x), 0); }
};
__device__ __forceinline__ H_ operator*(const H_ &a, const H_ &b) { return H_((float)a * (float)b); }
__device__ __forceinline__ H_ &operator+=(H_ &a, const H_ &b) { a = a + b; return a; }
__device__ __forceinline__ bool operator<(const H_ &a, const H_ &b) { return (float)a < (float)b; }
__device__ __forceinline__ H_ operator-(const H_ &a) { return H_(-(float)a); }
__device__ __forceinline__ H_ &operator++(H_ &h) { h += H_(1.f); return h; }
__device__ __forceinline__ H_ operator++(H_ &h, int) { H_ t = h; h += H_(1.f); return t; }
struct alignas(4) H2_ {
    H_ x, y;
    H2_() = default;
    __device__ H2_(const H_ &a, const H_ &b) : x(a), y(b) {}
};
__device__ __forceinline__ H2_ operator+(const H2_ &a, const H2_ &b) { return H2_(a.x + b.x, a.y + b.y); }
__device__ H_ tanh_(H_ x) {
    unsigned short r;
    asm("{ mov.b16 %0, %1; }" : "=h"(r) : "h"(*(const unsigned short *)&x));
    return H_(r, 0);
}
__global__ void half_like_kernel(H_ *o, H2_ *p, float *f) {
    H_ a = o[0], b(2.f), c = H_(3.0), d;
    d = 1.5f;
    o[1] = a * b + c - d;
    __shared__ H_ sh[4];
    sh[threadIdx.x] = a;
    if (a) f[0] = a;
    f[1] = float(b);
    if (a < b) ++d, d++;
    p[1] = p[0] + H2_(a, b);
    o[2] = tanh_(d);
    float q = static_cast<float>(a);
    f[2] = q;
    a += b;
    f[3] = (float)-a;
    H2_ v;
    v.x = a;
    v.y = b;
    p[2] = v;
}
