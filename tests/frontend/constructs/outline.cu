template <typename T, int N> struct Mat_ {
    T d[N];
    __device__ Mat_(T v);
    __device__ T get(int i) const;
    __device__ Mat_ &add(const Mat_ &o);
    template <typename U> __device__ U as(int i);
    static __device__ int rows();
};
template <typename T, int N> __device__ Mat_<T, N>::Mat_(T v) { for (int i = 0; i < N; i++) d[i] = v; }
template <typename T, int N> __device__ T Mat_<T, N>::get(int i) const { return d[i]; }
template <typename T, int M> __device__ Mat_<T, M> &Mat_<T, M>::add(const Mat_<T, M> &o) { for (int i = 0; i < M; i++) d[i] += o.d[i]; return *this; }
template <typename T, int N> template <typename U> __device__ U Mat_<T, N>::as(int i) { return (U)d[i]; }
template <typename T, int N> __device__ int Mat_<T, N>::rows() { return N; }
struct Pl_ {
    int a;
    __device__ Pl_(int x);
    __device__ int f(int) const;
    struct In { int q; };
    __device__ In g(In i);
};
__device__ Pl_::Pl_(int x) : a(x) {}
__device__ int Pl_::f(int y) const { return a + y; }
__device__ Pl_::In Pl_::g(In i) { i.q += a; return i; }
__global__ void outline_kernel(float *o) {
    Mat_<float, 4> m(1.f), n(o[1]);
    m.add(n);
    o[0] = m.get(2) + m.as<int>(1) + Mat_<int, 7>::rows();
    Pl_ p(3);
    Pl_::In i{2};
    o[1] = p.f(1) + p.g(i).q;
}
// Member templates of explicit specialisations; what is static in the class is so outside of it.
template <int I> struct Get_ {
    template <typename T, typename R> static inline __device__ R of(const T &v);
};
template <> template <typename T, typename R> inline __device__ R Get_<0>::of(const T &v) { return v.x; }
template <> template <typename T, typename R> inline __device__ R Get_<1>::of(const T &v) { return v.y; }
template <class T> struct Maker_ { template <class U> __device__ static T of(U u); };
template <class T> template <class U> __device__ T Maker_<T>::of(U u) { return T(u) + 1; }
__global__ void outline_member_templates(float *o, float4 v)
{
    o[0] = Get_<0>::of<float4, float>(v) + Get_<1>::of<float4, float>(v) + Maker_<float>::of(3);
}
