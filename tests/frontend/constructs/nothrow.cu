// `throw()` is `noexcept`; `T (*const f)()` declares in functions.
struct Base_ {
    int x;
    __device__ Base_() throw() : x(1) {}
    __device__ int m() const throw() { return x; }
    __device__ virtual int v() throw() { return 1; }
};
struct Derived_ : Base_ { __device__ int v() throw() override { return 2; } };
template <class T> struct Box_ {
    T v;
    __device__ Box_() throw();
    __device__ T get() const throw();
    template <class U> __device__ U as(U u) throw();
};
template <class T> __device__ Box_<T>::Box_() throw() : v(3) {}
template <class T> __device__ T Box_<T>::get() const throw() { return v; }
template <class T> template <class U> __device__ U Box_<T>::as(U u) throw() { return u + v; }
__device__ int twice_(int x) throw() { return 2 * x; }
__device__ int next_(int x) { return x + 1; }
static_assert(noexcept(twice_(1)) && !noexcept(next_(1)) && noexcept(Box_<int>().get()), "");
typedef int (*Fn_)(int) throw();
__global__ void kernel(int *o) {
    auto l = [](int x) throw() { return x; };
    Fn_ p = twice_;
    int(*const f)(int) = next_;
    int (*const volatile fs[])(int) = {twice_, next_}, (*const *g)(int) = &f;
    Derived_ d;
    o[0] = l(3) + p(4) + f(5) + fs[o[1] & 1](6) + (*g)(7) + d.m() + d.v() + Box_<int>().as(2.5f);
}
