"""Constant expressions of PTX: literals and C operators over 64-bit integers and doubles.

`evaluate(parser)` reads one at the parser's position. Integers wrap to 64 bits, as PTX ISA "Constant Expressions" says;
signedness is kept only as far as the value shows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minicc.numbers import bits_of, float_of
from minicc.ptx.model import Float, Int

if TYPE_CHECKING:
    from minicc.ptx.cursor import Cursor

MAX_DEPTH = 60
"""Nesting that no compiler writes; deeper input is refused before Python's own recursion limit is near."""

_BINARY = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, "<=": 7, ">": 7, ">=": 7,
    "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip

Number = int | float


def literal(text: str) -> Int | Float | None:
    """The value of one literal token; None if the token is no literal."""
    first = text[:1]
    if not ("0" <= first <= "9" or (first == "." and text[1:2].isdigit())):
        return None
    if first == "0" and len(text) > 1:
        kind = text[1]
        if kind in "fF":
            return Float(int(text[2:], 16), 32)
        if kind in "dD":
            return Float(int(text[2:], 16), 64)
        if kind in "xX":
            return Int(int(text[2:].rstrip("U"), 16))
        if kind in "bB":
            return Int(int(text[2:].rstrip("U"), 2))
    if "." in text or "e" in text or "E" in text:
        return Float(bits_of(float(text), 64), 64)
    digits = text.rstrip("U")
    if len(digits) > 1 and digits[0] == "0":
        if set(digits) <= set("01234567"):
            return Int(int(digits, 8))
        return None
    if len(digits) > 40:
        return None
    return Int(int(digits))


def wrap(value: int) -> int:
    """A Python integer as PTX holds it: as written if it fits in 64 bits of either sign, else modulo 2^64."""
    if -(1 << 63) <= value < 1 << 64:
        return value
    value &= (1 << 64) - 1
    return value


def number(constant: Int | Float) -> Number:
    """Python's value of a constant."""
    if isinstance(constant, Int):
        return constant.value
    return float_of(constant.bits, constant.width)


def evaluate(cursor: Cursor) -> Int | Float:
    """One constant expression."""
    return _ternary(cursor, 0)


def _ternary(cursor: Cursor, depth: int) -> Int | Float:
    condition = _binary(cursor, 1, depth)
    if cursor.texts[cursor.at] != "?":
        return condition
    cursor.at += 1
    then = _ternary(cursor, depth + 1)
    cursor.expect(":")
    other = _ternary(cursor, depth + 1)
    return then if number(condition) else other


def _binary(cursor: Cursor, level: int, depth: int) -> Int | Float:
    if depth > MAX_DEPTH:
        cursor.fail("expression is nested too deeply")
    left = _unary(cursor, depth + 1)
    while True:
        operator = cursor.texts[cursor.at]
        precedence = _BINARY.get(operator, 0)
        if precedence < level:
            return left
        place = cursor.at
        cursor.at += 1
        right = _binary(cursor, precedence + 1, depth + 1)
        left = _apply(cursor, operator, left, right, place)


def _apply(cursor: Cursor, operator: str, left: Int | Float, right: Int | Float, place: int) -> Int | Float:
    a, b = number(left), number(right)
    if operator in ("&&", "||", "==", "!=", "<", "<=", ">", ">="):
        table = {
            "&&": bool(a) and bool(b), "||": bool(a) or bool(b), "==": a == b, "!=": a != b,
            "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b,
        }  # fmt: skip
        return Int(int(table[operator]))
    if isinstance(a, float) or isinstance(b, float):
        if operator not in ("+", "-", "*", "/") or (operator == "/" and b == 0):
            cursor.fail(f"operator '{operator}' cannot be applied to these operands", place)
        try:
            value = a + b if operator == "+" else a - b if operator == "-" else a * b if operator == "*" else a / b
        except OverflowError:
            cursor.fail("constant expression overflows", place)
        return Float(bits_of(value, 64), 64)
    if operator in ("/", "%"):
        if b == 0:
            cursor.fail("division by zero in a constant expression", place)
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return Int(wrap(quotient if operator == "/" else a - quotient * b))
    if operator in ("<<", ">>"):
        amount = b & 0xFF
        if amount > 63:
            return Int(0 if operator == "<<" or a >= 0 else -1)
        return Int(wrap(a << amount if operator == "<<" else a >> amount))
    if operator == "|":
        return Int(wrap(a | b))
    if operator == "&":
        return Int(wrap(a & b))
    if operator == "^":
        return Int(wrap(a ^ b))
    return Int(wrap(a + b if operator == "+" else a - b if operator == "-" else a * b))


def _unary(cursor: Cursor, depth: int) -> Int | Float:
    if depth > MAX_DEPTH:
        cursor.fail("expression is nested too deeply")
    token = cursor.texts[cursor.at]
    if token == "(":
        cursor.at += 1
        inner = cursor.texts[cursor.at]
        if inner in (".s64", ".u64"):
            cursor.at += 1
            cursor.expect(")")
            value = number(_unary(cursor, depth + 1))
            bits = int(value) & (1 << 64) - 1
            return Int(bits - (1 << 64) if inner == ".s64" and bits >> 63 else bits)
        result = _ternary(cursor, depth + 1)
        cursor.expect(")")
        return result
    if token in ("-", "+", "!", "~"):
        place = cursor.at
        cursor.at += 1
        operand = _unary(cursor, depth + 1)
        if token == "+":
            return operand
        if isinstance(operand, Float):
            if token == "-":
                return Float(operand.bits ^ 1 << (operand.width - 1), operand.width)
            cursor.fail(f"operator '{token}' cannot be applied to a floating constant", place)
        value = operand.value
        return Int(wrap(-value if token == "-" else ~value if token == "~" else int(not value)))
    if token == "WARP_SZ":
        cursor.at += 1
        return Int(32)
    found = literal(token)
    if found is None:
        cursor.fail("expected a constant")
    cursor.at += 1
    return found
