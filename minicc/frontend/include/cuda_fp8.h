#pragma once
// Eight-bit floats: conversions to and from e4m3 (4 bits of exponent) and e5m2.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
#pragma minicc_library fp8

#define MCC_FP8(name, name2, name4, kind) \
struct name { \
    __nv_fp8_storage_t __x; \
    name() = default; \
    explicit __host__ __device__ name(const float v) { __x = __nv_cvt_float_to_fp8(v, __NV_SATFINITE, kind); } \
    explicit __host__ __device__ name(const double v) { __x = __nv_cvt_double_to_fp8(v, __NV_SATFINITE, kind); } \
    explicit __host__ __device__ name(const __half v) { __x = __nv_cvt_float_to_fp8((float)v, __NV_SATFINITE, kind); } \
    explicit __host__ __device__ name(const __nv_bfloat16 v) { __x = __nv_cvt_float_to_fp8((float)v, __NV_SATFINITE, kind); } \
    explicit __host__ __device__ name(const int v) { __x = __nv_cvt_float_to_fp8((float)v, __NV_SATFINITE, kind); } \
    explicit __host__ __device__ name(const unsigned int v) { __x = __nv_cvt_float_to_fp8((float)v, __NV_SATFINITE, kind); } \
    explicit __host__ __device__ name(const short v) { __x = __nv_cvt_float_to_fp8((float)v, __NV_SATFINITE, kind); } \
    explicit __host__ __device__ name(const unsigned short v) { __x = __nv_cvt_float_to_fp8((float)v, __NV_SATFINITE, kind); } \
    explicit __host__ __device__ name(const long long v) { __x = __nv_cvt_float_to_fp8((float)v, __NV_SATFINITE, kind); } \
    explicit __host__ __device__ name(const unsigned long long v) { __x = __nv_cvt_float_to_fp8((float)v, __NV_SATFINITE, kind); } \
    explicit __host__ __device__ operator float() const { return __mcc8_float(__x, kind); } \
    explicit __host__ __device__ operator double() const { return __mcc8_float(__x, kind); } \
    explicit __host__ __device__ operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, kind)); } \
    explicit __host__ __device__ operator __nv_bfloat16() const { return __nv_bfloat16(__mcc8_float(__x, kind)); } \
    explicit __host__ __device__ operator int() const { return __float2int_rz(__mcc8_float(__x, kind)); } \
    explicit __host__ __device__ operator unsigned int() const { return __float2uint_rz(__mcc8_float(__x, kind)); } \
    explicit __host__ __device__ operator bool() const { return (__x & 0x7f) != 0; } \
}; \
struct __align__(2) name2 { \
    __nv_fp8x2_storage_t __x; \
    name2() = default; \
    explicit __host__ __device__ name2(const float2 v) { __x = __nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, kind); } \
    explicit __host__ __device__ name2(const double2 v) { __x = __nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, kind); } \
    explicit __host__ __device__ name2(const __half2 v) { __x = __nv_cvt_float2_to_fp8x2(__half22float2(v), __NV_SATFINITE, kind); } \
    explicit __host__ __device__ name2(const __nv_bfloat162 v) { __x = __nv_cvt_float2_to_fp8x2(__bfloat1622float2(v), __NV_SATFINITE, kind); } \
    explicit __host__ __device__ operator float2() const { return __mcc8_float2(__x, kind); } \
    explicit __host__ __device__ operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, kind)); } \
}; \
struct __align__(4) name4 { \
    __nv_fp8x4_storage_t __x; \
    name4() = default; \
    explicit __host__ __device__ name4(const float4 v) { \
        __x = __nv_cvt_float2_to_fp8x2(make_float2(v.x, v.y), __NV_SATFINITE, kind) | (unsigned)__nv_cvt_float2_to_fp8x2(make_float2(v.z, v.w), __NV_SATFINITE, kind) << 16; \
    } \
    explicit __host__ __device__ name4(const __half2 a, const __half2 b) { \
        __x = __nv_cvt_float2_to_fp8x2(__half22float2(a), __NV_SATFINITE, kind) | (unsigned)__nv_cvt_float2_to_fp8x2(__half22float2(b), __NV_SATFINITE, kind) << 16; \
    } \
    explicit __host__ __device__ name4(const __nv_bfloat162 a, const __nv_bfloat162 b) { \
        __x = __nv_cvt_float2_to_fp8x2(__bfloat1622float2(a), __NV_SATFINITE, kind) | (unsigned)__nv_cvt_float2_to_fp8x2(__bfloat1622float2(b), __NV_SATFINITE, kind) << 16; \
    } \
    explicit __host__ __device__ operator float4() const { \
        float2 a = __mcc8_float2((unsigned short)__x, kind), b = __mcc8_float2((unsigned short)(__x >> 16), kind); \
        return make_float4(a.x, a.y, b.x, b.y); \
    } \
};
MCC_FP8(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
MCC_FP8(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
#undef MCC_FP8
