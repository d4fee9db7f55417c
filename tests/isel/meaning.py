"""What operations of the DAG mean, by exact arithmetic: the oracle for patterns.

`evaluate(op, args)` takes and gives raw bits. Floating point goes through rationals and is rounded once, in any of the
four directions; an approximation's result is a function that says whether bits are within PTX's bound. None where an
operation is not described here (memory, machine state), or not for such operands.
"""

from __future__ import annotations

import math
from bisect import bisect_left as bisect
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

FORMATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52), "tf32": (8, 10)}
"""Exponent and fraction bits."""
NAN = -1
"""In place of bits: some NaN."""
Number = Fraction | float
"""A finite value, or an infinity or NaN."""
NARROW = {"e4m3": (4, 3), "e5m2": (5, 2), "e2m3": (2, 3), "e3m2": (3, 2), "e2m1": (2, 1)}
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
    """Bits of a float of a format. Infinities stay; what overflows goes to infinity or the largest."""
    exponents, fraction = FORMATS[kind]
    bias = (1 << exponents - 1) - 1
    top = ((1 << exponents) - 1) << fraction
    if isinstance(value, float):
        return NAN if math.isnan(value) else top | (value < 0) << exponents + fraction
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


def encode(value: float, kind: str) -> int:
    """Bits of the nearest number of a format."""
    return rounded(Fraction(value), kind)


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


_SELECTORS = {
    "f4e": (0x3210, 0x4321, 0x5432, 0x6543), "b4e": (0x5670, 0x6701, 0x7012, 0x0123),
    "rc8": (0x0000, 0x1111, 0x2222, 0x3333), "ecl": (0x3210, 0x3211, 0x3222, 0x3333),
    "ecr": (0x0000, 0x1110, 0x2210, 0x3210), "rc16": (0x1010, 0x3232, 0x1010, 0x3232),
}  # fmt: skip
"""PTX's table of the modes of prmt, by the selector's two bits."""


def _nth_set(mask: int, base: int, offset: int) -> int:
    """fns: the |offset|-th bit that is set from `base` on, upwards or downwards; -1 if there is none."""
    step = -1 if offset < 0 else 1
    places = [base] if offset == 0 else list(range(base, 32 if step > 0 else -1, step))
    found = [place for place in places if mask >> place & 1]
    wanted = max(abs(offset) - 1, 0)
    return found[wanted] if wanted < len(found) else -1


def _compare(pred: str, a: Number | int, b: Number | int) -> bool:
    return {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[pred]


def _dot(signs: str, a: int, b: int, c: int, step: int, first: int) -> int:
    """dp4a (bytes of both) and dp2a (halves of the first, two bytes of the second)."""
    total = c
    for i in range(32 // step):
        x, y = a >> step * i & (1 << step) - 1, b >> 8 * (i + first) & 255
        total += (signed(x, step) if signs[0] == "s" else x) * (signed(y, 8) if signs[1] == "s" else y)
    return total


def evaluate(op: str, args: list[int]) -> Any:
    """Bits of the result; None if the operation is not described."""
    head, *rest = op.split(".")
    kind = rest[-1] if rest else ""
    if "ftz" in rest:
        return _flushed(head, rest, args)
    if kind in ("f16x2", "bf16x2", "f32x2") and head != "ff2h":
        return _pair(op, kind[:-2], args)
    for known in (_narrow, _integer, _special, _convert, approximate, _floating):
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


def _pair(op: str, kind: str, args: list[int]) -> Any:
    """An operation on both halves of registers."""
    bits = bits_of(kind)
    mask = (1 << bits) - 1
    low, high = [evaluate(op[:-2], [arg >> shift & mask for arg in args]) for shift in (0, bits)]
    return None if low is None and high is None else halves(low, high, kind)


def halves(low: Any, high: Any, kind: str) -> Callable[[int], bool]:
    """Whether a register's halves are right."""
    bits = bits_of(kind)
    return lambda found: right(found, low, kind) and right(found >> bits, high, kind)


def right(got: int, want: Any, kind: str) -> bool:
    """Whether bits are those of a result, but for a zero's sign."""
    bits = bits_of(kind)
    got &= (1 << bits) - 1
    if want is None or callable(want):
        return want is None or bool(want(got))
    if want == NAN:
        return number(got, kind) != number(got, kind)
    want &= (1 << bits) - 1
    top = 1 << bits - 1
    return got == want or (kind in FORMATS and got | top == want | top == top)


def _flushed(head: str, rest: list[str], args: list[int]) -> Any:
    """An operation whose denormal operands and results are zeros."""
    words = [word for word in rest if word != "ftz"]
    kind = words[-1].removesuffix("x2")
    if words[-1] != kind:
        return _pair(".".join([head, *rest]), kind, args)
    found = evaluate(".".join([head, *words]), [flush(arg, kind) for arg in args])
    return found if callable(found) or found in (None, NAN) else flush(found, words[0] if words[0] in FORMATS else kind)


def flush(bits: int, kind: str) -> int:
    """Zero for a denormal number of f16 or f32."""
    if kind not in ("f16", "f32"):
        return bits
    exponents, fraction = FORMATS[kind]
    return bits if bits >> fraction & (1 << exponents) - 1 else bits & 1 << exponents + fraction


# --- formats of eight bits and fewer: the nearest of all their numbers ------------------------------------------------


@cache
def _numbers(kind: str) -> list[Fraction]:
    """The finite numbers from 0 on; the place is the code."""
    exponents, fraction = NARROW[kind]
    bias = (1 << exponents - 1) - 1
    codes = {"e4m3": 0x7F, "e5m2": 0x7C}.get(kind, 1 << exponents + fraction)  # the others have numbers only
    return [
        Fraction((code & (1 << fraction) - 1) + (1 << fraction) * (code >> fraction > 0))
        * Fraction(2) ** (max(code >> fraction, 1) - bias - fraction)
        for code in range(codes)
    ]


def narrowed(value: Number, kind: str) -> int:
    """The nearest number's code, ties to even, the largest for what is beyond it."""
    exponents, fraction = NARROW[kind]
    if value != value:
        return 0x7F
    table = _numbers(kind)
    size = abs(value)
    at = min(bisect(table, size), len(table) - 1)
    below = max(at - 1, 0)
    if size < table[at] and (size - table[below], below & 1) < (table[at] - size, at & 1):
        at = below
    return at | (value < 0) << exponents + fraction


def widened(code: int, kind: str) -> Number:
    exponents, fraction = NARROW[kind]
    table, place = _numbers(kind), code & (1 << exponents + fraction) - 1
    if place >= len(table):
        return math.inf if kind == "e5m2" and place == len(table) else math.nan
    return -table[place] if code >> exponents + fraction & 1 else table[place]


def _narrow(head: str, rest: list[str], kind: str, args: list[int]) -> Any:
    """Pairs: (upper, lower) of two operands, or of one register."""
    to = rest[0] if rest else ""
    if head == "ff2h":
        to, mode = rest[-1][:-2], rest[0]
        both = [rounded(_positive(number(a, "f32"), "relu" in rest), to, mode) for a in args]
        return halves(both[1], both[0], to)
    if head in ("ff2e", "h2e") and to in NARROW:
        values = [number(a, "f32") for a in args] if head == "ff2e" else [number(args[0] >> 16 & 0xFFFF, "f16"),
                                                                         number(args[0] & 0xFFFF, "f16")]  # fmt: skip
        if 0 in values and "relu" not in rest:
            return None  # the sign of a zero stays, and is lost here
        codes = [narrowed(_positive(v, "relu" in rest), to) for v in values]
        return codes[0] << 8 | codes[1]
    if head == "e2h" and to in NARROW:
        both = [rounded(_positive(widened(args[0] >> shift & 0xFF, to), "relu" in rest), "f16") for shift in (8, 0)]
        return halves(both[1], both[0], "f16")
    if head in ("ff2ue", "h2ue"):
        values = [number(a, "f32") for a in args] if head == "ff2ue" else [number(args[0] >> 16 & 0xFFFF, "bf16"),
                                                                          number(args[0] & 0xFFFF, "bf16")]  # fmt: skip
        if not all(2**-126 <= v < 2**127 for v in values):
            return None
        powers = [math.frexp(float(v)) for v in values]
        codes = [126 + power + (to == "rp" and part > 0.5) for part, power in powers]
        return codes[0] << 8 | codes[1]
    if head == "ue2h":
        both = [rounded(Fraction(2) ** ((args[0] >> shift & 0xFF) - 127), "bf16") for shift in (8, 0)]
        return None if 0xFF in (args[0] >> 8 & 0xFF, args[0] & 0xFF) else both[0] << 16 | both[1]
    if head == "f2tf32":
        value = _positive(number(args[0], "f32"), "relu" in rest)
        if isinstance(value, float):
            return None
        want = rounded(value, "tf32", to)
        return lambda bits: bits >> 13 == want or want & 0x3FFFF == 0
    return None


def _positive(value: Number, relu: bool) -> Number:
    return max(Fraction(0), value) if relu and value == value else value


def _special(head: str, rest: list[str], kind: str, args: list[int]) -> int | None:
    if head == "prmt" and len(rest) == 2:
        return _prmt(args[0], args[1] if len(args) > 2 else 0, _SELECTORS[rest[0]][args[-1] & 3])
    if head == "fns":
        return _nth_set(args[0], args[1], signed(args[2], 32)) & 0xFFFFFFFF
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
    if head in ("mov", "movimm"):
        return a
    if head == "select":
        return args[1] if a else args[2]
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


# --- approximations --------------------------------------------------------------------------------------------------

_APPROXIMATIONS: dict[str, tuple[Callable[..., float], dict[str, float]]] = {
    "fsqrtapprox": (math.sqrt, {"f32": 2**-22.5}),
    "frsqrt": (lambda a: 1 / math.sqrt(a), {"f32": 2**-22.4, "f64": 2**-19}),
    "frcpapprox": (lambda a: 1 / a, {"f32": 2**-22.5, "f64": 2**-19}),
    "fex2": (lambda a: 2.0**a, {"f32": 2**-21.5, "f16": 2**-9.9, "bf16": 2**-7}),
    "flg2": (math.log2, {"f32": 2**-21.5}),
    "fsin": (math.sin, {"f32": -(2**-20.5)}),
    "fcos": (math.cos, {"f32": -(2**-20.5)}),
    "ftanh": (math.tanh, {"f32": 2**-10.9, "f16": -(2**-10.9), "bf16": -(2**-8)}),
    "fdivfull": (lambda a, b: a / b, {"f32": 2**-22}),
    "fdivapprox": (lambda a, b: a / b, {"f32": 2**-22}),
}
"""Function, and PTX's bound on the error in each format: relative, or absolute (negative)."""


def approximate(head: str, rest: list[str], kind: str, args: list[int]) -> Any:
    """Whether bits are near enough; where operands or results are ordinary numbers."""
    if head not in _APPROXIMATIONS or kind not in _APPROXIMATIONS[head][1]:
        return None
    function, bounds = _APPROXIMATIONS[head]
    smallest, largest = {"f16": (2**-14, 65504.0), "f64": (2**-1000, 2**1000)}.get(kind, (2**-126, 2**126))
    values = [float(number(a, kind)) for a in args]
    if any(v != v or not smallest <= abs(v) <= largest for v in values):
        return None
    try:
        want = function(*values)
    except (ValueError, OverflowError):
        return None
    if not smallest <= abs(want) <= largest:
        return None
    bound = bounds[kind] * abs(want) if bounds[kind] > 0 else -bounds[kind]
    if head == "flg2":
        bound = max(bound, 2**-22)  # absolute between 0.5 and 2
    return lambda bits: abs(float(number(bits & (1 << bits_of(kind)) - 1, kind)) - want) <= bound


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
        if x[0] != x[0]:
            return NAN
        return args[0] ^ top if head == "fneg" else args[0] & ~top
    if head == "copysign":  # (sign, size)
        top = 1 << bits_of(kind) - 1
        return args[1] & ~top | args[0] & top
    value: Number | None = None
    numbers = [np.float64(v) if isinstance(v, float) else v for v in x]  # an infinity's arithmetic is IEEE's
    if not all(isinstance(v, Fraction) for v in x):
        return None
    a, b, c = [*numbers, Fraction(0), Fraction(0)][:3]
    match head.removesuffix("c") if head[1:-1] in ("add", "sub", "mul") else head:
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
        case "fmin" | "fmax" if "xorsign" in rest or ("m" in rest and kind == "f32"):
            top = 1 << bits_of(kind) - 1
            size = (min if head == "fmin" else max)(abs(a), abs(b))
            return rounded(size, kind) | (args[0] ^ args[1]) & top
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
    if value is None:
        return None
    if "sat" in rest:
        value = max(Fraction(0), min(value, Fraction(1)))
    if "relu" in rest:
        value = max(Fraction(0), value)
    return rounded(value, kind, mode)
