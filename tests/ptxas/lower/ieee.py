"""Correct rounding by exact rationals: the oracle of the floating tests. Formats are 16, 32, 64 or "bf" (bfloat16)."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

Format = int | str
FORMATS: dict[Format, tuple[int, int, int, int]] = {
    32: (24, -126, 127, 0x7F800000),
    64: (53, -1022, 1023, 0x7FF0000000000000),
    16: (11, -14, 15, 0x7C00),
    "bf": (8, -126, 127, 0x7F80),
}
"""Precision, least and greatest exponent, bits of infinity."""


def width_of(form: Format) -> int:
    return 16 if form == "bf" else int(form)


def to_float(bits: int, form: Format) -> float:
    if form == "bf":
        bits, form = bits << 16, 32
    width = width_of(form)
    letter = {16: "<e", 32: "<f", 64: "<d"}[width]
    return float(struct.unpack(letter, bits.to_bytes(width // 8, "little"))[0])


def exact(bits: int, form: Format) -> Fraction:
    return Fraction(to_float(bits, form))


def sign(bits: int, form: Format) -> int:
    return bits >> (width_of(form) - 1)


def magnitude(bits: int, form: Format) -> int:
    return bits & (1 << (width_of(form) - 1)) - 1


def is_nan(bits: int, form: Format) -> bool:
    return magnitude(bits, form) > FORMATS[form][3]


def is_inf(bits: int, form: Format) -> bool:
    return magnitude(bits, form) == FORMATS[form][3]


def rounded(x: Fraction, form: Format, mode: str = "rn", negative_zero: int = 0) -> int:
    """Bits of an exact number rounded once: "rn", "rz", "rm" or "rp"."""
    precision, least, greatest, infinity = FORMATS[form]
    top = width_of(form) - 1
    if x == 0:
        return negative_zero << top
    below = x < 0
    a = abs(x)
    e = a.numerator.bit_length() - a.denominator.bit_length()
    while Fraction(2) ** e > a:
        e -= 1
    while Fraction(2) ** (e + 1) <= a:
        e += 1
    e = max(e, least)
    scaled = a / Fraction(2) ** (e - precision + 1)
    k = scaled.numerator // scaled.denominator
    rest = scaled - k
    if mode == "rn":
        k += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and k & 1 == 1)
    elif mode != "rz":
        k += rest > 0 and (below if mode == "rm" else not below)
    if k >= 1 << precision:
        k, e = k >> 1, e + 1
    if e > greatest:
        away = mode == "rn" or (mode == "rm" and below) or (mode == "rp" and not below)
        bits = infinity if away else infinity - 1
    elif k < 1 << (precision - 1):
        bits = k
    else:
        bits = ((e - least + 1) << (precision - 1)) + k - (1 << (precision - 1))
    return bits | below << top


def quotient(a: int, b: int, form: Format, mode: str) -> int | None:
    """a / b; None stands for a NaN."""
    if is_nan(a, form) or is_nan(b, form):
        return None
    negative = (sign(a, form) ^ sign(b, form)) << (width_of(form) - 1)
    infinity = FORMATS[form][3]
    if is_inf(a, form):
        return None if is_inf(b, form) else infinity | negative
    if is_inf(b, form):
        return negative
    if magnitude(b, form) == 0:
        return None if magnitude(a, form) == 0 else infinity | negative
    if magnitude(a, form) == 0:
        return negative
    return rounded(exact(a, form) / exact(b, form), form, mode)


def root(a: int, form: Format, mode: str) -> int | None:
    """sqrt(a); None stands for a NaN."""
    if is_nan(a, form):
        return None
    if magnitude(a, form) == 0:
        return a
    if sign(a, form):
        return None
    if is_inf(a, form):
        return a
    k = 240 if form == 32 else 2400
    n = exact(a, form) * Fraction(4) ** k
    whole = math.isqrt(n.numerator)
    # An inexact root lies strictly between two multiples of 2^-k: their middle rounds as the root does.
    value = Fraction(whole) if whole * whole == n.numerator else Fraction(2 * whole + 1, 2)
    return rounded(value / Fraction(2) ** k, form, mode)


def combined(a: int, b: int, form: Format, op: str, mode: str) -> int | None:
    """a + b, a - b or a * b; None stands for a NaN."""
    if is_nan(a, form) or is_nan(b, form):
        return None
    top = width_of(form) - 1
    if op == "sub":
        b, op = b ^ 1 << top, "add"
    if is_inf(a, form) or is_inf(b, form):
        x, y = to_float(a, form), to_float(b, form)
        value = x + y if op == "add" else x * y
        return None if math.isnan(value) else FORMATS[form][3] | (value < 0) << top
    x_, y_ = exact(a, form), exact(b, form)
    total = x_ + y_ if op == "add" else x_ * y_
    if total == 0:
        if op == "mul":
            return (sign(a, form) ^ sign(b, form)) << top
        if magnitude(a, form) == 0 and magnitude(b, form) == 0 and sign(a, form) == sign(b, form):
            return a
        return (mode == "rm") << top
    return rounded(total, form, mode)
