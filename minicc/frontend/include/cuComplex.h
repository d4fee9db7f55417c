// Complex numbers as pairs: operations scaled as CUDA's, so that they neither overflow nor underflow early.
#pragma once
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
#define CUC static __host__ __device__ __inline__
#define CUC_OPERATIONS(T, C, f, MAKE, ABS, SQRT, FMA)                                                          \
    CUC T cuCreal##f(C x) { return x.x; }                                                                      \
    CUC T cuCimag##f(C x) { return x.y; }                                                                      \
    CUC C cuConj##f(C x) { return MAKE(x.x, -x.y); }                                                           \
    CUC C cuCadd##f(C x, C y) { return MAKE(x.x + y.x, x.y + y.y); }                                           \
    CUC C cuCsub##f(C x, C y) { return MAKE(x.x - y.x, x.y - y.y); }                                           \
    CUC C cuCmul##f(C x, C y) { return MAKE(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x); }                   \
    CUC C cuCdiv##f(C x, C y) {                                                                                \
        T s = ABS(y.x) + ABS(y.y);                                                                             \
        T o = (T)1 / s;                                                                                        \
        T ar = x.x * o, ai = x.y * o, br = y.x * o, bi = y.y * o;                                              \
        s = br * br + bi * bi;                                                                                 \
        o = (T)1 / s;                                                                                          \
        return MAKE((ar * br + ai * bi) * o, (ai * br - ar * bi) * o);                                         \
    }                                                                                                          \
    CUC T cuCabs##f(C x) {                                                                                     \
        T a = ABS(x.x), b = ABS(x.y), v, w, t;                                                                 \
        if (a > b) { v = a; w = b; } else { v = b; w = a; }                                                    \
        t = w / v;                                                                                             \
        t = (T)1 + t * t;                                                                                      \
        t = v * SQRT(t);                                                                                       \
        if (v == (T)0 || v > MAX_##T || w > MAX_##T) t = v + w;                                                \
        return t;                                                                                              \
    }                                                                                                          \
    CUC C cuCfma##f(C x, C y, C d) {                                                                           \
        T re = x.x * y.x + d.x, im = x.x * y.y + d.y;                                                          \
        return MAKE(-(x.y * y.y) + re, x.y * y.x + im);                                                        \
    }
#define MAX_float 3.402823466e38f
#define MAX_double 1.79769313486231570e+308
CUC cuFloatComplex make_cuFloatComplex(float r, float i) { return make_float2(r, i); }
CUC cuDoubleComplex make_cuDoubleComplex(double r, double i) { return make_double2(r, i); }
CUC cuComplex make_cuComplex(float r, float i) { return make_float2(r, i); }
CUC_OPERATIONS(float, cuFloatComplex, f, make_float2, fabsf, sqrtf, fmaf)
CUC_OPERATIONS(double, cuDoubleComplex, , make_double2, fabs, sqrt, fma)
CUC cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) { return make_double2(c.x, c.y); }
CUC cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c) { return make_float2((float)c.x, (float)c.y); }
#undef MAX_float
#undef MAX_double
#undef CUC_OPERATIONS
#undef CUC
