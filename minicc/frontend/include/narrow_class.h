#pragma once
// The classes of cuda_fp8.h, cuda_fp6.h and cuda_fp4.h: one number, two, and four in a word. What differs between the
// headers is the bits that are not the sign, and how a conversion is asked for: IN(source, format, v, kind).
#include <cuda_fp16.h>
#include <cuda_bf16.h>

#define MCC_NARROW_FROM(name, type, format, kind, IN) \
    explicit __host__ __device__ name(const type v) { __x = IN(float, format, (float)v, kind); }
#define MCC_NARROW_TO(type, function) \
    explicit __host__ __device__ operator type() const { return function(__half(*this)); }

#define MCC_NARROW(name, format, magnitude, kind, IN) \
struct name { \
    __nv_##format##_storage_t __x; \
    name() = default; \
    explicit __host__ __device__ name(const __half v) { __x = IN(halfraw, format, (__half_raw)v, kind); } \
    explicit __host__ __device__ name(const __nv_bfloat16 v) { __x = IN(bfloat16raw, format, (__nv_bfloat16_raw)v, kind); } \
    explicit __host__ __device__ name(const double v) { __x = IN(double, format, v, kind); } \
    MCC_NARROW_FROM(name, float, format, kind, IN) \
    MCC_NARROW_FROM(name, short, format, kind, IN) \
    MCC_NARROW_FROM(name, unsigned short, format, kind, IN) \
    MCC_NARROW_FROM(name, int, format, kind, IN) \
    MCC_NARROW_FROM(name, unsigned int, format, kind, IN) \
    MCC_NARROW_FROM(name, long, format, kind, IN) \
    MCC_NARROW_FROM(name, unsigned long, format, kind, IN) \
    MCC_NARROW_FROM(name, long long, format, kind, IN) \
    MCC_NARROW_FROM(name, unsigned long long, format, kind, IN) \
    explicit __host__ __device__ operator __half() const { return __half(__nv_cvt_##format##_to_halfraw(__x, kind)); } \
    explicit __host__ __device__ operator __nv_bfloat16() const { return __nv_bfloat16((float)*this); } \
    MCC_NARROW_TO(float, __half2float) \
    MCC_NARROW_TO(double, __half2float) \
    MCC_NARROW_TO(char, __half2char_rz) \
    MCC_NARROW_TO(signed char, __half2char_rz) \
    MCC_NARROW_TO(unsigned char, __half2uchar_rz) \
    MCC_NARROW_TO(short, __half2short_rz) \
    MCC_NARROW_TO(unsigned short, __half2ushort_rz) \
    MCC_NARROW_TO(int, __half2int_rz) \
    MCC_NARROW_TO(unsigned int, __half2uint_rz) \
    MCC_NARROW_TO(long, __half2ll_rz) \
    MCC_NARROW_TO(unsigned long, __half2ull_rz) \
    MCC_NARROW_TO(long long, __half2ll_rz) \
    MCC_NARROW_TO(unsigned long long, __half2ull_rz) \
    explicit __host__ __device__ operator bool() const { return (__x & magnitude) != 0; } \
};

#define MCC_NARROW2(name, format, kind, IN) \
struct name { \
    __nv_##format##x2_storage_t __x; \
    name() = default; \
    explicit __host__ __device__ name(const __half2 v) { __x = IN(halfraw2, format##x2, (__half2_raw)v, kind); } \
    explicit __host__ __device__ name(const __nv_bfloat162 v) { __x = IN(bfloat16raw2, format##x2, (__nv_bfloat162_raw)v, kind); } \
    explicit __host__ __device__ name(const float2 v) { __x = IN(float2, format##x2, v, kind); } \
    explicit __host__ __device__ name(const double2 v) { __x = IN(double2, format##x2, v, kind); } \
    explicit __host__ __device__ operator __half2() const { return __half2(__nv_cvt_##format##x2_to_halfraw2(__x, kind)); } \
    explicit __host__ __device__ operator float2() const { return __half22float2((__half2)*this); } \
};

#define MCC_NARROW4(name, name2, format, IN) \
struct name { \
    __nv_##format##x4_storage_t __x; \
    name() = default; \
    explicit __host__ __device__ name(const __half2 a, const __half2 b) { put(name2(a), name2(b)); } \
    explicit __host__ __device__ name(const __nv_bfloat162 a, const __nv_bfloat162 b) { put(name2(a), name2(b)); } \
    explicit __host__ __device__ name(const float4 v) { put(name2(make_float2(v.x, v.y)), name2(make_float2(v.z, v.w))); } \
    explicit __host__ __device__ name(const double4 v) { put(name2(make_double2(v.x, v.y)), name2(make_double2(v.z, v.w))); } \
    explicit __host__ __device__ operator float4() const { \
        name2 l, h; \
        l.__x = (__nv_##format##x2_storage_t)__x; \
        h.__x = (__nv_##format##x2_storage_t)(__x >> 8 * sizeof(name2)); \
        float2 a = (float2)l, b = (float2)h; \
        return make_float4(a.x, a.y, b.x, b.y); \
    } \
private: \
    __host__ __device__ void put(name2 a, name2 b) { __x = (__nv_##format##x4_storage_t)(a.__x | (unsigned)b.__x << 8 * sizeof(name2)); } \
};

#define MCC_NARROW_ALL(format, suffix, magnitude, kind, IN) \
MCC_NARROW(__nv_##format##suffix, format, magnitude, kind, IN) \
MCC_NARROW2(__nv_##format##x2##suffix, format, kind, IN) \
MCC_NARROW4(__nv_##format##x4##suffix, __nv_##format##x2##suffix, format, IN)
