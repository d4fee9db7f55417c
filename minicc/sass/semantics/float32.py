"""Single precision: FADD FMUL FFMA FSETP FSET FSEL FMNMX FCHK FSWZADD."""

from __future__ import annotations

from minicc.sass.instr import Name
from minicc.sass.semantics.expr import FALSE, E, const, fadd, fext, fma, fmul, ftrunc, lane
from minicc.sass.semantics.floats import (
    F32,
    canonical,
    compare,
    flush,
    is_nan,
    is_zero,
    minmax,
    rounding,
    saturate,
)
from minicc.sass.semantics.form import Builder, semantic
from minicc.sass.semantics.integer import combine, set_predicates

SCALES = {"D2": -1, "D4": -2, "D8": -3, "M2": 1, "M4": 2, "M8": 3}


def operand(b: Builder, i: int) -> E:
    """f32 operand with its modifiers, flushed when the instruction says so."""
    x = b.real(i)
    return flush(F32, x) if b.has("FTZ", "FMZ") else x


def finish(b: Builder, x: E, tiny: E | None = None) -> E:
    """Flush, canonical NaN and saturation as the modifiers say. `tiny`: where to flush, if not where x is denormal."""
    if b.has("FTZ", "FMZ"):
        x = flush(F32, x) if tiny is None else tiny.select(x & F32.sign, x)
    return saturate(F32, x) if b.has("SAT") else canonical(F32, x)


def is_tiny(b: Builder, x: E, y: E, z: E | None = None) -> E | None:
    """Whether x * y (+ z) is below the smallest normal number after rounding to 24 bits with unbounded exponent: what
    FTZ looks at (measured). The operation is done again, 2^24 times as large; where that overflows, nothing is tiny."""
    if not b.has("FTZ", "FMZ"):
        return None
    p, q = (fmul("f32", v, const((127 + 12) << 23)) for v in (x, y))
    rm = rounding(b)
    larger = fmul("f32", p, q, rm) if z is None else fma("f32", p, q, fmul("f32", z, const((127 + 24) << 23)), rm)
    return (larger & (F32.sign - 1)).ult((1 + 24) << 23)


@semantic("FADD")
def fadd_(b: Builder) -> None:
    b.set(0, finish(b, fadd("f32", operand(b, 1), operand(b, 2), rounding(b))))


@semantic("FMUL")
def fmul_(b: Builder) -> None:
    """a * b, times the scale (a power of two), rounded once."""
    x, y = operand(b, 1), operand(b, 2)
    scale = b.one(*SCALES)
    if scale:
        wide = fmul("f64", fmul("f64", fext(x), fext(y)), const((1023 + SCALES[scale]) << 52, 64))
        product = ftrunc(wide, rounding(b))
    else:
        product = fmul("f32", x, y, rounding(b))
    product = finish(b, product, None if scale else is_tiny(b, x, y))
    if b.has("FMZ"):
        product = (is_zero(F32, x) | is_zero(F32, y)).select(0, product)
    b.set(0, product)


@semantic("FFMA")
def ffma(b: Builder) -> None:
    x, y, z = operand(b, 1), operand(b, 2), operand(b, 3)
    result, tiny = fma("f32", x, y, z, rounding(b)), is_tiny(b, x, y, z)
    if b.has("FMZ"):
        # A zero factor makes the product +0, whatever the other is.
        result = (is_zero(F32, x) | is_zero(F32, y)).select(fadd("f32", z, const(0)), result)
    b.set(0, finish(b, result, tiny))


COMPARISONS = (
    "F", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T",
)  # fmt: skip


@semantic("FSETP")
def fsetp(b: Builder) -> None:
    set_predicates(b, compare(F32, b.one(*COMPARISONS), operand(b, 2), operand(b, 3)), 4)


@semantic("FSET")
def fset(b: Builder) -> None:
    """1.0 (BF) or all ones where the comparison, combined with P, holds."""
    result = combine(
        b.one("AND", "OR", "XOR", default="AND"),
        compare(F32, b.one(*COMPARISONS), operand(b, 1), operand(b, 2)),
        b.pred(3),
    )
    b.set(0, result.select(const(F32.one if b.has("BF") else -1), const(0)))


@semantic("FSEL")
def fsel(b: Builder) -> None:
    """Bits are passed as they are, but for the operands' sign modifiers and FTZ."""
    b.set(0, b.pred(3).select(operand(b, 1), operand(b, 2)))


@semantic("FMNMX")
def fmnmx(b: Builder) -> None:
    signs = b.raw(1) ^ b.raw(2) if b.has("XORSIGN") else None
    b.set(0, minmax(F32, operand(b, 1), operand(b, 2), b.pred(3), b.has("NAN"), signs))


@semantic("FCHK")
def fchk(b: Builder) -> None:
    """Whether a / b needs the slow path of division: an operand is no normal number of moderate size, or the quotient
    or a step of computing it may leave the normal range. Only exponents count (measured over all pairs of them)."""
    ex, ey = b.real(1).bits(23, 8), b.real(2).bits(23, 8)
    difference = ex - ey
    far = difference.sgt(126) | difference.slt(-124 & 0xFFFFFFFF)
    b.set(0, (ey - 2).uge(250) | (ex - 25).uge(230) | far)


@semantic("FSWZADD")
def fswzadd(b: Builder) -> None:
    """Per lane of a quad, one of a + b, a - b, b - a, or 0 + b as the eight-letter pattern (P M Z) says."""
    text = next(o.text for o in b.ops if isinstance(o, Name))
    if len(text) != 8 or set(text) - set("PMZ"):
        raise b.fail("pattern")
    x, y = operand(b, 1), operand(b, 2)
    at = lane() & 3
    out = FALSE.zext(32)
    for i in range(4):
        first, second = text[2 * i], text[2 * i + 1]
        value = finish(b, fadd("f32", _swizzle(first, x), _swizzle(second, y), rounding(b)))
        out = at.eq(i).select(value, out)
    b.set(0, out)


def _swizzle(letter: str, x: E) -> E:
    return {"P": x, "M": x ^ (1 << 31), "Z": const(0)}[letter]


__all__ = ["COMPARISONS", "finish", "is_nan", "operand"]
