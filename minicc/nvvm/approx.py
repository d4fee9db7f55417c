"""Approximate functions of constants are constants: LLVM leaves their intrinsics alone, nvcc computes them.

So a loop to `__log2f(16)` has a known number of turns. As in nvcc's PTX, each is the host's value in single precision,
not what the special-function unit would say; reciprocals, roots and divisions stay.
"""

from __future__ import annotations

import math
import re
import struct

_FUNCTIONS = {"lg2": math.log2, "ex2": math.exp2, "sin": math.sin, "cos": math.cos}
_CALL = re.compile(
    r"(?:tail )?call (?:\w+ )*float @llvm\.nvvm\.(lg2|ex2|sin|cos)\.approx(\.ftz)?(?:\.f32|\.f)?"
    r"\(float (0x[0-9A-F]{16}|-?\d+\.\d+e[+-]\d+)\)(?: #\d+)?"
)
_SMALLEST = 2.0**-126


def fold(text: str) -> str | None:
    """A module's text with such calls made constants (of an instruction that any pass folds); None if it has none."""
    if ".approx" not in text or _CALL.search(text) is None:
        return None
    changed = False

    def value(found: re.Match[str]) -> str:
        nonlocal changed
        result = _value(found[1], _number(found[3]), bool(found[2]))
        if result is None:
            return found[0]
        changed = True
        return f"bitcast float 0x{struct.unpack('<Q', struct.pack('<d', result))[0]:016X} to float"

    folded = _CALL.sub(value, text)
    return folded if changed else None


def _number(text: str) -> float:
    """A constant as LLVM prints it: the bits of a double, or decimal."""
    if text.startswith("0x"):
        return float(struct.unpack("<d", struct.pack("<Q", int(text, 16)))[0])
    return float(text)


def _value(name: str, x: float, flush: bool) -> float | None:
    """The result in single precision; None where it is not an ordinary number."""
    if flush and abs(x) < _SMALLEST:
        x = math.copysign(0.0, x)
    try:
        result = float(struct.unpack("<f", struct.pack("<f", _FUNCTIONS[name](x)))[0])
    except (ValueError, OverflowError):
        return None
    if flush and abs(result) < _SMALLEST:
        return math.copysign(0.0, result)
    return result if math.isfinite(result) else None
