namespace cg_ {
    namespace details {
        struct base_ { __device__ static unsigned rank() { return threadIdx.x; } };
        template <unsigned S> struct tile_base_ {
            __device__ unsigned size() const { return S; }
            static constexpr unsigned mask = S - 1;
        };
    }
    class thread_block_ : public details::base_ {
        friend __device__ thread_block_ this_block_();
        template <unsigned S, class P> friend class tile_;
        __device__ thread_block_() {}
        public: __device__ void sync() const { __syncthreads(); }
        __device__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    };
    __device__ thread_block_ this_block_() { return thread_block_(); }
    template <unsigned S, class P = void> class tile_ : public details::tile_base_<S> {
        public: __device__ tile_(const P &) {}
        __device__ unsigned thread_rank() const { return details::base_::rank() & details::tile_base_<S>::mask; }
        template <typename T> __device__ T shfl_down(T v, unsigned d) const { return __shfl_down_sync(0xffffffff, v, d, S); }
    };
    template <unsigned S, class P> __device__ tile_<S, P> tiled_partition_(const P &p) { return tile_<S, P>(p); }
    template <class G, class T, class Op> __device__ auto reduce_(const G &g, T v, Op op) -> T {
        for (unsigned i = g.size() / 2; i; i /= 2) v = op(v, g.shfl_down(v, i));
        return v;
    }
    template <typename T> struct plus_ {
        __device__ T operator()(const T &a, const T &b) const { return a + b; }
    };
}
namespace cgs_ = cg_;
using namespace cg_;
__global__ void cg_like_kernel(float *o) {
    auto b = cg_::this_block_();
    auto t = tiled_partition_<32>(b);
    cgs_::tile_<32, thread_block_> u = tiled_partition_<32>(b);
    o[0] = reduce_(t, o[threadIdx.x], plus_<float>()) + u.size() + t.thread_rank() + b.group_index().x + decltype(t)::mask;
    b.sync();
}
