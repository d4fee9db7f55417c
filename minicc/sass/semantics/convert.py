"""Conversions: I2F I2FP F2I FRND F2F F2FP F2IP.

NaN to integer: zero with NTZ, else only the top bit set (PTX ISA, cvt: zero unless a 64-bit type is involved). Out of
range saturates.
"""

from __future__ import annotations

from minicc.sass.instr import Imm
from minicc.sass.semantics.expr import FALSE, E, concat, const, fcmp, fext, fmul, frint, ftoi, ftrunc, itof
from minicc.sass.semantics.floats import (
    BF16,
    F16,
    F32,
    F64,
    Format,
    canonical,
    flush,
    is_nan,
    narrow,
    relu,
    rounding,
    saturate,
    widen,
)
from minicc.sass.semantics.form import Builder, semantic, sign_modifiers

INT_TYPES = ("U8", "S8", "U16", "S16", "U32", "S32", "U64", "S64")
FLOAT_TYPES = {"F16": F16, "BF16": BF16, "F32": F32, "F64": F64}
TO_INTEGRAL = {"FLOOR": "RM", "CEIL": "RP", "TRUNC": "RZ"}


def half_of(b: Builder, i: int, value: E) -> E:
    """The 16 bits that suffix H0_H0 / H1 / H1_H1 of operand i names."""
    high = any(s in ("H1", "H1_H1") for s in b.suffix(i))
    return (value >> 16).trunc(16) if high else value.trunc(16)


def float_operand(b: Builder, i: int, fmt: Format) -> E:
    """Float operand of any format, as its own bits."""
    if fmt is F64:
        return b.real(i, 64)
    if fmt is F32:
        return b.real(i)
    return sign_modifiers(half_of(b, i, b.raw(i)), b.flag(i, "neg"), b.flag(i, "abs"))


def to_wide(fmt: Format, x: E) -> tuple[Format, E]:
    """f16 and bf16 become f32; the others stay."""
    return (F32, widen(fmt, x)) if fmt.width == 16 else (fmt, x)


@semantic("I2F", "I2FP")
def i2f(b: Builder) -> None:
    """Integer (with .B1/.H1 part selection) to float."""
    kind = b.one(*INT_TYPES, default="S32")
    fmt = FLOAT_TYPES[b.one(*FLOAT_TYPES, default="F32")]
    bits, signed = int(kind[1:]), kind[0] == "S"
    if bits == 64:
        # An immediate is the upper word, as of a double; the lower is zero (an H200 with NVIDIA's code for constants).
        x = b.raw(1).zext(64) << 32 if isinstance(b.ops[1], Imm) else b.integer(1, 64)
    else:
        x = b.raw(1)
        part = next((s for s in b.suffix(1) if s[0] in "BH"), "")
        at = {"": 0, "B0": 0, "B1": 8, "B2": 16, "B3": 24, "H0": 0, "H1": 16}[part]
        if bits < 32:
            x = (x >> at).trunc(bits)
            x = x.sext(32) if signed else x.zext(32)
        if b.flag(1, "neg"):
            x = -x
    rm = rounding(b)
    if fmt.width == 16:
        # Through f64 with the rounding made odd for 64-bit sources; up to 53 bits f64 is exact.
        if bits == 64:
            b.set(0, narrow(F64, fmt, int64_odd(x, signed), rm).zext(32))
        else:
            b.set(0, narrow(F64, fmt, itof("f64", x, signed), rm).zext(32))
        return
    b.set(0, itof(fmt.name, x, signed, rm))


def int64_odd(x: E, signed: bool) -> E:
    """A 64-bit integer as f64, rounded to odd."""
    negative = x.negative() if signed else FALSE
    magnitude = negative.select(-x, x)
    # Keep the top 53 bits of 64, or-ing the dropped eleven into the last: exact then.
    big = (magnitude >> 53).ne(0)
    sticky = (magnitude & 0xFFF).ne(0).zext(64) << 12
    reduced = big.select((magnitude & ~const(0xFFF, 64)) | sticky, magnitude)
    f = itof("f64", reduced, False)
    return f | negative.select(const(1 << 63, 64), 0)


@semantic("F2I")
def f2i(b: Builder) -> None:
    kind = b.one(*INT_TYPES, default="S32")
    fmt = FLOAT_TYPES[b.one(*FLOAT_TYPES, default="F32")]
    x = float_operand(b, 1, fmt)
    if b.has("FTZ"):
        x = flush(fmt, x)
    bits, signed = int(kind[1:]), kind[0] == "S"
    wide, value = to_wide(fmt, x)
    mode = TO_INTEGRAL.get(b.one(*TO_INTEGRAL), "RN")
    if mode != "RZ":
        value = frint(wide.name, value, mode)
    width = 64 if bits == 64 else 32
    result = ftoi(wide.name, value, width, signed)
    if bits < 32:
        low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
        result = result.smax(low).smin(high) if signed else result.umin(high)
    invalid = const(0 if b.has("NTZ") else 1 << (bits - 1), width)
    b.set(0, is_nan(fmt, x).select(invalid, result))


@semantic("FRND")
def frnd(b: Builder) -> None:
    """Round to an integral value."""
    fmt = FLOAT_TYPES[b.one(*FLOAT_TYPES, default="F32")]
    x = float_operand(b, 1, fmt)
    if b.has("FTZ"):
        x = flush(fmt, x)
    wide, value = to_wide(fmt, x)
    result = frint(wide.name, value, TO_INTEGRAL.get(b.one(*TO_INTEGRAL), "RN"))
    if fmt.width == 16:
        b.set(0, narrow(F32, fmt, result).zext(32))
    elif fmt is F64:
        b.set(0, is_nan(F64, x).select(x | F64.quiet, result))
    else:
        b.set(0, canonical(fmt, result))


@semantic("F2F")
def f2f(b: Builder) -> None:
    """Destination type first, then source type; same type twice (or an integral mode) rounds to integral."""
    names = [m for m in b.mods if m in FLOAT_TYPES]
    dst, src = FLOAT_TYPES[names[0]], FLOAT_TYPES[names[1]]
    rm = rounding(b)
    x = float_operand(b, 1, src)
    if b.has("FTZ") and src in (F32, BF16):
        x = flush(src, x)
    result = convert(b, src, dst, x, rm)
    if F64 in (src, dst) and src is not dst:
        # To and from f64 a NaN keeps its sign (before -x and |x|) and the payload bits that fit, quieted.
        raw = b.raw(1, 64) if src is F64 else b.raw(1) if src is F32 else half_of(b, 1, b.raw(1))
        if src.width > 16:
            result = is_nan(src, raw).select(moved_nan(src, dst, raw).zext(result.width), result)
    b.set(0, result)


def moved_nan(src: Format, dst: Format, x: E) -> E:
    """A NaN of `src` as one of `dst`, with the top bits of its payload."""
    shift = dst.fraction - src.fraction
    fraction = x & ((1 << src.fraction) - 1)
    if shift >= 0:
        payload, sign = fraction.zext(dst.width) << shift, x.negative()
    else:
        payload, sign = (fraction >> -shift).trunc(dst.width), x.negative()
    return payload | (dst.infinity | dst.quiet) | sign.select(const(dst.sign, dst.width), 0)


def convert(b: Builder, src: Format, dst: Format, x: E, rm: str) -> E:
    """Float to float, the result in 32 or 64 bits; NaN canonical."""
    wide, value = to_wide(src, x)
    if dst.width == 16:
        if src is dst:
            return x.zext(32)
        return narrow(wide, dst, value, rm).zext(32)
    if dst is F64:
        return value if wide is F64 else is_nan(F32, value).select(moved_nan(F32, F64, value), fext(value))
    if wide is F64:
        out = canonical(F32, ftrunc(value, rm))
        return flush(F32, out) if b.has("FTZ") else out
    out = canonical(F32, value)
    return saturate(F32, out) if b.has("SAT") else out


# ---- packed conversions


def to_tf32(x: E, rm: str) -> E:
    """f32 to tf32: 13 fraction bits dropped, to nearest (ties away) or toward zero."""
    if rm == "RZ":
        out = x & 0xFFFFE000
    else:
        out = (x + 0x1000) & 0xFFFFE000
        out = (x & 0x7F800000).eq(0x7F800000).select(x & 0xFFFFE000, out)
    return is_nan(F32, x).select(const(0x7FFFE000), out)


FP8 = {"E4M3": (4, 3), "E5M2": (5, 2)}


def to_fp8(kind: str, x: E) -> E:
    """f32 to an 8-bit float, to nearest even, saturating to the largest finite value; NaN is 0x7f."""
    exponent_bits, fraction = FP8[kind]
    bias = (1 << (exponent_bits - 1)) - 1
    drop = 23 - fraction
    magnitude = x & 0x7FFFFFFF
    exponent = magnitude >> 23
    least = 127 - bias + 1
    below = exponent.ult(least).select(least - exponent, 0)
    significand = (magnitude & 0x7FFFFF) | exponent.eq(0).select(const(0), const(0x800000))
    shift = (below + drop).umin(25)
    kept = significand.shr(shift)
    rest, half = significand - kept.shl(shift), const(1).shl(shift - 1)
    field = exponent.ult(least).select(const(0), (exponent - least) << fraction)
    base = kept + field
    up = half.ult(rest) | (half.eq(rest) & base.bit(0))
    largest = 0x7E if kind == "E4M3" else 0x7B
    out = (base + up.zext(32)).umin(largest) | (x >> 31 << 7)
    return is_nan(F32, x).select(const(0x7F), out).trunc(8)


def from_fp8(kind: str, x: E) -> E:
    """8-bit float to f16 bits, exact."""
    wide = x.zext(16)
    if kind == "E5M2":
        out = wide << 8
        return is_nan(F16, out).select(const(0x7FFF, 16), out)
    # e4m3: rebias through f32, where multiplying by 2^120 is exact for denormals as well.
    magnitude = (x & 0x7F).zext(32) << 20
    value = fmul("f32", magnitude, const((127 + 120) << 23))
    out = narrow(F32, F16, value) | ((x & 0x80).zext(16) << 8)
    return (x & 0x7F).eq(0x7F).select(const(0x7FFF, 16), out)


@semantic("F2FP")
def f2fp(b: Builder) -> None:
    """Packs two converted values, operand 1 in the upper part, operand 2 in the lower; TF32 converts one; UNPACK_B
    widens two bytes."""
    rm = "RZ" if b.has("RZ") else "RN"
    sources = list(range(1, len(b.ops)))
    if b.has("TF32"):
        x = b.real(sources[-1] if len(sources) == 1 else 2)
        out = to_tf32(x, rm)
        b.set(0, relu(F32, out) if b.has("RELU") else out)
        return
    if b.has("UNPACK_B"):
        kind = b.one("E4M3", "E5M2")
        pair = half_of(b, sources[0], b.raw(sources[0]))
        low, high = (from_fp8(kind, (pair >> at).trunc(8)) for at in (0, 8))
        if b.has("RELU"):
            low, high = relu(F16, low), relu(F16, high)
        b.set(0, concat(low, high))
        return
    if b.has("UNPACK_B_MERGE_C"):
        kind = b.one("E4M3", "E5M2")
        word = b.raw(sources[0])
        values = [widen(F16, (word >> at).trunc(16)) for at in (0, 16)]
        if b.has("RELU"):
            values = [relu(F32, v) for v in values]
        low8, high8 = (to_fp8(kind, v) for v in values)
        b.set(0, concat(low8, high8).zext(32) | merge_c(b, sources[-1]))
        return
    kind = b.one("E4M3", "E5M2")
    high_in, low_in = b.real(1), b.real(2)
    if b.has("RELU"):
        high_in, low_in = relu(F32, high_in), relu(F32, low_in)
    if kind:
        packed = concat(to_fp8(kind, low_in), to_fp8(kind, high_in))
        b.set(0, packed.zext(32) | merge_c(b, 3))
        return
    fmt = BF16 if b.has("BF16") else F16
    finite = b.has("SATFINITE")
    if b.has("MERGE_C"):
        value = relu(F32, b.real(1)) if b.has("RELU") else b.real(1)
        b.set(0, narrow(F32, fmt, value, rm, finite).zext(32) | merge_c(b, 2))
        return
    if not b.has("PACK_AB"):
        raise b.fail()
    b.set(0, concat(narrow(F32, fmt, low_in, rm, finite), narrow(F32, fmt, high_in, rm, finite)))


def merge_c(b: Builder, i: int) -> E:
    """The upper half of the result: the low half of operand i (or its high half with .H1), moved up."""
    return half_of(b, i, b.raw(i)).zext(32) << 16


@semantic("F2IP")
def f2ip(b: Builder) -> None:
    """Two floats to saturated bytes, packed below c as I2IP does."""
    kind = b.one("U8", "S8")
    low, high = (-128, 127) if kind == "S8" else (0, 255)
    values = []
    for i in (1, 2):
        x = b.real(i)
        if b.has("RELU"):
            x = relu(F32, x)
        v = ftoi("f32", x if b.has("TRUNC") else frint("f32", x, "RN"), 32, True).smax(low).smin(high)
        values.append(is_nan(F32, x).select(const(0 if b.has("NTZ") else 0x80), v & 0xFF))
    b.set(0, values[1] | values[0] << 8 | half_of(b, 3, b.raw(3)).zext(32) << 16)


__all__ = ["FLOAT_TYPES", "fcmp", "float_operand", "half_of", "to_wide"]
