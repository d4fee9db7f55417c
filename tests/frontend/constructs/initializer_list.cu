// std::initializer_list on the device: parameters, constructors that take all of the braces, loops over it.
#include <initializer_list>
#include <utility>
__device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__device__ inline float3 centre_(std::initializer_list<const float3> vertices)
{
    auto sum = float3{};
    for (const auto &v : vertices)
        sum = sum + v;
    sum.x /= vertices.size();
    return sum;
}
__device__ int total_(const std::initializer_list<int> &l)
{
    int s = 0;
    for (auto p = l.begin(); p != l.end() - 1; ++p)
        s += *p;
    return s;
}
struct Poly_ {
    float c[4];
    int n;
    __device__ Poly_() : n(0) {}
    __device__ Poly_(float a, float b) : c{a, b}, n(2) {}
    __device__ Poly_(std::initializer_list<float> l) : n(0)
    {
        for (float v : l)
            c[n++] = v;
    }
};
__global__ void lists_(float *o, const float3 *v, int i)
{
    o[0] = centre_({v[0], v[1], {1, 2, 3}}).x + total_({1, i, 3, 4}) + total_({});
    Poly_ a{1, 2, 3}, b(4, 5), c = {6, 7}, d{};
    o[1] = a.c[2] + a.n + b.n + c.c[1] + d.n;
}
