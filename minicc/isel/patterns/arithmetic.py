"""Arithmetic: add, subtract, multiply, multiply-add, divide, remainder, negate, absolute value, of every type."""

from __future__ import annotations

from minicc.isel.patterns import Row
from minicc.isel.patterns.special import ARITHMETIC

ROWS: list[Row] = []

# --- integers ---------------------------------------------------------------------------------------------------

_INT = [
    ("i32", "s32", "u32", "alu", "imad", "div32", "mulhi"),
    ("i64", "s64", "u64", "alu2", "mul64", "div64", "mulhi64"),
]
for _t, _s, _u, _alu, _mul, _div, _high in _INT:
    ROWS += [
        Row(f"add.{_t}(a, b)", f"add.{_s} $d, $a, $b", _alu),
        Row(f"add.{_t}(a, b:i)", f"add.{_s} $d, $a, $b", _alu),
        Row(f"sub.{_t}(=0, a)", f"neg.{_s} $d, $a", _alu),
        Row(f"sub.{_t}(a, b)", f"sub.{_s} $d, $a, $b", _alu),
        Row(f"sub.{_t}(a:i, b)", f"sub.{_s} $d, $a, $b", _alu),
        Row(f"mul.{_t}(a, b)", f"mul.lo.{_s} $d, $a, $b", _mul),
        Row(f"mul.{_t}(a, b:i)", f"mul.lo.{_s} $d, $a, $b", _mul),
        Row(f"add.{_t}(mul.{_t}(a, b:ri), c)", f"mad.lo.{_s} $d, $a, $b, $c", _mul),
        Row(f"add.{_t}(mul.{_t}(a, b:ri), c:i)", f"mad.lo.{_s} $d, $a, $b, $c", _mul),
        Row(f"abs.{_t}(a)", f"abs.{_s} $d, $a", "alu" if _t == "i32" else "alu4"),
        Row(f"sdiv.{_t}(a:ri, b:ri)", f"div.{_s} $d, $a, $b", _div),
        Row(f"udiv.{_t}(a:ri, b:ri)", f"div.{_u} $d, $a, $b", _div),
        Row(f"srem.{_t}(a:ri, b:ri)", f"rem.{_s} $d, $a, $b", _div),
        Row(f"urem.{_t}(a:ri, b:ri)", f"rem.{_u} $d, $a, $b", _div),
        Row(f"mulhis.{_t}(a, b:ri)", f"mul.hi.{_s} $d, $a, $b", _high),
        Row(f"mulhiu.{_t}(a, b:ri)", f"mul.hi.{_u} $d, $a, $b", _high),
        Row(f"add.{_t}(mulhis.{_t}(a, b:ri), c:ri)", f"mad.hi.{_s} $d, $a, $b, $c", _high),
        Row(f"add.{_t}(mulhiu.{_t}(a, b:ri), c:ri)", f"mad.hi.{_u} $d, $a, $b, $c", _high),
    ]

ROWS += [
    Row("add.i32(umul24.i32(a, b:ri), c:ri)", "mad24.lo.u32 $d, $a, $b, $c", "mul24"),
    Row("smax.i32(smin.i32(a, b:ri), =0)", "min.relu.s32 $d, $a, $b", "alu", 90),
    Row("smax.i32(smax.i32(a, b), =0)", "max.relu.s32 $d, $a, $b", "alu", 90),
    Row("saddsat.i32(a, b:ri)", "add.sat.s32 $d, $a, $b", "alu3"),
    Row("ssubsat.i32(a:ri, b:ri)", "sub.sat.s32 $d, $a, $b", "alu3"),
]
# Chains of carries: integers of two to four words. The words of one sum are one instruction sequence, as the carry
# flag is not a value.
for _n in (2, 3, 4):
    for _op, _name in (("addw", "add"), ("subw", "sub")):
        _steps = [f"{_name}.cc.u64 $d0, $a0, $b0"]
        _steps += [f"{_name}c.cc.u64 $d{i}, $a{i}, $b{i}" for i in range(1, _n - 1)]
        _steps += [f"{_name}c.u64 $d{_n - 1}, $a{_n - 1}, $b{_n - 1}"]
        ROWS.append(Row(f"{_op}.x{_n}(a*{_n}, b*{_n})", "; ".join(_steps), "carry"))

# Widening multiplications. The shifted form is what address arithmetic becomes.
for _ext, _w in (("sext", "s32"), ("zext", "u32")):
    _imm = "s31" if _ext == "sext" else "u32"
    _as = ":s32" if _ext == "sext" else ""
    _by = "i31" if _ext == "sext" else "i5"  # 2**31 has no positive signed form
    _x = f"{_ext}.i64.i32"
    ROWS += [
        Row(f"mul.i64({_x}(a), {_x}(b))", f"mul.wide.{_w} $d, $a, $b", "wide", 20, "dup"),
        Row(f"mul.i64({_x}(a), b:{_imm})", f"mul.wide.{_w} $d, $a, $b{_as}", "wide", 20, "dup"),
        Row(f"add.i64(mul.i64({_x}(a), {_x}(b)), c)", f"mad.wide.{_w} $d, $a, $b, $c", "madwide", 20, "dup"),
        Row(f"add.i64(mul.i64({_x}(a), b:{_imm}), c)", f"mad.wide.{_w} $d, $a, $b{_as}, $c", "madwide", 20, "dup"),
        Row(f"shl.i64({_x}(a), b:{_by})", f"mul.wide.{_w} $d, $a, $b:exp2{_w[0]}", "wide", 20, "dup"),
        Row(
            f"add.i64(shl.i64({_x}(a), b:{_by}), c)", f"mad.wide.{_w} $d, $a, $b:exp2{_w[0]}, $c", "madwide", 20, "dup"
        ),
    ]

# --- single and double precision ---------------------------------------------------------------------------------

for _t, _z, _cost, _div in (("f32", "{z}", "fma", "fdiv"), ("f64", "", "fp64", "fdiv64")):
    ROWS += [
        Row(f"fadd{{c}}.{_t}(a, b)", f"add{{c}}{_z}.{_t} $d, $a, $b", _cost),
        Row(f"fadd{{c}}.{_t}(a, b:i)", f"add{{c}}{_z}.{_t} $d, $a, $b", _cost),
        Row(f"fsub{{c}}.{_t}(a, b:ri)", f"sub{{c}}{_z}.{_t} $d, $a, $b", _cost),
        Row(f"fsub{{c}}.{_t}(a:i, b)", f"sub{{c}}{_z}.{_t} $d, $a, $b", _cost),
        Row(f"fmul{{c}}.{_t}(a, b)", f"mul{{c}}{_z}.{_t} $d, $a, $b", _cost),
        Row(f"fmul{{c}}.{_t}(a, b:i)", f"mul{{c}}{_z}.{_t} $d, $a, $b", _cost),
        Row(f"faddc.{_t}(fmulc.{_t}(a, b:ri), c)", f"fma.rn{_z}.{_t} $d, $a, $b, $c", _cost),
        Row(f"faddc.{_t}(fmulc.{_t}(a, b:ri), c:i)", f"fma.rn{_z}.{_t} $d, $a, $b, $c", _cost),
        # A negated operand is a modifier of the machine's instruction, so a fma with a negation costs no more than a
        # subtraction.
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
        Row(f"fma.{_t}(a:ri, b:ri, c)", f"fma.rn{_z}.{_t} $d, $a, $b, $c", _cost),
        Row(f"fma.{_t}(a:ri, b:ri, c:i)", f"fma.rn{_z}.{_t} $d, $a, $b, $c", _cost),
        Row(f"fneg.{_t}(a)", f"neg{_z}.{_t} $d, $a", _cost),
        Row(f"fabs.{_t}(a)", f"abs{_z}.{_t} $d, $a", _cost),
        Row(f"fdiv.{_t}(a:ri, b:ri)", f"div.rn{_z}.{_t} $d, $a, $b", _div),
        Row(f"frcp.{_t}(a)", f"rcp.rn{_z}.{_t} $d, $a", _div),
        Row(f"fsqrt.{_t}(a)", f"sqrt.rn{_z}.{_t} $d, $a", "fsqrt" if _t == "f32" else "fsqrt64"),
    ]
ROWS += [
    Row("fmin{fz}.f32(a, b:ri)", "min{fz}.f32 $d, $a, $b", "alu"),
    Row("fmax{fz}.f32(a, b:ri)", "max{fz}.f32 $d, $a, $b", "alu"),
    Row("fmin.f64(a, b:ri)", "min.f64 $d, $a, $b", "fp64x2"),
    Row("fmax.f64(a, b:ri)", "max.f64 $d, $a, $b", "fp64x2"),
    Row("fminnan{fz}.f32(a, b:ri)", "min{fz}.NaN.f32 $d, $a, $b", "alu", 80),
    Row("fmaxnan{fz}.f32(a, b:ri)", "max{fz}.NaN.f32 $d, $a, $b", "alu", 80),
    Row("fmin.m{fz}{nan}.f32(a, b)", "min{fz}{nan}.xorsign.abs.f32 $d, $a, $b", "alu", 86),
    Row("fmax.m{fz}{nan}.f32(a, b)", "max{fz}{nan}.xorsign.abs.f32 $d, $a, $b", "alu", 86),
    Row("fabs.ftz.f32(a)", "abs.ftz.f32 $d, $a", "fma"),
    # Three inputs, from sm_100 on.
    Row("fmin.f32(fmin.f32(a, b:ri), c:ri)", "min{z}.f32 $d, $a, $b, $c", "minmax3", 100),
    Row("fmax.f32(fmax.f32(a, b:ri), c:ri)", "max{z}.f32 $d, $a, $b, $c", "minmax3", 100),
    Row("fminnan.f32(fminnan.f32(a, b:ri), c:ri)", "min{z}.NaN.f32 $d, $a, $b, $c", "minmax3", 100),
    Row("fmaxnan.f32(fmaxnan.f32(a, b:ri), c:ri)", "max{z}.NaN.f32 $d, $a, $b, $c", "minmax3", 100),
    # Saturation to [0, 1] is a modifier of the operation before it.
    Row("fsat.f32(fadd.f32(a, b:ri))", "add.rn{z}.sat.f32 $d, $a, $b", "fma"),
    Row("fsat.f32(faddc.f32(a, b:ri))", "add{z}.sat.f32 $d, $a, $b", "fma"),
    Row("fsat.f32(fmul{c}.f32(a, b:ri))", "mul.rn{z}.sat.f32 $d, $a, $b", "fma"),
    Row("fsat.f32(fma.f32(a, b:ri, c:ri))", "fma.rn{z}.sat.f32 $d, $a, $b, $c", "fma"),
    Row("fsat.f32(faddc.f32(fmulc.f32(a, b:ri), c:ri))", "fma.rn{z}.sat.f32 $d, $a, $b, $c", "fma"),
    # Pairs of singles, from sm_100 on.
    Row("fadd{c}.f32x2(a, b)", "add.rn{z}.f32x2 $d, $a, $b", "fmax2", 100),
    Row("fsub{c}.f32x2(a, b)", "sub.rn{z}.f32x2 $d, $a, $b", "fmax2", 100),
    Row("fmul{c}.f32x2(a, b)", "mul.rn{z}.f32x2 $d, $a, $b", "fmax2", 100),
    Row("fma.f32x2(a, b, c)", "fma.rn{z}.f32x2 $d, $a, $b, $c", "fmax2", 100),
    Row("faddc.f32x2(fmulc.f32x2(a, b), c)", "fma.rn{z}.f32x2 $d, $a, $b, $c", "fmax2", 100),
]

# --- 16-bit floats, alone and in pairs (pairs are i32 values) -----------------------------------------------------

for _x, _sm, _first, _cost, _t in (("hx", 53, 53, "half", "f16"), ("bx", 90, 80, "bhalf", "bf16")):
    _h = "{" + _x + "}"
    ROWS += [
        Row(f"fadd{{c}}.{_h}(a, b)", f"add{{c}}.{_h} $d, $a, $b", _cost, _sm),
        Row(f"fsub{{c}}.{_h}(a, b)", f"sub{{c}}.{_h} $d, $a, $b", _cost, _sm),
        Row(f"fmul{{c}}.{_h}(a, b)", f"mul{{c}}.{_h} $d, $a, $b", _cost, _sm),
        Row(f"faddc.{_h}(fmulc.{_h}(a, b), c)", f"fma.rn.{_h} $d, $a, $b, $c", _cost, _sm),
        Row(
            f"fsubc.{_t}(fmulc.{_t}(a, b), c)", f"neg.{_t} $t1.{_t}, $c; fma.rn.{_t} $d, $a, $b, $t1.{_t}", "half2", _sm
        ),
        Row(
            f"fsubc.{_t}(c, fmulc.{_t}(a, b))", f"neg.{_t} $t1.{_t}, $a; fma.rn.{_t} $d, $t1.{_t}, $b, $c", "half2", _sm
        ),
        Row(
            f"fsubc.{_t}x2(fmulc.{_t}x2(a, b), c)",
            f"neg.{_t}x2 $t1.i32, $c; fma.rn.{_t}x2 $d, $a, $b, $t1.i32",
            "half2",
            _sm,
        ),
        Row(
            f"fsubc.{_t}x2(c, fmulc.{_t}x2(a, b))",
            f"neg.{_t}x2 $t1.i32, $a; fma.rn.{_t}x2 $d, $t1.i32, $b, $c",
            "half2",
            _sm,
        ),
        Row(f"fma.{_h}(a, b, c)", f"fma.rn.{_h} $d, $a, $b, $c", _cost, _first),
        Row(f"fneg.{_h}(a)", f"neg.{_h} $d, $a", _cost, _first),
        Row(f"fabs.{_h}(a)", f"abs.{_h} $d, $a", _cost, _first),
        Row(f"fmin.{_h}(a, b)", f"min.{_h} $d, $a, $b", _cost, 80),
        Row(f"fmax.{_h}(a, b)", f"max.{_h} $d, $a, $b", _cost, 80),
        Row(f"fminnan.{_h}(a, b)", f"min.NaN.{_h} $d, $a, $b", _cost, 80),
        Row(f"fmaxnan.{_h}(a, b)", f"max.NaN.{_h} $d, $a, $b", _cost, 80),
        Row(f"fma.rn.relu.{_h}(a, b, c)", f"fma.rn.relu.{_h} $d, $a, $b, $c", _cost, 80),
    ]
ROWS += [
    Row("fma.rn.ftz{relu}.{hx}(a, b, c)", "fma.rn.ftz{relu}.{hx} $d, $a, $b, $c", "half", 80),
    Row("fma.rn{ftz}.sat.{hx}(a, b, c)", "fma.rn{ftz}.sat.{hx} $d, $a, $b, $c", "half", 53),
    Row("fmin.m{ftz}{nan}{xs}.{hx}(a, b)", "min{ftz}{nan}{xs}.{hx} $d, $a, $b", "half", 86),
    Row("fmax.m{ftz}{nan}{xs}.{hx}(a, b)", "max{ftz}{nan}{xs}.{hx} $d, $a, $b", "half", 86),
    Row("fmin.m{nan}{xs}.{bx}(a, b)", "min{nan}{xs}.{bx} $d, $a, $b", "bhalf", 86),
    Row("fmax.m{nan}{xs}.{bx}(a, b)", "max{nan}{xs}.{bx} $d, $a, $b", "bhalf", 86),
]
ROWS += ARITHMETIC
