#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/bit>
__device__ cuda::std::optional<int> find(const int *p, int n) { for (int i = 0; i < n; i++) if (p[i] == 3) return i; return cuda::std::nullopt; }
__global__ void k(int *out, const int *in, int n) {
    auto o = find(in, n);
    cuda::std::span<const int> s(in + threadIdx.x, 4); int t = 0; for (int v : s) t += v;
    if (o) t += *o;
    out[threadIdx.x] = t + o.value_or(9) + cuda::std::popcount((unsigned)t) + cuda::std::bit_cast<int>(1.5f * t) + cuda::std::countl_zero((unsigned)t) + cuda::std::countr_zero((unsigned)t) + (int)s.size();
}
