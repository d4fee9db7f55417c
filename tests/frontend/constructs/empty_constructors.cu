// Variables of the device whose constructors do nothing.
struct Word { unsigned v[4]; __device__ Word() {} };
struct Field : Word { __host__ __device__ inline Field() {} };
struct Pair { Field a, b; __device__ Pair() {} };
__device__ __constant__ Field table[32] = {};
__device__ Field two[2] = {};
__device__ Pair pair{};
__constant__ Word one = {};
__global__ void k(unsigned *o) { o[0] = table[o[1]].v[0] + two[0].v[1] + pair.b.v[2] + one.v[3]; }
