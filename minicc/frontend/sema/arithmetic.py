"""Exact C arithmetic of constants: integers wrap to their type, floats are rounded to single where the type is."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable
from typing import Any

from minicc.frontend.types import Type

Value = int | float

_EITHER: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_WHOLE: dict[str, Callable[[Any, Any], Any]] = {
    "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift,
}  # fmt: skip
COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
}  # fmt: skip


class NotConstant(Exception):
    """Not known at compile time."""


def wrap(value: Value, t: Type) -> Value:
    """`value` as type `t` holds it; out-of-range floats are not constants."""
    kind = t.kind if t.kind != "enum" or t.elem is None else t.elem.kind
    if kind == "bool":
        return int(value != 0)
    if kind == "float":
        try:
            value = float(value)
        except OverflowError:
            raise NotConstant from None
        if t.size == 4:
            try:
                return float(struct.unpack("f", struct.pack("f", value))[0])
            except OverflowError:
                return math.copysign(math.inf, value)
        return value
    if kind in ("int", "pointer", "nullptr", "member"):
        if isinstance(value, float):
            if not math.isfinite(value):
                raise NotConstant
            value = int(value)
            low, high = limits(t)
            if not low <= value <= high:
                raise NotConstant
        bits = t.size * 8
        value &= (1 << bits) - 1
        if (is_signed(t) or kind == "member") and value >> (bits - 1):
            value -= 1 << bits
        return value
    raise NotConstant


def is_signed(t: Type) -> bool:
    if t.kind == "enum":
        assert t.elem is not None
        return t.elem.signed
    return t.signed


def limits(t: Type) -> tuple[int, int]:
    bits = t.size * 8
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if is_signed(t) else (0, (1 << bits) - 1)


def compute(op: str, a: Value, b: Value, t: Type) -> Value:
    """One arithmetic operation in type `t` (operands are of that type; a shift's right one may be of another)."""
    if t.kind == "float":
        if op == "/" and b == 0:
            return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)
        if op not in _EITHER and op != "/":
            raise NotConstant
        return wrap(a / b if op == "/" else _EITHER[op](a, b), t)
    assert isinstance(a, int) and isinstance(b, int)
    if op in ("/", "%"):
        if b == 0:
            raise NotConstant
        q = abs(a) // abs(b)
        q = q if (a < 0) == (b < 0) else -q
        return wrap(q if op == "/" else a - q * b, t)
    made = _EITHER.get(op) or _WHOLE.get(op)
    if made is None or (op in ("<<", ">>") and not 0 <= b < t.size * 8):
        raise NotConstant
    return wrap(made(a, b), t)
