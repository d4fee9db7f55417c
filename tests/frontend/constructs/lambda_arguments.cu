// std=c++20 Lambdas with statements as template arguments, of classes too; const rvalues are forwarded as such.
template <auto F, auto... Args> struct Bound_ {
    template <class... A> __device__ constexpr auto operator()(A... a) const { return F(Args..., a...); }
};
template <auto F> __device__ int applied_(int x) { return F(x); }
struct Rvalues_ {
    __device__ int g() & { return 1; }
    __device__ int g() const & { return 2; }
    __device__ int g() && { return 3; }
    __device__ int g() const && { return 4; }
};
template <class T> __device__ int forwarded_(T &&t) { return static_cast<T &&>(t).g(); }
__global__ void kernel(int *o) {
    const Rvalues_ constant;
    Bound_<[](int a, int q, int z) { int s = a * q; return s + z; }, 3, 5> b;
    o[0] = b(4) + Bound_<[](int a, int z) { return a < z; }, 3>{}(o[1]) + applied_<[](int a) { return a + 1; }>(o[2]);
    o[1] = forwarded_(static_cast<const Rvalues_ &&>(constant)) + 10 * forwarded_(Rvalues_{}) + 100 * forwarded_(constant);
}
