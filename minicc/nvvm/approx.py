"""Approximate functions of constants are constants: LLVM leaves their intrinsics alone, nvcc computes them.

So a loop to `__log2f(16)` has a known number of turns. As in nvcc's PTX, each is the host's value in single precision,
not what the special-function unit would say; roots and divisions stay, and reciprocals that are no power of two. Those
of doubles are what the library's powers and logarithms begin with, which correct them: `pow(2.0, 32.0)` is a constant.
"""

from __future__ import annotations

import math
import re

from minicc.numbers import bits_of, float_of

_FUNCTIONS = {"lg2": math.log2, "ex2": math.exp2, "sin": math.sin, "cos": math.cos}
_CALL = re.compile(
    r"(?:tail )?call (?:\w+ )*(float|double) @llvm\.nvvm\.(lg2|ex2|sin|cos|rcp)\.approx(\.ftz)?(?:\.f32|\.f|\.d)?"
    r"\((?:float|double) (0x[0-9A-F]{16}|-?\d+\.\d+e[+-]\d+)\)(?: #\d+)?"
)
_SMALLEST = 2.0**-126


def fold(text: str) -> str | None:
    """A module's text with such calls made constants (of an instruction that any pass folds); None if it has none."""
    if ".approx" not in text or _CALL.search(text) is None:
        return None
    changed = False

    def value(found: re.Match[str]) -> str:
        nonlocal changed
        kind, name, flush, x = found[1], found[2], bool(found[3]), _number(found[4])
        result = _value(name, x, flush) if name != "rcp" else _reciprocal(x, kind == "double")
        if result is None:
            return found[0]
        changed = True
        return f"bitcast {kind} 0x{bits_of(result, 64):016X} to {kind}"

    folded = _CALL.sub(value, text)
    return folded if changed else None


def _number(text: str) -> float:
    """A constant as LLVM prints it: the bits of a double, or decimal."""
    if text.startswith("0x"):
        return float_of(int(text, 16), 64)
    return float(text)


def _value(name: str, x: float, flush: bool) -> float | None:
    """The result in single precision; None where it is not an ordinary number."""
    if flush and abs(x) < _SMALLEST:
        x = math.copysign(0.0, x)
    try:
        result = float_of(bits_of(_FUNCTIONS[name](x), 32), 32)
    except (ValueError, OverflowError):
        return None
    if flush and abs(result) < _SMALLEST:
        return math.copysign(0.0, result)
    return result if math.isfinite(result) else None


def _reciprocal(x: float, double: bool) -> float | None:
    """Of a double the upper word, as the special-function unit makes it; of a float only what is exact. None where it
    is not an ordinary number."""
    if not _SMALLEST < abs(x) < 1 / _SMALLEST or not (double or abs(math.frexp(x)[0]) == 0.5):
        return None
    return float_of(bits_of(1 / x, 64) >> 32 << 32, 64)
