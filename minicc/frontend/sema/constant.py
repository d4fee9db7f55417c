"""Constant expressions: the value of a typed tree, or None where it has none at compile time.

Arithmetic is exact C: integers wrap to their type, floats are rounded to single where the type is. constexpr
functions are interpreted statement by statement, with a bound on the steps.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

from minicc.frontend import ast
from minicc.frontend.types import Type

Value = int | float
MAX_STEPS = 200_000


class NotConstant(Exception):
    """Not known at compile time."""


def wrap(value: Value, t: Type) -> Value:
    """`value` as type `t` holds it; out-of-range floats are not constants."""
    kind = t.kind if t.kind != "enum" else "int"
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
    if kind in ("int", "pointer", "nullptr"):
        if isinstance(value, float):
            if not math.isfinite(value):
                raise NotConstant
            value = int(value)
            low, high = limits(t)
            if not low <= value <= high:
                raise NotConstant
        bits = t.size * 8
        value &= (1 << bits) - 1
        if is_signed(t) and value >> (bits - 1):
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
        if op == "+":
            return wrap(a + b, t)
        if op == "-":
            return wrap(a - b, t)
        if op == "*":
            return wrap(a * b, t)
        if op == "/":
            if b == 0:
                if a == 0 or a != a:
                    return math.nan
                return math.copysign(math.inf, a) * math.copysign(1.0, b)
            return wrap(a / b, t)
        raise NotConstant
    assert isinstance(a, int) and isinstance(b, int)
    if op in "/%" and b == 0:
        raise NotConstant
    if op == "+":
        return wrap(a + b, t)
    if op == "-":
        return wrap(a - b, t)
    if op == "*":
        return wrap(a * b, t)
    if op in "/%":
        q = abs(a) // abs(b)
        q = q if (a < 0) == (b < 0) else -q
        return wrap(q if op == "/" else a - q * b, t)
    if op == "&":
        return a & b
    if op == "|":
        return a | b
    if op == "^":
        return wrap(a ^ b, t)
    if op in ("<<", ">>"):
        if not 0 <= b < t.size * 8:
            raise NotConstant
        return wrap(a << b if op == "<<" else a >> b, t)
    raise NotConstant


_COMPARE = {"==", "!=", "<", ">", "<=", ">="}


def compare(op: str, a: Value, b: Value) -> int:
    if op == "==":
        return int(a == b)
    if op == "!=":
        return int(a != b)
    if op == "<":
        return int(a < b)
    if op == ">":
        return int(a > b)
    if op == "<=":
        return int(a <= b)
    return int(a >= b)


def evaluate(expr: ast.Expr) -> Value | None:
    """The value of a constant expression, or None."""
    try:
        return Evaluator().value(expr)
    except (NotConstant, OverflowError, ZeroDivisionError):
        return None


def truth(expr: ast.Expr) -> bool | None:
    value = evaluate(expr)
    return None if value is None else bool(value)


class _Leave(Exception):
    def __init__(self, kind: str, value: Value | None = None) -> None:
        super().__init__(kind)
        self.kind, self.value = kind, value


class Evaluator:
    """Interprets trees. `frame` holds the variables of the constexpr call under way."""

    def __init__(self) -> None:
        self.frame: dict[int, Value] = {}
        self.steps = 0
        self.depth = 0

    def value(self, expr: ast.Expr) -> Value:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise NotConstant
        method = _METHODS.get(type(expr))
        if method is None:
            raise NotConstant
        return method(self, expr)

    def _number(self, e: ast.Number) -> Value:
        return e.value

    def _zero(self, e: ast.Zero) -> Value:
        if not e.type.scalar:
            raise NotConstant
        return 0.0 if e.type.kind == "float" else 0

    def _name(self, e: ast.Name) -> Value:
        if id(e.variable) in self.frame:
            return self.frame[id(e.variable)]
        if e.variable.value is None:
            raise NotConstant
        return e.variable.value

    def _unary(self, e: ast.Unary) -> Value:
        value = self.value(e.operand)
        if e.op == "-":
            return wrap(-value, e.type)
        if e.op == "!":
            return int(not value)
        if e.op == "~":
            return wrap(~int(value), e.type)
        return value

    def _binary(self, e: ast.Binary) -> Value:
        if e.left.type.kind == "pointer" or e.right.type.kind == "pointer":
            raise NotConstant
        a, b = self.value(e.left), self.value(e.right)
        if e.op in _COMPARE:
            return compare(e.op, a, b)
        return compute(e.op, a, b, e.type)

    def _logical(self, e: ast.Logical) -> Value:
        left = bool(self.value(e.left))
        if e.op == "&&":
            return int(left and bool(self.value(e.right)))
        return int(left or bool(self.value(e.right)))

    def _conditional(self, e: ast.Conditional) -> Value:
        return self.value(e.yes if self.value(e.condition) else e.no)

    def _comma(self, e: ast.Comma) -> Value:
        self.value(e.left)
        return self.value(e.right)

    def _cast(self, e: ast.Cast) -> Value:
        if e.kind == "void":
            self.value(e.operand)
            return 0
        if e.kind != "convert":
            raise NotConstant
        return wrap(self.value(e.operand), e.type)

    # -- constexpr functions

    def _call(self, e: ast.Call) -> Value:
        f = e.function
        if not f.constexpr or f.body is None or self.depth > 100 or e.this is not None:
            raise NotConstant
        frame: dict[int, Value] = {}
        for param, arg in zip(f.params, e.args, strict=False):
            if param.type.kind == "reference" and not param.type.elem.scalar:  # type: ignore[union-attr]
                raise NotConstant
            frame[id(param)] = self.value(arg.operand if isinstance(arg, ast.Temporary) else arg)
        outer, self.frame = self.frame, frame
        self.depth += 1
        try:
            self._run(f.body)
        except _Leave as leave:
            if leave.kind != "return" or leave.value is None:
                raise NotConstant from None
            return leave.value
        finally:
            self.frame = outer
            self.depth -= 1
        raise NotConstant

    def _assign(self, e: ast.Assign) -> Value:
        return self._store(e.left, self.value(e.right))

    def _store(self, target: ast.Expr, value: Value) -> Value:
        if not isinstance(target, ast.Name) or id(target.variable) not in self.frame:
            raise NotConstant
        self.frame[id(target.variable)] = value = wrap(value, target.type)
        return value

    def _compound(self, e: ast.CompoundAssign) -> Value:
        left = wrap(self.value(e.left), e.common)
        return self._store(e.left, compute(e.op, left, self.value(e.right), e.common))

    def _step(self, e: ast.Step) -> Value:
        if e.type.kind == "pointer":
            raise NotConstant
        old = self.value(e.operand)
        new = self._store(e.operand, old + 1 if e.op == "++" else old - 1)
        return new if e.prefix else old

    def _run(self, s: ast.Stmt) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise NotConstant
        if isinstance(s, ast.Block):
            for item in s.items:
                self._run(item)
        elif isinstance(s, ast.ExprStmt):
            self.value(s.value)
        elif isinstance(s, ast.DeclStmt):
            for v in s.variables:
                if v.storage != "local" or not v.type.scalar:
                    raise NotConstant
                self.frame[id(v)] = self.value(v.init) if v.init is not None else 0
        elif isinstance(s, ast.If):
            if self.value(s.condition):
                self._run(s.then)
            elif s.other is not None:
                self._run(s.other)
        elif isinstance(s, ast.Return):
            raise _Leave("return", None if s.value is None else self.value(s.value))
        elif isinstance(s, ast.Jump):
            raise _Leave(s.kind)
        elif isinstance(s, ast.Loop):
            self._loop(s)
        else:
            raise NotConstant

    def _loop(self, s: ast.Loop) -> None:
        first = s.kind == "do"
        while True:
            if not first:
                if s.declared is not None:
                    self._run(s.declared)
                if s.condition is not None and not self.value(s.condition):
                    return
            first = False
            try:
                self._run(s.body)
            except _Leave as leave:
                if leave.kind == "break":
                    return
                if leave.kind != "continue":
                    raise
            if s.step is not None:
                self.value(s.step)


_METHODS: dict[type, Callable[[Evaluator, Any], Value]] = {
    ast.Number: Evaluator._number, ast.Zero: Evaluator._zero, ast.Name: Evaluator._name, ast.Unary: Evaluator._unary,
    ast.Binary: Evaluator._binary, ast.Logical: Evaluator._logical, ast.Conditional: Evaluator._conditional,
    ast.Comma: Evaluator._comma, ast.Cast: Evaluator._cast, ast.Call: Evaluator._call, ast.Assign: Evaluator._assign,
    ast.CompoundAssign: Evaluator._compound, ast.Step: Evaluator._step,
}  # fmt: skip
