// A host function's specialisation that cannot be read (we have no generators) ends with its body.
#include <random>
template <typename T> __global__ void scale(T *p) { p[0] *= 2; }
template <typename T> void multiply(std::mt19937 &g, T *p);
template <> void multiply<float>(std::mt19937 &g, float *p) { p[0] = g(); }
__global__ void after(int *p) { p[0] = 1; }
template <typename T> void launch(T *p) { scale<T><<<1, 1>>>(p); }
int main() { launch((short *)nullptr); launch((double *)nullptr); after<<<1, 1>>>(nullptr); }
