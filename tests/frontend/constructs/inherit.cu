struct A_ { int a; __device__ int f() { return a; } };
struct B_ {
    float b;
    __device__ float g() const { return b; }
    __device__ B_(float x) : b(x) {}
};
struct C_ : A_, public B_ {
    int c;
    __device__ C_() : A_{1}, B_(2.f), c(3) {}
    __device__ float h() { return f() + g() + c; }
};
struct E_ : B_ { using B_::B_; using B_::g; };
__device__ float useb_(const B_ &b) { return b.g(); }
__device__ float usep_(B_ *b) { return b->b; }
template <class D> struct Crtp_ { __device__ int go() { return static_cast<D *>(this)->impl(); } };
struct Im_ : Crtp_<Im_> { int z; __device__ int impl() { return z; } };
__global__ void inherit_kernel(float *o) {
    C_ c;
    E_ e(4.f);
    Im_ i;
    i.z = 9;
    B_ &r = c;
    r.b += 1;
    o[0] = c.h() + useb_(c) + usep_(&c) + e.g() + i.go() + ((C_ &)r).c + static_cast<C_ *>(&r)->a;
}
