"""What exists before the first line: predefined macros, and the headers that `#include <...>` finds.

nvcc includes cuda_runtime.h before every file, which brings in the C headers' macros named here; <cstdint>'s types it
does not bring in, so they need their #include, here as there.
"""

from __future__ import annotations

from minicc.frontend.options import Options

DYNAMIC = frozenset(("__LINE__", "__FILE__", "__COUNTER__", "_Pragma"))

WORDS = frozenset(
    """__has_include __has_builtin __has_attribute __has_cpp_attribute
    __host__ __device__ __global__ __shared__ __constant__ __managed__ __forceinline__ __noinline__
    __align__ __launch_bounds__ __maxnreg__ __cluster_dims__ __grid_constant__
    __no_return__""".split()
)
"""Words of the language here that are macros in nvcc's headers, hence defined."""

OPERATORS = {
    "and": "&&", "and_eq": "&=", "bitand": "&", "bitor": "|", "compl": "~", "not": "!", "not_eq": "!=", "or": "||",
    "or_eq": "|=", "xor": "^", "xor_eq": "^=",
}  # fmt: skip
"""[lex.digraph]: words that are operators, and no program's macros."""

_STD = {"c++03": "199711L", "c++11": "201103L", "c++14": "201402L", "c++17": "201703L", "c++20": "202002L"}

_FEATURES = {
    "c++11": """
        alias_templates 200704 attributes 200809 binary_literals 201304 constexpr 200704 decltype 200707
        delegating_constructors 200604 exceptions 199711 hex_float 201603 inheriting_constructors 201511
        initializer_lists 200806 lambdas 200907 nsdmi 200809 range_based_for 200907 raw_strings 200710
        ref_qualifiers 200710 rtti 199711 runtime_arrays 198712 rvalue_reference 200610 rvalue_references 200610
        static_assert 200410 threadsafe_static_init 200806 unicode_characters 200704 unicode_literals 200710
        user_defined_literals 200809 variadic_templates 200704
    """,
    "c++14": """
        aggregate_nsdmi 201304 constexpr 201304 decltype_auto 201304 digit_separators 201309 generic_lambdas 201304
        init_captures 201304 return_type_deduction 201304 sized_deallocation 201309 variable_templates 201304
    """,
    "c++17": """
        aggregate_bases 201603 aligned_new 201606 capture_star_this 201603 constexpr 201603 deduction_guides 201703
        enumerator_attributes 201411 fold_expressions 201603 guaranteed_copy_elision 201606 if_constexpr 201606
        inline_variables 201606 namespace_attributes 201411 nested_namespace_definitions 201411
        noexcept_function_type 201510 nontype_template_args 201411 nontype_template_parameter_auto 201606
        range_based_for 201603 static_assert 201411 structured_bindings 201606 template_auto 201606
        template_template_args 201611 unicode_characters 201411 variadic_using 201611
    """,
    "c++20": """
        aggregate_paren_init 201902 char8_t 201811 concepts 202002 conditional_explicit 201806 consteval 201811
        constexpr 202002 constexpr_dynamic_alloc 201907 constexpr_in_decltype 201711 constinit 201907
        deduction_guides 201907 designated_initializers 201707 generic_lambdas 201707 impl_coroutine 201902
        impl_destroying_delete 201806 impl_three_way_comparison 201907 init_captures 201803
        nontype_template_args 201911 nontype_template_parameter_class 201806 using_enum 201907
    """,
}
"""Feature-test macros of the language, __cpp_NAME, as nvcc's host compiler defines them: what each standard adds."""

_FIXED: dict[str, str] = {
    "__CUDACC__": "1",
    "__NVCC__": "1",
    "__CUDACC_VER_MAJOR__": "13",
    "__CUDACC_VER_MINOR__": "0",
    "__CUDACC_VER_BUILD__": "88",
    "CUDART_VERSION": "13000",
    "CUDA_VERSION": "13000",
    "__MINICC__": "1",
    **dict.fromkeys(
        """__CUDA_RUNTIME_H__ __CUDA_RUNTIME_API_H__ __VECTOR_TYPES_H__ __VECTOR_FUNCTIONS_H__ __DRIVER_TYPES_H__
        __DEVICE_TYPES_H__ __DEVICE_FUNCTIONS_H__ __MATH_FUNCTIONS_H__ __COMMON_FUNCTIONS_H__ __HOST_DEFINES_H__
        __CHANNEL_DESCRIPTOR_H__ __TEXTURE_TYPES_H__ __SURFACE_TYPES_H__ __DRIVER_FUNCTIONS_H__""".split(),
        "",
    ),
    "__STDC__": "1",
    "__STDC_HOSTED__": "1",
    "__LP64__": "1",
    "_LP64": "1",
    "__x86_64__": "1",
    **dict.fromkeys(("__linux__", "__linux", "__unix__", "__unix"), "1"),
    "__GNUC__": "13",
    "__GNUC_MINOR__": "3",
    "__SIZEOF_INT__": "4",
    "__SIZEOF_LONG__": "8",
    "__SIZEOF_POINTER__": "8",
    "__SIZEOF_FLOAT__": "4",
    "__SIZEOF_DOUBLE__": "8",
    "__CHAR_BIT__": "8",
    "__SCHAR_MAX__": "127",
    "__SHRT_MAX__": "32767",
    "__INT_MAX__": "2147483647",
    "__LONG_MAX__": "9223372036854775807L",
    "__LONG_LONG_MAX__": "9223372036854775807LL",
    "__FLT_MANT_DIG__": "24",
    "__DBL_MANT_DIG__": "53",
    "__FLT_DIG__": "6",
    "__DBL_DIG__": "15",
    "__FLT_MIN_EXP__": "(-125)",
    "__DBL_MIN_EXP__": "(-1021)",
    "__FLT_MAX_EXP__": "128",
    "__DBL_MAX_EXP__": "1024",
    "__FLT_MIN_10_EXP__": "(-37)",
    "__DBL_MIN_10_EXP__": "(-307)",
    "__FLT_MAX_10_EXP__": "38",
    "__DBL_MAX_10_EXP__": "308",
    "__FLT_MAX__": "3.40282346638528859811704183484516925e+38F",
    "__DBL_MAX__": "1.79769313486231570814527423731704357e+308",
    "__FLT_EPSILON__": "1.19209289550781250000000000000000000e-7F",
    "__DBL_EPSILON__": "2.22044604925031308084726333618164062e-16",
    "__FLT_MIN__": "1.17549435082228750796873653722224568e-38F",
    "__DBL_MIN__": "2.22507385850720138309023271733240406e-308",
    "__FLT_DENORM_MIN__": "1.40129846432481707092372958328991613e-45F",
    "__DBL_DENORM_MIN__": "4.94065645841246544176568792868221372e-324",
    "__BYTE_ORDER__": "1234",
    "__ORDER_LITTLE_ENDIAN__": "1234",
    "__ORDER_BIG_ENDIAN__": "4321",
    "__DATE__": '"Jan  1 1970"',
    "__TIME__": '"00:00:00"',
    "CHAR_BIT": "8",
    "SCHAR_MIN": "(-128)",
    "SCHAR_MAX": "127",
    "UCHAR_MAX": "255",
    "CHAR_MIN": "(-128)",
    "CHAR_MAX": "127",
    "SHRT_MIN": "(-32767 - 1)",
    "SHRT_MAX": "32767",
    "USHRT_MAX": "65535",
    "INT_MIN": "(-2147483647 - 1)",
    "INT_MAX": "2147483647",
    "UINT_MAX": "4294967295U",
    "LONG_MIN": "(-9223372036854775807L - 1L)",
    "LONG_MAX": "9223372036854775807L",
    "ULONG_MAX": "18446744073709551615UL",
    "LLONG_MIN": "(-9223372036854775807LL - 1LL)",
    "LLONG_MAX": "9223372036854775807LL",
    "ULLONG_MAX": "18446744073709551615ULL",
    "NULL": "0",
    "EXIT_SUCCESS": "0",
    "EXIT_FAILURE": "1",
    "RAND_MAX": "2147483647",
    "CLOCKS_PER_SEC": "((clock_t)1000000)",
    "_POSIX_VERSION": "200809L",
    "_LIBCUDACXX_BEGIN_NAMESPACE_STD": "namespace cuda { namespace std {",
    "_LIBCUDACXX_END_NAMESPACE_STD": "} }",
    "INFINITY": "__builtin_inff()",
    "NAN": '__builtin_nanf("")',
    "HUGE_VAL": "__builtin_inf()",
    "HUGE_VALF": "__builtin_inff()",
    "FE_TONEAREST": "0",
    "FE_DOWNWARD": "0x400",
    "FE_UPWARD": "0x800",
    "FE_TOWARDZERO": "0xc00",
    "_POSIX_TIMERS": "200809L",
    "FP_NAN": "0",
    "FP_INFINITE": "1",
    "FP_ZERO": "2",
    "FP_SUBNORMAL": "3",
    "FP_NORMAL": "4",
    "M_E": "2.7182818284590452354",
    "M_LOG2E": "1.4426950408889634074",
    "M_LOG10E": "0.43429448190325182765",
    "M_LN2": "0.69314718055994530942",
    "M_LN10": "2.30258509299404568402",
    "M_PI": "3.14159265358979323846",
    "M_PI_2": "1.57079632679489661923",
    "M_PI_4": "0.78539816339744830962",
    "M_1_PI": "0.31830988618379067154",
    "M_2_PI": "0.63661977236758134308",
    "M_2_SQRTPI": "1.12837916709551257390",
    "M_SQRT2": "1.41421356237309504880",
    "M_SQRT1_2": "0.70710678118654752440",
    "__NV_ATOMIC_RELAXED": "0",
    "__NV_ATOMIC_CONSUME": "1",
    "__NV_ATOMIC_ACQUIRE": "2",
    "__NV_ATOMIC_RELEASE": "3",
    "__NV_ATOMIC_ACQ_REL": "4",
    "__NV_ATOMIC_SEQ_CST": "5",
    "__NV_THREAD_SCOPE_THREAD": "0",
    "__NV_THREAD_SCOPE_BLOCK": "1",
    "__NV_THREAD_SCOPE_CLUSTER": "2",
    "__NV_THREAD_SCOPE_DEVICE": "3",
    "__NV_THREAD_SCOPE_SYSTEM": "4",
    "__device_builtin__": "",
    "__NV_SILENCE_DEPRECATION_BEGIN": "",
    "__NV_SILENCE_DEPRECATION_END": "",
    "__inline__": "inline",
    "__inline": "inline",
    "__restrict": "__restrict__",
    "__volatile__": "volatile",
    "__asm__": "asm",
    "__asm": "asm",
    "__const__": "const",
    "__signed__": "signed",
    "__alignof__": "alignof",
    "__extension__": "",
    "__func__": "__FUNCTION__",
    "__PRETTY_FUNCTION__": "__FUNCTION__",
}

# The assertion's text and place travel to the device's handler, as nvcc's do.
_ASSERT = "((e) ? (void)0 : __assert_fail(#e, __FILE__, __LINE__, __FUNCTION__))"


def macros(options: Options) -> dict[str, str]:
    """Name to what would follow #define, for one compilation."""
    table = {name: f"{name} {text}" for name, text in _FIXED.items()}
    more = {
        "__CUDA_ARCH__": str(options.sm * 10),
        "__CUDA_ARCH_LIST__": str(options.sm * 10),
        "__cplusplus": _STD.get(options.std, "201703L"),
        "__CUDA_PREC_DIV": str(int(options.exact_div)),
        "__CUDA_PREC_SQRT": str(int(options.exact_sqrt)),
    }
    for std, text in _FEATURES.items():
        if std <= options.std:
            words = text.split()
            more |= {f"__cpp_{name}": f"{value}L" for name, value in zip(words[::2], words[1::2], strict=True)}
    if options.specific:
        more[f"__CUDA_ARCH_FEAT_SM{options.sm}_ALL"] = "1"
        more["__CUDA_ARCH_SPECIFIC__"] = more["__CUDA_ARCH_FAMILY_SPECIFIC__"] = str(options.sm * 10)
    if options.gnu:
        more["linux"] = more["unix"] = "1"
    if options.debug == "full":
        more["__CUDACC_DEBUG__"] = "1"
    if options.flush:
        more["__CUDA_FTZ"] = "1"
    if options.fast_math:
        more["__FAST_MATH__"] = more["__USE_FAST_MATH__"] = "1"
    for name, text in (OPERATORS | more).items():
        table[name] = f"{name} {text}"
    table["__builtin_align__"] = "__builtin_align__(n) __align__(n)"
    table["assert"] = "assert(e) " + _ASSERT
    return table


HEADERS: dict[str, str] = {
    **dict.fromkeys(
        ("cuda_runtime.h", "cuda_runtime_api.h", "device_launch_parameters.h", "vector_types.h",
         "vector_functions.h", "device_functions.h", "device_atomic_functions.h", "sm_30_intrinsics.h", "math.h", "cmath",  # noqa: E501
         "math_functions.h", "stdio.h", "cstdio", "stdlib.h", "cstdlib", "string.h", "cstring", "limits.h", "climits",
         "stddef.h", "cstddef", "stdbool.h", "time.h", "ctime", "builtin_types.h", "sys/types.h", "host_defines.h",
         "sm_20_intrinsics.h", "device_double_functions.h", "math_functions.hpp", "cuda_device_runtime_api.h"),
        "",
    ),
    # Headers of the host (C++, C, POSIX, Linux, CUDA's libraries): what they declare is of no use here, but files
    # include them.
    **dict.fromkeys(
        """algorithm any array atomic bit bitset cctype ccomplex cerrno cfenv charconv chrono ciso646 clocale codecvt
        compare complex concepts condition_variable coroutine
        experimental/source_location csetjmp csignal cstdalign cstdarg ctgmath cuchar
        cwchar cwctype deque exception execution filesystem format forward_list fstream functional future
        initializer_list iomanip ios iosfwd iostream istream iterator limits list locale map memory memory_resource
        mutex new numbers numeric optional ostream queue random ranges ratio regex scoped_allocator set shared_mutex
        span sstream stack stdexcept streambuf string string_view system_error thread tuple type_traits typeindex
        typeinfo unordered_map unordered_set utility valarray variant vector version barrier cxxabi.h expected latch
        semaphore source_location spanstream stacktrace stop_token syncstream complex.h ctype.h errno.h
        fenv.h iso646.h locale.h setjmp.h signal.h stdalign.h stdarg.h stdatomic.h stdnoreturn.h tgmath.h threads.h
        uchar.h wchar.h wctype.h aio.h alloca.h arpa/inet.h byteswap.h dirent.h dlfcn.h endian.h err.h error.h
        execinfo.h fcntl.h features.h fnmatch.h ftw.h getopt.h glob.h grp.h iconv.h langinfo.h libgen.h libintl.h
        linux/limits.h malloc.h memory.h net/if.h netdb.h netinet/in.h netinet/tcp.h omp.h poll.h pthread.h pwd.h
        regex.h sched.h search.h semaphore.h spawn.h strings.h syslog.h termios.h ucontext.h unistd.h utime.h
        values.h wordexp.h immintrin.h xmmintrin.h emmintrin.h pmmintrin.h smmintrin.h tmmintrin.h mm_malloc.h
        x86intrin.h cpuid.h zlib.h sys/auxv.h sys/epoll.h
        sys/eventfd.h sys/prctl.h sys/random.h sys/sendfile.h sys/statfs.h sys/vfs.h sys/cdefs.h sys/file.h sys/ioctl.h
        sys/ipc.h sys/mman.h sys/param.h sys/poll.h sys/ptrace.h sys/resource.h sys/select.h sys/sem.h sys/shm.h
        sys/signal.h sys/socket.h sys/stat.h sys/statvfs.h sys/syscall.h sys/sysinfo.h sys/time.h sys/timeb.h
        sys/times.h sys/uio.h sys/un.h sys/utsname.h sys/wait.h channel_descriptor.h
        cudaProfiler.h cuda_gl_interop.h cuda_occupancy.h cuda_profiler_api.h curand.h
        driver_functions.h driver_types.h library_types.h nvToolsExt.h nvml.h nvrtc.h
        nvtx3/nvToolsExt.h common_functions.h cudaProfilerTypedefs.h cudaTypedefs.h cudart_platform.h device_types.h
        device_atomic_functions.hpp fatbinary_section.h host_config.h nv_decode.h nvvm.h vector_functions.hpp
        surface_indirect_functions.h surface_types.h texture_indirect_functions.h texture_types.h""".split(),
        "",
    ),
    # In libstdc++ these bring in <cstdint>.
    **dict.fromkeys(
        """atomic bitset ccomplex chrono codecvt complex condition_variable ctgmath execution filesystem fstream future
        iomanip ios iostream istream iterator locale memory memory_resource mutex ostream random ratio regex
        shared_mutex sstream stdexcept streambuf string string_view system_error thread complex.h tgmath.h
        bits/stdc++.h stdint.h cstdint""".split(),
        "stdint.h",
    ),
    "inttypes.h": "inttypes.h",
    "cuda_stdint.h": "stdint.h",
    "cuda.h": "stdint.h",
    "nv/target": "nv_target.h",
    "cuda_fp8.hpp": "cuda_fp8.h",
    "cuda_fp6.hpp": "cuda_fp6.h",
    "cuda_fp4.hpp": "cuda_fp4.h",
    "cinttypes": "inttypes.h",
    "float.h": "float.h",
    "cfloat": "float.h",
    "assert.h": "assert.h",
    "cassert": "assert.h",
    "math_constants.h": "math_constants.h",
    "cuComplex.h": "cuComplex.h",
    "cuda_fp16.h": "cuda_fp16.h",
    "cuda_fp16.hpp": "cuda_fp16.h",
    "cuda_bf16.h": "cuda_bf16.h",
    "cuda_bf16.hpp": "cuda_bf16.h",
        **{name: name for name in """
        cccl.h halves.h cub_sort.h half_class.h narrow_class.h e8m0_class.h mma.h cuda_fp8.h cuda_fp6.h cuda_fp4.h
        curand_kernel.h cuda/atomic cuda_pipeline.h cuda_pipeline_primitives.h cuda_awbarrier.h
        cuda_awbarrier_primitives.h cuda/pipeline cuda/ptx cuda/barrier cuda/latch cuda/semaphore cooperative_groups.h
        cooperative_groups/reduce.h cooperative_groups/scan.h cooperative_groups/memcpy_async.h""".split()},
}  # fmt: skip

PREFIXES: dict[str, str] = {
    "thrust/": "halves.h", "cuda/std/cmath": "halves.h", "cuda/std/complex": "halves.h",
    "cuda/std/atomic": "cuda/atomic", "cuda/std/latch": "cuda/latch", "cuda/std/semaphore": "cuda/semaphore",
    "cuda/": "cccl.h", "cooperative_groups/details/": "cooperative_groups.h",
    "cub/": "cub.h", "cublas": "cublas.h", "cufft": "cufft.h",
    "nvtx3/": "", "cudnn": "",
    "cusolver": "", "cusparse": "", "npp": "npp.h", "nvjpeg": "", "nvJitLink": "",
    "sm_": "", "cupti": "", "nvperf_": "", "cudaGL": "", "cudaEGL": "", "cudaVDPAU": "",
    "cuda_egl": "", "cuda_vdpau": "", "generated_": "",
}  # fmt: skip
"""Likewise for all headers whose names begin so."""

SYSTEM = ("/usr/local/include", "/usr/include", "/usr/include/x86_64-linux-gnu")
"""Where other libraries' C headers (mpi.h, png.h, GL/gl.h) are: the host's, hence as good as empty."""

STDINT = frozenset(
    [
        "uint8_t",
        "uint16_t",
        "uint32_t",
        "uint64_t",
        "intptr_t",
        "uintptr_t",
        "intmax_t",
        "uintmax_t",
        "int_fast8_t",
        "uint_fast32_t",
        "int_least32_t",
    ]
)
