"""Building blocks for float semantics: formats, NaN and denormal rules, comparisons, minima, conversions.

Facts: a NaN result of an f32, f16 or bf16 operation is the canonical 0x7fffffff / 0x7fff (CUDA programming guide; the
tensor and MUFU measurements agree). f64 operations keep the payload of a NaN operand, quieted, and make
0xfff8000000000000 for an invalid operation (measured on an H200; priority b, c, a).
"""

from __future__ import annotations

import attrs

from minicc.sass.semantics.expr import (
    FALSE,
    TRUE,
    E,
    const,
    fadd,
    fcmp,
    fext,
    fma,
    fmul,
    ftrunc,
)
from minicc.sass.semantics.form import Builder


@attrs.frozen
class Format:
    """A binary float format of `width` bits with `fraction` stored fraction bits."""

    name: str
    width: int
    fraction: int

    @property
    def exponent_bits(self) -> int:
        return self.width - 1 - self.fraction

    @property
    def bias(self) -> int:
        return (1 << (self.exponent_bits - 1)) - 1

    @property
    def infinity(self) -> int:
        return ((1 << self.exponent_bits) - 1) << self.fraction

    @property
    def sign(self) -> int:
        return 1 << (self.width - 1)

    @property
    def one(self) -> int:
        return self.bias << self.fraction

    @property
    def canonical_nan(self) -> int:
        return 0xFFF8 << 48 if self.width == 64 else self.sign - 1

    @property
    def quiet(self) -> int:
        return 1 << (self.fraction - 1)


F16, BF16, F32, F64 = Format("f16", 16, 10), Format("bf16", 16, 7), Format("f32", 32, 23), Format("f64", 64, 52)
ROUNDINGS = ("RM", "RP", "RZ")


def is_nan(fmt: Format, x: E) -> E:
    return (x & (fmt.sign - 1)).ugt(fmt.infinity)


def is_inf(fmt: Format, x: E) -> E:
    return (x & (fmt.sign - 1)).eq(fmt.infinity)


def is_zero(fmt: Format, x: E) -> E:
    return (x & (fmt.sign - 1)).eq(0)


def flush(fmt: Format, x: E) -> E:
    """Denormals become zeros of the same sign."""
    return (x & fmt.infinity).eq(0).select(x & fmt.sign, x)


def canonical(fmt: Format, x: E) -> E:
    """Any NaN becomes the format's canonical one."""
    return is_nan(fmt, x).select(const(fmt.canonical_nan, fmt.width), x)


def saturate(fmt: Format, x: E) -> E:
    """Clamp to [0, 1]; NaN and -0 become +0."""
    positive = (x & fmt.sign).eq(0) & ~is_nan(fmt, x)
    return positive.select(x.ult(fmt.one).select(x, fmt.one), 0)


def relu(fmt: Format, x: E) -> E:
    """Negative values and -0 become +0; NaN stays."""
    return ((x & fmt.sign).ne(0) & ~is_nan(fmt, x)).select(0, x)


def propagate(fmt: Format, result: E, *operands: E) -> E:
    """f64 NaN rule: the first NaN among `operands`, quieted; else the canonical NaN if the result is one."""
    out = canonical(fmt, result)
    for op in reversed(operands):
        out = is_nan(fmt, op).select(op | fmt.quiet, out)
    return out


def compare(fmt: Format, name: str, x: E, y: E) -> E:
    """A float comparison by its printed name; the U forms are true for NaN."""
    if name in ("F", "T"):
        return TRUE if name == "T" else FALSE
    unordered = is_nan(fmt, x) | is_nan(fmt, y)
    if name in ("NUM", "NAN"):
        return unordered if name == "NAN" else ~unordered
    base = name.removesuffix("U")
    native = fmt.width >= 32
    if native:
        less = fcmp(fmt.name, "olt", x, y)
        equal = fcmp(fmt.name, "oeq", x, y)
        greater = fcmp(fmt.name, "olt", y, x)
    else:
        kx, ky = order_key(fmt, x), order_key(fmt, y)
        less, equal, greater = (p & ~unordered for p in (kx.slt(ky), kx.eq(ky), ky.slt(kx)))
    result = {
        "LT": less,
        "EQ": equal,
        "LE": less | equal,
        "GT": greater,
        "NE": less | greater,
        "GE": greater | equal,
    }[base]
    return result | unordered if name.endswith("U") else result


def order_key(fmt: Format, x: E) -> E:
    """A signed integer that orders as the float does, +0 and -0 equal (NaN not handled)."""
    magnitude = x & (fmt.sign - 1)
    return (x & fmt.sign).ne(0).select(-magnitude, magnitude)


def total_key(fmt: Format, x: E) -> E:
    """A signed integer that orders as the float does, with -0 below +0."""
    return x.negative().select(x ^ (fmt.sign - 1), x)


def minmax(fmt: Format, x: E, y: E, low: E, nan: bool = False, signs: E | None = None) -> E:
    """`low` ? min : max. A NaN operand loses, or with `nan` gives NaN; two NaNs give the canonical one; -0 < +0.
    `signs` (XORSIGN): a value whose sign bit becomes the result's, the exclusive or of the operands before |x|."""
    x_less = total_key(fmt, x).slt(total_key(fmt, y))
    picked = (x_less ^ ~low).select(x, y)
    quiet = const(fmt.canonical_nan if fmt.width != 64 else 0x7FFFFFFF_FFFFFFFF, fmt.width)
    nx, ny = is_nan(fmt, x), is_nan(fmt, y)
    if not nan:
        picked = nx.select(y, ny.select(x, picked))
    if signs is not None:
        picked = (picked & (fmt.sign - 1)) | (signs & fmt.sign)
    return (nx | ny if nan else nx & ny).select(quiet, picked)


def rounding(b: Builder) -> str:
    return b.one(*ROUNDINGS, default="RN")


# ---- widening and narrowing


def widen(fmt: Format, x: E) -> E:
    """f16 or bf16 bits (16 wide) to f32 bits, exact; NaN payloads move up with the fraction."""
    if fmt is BF16:
        return x.zext(32) << 16
    magnitude = (x & 0x7FFF).zext(32) << 13
    # Multiplying by 2^112 rebiases the exponent and is exact for f16 denormals too.
    scaled = fmul("f32", magnitude, const((127 + 112) << 23))
    special = (x & 0x7C00).eq(0x7C00).select(magnitude | 0x7F800000, scaled)
    return special | ((x & 0x8000).zext(32) << 16)


def narrow(src: Format, dst: Format, x: E, rm: str = "RN", saturate_finite: bool = False) -> E:
    """Round a wider float (f32 or f64 bits) to f16 or bf16, in integer arithmetic; NaN becomes canonical.

    The magnitude is cut to the destination's last place (fixed below its smallest normal), the rest decides the
    rounding."""
    w = src.width
    drop = src.fraction - dst.fraction
    magnitude = x & (src.sign - 1)
    exponent = magnitude >> src.fraction
    # Places to drop: `drop`, plus how far the exponent is below the destination's smallest normal one.
    least = src.bias - dst.bias + 1
    if least > 1 or src.exponent_bits != dst.exponent_bits:
        below = exponent.slt(least).select(least - exponent, 0)
        significand = (magnitude & ((1 << src.fraction) - 1)) | exponent.eq(0).select(const(0, w), 1 << src.fraction)
        shift = (below + drop).umin(src.fraction + 2)
        kept = significand.shr(shift)
        rest = significand - kept.shl(shift)
        half = const(1, w).shl(shift - 1)
        # Normal: the hidden bit adds one to the exponent field, so the field starts one lower.
        field = exponent.slt(least).select(const(0, w), (exponent - least) << dst.fraction)
        base = kept + field
    else:
        base = magnitude >> drop
        rest = magnitude & ((1 << drop) - 1)
        half = const(1 << (drop - 1), w)
    negative = (x & src.sign).ne(0)
    if rm == "RN":
        up = half.ult(rest) | (half.eq(rest) & base.bit(0))
    elif rm == "RZ":
        up = FALSE
    else:
        up = rest.ne(0) & (negative if rm == "RM" else ~negative)
    rounded = base + up.zext(w)
    # Overflow: infinity, or the largest finite value if rounding goes toward zero.
    if rm == "RN":
        limit: E = const(dst.infinity, w)
    elif rm == "RZ":
        limit = const(dst.infinity - 1, w)
    else:
        toward = negative if rm == "RM" else ~negative
        limit = toward.select(const(dst.infinity, w), const(dst.infinity - 1, w))
    if saturate_finite:
        limit = const(dst.infinity - 1, w)
    over = rounded.uge(dst.infinity)
    out = over.select(limit, rounded)
    if not saturate_finite:
        out = magnitude.eq(src.infinity).select(const(dst.infinity, w), out)
    signed = out.trunc(16) | (negative.select(const(dst.sign, 16), 0))
    return is_nan(src, x).select(const(dst.canonical_nan, 16), signed)


def fma_odd(fmt: Format, a: E, b: E, c: E) -> tuple[Format, E]:
    """a*b + c of f16 or bf16 values given as f32, rounded to odd in a wider format (which is returned too), so that any
    further rounding to fewer than 22 bits is correct. f16 products are exact in f32; bf16 ones may leave its range."""
    if fmt is F16:
        return F32, add_odd(F32, fmul("f32", a, b), c)
    return F64, add_odd(F64, fmul("f64", fext(a), fext(b)), fext(c))


def add_odd(fmt: Format, p: E, c: E) -> E:
    """Sum rounded to odd: TwoSum gives the error; an inexact even result moves one place toward the error."""
    name, top = fmt.name, fmt.sign
    s = fadd(name, p, c)
    t = fadd(name, s, p ^ top)
    e = fadd(name, fadd(name, p, fadd(name, s, t ^ top) ^ top), fadd(name, c, t ^ top))
    inexact = (e & (top - 1)).ne(0)
    toward = ((e ^ s) & top).eq(0)
    finite = (s & fmt.infinity).ne(fmt.infinity)
    moved = toward.select(s + 1, s - 1)
    return (inexact & ~s.bit(0) & finite).select(moved, s)


__all__ = [
    "BF16", "F16", "F32", "F64", "Format", "add_odd", "canonical", "compare", "flush", "fma", "fma_odd", "ftrunc",
    "is_inf", "is_nan", "is_zero", "minmax", "narrow", "order_key", "propagate", "relu", "rounding", "saturate",
    "widen",
]  # fmt: skip
