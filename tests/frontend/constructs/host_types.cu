// What the host asks of devices and kernels, in functions of both sides: sizes and places are nvcc's.
#include <cuda_runtime_api.h>
#include <stddef.h>
#include <utility>

inline __host__ __device__ size_t block_size(const cudaFuncAttributes &attributes, const cudaDeviceProp &properties);
inline __host__ __device__ size_t block_size(const cudaFuncAttributes &attributes, const cudaDeviceProp &properties)
{
    return attributes.numRegs ? properties.regsPerBlock / attributes.numRegs / properties.warpSize : 0;
}

static_assert(sizeof(cudaDeviceProp) == 1008 && sizeof(cudaFuncAttributes) == 144 && sizeof(cudaPointerAttributes) == 88);
static_assert(offsetof(cudaDeviceProp, major) == 360 && offsetof(cudaDeviceProp, surfaceAlignment) == 552);
static_assert(offsetof(cudaDeviceProp, sharedMemPerBlockOptin) == 672);
static_assert(offsetof(cudaDeviceProp, hostNumaMultinodeIpcSupported) == 780);

__global__ void launched(size_t *out, cudaFuncAttributes attributes, cudaDeviceProp properties)
{
    *out = block_size(attributes, properties);
}

// A pack of constants, forwarded: each is no variable.
template <typename T, typename Stride, Stride... Strides> struct Wrap {
    template <typename... Args> __host__ __device__ const T *at(const T *p, Args... c) const
    {
        constexpr Stride strides[] = {std::forward<Stride>(Strides)...};
        int places[] = {std::forward<int>(c)...};
        for (int i = 0; i < int(sizeof...(Args)); ++i)
            p += places[i] * strides[i];
        return p;
    }
};

__global__ void forwarded(const float *p, float *q, int a, int b) { *q = *Wrap<float, long, 64, 1>().at(p, a, b); }

// What the host says of its types at run time is a member like any other.
#include <typeindex>
#include <typeinfo>
struct Property {
    std::type_index type;
    Property(const std::type_index &t) : type(t) {}
};
struct Scheme {
    struct Cell { double r; };
    virtual const std::type_info &kind() const { return typeid(double); }
    Property property() { return Property(typeid(Cell)); }
};
__global__ void of_scheme(Scheme::Cell *c) { c->r = 1; }

// A member of an unnamed class within a union.
union Word {
    float f;
    struct {
        unsigned short low, high;
    };
};
static_assert(offsetof(Word, high) == 2 && __builtin_offsetof(Word, low) == 0);
