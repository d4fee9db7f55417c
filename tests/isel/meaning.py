"""What operations of the DAG mean, by exact arithmetic: the oracle for patterns.

`evaluate(op, args)` takes and gives raw bits. Floating point goes through rationals and is rounded once, in any of the
four directions. None where an operation is not described here (approximations, memory, machine state).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

FORMATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}
"""Exponent and fraction bits."""
Number = Fraction | float
"""A finite value, or an infinity or NaN."""
_ROUND = {"rn": 0, "rz": 1, "rm": 2, "rp": 3}


def bits_of(kind: str) -> int:
    return {"p": 1, "h": 16, "f16": 16, "bf16": 16, "i32": 32, "f32": 32}.get(kind, 64)


def signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def number(bits: int, kind: str) -> Number:
    """The value of a float's bits; a zero's sign is lost."""
    exponents, fraction = FORMATS[kind]
    sign = -1 if bits >> exponents + fraction & 1 else 1
    exponent = bits >> fraction & (1 << exponents) - 1
    low = bits & (1 << fraction) - 1
    bias = (1 << exponents - 1) - 1
    if exponent == (1 << exponents) - 1:
        return math.nan if low else sign * math.inf
    if exponent:
        low |= 1 << fraction
    return sign * Fraction(low) * Fraction(2) ** (max(exponent, 1) - bias - fraction)


def to_integer(value: Fraction, mode: str) -> int:
    """Round to an integer: to nearest even, to zero, down, up."""
    down = math.floor(value)
    if mode == "rm" or value == down:
        return down
    if mode == "rp":
        return down + 1
    if mode == "rz":
        return down if value > 0 else down + 1
    rest = value - down
    return down + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and down & 1 == 1))


def rounded(value: Number, kind: str, mode: str = "rn") -> int:
    """Bits of a float of a format. Infinities stay, NaN is -1; what overflows goes to infinity or the largest."""
    exponents, fraction = FORMATS[kind]
    bias = (1 << exponents - 1) - 1
    top = ((1 << exponents) - 1) << fraction
    if isinstance(value, float):
        return -1 if math.isnan(value) else top | (value < 0) << exponents + fraction
    sign = int(value < 0)
    size = abs(value)
    if size == 0:
        return 0
    power = max(size.numerator.bit_length() - size.denominator.bit_length() - 1, -bias) - fraction
    while power + fraction >= 1 - bias and size / Fraction(2) ** power >= 1 << fraction + 1:
        power += 1
    power = max(power, 1 - bias - fraction)
    turned = {"rm": "rp", "rp": "rm"}.get(mode, mode) if sign else mode
    whole = to_integer(size / Fraction(2) ** power, turned)
    if whole >> fraction + 1:
        whole, power = whole >> 1, power + 1
    field = 0 if whole >> fraction == 0 else power + bias + fraction
    word = (field << fraction) + (whole & (1 << fraction) - 1)
    if word >= top:
        word = top if turned in ("rn", "rp") else top - 1
    return word | sign << exponents + fraction


def _root(value: Fraction, mode: str, kind: str) -> int:
    """Square root, rounded once: enough bits for the smallest double, and whether any are left."""
    shift = 700
    scaled = value * (1 << 2 * shift)
    whole = math.isqrt(scaled.numerator // scaled.denominator)
    inexact = whole * whole != scaled
    return rounded(Fraction(2 * whole + inexact, 1 << shift + 1), kind, mode)


_INTEGER: dict[str, Callable[[int, int, int], int]] = {
    "add": lambda a, b, w: a + b,
    "sub": lambda a, b, w: a - b,
    "mul": lambda a, b, w: a * b,
    "and": lambda a, b, w: a & b,
    "or": lambda a, b, w: a | b,
    "xor": lambda a, b, w: a ^ b,
    "shl": lambda a, b, w: a << b if b < w else 0,
    "lshr": lambda a, b, w: a >> b if b < w else 0,
    "ashr": lambda a, b, w: signed(a, w) >> min(b, w - 1),
    "smin": lambda a, b, w: min(signed(a, w), signed(b, w)),
    "smax": lambda a, b, w: max(signed(a, w), signed(b, w)),
    "umin": lambda a, b, w: min(a, b),
    "umax": lambda a, b, w: max(a, b),
    "udiv": lambda a, b, w: a // b,
    "urem": lambda a, b, w: a % b,
    "sdiv": lambda a, b, w: _divide(signed(a, w), signed(b, w)),
    "srem": lambda a, b, w: signed(a, w) - signed(b, w) * _divide(signed(a, w), signed(b, w)),
    "mulhis": lambda a, b, w: signed(a, w) * signed(b, w) >> w,
    "mulhiu": lambda a, b, w: a * b >> w,
    "mul24": lambda a, b, w: signed(a, 24) * signed(b, 24),
    "umul24": lambda a, b, w: (a & 0xFFFFFF) * (b & 0xFFFFFF),
    "saddsat": lambda a, b, w: _clamp(signed(a, w) + signed(b, w), w),
    "ssubsat": lambda a, b, w: _clamp(signed(a, w) - signed(b, w), w),
}
_BITS: dict[str, Callable[[int, int], int]] = {
    "abs": lambda a, w: abs(signed(a, w)),
    "popc": lambda a, w: a.bit_count(),
    "clz": lambda a, w: w - a.bit_length(),
    "brev": lambda a, w: int(f"{a:0{w}b}"[::-1], 2),
    "bswap": lambda a, w: int.from_bytes(a.to_bytes(w // 8, "little"), "big"),
}


def _divide(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _clamp(value: int, bits: int) -> int:
    return max(-(1 << bits - 1), min(value, (1 << bits - 1) - 1))


def _prmt(a: int, b: int, selector: int) -> int:
    words = (b << 32 | a).to_bytes(8, "little")
    out = 0
    for i in range(4):
        nibble = selector >> 4 * i & 15
        byte = words[nibble & 7]
        out |= (byte if nibble < 8 else 255 * (byte >> 7)) << 8 * i
    return out


def _compare(pred: str, a: Number | int, b: Number | int) -> bool:
    return {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[pred]


def _dot(signs: str, a: int, b: int, c: int, step: int, first: int) -> int:
    """dp4a (bytes of both) and dp2a (halves of the first, two bytes of the second)."""
    total = c
    for i in range(32 // step):
        x, y = a >> step * i & (1 << step) - 1, b >> 8 * (i + first) & 255
        total += (signed(x, step) if signs[0] == "s" else x) * (signed(y, 8) if signs[1] == "s" else y)
    return total


def evaluate(op: str, args: list[int]) -> int | None:
    """Bits of the result; None if the operation is not described."""
    head, *rest = op.split(".")
    kind = rest[-1] if rest else ""
    if any(word in op for word in ("ftz", "x2", "xorsign", "approx", "tanh")):
        return None
    for known in (_integer, _special, _convert, _floating):
        found = known(head, rest, kind, args)
        if found is not None:
            return found
    return None


def _integer(head: str, rest: list[str], kind: str, args: list[int]) -> int | None:
    width = bits_of(kind)
    mask = (1 << width) - 1
    if kind in ("p", "i32", "i64") and rest == [kind]:
        if head in _INTEGER:
            if head in ("udiv", "urem", "sdiv", "srem") and (args[1] == 0 or signed(args[1], width) == -1):
                return None  # not defined, or not for all
            return _INTEGER[head](args[0], args[1], width) & mask
        if head in _BITS:
            return _BITS[head](args[0], width) & mask
        if head in ("sads", "sadu"):
            a, b = (signed(x, width) if head == "sads" else x for x in args[:2])
            return abs(a - b) + args[2] & mask
    if head == "icmp":
        sign = rest[0][0] == "s" and rest[0] not in ("eq", "ne")
        a, b = (signed(x, width) if sign else x for x in args)
        return int(_compare(rest[0] if rest[0] in ("eq", "ne") else rest[0][1:], a, b))
    if head in ("dp4a", "dp2a"):
        first = 2 if "hi" in rest else 0
        return _dot(rest[-2], *args, 8 if head == "dp4a" else 16, first) & 0xFFFFFFFF  # type: ignore[arg-type]
    return None


def _special(head: str, rest: list[str], kind: str, args: list[int]) -> int | None:
    if head == "prmt" and rest == ["i32"]:
        return _prmt(args[0], args[1], args[2])
    if head in ("shfl", "shfr", "shflc", "shfrc"):
        high, low, by = args
        by = min(by, 32) if head.endswith("c") else by % 32
        both = high << 32 | low
        return (both << by >> 32 if head[3] == "l" else both >> by) & 0xFFFFFFFF
    if head == "bfind":
        value, width = args[0], bits_of(kind)
        if "s" in rest and value >> width - 1:
            value ^= (1 << width) - 1
        place = value.bit_length() - 1
        return (width - 1 - place if "shift" in rest and place >= 0 else place) & 0xFFFFFFFF
    if head == "bmsk":
        start, count = (min(x, 32) for x in args) if "clamp" in rest else (x % 32 for x in args)
        return ((1 << count) - 1) << start & 0xFFFFFFFF
    if head == "szext":
        n = args[1] % 32 if "wrap" in rest else min(args[1], 32)
        low = args[0] & (1 << n) - 1
        return (signed(low, n) if "s" in rest and n else low) & 0xFFFFFFFF
    return None


def _convert(head: str, rest: list[str], kind: str, args: list[int]) -> int | None:
    a = args[0] if args else 0
    to = rest[0] if rest else ""
    if head in ("zext", "bitcast", "zext16", "trunc16"):
        return a & (1 << min(bits_of(to), 16 if "16" in head else 64)) - 1
    if head in ("sext", "sext8", "sext16"):
        return signed(a, int(head[4:] or 32)) & (1 << bits_of(to)) - 1
    if head in ("trunc", "dlo"):
        return a & 0xFFFFFFFF
    if head in ("hi", "dhi", "fhi"):
        return a >> 32
    if head == "flo":
        return a & 0xFFFFFFFF
    if head in ("pack", "packf", "lohi"):
        return args[1] << 32 | args[0]
    if head == "packh":
        return args[1] << 16 | args[0]
    if head in ("sitofp", "uitofp"):
        value = signed(a, bits_of(kind)) if head == "sitofp" else a
        return rounded(Fraction(value), to)
    if head == "i2f":
        value = signed(a, bits_of(kind)) if rest[0] == "s" else a
        return rounded(Fraction(value), rest[2], rest[1])
    if head in ("fptosi", "fptoui"):
        return _to_int(number(a, kind), "rz", bits_of(to), head == "fptosi")
    if head == "f2i":
        return _to_int(number(a, kind), rest[1], bits_of(rest[2]), rest[0] == "s")
    if head in ("fpext", "fptrunc"):
        return rounded(number(a, kind), to)
    if head == "d2f":
        return rounded(number(a, "f64"), "f32", rest[0])
    if head == "f2h" and "relu" not in rest:
        return rounded(number(a, "f32"), rest[1], rest[0])
    return None


def _to_int(value: Number, mode: str, bits: int, sign: bool) -> int | None:
    """Conversion with saturation; what a NaN gives is not asked."""
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if sign else (0, (1 << bits) - 1)
    if isinstance(value, float):
        return None if math.isnan(value) else (high if value > 0 else low) & (1 << bits) - 1
    return max(low, min(to_integer(value, mode), high)) & (1 << bits) - 1


def _floating(head: str, rest: list[str], kind: str, args: list[int]) -> int | None:
    if kind not in FORMATS:
        return None
    x = [number(a, kind) for a in args]
    mode = next((word for word in rest if word in _ROUND), "rn")
    if head == "fcmp":
        unordered = any(isinstance(v, float) and math.isnan(v) for v in x)
        if rest[0] in ("ord", "uno"):
            return int(unordered == (rest[0] == "uno"))
        return int(rest[0][0] == "u") if unordered else int(_compare(rest[0][1:], x[0], x[1]))
    if head in ("fneg", "fabs"):
        top = 1 << bits_of(kind) - 1
        return args[0] ^ top if head == "fneg" else args[0] & ~top
    if head == "copysign":  # (sign, size)
        top = 1 << bits_of(kind) - 1
        return args[1] & ~top | args[0] & top
    value: Number | None = None
    numbers = [np.float64(v) if isinstance(v, float) else v for v in x]  # an infinity's arithmetic is IEEE's
    if not all(isinstance(v, Fraction) for v in x):
        return None
    a, b, c = [*numbers, Fraction(0), Fraction(0)][:3]
    match head.removesuffix("c"):
        case "fadd":
            value = a + b
        case "fsub":
            value = a - b
        case "fmul":
            value = a * b
        case "fma":
            value = a * b + c
        case "fdiv":
            value = a / b if b else None
        case "frcp":
            value = 1 / a if a else None
        case "fmin" | "fminnan":
            value = min(a, b)
        case "fmax" | "fmaxnan":
            value = max(a, b)
        case "fsat":
            value = max(Fraction(0), min(a, Fraction(1)))
        case "ffloor" | "fceil" | "frint" | "ftrunc":
            way = {"ffloor": "rm", "fceil": "rp", "frint": "rn", "ftrunc": "rz"}[head]
            value = Fraction(to_integer(a, way))
        case "fsqrt":
            return _root(a, mode, kind) if a > 0 else None
    if value is None or "m" in rest:
        return None
    if "sat" in rest:
        value = max(Fraction(0), min(value, Fraction(1)))
    if "relu" in rest:
        value = max(Fraction(0), value)
    return rounded(value, kind, mode)
