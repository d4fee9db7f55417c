"""The table of built-in functions.

A row is `names  signature  how`. The signature is result:parameters in Itanium type letters (i int, j unsigned, l long,
m unsigned long, x long long, y unsigned long long, f float, d double, b bool, v void, ...; P pointer to, K const, V
volatile, z variadic). `T` stands for each letter of the list after the row's `/`, one overload each. `how`:

    i:NAME         call the LLVM intrinsic NAME with the arguments; {z} in it becomes ".ftz" under -ftz
    e:NAME[:DATA]  emitted by the handler NAME of minicc.frontend.emit.builtins
    lib:NAME       a function of the library, see minicc.frontend.builtins.library
    same-type:DATA loads and stores with cache hints, typed by their pointer

`a|b` chooses b under -use_fast_math. Rows are parsed when their name is first looked up.
"""

from __future__ import annotations

from minicc.frontend import types as ty
from minicc.frontend.builtins import halves
from minicc.frontend.types import Type


class Builtin:
    befriended = None
    """Of functions: the classes whose friend it is."""

    def __init__(
        self, name: str, ret: Type, params: tuple[Type, ...], how: str, data: str = "", variadic: bool = False
    ) -> None:
        self.name, self.ret, self.params, self.how, self.data, self.variadic = name, ret, params, how, data, variadic


_ROWS = """
__syncthreads                  v:       e:barrier
__barrier_sync                 v:j      e:barrier_id
__barrier_sync_count           v:jj     e:barrier_count
__syncthreads_count            i:i      e:barrier_reduce:popc
__syncthreads_and              i:i      e:barrier_reduce:and
__syncthreads_or               i:i      e:barrier_reduce:or
syncthreads_count              i:i      e:barrier_reduce:popc
syncthreads_and                i:i      e:barrier_reduce:and
syncthreads_or                 i:i      e:barrier_reduce:or
__syncwarp                     v:j      i:llvm.nvvm.bar.warp.sync
__syncwarp                     v:       e:syncwarp
__threadfence                  v:       i:llvm.nvvm.membar.gl
__threadfence_block            v:       i:llvm.nvvm.membar.cta
__threadfence_system           v:       i:llvm.nvvm.membar.sys
__activemask                   j:       i:llvm.nvvm.activemask
__ballot_sync                  j:ji     e:vote:ballot
__any_sync                     i:ji     e:vote:any
__all_sync                     i:ji     e:vote:all
__uni_sync                     i:ji     e:vote:uni
__shfl_sync                    T:jTi    e:shuffle:idx /ijlmxyfd
__shfl_sync                    T:jTii   e:shuffle:idx /ijlmxyfd
__shfl_up_sync                 T:jTj    e:shuffle:up /ijlmxyfd
__shfl_up_sync                 T:jTji   e:shuffle:up /ijlmxyfd
__shfl_down_sync               T:jTj    e:shuffle:down /ijlmxyfd
__shfl_down_sync               T:jTji   e:shuffle:down /ijlmxyfd
__shfl_xor_sync                T:jTi    e:shuffle:bfly /ijlmxyfd
__shfl_xor_sync                T:jTii   e:shuffle:bfly /ijlmxyfd
__match_any_sync               j:jT     e:match_any /ijlmxyfd
__match_all_sync               j:jTPi   e:match_all /ijlmxyfd
__reduce_add_sync              T:jT     e:redux:add:add /ij
__reduce_min_sync              T:jT     e:redux:umin:min /ij
__reduce_max_sync              T:jT     e:redux:umax:max /ij
__reduce_and_sync              j:jj     e:redux:and:and
__reduce_or_sync               j:jj     e:redux:or:or
__reduce_xor_sync              j:jj     e:redux:xor:xor
__nanosleep                    v:j      i:llvm.nvvm.nanosleep
__trap                         v:       e:trap
__brkpt                        v:       e:breakpoint
__prof_trigger                 v:i      e:nothing
clock                          l:       e:clock
clock64                        x:       e:clock64
__clock                        i:       i:llvm.nvvm.read.ptx.sreg.clock
__clock64                      x:       e:clock64
__nvvm_get_smem_pointer        j:Pv     e:to_space:3
globaltimer                    y:       e:globaltimer
__globaltimer                  y:       e:globaltimer
__popc                         i:j      i:llvm.ctpop.i32
__popcll                       i:y      e:popcll
__clz                          i:i      e:clz
__clzll                        i:x      e:clz
__ffs                          i:i      e:ffs
__ffsll                        i:x      e:ffs
__brev                         j:j      i:llvm.bitreverse.i32
__brevll                       y:y      i:llvm.bitreverse.i64
__fns                          j:jji    i:llvm.nvvm.fns
__byte_perm                    j:jjj    e:byte_perm
__nvvm_prmt                    j:jjj    i:llvm.nvvm.prmt
__funnelshift_l                j:jjj    e:funnel:fshl
__funnelshift_r                j:jjj    e:funnel:fshr
__funnelshift_lc               j:jjj    e:funnel:nvvm.fshl.clamp
__funnelshift_rc               j:jjj    e:funnel:nvvm.fshr.clamp
__mulhi                        i:ii     i:llvm.nvvm.mulhi.i
__umulhi                       j:jj     i:llvm.nvvm.mulhi.ui
__mul64hi                      x:xx     i:llvm.nvvm.mulhi.ll
__umul64hi                     y:yy     i:llvm.nvvm.mulhi.ull
__mul24                        i:ii     i:llvm.nvvm.mul24.i
__umul24                       j:jj     i:llvm.nvvm.mul24.ui
__sad                          j:iij    i:llvm.nvvm.sad.i
__usad                         j:jjj    i:llvm.nvvm.sad.ui
__hadd                         i:ii     lib:integer
__rhadd                        i:ii     lib:integer
__uhadd                        j:jj     lib:integer
__urhadd                       j:jj     lib:integer
__dp4a                         i:iii    i:llvm.nvvm.idp4a.s.s
__dp4a                         j:jjj    i:llvm.nvvm.idp4a.u.u
abs                            i:i      e:abs
abs                            T:T      e:abs /lx
abs                            T:T      e:math:fabs /fd
labs                           l:l      e:abs
llabs                          x:x      e:abs
min                            T:TT     e:minmax:min /ijlmxy
min                            T:TT     e:fminmax:minnum /fd
min                            j:ij     e:minmax:min
min                            j:ji     e:minmax:min
min                            m:lm     e:minmax:min
min                            m:ml     e:minmax:min
min                            y:xy     e:minmax:min
min                            y:yx     e:minmax:min
min                            d:fd     e:fminmax:minnum
min                            d:df     e:fminmax:minnum
max                            T:TT     e:minmax:max /ijlmxy
max                            T:TT     e:fminmax:maxnum /fd
max                            j:ij     e:minmax:max
max                            j:ji     e:minmax:max
max                            m:lm     e:minmax:max
max                            m:ml     e:minmax:max
max                            y:xy     e:minmax:max
max                            y:yx     e:minmax:max
max                            d:fd     e:fminmax:maxnum
max                            d:df     e:fminmax:maxnum
umin                           j:jj     e:minmax:min
umax                           j:jj     e:minmax:max
llmin                          x:xx     e:minmax:min
llmax                          x:xx     e:minmax:max
ullmin                         y:yy     e:minmax:min
ullmax                         y:yy     e:minmax:max
atomicAdd                      T:PTT    e:atomic:add /ijyfd
atomicSub                      T:PTT    e:atomic:sub /ij
atomicMin                      T:PTT    e:atomic:min /ijxy
atomicMax                      T:PTT    e:atomic:max /ijxy
atomicInc                      j:Pjj    e:atomic:uinc_wrap
atomicDec                      j:Pjj    e:atomic:udec_wrap
atomicExch                     T:PTT    e:atomic:xchg /ijyf
atomicAnd                      T:PTT    e:atomic:and /ijxy
atomicOr                       T:PTT    e:atomic:or /ijxy
atomicXor                      T:PTT    e:atomic:xor /ijxy
atomicCAS                      T:PTTT   e:cas /ijyt
__float_as_int                 i:f      e:bitcast
__float_as_uint                j:f      e:bitcast
__int_as_float                 f:i      e:bitcast
__uint_as_float                f:j      e:bitcast
__double_as_longlong           x:d      e:bitcast
__longlong_as_double           d:x      e:bitcast
__double2loint                 i:d      e:half_of_double:0
__double2hiint                 i:d      e:half_of_double:32
__hiloint2double               d:ii     e:hilo
__int2float_rn                 f:i      e:convert
__uint2float_rn                f:j      e:convert
__ll2float_rn                  f:x      e:convert
__ull2float_rn                 f:y      e:convert
__int2double_rn                d:i      e:convert
__uint2double_rn               d:j      e:convert
__ll2double_rn                 d:x      e:convert
__ull2double_rn                d:y      e:convert
__double2float_rn              f:d      e:convert
__saturatef                    f:f      i:llvm.nvvm.saturate{z}.f
__fdividef                     f:ff     i:llvm.nvvm.div.approx{z}.f
exp2f                          f:f      i:llvm.nvvm.ex2.approx{z}.f32
exp2                           f:f      i:llvm.nvvm.ex2.approx{z}.f32
exp2                           d:d      lib:exp
__approx_ex2                   f:f      i:llvm.nvvm.ex2.approx.ftz.f32
__approx_lg2                   f:f      i:llvm.nvvm.lg2.approx.ftz.f
__approx_rcp                   f:f      i:llvm.nvvm.rcp.approx.ftz.f
__approx_rcp64                 d:d      e:approx64:rcp
__approx_rsqrt64               d:d      e:approx64:rsqrt
__approx_sqrt                  f:f      i:llvm.nvvm.sqrt.approx.ftz.f
__approx_rsqrt                 f:f      i:llvm.nvvm.rsqrt.approx.ftz.f
fdividef                       f:ff     e:fdividef
fdivide                        f:ff     e:fdividef
fdivide                        d:dd     e:rounded:div:rn
__expf                         f:f      e:exp_approx:1.44269502162933349609375
__exp10f                       f:f      e:exp_approx:3.3219280242919921875
__exp2f                        f:f      i:llvm.nvvm.ex2.approx{z}.f32
__logf                         f:f      e:log_approx:0.693147182464599609375
__log2f                        f:f      i:llvm.nvvm.lg2.approx{z}.f
__log10f                       f:f      e:log_approx:0.3010300099849700927734375
__sinf                         f:f      i:llvm.nvvm.sin.approx{z}.f
__cosf                         f:f      i:llvm.nvvm.cos.approx{z}.f
__tanf                         f:f      e:tan_approx
__sincosf                      v:fPfPf  e:sincos_approx
__powf                         f:ff     e:pow_approx
__tanhf                        f:f      e:tanh_approx
__frsqrt_rn                    f:f      lib:roots
sqrtf                          f:f      e:sqrt
sqrt                           T:T      e:sqrt /fd
rsqrtf                         f:f      i:llvm.nvvm.rsqrt.approx{z}.f
rsqrt                          f:f      i:llvm.nvvm.rsqrt.approx{z}.f
rsqrt                          d:d      lib:roots
fabsf                          f:f      e:math:fabs
fabs                           T:T      e:math:fabs /fd
floorf                         f:f      e:math:floor
floor                          T:T      e:math:floor /fd
ceilf                          f:f      e:math:ceil
ceil                           T:T      e:math:ceil /fd
truncf                         f:f      e:math:trunc
trunc                          T:T      e:math:trunc /fd
rintf                          f:f      e:math:rint
rint                           T:T      e:math:rint /fd
nearbyintf                     f:f      e:math:rint
nearbyint                      T:T      e:math:rint /fd
copysignf                      f:ff     e:math:copysign
copysign                       T:TT     e:math:copysign /fd
fmaf                           f:fff    e:rounded:fma:rn
fma                            T:TTT    e:rounded:fma:rn /fd
fminf                          f:ff     e:fminmax:minnum
fmin                           T:TT     e:fminmax:minnum /fd
fminl                          d:dd     e:fminmax:minnum
fmaxl                          d:dd     e:fminmax:maxnum
fmaxf                          f:ff     e:fminmax:maxnum
fmax                           T:TT     e:fminmax:maxnum /fd
isnan                          b:T      e:classify:nan /fd
isinf                          b:T      e:classify:inf /fd
isfinite                       b:T      e:classify:finite /fd
isnormal                       b:T      e:classify:normal /fd
signbit                        b:T      e:classify:sign /fd
__builtin_constant_p           i:T      e:constant_p /ijlmxyfd
isgreater                      b:TT     e:ordered:ogt /fd
isgreaterequal                 b:TT     e:ordered:oge /fd
isless                         b:TT     e:ordered:olt /fd
islessequal                    b:TT     e:ordered:ole /fd
islessgreater                  b:TT     e:ordered:one /fd
isunordered                    b:TT     e:ordered:uno /fd
__isnanf                       i:f      e:classify:nan
__isnan                        i:d      e:classify:nan
__isinff                       i:f      e:classify:inf
__isinf                        i:d      e:classify:inf
__finitef                      i:f      e:classify:finite
__finite                       i:d      e:classify:finite
__signbitf                     i:f      e:classify:sign
__signbit                      i:d      e:classify:sign
__builtin_inff                 f:       e:constant:inf
__builtin_inf                  d:       e:constant:inf
__builtin_huge_valf            f:       e:constant:inf
__builtin_huge_val             d:       e:constant:inf
__builtin_nanf                 f:PKc    e:constant:nan
__builtin_nan                  d:PKc    e:constant:nan
nanf                           f:PKc    e:constant:nan
nan                            d:PKc    e:constant:nan
__builtin_assume               v:b      e:assume
__assume                       v:b      e:assume
__builtin_expect               l:ll     e:expect
__builtin_unreachable          v:       e:unreachable
__builtin_is_constant_evaluated b:      e:running
__builtin_trap                 v:       e:trap
__builtin_popcount             i:j      i:llvm.ctpop.i32
__builtin_popcountll           i:y      e:popcll
__builtin_ffs                  i:i      e:ffs
__builtin_ffsll                i:x      e:ffs
__builtin_clz                  i:j      e:clz
__builtin_clzll                i:y      e:clz
__builtin_ctz                  i:j      e:ctz
__builtin_bswap32              j:j      i:llvm.bswap.i32
__builtin_assume_aligned       Pv:PKvm  e:assume_aligned
__isCtaShared                  j:PKv    e:is_space:shared
__isGlobal                     j:PKv    e:is_space:global
__isShared                     j:PKv    e:is_space:shared
__isConstant                   j:PKv    e:is_space:const
__isLocal                      j:PKv    e:is_space:local
__cvta_generic_to_shared       m:PKv    e:to_space:3
__cvta_generic_to_global       m:PKv    e:to_space:1
__cvta_generic_to_local        m:PKv    e:to_space:5
__cvta_generic_to_constant     m:PKv    e:to_space:4
__cvta_shared_to_generic       Pv:m     e:from_space:3
__cvta_global_to_generic       Pv:m     e:from_space:1
__cvta_local_to_generic        Pv:m     e:from_space:5
__cvta_constant_to_generic     Pv:m     e:from_space:4
__wmma_load                    v:iiiiiiPvPKvj e:wmma:load
__wmma_store                   v:iiiiiPKvPvj e:wmma:store
__wmma_mma                     v:iiiiiiiiiPvPKvPKvPKv e:wmma:mma
__tex_fetch                    v:iiiiiPvyiffffffffff e:texture
__surf_access                  v:iiiiiPvyiiii e:surface
printf                         i:PKcz   e:printf
__assert_fail                  v:PKcPKcjPKc e:assert_fail
memcpy                         Pv:PvPKvm e:memory:memcpy
memmove                        Pv:PvPKvm e:memory:memmove
memset                         Pv:Pvim  e:memory:memset
malloc                         Pv:m     e:malloc
free                           v:Pv     e:free
__ldg                          v:PKVv     same-type:ldg
__ldcg                         v:PKVv     same-type:ld.cg
__ldca                         v:PKVv     same-type:ld.ca
__ldcs                         v:PKVv     same-type:ld.cs
__ldlu                         v:PKVv     same-type:ld.lu
__ldcv                         v:PKVv     same-type:ld.cv
__stwb                         v:Pvz     same-type:st.wb
__stcg                         v:Pvz     same-type:st.cg
__stcs                         v:Pvz     same-type:st.cs
__stwt                         v:Pvz     same-type:st.wt
"""

# Library functions: name in double precision, parameters after the first, fast form of the float version.
_LIBRARY = """
exp exp T exp_approx:1.44269502162933349609375
exp10 exp T exp_approx:3.3219280242919921875
expm1 exp T
log log T log_approx:0.693147182464599609375
log2 log T i:llvm.nvvm.lg2.approx{z}.f
log10 log T log_approx:0.3010300099849700927734375
log1p log T
pow pow TT pow_approx
sin trig T i:llvm.nvvm.sin.approx{z}.f
cos trig T i:llvm.nvvm.cos.approx{z}.f
tan trig T tan_approx
sinpi trig T
cospi trig T
asin inverse T
acos inverse T
atan inverse T
atan2 inverse TT
sinh hyperbolic T
cosh hyperbolic T
tanh hyperbolic T tanh_approx
asinh hyperbolic T
acosh hyperbolic T
atanh hyperbolic T
erf erf T
erfc erf T
erfcx erf T
normcdf erf T
cbrt roots T
rcbrt roots T
hypot roots TT
rhypot roots TT
norm3d roots TTT
rnorm3d roots TTT
norm4d roots TTTT
rnorm4d roots TTTT
j0 bessel T
j1 bessel T
y0 bessel T
y1 bessel T
cyl_bessel_i0 bessel T
cyl_bessel_i1 bessel T
lgamma gamma T
tgamma gamma T
erfinv inverf T
erfcinv inverf T
normcdfinv inverf T
fmod remainder TT
remainder remainder TT
round rounding T
fdim rounding TT
nextafter rounding TT
logb rounding T
"""
# Names whose parameters are not all of the function's type.
_IRREGULAR = """
sincos trig v:TPTPT sincos_approx
sincospi trig v:TPTPT
ldexp rounding T:Ti
scalbn rounding T:Ti
scalbln rounding T:Tl
frexp rounding T:TPi
modf rounding T:TPT
ilogb rounding i:T
remquo remainder T:TTPi
jn bessel T:iT
yn bessel T:iT
norm roots T:iPKT
rnorm roots T:iPKT
lround rounding l:T
llround rounding x:T
lrint rounding l:T
llrint rounding x:T
"""
# Functions with a single-precision form of their own, by the file that has it; the others go through double precision.
_SINGLE = {
    **dict.fromkeys(["exp", "exp10", "expm1", "sinh", "cosh", "tanh"], "expf"),
    **dict.fromkeys(["log", "log2", "log10", "log1p", "asinh", "acosh", "atanh", "pow"], "logf"),
    **dict.fromkeys(["sin", "cos", "tan", "sincos", "sinpi", "cospi", "sincospi", "asin", "acos", "atan"], "trigf"),
    **dict.fromkeys(["erf", "erfc", "erfcx", "normcdf", "cbrt", "rcbrt", "erfinv", "erfcinv", "normcdfinv"], "erff"),
}
_INTEGERS = "cahstijlmxyb"


def _rounded() -> dict[str, list[str]]:
    """Arithmetic and conversions with a rounding mode in the name."""
    out: dict[str, list[str]] = {}
    for mode in ("rn", "rz", "ru", "rd"):
        nv = {"ru": "rp", "rd": "rm"}.get(mode, mode)
        for op in ("add", "sub", "mul", "div"):
            out[f"__f{op}_{mode}"] = [f"f:ff e:rounded:{op}:{nv}"]
            out[f"__d{op}_{mode}"] = [f"d:dd e:rounded:{op}:{nv}"]
        out[f"__fmaf_{mode}"] = [f"f:fff e:rounded:fma:{nv}"]
        out[f"__fmaf_ieee_{mode}"] = [f"f:fff i:llvm.nvvm.fma.{nv}.f"]
        out[f"__fma_{mode}"] = [f"d:ddd e:rounded:fma:{nv}"]
        for op in ("rcp", "sqrt"):
            out[f"__f{op}_{mode}"] = [f"f:f i:llvm.nvvm.{op}.{nv}{{z}}.f"]
            out[f"__d{op}_{mode}"] = [f"d:d i:llvm.nvvm.{op}.{nv}.d"]
        for name, code, nvname in (("int", "i", "i"), ("uint", "j", "ui"), ("ll", "x", "ll"), ("ull", "y", "ull")):
            out[f"__float2{name}_{mode}"] = [f"{code}:f i:llvm.nvvm.f2{nvname}.{nv}{{z}}"]
            out[f"__double2{name}_{mode}"] = [f"{code}:d i:llvm.nvvm.d2{nvname}.{nv}"]
            if mode != "rn":
                out[f"__{name}2float_{mode}"] = [f"f:{code} i:llvm.nvvm.{nvname}2f.{nv}"]
                out[f"__{name}2double_{mode}"] = [f"d:{code} i:llvm.nvvm.{nvname}2d.{nv}"]
        if mode != "rn":
            out[f"__double2float_{mode}"] = [f"f:d i:llvm.nvvm.d2f.{nv}{{z}}"]
    return out


def _index() -> dict[str, list[str]]:
    out = _rounded()
    for line in _ROWS.strip().split("\n"):
        name, rest = line.split(None, 1)
        out.setdefault(name, []).append(rest)
    for scoped in [n for n in out if n.startswith("atomic")]:
        for suffix, scope in (("_block", "block"), ("_system", "system")):
            out[scoped + suffix] = [" ".join(_scoped(r.split(), scope)) for r in out[scoped]]
    for line in _LIBRARY.strip().split("\n"):
        words = line.split()
        name, _, params = words[:3]
        fast = f"|{'e:' if not words[3].startswith('i:') else ''}{words[3]}" if len(words) > 3 else ""
        single, double = params.replace("T", "f"), params.replace("T", "d")
        row = f"f:{single} lib:{_SINGLE.get(name, words[1])}{fast}"
        out[name + "f"] = [row]
        out[name] = [row, f"d:{double} lib:{words[1]}"]
    for line in _IRREGULAR.strip().split("\n"):
        words = line.split()
        fast = f"|e:{words[3]}" if len(words) > 3 else ""
        single, double = words[2].replace("T", "f"), words[2].replace("T", "d")
        row = f"{single} lib:{_SINGLE.get(words[0], words[1])}{fast}"
        out[words[0] + "f"] = [row]
        out[words[0]] = [row, f"{double} lib:{words[1]}"]
    return out


def _scoped(words: list[str], scope: str) -> list[str]:
    words[1] += f":{scope}"
    return words


_rows: dict[str, list[str]] = {}
_parsed: dict[tuple[str, bool], list[object]] = {}


def _types(code: str) -> tuple[list[Type], bool]:
    out: list[Type] = []
    i, variadic = 0, False
    while i < len(code):
        start = i
        while code[i] in "PKV":
            i += 1
        if code[i] == "z":
            variadic = True
        else:
            t = ty.BY_CODE[code[i]]
            for mark in reversed(code[start:i]):
                t = ty.pointer(t) if mark == "P" else ty.qualified(t, ty.CONST if mark == "K" else ty.VOLATILE)
            out.append(t)
        i += 1
    return out, variadic


def names() -> list[str]:
    """All that a program may name."""
    if not _rows:
        _rows.update(_index())
    return [*SPECIAL, *(name for name in _rows if not name.startswith("__mcc_"))]


def find(name: str, fast: bool) -> list[object] | None:
    """The overload set of a built-in function, or None."""
    known = _parsed.get((name, fast))
    if known is not None:
        return known
    if name.startswith("__mcc_"):
        half = halves.signature(name)
        return half and [Builtin(name, half[0], half[1], "e", half[2])]
    if not _rows:
        _rows.update(_index())
    if name.startswith("operator "):
        return _ALLOCATION.get(name)
    rows = _rows.get(name)
    if rows is None:
        return _gnu(name, fast)
    made: list[object] = []
    for row in rows:
        words = row.split()
        letters = words[2][1:] if len(words) > 2 else "T"
        for letter in letters:
            result, _, params = words[0].replace("T", letter).partition(":")
            how = words[1]
            if "|" in how:
                how = how.split("|")[1 if fast and params[0] == "f" else 0]
            kind, _, rest = how.partition(":")
            types, variadic = _types(params)
            if kind == "lib":
                precise = name if "f" not in params or (name.endswith("f") and name[:-1] in _rows) else name + "f"
                how = f"lib:{rest}:{precise if rest != 'integer' and name[:2] != '__' and name != 'rsqrt' else name}"
                made.append(Builtin(name, _types(result)[0][0], tuple(types), how))
            elif kind == "same-type":
                made.append(Builtin(name, ty.VOID, tuple(types), "same-type", rest, variadic))
            else:
                made.append(Builtin(name, _types(result)[0][0], tuple(types), kind, rest, variadic))
    _parsed[name, fast] = made
    return made


_GNU = "__builtin_"


def _gnu(name: str, fast: bool) -> list[object] | None:
    """GCC's name of a function of C's library: __builtin_fabs is fabs of doubles alone, __builtin_fabsf that of floats.
    nvcc takes those of math, memcpy and memset."""
    plain = name.removeprefix(_GNU)
    if plain == name or plain[:1] == "_":
        return None
    found = [b for b in find(plain, fast) or () if isinstance(b, Builtin)]
    if plain in ("memcpy", "memset", "isnan", "isinf", "isfinite", "signbit"):
        return list(found)
    first = {"abs": ty.INT, "f": ty.FLOAT}.get(plain if plain == "abs" else plain[-1:], ty.DOUBLE)
    chosen: list[object] = [b for b in found if b.params[:1] == (first,)]
    return chosen or None


_ALLOCATION: dict[str, list[object]] = {
    **{
        name: [Builtin(name, ty.pointer(ty.VOID), (ty.ULONG,), "e", "malloc")]
        for name in ("operator new", "operator new[]")
    },
    **{
        name: [Builtin(name, ty.VOID, (ty.pointer(ty.VOID), *size), "e", "free") for size in ((), (ty.ULONG,))]
        for name in ("operator delete", "operator delete[]")
    },
}
"""The device's `::operator new(n)` and `::operator delete(p)`, called by name."""

SPECIAL: dict[str, tuple[str, str]] = {
    "threadIdx": ("uint3", "tid"),
    "blockIdx": ("uint3", "ctaid"),
    "blockDim": ("dim3", "ntid"),
    "gridDim": ("dim3", "nctaid"),
    "warpSize": ("int", "warpsize"),
}
"""Name to type and special-register stem."""
