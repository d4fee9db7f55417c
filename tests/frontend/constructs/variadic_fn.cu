template <typename T> __device__ T sum_(T a) { return a; }
template <typename T, typename... R> __device__ T sum_(T a, R... r) { return a + sum_(r...); }
template <typename... Ts> __device__ int count_(Ts... ts) { return sizeof...(Ts) + sizeof...(ts); }
template <typename... Ts> __device__ float fold_(Ts... ts) { return (ts + ...) + (0.f + ... + ts) + (... * ts); }
template <int... N> struct Seq_ {};
template <int... N> __device__ int seqsum_(Seq_<N...>) { return (N + ... + 0); }
template <typename... Ts> __device__ void each_(Ts&&... ts) { ((ts += 1), ...); int a[] = {(int)ts...};  }
__global__ void variadic_fn_kernel(float *o, int n) {
    o[0] = sum_(1, 2, n) + count_(1, 2.f, n) + fold_(1.f, o[1], o[2]) + seqsum_(Seq_<1, 2, 3>{});
    float x = 1, y = 2;
    each_(x, y);
    o[3] = x + y;
}
