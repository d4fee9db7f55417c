// Tensor copies, for test_tma.py: a box of a tensor to shared memory and from there to `out`, or the other way.
typedef unsigned u32;
typedef unsigned long long u64;
struct __align__(64) Map {
  u64 words[16];
};
#define SHARED(p) ((u32)__cvta_generic_to_shared(p))

#define LOAD(name, dims, suffix, coordinates, offsets, ...)                                                             \
  extern "C" __global__ void name(const __grid_constant__ Map map, u32 *out, u32 bytes, int x, int y, int z, int u) {   \
    extern __shared__ __align__(1024) u32 box[];                                                                        \
    __shared__ __align__(8) u64 bar;                                                                                    \
    if (threadIdx.x == 0) {                                                                                             \
      asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(SHARED(&bar)));       \
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(SHARED(&bar)), "r"(bytes) : "memory");     \
      asm volatile("cp.async.bulk.tensor." dims ".shared::cluster.global" suffix                                        \
                   ".mbarrier::complete_tx::bytes [%0], [%1, {" coordinates "}], [%2]" offsets ";" ::"r"(SHARED(box)),  \
                   "l"(&map), "r"(SHARED(&bar)), __VA_ARGS__                                                            \
                   : "memory");                                                                                         \
    }                                                                                                                   \
    __syncthreads();                                                                                                    \
    asm volatile("{.reg .pred p; L: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra L;}" ::"r"(SHARED(&bar))    \
                 : "memory");                                                                                           \
    for (u32 k = threadIdx.x; k < bytes / 4; k += blockDim.x) out[k] = box[k];                                          \
  }
LOAD(load1, "1d", "", "%3", "", "r"(x))
LOAD(load2, "2d", "", "%3,%4", "", "r"(x), "r"(y))
LOAD(load3, "3d", "", "%3,%4,%5", "", "r"(x), "r"(y), "r"(z))
LOAD(columns, "4d", ".im2col", "%3,%4,%5,%6", ", {%7,%8}", "r"(x), "r"(y), "r"(z), "r"(u & 255),
     "h"((unsigned short)(u >> 8 & 255)), "h"((unsigned short)(u >> 16)))

#define STORE(name, what)                                                                                               \
  extern "C" __global__ void name(const __grid_constant__ Map map, const u32 *in, u32 bytes, int x, int y) {            \
    extern __shared__ __align__(1024) u32 box[];                                                                        \
    for (u32 k = threadIdx.x; k < bytes / 4; k += blockDim.x) box[k] = in[k];                                           \
    asm volatile("fence.proxy.async;" ::: "memory");                                                                    \
    __syncthreads();                                                                                                    \
    if (threadIdx.x == 0) {                                                                                             \
      asm volatile(what " [%0, {%1,%2}], [%3];" ::"l"(&map), "r"(x), "r"(y), "r"(SHARED(box)) : "memory");              \
      asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");                             \
    }                                                                                                                   \
  }
STORE(store2, "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group")
STORE(add2, "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group")
STORE(max2, "cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.bulk_group")

// Two blocks of a cluster receive one box each half of which one of them asked for.
extern "C" __global__ void __cluster_dims__(2, 1, 1) both(const __grid_constant__ Map map, u32 *out) {
  __shared__ __align__(1024) u32 box[256];
  __shared__ __align__(8) u64 bar;
  u32 rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(SHARED(&bar)));
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;" ::"r"(SHARED(&bar)) : "memory");
  }
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  if (threadIdx.x == 0)
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {0, %2}], [%3], %4;" ::
            "r"(SHARED(box + 128 * rank)),
        "l"(&map), "r"(8 * rank), "r"(SHARED(&bar)), "h"((unsigned short)3)
        : "memory");
  asm volatile("{.reg .pred p; L: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra L;}" ::"r"(SHARED(&bar)) : "memory");
  for (u32 k = threadIdx.x; k < 256; k += blockDim.x) out[256 * rank + k] = box[k];
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
