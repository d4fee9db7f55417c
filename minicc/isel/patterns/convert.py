"""Conversions: between integer widths, integers and floats, float formats, equal bits, address spaces."""

from __future__ import annotations

from minicc.isel.patterns import Row
from minicc.isel.patterns.special import CONVERT

ROWS: list[Row] = [
    # Integer widths.
    Row("zext.i64.i32(a)", "cvt.u64.u32 $d, $a", "mov"),
    Row("sext.i64.i32(a)", "cvt.s64.s32 $d, $a", "alu"),
    Row("trunc.i32.i64(a)", "cvt.u32.u64 $d, $a", "free"),
    Row("sext8.i32(a)", "cvt.s32.s8 $d, $a", "alu"),
    Row("sext16.i32(a)", "cvt.s32.s16 $d, $a", "alu"),
    Row("sext8.i64(a)", "cvt.s64.s8 $d, $a", "alu2"),
    Row("sext16.i64(a)", "cvt.s64.s16 $d, $a", "alu2"),
    Row("trunc16.h.i32(a)", "cvt.u16.u32 $d, $a", "free"),
    Row("zext16.i32.h(a)", "cvt.u32.u16 $d, $a", "alu"),
    # The same bits.
    Row("bitcast.{same32}(a)", "mov.b32 $d, $a", "free"),
    Row("bitcast.{same64}(a)", "mov.b64 $d, $a", "free"),
    Row("bitcast.i32.{hb}(a)", "cvt.u32.u16 $d, $a", "alu"),
    Row("bitcast.{hb}.i32(a)", "cvt.u16.u32 $d, $a", "free"),
    Row("packf.i64(a, b)", "mov.b64 $d, {$a, $b}", "mov64"),
    Row("flo.f32.i64(a)", "mov.b64 {$d, $t1.f32}, $a", "free"),
    Row("fhi.f32.i64(a)", "mov.b64 {$t1.f32, $d}, $a", "free"),
    # Float formats.
    Row("fpext.f64.f32(a)", "cvt{z}.f64.f32 $d, $a", "xu64"),
    Row("fptrunc.f32.f64(a)", "cvt.rn{z}.f32.f64 $d, $a", "xu64"),
    Row("d2f.{rnd}{fz}.f32.f64(a)", "cvt.{rnd}{fz}.f32.f64 $d, $a", "xu64"),
    Row("fpext.f32.f16(a)", "cvt.f32.f16 $d, $a", "half"),
    Row("fptrunc.f16.f32(a)", "cvt.rn.f16.f32 $d, $a", "half"),
    Row("fpext.f64.f16(a)", "cvt.f64.f16 $d, $a", "cvt2"),
    Row("fptrunc.f16.f64(a)", "cvt.rn.f16.f64 $d, $a", "cvt2"),
    Row("fpext.f32.bf16(a)", "mov.b32 $d, {0, $a}", "alu"),
    Row("fptrunc.bf16.f32(a)", "cvt.rn.bf16.f32 $d, $a", "bhalf", 80),
    Row("fptrunc.bf16.f64(a)", "cvt.rn.bf16.f64 $d, $a", "cvt2", 90),
    Row("packh.i32(fptrunc.{hb}.f32(a:ri), fptrunc.{hb}.f32(b:ri))", "cvt.rn.{hb}x2.f32 $d, $b, $a", "half", 80),
    Row("f2h.{rni}{relu}.{hb}.f32(a)", "cvt.{rni}{relu}.{hb}.f32 $d, $a", "half", 80),
    Row("ff2h.{rni}{relu}.{x2}(a, b)", "cvt.{rni}{relu}.{x2}.f32 $d, $a, $b", "half", 80),
    Row("f2tf32.rna.i32(a)", "cvt.rna.tf32.f32 $d, $a", "alu", 80),
    Row("f2tf32.{rni}{relu}.i32(a)", "cvt.{rni}{relu}.tf32.f32 $d, $a", "alu", 90),
    # Eight bits and fewer.
    Row("ff2e.{e8}{relu}.h(a, b)", "cvt.rn.satfinite{relu}.{e8}x2.f32 $d, $a, $b", "cvtnarrow", 89),
    Row("h2e.{e8}{relu}.h(a)", "cvt.rn.satfinite{relu}.{e8}x2.f16x2 $d, $a", "cvtnarrow", 89),
    Row("e2h.{e8}{relu}.i32(a)", "cvt.rn{relu}.f16x2.{e8}x2 $d, $a", "cvtnarrow", 89),
    Row("ff2e.{e6}{relu}.h(a, b)", "cvt.rn.satfinite{relu}.{e6}x2.f32 $d, $a, $b", "cvtnarrow", 100, "a"),
    Row("e2h.{e6}{relu}.i32(a)", "cvt.rn{relu}.f16x2.{e6}x2 $d, $a", "cvtnarrow", 100, "a"),
    Row("ff2ue.{ru}{sat}.h(a, b)", "cvt.{ru}{sat}.ue8m0x2.f32 $d, $a, $b", "cvtnarrow", 100, "a"),
    Row("h2ue.{ru}{sat}.h(a)", "cvt.{ru}{sat}.ue8m0x2.bf16x2 $d, $a", "cvtnarrow", 100, "a"),
    Row("ue2h.i32(a)", "cvt.rn.bf16x2.ue8m0x2 $d, $a", "cvtnarrow", 100, "a"),
]
# Integers and floats.
for _i, _s, _u in (("i32", "s32", "u32"), ("i64", "s64", "u64")):
    for _f, _sm in (("f32", 20), ("f64", 20), ("f16", 53), ("bf16", 90)):
        _cost = "xu64" if "64" in _f + _i else "xu"
        _z = "{z}" if _f == "f32" else ""
        ROWS += [
            Row(f"sitofp.{_f}.{_i}(a)", f"cvt.rn.{_f}.{_s} $d, $a", _cost, _sm),
            Row(f"uitofp.{_f}.{_i}(a)", f"cvt.rn.{_f}.{_u} $d, $a", _cost, _sm),
            Row(f"fptosi.{_i}.{_f}(a)", f"cvt.rzi{_z}.{_s}.{_f} $d, $a", _cost, _sm),
            Row(f"fptoui.{_i}.{_f}(a)", f"cvt.rzi{_z}.{_u}.{_f} $d, $a", _cost, _sm),
        ]
        if _f in ("f32", "f64"):
            _fz = "{fz}" if _f == "f32" else ""
            ROWS += [
                Row(f"fptosi.{_i}.{_f}({{rop}}.{_f}(a))", f"cvt.{{rop}}{_z}.{_s}.{_f} $d, $a", _cost),
                Row(f"fptoui.{_i}.{_f}({{rop}}.{_f}(a))", f"cvt.{{rop}}{_z}.{_u}.{_f} $d, $a", _cost),
                Row(
                    f"f2i.{{sign}}.{{rnd}}{_fz}.{_i}.{_f}(a)", f"cvt.{{rnd}}i{_fz}.{{sign}}{_i[1:]}.{_f} $d, $a", _cost
                ),
            ]
        if _f == "f32" or (_f, _i) == ("f64", "i64"):
            ROWS.append(Row(f"i2f.{{sign}}.{{rnd}}.{_f}.{_i}(a)", f"cvt.{{rnd}}.{_f}.{{sign}}{_i[1:]} $d, $a", _cost))
# From 8 and 16 bits without an extension of its own.
ROWS += [
    Row("sitofp.f32.i32(sext8.i32(a))", "cvt.rn.f32.s8 $d, $a", "xu"),
    Row("sitofp.f32.i32(sext16.i32(a))", "cvt.rn.f32.s16 $d, $a", "xu"),
    Row("sitofp.f32.i32(and.i32(a, =255))", "cvt.rn.f32.u8 $d, $a", "xu"),
    Row("sitofp.f32.i32(and.i32(a, =65535))", "cvt.rn.f32.u16 $d, $a", "xu"),
]

# Address spaces.
ROWS += [
    Row("cvta.{flat}.i64(a)", "cvta.{flat}.u64 $d, $a", "free"),
    Row("cvta.{window}.i64(a)", "cvta.{window}.u64 $d, $a", "alu2"),
    Row("cvtato.{flat}.i64(a)", "cvta.to.{flat}.u64 $d, $a", "free"),
    Row("cvtato.{window}.i64(a)", "cvta.to.{window}.u64 $d, $a", "alu2"),
    Row("isspacep.{anywhere}.i64(a)", "isspacep.{anywhere} $d, $a", "alu2"),
    Row("cvta.param.i64(a:sym)", "mov.b64 $t1.i64, $a; cvta.param.u64 $d, $t1.i64", "alu2", 70),
    Row("cvta.funcparam.i64(a:sym)", "mov.b64 $t1.i64, $a; cvta.local.u64 $d, $t1.i64", "alu2"),
    Row("cvta.cluster.i64(a)", "cvta.shared::cluster.u64 $d, $a", "alu2", 90),
    Row("cvtato.cluster.i64(a)", "cvta.to.shared::cluster.u64 $d, $a", "alu2", 90),
    Row("isspacep.cluster.i64(a)", "isspacep.shared::cluster $d, $a", "alu2", 90),
    Row("mapa.{peer}(a, b:ri)", "mapa{peer} $d, $a, $b", "alu2", 90),
    Row("getctarank.i32.{peer}(a)", "getctarank{peer} $d, $a", "alu2", 90),
]
ROWS += CONVERT
