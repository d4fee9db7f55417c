#pragma once
// nvcuda::wmma. Elements of a fragment lie where PTX's wmma instructions put them.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
namespace nvcuda {
namespace wmma {
struct row_major { static const int code = 0; };
struct col_major { static const int code = 1; };
struct matrix_a { static const int code = 0; };
struct matrix_b { static const int code = 1; };
struct accumulator { static const int code = 2; };
enum layout_t { mem_row_major, mem_col_major };
namespace precision { struct tf32 {}; }
namespace experimental {
namespace precision { struct u4; struct s4; struct b1; }
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}

namespace details {
// What a fragment has of a type, how that is stored, its number in the compiler's table, and how many share a word.
template <typename E, typename S, int number, int shared = 1> struct kind {
    typedef E type;
    typedef S storage;
    static const int code = number, packed = shared;
};
template <typename T> struct element;
template <> struct element<__half> : kind<__half, __half, 0> {};
template <> struct element<__nv_bfloat16> : kind<__nv_bfloat16, __nv_bfloat16, 1> {};
template <> struct element<precision::tf32> : kind<float, float, 2> {};
template <> struct element<float> : kind<float, float, 3> {};
template <> struct element<double> : kind<double, double, 4> {};
template <> struct element<signed char> : kind<signed char, signed char, 5> {};
template <> struct element<char> : kind<signed char, signed char, 5> {};
template <> struct element<unsigned char> : kind<unsigned char, unsigned char, 6> {};
template <> struct element<int> : kind<int, int, 7> {};
template <> struct element<experimental::precision::s4> : kind<experimental::precision::s4, int, 8, 8> {};
template <> struct element<experimental::precision::u4> : kind<experimental::precision::u4, unsigned int, 9, 8> {};
template <> struct element<experimental::precision::b1> : kind<experimental::precision::b1, unsigned int, 10, 32> {};
}

template <typename Use, int m, int n, int k, typename T, typename Layout = void> class fragment {
    static_assert((m == 16 && n == 16 && (k == 16 || k == 8)) || ((m == 32 && n == 8 || m == 8 && n == 32) && k == 16) || (m == 8 && n == 8 && (k == 4 || k == 32 || k == 128)), "wmma has no fragments of this shape");
public:
    typedef typename details::element<T>::type element_type;
    typedef typename details::element<T>::storage storage_element_type;
    static const int num_elements =
        Use::code == 2 ? m * n / 32 : details::element<T>::code == 0 ? 16 : Use::code == 0 ? m * k / 32 : n * k / 32;
    static const int num_storage_elements = num_elements / details::element<T>::packed;
    alignas(sizeof(storage_element_type) < 4 ? 4 : sizeof(storage_element_type)) storage_element_type x[num_storage_elements];
};

template <typename Use, int m, int n, int k, typename T, typename L, typename P>
__device__ void load_matrix_sync(fragment<Use, m, n, k, T, L> &f, const P *p, unsigned ldm) {
    __wmma_load(Use::code, m, n, k, details::element<T>::code, L::code, f.x, p, ldm);
}
template <int m, int n, int k, typename T, typename P>
__device__ void load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const P *p, unsigned ldm, layout_t layout) {
    if (layout == mem_row_major) __wmma_load(2, m, n, k, details::element<T>::code, 0, f.x, p, ldm);
    else __wmma_load(2, m, n, k, details::element<T>::code, 1, f.x, p, ldm);
}
template <int m, int n, int k, typename T, typename P>
__device__ void store_matrix_sync(P *p, const fragment<accumulator, m, n, k, T> &f, unsigned ldm, layout_t layout) {
    if (layout == mem_row_major) __wmma_store(m, n, k, details::element<T>::code, 0, f.x, p, ldm);
    else __wmma_store(m, n, k, details::element<T>::code, 1, f.x, p, ldm);
}
template <typename Use, int m, int n, int k, typename T, typename L, typename V>
__device__ void fill_fragment(fragment<Use, m, n, k, T, L> &f, const V &v) {
    if constexpr (details::element<T>::packed == 8) { for (auto &x : f.x) x = (v & 0xf) * 0x11111111u; }
    else if constexpr (details::element<T>::packed == 32) { for (auto &x : f.x) x = 0u - (v & 1); }
    else { for (int i = 0; i < f.num_elements; i++) f.x[i] = v; }
}
template <int m, int n, int k, typename D, typename T, typename LA, typename LB, typename C>
__device__ void mma_sync(fragment<accumulator, m, n, k, D> &d, const fragment<matrix_a, m, n, k, T, LA> &a,
                         const fragment<matrix_b, m, n, k, T, LB> &b, const fragment<accumulator, m, n, k, C> &c) {
    __wmma_mma(m, n, k, details::element<T>::code, details::element<D>::code, details::element<C>::code, LA::code, LB::code, 0, d.x, a.x, b.x, c.x);
}
template <int m, int n, int k, typename D, typename T, typename LA, typename LB, typename C>
__device__ void mma_sync(fragment<accumulator, m, n, k, D> &d, const fragment<matrix_a, m, n, k, T, LA> &a,
                         const fragment<matrix_b, m, n, k, T, LB> &b, const fragment<accumulator, m, n, k, C> &c, bool satf) {
    if (satf) __wmma_mma(m, n, k, details::element<T>::code, details::element<D>::code, details::element<C>::code, LA::code, LB::code, 1, d.x, a.x, b.x, c.x);
    else __wmma_mma(m, n, k, details::element<T>::code, details::element<D>::code, details::element<C>::code, LA::code, LB::code, 0, d.x, a.x, b.x, c.x);
}
template <typename LA, typename LB>
__device__ void bmma_sync(fragment<accumulator, 8, 8, 128, int> &d, const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, LA> &a,
                          const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, LB> &b, const fragment<accumulator, 8, 8, 128, int> &c,
                          experimental::bmmaBitOp op = experimental::bmmaBitOpXOR, experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
    if (op == experimental::bmmaBitOpXOR) __wmma_mma(8, 8, 128, 10, 7, 7, LA::code, LB::code, 2, d.x, a.x, b.x, c.x);
    else __wmma_mma(8, 8, 128, 10, 7, 7, LA::code, LB::code, 3, d.x, a.x, b.x, c.x);
}
__device__ inline float __float_to_tf32(float v) { float r; asm("{ .reg .b32 t; cvt.rna.tf32.f32 t, %1; mov.b32 %0, t; }" : "=f"(r) : "f"(v)); return r; }
}
}
