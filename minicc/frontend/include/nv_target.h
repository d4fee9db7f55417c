#pragma once
// <nv/target>: code by what it is compiled for. Each condition is 0 or 1 by the architecture of this compilation.
#define __MCC_NV_JOIN(a, b) a##b
#define __MCC_NV_CAT(a, b) __MCC_NV_JOIN(a, b)
// What a target gets is statements, in parentheses or not.
#define __MCC_NV_BARE(...) __MCC_NV_BARE __VA_ARGS__
#define __MCC_NV_NO__MCC_NV_BARE
#define __MCC_NV_DROP(...) __MCC_NV_NO##__VA_ARGS__
#define __MCC_NV_THEN(...) __MCC_NV_DROP(__VA_ARGS__)
#define __MCC_NV_STRIP(...) __MCC_NV_THEN(__MCC_NV_BARE __VA_ARGS__)
#define __MCC_NV_PICK_0(yes, no, ...) { __MCC_NV_STRIP(no) }
#define __MCC_NV_PICK_1(yes, no, ...) { __MCC_NV_STRIP(yes) }
#define NV_IF_TARGET(condition, ...) __MCC_NV_CAT(__MCC_NV_PICK_, condition)(__VA_ARGS__, (), ())
#define NV_IF_ELSE_TARGET(condition, yes, no) __MCC_NV_CAT(__MCC_NV_PICK_, condition)(yes, no, ())
#define __MCC_NV_NEXT_0(yes, ...) __MCC_NV_DISPATCH_2(__VA_ARGS__)
#define __MCC_NV_NEXT_1(yes, ...) { __MCC_NV_STRIP(yes) }
#define __MCC_NV_LAST_0(yes, ...) __MCC_NV_DISPATCH_3(__VA_ARGS__)
#define __MCC_NV_END_0(yes, ...) __MCC_NV_DISPATCH_4(__VA_ARGS__)
#define __MCC_NV_LAST_1(yes, ...) { __MCC_NV_STRIP(yes) }
#define __MCC_NV_END_1(yes, ...) { __MCC_NV_STRIP(yes) }
#define __MCC_NV_FINAL_0(yes, ...) {}
#define __MCC_NV_FINAL_1(yes, ...) { __MCC_NV_STRIP(yes) }
#define NV_DISPATCH_TARGET(condition, ...) __MCC_NV_CAT(__MCC_NV_NEXT_, condition)(__VA_ARGS__, 0, (), 0, (), 0, ())
#define __MCC_NV_DISPATCH_2(condition, ...) __MCC_NV_CAT(__MCC_NV_LAST_, condition)(__VA_ARGS__)
#define __MCC_NV_DISPATCH_3(condition, ...) __MCC_NV_CAT(__MCC_NV_END_, condition)(__VA_ARGS__)
#define __MCC_NV_DISPATCH_4(condition, ...) __MCC_NV_CAT(__MCC_NV_FINAL_, condition)(__VA_ARGS__)
#define NV_IS_DEVICE 1
#define NV_IS_HOST 0
#define NV_ANY_TARGET 1
#define NV_NO_TARGET 0
#define NV_HAS_FEATURE_SM_90a 0
#define NV_HAS_FEATURE_SM_100a 0
#define NV_PROVIDES_SM_35 __MCC_NV_AT_LEAST_35
#define NV_IS_EXACTLY_SM_35 __MCC_NV_EQUALS_35
#if __CUDA_ARCH__ >= 350
#define __MCC_NV_AT_LEAST_35 1
#else
#define __MCC_NV_AT_LEAST_35 0
#endif
#if __CUDA_ARCH__ == 350
#define __MCC_NV_EQUALS_35 1
#else
#define __MCC_NV_EQUALS_35 0
#endif
#define NV_PROVIDES_SM_37 __MCC_NV_AT_LEAST_37
#define NV_IS_EXACTLY_SM_37 __MCC_NV_EQUALS_37
#if __CUDA_ARCH__ >= 370
#define __MCC_NV_AT_LEAST_37 1
#else
#define __MCC_NV_AT_LEAST_37 0
#endif
#if __CUDA_ARCH__ == 370
#define __MCC_NV_EQUALS_37 1
#else
#define __MCC_NV_EQUALS_37 0
#endif
#define NV_PROVIDES_SM_50 __MCC_NV_AT_LEAST_50
#define NV_IS_EXACTLY_SM_50 __MCC_NV_EQUALS_50
#if __CUDA_ARCH__ >= 500
#define __MCC_NV_AT_LEAST_50 1
#else
#define __MCC_NV_AT_LEAST_50 0
#endif
#if __CUDA_ARCH__ == 500
#define __MCC_NV_EQUALS_50 1
#else
#define __MCC_NV_EQUALS_50 0
#endif
#define NV_PROVIDES_SM_52 __MCC_NV_AT_LEAST_52
#define NV_IS_EXACTLY_SM_52 __MCC_NV_EQUALS_52
#if __CUDA_ARCH__ >= 520
#define __MCC_NV_AT_LEAST_52 1
#else
#define __MCC_NV_AT_LEAST_52 0
#endif
#if __CUDA_ARCH__ == 520
#define __MCC_NV_EQUALS_52 1
#else
#define __MCC_NV_EQUALS_52 0
#endif
#define NV_PROVIDES_SM_53 __MCC_NV_AT_LEAST_53
#define NV_IS_EXACTLY_SM_53 __MCC_NV_EQUALS_53
#if __CUDA_ARCH__ >= 530
#define __MCC_NV_AT_LEAST_53 1
#else
#define __MCC_NV_AT_LEAST_53 0
#endif
#if __CUDA_ARCH__ == 530
#define __MCC_NV_EQUALS_53 1
#else
#define __MCC_NV_EQUALS_53 0
#endif
#define NV_PROVIDES_SM_60 __MCC_NV_AT_LEAST_60
#define NV_IS_EXACTLY_SM_60 __MCC_NV_EQUALS_60
#if __CUDA_ARCH__ >= 600
#define __MCC_NV_AT_LEAST_60 1
#else
#define __MCC_NV_AT_LEAST_60 0
#endif
#if __CUDA_ARCH__ == 600
#define __MCC_NV_EQUALS_60 1
#else
#define __MCC_NV_EQUALS_60 0
#endif
#define NV_PROVIDES_SM_61 __MCC_NV_AT_LEAST_61
#define NV_IS_EXACTLY_SM_61 __MCC_NV_EQUALS_61
#if __CUDA_ARCH__ >= 610
#define __MCC_NV_AT_LEAST_61 1
#else
#define __MCC_NV_AT_LEAST_61 0
#endif
#if __CUDA_ARCH__ == 610
#define __MCC_NV_EQUALS_61 1
#else
#define __MCC_NV_EQUALS_61 0
#endif
#define NV_PROVIDES_SM_62 __MCC_NV_AT_LEAST_62
#define NV_IS_EXACTLY_SM_62 __MCC_NV_EQUALS_62
#if __CUDA_ARCH__ >= 620
#define __MCC_NV_AT_LEAST_62 1
#else
#define __MCC_NV_AT_LEAST_62 0
#endif
#if __CUDA_ARCH__ == 620
#define __MCC_NV_EQUALS_62 1
#else
#define __MCC_NV_EQUALS_62 0
#endif
#define NV_PROVIDES_SM_70 __MCC_NV_AT_LEAST_70
#define NV_IS_EXACTLY_SM_70 __MCC_NV_EQUALS_70
#if __CUDA_ARCH__ >= 700
#define __MCC_NV_AT_LEAST_70 1
#else
#define __MCC_NV_AT_LEAST_70 0
#endif
#if __CUDA_ARCH__ == 700
#define __MCC_NV_EQUALS_70 1
#else
#define __MCC_NV_EQUALS_70 0
#endif
#define NV_PROVIDES_SM_72 __MCC_NV_AT_LEAST_72
#define NV_IS_EXACTLY_SM_72 __MCC_NV_EQUALS_72
#if __CUDA_ARCH__ >= 720
#define __MCC_NV_AT_LEAST_72 1
#else
#define __MCC_NV_AT_LEAST_72 0
#endif
#if __CUDA_ARCH__ == 720
#define __MCC_NV_EQUALS_72 1
#else
#define __MCC_NV_EQUALS_72 0
#endif
#define NV_PROVIDES_SM_75 __MCC_NV_AT_LEAST_75
#define NV_IS_EXACTLY_SM_75 __MCC_NV_EQUALS_75
#if __CUDA_ARCH__ >= 750
#define __MCC_NV_AT_LEAST_75 1
#else
#define __MCC_NV_AT_LEAST_75 0
#endif
#if __CUDA_ARCH__ == 750
#define __MCC_NV_EQUALS_75 1
#else
#define __MCC_NV_EQUALS_75 0
#endif
#define NV_PROVIDES_SM_80 __MCC_NV_AT_LEAST_80
#define NV_IS_EXACTLY_SM_80 __MCC_NV_EQUALS_80
#if __CUDA_ARCH__ >= 800
#define __MCC_NV_AT_LEAST_80 1
#else
#define __MCC_NV_AT_LEAST_80 0
#endif
#if __CUDA_ARCH__ == 800
#define __MCC_NV_EQUALS_80 1
#else
#define __MCC_NV_EQUALS_80 0
#endif
#define NV_PROVIDES_SM_86 __MCC_NV_AT_LEAST_86
#define NV_IS_EXACTLY_SM_86 __MCC_NV_EQUALS_86
#if __CUDA_ARCH__ >= 860
#define __MCC_NV_AT_LEAST_86 1
#else
#define __MCC_NV_AT_LEAST_86 0
#endif
#if __CUDA_ARCH__ == 860
#define __MCC_NV_EQUALS_86 1
#else
#define __MCC_NV_EQUALS_86 0
#endif
#define NV_PROVIDES_SM_87 __MCC_NV_AT_LEAST_87
#define NV_IS_EXACTLY_SM_87 __MCC_NV_EQUALS_87
#if __CUDA_ARCH__ >= 870
#define __MCC_NV_AT_LEAST_87 1
#else
#define __MCC_NV_AT_LEAST_87 0
#endif
#if __CUDA_ARCH__ == 870
#define __MCC_NV_EQUALS_87 1
#else
#define __MCC_NV_EQUALS_87 0
#endif
#define NV_PROVIDES_SM_88 __MCC_NV_AT_LEAST_88
#define NV_IS_EXACTLY_SM_88 __MCC_NV_EQUALS_88
#if __CUDA_ARCH__ >= 880
#define __MCC_NV_AT_LEAST_88 1
#else
#define __MCC_NV_AT_LEAST_88 0
#endif
#if __CUDA_ARCH__ == 880
#define __MCC_NV_EQUALS_88 1
#else
#define __MCC_NV_EQUALS_88 0
#endif
#define NV_PROVIDES_SM_89 __MCC_NV_AT_LEAST_89
#define NV_IS_EXACTLY_SM_89 __MCC_NV_EQUALS_89
#if __CUDA_ARCH__ >= 890
#define __MCC_NV_AT_LEAST_89 1
#else
#define __MCC_NV_AT_LEAST_89 0
#endif
#if __CUDA_ARCH__ == 890
#define __MCC_NV_EQUALS_89 1
#else
#define __MCC_NV_EQUALS_89 0
#endif
#define NV_PROVIDES_SM_90 __MCC_NV_AT_LEAST_90
#define NV_IS_EXACTLY_SM_90 __MCC_NV_EQUALS_90
#if __CUDA_ARCH__ >= 900
#define __MCC_NV_AT_LEAST_90 1
#else
#define __MCC_NV_AT_LEAST_90 0
#endif
#if __CUDA_ARCH__ == 900
#define __MCC_NV_EQUALS_90 1
#else
#define __MCC_NV_EQUALS_90 0
#endif
#define NV_PROVIDES_SM_100 __MCC_NV_AT_LEAST_100
#define NV_IS_EXACTLY_SM_100 __MCC_NV_EQUALS_100
#if __CUDA_ARCH__ >= 1000
#define __MCC_NV_AT_LEAST_100 1
#else
#define __MCC_NV_AT_LEAST_100 0
#endif
#if __CUDA_ARCH__ == 1000
#define __MCC_NV_EQUALS_100 1
#else
#define __MCC_NV_EQUALS_100 0
#endif
#define NV_PROVIDES_SM_101 __MCC_NV_AT_LEAST_101
#define NV_IS_EXACTLY_SM_101 __MCC_NV_EQUALS_101
#if __CUDA_ARCH__ >= 1010
#define __MCC_NV_AT_LEAST_101 1
#else
#define __MCC_NV_AT_LEAST_101 0
#endif
#if __CUDA_ARCH__ == 1010
#define __MCC_NV_EQUALS_101 1
#else
#define __MCC_NV_EQUALS_101 0
#endif
#define NV_PROVIDES_SM_103 __MCC_NV_AT_LEAST_103
#define NV_IS_EXACTLY_SM_103 __MCC_NV_EQUALS_103
#if __CUDA_ARCH__ >= 1030
#define __MCC_NV_AT_LEAST_103 1
#else
#define __MCC_NV_AT_LEAST_103 0
#endif
#if __CUDA_ARCH__ == 1030
#define __MCC_NV_EQUALS_103 1
#else
#define __MCC_NV_EQUALS_103 0
#endif
#define NV_PROVIDES_SM_110 __MCC_NV_AT_LEAST_110
#define NV_IS_EXACTLY_SM_110 __MCC_NV_EQUALS_110
#if __CUDA_ARCH__ >= 1100
#define __MCC_NV_AT_LEAST_110 1
#else
#define __MCC_NV_AT_LEAST_110 0
#endif
#if __CUDA_ARCH__ == 1100
#define __MCC_NV_EQUALS_110 1
#else
#define __MCC_NV_EQUALS_110 0
#endif
#define NV_PROVIDES_SM_120 __MCC_NV_AT_LEAST_120
#define NV_IS_EXACTLY_SM_120 __MCC_NV_EQUALS_120
#if __CUDA_ARCH__ >= 1200
#define __MCC_NV_AT_LEAST_120 1
#else
#define __MCC_NV_AT_LEAST_120 0
#endif
#if __CUDA_ARCH__ == 1200
#define __MCC_NV_EQUALS_120 1
#else
#define __MCC_NV_EQUALS_120 0
#endif
#define NV_PROVIDES_SM_121 __MCC_NV_AT_LEAST_121
#define NV_IS_EXACTLY_SM_121 __MCC_NV_EQUALS_121
#if __CUDA_ARCH__ >= 1210
#define __MCC_NV_AT_LEAST_121 1
#else
#define __MCC_NV_AT_LEAST_121 0
#endif
#if __CUDA_ARCH__ == 1210
#define __MCC_NV_EQUALS_121 1
#else
#define __MCC_NV_EQUALS_121 0
#endif
