# ruff: noqa: E501
"""Forms of LLVM IR for `test_host.py`: every intrinsic with a meaning on numbers, odd types, control flow, atomics."""

from __future__ import annotations

import re
from typing import NamedTuple


class Case(NamedTuple):
    """`code` makes %r of the type `result` from %a0, %a1, ... of the types `kinds`, which may have a bound: `i32<32`."""

    name: str
    kinds: tuple[str, ...]
    code: str
    result: str
    declared: str = ""


_BOUND = re.compile(r"(?<=[\w>])<\d+$")
_COMMA = re.compile(r", (?![^<{\[]*[>}\]])")


def plain(kind: str) -> str:
    """The type of an operand, without its bound."""
    return _BOUND.sub("", kind)


def call(line: str) -> Case:
    """ "i32 fshl.i32(i32, i32, i32<32, i1 false)": a call of an intrinsic; operands with a value are constants."""
    found = re.fullmatch(r"(.+?) ([\w.]+)\((.*)\)", line)
    assert found, line
    result, stem, given = found[1], found[2], _COMMA.split(found[3]) if found[3] else []
    kinds, types, values = [], [], []
    for item in given:
        constant = re.fullmatch(r"(i\d+|float|double) (\S+)", item)
        type_ = constant[1] if constant else plain(item)
        values.append(item if constant else f"{type_} %a{len(kinds)}")
        types.append(f"{type_} immarg" if constant else type_)
        if not constant:
            kinds.append(item)
    text = f"%r = call {result} @llvm.{stem}({', '.join(values)})"
    name = stem + "".join(f".{item.split()[1]}" for item in given if re.fullmatch(r"i\d+ \S+", item))
    name = name.replace(".", "_").replace("-", "m")
    declared = f"declare {result} @llvm.{stem}({', '.join(types)})"
    return Case(name, tuple(kinds), text, result, declared)


def code(name: str, kinds: str, result: str, text: str, declared: str = "") -> Case:
    return Case(name.replace(".", "_"), tuple(_COMMA.split(kinds)), text, result, declared)


def _calls(text: str) -> list[Case]:
    return [call(line.strip()) for line in text.strip().split("\n") if line.strip()]


INTEGERS = _calls("""
    i32 fshl.i32(i32, i32, i32)
    i64 fshr.i64(i64, i64, i64)
    i24 fshl.i24(i24, i24, i24<24)
    <2 x i16> fshl.v2i16(<2 x i16>, <2 x i16>, <2 x i16><16)
    i8 bitreverse.i8(i8)
    i24 bitreverse.i24(i24)
    <4 x i8> bitreverse.v4i8(<4 x i8>)
    <2 x i64> bswap.v2i64(<2 x i64>)
    i48 bswap.i48(i48)
    <4 x i8> ctpop.v4i8(<4 x i8>)
    <3 x i24> ctpop.v3i24(<3 x i24>)
    i128 ctlz.i128(i128, i1 false)
    i96 cttz.i96(i96, i1 false)
    <4 x i16> ctlz.v4i16(<4 x i16>, i1 false)
    <2 x i32> abs.v2i32(<2 x i32>, i1 false)
    i8 abs.i8(i8, i1 false)
    <4 x i8> smax.v4i8(<4 x i8>, <4 x i8>)
    <2 x i16> umin.v2i16(<2 x i16>, <2 x i16>)
    i128 smin.i128(i128, i128)
    <4 x i8> uadd.sat.v4i8(<4 x i8>, <4 x i8>)
    <2 x i16> ssub.sat.v2i16(<2 x i16>, <2 x i16>)
    i32 usub.sat.i32(i32, i32)
    i64 sadd.sat.i64(i64, i64)
    i8 sshl.sat.i8(i8, i8<8)
    i48 ushl.sat.i48(i48, i48<48)
    i8 scmp.i8.i32(i32, i32)
    i2 ucmp.i2.i64(i64, i64)
    <4 x i32> ucmp.v4i32.v4i16(<4 x i16>, <4 x i16>)
    i32 scmp.i32.i128(i128, i128)
    i32 smul.fix.i32(i32, i32, i32 7)
    i16 umul.fix.sat.i16(i16, i16, i32 9)
    i32 vector.reduce.add.v4i32(<4 x i32>)
    i8 vector.reduce.mul.v8i8(<8 x i8>)
    i16 vector.reduce.and.v4i16(<4 x i16>)
    i1 vector.reduce.or.v8i1(<8 x i1>)
    i1 vector.reduce.xor.v4i1(<4 x i1>)
    i64 vector.reduce.smax.v4i64(<4 x i64>)
    i32 vector.reduce.umin.v3i32(<3 x i32>)
    i32 experimental.cttz.elts.i32.v8i1(<8 x i1>, i1 false)
    i64 experimental.cttz.elts.i64.v4i32(<4 x i32>, i1 false)
    i16 experimental.cttz.elts.i16.v16i1(<16 x i1>, i1 false)
    <4 x i32> vector.reverse.v4i32(<4 x i32>)
    <8 x i8> vector.reverse.v8i8(<8 x i8>)
    <8 x i16> vector.interleave2.v8i16(<4 x i16>, <4 x i16>)
    <4 x i32> vector.extract.v4i32.v8i32(<8 x i32>, i64 4)
    <8 x i32> vector.insert.v8i32.v4i32(<8 x i32>, <4 x i32>, i64 4)
    <4 x i32> vector.splice.v4i32(<4 x i32>, <4 x i32>, i32 1)
    <4 x i32> vector.splice.v4i32(<4 x i32>, <4 x i32>, i32 -3)
    <4 x i1> get.active.lane.mask.v4i1.i32(i32, i32)
    <4 x i32> vector.partial.reduce.add.v4i32.v16i32(<4 x i32>, <16 x i32>)
    i32 expect.i32(i32, i32)
    <4 x i1> experimental.vector.match.v4i32.v2i32(<4 x i32><4, <2 x i32><4, <4 x i1>)
    i32 experimental.get.vector.length.i32(i32<9, i32 4, i1 false)
    i32 experimental.get.vector.length.i64(i64<9, i32 4, i1 false)
    i1 experimental.widenable.condition()
    <4 x i32> vp.add.v4i32(<4 x i32>, <4 x i32>, <4 x i1>, i32 4)
    i32 vp.reduce.add.v4i32(i32, <4 x i32>, <4 x i1>, i32<5)
    <4 x i32> vp.merge.v4i32(<4 x i1>, <4 x i32>, <4 x i32>, i32<5)
    i8 vector.reduce.umax.v5i8(<5 x i8>)
    i32 umul.fix.i32(i32, i32, i32 5)
""")
INTEGERS += [
    call(f"i{bits} vector.reduce.{op}.v{count}i{bits}(<{count} x i{bits}>)")
    for op in ("add", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax")
    for count, bits in ((2, 16), (4, 8), (3, 64))
]
_OVERFLOW = [
    code(
        f"{op}.with.overflow.{kind.replace(' ', '').strip('<>')}", f"{kind}, {kind}", flag,
        f"%p = call {{ {kind}, {flag} }} @llvm.{op}.with.overflow.{suffix}({kind} %a0, {kind} %a1)\n"
        f"%v = extractvalue {{ {kind}, {flag} }} %p, 0\n%o = extractvalue {{ {kind}, {flag} }} %p, 1\n"
        f"%s = getelementptr i8, ptr %out, i64 32\nstore {kind} %v, ptr %s\n%r = or {flag} %o, %o",
        f"declare {{ {kind}, {flag} }} @llvm.{op}.with.overflow.{suffix}({kind}, {kind})",
    )
    for op in ("uadd", "sadd", "usub", "ssub", "umul", "smul")
    for kind, flag, suffix in (("i32", "i1", "i32"), ("i24", "i1", "i24"), ("i64", "i1", "i64"), ("<4 x i8>", "<4 x i1>", "v4i8"))
]  # fmt: skip
INTEGERS += _OVERFLOW

FLOATS = _calls("""
    float minimum.f32(float, float)
    double maximum.f64(double, double)
    half minimum.f16(half, half)
    <2 x half> maximum.v2f16(<2 x half>, <2 x half>)
    float minnum.f32(float, float)
    double minimumnum.f64(double, double)
    float maximumnum.f32(float, float)
    <2 x float> maxnum.v2f32(<2 x float>, <2 x float>)
    float ldexp.f32.i32(float, i32<300)
    double ldexp.f64.i32(double, i32)
    float fabs.f32(float)
    <2 x half> fabs.v2f16(<2 x half>)
    float copysign.f32(float, float)
    half copysign.f16(half, half)
    double floor.f64(double)
    float ceil.f32(float)
    float trunc.f32(float)
    float round.f32(float)
    double round.f64(double)
    float roundeven.f32(float)
    float rint.f32(float)
    double nearbyint.f64(double)
    float canonicalize.f32(float)
    double sqrt.f64(double)
    float sqrt.f32(float)
    float fma.f32(float, float, float)
    double fma.f64(double, double, double)
    i32 fptosi.sat.i32.f32(float)
    i8 fptosi.sat.i8.f64(double)
    i64 fptoui.sat.i64.f32(float)
    i24 fptoui.sat.i24.f64(double)
    i100 fptosi.sat.i100.f64(double)
    <2 x i16> fptosi.sat.v2i16.v2f32(<2 x float>)
    float vector.reduce.fadd.v4f32(float, <4 x float>)
    double vector.reduce.fmul.v2f64(double, <2 x double>)
    float vector.reduce.fmin.v4f32(<4 x float>)
    double vector.reduce.fmaximum.v4f64(<4 x double>)
    float vector.reduce.fminimum.v3f32(<3 x float>)
    float arithmetic.fence.f32(float)
    i32 lrint.i32.f32(float<1000)
    i64 llround.i64.f64(double<1000)
    <2 x i32> lrint.v2i32.v2f32(<2 x float><1000)
    float convert.from.fp16.f32(i16)
    i16 convert.to.fp16.f64(double<9)
    i32 get.rounding()
    <4 x float> vp.fadd.v4f32(<4 x float>, <4 x float>, <4 x i1>, i32 4)
""")
FLOATS += [call(f"i1 is.fpclass.f{bits}({kind}, i32 {mask})")
           for bits, kind in ((32, "float"), (64, "double"), (16, "half"))
           for mask in (3, 4, 12, 96, 144, 264, 516, 504, 519, 63, 960, 240, 783)]  # fmt: skip
FLOATS += [
    code(f"frexp.{kind}", kind, kind,
         f"%p = call {{ {kind}, i32 }} @llvm.frexp.{suffix}.i32({kind} %a0)\n%r = extractvalue {{ {kind}, i32 }} %p, 0\n"
         f"%n = extractvalue {{ {kind}, i32 }} %p, 1\n%k = call {kind} @llvm.fabs.{suffix}({kind} %a0)\n"
         f"%f = fcmp olt {kind} %k, 0x7FF0000000000000\n%m = select i1 %f, i32 %n, i32 0\n"
         f"%s = getelementptr i8, ptr %out, i64 32\nstore i32 %m, ptr %s",
         f"declare {{ {kind}, i32 }} @llvm.frexp.{suffix}.i32({kind})\ndeclare {kind} @llvm.fabs.{suffix}({kind})")
    for kind, suffix in (("float", "f32"), ("double", "f64"))
]  # fmt: skip
FLOATS += [
    code(f"modf.{kind}", kind, kind,
         f"%p = call {{ {kind}, {kind} }} @llvm.modf.{suffix}({kind} %a0)\n%r = extractvalue {{ {kind}, {kind} }} %p, 1",
         f"declare {{ {kind}, {kind} }} @llvm.modf.{suffix}({kind})")
    for kind, suffix in (("float", "f32"), ("double", "f64"))
]  # fmt: skip
FLOATS += [
    code(f"fcmp.{pred}.{kind}", f"{kind}, {kind}", "i1", f"%r = fcmp {pred} {kind} %a0, %a1")
    for kind in ("float", "half", "double")
    for pred in ("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true")
]  # fmt: skip
FLOATS += [
    code(
        f"copysign.negated.{kind}",
        f"{kind}, {kind}",
        kind,
        f"%n = fneg {kind} %a1\n%r = call {kind} @llvm.copysign.{suffix}({kind} %a0, {kind} %n)",
        f"declare {kind} @llvm.copysign.{suffix}({kind}, {kind})",
    )
    for kind, suffix in (("float", "f32"), ("double", "f64"))
]
FLOATS += [
    code("fneg.v2", "<2 x half>", "<2 x half>", "%r = fneg <2 x half> %a0"),
    code("fabs.nan", "double", "i64", "%x = call double @llvm.fabs.f64(double %a0)\n%r = bitcast double %x to i64",
         "declare double @llvm.fabs.f64(double)"),
    code("frem", "float<1000, float<1000", "float", "%r = frem float %a0, %a1"),
    code("frem.vector", "<2 x half><100, <2 x half><100", "<2 x half>", "%r = frem contract <2 x half> %a0, %a1"),
    code("frem.f64", "double<1000, double<1000", "double", "%r = frem double %a0, %a1"),
    code("fptrunc", "double", "float", "%r = fptrunc double %a0 to float"),
    code("fptrunc.f16", "float", "half", "%r = fptrunc float %a0 to half"),
    code("fptrunc.f64.f16", "double", "half", "%r = fptrunc double %a0 to half"),
    code("fpext.f16", "half", "double", "%r = fpext half %a0 to double"),
    code("uitofp.i1", "i1", "float", "%r = uitofp i1 %a0 to float"),
    code("sitofp.i1", "i1", "double", "%r = sitofp i1 %a0 to double"),
    code("sitofp.i24", "i24", "float", "%r = sitofp i24 %a0 to float"),
    code("uitofp.v3i8", "<3 x i8>", "<3 x float>", "%r = uitofp <3 x i8> %a0 to <3 x float>"),
    code("uitofp.i64.f16", "i64", "half", "%f = uitofp i64 %a0 to float\n%r = fptrunc float %f to half"),
    code("fcmp.vector", "<4 x float>, <4 x float>", "<4 x float>",
         "%c = fcmp ogt <4 x float> %a0, %a1\n%r = select <4 x i1> %c, <4 x float> %a0, <4 x float> %a1"),
]  # fmt: skip

_STRICT = 'metadata !"fpexcept.strict") strictfp'
FLOATS += [
    *(code(f"constrained.{op}", "double, double", "double",
           f'%r = call double @llvm.experimental.constrained.{op}.f64(double %a0, double %a1, metadata !"round.tonearest", {_STRICT}',
           f"declare double @llvm.experimental.constrained.{op}.f64(double, double, metadata, metadata)")
      for op in ("fadd", "fsub", "fmul", "fdiv")),
    code("constrained.fcmp", "float, float", "i1",
         f'%r = call i1 @llvm.experimental.constrained.fcmps.f32(float %a0, float %a1, metadata !"ult", {_STRICT}',
         "declare i1 @llvm.experimental.constrained.fcmps.f32(float, float, metadata, metadata)"),
    code("constrained.fma", "float, float, float", "float",
         f'%r = call float @llvm.experimental.constrained.fma.f32(float %a0, float %a1, float %a2, metadata !"round.dynamic", {_STRICT}',
         "declare float @llvm.experimental.constrained.fma.f32(float, float, float, metadata, metadata)"),
    code("constrained.fptosi", "float<99", "i32",
         f"%r = call i32 @llvm.experimental.constrained.fptosi.i32.f32(float %a0, {_STRICT}",
         "declare i32 @llvm.experimental.constrained.fptosi.i32.f32(float, metadata)"),
]  # fmt: skip

SHAPES = [
    code("fake.use", "i32", "i32", "call void (...) @llvm.fake.use(i32 %a0)\n%r = add i32 %a0, 1", "declare void @llvm.fake.use(...)"),
    code("histogram", "<4 x i64><4", "void",
         "%p = getelementptr i32, ptr %out, <4 x i64> %a0\n"
         "call void @llvm.experimental.vector.histogram.add.v4p0.i32(<4 x ptr> %p, i32 3, <4 x i1> splat (i1 true))",
         "declare void @llvm.experimental.vector.histogram.add.v4p0.i32(<4 x ptr>, i32, <4 x i1>)"),
    code("memset.pattern", "i32", "void",
         "call void @llvm.experimental.memset.pattern.p0.i32.i64(ptr align 4 %out, i32 %a0, i64 5, i1 false)",
         "declare void @llvm.experimental.memset.pattern.p0.i32.i64(ptr, i32, i64, i1 immarg)"),
    code("ptrtoaddr", "i32", "i64", "%p = ptrtoaddr ptr %in to i64\n%q = getelementptr i32, ptr %in, i64 3\n%z = ptrtoaddr ptr %q to i64\n%r = sub i64 %z, %p"),
    code("load.i1", "i1, i1", "i1", "%r = xor i1 %a0, %a1"),
    *(code(f"wide.{op}.i{bits}", f"i{bits}, i{bits}", f"i{bits}", f"%r = {op} i{bits} %a0, %a1")
      for bits in (24, 48, 96, 128) for op in ("add", "sub", "mul", "and", "or", "xor")),
    *(code(f"wide.{op}.i{bits}", f"i{bits}, i{bits}", f"i{bits}", f"%d = or i{bits} %a1, 1\n%r = {op} i{bits} %a0, %d")
      for bits in (8, 24, 48, 64, 96, 128) for op in ("udiv", "urem")),
    *(code(f"wide.{op}.i{bits}", f"i{bits}, i{bits}", f"i{bits}",
           f"%d = lshr i{bits} %a1, 1\n%e = or i{bits} %d, 1\n%r = {op} i{bits} %a0, %e")
      for bits in (8, 24, 48, 64, 96, 128) for op in ("sdiv", "srem")),
    *(code(f"wide.{op}.i{bits}", f"i{bits}, i{bits}<{bits}", f"i{bits}", f"%r = {op} i{bits} %a0, %a1")
      for bits in (1, 8, 16, 24, 32, 48, 64, 96, 128) for op in ("shl", "lshr", "ashr")),
    *(code(f"icmp.{pred}.{kind.replace(' ', '').strip('<>')}", f"{kind}, {kind}", flag, f"%r = icmp {pred} {kind} %a0, %a1")
      for kind, flag in (("i1", "i1"), ("i24", "i1"), ("i128", "i1"), ("<4 x i8>", "<4 x i1>"))
      for pred in ("eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle")),
    code("trunc.vector", "<4 x i32>", "<4 x i8>", "%r = trunc <4 x i32> %a0 to <4 x i8>"),
    code("sext.vector", "<4 x i8>", "<4 x i32>", "%r = sext <4 x i8> %a0 to <4 x i32>"),
    code("zext.i1.vector", "<4 x i1>", "<4 x i16>", "%r = zext <4 x i1> %a0 to <4 x i16>"),
    code("bitcast.v8i1", "<8 x i1>", "i8", "%r = bitcast <8 x i1> %a0 to i8"),
    code("bitcast.i8.v8i1", "i8", "<8 x i1>", "%r = bitcast i8 %a0 to <8 x i1>"),
    code("bitcast.i128.v4f32", "i128", "<4 x float>", "%r = bitcast i128 %a0 to <4 x float>"),
    code("bitcast.v2i16.half", "<2 x i16>", "<2 x half>", "%r = bitcast <2 x i16> %a0 to <2 x half>"),
    code("bitcast.halves.bfloats", "<2 x half>", "<2 x i32>",
         "%n = fcmp uno <2 x half> %a0, %a0\n%q = select <2 x i1> %n, <2 x half> <half 0xH7E00, half 0xH7E00>, <2 x half> %a0\n"
         "%b = bitcast <2 x half> %q to <2 x bfloat>\n%m = fcmp uno <2 x bfloat> %b, %b\n%r = zext <2 x i1> %m to <2 x i32>"),
    code("bitcast.v3i32.i96", "<3 x i32>", "i96", "%r = bitcast <3 x i32> %a0 to i96"),
    code("bitcast.v4i4.i16", "i16", "<4 x i4>", "%r = bitcast i16 %a0 to <4 x i4>"),
    code("select.vector", "<4 x i1>, <4 x i16>, <4 x i16>", "<4 x i16>", "%r = select <4 x i1> %a0, <4 x i16> %a1, <4 x i16> %a2"),
    code("select.aggregate", "i1, i32, i64", "i64",
         "%x = insertvalue { i32, [2 x i64] } zeroinitializer, i32 %a1, 0\n%y = insertvalue { i32, [2 x i64] } %x, i64 %a2, 1, 1\n"
         "%z = insertvalue { i32, [2 x i64] } %y, i64 7, 1, 0\n%s = select i1 %a0, { i32, [2 x i64] } %z, { i32, [2 x i64] } zeroinitializer\n"
         "%u = extractvalue { i32, [2 x i64] } %s, 1\n%v = extractvalue [2 x i64] %u, 1\n%w = extractvalue [2 x i64] %u, 0\n%r = add i64 %v, %w"),
    code("select.i1", "i1, i1, i1", "i1", "%r = select i1 %a0, i1 %a1, i1 %a2"),
    code("shuffle", "<4 x i8>, <4 x i8>", "<8 x i8>",
         "%r = shufflevector <4 x i8> %a0, <4 x i8> %a1, <8 x i32> <i32 7, i32 0, i32 6, i32 1, i32 5, i32 2, i32 4, i32 3>"),
    code("shuffle.poison", "<4 x i32>", "<2 x i32>",
         "%s = shufflevector <4 x i32> %a0, <4 x i32> poison, <4 x i32> <i32 3, i32 poison, i32 1, i32 7>\n"
         "%r = shufflevector <4 x i32> %s, <4 x i32> undef, <2 x i32> <i32 0, i32 2>"),
    code("extract.dynamic", "<4 x i32>, i32", "i32", "%i = trunc i32 %a1 to i2\n%r = extractelement <4 x i32> %a0, i2 %i"),
    code("insert.dynamic", "<8 x i8>, i32, i8", "<8 x i8>", "%i = trunc i32 %a1 to i1\n%r = insertelement <8 x i8> %a0, i8 %a2, i1 %i"),
    code("extract.i1", "<8 x i1>, i32<8", "i1", "%r = extractelement <8 x i1> %a0, i32 %a1"),
    code("freeze", "i32, i1", "i32", "%s = select i1 %a1, i32 %a0, i32 undef\n%f = freeze i32 %s\n%z = sub i32 %f, %f\n%r = add i32 %z, %a0"),
    code("freeze.aggregate", "i32, i32", "i32",
         "%x = insertvalue { i32, <2 x i16>, [2 x i8] } poison, i32 %a0, 0\n%f = freeze { i32, <2 x i16>, [2 x i8] } %x\n"
         "%y = extractvalue { i32, <2 x i16>, [2 x i8] } %f, 0\n%v = extractvalue { i32, <2 x i16>, [2 x i8] } %f, 1\n"
         "%w = xor <2 x i16> %v, %v\n%b = bitcast <2 x i16> %w to i32\n%r = add i32 %y, %b"),
    code("freeze.vector", "<4 x i1>, <4 x float>", "<4 x float>",
         "%i = insertelement <4 x float> poison, float 1.0, i32 0\n%f = freeze <4 x float> %i\n%m = fmul <4 x float> %f, zeroinitializer\n"
         "%r = select <4 x i1> %a0, <4 x float> %a1, <4 x float> zeroinitializer"),
    code("assume", "i32<64", "i32",
         "%c = icmp ult i32 %a0, 64\ncall void @llvm.assume(i1 %c)\ncall void @llvm.assume(i1 true) [\"align\"(ptr %in, i64 16), \"nonnull\"(ptr %out)]\n%r = urem i32 %a0, 64",
         "declare void @llvm.assume(i1)"),
    code("ptrtoint", "i32", "i32",
         "%p = ptrtoint ptr %in to i64\n%q = getelementptr i8, ptr %in, i64 20\n%o = ptrtoint ptr %q to i64\n%d = sub i64 %o, %p\n"
         "%t = trunc i64 %d to i32\n%r = add i32 %t, %a0"),
    code("ptrmask", "i32", "i32",
         "%q = getelementptr i8, ptr %in, i64 3\n%p = call ptr @llvm.ptrmask.p0.i64(ptr %q, i64 -4)\n%r = load i32, ptr %p",
         "declare ptr @llvm.ptrmask.p0.i64(ptr, i64)"),
    code("flag.above", "i32, i32, i32<2", "i32",
         "%q = icmp slt i32 %a0, %a1\n%d = icmp eq i32 %a2, 0\nbr i1 %d, label %one, label %two\n"
         "one:\n%z = zext i1 %q to i8\n%t = trunc nuw i8 %z to i1\n%u = zext i1 %t to i32\nbr label %end\n"
         "two:\n%v = zext i1 %q to i32\n%w = mul i32 %v, %a0\n%x = xor i32 %w, %a1\n%y = mul i32 %x, %a0\nbr label %end\n"
         "end:\n%r = phi i32 [ %u, %one ], [ %y, %two ]"),
    code("vectors.of.odd.elements", "i24", "i24",
         "%v = load <8 x i1>, ptr @eight\n%b = bitcast <8 x i1> %v to i8\n%w = load <3 x i24>, ptr @three\n"
         "%e = extractelement <3 x i24> %w, i32 2\n%z = zext i8 %b to i24\n%x = xor i24 %e, %z\n%r = add i24 %x, %a0",
         "@eight = internal global <8 x i1> <i1 1, i1 0, i1 0, i1 1, i1 1, i1 0, i1 1, i1 0>\n"
         "@three = internal global <3 x i24> <i24 1, i24 70000, i24 -5>"),
    code("sums.of.bits", "i1, i1", "i1", "%a = mul i1 %a0, true\n%b = add i1 %a, true\n%r = add i1 %b, %a1"),
    code("gep.vector", "i32", "i32",
         "%v = insertelement <2 x ptr> poison, ptr %in, i32 0\n%w = insertelement <2 x ptr> %v, ptr %in, i32 1\n"
         "%g = getelementptr { i8, i8 }, <2 x ptr> %w, <2 x i64> <i64 0, i64 1>, <2 x i32> <i32 1, i32 1>\n%p = extractelement <2 x ptr> %g, i32 1\n%b = load i8, ptr %p\n"
         "%e = zext i8 %b to i32\n%r = add i32 %e, %a0"),
    code("icmp.ptr", "i32<64", "i1", "%q = getelementptr i8, ptr %in, i32 %a0\n%s = getelementptr i8, ptr %in, i32 9\n%r = icmp ult ptr %q, %s"),
    code("memcpy.inline", "i128, i128", "i32",
         "%b = alloca [33 x i8], align 1\ncall void @llvm.memcpy.inline.p0.p0.i64(ptr align 1 %b, ptr align 16 %in, i64 16, i1 false)\n"
         "%q = getelementptr i8, ptr %b, i64 5\n%r = load i32, ptr %q, align 1",
         "declare void @llvm.memcpy.inline.p0.p0.i64(ptr, ptr, i64, i1 immarg)"),
    code("memmove", "i128, i128", "i64",
         "%b = alloca [48 x i8], align 4\ncall void @llvm.memcpy.p0.p0.i64(ptr align 4 %b, ptr align 16 %in, i64 32, i1 false)\n"
         "%q = getelementptr i8, ptr %b, i64 7\ncall void @llvm.memmove.p0.p0.i64(ptr %q, ptr align 4 %b, i64 29, i1 false)\n"
         "%s = getelementptr i8, ptr %b, i64 9\n%r = load i64, ptr %s, align 1",
         "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1 immarg)\ndeclare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1 immarg)"),
    code("memcpy.dynamic", "i128, i32<17", "i128",
         "%n = zext i32 %a1 to i64\nstore i128 0, ptr %out\ncall void @llvm.memcpy.p0.p0.i64(ptr align 1 %out, ptr align 1 %in, i64 %n, i1 false)\n"
         "%r = load i128, ptr %out",
         "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1 immarg)"),
    code("memset.dynamic", "i8, i32<30", "i128",
         "%n = zext i32 %a1 to i64\n%b = alloca [32 x i8], align 16\nstore i128 5, ptr %b\n"
         "call void @llvm.memset.p0.i64(ptr align 16 %b, i8 %a0, i64 %n, i1 false)\n%r = load i128, ptr %b",
         "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1 immarg)"),
    code("memset.inline", "i8", "i64",
         "%b = alloca [13 x i8], align 1\ncall void @llvm.memset.inline.p0.i64(ptr %b, i8 %a0, i64 13, i1 false)\n"
         "%q = getelementptr i8, ptr %b, i64 3\n%r = load i64, ptr %q, align 1",
         "declare void @llvm.memset.inline.p0.i64(ptr, i8, i64, i1 immarg)"),
    code("masked.load", "<4 x i32>, <4 x i32>, <4 x i1>", "<4 x i32>",
         "%r = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %in, <4 x i1> %a2, <4 x i32> %a1)",
         "declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, <4 x i1>, <4 x i32>)"),
    code("masked.store", "<4 x i16>, <4 x i1>", "void",
         "call void @llvm.masked.store.v4i16.p0(<4 x i16> %a0, ptr align 2 %out, <4 x i1> %a1)",
         "declare void @llvm.masked.store.v4i16.p0(<4 x i16>, ptr, <4 x i1>)"),
    code("masked.constant", "<4 x i32>, <4 x i32>", "<4 x i32>",
         "%r = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 16 %in, <4 x i1> <i1 1, i1 0, i1 1, i1 1>, <4 x i32> %a1)",
         "declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, <4 x i1>, <4 x i32>)"),
    code("masked.gather", "i128, <4 x i64><8, <4 x i1>, <4 x i16>", "<4 x i16>",
         "%p = getelementptr i16, ptr %in, <4 x i64> %a1\n"
         "%r = call <4 x i16> @llvm.masked.gather.v4i16.v4p0(<4 x ptr> align 2 %p, <4 x i1> %a2, <4 x i16> %a3)",
         "declare <4 x i16> @llvm.masked.gather.v4i16.v4p0(<4 x ptr>, <4 x i1>, <4 x i16>)"),
    code("masked.scatter", "<4 x i32>, <4 x i64><8, <4 x i1>", "void",
         "%p = getelementptr i32, ptr %out, <4 x i64> %a1\n"
         "call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %a0, <4 x ptr> align 4 %p, <4 x i1> %a2)",
         "declare void @llvm.masked.scatter.v4i32.v4p0(<4 x i32>, <4 x ptr>, <4 x i1>)"),
    code("masked.expandload", "<4 x i32>, <4 x i1>, <4 x i32>", "<4 x i32>",
         "%r = call <4 x i32> @llvm.masked.expandload.v4i32(ptr %in, <4 x i1> %a1, <4 x i32> %a2)",
         "declare <4 x i32> @llvm.masked.expandload.v4i32(ptr, <4 x i1>, <4 x i32>)"),
    code("masked.compressstore", "<4 x i32>, <4 x i1>", "void",
         "call void @llvm.masked.compressstore.v4i32(<4 x i32> %a0, ptr %out, <4 x i1> %a1)",
         "declare void @llvm.masked.compressstore.v4i32(<4 x i32>, ptr, <4 x i1>)"),
    code("vector.compress", "<4 x i32>, <4 x i1>, <4 x i32>", "<4 x i32>",
         "%r = call <4 x i32> @llvm.experimental.vector.compress.v4i32(<4 x i32> %a0, <4 x i1> %a1, <4 x i32> %a2)",
         "declare <4 x i32> @llvm.experimental.vector.compress.v4i32(<4 x i32>, <4 x i1>, <4 x i32>)"),
    code("vector.deinterleave2", "<8 x i16>", "<4 x i16>",
         "%p = call { <4 x i16>, <4 x i16> } @llvm.vector.deinterleave2.v8i16(<8 x i16> %a0)\n%x = extractvalue { <4 x i16>, <4 x i16> } %p, 0\n"
         "%y = extractvalue { <4 x i16>, <4 x i16> } %p, 1\n%r = sub <4 x i16> %x, %y",
         "declare { <4 x i16>, <4 x i16> } @llvm.vector.deinterleave2.v8i16(<8 x i16>)"),
    code("stepvector", "<4 x i16>", "<4 x i16>", "%s = call <4 x i16> @llvm.stepvector.v4i16()\n%r = add <4 x i16> %a0, %s",
         "declare <4 x i16> @llvm.stepvector.v4i16()"),
    code("objectsize", "i32", "i64", "%b = alloca [12 x i8]\n%s = call i64 @llvm.objectsize.i64.p0(ptr %b, i1 false, i1 true, i1 false)\n"
         "%z = zext i32 %a0 to i64\n%r = add i64 %s, %z", "declare i64 @llvm.objectsize.i64.p0(ptr, i1 immarg, i1 immarg, i1 immarg)"),
    code("is.constant", "i32", "i1", "%r = call i1 @llvm.is.constant.i32(i32 7)", "declare i1 @llvm.is.constant.i32(i32)"),
    code("global.constant", "i32<4", "i16", "%p = getelementptr [4 x i16], ptr @table, i32 0, i32 %a0\n%r = load i16, ptr %p",
         "@table = internal constant [4 x i16] [i16 3, i16 -1, i16 77, i16 9]"),
    code("load.volatile", "<2 x i32>", "<2 x i32>", "%r = load volatile <2 x i32>, ptr %in"),
    code("load.unaligned", "i128", "i64", "%q = getelementptr i8, ptr %in, i64 3\n%r = load i64, ptr %q, align 1"),
    code("struct.packed", "i128", "i64",
         "%s = load <{ i8, i64, i16 }>, ptr %in, align 1\n%r = extractvalue <{ i8, i64, i16 }> %s, 1"),
    code("array.store", "i32, i64", "void",
         "%x = insertvalue [2 x { i64, i32 }] zeroinitializer, i64 %a1, 1, 0\n%y = insertvalue [2 x { i64, i32 }] %x, i32 %a0, 0, 1\n"
         "store [2 x { i64, i32 }] %y, ptr %out"),
    code("store.v3i8", "<3 x i8>, i24", "<3 x i8>", "%s = getelementptr i8, ptr %out, i64 16\nstore i24 %a1, ptr %s\n%r = add <3 x i8> %a0, %a0"),
    code("store.v4i1", "<4 x i1>, <12 x i1>", "<4 x i1>", "%s = getelementptr i8, ptr %out, i64 16\nstore <12 x i1> %a1, ptr %s\n%r = xor <4 x i1> %a0, <i1 1, i1 0, i1 1, i1 0>"),
    code("vaarg.free", "i32", "i32", "%r = call i32 @helper(i32 %a0, { i32, float } { i32 3, float 1.0 })",
         "define internal i32 @helper(i32 %x, { i32, float } %s) noinline { %a = extractvalue { i32, float } %s, 0 %r = mul i32 %x, %a ret i32 %r }"),
    code("call.aggregate", "i64, <3 x i16>", "i64",
         "%p = call { i64, <3 x i16>, i1 } @pair(i64 %a0, <3 x i16> %a1)\n%x = extractvalue { i64, <3 x i16>, i1 } %p, 0\n"
         "%v = extractvalue { i64, <3 x i16>, i1 } %p, 1\n%e = extractelement <3 x i16> %v, i32 2\n%z = zext i16 %e to i64\n%r = add i64 %x, %z",
         "define internal { i64, <3 x i16>, i1 } @pair(i64 %a, <3 x i16> %b) noinline { %x = insertvalue { i64, <3 x i16>, i1 } poison, i64 %a, 0 "
         "%y = insertvalue { i64, <3 x i16>, i1 } %x, <3 x i16> %b, 1 %z = insertvalue { i64, <3 x i16>, i1 } %y, i1 1, 2 ret { i64, <3 x i16>, i1 } %z }"),
    code("call.i128", "i128, i8", "i128", "%r = call i128 @wide(i128 %a0, i8 %a1)",
         "define internal i128 @wide(i128 %a, i8 signext %b) noinline { %x = sext i8 %b to i128 %r = add i128 %a, %x ret i128 %r }"),
    code("switch.i8", "i8", "i32",
         "switch i8 %a0, label %d [ i8 -1, label %x i8 0, label %y i8 7, label %y i8 100, label %z ]\nx:\nbr label %d\ny:\nbr label %d\nz:\n"
         "br label %d\nd:\n%r = phi i32 [ 1, %0 ], [ 2, %x ], [ 3, %y ], [ 4, %z ]"),
    code("switch.i64", "i64", "i64",
         "%k = and i64 %a0, 9223372036854775811\nswitch i64 %k, label %d [ i64 -9223372036854775808, label %x i64 3, label %y i64 -9223372036854775805, label %z ]\n"
         "x:\nbr label %d\ny:\nbr label %d\nz:\n%m = mul i64 %a0, 5\nbr label %d\nd:\n%r = phi i64 [ 1, %0 ], [ %a0, %x ], [ 3, %y ], [ %m, %z ]"),
    code("switch.i1", "i1, i32", "i32", "switch i1 %a0, label %x [ i1 true, label %y ]\nx:\nbr label %d\ny:\n%m = mul i32 %a1, %a1\nbr label %d\nd:\n%r = phi i32 [ 1, %x ], [ %m, %y ]"),
    code("switch.dense", "i32<9, i32", "i32",
         "switch i32 %a0, label %d [ i32 0, label %x i32 1, label %y i32 2, label %z i32 3, label %w i32 4, label %x i32 5, label %y i32 6, label %z ]\n"
         "x:\n%p = mul i32 %a1, %a1\nbr label %d\ny:\n%q = xor i32 %a1, 5\nstore i32 1, ptr %in\nbr label %d\nz:\n%s = udiv i32 %a1, 3\nbr label %d\nw:\n%t = ctpop_hack\nbr label %d\nd:\n"
         "%r = phi i32 [ 0, %0 ], [ %p, %x ], [ %q, %y ], [ %s, %z ], [ %t, %w ]".replace("ctpop_hack", "lshr i32 %a1, 9")),
    code("switch.i128", "i128<4", "i32", "switch i128 %a0, label %d [ i128 1, label %x i128 3, label %y ]\nx:\nbr label %d\ny:\nbr label %d\nd:\n%r = phi i32 [ 0, %0 ], [ 8, %x ], [ 9, %y ]"),
    code("phi.aggregate", "i1, i32, i64", "i64",
         "%x = insertvalue { i32, i64 } zeroinitializer, i64 %a2, 1\nbr i1 %a0, label %t, label %e\nt:\n%y = insertvalue { i32, i64 } %x, i64 9, 1\nbr label %e\n"
         "e:\n%p = phi { i32, i64 } [ %x, %0 ], [ %y, %t ]\n%r = extractvalue { i32, i64 } %p, 1"),
    code("phi.vector", "i32<7, <4 x i8>", "<4 x i8>",
         "br label %h\nh:\n%i = phi i32 [ 0, %0 ], [ %j, %b ]\n%v = phi <4 x i8> [ %a1, %0 ], [ %w, %b ]\n%c = icmp ult i32 %i, %a0\nbr i1 %c, label %b, label %e\n"
         "b:\n%w = mul <4 x i8> %v, <i8 3, i8 5, i8 7, i8 9>\n%j = add i32 %i, 1\nbr label %h\ne:\n%r = add <4 x i8> %v, %v"),
    code("phi.i1", "i32<9, i1", "i1",
         "br label %h\nh:\n%i = phi i32 [ 0, %0 ], [ %j, %h ]\n%v = phi i1 [ %a1, %0 ], [ %w, %h ]\n%k = and i32 %i, 2\n%z = icmp eq i32 %k, 0\n%w = xor i1 %v, %z\n"
         "%j = add i32 %i, 1\n%c = icmp ult i32 %j, %a0\nbr i1 %c, label %h, label %e\ne:\n%r = and i1 %w, true"),
    code("alloca.dynamic", "i32<8, i32", "i32",
         "%n = add i32 %a0, 1\n%b = alloca i32, i32 %n\n%l = getelementptr i32, ptr %b, i32 %a0\nstore i32 %a1, ptr %b\nstore volatile i32 7, ptr %l\n%r = load volatile i32, ptr %l"),
]  # fmt: skip

_RMW = (
    "xchg",
    "add",
    "sub",
    "and",
    "nand",
    "or",
    "xor",
    "max",
    "min",
    "umax",
    "umin",
    "uinc_wrap",
    "udec_wrap",
    "usub_cond",
    "usub_sat",
)
_FLOAT_RMW = ("xchg", "fadd", "fsub", "fmax", "fmin", "fmaximum", "fminimum")
ATOMICS = [
    *(code(f"rmw.{op}.i{bits}", f"i{bits}, i{bits}", f"i{bits}",
           f"store i{bits} %a0, ptr %out\n%o = atomicrmw {op} ptr %out, i{bits} %a1 seq_cst\n%s = getelementptr i8, ptr %out, i64 32\n"
           f"store i{bits} %o, ptr %s\n%r = load i{bits}, ptr %out")
      for op in _RMW for bits in (8, 16, 32, 64)),
    *(code(f"rmw.{op}.{kind}", f"{kind}<9, {kind}<9", kind,
           f"store {kind} %a0, ptr %out\n%o = atomicrmw {op} ptr %out, {kind} %a1 monotonic\n%s = getelementptr i8, ptr %out, i64 32\n"
           f"store {kind} %o, ptr %s\n%r = load {kind}, ptr %out")
      for op in _FLOAT_RMW for kind in ("float", "double", "half")),
    *(code(f"cmpxchg.i{bits}", f"i{bits}<4, i{bits}<4, i{bits}", f"i{bits}",
           f"store i{bits} %a0, ptr %out\n%p = cmpxchg ptr %out, i{bits} %a1, i{bits} %a2 acq_rel monotonic\n%f = extractvalue {{ i{bits}, i1 }} %p, 1\n"
           f"%o = extractvalue {{ i{bits}, i1 }} %p, 0\n%s = getelementptr i8, ptr %out, i64 32\nstore i{bits} %o, ptr %s\n"
           f"%t = getelementptr i8, ptr %out, i64 48\nstore i1 %f, ptr %t\n%r = load i{bits}, ptr %out")
      for bits in (8, 16, 32, 64, 128)),
    code("cmpxchg.ptr", "ptr<4, ptr<4, ptr", "ptr", "store ptr %a0, ptr %out\n%p = cmpxchg weak ptr %out, ptr %a1, ptr %a2 seq_cst seq_cst\n"
         "%o = extractvalue { ptr, i1 } %p, 0\n%s = getelementptr i8, ptr %out, i64 32\nstore ptr %o, ptr %s\n%r = load ptr, ptr %out"),
    code("atomic.load.store", "i64, i16, float", "i64", "%x = load atomic i64, ptr %in acquire, align 8\nstore atomic i64 %x, ptr %out release, align 8\n"
         "%q = getelementptr i8, ptr %out, i64 16\nstore atomic i16 %a1, ptr %q monotonic, align 2\n%f = getelementptr i8, ptr %out, i64 24\n"
         "store atomic float %a2, ptr %f seq_cst, align 4\n%r = load atomic i64, ptr %out seq_cst, align 8"),
    code("atomic.i8", "i8", "i8", "store atomic i8 %a0, ptr %out release, align 1\n%r = load atomic i8, ptr %out acquire, align 1"),
    code("fences", "i32", "i32", "store i32 %a0, ptr %out\n"
         + "\n".join(f"fence {scope}{order}" for scope in ("", 'syncscope("block") ', 'syncscope("device") ', 'syncscope("cluster") ', 'syncscope("singlethread") ')
                     for order in ("acquire", "release", "acq_rel", "seq_cst")) + "\n%r = load i32, ptr %out"),
]  # fmt: skip
GROUPS = {"integers": INTEGERS, "floats": FLOATS, "shapes": SHAPES, "atomics": ATOMICS}
