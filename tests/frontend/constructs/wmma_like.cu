namespace wm_ {
    struct ma_;
    struct mb_;
    struct acc_;
    struct row_;
    struct col_;
    enum layout_t_ { mem_row, mem_col };
    template <typename T, int N, int P = N> struct __align__(8) base_ { T x[P]; static const int num_elements = N; };
    template <typename U, int m, int n, int k, typename T, typename L = void> class fragment;
    template <> class fragment<ma_, 16, 16, 16, float, row_> : public base_<float, 8> {};
    template <> class fragment<mb_, 16, 16, 16, float, col_> : public base_<float, 8> {};
    template <> class fragment<acc_, 16, 16, 16, float> : public base_<float, 8> {};
    template <typename F, typename V> __device__ void fill(F &f, const V &v) { for (int i = 0; i < f.num_elements; i++) f.x[i] = v; }
    __device__ inline void load(fragment<ma_, 16, 16, 16, float, row_> &a, const float *p, unsigned l) { a.x[0] = p[l]; }
    __device__ inline void load(fragment<mb_, 16, 16, 16, float, col_> &a, const float *p, unsigned l) { a.x[0] = p[2 * l]; }
}
using namespace wm_;
__global__ void wmma_like_kernel(float *o) {
    wm_::fragment<wm_::ma_, 16, 16, 16, float, wm_::row_> a;
    fragment<mb_, 16, 16, 16, float, col_> b;
    fragment<acc_, 16, 16, 16, float> c[2][2];
    fill(c[0][1], 0.f);
    load(a, o, 16);
    load(b, o, 16);
    for (int i = 0; i < c[0][1].num_elements; i++) o[i] = c[0][1].x[i] + a.x[0] * b.x[0];
}
