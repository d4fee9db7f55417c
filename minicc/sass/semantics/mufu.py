"""The special-function unit (MUFU), bit for bit: piecewise quadratics over integer tables.

Every function picks a segment (i), evaluates c0 + c1 x + c2 x^2 in fixed point with a truncating squarer, and
assembles a float. Constants and special cases were measured on an H200 over all 2^32 operands (see `mufu_tables`).
"""

from __future__ import annotations

from collections.abc import Callable

from minicc.sass.semantics.convert import half_of
from minicc.sass.semantics.expr import E, const, table
from minicc.sass.semantics.floats import BF16, F16, Format, widen
from minicc.sass.semantics.form import Builder, semantic, sign_modifiers
from minicc.sass.semantics.mufu_tables import TABLES

NAN, INF = 0x7FFFFFFF, 0x7F800000


def square(x: E) -> E:
    """About x^2 / 2^19 for 17-bit x: partial products truncated at bit 18, the sum then loses one more bit."""
    total = const(0, x.width)
    for i in range(17):
        # (x >> (18 - i)) where bit i is set: the mask is bit i spread by negation.
        mask = -(x >> i & 1)
        total = total + (mask & (x >> (18 - i)))
    return total >> 1


def coefficients(name: str, index: E) -> tuple[E, E, E]:
    c0, c1, c2 = TABLES[name]
    return table(c0, index), table(c1, index), table(c2, index)


def quadratic(name: str, index: E, x: E, a: int, b: int, sq: E) -> E:
    """(c0 << a) + c1 x + (c2 sq << b), 64 bits; x and sq have 32."""
    c0, c1, c2 = coefficients(name, index)
    return (c0 << a) + c1 * x.zext(64) + ((c2 * sq.zext(64)) << b)


def norm(v: E, places: int) -> E:
    """f32 of the 64-bit v * 2^-places, truncated to 24 bits; 0 gives +0."""
    length = 64 - v.clz()
    left = (24 - length).slt(0).select(const(0, 64), 24 - length)
    right = (length - 24).slt(0).select(const(0, 64), length - 24)
    significand = v.shr(right).shl(left).trunc(32)
    exponent = length.trunc(32) + (126 - places)
    return v.eq(0).select(0, (exponent << 23) + significand - (1 << 23))


class Operand:
    """Fields of an f32 operand, 32 bits each."""

    def __init__(self, x: E):
        self.word = x
        self.sign_bit = x & 0x80000000
        self.negative = x.negative()
        self.e = x.bits(23, 8)
        self.m = x & 0x7FFFFF
        self.zero = self.e.eq(0)
        self.top = self.e.eq(255)
        self.nan = self.top & self.m.ne(0)


def rcp_core(m: E) -> E:
    """24-bit significand of 1/1.m."""
    x = m & 0xFFFF
    return ((quadratic("rcp", m >> 16, x, 13, 0, square(x << 1)) + 0x47E7).sar(15)).trunc(32)


def rsq_core(f: E) -> E:
    x = f & 0x1FFFF
    return ((quadratic("rsq", f >> 17, x, 14, 2, square(x)) + 0x7FFF).sar(16)).trunc(32)


def sqrt_core(f: E) -> E:
    c0, c1, c2 = coefficients("sqrt", f >> 17)
    x = f & 0x1FFFF
    slope = c1 * x.zext(64)
    slope = f.bit(23).select(slope << 1, slope)
    return (((c0 << 15) + slope + ((c2 * square(x).zext(64)) << 1) + 0xFFFF).sar(17)).trunc(32)


def rcp(o: Operand) -> E:
    r = ((253 - o.e) << 23) + rcp_core(o.m) - (1 << 23)
    r = r.slt(0x800000).select(0, r)
    r = o.zero.select(INF, o.top.select(0, r)) | o.sign_bit
    return o.nan.select(NAN, r)


def _even(o: Operand) -> tuple[E, E]:
    """(exponent parity and fraction, floor((e - 127) / 2))."""
    return ((o.e & 1 ^ 1) << 23) | o.m, (o.e - 127).sar(1)


def rsq(o: Operand) -> E:
    f, h = _even(o)
    r = ((126 - h) << 23) + rsq_core(f) - (1 << 23)
    r = f.eq(0).select((127 - h) << 23, r)
    r = o.negative.select(NAN, o.top.select(0, r))
    return o.nan.select(NAN, o.zero.select(o.sign_bit | INF, r))


def sqrt(o: Operand) -> E:
    f, h = _even(o)
    r = ((127 + h) << 23) + sqrt_core(f) - (1 << 23)
    r = o.negative.select(NAN, o.top.select(INF, r))
    return o.nan.select(NAN, o.zero.select(o.sign_bit, r))


def ex2(o: Operand) -> E:
    significand = o.m | o.zero.select(const(0), const(1 << 23))
    k = o.e - 127
    # 23 fraction bits, truncated toward zero; above 2^7 the result is decided below.
    fixed = k.slt(0).select(significand.shr(-k), significand.shl(k & 7))
    fixed = o.zero.select(0, fixed)
    whole, f = fixed >> 23, fixed & 0x7FFFFF
    inexact = o.negative & f.ne(0)
    whole = o.negative.select(-whole - inexact.zext(32), whole)
    f = inexact.select(f ^ 0x7FFFFF, f)
    x = f & 0x1FFFF
    core = ((quadratic("ex2", f >> 17, x, 13, 0, square(x)) + 0x77E2).sar(15)).trunc(32)
    r = ((whole + 127) << 23) + core - (1 << 23)
    r = r.slt(0x800000).select(0, r)
    r = o.e.uge(134).select(o.negative.select(const(0), const(INF)), r)
    return o.nan.select(NAN, r)


def lg2(o: Operand) -> E:
    x = o.m & 0x1FFFF
    v = (quadratic("lg2", o.m >> 17, x, 12, 1, square(x)) + 0x3345).sar(2)
    v = (o.e.eq(127) & o.m.eq(0)).select(0, v) + ((o.e - 127).sext(64) << 36)
    minus = v.negative()
    r = norm(minus.select(~v, v), 36) | minus.select(const(1 << 31), 0)
    r = o.negative.select(NAN, o.top.select(INF, r))
    return o.nan.select(NAN, o.zero.select(0xFF800000, r))


def sincos(o: Operand, cosine: bool) -> E:
    k = o.e - 125
    significand = o.m | (1 << 23)
    # Quarter turns with 23 fraction bits, modulo four.
    fixed = k.slt(0).select(significand.shr(-k), significand.zext(64).shl(k.zext(64) & 63).trunc(32)) & 0x1FFFFFF
    fixed = (o.zero | k.sge(25)).select(0, fixed)
    q, f = fixed >> 23, fixed & 0x7FFFFF
    sign = o.sign_bit
    if cosine:
        q, sign = q + 1, const(0)
    f = (q & 1).ne(0).select(f ^ 0x7FFFFF, f)
    x = f & 0x1FFFF
    r = norm(quadratic("sin", f >> 17, x, 11, 0, square(x)), 37) | (sign ^ ((q & 2) << 30))
    return o.top.select(NAN, r)


TANH_SEGMENTS = {119: 0, 120: 0, 121: 0, 122: 1, 123: 1, 124: 2, 125: 2, 126: 2, 127: 3, 128: 4, 129: 3}
"""log2 of the number of segments, per biased exponent; table entries are stored in this order."""


def tanh(o: Operand) -> E:
    log, base = const(0), const(0)
    at = 0
    for exponent, g in TANH_SEGMENTS.items():
        here = o.e.eq(exponent)
        log, base = here.select(g, log), here.select(at, base)
        at += 1 << g
    index = base + o.m.shr(23 - log)
    index = (o.e.uge(119) & o.e.ult(130)).select(index, 0)
    x = o.m.shr(6 - log) & 0x1FFFF
    middle = norm(quadratic("tanh", index, x, 15, 1, square(x)), 39)
    r = o.e.ult(119).select(o.word & 0x7FFFFFFF, o.e.ult(130).select(middle, 0x3F800000))
    return o.nan.select(NAN, r | o.sign_bit)


class Operand64(Operand):
    """Fields of the high word of an f64 operand; m has 20 bits."""

    def __init__(self, x: E):
        super().__init__(x)
        self.e = x.bits(20, 11)
        self.m = x & 0xFFFFF
        self.zero = self.e.eq(0)
        self.top = self.e.eq(2047)
        self.nan = self.top & self.m.ne(0)


def rcp64h(o: Operand) -> E:
    r = ((2045 - o.e) << 20) + (rcp_core(o.m << 3) >> 3) - (1 << 20)
    r = r.slt(0x100000).select(0, r)
    r = o.zero.select(0x7FF00000, o.top.select(0, r)) | o.sign_bit
    return o.nan.select(NAN, r)


def rsq64h(o: Operand) -> E:
    f = ((o.e & 1 ^ 1) << 23) | (o.m << 3)
    h = (o.e - 1023).sar(1)
    r = ((1022 - h) << 20) + (rsq_core(f) >> 3) - (1 << 20)
    r = f.eq(0).select((1023 - h) << 20, r)
    r = o.negative.select(NAN, o.top.select(0, r))
    return o.nan.select(NAN, o.zero.select(o.sign_bit | 0x7FF00000, r))


FUNCTIONS: dict[str, Callable[[Operand], E]] = {
    "RCP": rcp,
    "RSQ": rsq,
    "SQRT": sqrt,
    "EX2": ex2,
    "LG2": lg2,
    "SIN": lambda o: sincos(o, False),
    "COS": lambda o: sincos(o, True),
    "TANH": tanh,
}


def truncate_half(fmt: Format, y: E) -> E:
    """f32 result cut (toward zero) to 16 bits; overflow is infinity, NaN 0x7fff."""
    sign, e, m = (y >> 31) << 15, y.bits(23, 8), y & 0x7FFFFF
    nan = e.eq(255) & m.ne(0)
    if fmt is BF16:
        return nan.select(0x7FFF, y >> 16)
    k = e - 112
    r = k.sgt(0).select((k << 10) | (m >> 13), (m | (1 << 23)).shr((14 - k).smin(31)))
    r = k.sge(31).select(0x7C00, r)
    return nan.select(0x7FFF, r | sign)


@semantic("MUFU")
def mufu(b: Builder) -> None:
    name = b.one(*FUNCTIONS, "RCP64H", "RSQ64H")
    if b.has("F16", "BF16"):
        fmt = BF16 if b.has("BF16") else F16
        half = sign_modifiers(half_of(b, 1, b.raw(1)), b.flag(1, "neg"), b.flag(1, "abs"))
        b.set(0, truncate_half(fmt, FUNCTIONS[name](Operand(widen(fmt, half)))))
        return
    x = b.real(1)
    if name.endswith("64H"):
        o = Operand64(x)
        b.set(0, rcp64h(o) if name == "RCP64H" else rsq64h(o))
        return
    b.set(0, FUNCTIONS[name](Operand(x)))
