#pragma once
// The scale factors of cuda_fp8.h: powers of two, rounded away from zero. What has more bits than a double goes through
// one that is rounded away, too.
#define MCC_UP __NV_SATFINITE, cudaRoundPosInf
#define MCC_SCALE_FROM(type) \
    explicit __host__ __device__ __nv_fp8_e8m0(const type v) { __x = __nv_cvt_double_to_e8m0((double)v, MCC_UP); }
#define MCC_SCALE_FROM_WIDE(type, convert) \
    explicit __host__ __device__ __nv_fp8_e8m0(const type v) { __x = __nv_cvt_double_to_e8m0(convert, MCC_UP); }
#define MCC_SCALE_TO(type, function) \
    explicit __host__ __device__ operator type() const { return function((float)*this); }
#define MCC_SCALE_TO_BYTE(type, most) \
    explicit __host__ __device__ operator type() const { return __x == 0xff ? (type)0 : (type)fminf((float)*this, most); }

struct __nv_fp8_e8m0 {
    __nv_fp8_storage_t __x;
    __nv_fp8_e8m0() = default;
    explicit __host__ __device__ __nv_fp8_e8m0(const __half v) { __x = __nv_cvt_float_to_e8m0((float)v, MCC_UP); }
    explicit __host__ __device__ __nv_fp8_e8m0(const __nv_bfloat16 v) { __x = __nv_cvt_bfloat16raw_to_e8m0((__nv_bfloat16_raw)v, MCC_UP); }
    explicit __host__ __device__ __nv_fp8_e8m0(const float v) { __x = __nv_cvt_float_to_e8m0(v, MCC_UP); }
    MCC_SCALE_FROM(double)
    MCC_SCALE_FROM(short)
    MCC_SCALE_FROM(unsigned short)
    MCC_SCALE_FROM(int)
    MCC_SCALE_FROM(unsigned int)
    MCC_SCALE_FROM_WIDE(long, v < 0 ? __ll2double_rd(v) : __ll2double_ru(v))
    MCC_SCALE_FROM_WIDE(long long, v < 0 ? __ll2double_rd(v) : __ll2double_ru(v))
    MCC_SCALE_FROM_WIDE(unsigned long, __ull2double_ru(v))
    MCC_SCALE_FROM_WIDE(unsigned long long, __ull2double_ru(v))
    explicit __host__ __device__ operator __nv_bfloat16() const { return __nv_bfloat16(__nv_cvt_e8m0_to_bf16raw(__x)); }
    explicit __host__ __device__ operator float() const { return __bfloat162float((__nv_bfloat16)*this); }
    MCC_SCALE_TO(double, (double))
    MCC_SCALE_TO(__half, __float2half_rn)
    MCC_SCALE_TO_BYTE(char, 127.0f)
    MCC_SCALE_TO_BYTE(signed char, 127.0f)
    MCC_SCALE_TO_BYTE(unsigned char, 255.0f)
    explicit __host__ __device__ operator short() const { return __bfloat162short_rz((__nv_bfloat16)*this); }
    explicit __host__ __device__ operator unsigned short() const { return __bfloat162ushort_rz((__nv_bfloat16)*this); }
    MCC_SCALE_TO(int, __float2int_rz)
    MCC_SCALE_TO(unsigned int, __float2uint_rz)
    explicit __host__ __device__ operator long() const { return __bfloat162ll_rz((__nv_bfloat16)*this); }
    explicit __host__ __device__ operator long long() const { return __bfloat162ll_rz((__nv_bfloat16)*this); }
    explicit __host__ __device__ operator unsigned long() const { return __bfloat162ull_rz((__nv_bfloat16)*this); }
    explicit __host__ __device__ operator unsigned long long() const { return __bfloat162ull_rz((__nv_bfloat16)*this); }
    explicit __host__ __device__ operator bool() const { return true; }
};

struct __nv_fp8x2_e8m0 {
    __nv_fp8x2_storage_t __x;
    __nv_fp8x2_e8m0() = default;
    explicit __host__ __device__ __nv_fp8x2_e8m0(const __half2 v) { __x = __nv_cvt_float2_to_e8m0x2(__half22float2(v), MCC_UP); }
    explicit __host__ __device__ __nv_fp8x2_e8m0(const __nv_bfloat162 v) { __x = __nv_cvt_bfloat162raw_to_e8m0x2((__nv_bfloat162_raw)v, MCC_UP); }
    explicit __host__ __device__ __nv_fp8x2_e8m0(const float2 v) { __x = __nv_cvt_float2_to_e8m0x2(v, MCC_UP); }
    explicit __host__ __device__ __nv_fp8x2_e8m0(const double2 v) { __x = __nv_cvt_double2_to_e8m0x2(v, MCC_UP); }
    explicit __host__ __device__ operator __nv_bfloat162() const { return __nv_bfloat162(__nv_cvt_e8m0x2_to_bf162raw(__x)); }
    explicit __host__ __device__ operator float2() const { return __bfloat1622float2((__nv_bfloat162)*this); }
    explicit __host__ __device__ operator __half2() const { return __float22half2_rn((float2)*this); }
};

MCC_NARROW4(__nv_fp8x4_e8m0, __nv_fp8x2_e8m0, fp8, )
