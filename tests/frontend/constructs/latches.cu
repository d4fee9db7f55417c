// libcu++'s latches and semaphores.
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/latch>
#include <cuda/std/semaphore>

using Latch = cuda::latch<cuda::thread_scope_block>;
using Four = cuda::counting_semaphore<cuda::thread_scope_device, 4>;
using One = cuda::binary_semaphore<cuda::thread_scope_block>;

__global__ void kernel(int *o, cuda::latch<cuda::thread_scope_device> *d, cuda::std::binary_semaphore *b) {
    __shared__ alignas(Latch) char latch_[sizeof(Latch)];
    __shared__ alignas(Four) char four_[sizeof(Four)];
    __shared__ alignas(One) char one_[sizeof(One)];
    Latch &latch = *(Latch *)latch_;
    Four &four = *(Four *)four_;
    One &one = *(One *)one_;
    if (threadIdx.x == 0) {
        new (&latch) Latch(blockDim.x);
        new (&four) Four(4);
        new (&one) One(1);
    }
    __syncthreads();
    latch.arrive_and_wait();
    o[threadIdx.x] = latch.try_wait();
    four.acquire();
    four.release(1);
    static_assert(sizeof(Latch) == 8 && sizeof(Four) == 8 && sizeof(One) == 4 && One::max() == 1);
    for (int i = 0; i < 32; i++)
        if ((threadIdx.x & 31) == i) {
            one.acquire();
            o[600]++;
            __threadfence_block();
            one.release();
        }
    d->count_down();
    if (b->try_acquire()) b->release();
}

__global__ void of_std(cuda::std::latch *l, cuda::std::counting_semaphore<> *s) {
    l->count_down(2);
    s->release();
    l->wait();
}
