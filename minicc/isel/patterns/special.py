"""Special operations: minimum, maximum, bit counts, byte permutation, differences, packing, dot products.

The document lists eight categories whose sizes add up to 900, of 850 patterns; what it calls special (min, max, clz,
popc, prmt, sad, pack, unpack: 50) it also lists under arithmetic, bitwise and conversion. So special is a view: these
50 rows belong to those categories and are counted there.
"""

from __future__ import annotations

from minicc.isel.patterns import Row

ARITHMETIC: list[Row] = [
    # min/max: 8
    Row("smin.i32(a, b:ri)", "min.s32 $d, $a, $b", "alu"),
    Row("smax.i32(a, b:ri)", "max.s32 $d, $a, $b", "alu"),
    Row("umin.i32(a, b:ri)", "min.u32 $d, $a, $b", "alu"),
    Row("umax.i32(a, b:ri)", "max.u32 $d, $a, $b", "alu"),
    Row("smin.i64(a, b:ri)", "min.s64 $d, $a, $b", "alu4"),
    Row("smax.i64(a, b:ri)", "max.s64 $d, $a, $b", "alu4"),
    Row("umin.i64(a, b:ri)", "min.u64 $d, $a, $b", "alu4"),
    Row("umax.i64(a, b:ri)", "max.u64 $d, $a, $b", "alu4"),
    # sad: 8
    Row("sads.i32(a, b:ri, c:ri)", "sad.s32 $d, $a, $b, $c", "alu"),
    Row("sadu.i32(a, b:ri, c:ri)", "sad.u32 $d, $a, $b, $c", "alu"),
    Row("sads.i64(a, b, c)", "sad.s64 $d, $a, $b, $c", "alu6"),
    Row("sadu.i64(a, b, c)", "sad.u64 $d, $a, $b, $c", "alu6"),
    Row("add.i32(sub.i32(smax.i32(a, b), smin.i32(a, b)), c:ri)", "sad.s32 $d, $a, $b, $c", "alu"),
    Row("add.i32(sub.i32(umax.i32(a, b), umin.i32(a, b)), c:ri)", "sad.u32 $d, $a, $b, $c", "alu"),
    Row("sub.i32(smax.i32(a, b), smin.i32(a, b))", "sad.s32 $d, $a, $b, 0", "alu"),
    Row("sub.i32(umax.i32(a, b), umin.i32(a, b))", "sad.u32 $d, $a, $b, 0", "alu"),
    # dot products and 24-bit products: 6
    Row("dp4a.{dot}.i32(a, b, c:ri)", "dp4a.{dot} $d, $a, $b, $c", "dot", 61),
    Row("dp2a.lo.{dot}.i32(a, b, c:ri)", "dp2a.lo.{dot} $d, $a, $b, $c", "dot", 61),
    Row("dp2a.hi.{dot}.i32(a, b, c:ri)", "dp2a.hi.{dot} $d, $a, $b, $c", "dot", 61),
    Row("mul24.i32(a, b:ri)", "mul24.lo.s32 $d, $a, $b", "mul24"),
    Row("umul24.i32(a, b:ri)", "mul24.lo.u32 $d, $a, $b", "mul24"),
    Row("add.i32(mul24.i32(a, b:ri), c:ri)", "mad24.lo.s32 $d, $a, $b, $c", "mul24"),
]

BITWISE: list[Row] = [
    # clz, popc and their kin: 8
    Row("popc.i32(a)", "popc.b32 $d, $a", "xu"),
    Row("clz.i32(a)", "clz.b32 $d, $a", "xu"),
    Row("brev.i32(a)", "brev.b32 $d, $a", "xu"),
    Row("bfind{shift}.{sign}.i32(a)", "bfind{shift}.{sign}32 $d, $a", "xu"),
    Row("popc.i64(a)", "popc.b64 $d, $a", "xu64"),
    Row("clz.i64(a)", "clz.b64 $d, $a", "xu64"),
    Row("brev.i64(a)", "brev.b64 $d, $a", "xu64"),
    Row("bfind{shift}.{sign}.i64(a)", "bfind{shift}.{sign}64 $d, $a", "xu64"),
    # prmt: 8
    Row("prmt.i32(a:ri, b:ri, c:ri)", "prmt.b32 $d, $a, $b, $c", "alu"),
    Row("prmt.{prmt2}.i32(a:ri, b:ri, c:ri)", "prmt.b32.{prmt2} $d, $a, $b, $c", "alu"),
    Row("prmt.{prmt1}.i32(a:ri, c:ri)", "prmt.b32.{prmt1} $d, $a, 0, $c", "alu"),
    Row("bswap.i32(a)", "prmt.b32 $d, $a, 0, 0x0123", "alu"),
    Row("and.i32(lshr.i32(a, =8), =255)", "prmt.b32 $d, $a, 0, 0x4441", "alu"),
    Row("and.i32(lshr.i32(a, =16), =255)", "prmt.b32 $d, $a, 0, 0x4442", "alu"),
    Row("sext8.i32(lshr.i32(a, =8))", "prmt.b32 $d, $a, 0, 0x9991", "alu"),
    Row("sext8.i32(lshr.i32(a, =16))", "prmt.b32 $d, $a, 0, 0xaaa2", "alu"),
    # the others: 4
    Row("fns.i32(a:ri, b:ri, c:ri)", "fns.b32 $d, $a, $b, $c", "alu6", 30),
    Row("szext.{sign}.{wrap}.i32(a:ri, b:ri)", "szext.{wrap}.{sign}32 $d, $a, $b", "alu2", 70),
    Row("bmsk.{wrap}.i32(a:ri, b:ri)", "bmsk.{wrap}.b32 $d, $a, $b", "alu", 70),
    Row("or.i32(and.i32(a, =0xffffff00), and.i32(b, =255))", "prmt.b32 $d, $a, $b, 0x3214", "alu"),
]

CONVERT: list[Row] = [
    # pack and unpack: 8
    Row("pack.i64(a:ri, b:ri)", "mov.b64 $d, {$a, $b}", "mov64"),
    Row("packh.i32(a, b)", "mov.b32 $d, {$a, $b}", "alu"),
    Row("hi.i32.i64(a)", "mov.b64 {$t1.i32, $d}, $a", "free"),
    Row("trunc.i32.i64(lshr.i64(a, =32))", "mov.b64 {$t1.i32, $d}, $a", "free"),
    Row("unpackh.i32(a)", "mov.b32 {$d0, $d1}, $a", "alu"),
    Row("dlo.i32(a)", "mov.b64 {$d, $t1.i32}, $a", "free"),
    Row("dhi.i32(a)", "mov.b64 {$t1.i32, $d}, $a", "free"),
    Row("lohi.f64(a:ri, b:ri)", "mov.b64 $d, {$a, $b}", "mov64"),
]

ROWS = ARITHMETIC + BITWISE + CONVERT
