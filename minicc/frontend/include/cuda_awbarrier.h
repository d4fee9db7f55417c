#pragma once
// nvcuda::experimental::awbarrier, an mbarrier as a class.
#include <cuda_awbarrier_primitives.h>
namespace nvcuda {
namespace experimental {
class awbarrier {
    __mbarrier_t barrier;
    friend class pipeline;
    friend __device__ inline void init(awbarrier *b, unsigned count) { __mbarrier_init(&b->barrier, count); }
    friend __device__ inline void inval(awbarrier *b) { __mbarrier_inval(&b->barrier); }
public:
    class arrival_token {
        __mbarrier_token_t token;
        friend class awbarrier;
    public:
        __device__ unsigned pending_count() const { return __mbarrier_token_pending_count(token); }
    };
    awbarrier() = default;
    __device__ arrival_token arrive() { arrival_token t; t.token = __mbarrier_arrive(&barrier); return t; }
    __device__ arrival_token arrive_and_drop() { arrival_token t; t.token = __mbarrier_arrive_and_drop(&barrier); return t; }
    __device__ bool timed_wait(arrival_token t, unsigned cycles) {
        long long since = clock64();
        do
            if (__mbarrier_test_wait(&barrier, t.token)) return true;
        while (clock64() - since < cycles);
        return false;
    }
    __device__ bool timed_wait_parity(bool phase, unsigned cycles) {
        long long since = clock64();
        do
            if (__mbarrier_test_wait_parity(&barrier, phase)) return true;
        while (clock64() - since < cycles);
        return false;
    }
    __device__ void wait(arrival_token t) { while (!__mbarrier_test_wait(&barrier, t.token)) {} }
    __device__ void arrive_and_wait() { wait(arrive()); }
    __device__ bool try_wait(arrival_token t, unsigned nanoseconds) { return __mbarrier_try_wait(&barrier, t.token, nanoseconds); }
    __device__ bool try_wait_parity(bool phase, unsigned nanoseconds) { return __mbarrier_try_wait_parity(&barrier, phase, nanoseconds); }
    __host__ __device__ static constexpr unsigned max() { return (1u << 14) - 1; }
};
}
}
