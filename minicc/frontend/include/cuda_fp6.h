#pragma once
// Six-bit floats, a byte each: conversions to and from e2m3 (2 bits of exponent) and e3m2.
#include <cuda_fp8.h>
typedef __nv_fp8_storage_t __nv_fp6_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp6x2_storage_t;
typedef __nv_fp8x4_storage_t __nv_fp6x4_storage_t;
enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 };
#pragma minicc_library fp6

#define MCC_IN_FP6(source, format, v, kind) __nv_cvt_##source##_to_##format(v, kind, cudaRoundNearest)
MCC_NARROW_ALL(fp6, _e2m3, 0x1f, __NV_E2M3, MCC_IN_FP6)
MCC_NARROW_ALL(fp6, _e3m2, 0x1f, __NV_E3M2, MCC_IN_FP6)
