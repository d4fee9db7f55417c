"""Arithmetic: integer and floating add, subtract, multiply, multiply-add, divide, remainder, negate, absolute value."""

from __future__ import annotations

from minicc.isel.patterns import Row

_INT = [("i32", "s32", "u32", "alu", "imad"), ("i64", "s64", "u64", "alu2", "mul64")]

ROWS: list[Row] = []
for _t, _s, _u, _alu, _mul in _INT:
    ROWS += [
        Row(f"add.{_t}(a, b:ri)", f"add.{_s} $d, $a, $b", _alu),
        Row(f"sub.{_t}(=0, a)", f"neg.{_s} $d, $a", _alu),
        Row(f"sub.{_t}(a:ri, b:ri)", f"sub.{_s} $d, $a, $b", _alu),
        Row(f"mul.{_t}(a, b:ri)", f"mul.lo.{_s} $d, $a, $b", _mul),
        Row(f"add.{_t}(mul.{_t}(a, b:ri), c:ri)", f"mad.lo.{_s} $d, $a, $b, $c", _mul),
        Row(f"abs.{_t}(a)", f"abs.{_s} $d, $a", "alu" if _t == "i32" else "alu4"),
        Row(f"smin.{_t}(a, b:ri)", f"min.{_s} $d, $a, $b", "alu" if _t == "i32" else "alu4"),
        Row(f"smax.{_t}(a, b:ri)", f"max.{_s} $d, $a, $b", "alu" if _t == "i32" else "alu4"),
        Row(f"umin.{_t}(a, b:ri)", f"min.{_u} $d, $a, $b", "alu" if _t == "i32" else "alu4"),
        Row(f"umax.{_t}(a, b:ri)", f"max.{_u} $d, $a, $b", "alu" if _t == "i32" else "alu4"),
        Row(f"sdiv.{_t}(a:ri, b:ri)", f"div.{_s} $d, $a, $b", "div32" if _t == "i32" else "div64"),
        Row(f"udiv.{_t}(a:ri, b:ri)", f"div.{_u} $d, $a, $b", "div32" if _t == "i32" else "div64"),
        Row(f"srem.{_t}(a:ri, b:ri)", f"rem.{_s} $d, $a, $b", "div32" if _t == "i32" else "div64"),
        Row(f"urem.{_t}(a:ri, b:ri)", f"rem.{_u} $d, $a, $b", "div32" if _t == "i32" else "div64"),
        Row(f"mulhis.{_t}(a, b:ri)", f"mul.hi.{_s} $d, $a, $b", "mulhi" if _t == "i32" else "mulhi64"),
        Row(f"mulhiu.{_t}(a, b:ri)", f"mul.hi.{_u} $d, $a, $b", "mulhi" if _t == "i32" else "mulhi64"),
    ]

# Multiply-add by a power of two: LLVM writes shifts; one IMAD is cheaper than shift and add where LEA is not at hand.
ROWS += [
    Row("add.i32(shl.i32(a, b:i5), c)", "mad.lo.s32 $d, $a, $b:exp2, $c", "imad"),
    Row("add.i64(mulhiu.i64(a, b:ri), c:ri)", "mad.hi.u64 $d, $a, $b, $c", "mulhi64"),
    Row("add.i32(mulhiu.i32(a, b:ri), c:ri)", "mad.hi.u32 $d, $a, $b, $c", "mulhi"),
    Row("add.i32(mulhis.i32(a, b:ri), c:ri)", "mad.hi.s32 $d, $a, $b, $c", "mulhi"),
]

# Widening multiplications. The shifted form is what address arithmetic becomes.
for _ext, _w in (("sext", "s32"), ("zext", "u32")):
    ROWS += [
        Row(f"mul.i64({_ext}.i64.i32(a), {_ext}.i64.i32(b))", f"mul.wide.{_w} $d, $a, $b", "wide", 20, "dup"),
        Row(
            f"add.i64(mul.i64({_ext}.i64.i32(a), {_ext}.i64.i32(b)), c)",
            f"mad.wide.{_w} $d, $a, $b, $c",
            "wide",
            20,
            "dup",
        ),
        Row(f"shl.i64({_ext}.i64.i32(a), b:i5)", f"mul.wide.{_w} $d, $a, $b:exp2{_w[0]}", "wide", 20, "dup"),
        Row(
            f"add.i64(shl.i64({_ext}.i64.i32(a), b:i5), c)",
            f"mad.wide.{_w} $d, $a, $b:exp2{_w[0]}, $c",
            "wide",
            20,
            "dup",
        ),
    ]
ROWS += [
    Row("mul.i64(sext.i64.i32(a), b:s31)", "mul.wide.s32 $d, $a, $b:s32", "wide", 20, "dup"),
    Row("mul.i64(zext.i64.i32(a), b:u32)", "mul.wide.u32 $d, $a, $b", "wide", 20, "dup"),
    Row("add.i64(mul.i64(sext.i64.i32(a), b:s31), c)", "mad.wide.s32 $d, $a, $b:s32, $c", "wide", 20, "dup"),
    Row("add.i64(mul.i64(zext.i64.i32(a), b:u32), c)", "mad.wide.u32 $d, $a, $b, $c", "wide", 20, "dup"),
    Row("add.i64(sext.i64.i32(a), c)", "mad.wide.s32 $d, $a, 1, $c", "wide", 20, "dup"),
    Row("add.i64(zext.i64.i32(a), c)", "mad.wide.u32 $d, $a, 1, $c", "wide", 20, "dup"),
]

for _t, _z, _cost, _div in (("f32", "{z}", "fma", "fdiv"), ("f64", "", "fp64", "fdiv64")):
    for _c in ("", "c"):
        ROWS += [
            Row(f"fadd{_c}.{_t}(a, b:ri)", f"add{'' if _c else '.rn'}{_z}.{_t} $d, $a, $b", _cost),
            Row(f"fsub{_c}.{_t}(a:ri, b:ri)", f"sub{'' if _c else '.rn'}{_z}.{_t} $d, $a, $b", _cost),
            Row(f"fmul{_c}.{_t}(a, b:ri)", f"mul{'' if _c else '.rn'}{_z}.{_t} $d, $a, $b", _cost),
        ]
    ROWS += [
        Row(f"faddc.{_t}(fmulc.{_t}(a, b:ri), c:ri)", f"fma.rn{_z}.{_t} $d, $a, $b, $c", _cost),
        Row(f"fma.{_t}(a:ri, b:ri, c:ri)", f"fma.rn{_z}.{_t} $d, $a, $b, $c", _cost),
        Row(f"fneg.{_t}(a)", f"neg{_z}.{_t} $d, $a", _cost),
        Row(f"fabs.{_t}(a)", f"abs{_z}.{_t} $d, $a", _cost),
        Row(f"fdiv.{_t}(a:ri, b:ri)", f"div.rn{_z}.{_t} $d, $a, $b", _div),
        Row(f"frcp.{_t}(a)", f"rcp.rn{_z}.{_t} $d, $a", _div),
        Row(f"fmin.{_t}(a, b:ri)", f"min{_z}.{_t} $d, $a, $b", "alu" if _t == "f32" else "fp64x2"),
        Row(f"fmax.{_t}(a, b:ri)", f"max{_z}.{_t} $d, $a, $b", "alu" if _t == "f32" else "fp64x2"),
    ]
# a*b - c and c - a*b: a negated operand is a modifier of the machine's instruction, so the fma with a negation costs
# no more than a subtraction.
for _t, _z, _cost in (("f32", "{z}", "fma"), ("f64", "", "fp64")):
    ROWS += [
        Row(
            f"fsubc.{_t}(fmulc.{_t}(a, b:ri), c)",
            f"neg{_z}.{_t} $t1.{_t}, $c; fma.rn{_z}.{_t} $d, $a, $b, $t1.{_t}",
            _cost,
        ),
        Row(f"fsubc.{_t}(fmulc.{_t}(a, b:ri), c:i)", f"fma.rn{_z}.{_t} $d, $a, $b, $c:fneg", _cost),
        Row(
            f"fsubc.{_t}(c:ri, fmulc.{_t}(a, b))",
            f"neg{_z}.{_t} $t1.{_t}, $a; fma.rn{_z}.{_t} $d, $t1.{_t}, $b, $c",
            _cost,
        ),
        Row(f"fsubc.{_t}(c:ri, fmulc.{_t}(a, b:i))", f"fma.rn{_z}.{_t} $d, $a, $b:fneg, $c", _cost),
    ]
ROWS += [
    Row("fdivfull.f32(a:ri, b:ri)", "div.full{z}.f32 $d, $a, $b", "fapprox"),
    Row("fdivapprox.f32(a:ri, b:ri)", "div.approx{z}.f32 $d, $a, $b", "fapprox"),
    Row("frcpapprox.f32(a)", "rcp.approx{z}.f32 $d, $a", "mufu"),
    Row("frcpapproxftz.f32(a)", "rcp.approx.ftz.f32 $d, $a", "mufu"),
    Row("frcpapproxftz.f64(a)", "rcp.approx.ftz.f64 $d, $a", "mufu"),
    Row("fminnan.f32(a, b:ri)", "min{z}.NaN.f32 $d, $a, $b", "alu", 80),
    Row("fmaxnan.f32(a, b:ri)", "max{z}.NaN.f32 $d, $a, $b", "alu", 80),
    Row("mul24.i32(a, b:ri)", "mul24.lo.s32 $d, $a, $b", "imad"),
    Row("umul24.i32(a, b:ri)", "mul24.lo.u32 $d, $a, $b", "imad"),
]
# 16-bit floats, alone and in pairs. The type is a word of the operation; pairs are i32 values.
for _t, _sm in (("f16", 53), ("bf16", 90)):
    _first = _sm if _t == "f16" else 80
    for _x in ("", "x2"):
        _h = _t + _x
        for _c in ("", "c"):
            ROWS += [
                Row(f"fadd{_c}.{_h}(a, b)", f"add{'' if _c else '.rn'}.{_h} $d, $a, $b", "half", _sm),
                Row(f"fsub{_c}.{_h}(a, b)", f"sub{'' if _c else '.rn'}.{_h} $d, $a, $b", "half", _sm),
                Row(f"fmul{_c}.{_h}(a, b)", f"mul{'' if _c else '.rn'}.{_h} $d, $a, $b", "half", _sm),
            ]
        _r = "i32" if _x else _t
        ROWS += [
            Row(f"faddc.{_h}(fmulc.{_h}(a, b), c)", f"fma.rn.{_h} $d, $a, $b, $c", "half", _sm),
            Row(
                f"fsubc.{_h}(fmulc.{_h}(a, b), c)",
                f"neg.{_h} $t1.{_r}, $c; fma.rn.{_h} $d, $a, $b, $t1.{_r}",
                "half2",
                _sm,
            ),
            Row(
                f"fsubc.{_h}(c, fmulc.{_h}(a, b))",
                f"neg.{_h} $t1.{_r}, $a; fma.rn.{_h} $d, $t1.{_r}, $b, $c",
                "half2",
                _sm,
            ),
            Row(f"fma.{_h}(a, b, c)", f"fma.rn.{_h} $d, $a, $b, $c", "half", _first),
            Row(f"fneg.{_h}(a)", f"neg.{_h} $d, $a", "half", _first),
            Row(f"fabs.{_h}(a)", f"abs.{_h} $d, $a", "half", _first),
            Row(f"fmin.{_h}(a, b)", f"min.{_h} $d, $a, $b", "half", 80),
            Row(f"fmax.{_h}(a, b)", f"max.{_h} $d, $a, $b", "half", 80),
            Row(f"fminnan.{_h}(a, b)", f"min.NaN.{_h} $d, $a, $b", "half", 80),
            Row(f"fmaxnan.{_h}(a, b)", f"max.NaN.{_h} $d, $a, $b", "half", 80),
        ]
