"""IEEE arithmetic on bit patterns with Python integers: the slow, exact oracle. No floats are used.

A finite number is (sign, m, e) = (-1)^sign * m * 2^e. Every operation makes the exact result and rounds once.
"""

from __future__ import annotations

from typing import Literal

Mode = Literal["RN", "RM", "RP", "RZ"]
FRACTION = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}
EXPONENT = {"f16": 5, "bf16": 8, "f32": 8, "f64": 11}
NAN = {"f16": 0x7E00, "bf16": 0x7FC0, "f32": 0x7FC00000, "f64": 0x7FF8 << 48}


def width(fmt: str) -> int:
    return 1 + EXPONENT[fmt] + FRACTION[fmt]


def infinity(fmt: str) -> int:
    return ((1 << EXPONENT[fmt]) - 1) << FRACTION[fmt]


def split(fmt: str, x: int) -> tuple[int, int, int]:
    """(sign, exponent field, fraction field)."""
    f, e = FRACTION[fmt], EXPONENT[fmt]
    return x >> (e + f) & 1, x >> f & ((1 << e) - 1), x & ((1 << f) - 1)


def is_nan(fmt: str, x: int) -> bool:
    return (x & ((1 << (width(fmt) - 1)) - 1)) > infinity(fmt)


def is_inf(fmt: str, x: int) -> bool:
    return (x & ((1 << (width(fmt) - 1)) - 1)) == infinity(fmt)


def unpack(fmt: str, x: int) -> tuple[int, int, int]:
    """(sign, m, e) of a finite number."""
    s, e, m = split(fmt, x)
    bias = (1 << (EXPONENT[fmt] - 1)) - 1
    if e:
        m |= 1 << FRACTION[fmt]
    return s, m, max(e, 1) - bias - FRACTION[fmt]


def round_pack(fmt: str, sign: int, m: int, e: int, rm: str) -> int:
    """Bits of (-1)^sign * m * 2^e rounded to `fmt`."""
    f, bias = FRACTION[fmt], (1 << (EXPONENT[fmt] - 1)) - 1
    top = sign << (width(fmt) - 1)
    if m == 0:
        return top
    # The last place: of the leading bit's binade, but never below the denormals' place.
    last = max(m.bit_length() - 1 + e - f, 1 - bias - f)
    drop = last - e
    if drop <= 0:
        q, rest, half = m << -drop, 0, 1
    else:
        q, rest, half = m >> drop, m & ((1 << drop) - 1), 1 << (drop - 1)
    if rm == "RN":
        up = rest > half or (rest == half and q & 1)
    elif rm == "RZ":
        up = False
    else:
        up = rest != 0 and (sign == 1) == (rm == "RM")
    q += up
    if q >> (f + 1):
        q, last = q >> 1, last + 1
    field = last + bias + f if q >> f else 0
    if field >= (1 << EXPONENT[fmt]) - 1:
        to_infinity = rm == "RN" or (rm == "RM" and sign) or (rm == "RP" and not sign)
        return top | (infinity(fmt) if to_infinity else infinity(fmt) - 1)
    return top | field << f | (q & ((1 << f) - 1))


def _sum(a: tuple[int, int, int], b: tuple[int, int, int], rm: str) -> tuple[int, int, int]:
    """Exact sum; the sign of an exact zero follows IEEE."""
    e = min(a[2], b[2])
    x = (-1) ** a[0] * (a[1] << (a[2] - e))
    y = (-1) ** b[0] * (b[1] << (b[2] - e))
    total = x + y
    if total:
        return int(total < 0), abs(total), e
    if a[0] == b[0]:
        return a[0], 0, e
    return int(rm == "RM"), 0, e


def add(fmt: str, a: int, b: int, rm: str) -> int:
    if is_nan(fmt, a) or is_nan(fmt, b):
        return NAN[fmt]
    if is_inf(fmt, a):
        return NAN[fmt] if is_inf(fmt, b) and a != b else a
    if is_inf(fmt, b):
        return b
    return round_pack(fmt, *_sum(unpack(fmt, a), unpack(fmt, b), rm), rm)


def _product_sign(fmt: str, a: int, b: int) -> int:
    return (a ^ b) >> (width(fmt) - 1)


def mul(fmt: str, a: int, b: int, rm: str) -> int:
    if is_nan(fmt, a) or is_nan(fmt, b):
        return NAN[fmt]
    sign = _product_sign(fmt, a, b)
    if is_inf(fmt, a) or is_inf(fmt, b):
        zero = (is_inf(fmt, a) and unpack_zero(fmt, b)) or (is_inf(fmt, b) and unpack_zero(fmt, a))
        return NAN[fmt] if zero else sign << (width(fmt) - 1) | infinity(fmt)
    (_, x, p), (_, y, q) = unpack(fmt, a), unpack(fmt, b)
    return round_pack(fmt, sign, x * y, p + q, rm)


def unpack_zero(fmt: str, x: int) -> bool:
    return x & ((1 << (width(fmt) - 1)) - 1) == 0


def fma(fmt: str, a: int, b: int, c: int, rm: str) -> int:
    if any(is_nan(fmt, x) for x in (a, b, c)):
        return NAN[fmt]
    sign = _product_sign(fmt, a, b)
    if is_inf(fmt, a) or is_inf(fmt, b):
        if (is_inf(fmt, a) and unpack_zero(fmt, b)) or (is_inf(fmt, b) and unpack_zero(fmt, a)):
            return NAN[fmt]
        product = sign << (width(fmt) - 1) | infinity(fmt)
        return NAN[fmt] if is_inf(fmt, c) and c != product else product
    if is_inf(fmt, c):
        return c
    (_, x, p), (_, y, q) = unpack(fmt, a), unpack(fmt, b)
    return round_pack(fmt, *_sum((sign, x * y, p + q), unpack(fmt, c), rm), rm)


def compare(fmt: str, predicate: str, a: int, b: int) -> bool:
    """olt, ole, oeq, uno."""
    unordered = is_nan(fmt, a) or is_nan(fmt, b)
    if predicate == "uno":
        return unordered
    if unordered:
        return False
    x, y = order(fmt, a), order(fmt, b)
    return {"olt": x < y, "ole": x <= y, "oeq": x == y}[predicate]


def order(fmt: str, x: int) -> int:
    """An integer that orders as the number does (infinities included)."""
    magnitude = x & ((1 << (width(fmt) - 1)) - 1)
    return -magnitude if x >> (width(fmt) - 1) else magnitude


def convert(src: str, dst: str, x: int, rm: str) -> int:
    """Float to float."""
    if is_nan(src, x):
        return NAN[dst]
    if is_inf(src, x):
        return x >> (width(src) - 1) << (width(dst) - 1) | infinity(dst)
    return round_pack(dst, *unpack(src, x), rm)


def to_integer(fmt: str, x: int, rm: str) -> int:
    """Nearest integer in the direction of `rm` of a finite number."""
    s, m, e = unpack(fmt, x)
    if e >= 0:
        q = m << e
    else:
        q, rest, half = m >> -e, m & ((1 << -e) - 1), 1 << (-e - 1)
        if rm == "RN":
            q += rest > half or (rest == half and q & 1)
        elif rm != "RZ":
            q += rest != 0 and (s == 1) == (rm == "RM")
    return -q if s else q


def round_integral(fmt: str, x: int, rm: str) -> int:
    """Float with an integral value; zero results keep the operand's sign."""
    if is_nan(fmt, x):
        return NAN[fmt]
    if is_inf(fmt, x):
        return x
    value = to_integer(fmt, x, rm)
    return round_pack(fmt, x >> (width(fmt) - 1), abs(value), 0, "RN")


def to_int_saturating(fmt: str, x: int, bits: int, signed: bool) -> int:
    """Truncation toward zero, clamped; NaN is 0. Bits of the result."""
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    if is_nan(fmt, x):
        return 0
    if is_inf(fmt, x):
        value = low if x >> (width(fmt) - 1) else high
    else:
        value = min(max(to_integer(fmt, x, "RZ"), low), high)
    return value & ((1 << bits) - 1)


def from_integer(fmt: str, value: int, rm: str) -> int:
    return round_pack(fmt, int(value < 0), abs(value), 0, rm)
