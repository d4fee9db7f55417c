#pragma once
// Eight-bit floats: conversions to and from e4m3 (4 bits of exponent) and e5m2.
#include <narrow_class.h>
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
#pragma minicc_library fp8

#define MCC_IN_FP8(source, format, v, kind) __nv_cvt_##source##_to_##format(v, __NV_SATFINITE, kind)
MCC_NARROW_ALL(fp8, _e4m3, 0x7f, __NV_E4M3, MCC_IN_FP8)
MCC_NARROW_ALL(fp8, _e5m2, 0x7f, __NV_E5M2, MCC_IN_FP8)
#include <e8m0_class.h>
