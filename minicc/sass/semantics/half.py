"""f16 and bf16 pairs: HADD2 HMUL2 HFMA2 (and .MMA) HSETP2 HSET2 HMNMX2.

Arithmetic is exact and rounded once: sums are made in a wider format with the error folded into the last bit before the
one rounding to 16 bits.
"""

from __future__ import annotations

from minicc.sass.semantics.expr import E, concat, const, fadd, fext
from minicc.sass.semantics.float32 import COMPARISONS
from minicc.sass.semantics.floats import (
    BF16,
    F16,
    F32,
    Format,
    add_odd,
    canonical,
    compare,
    flush,
    fma_odd,
    is_zero,
    minmax,
    narrow,
    relu,
    saturate,
    widen,
)
from minicc.sass.semantics.form import Builder, semantic, sign_modifiers
from minicc.sass.semantics.integer import combine

_OUTSIDE = 0x7FF7
"""The NaN, of either sign and both formats, that stands for an element outside of a tensor."""


def format_of(b: Builder) -> Format:
    return BF16 if b.has("BF16_V2", "BF16") else F16


def swizzled(b: Builder, i: int) -> list[E]:
    """The two 16-bit parts of operand i, low first, after the swizzle."""
    word = b.raw(i)
    low, high = word.trunc(16), (word >> 16).trunc(16)
    names = b.suffix(i)
    if "H0_H0" in names:
        return [low, low]
    if "H1_H1" in names:
        return [high, high]
    if "H0_NH1" in names:
        # Named from the top: the imaginary product's factor. nvcc multiplies a.y by (-b.y, b.x) with it (__hcmadd).
        return [high ^ 0x8000, low]
    if names:
        raise b.fail(f"swizzle {names}")
    return [low, high]


def halves(b: Builder, i: int) -> list[E]:
    """The two 16-bit parts of operand i after swizzle, sign modifiers and flushing."""
    out = [sign_modifiers(v, b.flag(i, "neg"), b.flag(i, "abs")) for v in swizzled(b, i)]
    return [flush(format_of(b), v) for v in out] if b.has("FTZ", "FMZ") else out


def finish(b: Builder, fmt: Format, wide_format: Format, wide: E) -> E:
    """The exact or odd-rounded value `wide` in `fmt`: one rounding, FTZ, SAT, RELU; NaN canonical. FTZ looks at the
    value rounded with unbounded exponent, as in f32."""
    x = narrow(wide_format, fmt, wide)
    if b.has("FTZ", "FMZ"):
        # Rounds below the smallest normal number: less than it by more than half a place of the binade below.
        normal = (wide_format.bias + 1 - fmt.bias) << wide_format.fraction
        half_place = 1 << (wide_format.fraction - fmt.fraction - 1)
        x = (wide & (wide_format.sign - 1)).ult(normal - half_place).select(x & fmt.sign, x)
    if b.has("SAT"):
        x = saturate(fmt, x)
    return relu(fmt, x) if b.has("RELU") else x


def store(b: Builder, i: int, values: list[E]) -> None:
    b.set(i, concat(values[0], values[1]))


@semantic("HADD2")
def hadd2(b: Builder) -> None:
    """Two sums; with F32 one f32 sum of the selected halves (how f16 becomes f32)."""
    fmt = format_of(b)
    x, y = halves(b, 1), halves(b, 2)
    if b.has("F32"):
        b.set(0, canonical(F32, fadd("f32", widen(fmt, x[0]), widen(fmt, y[0]))))
        return
    store(b, 0, [_add(b, fmt, p, q) for p, q in zip(x, y, strict=True)])


def _add(b: Builder, fmt: Format, p: E, q: E) -> E:
    return finish(b, fmt, F32, add_odd(F32, widen(fmt, p), widen(fmt, q)))


@semantic("HMUL2")
def hmul2(b: Builder) -> None:
    fmt = format_of(b)
    out = []
    for p, q in zip(halves(b, 1), halves(b, 2), strict=True):
        wide_format, wide = fma_odd(fmt, widen(fmt, p), widen(fmt, q), const(1 << 31))
        value = finish(b, fmt, wide_format, wide)
        if b.has("FMZ"):
            value = (is_zero(fmt, p) | is_zero(fmt, q)).select(0, value)
        out.append(value)
    store(b, 0, out)


@semantic("HFMA2")
def hfma2(b: Builder) -> None:
    """Products and sums; with OOB those whose factor is what a tensor copy fills with outside its tensor are +0."""
    if b.has("F32"):
        raise b.fail()
    fmt = format_of(b)
    out = []
    for p, q, r in zip(halves(b, 1), halves(b, 2), halves(b, 3), strict=True):
        wide_format, wide = fma_odd(fmt, widen(fmt, p), widen(fmt, q), widen(fmt, r))
        if b.has("FMZ"):
            addend = widen(fmt, r)
            addend = addend if wide_format is F32 else fext(addend)
            wide = (is_zero(fmt, p) | is_zero(fmt, q)).select(
                fadd(wide_format.name, addend, const(0, addend.width)), wide
            )
        value = finish(b, fmt, wide_format, wide)
        if b.has("OOB"):
            value = ((p & 0x7FFF).eq(_OUTSIDE) | (q & 0x7FFF).eq(_OUTSIDE)).select(0, value)
        out.append(value)
    store(b, 0, out)


def _compare(b: Builder, first: int) -> list[E]:
    fmt = format_of(b)
    name = b.one(*COMPARISONS)
    return [compare(fmt, name, p, q) for p, q in zip(halves(b, first), halves(b, first + 1), strict=True)]


@semantic("HSETP2")
def hsetp2(b: Builder) -> None:
    """Destination 0 is the low halves' comparison, destination 1 the high halves'; H_AND: both, and its complement."""
    low, high = _compare(b, 2)
    op, p = b.one("AND", "OR", "XOR", default="AND"), b.pred(4)
    if b.has("H_AND"):
        both = low & high
        b.set(0, combine(op, both, p))
        b.set(1, combine(op, ~both, p))
        return
    b.set(0, combine(op, low, p))
    b.set(1, combine(op, high, p))


@semantic("HSET2")
def hset2(b: Builder) -> None:
    """1.0 (BF) or all ones per half where the comparison holds."""
    fmt = format_of(b)
    yes = fmt.one if b.has("BF") else 0xFFFF
    op, p = b.one("AND", "OR", "XOR", default="AND"), b.pred(3)
    store(b, 0, [combine(op, c, p).select(const(yes, 16), const(0, 16)) for c in _compare(b, 1)])


@semantic("HMNMX2")
def hmnmx2(b: Builder) -> None:
    fmt, low = format_of(b), b.pred(3)
    signs = _signs(b, 1, 2)
    pairs = zip(halves(b, 1), halves(b, 2), signs, strict=True)
    store(b, 0, [minmax(fmt, p, q, low, b.has("NAN"), s) for p, q, s in pairs])


def _signs(b: Builder, *operands: int) -> list[E] | list[None]:
    """For XORSIGN: the exclusive or of the operands, before their modifiers, per half."""
    if not b.has("XORSIGN"):
        return [None, None]
    words = [swizzled(b, i) for i in operands]
    out = words[0]
    for other in words[1:]:
        out = [p ^ q for p, q in zip(out, other, strict=True)]
    return out


@semantic("VHMNMX")
def vhmnmx(b: Builder) -> None:
    fmt, low = format_of(b), b.pred(4)
    out = []
    for p, q, r, s in zip(halves(b, 1), halves(b, 2), halves(b, 3), _signs(b, 1, 2, 3), strict=True):
        first = minmax(fmt, p, q, low, b.has("NAN"))
        out.append(minmax(fmt, first, r, low, b.has("NAN"), s))
    store(b, 0, out)
