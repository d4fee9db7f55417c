#pragma once
#define H __nv_bfloat16
#define H2 __nv_bfloat162
#define MCC_RAW __nv_bfloat16_raw
#define MCC_RAW2 __nv_bfloat162_raw
#define MCC_K b
#define MCC_OTHER __half
#define MCC_JOIN(k, op) __mcc_##k##_##op
#define MCC_OP(k, op) MCC_JOIN(k, op)
#define MCC_FROM(t) MCC_BFROM_##t
#define MCC_BFROM_double __double2bfloat16
#define MCC_BFROM_short __short2bfloat16_rn
#define MCC_BFROM_ushort __ushort2bfloat16_rn
#define MCC_BFROM_int __int2bfloat16_rn
#define MCC_BFROM_uint __uint2bfloat16_rn
#define MCC_BFROM_ll __ll2bfloat16_rn
#define MCC_BFROM_ull __ull2bfloat16_rn
#define MCC_TO(t) __bfloat162##t##_rz
#include <half_class.h>
#undef H
#undef H2
#undef MCC_RAW
#undef MCC_RAW2
#undef MCC_K
#undef MCC_OTHER
#undef MCC_FROM
#undef MCC_TO
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)
#pragma minicc_library bf16 halves
