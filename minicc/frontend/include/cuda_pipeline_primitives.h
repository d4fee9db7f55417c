#pragma once
// cp.async as C functions. A copy's last `zfill` bytes are zeros instead.
#include <cuda_awbarrier_primitives.h>
__device__ inline void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zfill = 0) {
    unsigned shared = (unsigned)__cvta_generic_to_shared(to), taken = (unsigned)(bytes - zfill);
    size_t global = __cvta_generic_to_global(from);
    if (bytes == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(shared), "l"(global), "r"(taken) : "memory");
    else if (bytes == 8) asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" :: "r"(shared), "l"(global), "r"(taken) : "memory");
    else asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" :: "r"(shared), "l"(global), "r"(taken) : "memory");
}
__device__ inline void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
__device__ inline void __pipeline_wait_prior(size_t batches) {
    switch (batches) {
        case 0: asm volatile("cp.async.wait_group 0;" ::: "memory"); break;
        case 1: asm volatile("cp.async.wait_group 1;" ::: "memory"); break;
        case 2: asm volatile("cp.async.wait_group 2;" ::: "memory"); break;
        case 3: asm volatile("cp.async.wait_group 3;" ::: "memory"); break;
        case 4: asm volatile("cp.async.wait_group 4;" ::: "memory"); break;
        case 5: asm volatile("cp.async.wait_group 5;" ::: "memory"); break;
        case 6: asm volatile("cp.async.wait_group 6;" ::: "memory"); break;
        case 7: asm volatile("cp.async.wait_group 7;" ::: "memory"); break;
        default: asm volatile("cp.async.wait_group 8;" ::: "memory"); break;
    }
}
__device__ inline void __pipeline_arrive_on(__mbarrier_t *b) { asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" :: "r"(details::mbarrier_at(b)) : "memory"); }
