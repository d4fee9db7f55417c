// mbarriers, bulk copies and clusters, for test_cluster.py: what the machine does is compared with numpy.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
typedef unsigned u32;
typedef unsigned long long u64;
#define SHARED(p) ((u32)__cvta_generic_to_shared(p))
#define WAIT(bar, parity)                                                                                    \
  asm volatile("{.reg .pred p; L: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra L;}" ::"r"(bar), \
               "r"(parity)                                                                                   \
               : "memory")

// Blocks of a cluster read one another's shared memory and count in that of the first.
extern "C" __global__ void __cluster_dims__(4, 1, 1) ring(const int *in, int *out, int *sums, u32 *ranks) {
  __shared__ int buf[64], sum[64];
  auto c = cg::this_cluster();
  u32 r = c.block_rank(), n = c.num_blocks();
  buf[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  sum[threadIdx.x] = 0;
  c.sync();
  out[blockIdx.x * 64 + threadIdx.x] = c.map_shared_rank(buf, (r + 1) % n)[threadIdx.x] + 1000 * r;
  atomicAdd(&c.map_shared_rank(sum, 0)[threadIdx.x], buf[threadIdx.x]);
  c.sync();
  c.map_shared_rank(buf, (r + 2) % n)[threadIdx.x ^ 1] = r;  // nobody reads it any more
  c.sync();
  if (buf[threadIdx.x] != (int)((r + 2) % n)) sum[threadIdx.x] = 1 << 30;
  if (r == 0) sums[blockIdx.x / 4 * 64 + threadIdx.x] = sum[threadIdx.x];
  if (threadIdx.x == 0) ranks[blockIdx.x] = r | n << 8;
}

// A block of two dimensions in a cluster of two: coordinates.
extern "C" __global__ void __cluster_dims__(2, 2, 1) corners(u32 *out) {
  u32 x, y, cx, cy;
  asm volatile("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(x));
  asm volatile("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(y));
  asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(cx));
  asm volatile("mov.u32 %0, %%clusterid.y;" : "=r"(cy));
  if (threadIdx.x == 0) out[blockIdx.y * gridDim.x + blockIdx.x] = x | y << 8 | cx << 16 | cy << 24;
}

// What generic addresses of a cluster's shared memory, of global and of local memory are said to be.
#define IS(space, p) ({ u32 r; asm volatile("{.reg .pred q; isspacep." space " q, %1; selp.u32 %0, 1, 0, q;}" : "=r"(r) : "l"(p)); r; })
extern "C" __global__ void __cluster_dims__(2, 1, 1) spaces(u32 *out) {
  __shared__ int buf[32];
  volatile int local[4];
  local[threadIdx.x & 3] = 1;
  auto c = cg::this_cluster();
  const void *p[] = {buf, c.map_shared_rank(buf, c.block_rank() ^ 1), out, (const void *)local};
  for (int k = 0; k < 4; k++)
    out[blockIdx.x * 4 + k] = IS("shared::cta", p[k]) | IS("shared::cluster", p[k]) << 1 | IS("global", p[k]) << 2 | IS("local", p[k]) << 3;
  c.sync();
}

// The warps of a group come to the fence at different times and go on together.
extern "C" __global__ void gather(int *out) {
  __shared__ volatile int here[8];
  int w = threadIdx.x / 32, group = w / 4 * 4;
  here[w] = 0;
  __syncthreads();
  for (int k = 0; k < 100 * (w & 3); k++) here[w] = 0;
  here[w] = 1;
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  out[threadIdx.x] = here[group] + here[group + 1] + here[group + 2] + here[group + 3];
}

// Tiles come by bulk copies that an mbarrier counts, and go back by bulk copies and a bulk reduction.
extern "C" __global__ void tiles(const float *in, float *out, float *total, int n) {
  __shared__ alignas(128) float buf[1024];
  __shared__ alignas(8) u64 bar;
  u32 a = SHARED(buf), b = SHARED(&bar);
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(b) : "memory");
  __syncthreads();
  for (int k = 0; k < n; k++) {
    size_t at = 1024 * (size_t)(blockIdx.x * n + k);
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 4096;" ::"r"(b) : "memory");
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 4096, [%2];" ::"r"(a),
                   "l"(in + at), "r"(b)
                   : "memory");
    }
    WAIT(b, k & 1);
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) buf[i] = 2 * buf[i] + 1;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 4096;" ::"l"(out + at), "r"(a) : "memory");
      asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 4096;" ::"l"(total), "r"(a)
                   : "memory");
      asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// A producer warp and consumer warps with a ring of two stages: full and empty barriers, LDGSTS and arrivals.
extern "C" __global__ void pipeline(const int *in, int *out, int n) {
  __shared__ int stage[2][128];
  __shared__ alignas(8) u64 full[2], empty[2];
  if (threadIdx.x == 0)
    for (int k = 0; k < 2; k++) {
      asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(SHARED(&full[k])) : "memory");
      asm volatile("mbarrier.init.shared.b64 [%0], 128;" ::"r"(SHARED(&empty[k])) : "memory");
    }
  __syncthreads();
  if (threadIdx.x < 32) {
    for (int k = 0; k < n; k++) {
      if (k >= 2) WAIT(SHARED(&empty[k & 1]), (k / 2 - 1) & 1);
      for (int i = threadIdx.x; i < 128; i += 32)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(SHARED(&stage[k & 1][i])), "l"(in + 128 * k + i)
                     : "memory");
      asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(SHARED(&full[k & 1])) : "memory");
    }
  } else {
    int i = threadIdx.x - 32, sum = 0;
    for (int k = 0; k < n; k++) {
      WAIT(SHARED(&full[k & 1]), k / 2 & 1);
      sum = 31 * sum + stage[k & 1][i];
      asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(SHARED(&empty[k & 1])) : "memory");
    }
    out[i] = sum;
  }
}

// One block sends a tile to all of its cluster; st.async tells the neighbour how often it was written to.
extern "C" __global__ void __cluster_dims__(4, 1, 1) spread(const int *in, int *out) {
  __shared__ alignas(128) int buf[256];
  __shared__ alignas(16) int word[32];
  __shared__ alignas(8) u64 bar[2];
  u32 rank, a = SHARED(buf), b = SHARED(bar);
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b) : "memory");
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b + 8) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;" ::"r"(b) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 128;" ::"r"(b + 8) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  cg::this_cluster().sync();
  if (rank == 1 && threadIdx.x == 0)
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 1024, [%2], %3;" ::"r"(a),
        "l"(in + 256 * (blockIdx.x / 4)), "r"(b), "h"((unsigned short)15)
        : "memory");
  u32 to, tell;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(SHARED(word + threadIdx.x)), "r"((rank + 1) & 3));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(tell) : "r"(b + 8), "r"((rank + 1) & 3));
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(to),
               "r"(rank * 100 + threadIdx.x), "r"(tell)
               : "memory");
  WAIT(b, 0);
  WAIT(b + 8, 0);
  for (int i = threadIdx.x; i < 256; i += 32) out[288 * blockIdx.x + i] = buf[i] + rank;
  out[288 * blockIdx.x + 256 + threadIdx.x] = word[threadIdx.x];
  cg::this_cluster().sync();
}

// An mbarrier whose waiters are in other blocks' reach: remote arrivals.
extern "C" __global__ void __cluster_dims__(2, 1, 1) remote(int *out) {
  __shared__ alignas(8) u64 bar;
  __shared__ int value;
  u32 rank, there, b = SHARED(&bar), v;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 64; fence.mbarrier_init.release.cluster;" ::"r"(b) : "memory");
    value = 0;
  }
  cg::this_cluster().sync();
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(v) : "r"(SHARED(&value)), "r"(rank ^ 1));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(b), "r"(rank ^ 1));
  asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(v), "r"(threadIdx.x) : "memory");
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
  WAIT(b, 0);
  if (threadIdx.x == 0) out[blockIdx.x] = value + 10000 * rank;
  cg::this_cluster().sync();
}

// Arrivals that do not end the phase give each thread the state that it would have seen alone.
extern "C" __global__ void alone(u32 *out) {
  __shared__ alignas(8) u64 bar;
  u64 state;
  u32 b = SHARED(&bar), left;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 100;" ::"r"(b) : "memory");
  __syncthreads();
  if (threadIdx.x & 1) {
    asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 2;" : "=l"(state) : "r"(b) : "memory");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(left) : "l"(state));
    out[threadIdx.x] = left;
  }
}

// Nobody arrives.
extern "C" __global__ void stuck() {
  __shared__ alignas(8) u64 bar;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(SHARED(&bar)) : "memory");
  __syncthreads();
  WAIT(SHARED(&bar), 0);
}
