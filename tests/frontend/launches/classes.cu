// Kernels that constructors' initialisers name, that explicit instances of classes launch in members defined outside, and
// that templates launch whose parameters are `auto`.
#include <cstddef>
template <typename T> __global__ void kern(T *o) { o[0] = 1; }
template <typename T, int N> __global__ void sized(T *o) { o[N] = 1; }
template <typename T> struct Launcher {
    using fn = void (*)(T *);
    fn f, g;
    Launcher() : f(kern<T>), g{&sized<T, 3>} {}
    void run(T *o) { f<<<1, 1>>>(o); }
};
template <typename T> class Engine {
public:
    explicit Engine(T *p);
    void operator()(int n);
    void unused();
private:
    T *p;
};
template <typename T> Engine<T>::Engine(T *p) : p(p) { sized<T, 1><<<1, 1>>>(p); }
template <typename T> void Engine<T>::operator()(int n) { sized<T, 2><<<1, n>>>(p); }
template <typename T> void Engine<T>::unused() { kern<T><<<1, 1>>>(p); }
template class Engine<double>;
void host(auto *p) { kern<<<1, 1>>>(p); }
void host2(float *p, auto n) { sized<decltype(n), sizeof(n)><<<1, 1>>>(&n); }
template <typename T> __global__ void late(T *o) { o[0] = o[1] + o[2]; }
int main()
{
    Launcher<short> l;
    l.run(nullptr);
    host((long *)nullptr);
    host2(nullptr, 'a');
    late<<<1, 1>>>((int4 *)nullptr);
}
__host__ __device__ int4 operator+(int4 a, int4 b) { return make_int4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
