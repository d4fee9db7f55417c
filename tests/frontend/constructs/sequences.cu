// <algorithm> in device code, over pointers and the library's iterators; a specialisation for an empty pack.
#include <cuda/std/array>
#include <cuda/std/functional>
#include <cuda/std/inplace_vector>
namespace cstd_ = cuda::std;
__global__ void algorithms_(int *o, int *a) {
    cstd_::array<int, 6> v{5, 3, a[0], 1, 9, 2};
    o[0] = *cstd_::max_element(v.begin(), v.end()) - *cstd_::min_element(a, a + 4);
    cstd_::fill(a, a + 4, o[0]);
    o[1] = cstd_::equal(a, a + 4, v.begin()) + cstd_::lexicographical_compare(a, a + 4, v.begin(), v.end());
    o[2] = cstd_::find(v.begin(), v.end(), 9) - v.begin();
    o[3] = cstd_::find_if(a, a + 8, [](int x) { return x > 7; }) - a;
    cstd_::swap_ranges(a, a + 2, a + 2);
    cstd_::copy(v.begin(), v.end(), a + 8);
    o[4] = *cstd_::rotate(a, a + 1, a + 4);
}
template <int I, typename... T> struct Chain_;
template <int I> struct Chain_<I> { static constexpr int length = 0; };
template <int I, typename H, typename... T> struct Chain_<I, H, T...> : Chain_<I + 1, T...> { static constexpr int length = 1 + Chain_<I + 1, T...>::length; };
__global__ void chained_(int *o) { *o = Chain_<0, int, float>::length; }
__global__ void ordered_(int *o, float x, float y) { o[0] = isgreater(x, y) | isgreaterequal(x, y) << 1 | isless(x, y) << 2 | islessequal(x, y) << 3 | islessgreater(x, y) << 4 | isunordered(x, y) << 5; }
