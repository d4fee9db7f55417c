#pragma once
// mbarriers as C functions.
typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;
namespace details {
__device__ inline unsigned mbarrier_at(const __mbarrier_t *b) { return (unsigned)__cvta_generic_to_shared(b); }
}
__device__ inline unsigned __mbarrier_maximum_count() { return (1u << 14) - 1; }
__device__ inline void __mbarrier_init(__mbarrier_t *b, unsigned count) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(details::mbarrier_at(b)), "r"(count) : "memory"); }
__device__ inline void __mbarrier_inval(__mbarrier_t *b) { asm volatile("mbarrier.inval.shared.b64 [%0];" :: "r"(details::mbarrier_at(b)) : "memory"); }
__device__ inline __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *b) {
    __mbarrier_token_t t;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(t) : "r"(details::mbarrier_at(b)) : "memory");
    return t;
}
__device__ inline __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *b) {
    __mbarrier_token_t t;
    asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(t) : "r"(details::mbarrier_at(b)) : "memory");
    return t;
}
__device__ inline unsigned __mbarrier_token_pending_count(__mbarrier_token_t t) {
    unsigned n;
    asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(n) : "l"(t));
    return n;
}
__device__ inline bool __mbarrier_test_wait(__mbarrier_t *b, __mbarrier_token_t t) {
    unsigned r;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }" : "=r"(r) : "r"(details::mbarrier_at(b)), "l"(t) : "memory");
    return r != 0;
}
__device__ inline bool __mbarrier_test_wait_parity(__mbarrier_t *b, bool parity) {
    unsigned r;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }" : "=r"(r) : "r"(details::mbarrier_at(b)), "r"((unsigned)parity) : "memory");
    return r != 0;
}
#if __CUDA_ARCH__ >= 900
__device__ inline bool __mbarrier_try_wait(__mbarrier_t *b, __mbarrier_token_t t, unsigned nanoseconds) {
    unsigned r;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.shared.b64 p, [%1], %2, %3; selp.b32 %0, 1, 0, p; }" : "=r"(r) : "r"(details::mbarrier_at(b)), "l"(t), "r"(nanoseconds) : "memory");
    return r != 0;
}
__device__ inline bool __mbarrier_try_wait_parity(__mbarrier_t *b, bool parity, unsigned nanoseconds) {
    unsigned r;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2, %3; selp.b32 %0, 1, 0, p; }" : "=r"(r) : "r"(details::mbarrier_at(b)), "r"((unsigned)parity), "r"(nanoseconds) : "memory");
    return r != 0;
}
#else
__device__ inline bool __mbarrier_try_wait(__mbarrier_t *b, __mbarrier_token_t t, unsigned) { return __mbarrier_test_wait(b, t); }
__device__ inline bool __mbarrier_try_wait_parity(__mbarrier_t *b, bool parity, unsigned) { return __mbarrier_test_wait_parity(b, parity); }
#endif
