"""Constant expressions: the value of a typed tree, or None where it has none at compile time.

constexpr functions are interpreted statement by statement, with a bound on the steps.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from typing import Any

from minicc.frontend import ast, types
from minicc.frontend.builtins.table import Builtin
from minicc.frontend.sema import virtuals
from minicc.frontend.sema.arithmetic import COMPARE, NotConstant, Value, compute, is_signed, wrap
from minicc.frontend.types import Field, Type

MAX_STEPS = 200_000


def evaluate(expr: ast.Expr, objects: bool = False) -> Value | None:
    """The value of a constant expression, or None; with `objects`, parts of constant objects that are not constexpr
    are constants, too."""
    if not (expr.type.scalar or expr.type.kind == "error"):
        return None
    try:
        value = Evaluator(objects).value(expr)
    except (NotConstant, OverflowError, ZeroDivisionError):
        return None
    return None if isinstance(value, tuple | ast.Function) else value


def cells(expr: ast.Expr, t: Type) -> dict[float, Value] | None:
    """An object's scalars by offset, those that are zero perhaps left out; None if they are not constant."""
    made = Object()
    try:
        Evaluator().initialise((made, 0), t, expr)
    except (NotConstant, OverflowError, ZeroDivisionError):
        return None
    if any(isinstance(v, tuple | ast.Function) for v in made.cells.values()):
        return None
    return made.cells


def start(field: Field) -> float:
    """Where a member begins, in bytes: a bit-field within one. (Exact: eighths.)"""
    return field.offset + field.bit_offset / 8 if field.bit_width else field.offset


def kept(value: Value, field: Field) -> Value:
    """What a bit-field keeps of a value."""
    if not field.bit_width or field.type.kind == "bool":
        return value
    value = int(value) & (1 << field.bit_width) - 1
    return value - (1 << field.bit_width) if is_signed(field.type) and value >> (field.bit_width - 1) else value


def _between(a: Type, b: Type) -> int:
    """From the beginning of a class to that of its base class, or of one derived from it."""
    down, up = types.base_offset(a, b), types.base_offset(b, a)
    if down is None and up is None:
        raise NotConstant
    return down if down is not None else -(up or 0)


def truth(expr: ast.Expr) -> bool | None:
    value = evaluate(expr)
    return None if value is None else bool(value)


class _Leave(Exception):
    def __init__(self, kind: str, value: object = None) -> None:
        super().__init__(kind)
        self.kind, self.value = kind, value


class Object:
    """Memory of a variable or temporary: scalars by byte offset. What was never written is zero if `zeroed`."""

    __slots__ = ("cells", "classes", "size", "zeroed")

    def __init__(self, zeroed: bool = False, size: int = 0) -> None:
        self.cells: dict[float, Any] = {}
        self.classes: dict[float, Type] = {}
        """Of the objects of which it consists those that a constructor made."""
        self.zeroed = zeroed
        self.size = size
        """In bytes; 0: not known."""


class _Unknown(dict[float, Any]):
    """The scalars of an object that is not a constant: its members may be called, but nothing read or written."""

    def __setitem__(self, offset: float, value: Any) -> None:
        raise NotConstant


Place = tuple[Object, float]
"""An object and an offset in it: an lvalue, and the value of a pointer."""


def named_number(e: ast.BuiltinCall) -> float:
    """What `__builtin_inf()` and `nan("0x12")` are: the host's quiet NaN (the machine's own is 0x7fffffff), with the
    number that the text spells in its low bits."""
    if not e.args:
        return math.inf
    text = e.args[0]
    while isinstance(text, ast.Cast):
        text = text.operand
    spelled = text.data.rstrip(b"\0").decode("latin-1") if isinstance(text, ast.Text) else ""
    low = int(spelled, 0) if re.fullmatch(r"0[xX][0-9a-fA-F]+|[1-9]\d{0,40}|0", spelled) else 0
    low = (low & 0x3FFFFF) << 29 if e.type.size == 4 else low & 0x7FFFFFFFFFFFF
    return float(struct.unpack(">d", (0x7FF8 << 48 | low).to_bytes(8, "big"))[0])


class Evaluator:
    """Interprets trees. `frame` holds the objects of the constexpr call under way, and the places of its references.
    With `objects`, const objects that are not constexpr may be read."""

    def __init__(self, objects: bool = False) -> None:
        self.frame: dict[int, Place] = {}
        self.statics: dict[int, Place] = {}
        self.making: set[int] = set()
        """Variables whose initialisers are being evaluated."""
        self.alive: list[tuple[Place, Type]] = []
        """Variables whose destructors are still to run."""
        self.results: list[Type] = []
        """What the functions under way return."""
        self.objects = objects
        self.steps = 0
        self.depth = 0

    def count(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise NotConstant

    def value(self, expr: ast.Expr) -> Any:
        """The value of a scalar expression."""
        self.count()
        method = _METHODS.get(type(expr))
        if method is None:
            raise NotConstant
        return method(self, expr)

    # -- memory

    def place(self, e: ast.Expr) -> Place:
        """Where an lvalue, or an aggregate value, lies."""
        self.count()
        if isinstance(e, ast.Name):
            return self._variable(e.variable)
        if isinstance(e, ast.Deref):
            return self._pointer(self.value(e.operand))
        if isinstance(e, ast.Member):
            base, offset = self.place(e.base)
            return base, offset + start(e.field)
        if isinstance(e, ast.Cast) and e.kind in ("relabel", "move"):
            if e.type.bare is not e.operand.type.bare and e.type.kind != "record":
                raise NotConstant
            base, offset = self.place(e.operand)
            if e.type.kind == "record" and e.operand.type.kind == "record":
                offset += _between(e.operand.type.bare, e.type.bare)
            return base, offset
        if isinstance(e, ast.Assign):
            return self._assigned(e)[0]
        if isinstance(e, ast.CompoundAssign):
            return self._compounded(e)[0]
        if isinstance(e, ast.Step) and e.prefix:
            return self._stepped(e)[0]
        if isinstance(e, ast.Comma):
            self.effect(e.left)
            return self.place(e.right)
        if isinstance(e, ast.Conditional) and e.lvalue:
            return self.place(e.yes if self.value(e.condition) else e.no)
        if isinstance(e, ast.Call) and e.lvalue:
            return self._pointer(self._run_call(e))
        if isinstance(e, ast.IndirectCall) and e.lvalue:
            return self._pointer(self._indirect(e))
        made = Object(), 0
        self._check_end(e.type)
        self.initialise(made, e.type, e.operand if isinstance(e, ast.Temporary) else e)
        return made

    def _pointer(self, value: object) -> Place:
        if not isinstance(value, tuple):
            raise NotConstant
        return value

    def _variable(self, v: ast.Variable) -> Place:
        found = self.frame.get(id(v)) or self.statics.get(id(v))
        if found is not None:
            return found
        made = Object(zeroed=True, size=v.type.size), 0
        if v.value is not None and v.type.scalar:
            made[0].cells[0] = v.value
            return made
        fixed = v.constexpr or (v.type.const and v.type.kind == "array") or (self.objects and v.constant)
        if not fixed or v.init is None or v.storage not in ("host", "member", "local", "static", "constant", "device"):
            if v.type.kind != "record" or v.stand_in is not None:
                raise NotConstant
            # As in `if constexpr (k % 2)` for a std::integral_constant k: the conversion reads nothing of it.
            made[0].cells, made[0].zeroed = _Unknown(), False
            return made
        if id(v) in self.making:
            raise NotConstant
        self.making.add(id(v))
        outer, self.frame = self.frame, {}
        try:
            self.initialise(made, v.type, v.init)
        finally:
            self.frame = outer
        # Only from here on is it constant.
        self.statics[id(v)] = made
        return made

    def load(self, e: ast.Expr) -> Any:
        return self._loaded(self.place(e), e)

    def _loaded(self, place: Place, e: ast.Expr) -> Any:
        """What lies at the place of `e`."""
        base, offset = place
        found = base.cells.get(offset)
        if found is None:
            if not base.zeroed or not e.type.scalar or 0 < base.size < offset + e.type.size or offset < 0:
                raise NotConstant
            return 0.0 if e.type.kind == "float" else 0
        if e.type.kind == "pointer" and (isinstance(found, ast.Function) or found == 0):
            return found
        if (
            isinstance(found, tuple) != (e.type.kind == "pointer")
            or isinstance(found, float) != (e.type.kind == "float")
        ) and not (e.type.kind == "float" and isinstance(found, int) and found == 0):
            raise NotConstant
        return found

    def initialise(self, place: Place, t: Type, e: ast.Expr) -> None:
        """Put the value of `e` into the object of type `t` at `place`."""
        self.count()
        base, offset = place
        if t.kind == "reference":
            base.cells[offset] = self.place(e)
        elif not t.aggregate:
            base.cells[offset] = self.value(e)
        elif isinstance(e, ast.Init):
            base.zeroed = True
            for at, field, part in e.parts:
                if isinstance(part, ast.Here):
                    self.frame[id(part.variable)] = base, offset + at
                elif field is not None and field.bit_width:
                    base.cells[offset + at + field.bit_offset / 8] = kept(self.value(part), field)
                else:
                    self.initialise((base, offset + at), part.type, part)
        elif isinstance(e, ast.Zero):
            base.zeroed = True
        elif isinstance(e, ast.Text):
            for k, unit in enumerate(e.units(t)):
                base.cells[offset + k * e.type.align] = unit
        elif isinstance(e, ast.Construct):
            if e.function.deleted:
                raise NotConstant
            self._construct(place, e.function, e.args)
        elif isinstance(e, ast.Call) and not e.lvalue:
            self._copy(self._pointer(self._run_call(e)), place, t)
        elif isinstance(e, ast.StatementExpression) and e.value is not None:
            self._run(e.block)
            self.initialise(place, t, e.value)
        elif isinstance(e, ast.Conditional) and not e.lvalue:
            self.initialise(place, t, e.yes if self.value(e.condition) else e.no)
        elif isinstance(e, ast.Cast) and e.kind == "convert":
            self.initialise(place, t, e.operand)
        elif e.lvalue or isinstance(e, ast.Name | ast.Member | ast.Cast | ast.Comma):
            self._copy(self.place(e), place, t)
        else:
            raise NotConstant

    def _copy(self, source: Place, target: Place, t: Type) -> None:
        """What was there goes, also where the source was left zero."""
        base, offset = source
        to, at = target
        if base is to and offset == at:
            return
        size = t.record.data_size if t.record is not None else t.size
        made = {k - offset: value for k, value in base.cells.items() if offset <= k < offset + size}
        for k in [k for k in to.cells if at <= k < at + size]:
            del to.cells[k]
        to.zeroed = to.zeroed or base.zeroed
        to.cells |= {at + k: value for k, value in made.items()}

    # -- expressions

    def _number(self, e: ast.Number) -> Value:
        return e.value

    def _zero(self, e: ast.Zero) -> Value:
        if not e.type.scalar:
            raise NotConstant
        return 0.0 if e.type.kind == "float" else 0

    def _unary(self, e: ast.Unary) -> Value:
        value = self.value(e.operand)
        if isinstance(value, tuple | ast.Function):
            raise NotConstant
        if e.op == "-":
            return wrap(-value, e.type)
        if e.op == "!":
            return int(not value)
        if e.op == "~":
            return wrap(~int(value), e.type)
        return value  # type: ignore[no-any-return]

    def _binary(self, e: ast.Binary) -> Any:
        a, b = self.value(e.left), self.value(e.right)
        if isinstance(a, ast.Function) or isinstance(b, ast.Function):
            if e.op not in ("==", "!="):
                raise NotConstant
            return int((a is b) == (e.op == "=="))
        if isinstance(a, tuple) or isinstance(b, tuple):
            return self._pointer_binary(e, a, b)
        if e.left.type.kind == "pointer" or e.right.type.kind == "pointer":
            raise NotConstant
        if e.op in COMPARE:
            return int(COMPARE[e.op](a, b))
        return compute(e.op, a, b, e.type)

    def _pointer_binary(self, e: ast.Binary, a: Any, b: Any) -> Any:
        size = e.left.type.elem.size if e.left.type.elem is not None else 1
        if isinstance(a, tuple) and isinstance(b, tuple):
            if a[0] is not b[0]:
                if e.op in ("==", "!="):
                    return int(e.op == "!=")
                raise NotConstant
            if e.op in COMPARE:
                return int(COMPARE[e.op](a[1], b[1]))
            return (a[1] - b[1]) // max(size, 1)
        if isinstance(a, tuple) and e.op in ("+", "-"):
            return a[0], a[1] + (b if e.op == "+" else -b) * size
        if e.op in ("==", "!="):
            return int(e.op == "!=")
        raise NotConstant

    def _logical(self, e: ast.Logical) -> Value:
        left = bool(self.value(e.left))
        if e.op == "&&":
            return int(left and bool(self.value(e.right)))
        return int(left or bool(self.value(e.right)))

    def _conditional(self, e: ast.Conditional) -> Any:
        return self.value(e.yes if self.value(e.condition) else e.no)

    def _comma(self, e: ast.Comma) -> Any:
        self.effect(e.left)
        return self.value(e.right)

    def effect(self, e: ast.Expr) -> None:
        if e.type.kind == "void" or e.type.scalar:
            self.value(e)
        else:
            self.place(e)

    def _cast(self, e: ast.Cast) -> Any:
        if e.kind == "void":
            self.effect(e.operand)
            return 0
        if e.kind == "decay":
            return self.place(e.operand)
        if e.kind in ("relabel", "move"):
            return self.load(e)
        value = self.value(e.operand)
        if isinstance(value, ast.Function):
            if e.type.kind == "bool":
                return 1
            if e.type.kind != "pointer":
                raise NotConstant
            return value
        if isinstance(value, tuple):
            if e.type.kind == "bool":
                return 1
            same = e.type.kind == "pointer" and e.operand.type.kind == "pointer"
            a, b = e.type.elem, e.operand.type.elem
            if not same or a is None or b is None:
                raise NotConstant
            if types.unqualified(a) is types.unqualified(b):
                return value
            return value[0], value[1] + _between(b.bare, a.bare)
        if e.type.kind == "member" and e.operand.type.kind == "member":
            shift = _between(e.type.params[0], e.operand.type.params[0])
            if shift and (e.type.size != 8 or not isinstance(value, int)):
                raise NotConstant
            return value + shift if shift and value != -1 else value
        return wrap(value, e.type)

    def _address_of(self, e: ast.AddressOf) -> Any:
        return self.place(e.operand)

    # -- constexpr functions

    def _builtin(self, e: ast.BuiltinCall) -> Any:
        # At the top it stands in code that may run: only within a function that is being evaluated is it known.
        if getattr(e.builtin, "name", "") == "__builtin_is_constant_evaluated" and self.depth:
            return 1
        if isinstance(e.builtin, Builtin) and e.builtin.name.startswith("__builtin_") and "constant:" in e.builtin.data:
            return named_number(e)
        raise NotConstant

    def _call(self, e: ast.Call) -> Any:
        if e.lvalue:
            return self.load(e)
        return self._run_call(e)

    def _function_address(self, e: ast.FunctionAddress) -> Any:
        if e.type.kind != "pointer":
            raise NotConstant
        return e.function

    def _indirect(self, e: ast.IndirectCall) -> Any:
        f = self.value(e.callee)
        if not isinstance(f, ast.Function) or e.this is not None:
            raise NotConstant
        return self._run_function(f, self._bind(f, e.args))

    def _statements(self, e: ast.StatementExpression) -> Any:
        self._run(e.block)
        return self.value(e.value) if e.value is not None else 0

    def _check_end(self, t: Type) -> None:
        """A temporary whose destructor does something is left to who runs it."""
        for _, f in types.destructors(t):
            if not f.constexpr or f.body is None or f.body.items:
                raise NotConstant

    def _end(self, down_to: int) -> None:
        """Run the destructors of what was declared since there were `down_to` objects."""
        while len(self.alive) > down_to:
            (base, offset), t = self.alive.pop()
            for at, f in types.destructors(t):
                holder = Object()
                holder.cells[0] = base, offset + at
                self._run_function(f, {id(f.this): (holder, 0)})

    def _bind(self, f: ast.Function, args: list[ast.Expr], backwards: bool = False) -> dict[int, Place]:
        if self.depth > 100:
            raise NotConstant
        frame: dict[int, Place] = {}
        pairs = list(zip(f.params, args, strict=False))
        for param, arg in pairs[::-1] if backwards else pairs:
            if param.type.kind == "reference":
                frame[id(param)] = self.place(arg)
            else:
                made = Object(), 0
                self.initialise(made, param.type, arg)
                frame[id(param)] = made
        return frame

    def _run_call(self, e: ast.Call) -> Any:
        f = e.function
        frame = self._bind(f, e.args, e.assigns) if e.assigns else {}
        holder = Object()
        if f.this is not None and e.this is not None:
            holder.cells[0] = place = self.place(e.this)
            if e.virtual:
                f, holder.cells[0] = _overrider(f, place)
        frame |= {} if e.assigns else self._bind(f, e.args)
        if f.this is not None:
            frame[id(f.this)] = holder, 0
        return self._run_function(f, frame)

    def _run_function(self, f: ast.Function, frame: dict[int, Place]) -> Any:
        if f.constexpr and f.body is None and f.reader is not None:
            f.reader(f)
        if not f.constexpr or f.body is None:
            raise NotConstant
        ret = f.type.elem
        assert ret is not None
        outer, self.frame = self.frame, frame
        self.depth += 1
        self.results.append(ret)
        try:
            self._run(f.body)
        except _Leave as leave:
            if leave.kind != "return":
                raise NotConstant from None
            return leave.value
        finally:
            self.results.pop()
            self.frame = outer
            self.depth -= 1
        if ret.kind == "void":
            return 0
        raise NotConstant

    def _returned(self, e: ast.Expr | None) -> Any:
        ret = self.results[-1]
        if e is None:
            return 0
        if ret.kind == "reference":
            return self.place(e)
        if ret.aggregate:
            made = Object(), 0
            self.initialise(made, ret, e)
            return made
        return self.value(e)

    def _construct(self, place: Place, f: ast.Function, args: list[ast.Expr]) -> None:
        if not f.constexpr or f.body is None:
            raise NotConstant
        frame = self._bind(f, args)
        holder = Object()
        holder.cells[0] = place
        frame[id(f.this)] = holder, 0
        outer, self.frame = self.frame, frame
        self.depth += 1
        self.results.append(types.VOID)
        base, offset = place
        try:
            for at, e in f.base_inits:
                self.initialise((base, offset + at), e.type, e)
            if f.record is not None:
                base.classes[offset] = f.record
            for field, e in f.inits:
                if field.bit_width:
                    base.cells[offset + start(field)] = kept(self.value(e), field)
                    continue
                self.initialise(
                    (base, offset + field.offset), field.type if field.type.kind != "reference" else e.type, e
                )
            self._run(f.body)
        except _Leave as leave:
            if leave.kind != "return":
                raise NotConstant from None
        finally:
            self.results.pop()
            self.frame = outer
            self.depth -= 1

    # What is assigned to is evaluated once, whether its value or its place is asked for.

    def _assign(self, e: ast.Assign) -> Any:
        return self._assigned(e)[1]

    def _assigned(self, e: ast.Assign) -> tuple[Place, Any]:
        made = Object(), 0
        self.initialise(made, e.type.bare, e.right)
        target = self.place(e.left)
        self._check_writable(target)
        if e.type.aggregate:
            self._copy(made, target, e.type)
            return target, 0
        value = made[0].cells[0]
        if isinstance(e.left, ast.Member):
            value = kept(value, e.left.field)
        target[0].cells[target[1]] = value
        return target, value

    def _check_writable(self, place: Place) -> None:
        if any(place[0] is s for s, _ in self.statics.values()):
            raise NotConstant

    def _store(self, place: Place, target: ast.Expr, value: Value) -> Value:
        self._check_writable(place)
        if not self.frame:
            raise NotConstant
        value = wrap(value, target.type)
        value = kept(value, target.field) if isinstance(target, ast.Member) else value
        place[0].cells[place[1]] = value
        return value

    def _moved(self, place: Place, old: Place, by: int, pointer: Type) -> Place:
        """The pointer at `place` goes `by` elements on."""
        assert pointer.elem is not None
        moved = old[0], old[1] + by * pointer.elem.size
        place[0].cells[place[1]] = moved
        return moved

    def _compound(self, e: ast.CompoundAssign) -> Any:
        return self._compounded(e)[1]

    def _compounded(self, e: ast.CompoundAssign) -> tuple[Place, Any]:
        right = self.value(e.right)
        place = self.place(e.left)
        old = self._loaded(place, e.left)
        if isinstance(old, tuple):
            return place, self._moved(place, old, right if e.op == "+" else -right, e.left.type)
        return place, self._store(place, e.left, compute(e.op, wrap(old, e.common), right, e.common))

    def _step(self, e: ast.Step) -> Any:
        return self._stepped(e)[1]

    def _stepped(self, e: ast.Step) -> tuple[Place, Any]:
        place = self.place(e.operand)
        old = self._loaded(place, e.operand)
        by = 1 if e.op == "++" else -1
        if isinstance(old, tuple):
            new: Any = self._moved(place, old, by, e.operand.type)
        else:
            new = self._store(place, e.operand, old + by)
        return place, new if e.prefix else old

    # -- statements

    def _run(self, s: ast.Stmt) -> None:
        self.count()
        if isinstance(s, ast.Block):
            self._block(s)
        elif isinstance(s, ast.ExprStmt):
            self.effect(s.value)
        elif isinstance(s, ast.DeclStmt):
            for v in s.variables:
                self._declare(v)
        elif isinstance(s, ast.If):
            if self.value(s.condition):
                self._run(s.then)
            elif s.other is not None:
                self._run(s.other)
        elif isinstance(s, ast.Return):
            raise _Leave("return", self._returned(s.value))
        elif isinstance(s, ast.Jump):
            raise _Leave(s.kind)
        elif isinstance(s, ast.Loop):
            self._loop(s)
        elif isinstance(s, ast.Switch):
            self._switch(s)
        else:
            raise NotConstant

    def _block(self, s: ast.Block) -> None:
        before = len(self.alive)
        left: _Leave | None = None
        try:
            for item in s.items:
                self._run(item)
        except _Leave as leave:
            left = leave
        if s.end is not None:
            self._end(before)
        if left is not None:
            raise left

    def _declare(self, v: ast.Variable) -> None:
        if v.storage in ("reference", "alias") and v.init is not None:
            self.frame[id(v)] = self.place(v.init)
            return
        if v.storage != "local":
            raise NotConstant
        made = self.frame[id(v)] = Object(size=v.type.size), 0
        if v.init is not None:
            self.initialise(made, v.type, v.init)
        if types.destructors(v.type):
            self.alive.append((made, v.type))

    def _switch(self, s: ast.Switch) -> None:
        value = self.value(s.condition)
        chosen = s.default
        for case in s.cases:
            if case.low is not None and case.high is not None and case.low <= value <= case.high:
                chosen = case
        items: list[ast.Stmt] = []
        work = [s.body]
        while work:
            item = work.pop()
            if isinstance(item, ast.Block):
                work += item.items[::-1]
            else:
                items.append(item)
        if chosen is None:
            return
        for item in items[items.index(chosen) :] if chosen in items else ():
            if isinstance(item, ast.Case):
                continue
            try:
                self._run(item)
            except _Leave as leave:
                if leave.kind == "break":
                    return
                raise

    def _loop(self, s: ast.Loop) -> None:
        first, before = s.kind == "do", len(self.alive)
        goes_on = True
        while goes_on:
            if not first:
                if s.declared is not None:
                    self._run(s.declared)
                if s.condition is not None and not self.value(s.condition):
                    break
            first = False
            try:
                self._run(s.body)
            except _Leave as leave:
                if leave.kind == "return":
                    raise
                goes_on = leave.kind == "continue"
            if goes_on and s.step is not None:
                self.effect(s.step)
            self._end(before)
        self._end(before)


def _overrider(f: ast.Function, place: Place) -> tuple[ast.Function, Place]:
    """What a call of the virtual function `f` calls for the object of its class at a place, and with which object."""
    base, offset = place
    assert f.record is not None
    for at, t in sorted(base.classes.items(), key=lambda made: -made[1].size):
        for where, slots in t.record.tables if t.record is not None else ():
            if at + where != offset or types.base_offset(t, f.record) != where:
                continue
            found = slots[virtuals.index(f)].function
            if found is None or found.record is None:
                break
            return found, (base, at + (types.base_offset(t, found.record) or 0))
    raise NotConstant


_METHODS: dict[type, Callable[[Evaluator, Any], Any]] = {
    ast.Number: Evaluator._number, ast.Zero: Evaluator._zero, ast.Name: Evaluator.load, ast.Unary: Evaluator._unary,
    ast.Binary: Evaluator._binary, ast.Logical: Evaluator._logical, ast.Conditional: Evaluator._conditional,
    ast.Comma: Evaluator._comma, ast.Cast: Evaluator._cast, ast.Call: Evaluator._call, ast.Assign: Evaluator._assign,
    ast.CompoundAssign: Evaluator._compound, ast.Step: Evaluator._step, ast.Deref: Evaluator.load,
    ast.BuiltinCall: Evaluator._builtin, ast.FunctionAddress: Evaluator._function_address,
    ast.IndirectCall: Evaluator._indirect, ast.StatementExpression: Evaluator._statements,
    ast.Member: Evaluator.load, ast.Temporary: Evaluator.load, ast.AddressOf: Evaluator._address_of,
}  # fmt: skip
