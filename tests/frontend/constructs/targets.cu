// <nv/target>: what a target gets is statements, in parentheses or not; the runtime's heads bracket what is deprecated.
#include <nv/target>
__NV_SILENCE_DEPRECATION_BEGIN
template <int n> struct Is_;
template <> struct Is_<7> { static constexpr int value = 1; };
__NV_SILENCE_DEPRECATION_END
__host__ __device__ constexpr int bare_() { NV_IF_TARGET(NV_IS_DEVICE, return 1;) return 3; }
__host__ __device__ constexpr int either_() { NV_IF_ELSE_TARGET(NV_NO_TARGET, return 3;, return 1;) return 5; }
__host__ __device__ constexpr int enclosed_() { NV_IF_ELSE_TARGET(NV_ANY_TARGET, (int a = 1; return a;), (return 3;)) return 5; }
__host__ __device__ constexpr int first_() { NV_DISPATCH_TARGET(NV_NO_TARGET, return 3;, NV_IS_DEVICE, return 4;, NV_ANY_TARGET, (return 5;)) return 6; }
__host__ __device__ constexpr int none_() { NV_IF_TARGET(NV_NO_TARGET, return 3;) return 0; }
__global__ void targets(int *o) {
    o[0] = Is_<bare_() + either_() + enclosed_() + first_() + none_()>::value;
}
