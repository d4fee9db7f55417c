// Heads that differ in little: members of one class template for other numbers, elaborated names, what unistd.h says.
template <class T, int N> struct Vec { typedef T type[N]; };
template <class T> struct Vec<T, 3> { struct type { T x, y, z; }; };
template <class T> struct Vec<T, 4> { struct type { T x, y, z, w; }; };
template <class T> __device__ void set(typename Vec<T, 3>::type &v, T t) { v.z = t; }
template <class T> __device__ void set(typename Vec<T, 4>::type &v, T t) { v.w = t; }
struct Order { enum Kind { rows, columns }; struct Tag {}; };
template <enum Order::Kind> __device__ int at(int k) { return k; }
template <> __device__ int at<Order::columns>(int k) { return 2 * k; }
template <enum Order::Kind K, struct Order::Tag *P = nullptr> struct Table { static const int v = K; };
template <class T> struct Precision { static const int v = 0; };
template <> struct Precision<double> { static const int v = 1; };
template <> struct Precision<long double> { static const int v = 2; };
__host__ __device__ double root(double x) { return sqrt(x); }
__host__ long double root(long double x) { return sqrtl(x); }
#include <unistd.h>
#if _POSIX_VERSION < 200112L
#error "no clocks"
#endif
template <class T> __global__ void k(T *o) {
    typename Vec<T, 3>::type a = {};
    typename Vec<T, 4>::type b = {};
    set<T>(a, o[0]);
    set<T>(b, o[1]);
    enum Order::Kind kind = Order::rows;
    o[2] = a.z + b.w + at<Order::rows>(3) + at<Order::columns>(4) + Table<Order::columns>::v + Precision<double>::v + root(1.0) + kind;
}
template __global__ void k<float>(float *);
template __global__ void k<long double>(long double *);
template <typename T> __device__ class Stack {
    int top = -1;
    T items[8];
public:
    __device__ void push(T v) { items[++top] = v; }
    __device__ T pop() { return items[top--]; }
};
template <typename T> __host__ __device__ struct Both { T a, b; };
char *path = "data/input";
__device__ int length(char *s) { int n = 0; while (s[n]) n++; return n; }
__global__ void literals(int *o)
{
    Stack<int> s;
    s.push(o[0]);
    Both<int> b{1, 2};
    char *t = "abc";
    int *p, device;
    o[1] = s.pop() + b.b + length(t) + length("defg") + cudaMalloc(&p, 4) + cudaGetDevice(&device);
}
