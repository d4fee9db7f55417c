#pragma once
#define H __half
#define H2 __half2
#define MCC_RAW __half_raw
#define MCC_RAW2 __half2_raw
#define MCC_K h
#define MCC_OTHER __nv_bfloat16
#define MCC_JOIN(k, op) __mcc_##k##_##op
#define MCC_OP(k, op) MCC_JOIN(k, op)
#define MCC_FROM(t) MCC_FROM_##t
#define MCC_FROM_double __double2half
#define MCC_FROM_short __short2half_rn
#define MCC_FROM_ushort __ushort2half_rn
#define MCC_FROM_int __int2half_rn
#define MCC_FROM_uint __uint2half_rn
#define MCC_FROM_ll __ll2half_rn
#define MCC_FROM_ull __ull2half_rn
#define MCC_TO(t) __half2##t##_rz
#include <half_class.h>
#undef H
#undef H2
#undef MCC_RAW
#undef MCC_RAW2
#undef MCC_K
#undef MCC_OTHER
#undef MCC_FROM
#undef MCC_TO
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;
#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
#pragma minicc_library fp16 halves
