// Functions that may not be called, and those that are called in their place; names that other declarations leave alone.
__device__ int f(int a) { return a + 1; }
__device__ int f(double) = delete;
template <typename T> __device__ int g(T) { return 1; }
template <> __device__ int g<float>(float) = delete;
template <typename T> __device__ int h(T) = delete;
template <> __device__ int h<int>(int a) { return a; }
template <typename T> struct S { static const int v = 1; };
template <typename T> struct S<T *>;
template <typename T> struct S<T *> { static const int v = 2; };
template <typename T> struct S<const T *> { static const int v = 3; };
struct A { int x; static const int n = 4; using type = int; };
struct B : A {};
struct C : A {};
struct D : B, C { int x; };
template <typename T> struct Q {
    using type = T;
    __device__ T f(T a) { Q<T>::type b = a; return b; }
};
struct Stack { template <typename T> __device__ void push(T) = delete; __device__ void push(int a) { top = a; } int top; };
__global__ void __launch_bounds__(-1) k(int *o)
{
    D d;
    d.x = o[1];
    Stack s;
    s.push(2);
    o[0] = f(o[1]) + g(2) + h(3) + S<int *>::v + S<const int *>::v + d.x + d.n + Q<int>().f(1) + s.top;
}
void a(int *o, int n = 2) {}
__global__ void launched(int *o, int n = 3) { o[n] = 1; }
void host(int *o)
{
    a(o);
    launched<<<1, 1>>>(o);
    launched<<<1, (2 < 3)>>>(o, 2);
    auto k = [](int *) {};
    k(o);
}
