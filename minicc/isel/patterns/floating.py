"""Floating-point functions by rounding mode: directed arithmetic, rounding to integers, approximations, tests."""

from __future__ import annotations

from minicc.isel.patterns import Row

ROWS: list[Row] = []

# Rounding that the operation names: the document's rn, rz, rd (PTX: rm) and ru (rp). It says, too, whether it flushes.
for _r in ("rn", "rz", "rm", "rp"):
    for _t, _z, _cost in (("f32", "{ftz}", "fma"), ("f64", "", "fp64")):
        _w = "64" if _t == "f64" else ""
        ROWS += [
            Row(f"fma.{_r}{_z}.{_t}(a:ri, b:ri, c:ri)", f"fma.{_r}{_z}.{_t} $d, $a, $b, $c", _cost),
            Row(f"fadd.{_r}{_z}.{_t}(a, b:ri)", f"add.{_r}{_z}.{_t} $d, $a, $b", _cost),
            Row(f"fmul.{_r}{_z}.{_t}(a, b:ri)", f"mul.{_r}{_z}.{_t} $d, $a, $b", _cost),
            Row(f"fadd.{_r}{_z}.{_t}(a, fneg.{_t}(b))", f"sub.{_r}{_z}.{_t} $d, $a, $b", _cost),
            Row(f"fdiv.{_r}{_z}.{_t}(a:ri, b:ri)", f"div.{_r}{_z}.{_t} $d, $a, $b", "fdiv" + _w),
            Row(f"frcp.{_r}{_z}.{_t}(a)", f"rcp.{_r}{_z}.{_t} $d, $a", "fdiv" + _w),
            Row(f"fsqrt.{_r}{_z}.{_t}(a)", f"sqrt.{_r}{_z}.{_t} $d, $a", "fsqrt" + _w),
        ]
ROWS += [
    Row("fma.{rnd}{ftz}.sat.f32(a:ri, b:ri, c:ri)", "fma.{rnd}{ftz}.sat.f32 $d, $a, $b, $c", "fma"),
    Row("fadd.{rnd}{ftz}.sat.f32(a, b:ri)", "add.{rnd}{ftz}.sat.f32 $d, $a, $b", "fma"),
]

# To an integer in floating-point format.
for _op, _r in (("frint", "rni"), ("ftrunc", "rzi"), ("ffloor", "rmi"), ("fceil", "rpi")):
    ROWS += [
        Row(f"{_op}{{fz}}.f32(a)", f"cvt.{_r}{{fz}}.f32.f32 $d, $a", "xu"),
        Row(f"{_op}.f64(a)", f"cvt.{_r}.f64.f64 $d, $a", "xu64"),
        Row(f"{_op}.f16(a)", f"cvt.{_r}.f16.f16 $d, $a", "xu", 53),
        Row(f"{_op}.bf16(a)", f"cvt.{_r}.bf16.bf16 $d, $a", "xu", 90),
    ]

# The special-function unit. Without .ftz, denormal operands are scaled before and after.
ROWS += [
    Row("fsqrtapprox{fz}.f32(a)", "sqrt.approx{fz}.f32 $d, $a", "mufu2"),
    Row("frsqrt{fz}.f32(a)", "rsqrt.approx{fz}.f32 $d, $a", "mufu"),
    Row("frsqrt.f64(a)", "rsqrt.approx.f64 $d, $a", "fdiv64"),
    Row("frsqrt.ftz.f64(a)", "rsqrt.approx.ftz.f64 $d, $a", "mufu"),
    Row("frcpapprox.f32(fsqrtapprox.f32(a))", "rsqrt.approx{z}.f32 $d, $a", "mufu"),
    Row("frcpapprox{fz}.f32(a)", "rcp.approx{fz}.f32 $d, $a", "mufu"),
    Row("frcpapprox.ftz.f64(a)", "rcp.approx.ftz.f64 $d, $a", "mufu"),
    Row("fex2.f32(a)", "ex2.approx{z}.f32 $d, $a", "mufu2"),
    Row("fex2.ftz.f32(a)", "ex2.approx.ftz.f32 $d, $a", "mufu"),
    Row("flg2.f32(a)", "lg2.approx{z}.f32 $d, $a", "mufu2"),
    Row("flg2.ftz.f32(a)", "lg2.approx.ftz.f32 $d, $a", "mufu"),
    Row("fsin{fz}.f32(a)", "sin.approx{fz}.f32 $d, $a", "mufu2"),
    Row("fcos{fz}.f32(a)", "cos.approx{fz}.f32 $d, $a", "mufu2"),
    Row("ftanh.f32(a)", "tanh.approx.f32 $d, $a", "mufu", 75),
    Row("fex2.{hx}(a)", "ex2.approx.{hx} $d, $a", "mufu", 75),
    Row("fex2.{bx}(a)", "ex2.approx.ftz.{bx} $d, $a", "mufu", 90),
    Row("ftanh.{hx}(a)", "tanh.approx.{hx} $d, $a", "mufu", 75),
    Row("ftanh.{bx}(a)", "tanh.approx.{bx} $d, $a", "mufu", 90),
    Row("fdivfull{fz}.f32(a:ri, b:ri)", "div.full{fz}.f32 $d, $a, $b", "fapprox"),
    Row("fdivapprox{fz}.f32(a:ri, b:ri)", "div.approx{fz}.f32 $d, $a, $b", "fapprox"),
]

# Saturation, signs, tests and comparisons.
ROWS += [
    Row("fsat{fz}.f32(a)", "cvt.sat{fz}.f32.f32 $d, $a", "fma"),
    Row("fsat.f64(a)", "cvt.sat.f64.f64 $d, $a", "xu64"),
    Row("copysign.f32(a:ri, b:ri)", "copysign.f32 $d, $a, $b", "alu"),
    Row("copysign.f64(a:ri, b:ri)", "copysign.f64 $d, $a, $b", "alu2"),
    Row("fcmp.{fcc}.f32(a:ri, b:ri)", "setp.{fcc}{z}.f32 $d, $a, $b", "setp"),
    Row("fcmp.{fcc}.f64(a:ri, b:ri)", "setp.{fcc}.f64 $d, $a, $b", "fp64"),
    Row("fcmp.{fcc}.f16(a, b)", "setp.{fcc}.f16 $d, $a, $b", "half", 53),
    Row("fcmp.{fcc}.bf16(a, b)", "setp.{fcc}.bf16 $d, $a, $b", "bhalf", 90),
    Row("select.f32(p, a:ri, b:ri)", "selp.f32 $d, $a, $b, $p", "sel"),
    Row("select.f64(p, a:ri, b:ri)", "selp.f64 $d, $a, $b, $p", "alu2"),
    Row("select.{hb}(p, a, b)", "selp.b16 $d, $a, $b, $p", "sel"),
]
