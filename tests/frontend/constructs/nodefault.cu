struct R_ {
    unsigned s;
    __device__ R_(unsigned x) : s(x) {}
    __device__ unsigned operator()() { s ^= s << 13; return s; }
    __device__ float operator()(float k) const { return s * k; }
};
template <class G> struct D_ {
    G g;
    float lo = 0.f, hi{1.f};
    __device__ D_(unsigned s) : g(s) {}
    __device__ float next() { return lo + (hi - lo) * g(); }
};
struct S_ { int a = 3; float b[2] = {1, 2}; };
__global__ void nodefault_kernel(float *o, unsigned n) {
    D_<R_> d(n);
    R_ r{n};
    S_ s;
    S_ t{5};
    o[0] = d.next() + r() + r(2.f) + s.a + t.b[1];
    S_ arr[2];
    o[1] = arr[1].a;
}
