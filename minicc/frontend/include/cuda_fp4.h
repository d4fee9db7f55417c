#pragma once
// Four-bit floats, two a byte: conversions to and from e2m1 (2 bits of exponent).
#include <cuda_fp8.h>
typedef __nv_fp8_storage_t __nv_fp4_storage_t;
typedef __nv_fp8_storage_t __nv_fp4x2_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp4x4_storage_t;
enum __nv_fp4_interpretation_t { __NV_E2M1 };
#pragma minicc_library fp6

#define MCC_IN_FP4(source, format, v, kind) __nv_cvt_##source##_to_##format(v, kind, cudaRoundNearest)
MCC_NARROW_ALL(fp4, _e2m1, 0x7, __NV_E2M1, MCC_IN_FP4)
