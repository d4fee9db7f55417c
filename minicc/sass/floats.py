"""Float immediates as text, in nvdisasm's way: 20 significant digits,
+INF, -QNAN, -0.0 (with a blank after them), an
exponent from 1e9 on.

Bits are of the immediate field: f32; f64hi (the high 32 bits of a double whose low half is zero); f16; bf16.
"""

from __future__ import annotations

import math

from minicc.numbers import bits_of, float_of


def to_float(bits: int, kind: str) -> float:
    """The number that the field's bits stand for."""
    if kind == "f64hi":
        return float_of(bits << 32, 64)
    if kind == "f16":
        return float_of(bits, 16)
    return float_of(bits << 16 if kind == "bf16" else bits, 32)


_MANTISSA = {"f32": (23, 8), "f64hi": (20, 11), "f16": (10, 5), "bf16": (7, 8)}


def format_float(bits: int, kind: str) -> str:
    """Text of the immediate."""
    fraction, exponent = _MANTISSA[kind]
    sign = "-" if bits >> (fraction + exponent) & 1 else "+"
    if bits >> fraction & ((1 << exponent) - 1) == (1 << exponent) - 1:
        part = bits & ((1 << fraction) - 1)
        if not part:
            return sign + "INF "
        return sign + ("QNAN " if part >> (fraction - 1) else "SNAN ")
    value = to_float(bits, kind)
    if value == 0 and sign == "-":
        return "-0.0 "
    return f"{value:.20e}" if abs(value) >= 1e9 else f"{value:.20g}"


def parse_float(text: str, kind: str) -> int:
    """Field bits of a printed number; raises ValueError if it is no number."""
    fraction, exponent = _MANTISSA[kind]
    top = ((1 << exponent) - 1) << fraction
    word = text.strip().upper()
    sign = 1 << (fraction + exponent) if word[:1] == "-" else 0
    body = word.lstrip("+-")
    if body in ("INF", "QNAN", "SNAN", "NAN"):
        return sign | top | {"INF": 0, "SNAN": 1}.get(body, 1 << (fraction - 1))
    value = float(word)
    if math.isinf(value):
        return sign | top
    if kind == "f64hi":
        return bits_of(value, 64) >> 32
    if kind == "f16":
        return bits_of(value, 16)
    wide = bits_of(value, 32)
    if kind == "f32":
        return wide
    return (wide + 0x7FFF + (wide >> 16 & 1)) >> 16
