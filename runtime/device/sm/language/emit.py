"""From a function of the engine's language (see `lang`) to LLVM IR.

An `Emitter` walks the syntax tree and writes as it goes: every variable is a stack slot, which LLVM makes a register.
The kinds of variables are found by writing the function until they no longer change, twice or three times.
"""

from __future__ import annotations

import ast
import operator
import struct
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from runtime.device.sm.language.lang import (
    BOOL,
    F64,
    I64,
    LIST,
    LLVM,
    SELDOM,
    U32,
    U64,
    UNSIGNED,
    VOID,
    Function,
    Macro,
    Primitive,
    Program,
    Value,
    join,
    seldom,
)
from runtime.device.sm.tables.table import Table

UNROLLED = 4
"""Up to so many turns of a loop are written one after another: LLVM leaves loops of prefetches as they are."""
_NOTHING = object()
_ELEMENT = {"int64": "i64", "int32": "i32", "uint32": "i32", "uint16": "i16"}
"""Types of the elements of tables."""


def function_text(program: Program, function: Function) -> str:
    """The IR of a function: made until the kinds of its variables are known."""
    kinds: dict[str, str] = {}
    while True:
        emitter = Emitter(program, function, kinds)
        text = emitter.run()
        if emitter.found == kinds:
            return text
        kinds = emitter.found


_COMPARE = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}
_ARITHMETIC = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"}
_FOLD: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.BitAnd: lambda a, b: a & b, ast.BitOr: lambda a, b: a | b, ast.BitXor: lambda a, b: a ^ b,
    ast.LShift: lambda a, b: a << b, ast.RShift: lambda a, b: a >> b,
    ast.FloorDiv: lambda a, b: a // b, ast.Mod: lambda a, b: a % b, ast.Div: lambda a, b: a / b,
}  # fmt: skip


class Emitter:
    """One function on its way to IR. `kinds`: of its variables, as the run before found them."""

    def __init__(self, program: Program, function: Function, kinds: dict[str, str]) -> None:
        self.program, self.function, self.kinds = program, function, kinds
        self.found: dict[str, str] = {}
        self.names = function.python.__globals__
        self.lines: list[str] = []
        self.count = 0
        self.dead = False
        self.loops: list[tuple[str, str]] = []
        self.tables: dict[str, Table] = {}
        self.place = function.python.__name__

    # ---- text

    def fail(self, node: ast.AST, what: str) -> NoReturn:
        """Nothing of the sort is in the language."""
        raise TypeError(f"{self.function.name}, line {getattr(node, 'lineno', 0)}: {what}")

    def line(self, text: str) -> None:
        if not self.dead:
            self.lines.append("  " + text)

    def new(self, text: str) -> str:
        self.count += 1
        self.line(f"%.{self.count} = {text}")
        return f"%.{self.count}"

    def label(self) -> str:
        self.count += 1
        return f".b{self.count}"

    def begin(self, label: str) -> None:
        self.dead = False
        self.lines.append(f"{label}:")

    def jump(self, label: str) -> None:
        self.line(f"br label %{label}")
        self.dead = True

    def run(self) -> str:
        node, function = self.function.node(), self.function
        self.locals = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        for name, kind in function.parameters:
            self.locals.add(name)
            self.assign(name, Value(f"%{name}", kind))
        self.block(node.body)
        if not self.dead:
            self.line("ret void" if function.result == VOID else f"ret {LLVM[function.result]} 0")
        slots = [f"  %{name}.slot = alloca {LLVM[kind]}" for name, kind in sorted(self.found.items())]
        return "\n".join([function.header() + " {", ".entry:", *slots, *self.opened(), *self.lines, "}", ""])

    def opened(self) -> list[str]:
        """Loads of the pointers of the tables that were named, and of row lengths."""
        lines = []
        for name, table in self.tables.items():
            for k, (end, kind) in enumerate([("", "ptr"), (".stride", "i64")][: 1 + table.open]):
                at = f"  %{name}{end}.at = getelementptr i64, ptr {LIST}, i64 {2 * table.number + k}"
                lines += [at, f"  %{name}{end} = load {kind}, ptr %{name}{end}.at, !invariant.load !2"]
        return lines

    # ---- variables

    def assign(self, name: str, value: Value) -> None:
        """Put a value into a variable, whose kind widens if need be."""
        kind = join(self.found.get(name, value.kind), value.kind)
        self.found[name] = kind
        whole = join(self.kinds.get(name, kind), kind)
        self.found[name] = join(self.found[name], whole)
        self.line(f"store {LLVM[whole]} {self.cast(value, whole)}, ptr %{name}.slot")

    def variable(self, name: str) -> Value:
        kind = self.kinds.get(name) or self.found.get(name) or I64
        return Value(self.new(f"load {LLVM[kind]}, ptr %{name}.slot"), kind)

    # ---- values

    def constant(self, number: float, kind: str = I64) -> Value:
        if isinstance(number, bool):
            return Value("true" if number else "false", BOOL, int(number))
        if isinstance(number, float):
            return Value("0x" + struct.pack(">d", number).hex().upper(), F64, number)
        bits = 32 if kind == U32 else 64
        number &= (1 << bits) - 1
        if kind == I64 and number >> 63:
            number -= 1 << 64
        return Value(str(number), kind, number)

    def cast(self, value: Value, kind: str) -> str:
        """The operand as another kind."""
        if value.kind == kind:
            return value.text
        if value.constant is not None:
            if kind == BOOL:
                return "true" if value.constant else "false"
            return self.constant(float(value.constant) if kind == F64 else int(value.constant), kind).text
        if kind == F64:
            signed = value.kind == I64
            return self.new(f"{'si' if signed else 'ui'}tofp {LLVM[value.kind]} {value.text} to double")
        if value.kind == F64:
            if kind == BOOL:
                return self.new(f"fcmp une double {value.text}, 0.0")
            return self.new(f"fptosi double {value.text} to {LLVM[kind]}")
        if kind == BOOL:
            return self.new(f"icmp ne {LLVM[value.kind]} {value.text}, 0")
        a, b = LLVM[value.kind], LLVM[kind]
        if a == b:
            return value.text
        widens = int(a[1:]) < int(b[1:])
        return self.new(f"{'zext' if widens else 'trunc'} {a} {value.text} to {b}")

    def static(self, node: ast.expr) -> Any:
        """The Python object that a name outside of the function means."""
        if isinstance(node, ast.Name) and node.id not in self.locals:
            if node.id in self.names:
                return self.names[node.id]
            return {"max": max, "min": min, "range": range}.get(node.id, _NOTHING)
        if isinstance(node, ast.Attribute):
            base = self.static(node.value)
            return getattr(base, node.attr, _NOTHING) if base is not _NOTHING else _NOTHING
        return _NOTHING

    def value(self, node: ast.expr) -> Value:
        """Evaluate an expression."""
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return self.constant(node.value)
        if isinstance(node, ast.Name | ast.Attribute):
            if isinstance(node, ast.Name) and node.id in self.locals:
                return self.variable(node.id)
            thing = self.static(node)
            if isinstance(thing, int | float):
                return self.constant(thing)
            self.fail(node, f"{ast.unparse(node)} is no number")
        if isinstance(node, ast.BinOp):
            return self.binary(node, node.op, self.value(node.left), self.value(node.right))
        if isinstance(node, ast.UnaryOp):
            return self.unary(node)
        if isinstance(node, ast.Compare):
            return self.compare(node)
        if isinstance(node, ast.Subscript):
            table = self.table(node.value)
            return self.load(table, self.element(table, node.slice))
        if isinstance(node, ast.Call):
            result = self.call(node)
            if not isinstance(result, Value):
                self.fail(node, "nothing is returned")
            return result
        if isinstance(node, ast.IfExp | ast.BoolOp):
            return self.choice(node)
        self.fail(node, type(node).__name__)

    def choice(self, node: ast.IfExp | ast.BoolOp) -> Value:
        """A value that depends on a condition: kept in a variable of its own."""
        name = f".{node.lineno}.{node.col_offset}"
        if isinstance(node, ast.IfExp):
            known = self.known(node.test)
            if known is not None:
                return self.value(node.body if known else node.orelse)
            yes, no, end = self.label(), self.label(), self.label()
            self.branch(node.test, yes, no)
            for label, part in ((yes, node.body), (no, node.orelse)):
                self.begin(label)
                self.assign(name, self.value(part))
                self.jump(end)
        else:
            end = self.label()
            for k, part in enumerate(node.values):
                value = self.value(part)
                self.assign(name, value)
                if k < len(node.values) - 1:
                    on = self.label()
                    yes, no = (on, end) if isinstance(node.op, ast.And) else (end, on)
                    self.line(f"br i1 {self.cast(value, BOOL)}, label %{yes}, label %{no}")
                    self.begin(on)
            self.jump(end)
        self.begin(end)
        return self.variable(name)

    def binary(self, node: ast.AST, op: ast.operator, a: Value, b: Value) -> Value:
        """Arithmetic."""
        if F64 in (a.kind, b.kind) or isinstance(op, ast.Div):
            return self.floating(node, op, a, b)
        if a.kind == b.kind == BOOL and isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor):
            kind = BOOL
        elif isinstance(op, ast.LShift | ast.RShift):
            kind = U64 if a.kind in UNSIGNED else I64
        else:
            kind = U64 if a.kind in UNSIGNED and b.kind in UNSIGNED else I64
        if a.constant is not None and b.constant is not None:
            return self.constant(_FOLD[type(op)](a.constant, b.constant), kind)
        x, y = self.cast(a, kind), self.cast(b, kind)
        if type(op) in _ARITHMETIC:
            return Value(self.new(f"{_ARITHMETIC[type(op)]} {LLVM[kind]} {x}, {y}"), kind)
        if isinstance(op, ast.LShift):
            return Value(self.new(f"shl i64 {x}, {y}"), kind)
        if isinstance(op, ast.RShift):
            return Value(self.new(f"{'ashr' if kind == I64 else 'lshr'} i64 {x}, {y}"), kind)
        if isinstance(op, ast.FloorDiv | ast.Mod):
            return Value(self.divide(isinstance(op, ast.Mod), kind, x, y, b.constant), kind)
        self.fail(node, type(op).__name__)

    def divide(self, rest: bool, kind: str, x: str, y: str, by: float | None) -> str:
        """Division that rounds down, or what it leaves."""
        if kind == U64:
            return self.new(f"{'urem' if rest else 'udiv'} i64 {x}, {y}")
        if isinstance(by, int) and by > 0 and by & (by - 1) == 0:
            return self.new(f"and i64 {x}, {by - 1}" if rest else f"ashr i64 {x}, {by.bit_length() - 1}")
        left = self.new(f"srem i64 {x}, {y}")
        wrong = self.new(f"icmp slt i64 {self.new(f'xor i64 {left}, {y}')}, 0")
        some = self.new(f"icmp ne i64 {left}, 0")
        below = self.new(f"and i1 {wrong}, {some}")
        if rest:
            return self.new(f"add i64 {left}, {self.new(f'select i1 {below}, i64 {y}, i64 0')}")
        return self.new(f"add i64 {self.new(f'sdiv i64 {x}, {y}')}, {self.new(f'sext i1 {below} to i64')}")

    def floating(self, node: ast.AST, op: ast.operator, a: Value, b: Value) -> Value:
        names = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
        if type(op) not in names:
            self.fail(node, type(op).__name__)
        return Value(self.new(f"{names[type(op)]} double {self.cast(a, F64)}, {self.cast(b, F64)}"), F64)

    def unary(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return Value(self.new(f"xor i1 {self.cast(self.value(node.operand), BOOL)}, true"), BOOL)
        a = self.value(node.operand)
        if a.kind == F64:
            return Value(self.new(f"fneg double {a.text}"), F64)
        kind = U64 if a.kind in UNSIGNED else I64
        if a.constant is not None:
            return self.constant(-a.constant if isinstance(node.op, ast.USub) else ~int(a.constant), kind)
        x = self.cast(a, kind)
        return Value(self.new(f"sub i64 0, {x}" if isinstance(node.op, ast.USub) else f"xor i64 {x}, -1"), kind)

    def compare(self, node: ast.Compare) -> Value:
        if len(node.ops) != 1:
            self.fail(node, "a chain of comparisons")
        a, b = self.value(node.left), self.value(node.comparators[0])
        how = _COMPARE[type(node.ops[0])]
        if F64 in (a.kind, b.kind):
            ordered = "une" if how == "ne" else "o" + how
            return Value(self.new(f"fcmp {ordered} double {self.cast(a, F64)}, {self.cast(b, F64)}"), BOOL)
        if a.constant is not None and b.constant is not None:
            return self.constant(getattr(operator, how)(a.constant, b.constant))
        kinds = {a.kind, b.kind}
        if kinds == {U64, I64}:
            signed = a if a.kind == I64 else b
            if signed.constant is None or signed.constant < 0:
                self.fail(node, "int64 and uint64 compared")
            kind = U64
        else:
            kind = U32 if kinds == {U32} else BOOL if kinds == {BOOL} else U64 if U64 in kinds else I64
        sign = "" if how in ("eq", "ne") else "u" if kind in UNSIGNED else "s"
        return Value(self.new(f"icmp {sign}{how} {LLVM[kind]} {self.cast(a, kind)}, {self.cast(b, kind)}"), BOOL)

    # ---- tables

    def table(self, node: ast.expr) -> Table:
        """The table that an expression names."""
        found = self.static(node)
        if not isinstance(found, Table):
            self.fail(node, f"{ast.unparse(node)} is no table")
        self.tables[found.name] = found
        return found

    def row_length(self, table: Table) -> str:
        """Row length of a table, where it is only known at run time."""
        return f"%{table.name}.stride"

    def element(self, table: Table, index: ast.expr) -> str:
        """Pointer to an element."""
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        offset: Value | None = None
        for k, part in enumerate(parts):
            number = self.value(part)
            number = Value(self.cast(number, I64), I64, number.constant)
            if offset is None:
                offset = number
                continue
            row = Value(self.row_length(table), I64) if table.open else self.constant(table.rows[k - 1])
            if offset.constant is not None and row.constant is not None:
                offset = self.constant(int(offset.constant) * int(row.constant))
            else:
                offset = Value(self.new(f"mul nsw i64 {offset.text}, {row.text}"), I64)
            if offset.constant is not None and number.constant is not None:
                offset = self.constant(int(offset.constant) + int(number.constant))
            elif number.constant != 0:
                offset = Value(self.new(f"add nsw i64 {offset.text}, {number.text}"), I64)
        assert offset is not None
        return self.new(f"getelementptr inbounds {_ELEMENT[table.kind]}, ptr %{table.name}, i64 {offset.text}")

    def load(self, table: Table, pointer: str) -> Value:
        kind = _ELEMENT[table.kind]
        text = self.new(f"load {kind}, ptr {pointer}{self.program.access(table)}")
        if kind != "i64":
            text = self.new(f"{'s' if table.kind == 'int32' else 'z'}ext {kind} {text} to i64")
        return Value(text, I64)

    def store(self, table: Table, pointer: str, value: Value) -> None:
        kind, text = _ELEMENT[table.kind], self.cast(value, I64)
        if kind != "i64":
            text = self.new(f"trunc i64 {text} to {kind}")
        self.line(f"store {kind} {text}, ptr {pointer}{self.program.access(table)}")

    # ---- calls

    def call(self, node: ast.Call) -> Value | None:
        """A call: its value, if it has one."""
        callee = self.static(node.func)
        if isinstance(callee, Macro):
            return callee.expand(self, node.args)
        if isinstance(callee, type) and callee.__name__ in (U32, U64, I64, F64):
            value = self.value(node.args[0])
            known = int(value.constant) if isinstance(value.constant, int) and callee.__name__ != F64 else None
            if known is not None:
                return self.constant(known, callee.__name__)
            return Value(self.cast(value, callee.__name__), callee.__name__)
        if callee in (max, min):
            a, b = (self.value(argument) for argument in node.args)
            kind = join(a.kind, b.kind)
            x, y = self.cast(a, kind), self.cast(b, kind)
            first = self.new(f"icmp s{'g' if callee is max else 'l'}t {LLVM[kind]} {x}, {y}")
            return Value(self.new(f"select i1 {first}, {LLVM[kind]} {x}, {LLVM[kind]} {y}"), kind)
        if isinstance(callee, Primitive):
            words = [
                f"{LLVM[kind]} {self.cast(self.value(argument), kind)}"
                for kind, argument in zip(callee.kinds, node.args, strict=True)
            ]
            name, convention = callee.name, ""
        elif isinstance(callee, Function):
            words = [
                f"{LLVM[kind]} {self.cast(self.value(argument), kind)}"
                for (_, kind), argument in zip(callee.parameters, node.args, strict=True)
            ]
            words.append(f"ptr {LIST}")
            name, convention = f'"{callee.name}"', callee.convention
        else:
            self.fail(node, f"{ast.unparse(node.func)} cannot be called")
        self.program.need(callee)
        text = f"call {convention}{LLVM[callee.result]} @{name}({', '.join(words)})"
        if callee.result == VOID:
            self.line(text)
            return None
        return Value(self.new(text), callee.result)

    # ---- conditions

    def known(self, node: ast.expr) -> bool | None:
        """The truth of a condition that does not depend on the run."""
        thing = self.static(node)
        if isinstance(thing, int):
            return bool(thing)
        if isinstance(node, ast.Constant):
            return bool(node.value)
        return None

    def branch(self, node: ast.expr, yes: str, no: str) -> None:
        """Go to one of two labels."""
        known = self.known(node)
        if known is not None:
            self.jump(yes if known else no)
        elif isinstance(node, ast.BoolOp):
            for part in node.values[:-1]:
                on = self.label()
                both = isinstance(node.op, ast.And)
                self.branch(part, on if both else yes, no if both else on)
                self.begin(on)
            self.branch(node.values[-1], yes, no)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.branch(node.operand, no, yes)
        else:
            weights = ""
            if isinstance(node, ast.Call) and self.static(node.func) is seldom:
                node, weights = node.args[0], SELDOM
            self.line(f"br i1 {self.cast(self.value(node), BOOL)}, label %{yes}, label %{no}{weights}")
            self.dead = True

    # ---- statements

    def block(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            if self.dead:
                return
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Expr):
            if isinstance(node.value, ast.Call):
                self.call(node.value)
        elif isinstance(node, ast.Assign):
            self.assignment(node)
        elif isinstance(node, ast.AugAssign):
            self.update(node)
        elif isinstance(node, ast.If):
            self.condition(node)
        elif isinstance(node, ast.While):
            self.while_(node)
        elif isinstance(node, ast.For):
            self.for_(node)
        elif isinstance(node, ast.Return):
            result = self.function.result
            if node.value is None or result == VOID:
                self.line("ret void")
            else:
                self.line(f"ret {LLVM[result]} {self.cast(self.value(node.value), result)}")
            self.dead = True
        elif isinstance(node, ast.Break | ast.Continue):
            self.jump(self.loops[-1][isinstance(node, ast.Break)])
        elif not isinstance(node, ast.Pass):
            self.fail(node, type(node).__name__)

    def assignment(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.assign(target.id, value)
            elif isinstance(target, ast.Subscript):
                table = self.table(target.value)
                self.store(table, self.element(table, target.slice), value)
            else:
                self.fail(target, "assigned to")

    def update(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            value = self.binary(node, node.op, self.variable(node.target.id), self.value(node.value))
            self.assign(node.target.id, value)
        elif isinstance(node.target, ast.Subscript):
            table = self.table(node.target.value)
            pointer = self.element(table, node.target.slice)
            change = self.value(node.value)
            self.store(table, pointer, self.binary(node, node.op, self.load(table, pointer), change))
        else:
            self.fail(node, "assigned to")

    def condition(self, node: ast.If) -> None:
        known = self.known(node.test)
        if known is not None:
            self.block(node.body if known else node.orelse)
            return
        yes, end = self.label(), self.label()
        no = self.label() if node.orelse else end
        self.branch(node.test, yes, no)
        self.begin(yes)
        self.block(node.body)
        falls = not self.dead or not node.orelse
        if not self.dead:
            self.jump(end)
        if node.orelse:
            self.begin(no)
            self.block(node.orelse)
            falls = falls or not self.dead
            if not self.dead:
                self.jump(end)
        if falls:
            self.begin(end)

    def while_(self, node: ast.While) -> None:
        test, body, end = self.label(), self.label(), self.label()
        self.jump(test)
        self.begin(test)
        self.branch(node.test, body, end)
        self.begin(body)
        self.round(node, test, end)
        self.begin(end)

    def round(self, node: ast.For | ast.While, on: str, end: str) -> None:
        """A loop's body, which goes on at `on` and is left for `end`."""
        self.loops.append((on, end))
        self.block(node.body)
        self.loops.pop()
        if not self.dead:
            self.jump(on)

    def unrolled(self, node: ast.For, values: list[Value]) -> None:
        """A loop's body, once for each value of its variable."""
        assert isinstance(node.target, ast.Name)
        end = self.label()
        for value in values:
            on = self.label()
            self.assign(node.target.id, value)
            self.round(node, on, end)
            self.begin(on)
        self.jump(end)
        self.begin(end)

    def for_(self, node: ast.For) -> None:
        assert isinstance(node.target, ast.Name)
        if isinstance(node.iter, ast.Tuple):
            self.unrolled(node, [self.value(part) for part in node.iter.elts])
            return
        assert isinstance(node.iter, ast.Call) and self.static(node.iter.func) is range
        numbers = [self.value(argument) for argument in node.iter.args]
        step = numbers[2] if len(numbers) > 2 else self.constant(1)
        if step.constant is not None and step.constant <= 0:
            self.fail(node, "a step that is not positive")
        bounds = [int(n.constant) for n in numbers if n.constant is not None]
        known = range(*bounds) if len(bounds) == len(numbers) else None
        if known is not None and len(known) <= UNROLLED:
            self.unrolled(node, [self.constant(n) for n in known])
            return
        first = numbers[0] if len(numbers) > 1 else self.constant(0)
        last = self.cast(numbers[1] if len(numbers) > 1 else numbers[0], I64)
        step = Value(self.cast(step, I64), I64)
        counter = f".for.{node.lineno}"
        self.assign(counter, Value(self.cast(first, I64), I64))
        test, body, on, end = self.label(), self.label(), self.label(), self.label()
        self.jump(test)
        self.begin(test)
        at = self.variable(counter)
        self.line(f"br i1 {self.new(f'icmp slt i64 {at.text}, {last}')}, label %{body}, label %{end}")
        self.begin(body)
        self.assign(node.target.id, at)
        self.round(node, on, end)
        self.begin(on)
        self.assign(counter, Value(self.new(f"add nsw i64 {self.variable(counter).text}, {step.text}"), I64))
        self.jump(test)
        self.begin(end)
