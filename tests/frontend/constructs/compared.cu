// `<` that compares within template arguments, `typename` before decltype and before templates, delegating with braces.
template <int a, int b> struct Ratio_ { static constexpr int num = a, den = b; using L = float; };
template <bool B> struct Bool_ { static constexpr bool value = B; };
template <int a, int b, int x, int y>
__host__ __device__ constexpr Bool_<Ratio_<a, b>::num * Ratio_<x, y>::den < Ratio_<x, y>::num * Ratio_<a, b>::den>
operator<(Ratio_<a, b> const &, Ratio_<x, y> const &) { return {}; }
template <int a, int b, int x, int y>
__host__ __device__ constexpr Bool_<(Ratio_<a, b>::num < Ratio_<x, y>::den)> below_(Ratio_<a, b> const &, Ratio_<x, y> const &) { return {}; }
template <int a, int b, int x, int y> constexpr bool less_v_ = Ratio_<a, b>::num * Ratio_<x, y>::den < Ratio_<x, y>::num * Ratio_<a, b>::den;
template <class T> __device__ auto number_(const T &x) { T r; using L = typename decltype(r)::L; L l = x.num; return l; }
template <class T> struct Holder_ { template <class U> struct In { U u; }; };
template <class T> __device__ int held_(typename Holder_<T>::In<int> b, T x) { typename Holder_<T>::template In<T> c{x}; return b.u < c.u; }
struct Span_ {
    __device__ constexpr Span_(int p) noexcept : Span_{p, p + 1} {}
    __device__ constexpr Span_(int b, int e) noexcept : begin{b}, end{e} {}
    int begin, end;
};
__global__ void compared_(float *o)
{
    Span_ s(o[1]);
    o[0] = decltype(Ratio_<1, 2>{} < Ratio_<3, 4>{})::value + less_v_<1, 2, 3, 4> + number_(Ratio_<5, 6>{}) + s.end;
    o[1] = held_<int>({2}, 3) + below_(Ratio_<1, 2>{}, Ratio_<3, 4>{}).value;
}
