// std=c++20
// <cuda/std/bit>, <cuda/std/span>, <cuda/std/optional>, <cuda/cmath>
#include <cuda/std/bit>
#include <cuda/std/span>
#include <cuda/std/array>
#include <cuda/std/optional>
#include <cuda/cmath>
// Known at compile time, too.
constexpr int W = cuda::std::bit_width(9u); static_assert(W == 4 && cuda::std::popcount(255u) == 8 && cuda::std::bit_ceil(9u) == 16u && cuda::std::bit_floor(9u) == 8 && cuda::std::countl_zero(1ull) == 63 && cuda::std::countr_one(7u) == 3 && cuda::std::rotl((unsigned char)0x81, 1) == 3, "");
static_assert(sizeof(cuda::std::span<int>) == 16 && sizeof(cuda::std::span<int, 4>) == 8 && cuda::ceil_div(7, 2) == 4, "");
__device__ int total(cuda::std::span<const int> s) { int t = 0; for (int x : s) t += x; return t; }
__global__ void k(int *o, unsigned x, unsigned long long y, unsigned char z, unsigned short w) { o[0] = cuda::std::popcount(x) + cuda::std::countl_zero(x); o[1] = cuda::std::countl_zero(y) * 64 + cuda::std::countr_zero(y); o[2] = cuda::std::countl_zero(z); o[3] = cuda::std::countr_zero(w); o[4] = cuda::std::bit_ceil(x); o[5] = cuda::std::rotl(x, 5) ^ cuda::std::rotr(x, 3); o[6] = cuda::std::bit_width(y) + cuda::std::has_single_bit(x); int a[4] = {1, 2, 3, (int)x}; cuda::std::array<int, 3> b = {4, 5, 6}; o[7] = total(a) + total(b) + total(cuda::std::span<int>(a).subspan(1, 2)) + total(cuda::std::span<int, 4>(a).first<2>()); cuda::std::optional<int> q; if (x > 3) q = 3; if (q == cuda::std::nullopt) q.emplace(9); o[8] = *q + (cuda::std::endian::native == cuda::std::endian::little); o[9] = cuda::std::bit_floor(z) + cuda::std::countl_one(z); o[10] = cuda::ceil_div((int)x, 3); }
