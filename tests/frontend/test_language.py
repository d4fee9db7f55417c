"""What is accepted and what is rejected agrees with nvcc; accepted programs give IR that LLVM verifies."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from minicc import frontend
from minicc.diagnostics import CompileError, SourceFile
from minicc.frontend.builtins import table
from minicc.frontend.emit import builtins as emit_builtins
from minicc.frontend.options import Options
from tests.conftest import NVCC, needs_nvcc, nvcc_makes

ACCEPTED = {
    "cub_references": """#include <cub/block/block_reduce.cuh>
        struct md_ { float m, d; };
        struct mo_ { __device__ md_ operator()(md_ &a, md_ &b) { return {fmaxf(a.m, b.m), a.d + b.d}; } };
        __global__ void K(md_ *o) {
            using R = cub::BlockReduce<md_, 64>;
            __shared__ typename R::TempStorage s;
            o[0] = R(s).Reduce(o[threadIdx.x], mo_());
        }""",
    "assigned_once": """struct eI_ { unsigned char o; int v; };
        template <int N> struct eQ_ {
            eI_ i[N]{}; int n = 0;
            constexpr void put(int o, int v = 0) { i[n++] = {(unsigned char)o, v}; }
        };
        constexpr int ef_() { eQ_<8> p; p.put(1); p.put(2, 3); return p.n * 100 + p.i[1].v; }
        constexpr int eg_() {
            int a[6]{1, 2, 3, 4, 5, 6}, n = 0, *p = a, *q[2] = {a, a}, k = 0;
            a[n++] += 10; ++a[n++]; a[n++]--; (a[n++] = 7) += 2; *p++ += 1; int &r = a[n++] = 9; r++;
            ++q[k++]; q[k++] += 2;
            int s = a[0] + a[1] * 10 + a[2] * 100 + a[3] * 1000 + a[4];
            return n * 100000 + s + int(p - a) + k * 10 + int(q[0] - a) + int(q[1] - a) * 5;
        }
        static_assert(ef_() == 203); static_assert(eg_() == 509284);
        __global__ void K(int *o) { o[0] = 1; }""",
    "extern_within": """__device__ int xw_() {
            extern __device__ int xg_;
            extern __constant__ int xc_[3];
            return xg_ + xc_[1];
        }
        namespace xn_ { __device__ int f() { extern __device__ int xg_; return xg_; } __device__ int xg_ = 7; }
        __device__ int xg_ = 5; __constant__ int xc_[3] = {1, 2, 3};
        __global__ void K(int *o) { o[0] = xw_() + xn_::f(); }""",
    "constexpr_pointers": """typedef int (*pF_)(int);
        struct pS_ { pF_ f; int k; };
        constexpr __device__ int pa_(int x) { return x + 1; }
        constexpr __device__ int pb_(int x) { return x * 3; }
        constexpr __device__ int pick_(pF_ f, int x) { return !f ? 0 : f == pa_ ? f(x) : f != nullptr && f(x) ? 7 : 2; }
        constexpr __device__ int at_(const int *p) { return p ? *p : 5; }
        static_assert(pick_(pa_, 3) == 4); static_assert(pick_(pb_, 3) == 7); static_assert(pick_(nullptr, 3) == 0);
        static_assert(at_(nullptr) == 5);
        __device__ pS_ ps_ = {pb_, 3};
        __global__ void K(int *o) {
            constexpr pS_ t = {pa_, 4};
            constexpr int v = t.f(3) + t.k;
            static const pF_ u[2] = {pa_, pb_};
            pF_ w = u[o[2]];
            void *q = (void *)w;
            o[0] = w(v) + ps_.f(2) + (q != nullptr) + (w == pa_);
        }""",
    "constexpr_order": """struct oA_ { int x, y; };
        struct oV_ {
            int k;
            constexpr oV_ &operator+=(int o) { k = k * 10 + o; return *this; }
            constexpr int get(int o) { k = k * 10 + o; return k; }
        };
        constexpr oV_ &os_(oV_ &v, int o) { v.k = v.k * 10 + o; return v; }
        constexpr int oi_(oV_ &v, int o) { v.k = v.k * 10 + o; return o; }
        constexpr int oz_() { oA_ a{1, 2}, b{5, 6}; a = oA_{}; b = {}; return a.x + a.y + b.x + b.y; }
        constexpr int og_(int &x) { x *= 3; return x; }
        constexpr int oc_() {
            int x = 2, a[4] = {1, 2, 3, 4}, i = 0;
            x += og_(x); a[i] = i++; a[i] += ++i;
            return x * 1000 + a[0] + a[1] * 10 + a[2] * 100;
        }
        constexpr int oo_() { oV_ v{0}; os_(v, 1) += oi_(v, 2); os_(v, 4).get(oi_(v, 5)); return v.k; }
        constexpr int ot_(int (*f)(int), int x) { return f(f(x)); }
        constexpr int on_(int x) { return x + 1; }
        static_assert(oz_() == 0); static_assert(oc_() == 12501); static_assert(oo_() == 212455);
        static_assert(ot_(on_, 3) + ot_([](int x) { return x * 5; }, 2) == 55);
        __global__ void K(int *o) { o[0] = 1; }""",
    "constexpr_closures": """constexpr int cl_(int n) {
            auto twice = [](int k) { return 2 * k; };
            auto add = [&](int k) -> int { n += k; return n; };
            int a = twice(add(3));
            return a + n;
        }
        static_assert(cl_(4) == 21);
        constexpr int clA_ = cl_(5);
        static_assert(clA_ == 24);
        __global__ void K(int *o) { o[0] = clA_; }""",
    "constexpr_elsewhere": """constexpr int hsq_(int a) { return a * a; }
        struct hM_ { int a = hsq_(3); };
        template <int N> struct hQ_ { static constexpr int n = hsq_(N); };
        constexpr int hG_ = hsq_(4);
        __device__ int hf_(int a = hsq_(2)) { return a; }
        template <class T> __device__ T never_(T a) { return hsq_(a); }
        __global__ void K(int *o) {
            hM_ m;
            decltype(hsq_(2)) s = sizeof(hsq_(2));
            if constexpr (false) s = hsq_(s);
            o[0] = m.a + hQ_<4>::n + hG_ + hf_() + s;
        }""",
    "not_deduced": """template <class T> struct ndI_ { using type = T; };
        template <class T> __device__ T ndF_(T a, typename ndI_<T>::type b, typename ndI_<T>::type *c = nullptr) {
            return a + b + (c ? *c : T(0));
        }
        template <class T, class R> __device__ R ndG_(T a, R (*f)(T), typename ndI_<R>::type x) { return f(a) + x; }
        __device__ float ndH_(int a) { return 2.f * a; }
        __global__ void K(float *p, int *q) {
            p[0] = ndF_(1.5f, 2) + ndF_(2.f, 3, nullptr) + ndF_(p[1], q[1], p) + ndG_(3, ndH_, 'a');
        }""",
    "overloads_of_classes": """struct ocA_ { int v; }; struct ocB_ { int v; }; struct ocD_ : ocB_ {};
        struct ocC_ { int v; __device__ ocC_(ocA_ a) : v(a.v) {} };
        struct ocT_ { int v; operator ocB_() const; };
        struct ocM_ { int v; template <class T> __device__ ocM_(T a) : v(a.v) {} };
        struct ocO_ { int v; __device__ operator ocA_() const { return {v}; } };
        __device__ int ocF_(ocA_ a) { return 1; }
        __device__ float ocF_(ocB_ a) { return 2; }
        __device__ char ocG_(ocC_ a) { return 1; }
        __device__ double ocG_(ocB_ a) { return 2; }
        __device__ int ocH_(ocM_ a) { return 1; }
        __device__ int ocH_(ocC_ a, int = 0) = delete;
        namespace ocN_ { struct E { int v; }; __device__ short ocF_(E e) { return 3; } }
        using ocN_::ocF_;
        template <class A, class B> struct ocS_; template <class A> struct ocS_<A, A> {};
        ocS_<decltype(ocF_(ocA_{})), int> oc0_;
        ocS_<decltype(ocF_(ocD_{})), float> oc1_;
        ocS_<decltype(ocG_(ocA_{})), char> oc2_;
        ocS_<decltype(ocG_(ocD_{})), double> oc3_;
        ocS_<decltype(ocF_(ocO_{})), int> oc4_;
        ocS_<decltype(ocF_(ocN_::E{})), short> oc5_;
        __global__ void K(int *o) { o[0] = ocF_(ocA_{}) + ocG_(ocA_{}) + ocH_(ocB_{}) + ocF_(ocN_::E{}); }""",
    "alternatives": """%:define ROW <:4:>
        #define alO_(op) __device__ int al_##op(int a, int b) { return a op b + sizeof(#op); } int al##op##_;
        alO_(xor) alO_(bitor) alO_(and)
        struct alM_ <% int x ROW; %>;
        template <class T> struct alT_ {};
        __global__ void K(int *o, alT_<::alM_> *p) <%
            bool a = o[0] and not o[1] or o[2] bitand 3 and compl o[3] xor o[4] bitor o[5], b = a not_eq true;
            o[0] and_eq 7; o[1] or_eq 8; o<:2:> xor_eq 9;
            alM_ m = <%<%1, 2, 3, 4%>%>; o[3] = m.x<:2:> + b + al_xor(o[3], al_and(b, al_bitor(o[1], o[2])));
        %>""",
    "bracketed": """__device__ int brF_(int ((row)), int (*((p))), float (((a))[3]), int (f)(int), int (&(r))) {
            return row + *p + (int)a[1] + f(r);
        }
        template <typename T> __device__ T brT_(T ((t)), int (n) = 3) { return t + n; }
        __global__ void K(int ((row)), int *(o), int ((*(q)))) {
            float x[3] = {1, 2, 3}; int ((z)) = 4; int (*(pf))(int, int) = nullptr;
            auto l = [](int ((v))) { return v; };
            o[0] = brF_(row, q, x, [](int w) { return w; }, z) + (pf == nullptr) + brT_(3) + l(2) + int(z) + int((z));
        }""",
    "naming_class": """struct ncA_ { protected: int p; };
        struct ncB_ : ncA_ { struct In_ { __device__ int up(const ncB_ &b) const { return b.p; } }; };
        struct ncC_ : private ncB_ {
            __device__ int f() const { return p + In_{}.up(*this); }
            friend __device__ int ncF_(const ncC_ &);
        };
        __device__ int ncF_(const ncC_ &c) { return c.p; }
        __global__ void K(int *o) { ncC_ c; o[0] = c.f() + ncF_(c); }""",
    "qualified_members": """struct qmA_ {
            __device__ int g() & { return 1; }
            __device__ int g() const & { return 2; }
            __device__ int h() { return 3; }
            __device__ int h() const { return 4; }
        };
        __global__ void K(int *o) {
            qmA_ a; int (qmA_::*p)() & = &qmA_::g; int (qmA_::*q)() const & = &qmA_::g;
            int (qmA_::*r)() const = &qmA_::h;
            o[0] = (a.*p)() + (a.*q)() + (a.*r)();
        }""",
    "host_calls": "int only_host_(int); struct H_ { int m; H_() : m(3) {} }; __host__ __device__ int both_(int a) { if (a > 5) { H_ h; return only_host_(a) + h.m; } return a; } __global__ void K(int *o) { o[0] = both_(o[1]); }",  # noqa: E501
    "file_asm": "__asm__(\".symver expf,expf@GLIBC_2.2.5\"); typedef struct __builtin_align__(32) asmw_ { uint4 a, b; } asmw_; __global__ void K(asmw_ *p, double_t d) { p->a.x = alignof(asmw_) + (int)d; }",  # noqa: E501
    "unread_heads": "#include <sstream>\n#include <memory>\nnamespace k_ { template <class T> __global__ void q_(T *) {} std::ostringstream f_(std::shared_ptr<int> c, int32_t size); class nA_; struct nA_ { int32_t x; }; } __global__ void K(k_::nA_ *p) { p->x = 1; }",  # noqa: E501
    "constants": "#include <math_constants.h>\n__global__ void K(double *o, float *f) { o[0] = CUDART_SQRT_2PI * CUDART_LN2_HI + CUDART_LN2_LO + CUDART_THIRD + CUDART_2_OVER_PI; f[0] = CUDART_LNPI_F + CUDART_TWO_TO_23_F; }",  # noqa: E501
    "cccl_halves": "#include <cooperative_groups/reduce.h>\n#include <thrust/complex.h>\n__global__ void K(half2 *o, __nv_bfloat16 *b, __nv_fp8_e4m3 *f, uint8_t *u) { o[0] = o[1]; b[0] = b[1]; f[0] = f[1]; u[0] = 1; }",  # noqa: E501
    "cccl_cfloat": "#include <cuda/std/array>\n__global__ void K(float *o) { o[0] = -FLT_MAX; o[1] = DBL_EPSILON; o[2] = __FLT_MAX__ - __DBL_MIN_EXP__ * __INT_MAX__; }",  # noqa: E501
    "narrowed": "struct nA_ { int a; }; __global__ void K(int *o, double d, long l) { int a{d}; nA_ b{l}; short c[2] = {o[0], o[1]}; o[0] = a + b.a + c[1]; }",  # noqa: E501
    "promotions": "__global__ void K(int *o, char a, unsigned short b, bool c) { o[0] = a + b; o[1] = -b; o[2] = ~c + c; o[3] = a << b; }",  # noqa: E501
    "mixed": "__global__ void K(double *o, int a, unsigned b, float f, long long l) { o[0] = a + b; o[1] = f * l; o[2] = a / 2.0f; o[3] = b - l; }",  # noqa: E501
    "pointers": "__global__ void K(const int *p, int **q, void *v) { const int *e = p + 3; *q = (int *)v + (e - p); if (!v || e == nullptr || e > p) **q = e[-1] + 2[p]; }",  # noqa: E501
    "array_pointer": "template <typename T, int N> __device__ int row_(const T (*const p)[N], int i) { return p[i][N - 1]; } __global__ void K(int (*m)[4], int i) { m[2][0] = row_(m, i); int a[3][4] = {{1, 2}, {3}}; m[i][1] = a[i][2]; int (*r)[4] = a; r[1][2] = 5; m[0][0] = (*r)[i]; }",  # noqa: E501
    "structs": "struct S_ { int a; struct { float x[2]; } in; unsigned b : 3, c : 7; }; __global__ void K(S_ s, S_ *p) { S_ t = s, u = {1, {{2.f, 3.f}}, 2, 100}; t.in.x[1] = u.c; p[0] = t; p[1] = u; p->b += 9; p->c++; (*p).a = sizeof(S_); }",  # noqa: E501
    "union": "union U_ { float f; unsigned u; unsigned char b[4]; }; __global__ void K(float *o) { U_ u; u.f = o[0]; u.u ^= 1u << 31; o[1] = u.f; o[2] = u.b[3]; U_ w = u; o[3] = w.f; }",  # noqa: E501
    "enums": "enum E_ { EA_, EB_ = 7, EC_ }; enum class F_ : short { X, Y = -1 }; __global__ void K(int *o, E_ e, F_ f) { o[0] = e + EC_; o[1] = f == F_::Y; o[2] = (int)f; switch (e) { case EA_: o[3] = 1; break; case EB_: o[3] = 2; default:; } }",  # noqa: E501
    "control": "__global__ void K(int *o, int n) { int i = 0; while (int k = n - i) { if (k == 3) { i++; continue; } i += 2; if (i > n) break; } do { --i; } while (i > 0); for (int a = 0, b = n; a < b; a++, b--) o[a] = b; again: if (++i < 5) goto again; switch (i) { case 1: case 2: o[0] = 1; case 3: o[1] = 2; break; default: { o[2] = 3; } } o[3] = i; }",  # noqa: E501
    "references": "__device__ void swap_(int &a, int &b) { int t = a; a = b; b = t; } __device__ const int &pick_(const int &a, const int &b, bool c) { return c ? a : b; } __global__ void K(int *o) { int &r = o[0]; const int &c = 5; swap_(r, o[1]); r += c; (r = 3) += 1; ++(++r); o[2] = pick_(o[0], 4, o[1]); }",  # noqa: E501
    "overloads": "__device__ int f_(int) { return 1; } __device__ int f_(float) { return 2; } __device__ int f_(double) { return 3; } __device__ int f_(const char *) { return 4; } __device__ int f_(unsigned long long) { return 5; } __global__ void K(int *o, short s, size_t z) { o[0] = f_(s); o[1] = f_(1.f); o[2] = f_(1.); o[3] = f_(\"x\"); o[4] = f_(1ull); o[5] = f_('c'); }",  # noqa: E501
    "defaults": "__device__ int g_(int a, int b = 2, int c = 3) { return a + b * c; } __global__ void K(int *o) { o[0] = g_(1); o[1] = g_(1, 5); o[2] = g_(1, 2, 3); }",  # noqa: E501
    "templates": "template <typename T> __device__ T sq_(T x) { return x * x; } template <int N, class T> __device__ T sum_(const T (&a)[N]) { T s = 0; for (int i = 0; i < N; i++) s += a[i]; return s; } template <> __device__ int sq_<int>(int x) { return 7; } __global__ void K(float *o, int n) { int a[3] = {1, 2, n}; o[0] = sq_(2.f) + sq_(n) + sq_<double>(n); o[1] = sum_(a); }",  # noqa: E501
    "class_templates": "template <typename T, int N = 4> struct V_ { T d[N]; __device__ T &operator[](int i) { return d[i]; } __device__ T sum() const { T s = T(); for (int i = 0; i < N; ++i) s += d[i]; return s; } static constexpr int size = N; }; __global__ void K(float *o) { V_<float> v; V_<int, 2> w = {{1, 2}}; v[0] = v[1] = v[2] = v[3] = o[0]; o[1] = v.sum() + w.sum() + V_<int, 9>::size; }",  # noqa: E501
    "constructors": "struct C_ { float re, im; __device__ C_(float r = 0.f, float i = 0.f) : re(r), im(i) {} __device__ C_ operator*(const C_ &o) const { return C_(re * o.re - im * o.im, re * o.im + im * o.re); } __device__ C_ &operator+=(const C_ &o) { re += o.re; im += o.im; return *this; } __device__ float norm() const { return re * re + im * im; } }; __device__ C_ operator+(const C_ &a, const C_ &b) { return C_(a.re + b.re, a.im + b.im); } __global__ void K(float *o) { C_ z(o[0], o[1]), c = 2.f, w; for (int i = 0; i < 3; i++) z = z * z + c; w += z; o[2] = w.norm(); C_ a[2]; o[3] = a[1].re; }",  # noqa: E501
    "vectors": "__device__ float4 operator*(float s, float4 v) { return make_float4(s * v.x, s * v.y, s * v.z, s * v.w); } __global__ void K(float4 *p, uchar4 *q, double2 d, int3 i) { float4 v = 2.f * p[0]; v.x += d.y; p[1] = v; q->w = i.z; uint3 t = threadIdx; dim3 g(1, t.y); p[2] = float4{1.f, 2.f, (float)g.z, 4.f}; p[3].x = blockDim.x * gridDim.y; }",  # noqa: E501
    "shared": "extern __shared__ float dyn_[]; __global__ void K(float *o, int n) { __shared__ double s[8][9]; __shared__ struct { int a; float b; } st; int *part = (int *)&dyn_[n]; s[threadIdx.x & 7][threadIdx.y] = o[0]; st.a = n; part[1] = 2; __syncthreads(); o[1] = s[1][2] + st.a + part[0]; }",  # noqa: E501
    "globals": "__constant__ float ct_[2][3] = {{1, 2, 3}, {4.5f}}; __device__ int counter_ = 3; __device__ float tab_[16]; __constant__ int *ptr_; static __device__ unsigned st_ = ~0u; const int HOSTC_ = 42; constexpr float PI_ = 3.14f; __global__ void K(float *o, int i) { o[0] = ct_[i][1] + counter_++ + tab_[i] * PI_ + HOSTC_; atomicAdd(&st_, 1u); o[1] = *ptr_; }",  # noqa: E501
    "strings": "struct Row_ { const char *n; int v; }; __constant__ const char *const names_[] = {\"one\", \"two\"}; __device__ const char *word_ = \"hello\"; __constant__ Row_ rows_[] = {{\"a\", 1}, {\"b\", 2}}; __global__ void K(int *o, int n) { o[0] = names_[n][1] + word_[n] + rows_[n].n[0] + rows_[n].v; }",  # noqa: E501
    "static_local": "__device__ int next_() { static int n = 10; return n++; } __global__ void K(int *o) { static const int t[3] = {1, 2, 3}; o[0] = next_() + t[o[1]]; }",  # noqa: E501
    "warp": "__global__ void K(int *o, float f, double d, long long l) { unsigned m = __activemask(); o[0] = __shfl_sync(m, o[0], 0) + __shfl_up_sync(m, f, 1) + __shfl_down_sync(m, d, 2, 16) + __shfl_xor_sync(m, l, 4); o[1] = __ballot_sync(m, o[0] > 0) + __any_sync(m, 1) + __all_sync(m, 0); int p; o[2] = __match_any_sync(m, 5) + __match_all_sync(m, l, &p) + p; o[3] = __reduce_add_sync(m, 1u) + __reduce_min_sync(m, -1); __syncwarp(); o[4] = __syncthreads_count(1) + __syncthreads_and(o[1]) + __syncthreads_or(0); }",  # noqa: E501
    "atomics": "__global__ void K(int *i, unsigned *u, unsigned long long *l, float *f, double *d) { atomicAdd(i, 1); atomicAdd(u, 2u); atomicAdd(l, 3ull); atomicAdd(f, 1.f); atomicAdd(d, 1.0); atomicSub(i, 1); atomicMin(i, 4); atomicMax(u, 5u); atomicMin(l, 2ull); atomicInc(u, 7); atomicDec(u, 8); *i = atomicExch(i, 3) + atomicCAS(i, 1, 2); *l = atomicCAS(l, 1ull, 2ull); atomicAnd(u, 1u); atomicOr(i, 2); atomicXor(l, 9ull); atomicAdd_block(i, 1); atomicAdd_system(f, 2.f); }",  # noqa: E501
    "bits": "__global__ void K(int *o, unsigned a, unsigned long long b) { o[0] = __popc(a) + __popcll(b) + __clz(o[0]) + __clzll(b) + __ffs(a) + __ffsll(b); o[1] = __brev(a) + __byte_perm(a, 3, 0x1230) + __funnelshift_l(a, 1, 5) + __funnelshift_rc(a, 2, 6); o[2] = __umulhi(a, 3) + __mulhi(o[0], 5) + __umul64hi(b, b) + __mul24(o[0], 3); o[3] = __sad(1, o[0], a) + __usad(a, 1, 2) + __hadd(o[0], 1) + __brevll(b) + __dp4a(o[1], o[2], 3); }",  # noqa: E501
    "math": "__global__ void K(float *f, double *d, int n) { f[0] = sqrtf(f[1]) + expf(f[2]) + sinf(f[3]) + powf(f[4], 2.f) + fabsf(f[5]) + floorf(f[6]) + fminf(f[7], 1.f) + rsqrtf(f[8]) + __expf(f[9]) + __fdividef(1.f, f[10]) + fmaf(f[1], f[2], f[3]) + tanhf(f[1]) + erff(f[2]); d[0] = sqrt(d[1]) + exp(d[2]) + sin(d[3]) + pow(d[4], 2.0) + pow(d[5], n) + floor(d[6]) + fmax(d[7], 1.0) + log(d[8]) + fma(d[1], d[2], d[3]) + atan2(d[1], d[2]); f[1] = sqrt(f[1]) + exp(f[1]) + min(n, 3) + max(f[1], f[2]) + abs(n) + isnan(f[2]) + __fadd_rn(f[1], f[2]) + __fmul_rz(f[1], f[2]) + __float2int_rn(f[3]) + __int_as_float(n) + __double2float_rd(d[1]); float s, c; sincosf(f[1], &s, &c); f[2] = s * c + INFINITY + fmodf(s, c) + ldexpf(s, n) + roundf(s); }",  # noqa: E501
    "asm": 'struct A_ { int x; }; __global__ void K(unsigned *o, unsigned long long p, float f, double d, short h) { unsigned r, a = 5; asm volatile("mov.u32 %0, %%laneid;" : "=r"(r)); asm("add.u32 %0, %1, %2;" : "=r"(a) : "r"(r), "n"(7)); asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "r"(a) : "memory"); asm("fma.rn.f32 %0, %0, %1, %0;" : "+f"(f) : "f"(2.f)); asm("mov.b64 {%0, %1}, %2;" : "=r"(a), "=r"(r) : "l"(p)); asm("add.f64 %0, %0, %0;" : "+d"(d)); asm volatile("st.global.u32 [%0], %1;" ::"l"(o), "r"(a) : "memory"); asm("add.s16 %0, %0, 1;" : "+h"(h)); o[1] = a + r + f + d + h; }',  # noqa: E501
    "printf": '#include <cstdio>\n#include <cassert>\n__global__ void K(int n, float f, const char *s, long long l) { printf("plain\\n"); printf("%d %f %s %lld %c\\n", n, f, s, l, \'x\'); assert(n > 0 && "positive"); if (n < 0) __trap(); }',  # noqa: E501
    "macros": "#define CAT_(a, b) a##b\n#define STR_(x) #x\n#define MAX_(a, b) ((a) > (b) ? (a) : (b))\n#define VA_(f, ...) f(__VA_ARGS__)\n#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700\n#define ARCH_ 1\n#else\n#define ARCH_ 0\n#endif\n__device__ int h_(int a, int b) { return a * b; } __global__ void K(int *o) { int CAT_(va, r) = 1; o[0] = var + MAX_(2, 3) + VA_(h_, 4, 5) + sizeof(STR_(a b)) + ARCH_ + __LINE__; }",  # noqa: E501
    "pragmas": "__global__ void __launch_bounds__(128, 4) K(float *o, int n) {\n#pragma unroll\nfor (int i = 0; i < 4; i++) o[i] += 1;\n#pragma unroll 2\nfor (int i = 0; i < n; i++) o[i] *= 2;\n#pragma unroll 1\nfor (int i = 0; i < n; i++) o[i] -= 2; }",  # noqa: E501
    "namespaces": "namespace n_ { namespace m_ { __device__ int f(int a) { return a; } struct T { int v; __device__ int get() const { return v; } }; } using m_::f; } using namespace n_; __global__ void K(int *o) { m_::T t{3}; o[0] = n_::f(1) + f(2) + ::n_::m_::f(3) + t.get(); }",  # noqa: E501
    "constexpr": "constexpr __host__ __device__ int fib_(int n) { int a = 0, b = 1; for (int i = 0; i < n; i++) { int t = a + b; a = b; b = t; } return a; } static_assert(fib_(10) == 55, \"fib\"); template <int N> __device__ int tf_() { if constexpr (N > 3) return N; else return tf_<N + 1>(); } __global__ void K(int *o) { int a[fib_(6)]; a[0] = tf_<1>(); o[0] = a[0] + sizeof(a); }",  # noqa: E501
    "recursion": "__device__ int fact_(int n) { return n < 2 ? 1 : n * fact_(n - 1); } __device__ int odd_(int); __device__ int even_(int n) { return n == 0 ? 1 : odd_(n - 1); } __device__ int odd_(int n) { return n == 0 ? 0 : even_(n - 1); } __global__ void K(int *o) { o[0] = fact_(o[1]) + even_(o[2]); }",  # noqa: E501
    "typedefs": "typedef unsigned int u32_; typedef float mat_[4][4]; using f2_ = float2; typedef struct { int a, b; } pair_; __global__ void K(u32_ *o, f2_ v) { mat_ m; m[1][2] = v.x; pair_ p = {1, 2}; decltype(v.x) q = m[1][2]; auto z = p.a + q; o[0] = (u32_)z; }",  # noqa: E501
    "literals": "__global__ void K(unsigned long long *o, float *f) { o[0] = 0xffffffff + 010 + 0b101 + 1'000'000 + 'a' + '\\n' + '\\x41' + 0xFFFFFFFFFFull + 3000000000; f[0] = 1e-3f + .5f + 1.f + 0x1p-3f + 1E+2; f[1] = 16777217.0f; o[1] = sizeof(0xffffffff) + sizeof(2147483648) + sizeof('a') + sizeof(1.0f) + sizeof(\"abc\"); }",  # noqa: E501
    "comma_cond": "__global__ void K(int *o, bool b) { int x = (o[0]++, o[1]); int y = b ? x : o[2]; (b ? x : y) = 4; o[3] = x, o[4] = y; o[5] = b && x || !y; long z = b ? 1 : 2L; o[6] = z; const int *p = b ? o : nullptr; o[7] = p ? *p : 0; }",  # noqa: E501
    "volatile": "__global__ void K(volatile int *v, volatile float *f) { *v = *v + 1; v[1] |= 4; f[0] += v[2]; __threadfence(); __threadfence_block(); __threadfence_system(); }",  # noqa: E501
    "cast_styles": "__global__ void K(int *o, float f, void *p, const int *c) { o[0] = static_cast<int>(f) + *reinterpret_cast<int *>(p) + *const_cast<int *>(c) + int(f) + (int)(unsigned char)f + *(unsigned *)&f + float(3) + (long)p; double d = double(f); o[1] = bool(d); }",  # noqa: E501
    "ldg": "__global__ void K(const float4 *__restrict__ a, float *o, const unsigned char *b) { float4 v = __ldg(a + 1); o[0] = v.x + v.w + __ldg(b) + __ldcg(o + 3); __stcs(o + 1, 2.f); __stcg((float4 *)o, v); }",  # noqa: E501
    "inherit": "struct B_ { int a; __device__ int geta() const { return a; } }; struct D_ : public B_ { float b = 2.f; __device__ D_(int x) { a = x; } }; __global__ void K(float *o) { D_ d(3); B_ &r = d; o[0] = d.geta() + d.b + r.a + sizeof(D_); }",  # noqa: E501
    "default_members": "struct M_ { int a = 4; float v[2] = {1.f, 2.f}; }; __global__ void K(float *o) { M_ m; M_ n{}; m.a += n.v[1]; o[0] = m.a; }",  # noqa: E501
    "functor": "struct Add_ { template <typename T> __device__ T operator()(T a, T b) const { return a + b; } }; template <typename F> __device__ float red_(const float *p, int n, F f) { float s = p[0]; for (int i = 1; i < n; i++) s = f(s, p[i]); return s; } __global__ void K(float *o) { o[0] = red_(o, 4, Add_()); Add_ a; o[1] = a(1.f, 2.f); }",  # noqa: E501
    "init_if": "__global__ void K(int *o) { if (int v = o[0]; v > 3) o[1] = v; switch (int k = o[2]) { case 0: o[3] = k; } }",  # noqa: E501
    "overload_types": "__device__ int w_(float); __device__ short w_(double); __device__ char w_(int); __global__ void K(float f, double d, int i) { static_assert(sizeof(w_(pow(f, 2))) == 2, \"\"); static_assert(sizeof(w_(pow(f, 2.f))) == 4, \"\"); static_assert(sizeof(w_(sqrt(i))) == 2 && sizeof(w_(abs(f))) == 4 && sizeof(w_(fmin(f, i))) == 2 && sizeof(w_(max(f, d))) == 2 && sizeof(w_(fabs(f))) == 4 && sizeof(w_(atan2(f, d))) == 2 && sizeof(w_(fmod(f, 2))) == 2 && sizeof(w_(floor(f))) == 4 && sizeof(w_(abs(i))) == 1, \"\"); }",  # noqa: E501
    "old_ptr": "__global__ void K(char *a, short *b, long n) { for (char *p = a, *e = a + n; p != e; ++p) *p = (char)(*p + 1); *b++ = 3; *--b = 4; b[n] <<= 2; a[1] /= 3; a[2] %= 5; b[1] = -b[2]; }",  # noqa: E501
}  # fmt: skip

REJECTED = {
    "undeclared": ("__global__ void k(int *o) { o[0] = missing; }", "use of undeclared identifier 'missing'"),
    "no_semicolon": ("__global__ void k(int *o) { o[0] = 1 }", "expected ';' after expression"),
    "no_match": ("__device__ int f(int a) { return a; } __global__ void k(int *o) { o[0] = f(1, 2); }", "no matching function for call to 'f'"),  # noqa: E501
    "bad_types": ("struct S { int a; }; __global__ void k(int *o, S s) { o[0] = s + 1; }", "invalid operands to binary expression"),  # noqa: E501
    "const_assign": ("__global__ void k(const int *o) { o[0] = 1; }", "not assignable"),
    "const_variable": ("__global__ void k(int *o) { const int c = 1; c = 2; }", "cannot assign to variable 'c' with const-qualified type 'const int'"),  # noqa: E501
    "no_member": ("struct S { int a; }; __global__ void k(S s, int *o) { o[0] = s.b; }", "no member named 'b' in 'S'"),
    "dot_pointer": ("struct S { int a; }; __global__ void k(S *s) { s.a = 1; }", "did you mean to use '->'?"),
    "pointer_mismatch": ("__global__ void k(float *f) { int *p = f; p[0] = 1; }", "cannot initialize a variable of type 'int *'"),  # noqa: E501
    "int_to_pointer": ("__global__ void k(int *p) { p = 5; }", "assigning to 'int *' from incompatible type 'int'"),
    "kernel_returns": ("__global__ int k() { return 1; }", "must have void return type"),
    "break_outside": ("__global__ void k() { break; }", "'break' statement not in loop or switch statement"),
    "continue_outside": ("__global__ void k(int n) { switch (n) { case 1: continue; } }", "'continue' statement not in loop statement"),  # noqa: E501
    "void_value": ("__device__ void f() {} __global__ void k(int *o) { o[0] = f(); }", "incompatible type 'void'"),
    "redefinition": ("__global__ void k() { int a; float a; }", "redefinition of 'a'"),
    "redefined_function": ("__device__ int f() { return 1; } __device__ int f() { return 2; } __global__ void k() {}", "redefinition of 'f'"),  # noqa: E501
    "duplicate_case": ("__global__ void k(int n) { switch (n) { case 1: break; case 1: break; } }", "duplicate case value '1'"),  # noqa: E501
    "label": ("__global__ void k() { goto nowhere; }", "use of undeclared label 'nowhere'"),
    "lvalue": ("__global__ void k(int a) { a + 1 = 2; }", "expression is not assignable"),
    "deref_int": ("__global__ void k(int a) { *a = 2; }", "indirection requires pointer operand"),
    "subscript": ("__global__ void k(int a) { a[1] = 2; }", "subscripted value is not an array, pointer, or vector"),
    "float_mod": ("__global__ void k(float *a) { a[0] = a[1] % 2; }", "invalid operands to binary expression"),
    "too_many_init": ("__global__ void k() { int a[2] = {1, 2, 3}; }", "excess elements in array initializer"),
    "narrowed_value": ("struct A_ { int a; double b; }; __global__ void k(A_ *p, double d) { *p = {d, 1}; }", "cannot be narrowed"),  # noqa: E501
    "new_many": ("__global__ void k(int **p) { *p = new int[3](4); }", "array 'new' cannot have initialization arguments"),  # noqa: E501
    "narrowing": ("__device__ int k(float f) { return {f}; }", "cannot be narrowed"),
    "shared_init": ("__global__ void k() { __shared__ int a = 3; }", "initialization is not supported for __shared__ variables"),  # noqa: E501
    "vla": ("__global__ void k(int n) { int a[n]; a[0] = 1; }", "cannot use variable-length arrays"),
    "host_call": ("__host__ int h(int a); __global__ void k(int *o) { o[0] = h(1); }", "reference to __host__ function 'h'"),  # noqa: E501
    "static_assert": ("static_assert(sizeof(int) == 8, \"size\"); __global__ void k() {}", "static assertion failed: size"),  # noqa: E501
    "unknown_type": ("__global__ void k(foo_t *p) {}", "unknown type name 'foo_t'"),
    "stdint": ("__global__ void k(uint32_t *p) {}", "unknown type name 'uint32_t'"),
    "error_directive": ("#error no good\n__global__ void k() {}", "no good"),
    "bad_directive": ("#if 1\n__global__ void k() {}", "unterminated conditional directive"),
    "missing_include": ("#include \"nowhere.h\"\n__global__ void k() {}", "'nowhere.h' file not found"),
    "missing_brace": ("__global__ void k(int *o) { o[0] = 1;", "expected '}'"),
    "ambiguous": ("__device__ int f(long a) { return 1; } __device__ int f(unsigned a) { return 2; } __global__ void k(int *o) { o[0] = f(1); }", "call to 'f' is ambiguous"),  # noqa: E501
    "ref_binding": ("__device__ void f(int &a) {} __global__ void k() { f(1); }", "no matching function for call to 'f'"),  # noqa: E501
    "bad_reference": ("__global__ void k() { int &r = 3; r = 1; }", "cannot bind to a temporary of type 'int'"),
    "incomplete": ("struct S; __global__ void k() { S s; }", "incomplete type 'S'"),
    "return_value": ("__device__ void f() { return 1; } __global__ void k() { f(); }", "should not return a value"),
    "macro_arity": ("#define M(a, b) a\n__global__ void k(int *o) { o[0] = M(1); }", "too few arguments provided to function-like macro invocation"),  # noqa: E501
}  # fmt: skip


def compile_text(text: str, **options: object) -> tuple[str, Options]:
    opts = Options(**options)  # type: ignore[arg-type]
    return frontend.compile(SourceFile("t.k", text), opts), opts


@pytest.mark.parametrize("name", ACCEPTED)
@pytest.mark.parametrize("options", [{}, {"fast_math": True, "debug": "lineinfo"}], ids=["plain", "fast"])
def test_accepted(name: str, options: dict[str, object]) -> None:
    ir, _ = compile_text(ACCEPTED[name].replace("K(", f"k_{name}("), **options)
    module = llvm.parse_assembly(ir)
    module.verify()
    assert f"k_{name}" in ir


@pytest.mark.parametrize("name", REJECTED)
def test_rejected(name: str) -> None:
    text, message = REJECTED[name]
    with pytest.raises(CompileError) as error:
        compile_text(text)
    errors = [d for d in error.value.diagnostics if d.severity == "error"]
    assert any(message in d.message for d in errors), str(error.value)
    assert all(d.where is not None for d in errors)
    assert error.value.exit_status == 1


@pytest.mark.parametrize("gnu", [True, False])
def test_the_words_linux_and_unix_are_macros_of_gnus_dialect(gnu: bool) -> None:
    text = "__global__ void K(int *o) { int linux = 3, unix = 4; *o = linux + unix; }"
    source = SourceFile("t.cu", text)
    if gnu:
        with pytest.raises(CompileError):
            frontend.compile(source, Options(gnu=True))
    else:
        frontend.compile(source, Options())


def test_calls_of_consteval_functions_are_constants() -> None:
    functions = """__device__ consteval int f(int x) { return x + 1; }
        template <int N> __device__ consteval int g() { return f(N) * 2; }
        __device__ constexpr int h(int x) { return x + f(3); }
        __global__ void k(int *o) { constexpr int c = f(f(2)); o[0] = f(3) + g<4>() + h(o[1]) + c; %s }"""
    compile_text(functions % "", std="c++20")
    with pytest.raises(CompileError) as error:
        compile_text(functions % "o[2] = f(o[1]);", std="c++20")
    assert "call to consteval function 'f' is not a constant expression" in str(error.value)


def kernels(text: str, mark: str) -> list[str]:
    return sorted(line.split(mark)[1].split("(")[0] for line in text.splitlines() if mark in line)


@pytest.mark.parametrize("name", ["everything", "idioms", "c_style", "templates"])
def test_programs(name: str, tmp_path: Path) -> None:
    """Longer programs, of the kind people write."""
    path = Path(__file__).parent / "programs" / f"{name}.k"
    ir = frontend.compile(SourceFile(str(path), path.read_text()), Options())
    llvm.parse_assembly(ir).verify()
    theirs = nvcc_makes(path, tmp_path / "o.ptx", "-w").decode()
    assert kernels(theirs, ".visible .entry ") == kernels(ir, "define ptx_kernel void @")


def test_printfs_of_a_function_have_one_buffer() -> None:
    """One for each would be live at once, with its address: 125 calls took 254 registers and a frame of 2 KiB."""
    calls = 'printf("%d %d\\n", n, printf("%f %d %lld\\n", 1.f, n, 2ll));' * 3
    text = frontend.compile(SourceFile("k.cu", f"__global__ void k(int n) {{ {calls} }}"), Options())
    assert re.findall(r"alloca \[\d+ x i8\]", text) == ["alloca [24 x i8]"]
    assert text.count("call i32 @vprintf") == 6


def test_limits_of_npp() -> None:
    text = """#include <nppdefs.h>
    __global__ void k(long *o) { o[0] = NPP_MIN_32S; o[1] = NPP_MAX_32U; o[2] = NPP_MIN_8S; }"""
    ir, _ = compile_text(text)
    assert all(str(value) in ir for value in (-(1 << 31), (1 << 32) - 1, -128))


@pytest.mark.parametrize(("members", "align"), [
    ("unsigned long long a : 48, b : 16;", 8), ("float p[6]; unsigned long long a : 48;", 8), ("char c; int a : 9;", 4),
    ("long long p; short q; short a : 5;", 2), ("union { int a : 7; double d; };", 8),
    ("int b : 9; __device__ S(int n) : a(n) {} int a : 9;", 4),
])  # fmt: skip
def test_bit_fields_are_accessed_as_their_class_is_aligned(members: str, align: int) -> None:
    """A word at a time, but for packed classes, whose fields may lie anywhere."""
    for packed, wanted in (("", align), ("__attribute__((packed))", 1)):
        text = f"struct {packed} S {{ {members} }}; __global__ void K(S *s, int n) {{ s->a = n; }}"
        made = frontend.compile(SourceFile("k.cu", text), Options())
        stores = re.findall(r"store i\d+ %v\d+, ptr %v\d+, align (\d+)", made)
        assert stores and {int(found) for found in stores} == {wanted}, made


def test_numbers_of_cufft() -> None:
    """Its headers may not be installed; kernels and callbacks name its types all the same."""
    text = """#include <cufftXt.h>
    __device__ cufftComplex first(void *in, size_t at, void *, void *) { return ((cufftComplex *)in)[at]; }
    __device__ cufftCallbackLoadC load = first;
    __global__ void k(cufftComplex *a, cufftReal r) { a[0] = load(a, 1, nullptr, nullptr); a[0].x *= r; }"""
    ir, _ = compile_text(text)
    llvm.parse_assembly(ir).verify()
    assert "@_Z1kP6float2f" in ir and "@_Z5firstPvmS_S_" in ir


def test_externs_of_one_file_are_definitions() -> None:
    """As nvcc has it where nothing else is linked; one that is defined further on is that."""
    text = """extern __device__ int x, y;
    __global__ void k(int *o) { o[0] = x + y; }
    __device__ int y = 5;"""
    ir, options = compile_text(text)
    assert "@x = addrspace(1) externally_initialized global i32 zeroinitializer" in ir and " external " not in ir
    assert [d.code for d in options.diagnostics] == ["20044-D"]


def test_every_built_in_has_a_handler() -> None:
    rows = re.findall(r"^\w+ +\S+ +e:(\w+)", table._ROWS, re.M)
    assert len(rows) > 50 and {*rows} - {"printf"} <= emit_builtins._HANDLERS.keys()


def test_nvcc_accepts_what_we_accept(tmp_path: Path) -> None:
    """One file for all, and the kernels' mangled names are nvcc's."""
    text = "\n".join(f'#line 1 "{name}"\n{body.replace("K(", f"k_{name}(")}' for name, body in ACCEPTED.items())
    source = tmp_path / "all.cu"
    source.write_text(text)
    text = nvcc_makes(source, tmp_path / "all.ptx", "-w").decode()
    theirs = {line.split()[2].rstrip("(") for line in text.splitlines() if line.startswith(".visible .entry")}
    ours: set[str] = set()
    for name, body in ACCEPTED.items():
        ir, _ = compile_text(body.replace("K(", f"k_{name}("))
        ours |= {line.split("@")[1].split("(")[0] for line in ir.splitlines() if line.startswith("define ptx_kernel")}
    assert ours == theirs


@needs_nvcc
def test_nvcc_rejects_what_we_reject(tmp_path: Path) -> None:
    disagree = []
    for name, (text, _) in REJECTED.items():
        source = tmp_path / f"{name}.cu"
        source.write_text(text)
        # The device pass alone settles it.
        done = subprocess.run(
            [NVCC, "-x", "cu", "-arch=sm_90", "-w", "-ptx", str(source), "-o", str(tmp_path / "o")],
            capture_output=True,
        )
        if done.returncode == 0:
            disagree.append(name)
    # nvcc only warns of this one.
    assert set(disagree) <= {"shared_init"}


def test_immediate_functions_of_the_host_are_constants_to_the_device() -> None:
    ir, _ = compile_text(
        "consteval int twice(int a) { return 2 * a; }\n__global__ void k(int *o) { o[0] = twice(21); }", std="c++20"
    )
    assert "i32 42" in ir


def test_objects_end_in_constant_expressions() -> None:
    """[dcl.constexpr], since C++20."""
    text = """struct G { int *p; constexpr G(int *p) : p(p) { *p += 1; } constexpr ~G() { *p *= 2; } };
    constexpr int f(int n) {
        int x = 1;
        for (int i = 0; i < n; i++) { G a(&x); if (i == 2) continue; G b(&x); if (i == 4) return x; x += i; }
        { G z(&x); return x; }
    }
    static_assert(f(0) == 2 && f(2) == 61 && f(6) == 510);
    struct B { int q = 3; constexpr virtual int g() const { return 1; } };
    struct D : B { constexpr int g() const override { return q; } };
    constexpr int h(const B &b) { return b.g(); }
    constexpr int v() { D d; B b; return h(d) * 10 + h(b); }
    static_assert(v() == 31);"""
    compile_text(text + "__global__ void k() {}", std="c++20")


def test_a_declaration_behind_a_definition_changes_nothing() -> None:
    text = "__device__ int f(int a, int b) { return a - b; }\n__global__ void k(int *o, int n) { o[n] = f(n, 3); }"
    again = "\n__device__ int f(int b, int a);\n__global__ void k(int *p, int);"
    assert compile_text(text + again)[0] == compile_text(text)[0]
