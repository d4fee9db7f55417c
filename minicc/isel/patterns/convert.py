"""Conversions: between integer widths, integers and floats, float formats, and registers of the same bits."""

from __future__ import annotations

from minicc.isel.patterns import Row

ROWS: list[Row] = [
    Row("zext.i64.i32(a)", "cvt.u64.u32 $d, $a", "mov"),
    Row("sext.i64.i32(a)", "cvt.s64.s32 $d, $a", "alu"),
    Row("trunc.i32.i64(a)", "cvt.u32.u64 $d, $a", "free"),
    Row("sext8.i32(a)", "cvt.s32.s8 $d, $a", "alu"),
    Row("sext16.i32(a)", "cvt.s32.s16 $d, $a", "alu"),
    Row("sext8.i64(a)", "cvt.s64.s8 $d, $a", "alu2"),
    Row("sext16.i64(a)", "cvt.s64.s16 $d, $a", "alu2"),
    Row("trunc16.h.i32(a)", "cvt.u16.u32 $d, $a", "free"),
    Row("zext16.i32.h(a)", "cvt.u32.u16 $d, $a", "alu"),
    Row("hi.i32.i64(a)", "mov.b64 {$t1.i32, $d}, $a", "free"),
    Row("trunc.i32.i64(lshr.i64(a, =32))", "mov.b64 {$t1.i32, $d}, $a", "free"),
    Row("pack.i64(a:ri, b:ri)", "mov.b64 $d, {$a, $b}", "mov64"),
    Row("bitcast.i32.f32(a)", "mov.b32 $d, $a", "free"),
    Row("bitcast.f32.i32(a)", "mov.b32 $d, $a", "free"),
    Row("bitcast.i64.f64(a)", "mov.b64 $d, $a", "free"),
    Row("bitcast.f64.i64(a)", "mov.b64 $d, $a", "free"),
    Row("bitcast.i32.f16(a)", "cvt.u32.u16 $d, $a", "alu"),
    Row("bitcast.f16.i32(a)", "cvt.u16.u32 $d, $a", "free"),
    Row("bitcast.i32.bf16(a)", "cvt.u32.u16 $d, $a", "alu"),
    Row("bitcast.bf16.i32(a)", "cvt.u16.u32 $d, $a", "free"),
    Row("packh.i32(a, b)", "mov.b32 $d, {$a, $b}", "alu"),
    Row("bitcast.f16.i32(lshr.i32(a, =16))", "mov.b32 {$t1.h, $d}, $a", "free", 20, "dup"),
    Row("bitcast.bf16.i32(lshr.i32(a, =16))", "mov.b32 {$t1.h, $d}, $a", "free", 20, "dup"),
    Row("packh.i32(fptrunc.f16.f32(a:ri), fptrunc.f16.f32(b:ri))", "cvt.rn.f16x2.f32 $d, $b, $a", "half", 80),
    Row("packh.i32(fptrunc.bf16.f32(a:ri), fptrunc.bf16.f32(b:ri))", "cvt.rn.bf16x2.f32 $d, $b, $a", "half", 80),
    Row("fpext.f64.f32(a)", "cvt.f64.f32 $d, $a", "xu64"),
    Row("fptrunc.f32.f64(a)", "cvt.rn{z}.f32.f64 $d, $a", "xu64"),
    Row("fpext.f32.f16(a)", "cvt.f32.f16 $d, $a", "half"),
    Row("fptrunc.f16.f32(a)", "cvt.rn.f16.f32 $d, $a", "half"),
    Row("fpext.f64.f16(a)", "cvt.f64.f16 $d, $a", "cvt2"),
    Row("fptrunc.f16.f64(a)", "cvt.rn.f16.f64 $d, $a", "cvt2"),
    Row("fpext.f32.bf16(a)", "mov.b32 $d, {0, $a}", "alu", 20),
    Row("fptrunc.bf16.f32(a)", "cvt.rn.bf16.f32 $d, $a", "half", 80),
    Row("fptrunc.bf16.f64(a)", "cvt.rn.bf16.f64 $d, $a", "cvt2", 90),
]
for _f in ("f32", "f64", "f16"):
    for _i, _s, _u in (("i32", "s32", "u32"), ("i64", "s64", "u64")):
        _cost = "xu64" if "64" in _f + _i else "xu"
        ROWS += [
            Row(f"sitofp.{_f}.{_i}(a)", f"cvt.rn.{_f}.{_s} $d, $a", _cost),
            Row(f"uitofp.{_f}.{_i}(a)", f"cvt.rn.{_f}.{_u} $d, $a", _cost),
        ]
        if _f != "f16":
            _z = "{z}" if _f == "f32" else ""
            ROWS += [
                Row(f"fptosi.{_i}.{_f}(a)", f"cvt.rzi{_z}.{_s}.{_f} $d, $a", _cost),
                Row(f"fptoui.{_i}.{_f}(a)", f"cvt.rzi{_z}.{_u}.{_f} $d, $a", _cost),
            ]
            for _op, _r in (("ffloor", "rmi"), ("fceil", "rpi"), ("frint", "rni")):
                ROWS += [
                    Row(f"fptosi.{_i}.{_f}({_op}.{_f}(a))", f"cvt.{_r}{_z}.{_s}.{_f} $d, $a", _cost),
                    Row(f"fptoui.{_i}.{_f}({_op}.{_f}(a))", f"cvt.{_r}{_z}.{_u}.{_f} $d, $a", _cost),
                ]
            for _r in ("rn", "rm", "rp"):
                for _n, _t in (("f2s", _s), ("f2u", _u)):
                    ROWS.append(Row(f"{_n}{_r}.{_i}.{_f}(a)", f"cvt.{_r}i{_z}.{_t}.{_f} $d, $a", _cost))
for _f in ("f32", "f64"):
    for _i, _s, _u in (("i32", "s32", "u32"), ("i64", "s64", "u64")):
        for _r in ("rz", "rm", "rp"):
            if (_f, _i) == ("f64", "i32"):
                continue
            ROWS += [
                Row(f"s2f{_r}.{_f}.{_i}(a)", f"cvt.{_r}.{_f}.{_s} $d, $a", "xu64" if "64" in _f + _i else "xu"),
                Row(f"u2f{_r}.{_f}.{_i}(a)", f"cvt.{_r}.{_f}.{_u} $d, $a", "xu64" if "64" in _f + _i else "xu"),
            ]
for _r in ("rz", "rm", "rp"):
    ROWS.append(Row(f"d2f{_r}.f32.f64(a)", f"cvt.{_r}{{z}}.f32.f64 $d, $a", "xu64"))

# Address spaces.
for _space in ("global", "shared", "const", "local"):
    ROWS += [
        Row(f"cvta.{_space}.i64(a)", f"cvta.{_space}.u64 $d, $a", "alu2" if _space in ("shared", "local") else "free"),
        Row(
            f"cvtato.{_space}.i64(a)",
            f"cvta.to.{_space}.u64 $d, $a",
            "alu2" if _space in ("shared", "local") else "free",
        ),
        Row(f"isspacep.{_space}.i64(a)", f"isspacep.{_space} $d, $a", "alu2"),
    ]
ROWS += [
    Row("cvta.param.i64(a:sym)", "mov.b64 $t1.i64, $a; cvta.param.u64 $d, $t1.i64", "alu2", 70),
    Row("cvta.funcparam.i64(a:sym)", "mov.b64 $t1.i64, $a; cvta.local.u64 $d, $t1.i64", "alu2"),
    Row("cvta.cluster.i64(a)", "cvta.shared::cluster.u64 $d, $a", "alu2", 90),
    Row("cvtato.cluster.i64(a)", "cvta.to.shared::cluster.u64 $d, $a", "alu2", 90),
]
ROWS += [
    Row("dlo.i32(a)", "mov.b64 {$d, $t1.i32}, $a", "free"),
    Row("dhi.i32(a)", "mov.b64 {$t1.i32, $d}, $a", "free"),
    Row("lohi.f64(a:ri, b:ri)", "mov.b64 $d, {$a, $b}", "mov64"),
]
