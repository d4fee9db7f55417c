"""Floating-point functions: square root, reciprocal, sine, cosine, logarithm, exponential, and rounding modes."""

from __future__ import annotations

from minicc.isel.patterns import Row

ROWS: list[Row] = [
    Row("fsqrt.f32(a)", "sqrt.rn{z}.f32 $d, $a", "fsqrt"),
    Row("fsqrt.f64(a)", "sqrt.rn.f64 $d, $a", "fsqrt64"),
    Row("fsqrtapprox.f32(a)", "sqrt.approx{z}.f32 $d, $a", "mufu2"),
    Row("frsqrt.f32(a)", "rsqrt.approx{z}.f32 $d, $a", "mufu"),
    Row("frsqrt.f64(a)", "rsqrt.approx.f64 $d, $a", "fdiv64"),
    Row("frsqrtftz.f32(a)", "rsqrt.approx.ftz.f32 $d, $a", "mufu"),
    Row("frsqrtftz.f64(a)", "rsqrt.approx.ftz.f64 $d, $a", "mufu"),
    Row("frcpapprox.f32(fsqrtapprox.f32(a))", "rsqrt.approx{z}.f32 $d, $a", "mufu"),
    Row("fex2.f32(a)", "ex2.approx{z}.f32 $d, $a", "mufu2"),
    Row("flg2.f32(a)", "lg2.approx{z}.f32 $d, $a", "mufu2"),
    Row("fsin.f32(a)", "sin.approx{z}.f32 $d, $a", "mufu2"),
    Row("fcos.f32(a)", "cos.approx{z}.f32 $d, $a", "mufu2"),
    Row("fex2ftz.f32(a)", "ex2.approx.ftz.f32 $d, $a", "mufu"),
    Row("flg2ftz.f32(a)", "lg2.approx.ftz.f32 $d, $a", "mufu"),
    Row("fsinftz.f32(a)", "sin.approx.ftz.f32 $d, $a", "mufu2"),
    Row("fcosftz.f32(a)", "cos.approx.ftz.f32 $d, $a", "mufu2"),
    Row("ftanh.f32(a)", "tanh.approx.f32 $d, $a", "mufu", 75),
    Row("fex2.f16(a)", "ex2.approx.f16 $d, $a", "mufu", 75),
    Row("ftanh.f16(a)", "tanh.approx.f16 $d, $a", "mufu", 75),
    Row("copysign.f32(a:ri, b:ri)", "copysign.f32 $d, $a, $b", "alu"),
    Row("copysign.f64(a:ri, b:ri)", "copysign.f64 $d, $a, $b", "alu2"),
]

# Directed rounding, flushing and saturation, from intrinsics that name them.
for _r in ("rn", "rz", "rm", "rp"):
    for _t, _cost in (("f32", "fma"), ("f64", "fp64")):
        for _f in ("", "ftz") if _t == "f32" else ("",):
            _z = ".ftz" if _f else "{z}" if _t == "f32" else ""
            _n = f"{_r}{_f}"
            ROWS += [
                Row(f"fma{_n}.{_t}(a:ri, b:ri, c:ri)", f"fma.{_r}{_z}.{_t} $d, $a, $b, $c", _cost),
                Row(f"fadd{_n}.{_t}(a, b:ri)", f"add.{_r}{_z}.{_t} $d, $a, $b", _cost),
                Row(f"fsub{_n}.{_t}(a:ri, b:ri)", f"sub.{_r}{_z}.{_t} $d, $a, $b", _cost),
                Row(f"fmul{_n}.{_t}(a, b:ri)", f"mul.{_r}{_z}.{_t} $d, $a, $b", _cost),
                Row(f"fdiv{_n}.{_t}(a:ri, b:ri)", f"div.{_r}{_z}.{_t} $d, $a, $b", "fdiv"),
                Row(f"frcp{_n}.{_t}(a)", f"rcp.{_r}{_z}.{_t} $d, $a", "fdiv"),
                Row(f"fsqrt{_n}.{_t}(a)", f"sqrt.{_r}{_z}.{_t} $d, $a", "fsqrt"),
            ]
for _t, _z in (("f32", "{z}"), ("f64", "")):
    _cost = "xu" if _t == "f32" else "xu64"
    ROWS += [
        Row(f"ftrunc.{_t}(a)", f"cvt.rzi{_z}.{_t}.{_t} $d, $a", _cost),
        Row(f"ffloor.{_t}(a)", f"cvt.rmi{_z}.{_t}.{_t} $d, $a", _cost),
        Row(f"fceil.{_t}(a)", f"cvt.rpi{_z}.{_t}.{_t} $d, $a", _cost),
        Row(f"frint.{_t}(a)", f"cvt.rni{_z}.{_t}.{_t} $d, $a", _cost),
    ]
for _op, _r in (("ftrunc", "rzi"), ("ffloor", "rmi"), ("fceil", "rpi"), ("frint", "rni")):
    ROWS.append(Row(f"{_op}.f16(a)", f"cvt.{_r}.f16.f16 $d, $a", "xu"))
ROWS += [
    Row("fsat.f32(a)", "cvt.sat{z}.f32.f32 $d, $a", "fma"),
    Row("fdivapproxftz.f32(a:ri, b:ri)", "div.approx.ftz.f32 $d, $a, $b", "fapprox"),
    Row("fdivfullftz.f32(a:ri, b:ri)", "div.full.ftz.f32 $d, $a, $b", "fapprox"),
    Row("fsqrtapproxftz.f32(a)", "sqrt.approx.ftz.f32 $d, $a", "mufu2"),
    Row("fminftz.f32(a, b:ri)", "min.ftz.f32 $d, $a, $b", "alu"),
    Row("fmaxftz.f32(a, b:ri)", "max.ftz.f32 $d, $a, $b", "alu"),
    Row("fabsftz.f32(a)", "abs.ftz.f32 $d, $a", "fma"),
    Row("ffloorftz.f32(a)", "cvt.rmi.ftz.f32.f32 $d, $a", "xu"),
    Row("fceilftz.f32(a)", "cvt.rpi.ftz.f32.f32 $d, $a", "xu"),
    Row("ftruncftz.f32(a)", "cvt.rzi.ftz.f32.f32 $d, $a", "xu"),
    Row("frintftz.f32(a)", "cvt.rni.ftz.f32.f32 $d, $a", "xu"),
    Row("fsatftz.f32(a)", "cvt.sat.ftz.f32.f32 $d, $a", "fma"),
]

# Comparisons (LLVM predicate -> PTX), and selection by them.
FCMP = {"oeq": "eq", "ogt": "gt", "oge": "ge", "olt": "lt", "ole": "le", "one": "ne", "ord": "num"} | {
    "ueq": "equ",
    "ugt": "gtu",
    "uge": "geu",
    "ult": "ltu",
    "ule": "leu",
    "une": "neu",
    "uno": "nan",
}
for _p, _cc in FCMP.items():
    ROWS += [
        Row(f"fcmp.{_p}.f32(a:ri, b:ri)", f"setp.{_cc}{{z}}.f32 $d, $a, $b", "setp"),
        Row(f"fcmp.{_p}.f64(a:ri, b:ri)", f"setp.{_cc}.f64 $d, $a, $b", "fp64"),
        Row(f"fcmp.{_p}.f16(a, b)", f"setp.{_cc}.f16 $d, $a, $b", "half", 53),
        Row(f"fcmp.{_p}.bf16(a, b)", f"setp.{_cc}.bf16 $d, $a, $b", "half", 90),
    ]
for _t, _b, _cost in (("f32", "f32", "sel"), ("f64", "f64", "alu2"), ("f16", "b16", "sel"), ("bf16", "b16", "sel")):
    _c = "ri" if _t in ("f32", "f64") else "r"
    ROWS.append(Row(f"select.{_t}(p, a:{_c}, b:{_c})", f"selp.{_b} $d, $a, $b, $p", _cost))
