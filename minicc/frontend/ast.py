"""The typed syntax tree: what the parser's semantic actions build and the emitter walks.

Every expression knows its type (never a reference), its token (for messages and line tables) and whether it is an
lvalue. Conversions are explicit `Cast` nodes, save that reading an lvalue needs none. Aggregates are values too; the
emitter keeps them in memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from minicc.frontend.entities import (
    Asked,
    ClassTemplate,
    Function,
    FunctionTemplate,
    Outline,
    Partial,
    Scope,
    StandInVariable,
    TemplateParam,
    UnreadVariable,
    Variable,
    both_befriended,
)  # fmt: skip
from minicc.frontend.tokens import Token
from minicc.frontend.types import Field, Type

__all__ = [
    "Asked", "ClassTemplate", "Function", "FunctionTemplate", "Outline", "Partial", "Scope", "StandInVariable",
    "TemplateParam", "UnreadVariable", "Variable", "both_befriended",
]  # fmt: skip
"""Known here, too; the tree's own classes stand below."""

# -- expressions


class Expr:
    __slots__ = ("at", "lvalue", "type")

    def __init__(self, type: Type, at: Token, *, lvalue: bool = False) -> None:
        self.type = type
        self.at = at
        self.lvalue = lvalue


class Number(Expr):
    """An arithmetic, enumeration or null-pointer constant."""

    __slots__ = ("value",)

    def __init__(self, type: Type, at: Token, value: int | float, *, lvalue: bool = False) -> None:
        self.type = type
        self.at = at
        self.value = value
        self.lvalue = lvalue


class Text(Expr):
    """A string literal: its code units with the zero behind them, as bytes."""

    __slots__ = ("data",)

    def __init__(self, type: Type, at: Token, data: bytes, *, lvalue: bool = False) -> None:
        self.type = type
        self.at = at
        self.data = data
        self.lvalue = lvalue

    def units(self, target: Type) -> Iterator[int]:
        """The values of the characters that an array of type `target` has room for."""
        element = self.type.elem
        assert element is not None
        for at in range(0, min(len(self.data), max(target.size, 0)), element.size):
            yield int.from_bytes(self.data[at : at + element.size], "little", signed=element.signed)


class Name(Expr):
    __slots__ = ("variable",)

    def __init__(self, type: Type, at: Token, variable: Variable, *, lvalue: bool = False) -> None:
        self.type = type
        self.at = at
        self.variable = variable
        self.lvalue = lvalue


class Overloads(Expr):
    """A function's name, or a member function's with its object; `direct`: qualified, so no virtual call, and no other
    functions by the arguments' classes."""

    __slots__ = ("args", "base", "direct", "functions", "name")

    def __init__(
        self,
        type: Type,
        at: Token,
        name: str,
        functions: list[object],
        args: list[object] | None = None,
        base: Expr | None = None,
        *,
        lvalue: bool = False,
    ) -> None:
        self.type = type
        self.at = at
        self.name = name
        self.functions = functions
        self.args = args
        self.base = base
        self.direct = False
        self.lvalue = lvalue


class Unary(Expr):
    __slots__ = ("op", "operand")

    def __init__(self, type: Type, at: Token, op: str, operand: Expr, *, lvalue: bool = False) -> None:
        self.type = type
        self.at = at
        self.op = op
        self.operand = operand
        self.lvalue = lvalue


class Deref(Expr):
    __slots__ = ("operand",)

    def __init__(self, type: Type, at: Token, operand: Expr, *, lvalue: bool = False) -> None:
        self.type = type
        self.at = at
        self.operand = operand
        self.lvalue = lvalue


class AddressOf(Expr):
    __slots__ = ("operand",)

    def __init__(self, type: Type, at: Token, operand: Expr, *, lvalue: bool = False) -> None:
        self.type = type
        self.at = at
        self.operand = operand
        self.lvalue = lvalue


class Step(Expr):
    __slots__ = ("op", "operand", "prefix")

    def __init__(self, type: Type, at: Token, op: str, prefix: bool, operand: Expr, *, lvalue: bool = False) -> None:
        self.type = type
        self.at = at
        self.op = op
        self.prefix = prefix
        self.operand = operand
        self.lvalue = lvalue


class Binary(Expr):
    """Operands are converted already. Pointer arithmetic: "+" with a pointer left and integer right, "-" of two pointers."""  # noqa: E501

    __slots__ = ("left", "op", "right")

    def __init__(self, type: Type, at: Token, op: str, left: Expr, right: Expr, *, lvalue: bool = False) -> None:
        self.type = type
        self.at = at
        self.op = op
        self.left = left
        self.right = right
        self.lvalue = lvalue


class Logical(Expr):
    __slots__ = ("left", "op", "right")

    def __init__(self, type: Type, at: Token, op: str, left: Expr, right: Expr, *, lvalue: bool = False) -> None:
        self.type = type
        self.at = at
        self.op = op
        self.left = left
        self.right = right
        self.lvalue = lvalue


class Assign(Expr):
    __slots__ = ("left", "right")

    def __init__(self, type: Type, at: Token, left: Expr, right: Expr, *, lvalue: bool = False) -> None:
        self.type = type
        self.at = at
        self.left = left
        self.right = right
        self.lvalue = lvalue


class CompoundAssign(Expr):
    __slots__ = ("common", "left", "op", "right")

    def __init__(
        self, type: Type, at: Token, op: str, left: Expr, right: Expr, common: Type, *, lvalue: bool = False
    ) -> None:
        self.type = type
        self.at = at
        self.op = op
        self.left = left
        self.right = right
        self.common = common
        self.lvalue = lvalue


class Conditional(Expr):
    __slots__ = ("condition", "no", "yes")

    def __init__(self, type: Type, at: Token, condition: Expr, yes: Expr, no: Expr, *, lvalue: bool = False) -> None:
        self.type = type
        self.at = at
        self.condition = condition
        self.yes = yes
        self.no = no
        self.lvalue = lvalue


class Comma(Expr):
    __slots__ = ("left", "right")

    def __init__(self, type: Type, at: Token, left: Expr, right: Expr, *, lvalue: bool = False) -> None:
        self.type = type
        self.at = at
        self.left = left
        self.right = right
        self.lvalue = lvalue


class Cast(Expr):
    """`kind`: convert (values of arithmetic, enumeration, pointer types), decay (array to pointer), void, relabel (an lvalue
    of one type used as an lvalue of another)."""  # noqa: E501

    __slots__ = ("kind", "operand")

    def __init__(self, type: Type, at: Token, kind: str, operand: Expr, *, lvalue: bool = False) -> None:
        self.type = type
        self.at = at
        self.kind = kind
        self.operand = operand
        self.lvalue = lvalue


class Member(Expr):
    __slots__ = ("base", "field")

    def __init__(self, type: Type, at: Token, base: Expr, field: Field, *, lvalue: bool = False) -> None:
        self.type = type
        self.at = at
        self.base = base
        self.field = field
        self.lvalue = lvalue


class Call(Expr):
    """`virtual`: the function is looked up in the object's virtual table; `assigns`: an assignment is written so, whose
    right side comes first ([expr.assign])."""

    __slots__ = ("args", "assigns", "function", "this", "virtual")

    def __init__(
        self,
        type: Type,
        at: Token,
        function: Function,
        args: list[Expr],
        this: Expr | None = None,
        *,
        lvalue: bool = False,
        virtual: bool = False,
    ) -> None:
        self.type = type
        self.at = at
        self.function = function
        self.args = args
        self.this = this
        self.virtual = virtual
        self.assigns = False
        self.lvalue = lvalue


class FunctionAddress(Expr):
    """A pointer to a function."""

    __slots__ = ("function",)

    def __init__(self, type: Type, at: Token, function: Function, *, lvalue: bool = False) -> None:
        self.type = type
        self.at = at
        self.function = function
        self.lvalue = lvalue


class IndirectCall(Expr):
    """A call through `callee`, a pointer to a function; or of a member function of `this`, through a pointer to it."""

    __slots__ = ("args", "callee", "this")

    def __init__(
        self, type: Type, at: Token, callee: Expr, args: list[Expr], this: Expr | None = None, *, lvalue: bool = False
    ) -> None:
        self.type = type
        self.at = at
        self.callee = callee
        self.args = args
        self.this = this
        self.lvalue = lvalue


class BoundMember(Expr):
    """`object.*pointer` where that points to a member function: it can only be called."""

    __slots__ = ("base", "pointer")

    def __init__(self, type: Type, at: Token, base: Expr, pointer: Expr) -> None:
        self.type = type
        self.at = at
        self.lvalue = False
        self.base = base
        self.pointer = pointer


class BuiltinCall(Expr):
    __slots__ = ("args", "builtin")

    def __init__(self, type: Type, at: Token, builtin: object, args: list[Expr], *, lvalue: bool = False) -> None:
        self.type = type
        self.at = at
        self.builtin = builtin
        self.args = args
        self.lvalue = lvalue


class Init(Expr):
    """A braced list laid over an aggregate: (byte offset, field if a bit-field, expression); the rest is zero."""

    __slots__ = ("parts",)

    def __init__(
        self, type: Type, at: Token, parts: list[tuple[int, Field | None, Expr]], *, lvalue: bool = False
    ) -> None:
        self.type = type
        self.at = at
        self.parts = parts
        self.lvalue = lvalue


class Here(Expr):
    """A part of a list that has no value: from here on `variable`, a reference, is the object made at its offset."""

    __slots__ = ("variable",)

    def __init__(self, type: Type, at: Token, variable: Variable) -> None:
        self.type = type
        self.at = at
        self.variable = variable
        self.lvalue = False


class Zero(Expr):
    """T() and {}: zero of any type."""

    __slots__ = ()


class Construct(Expr):
    __slots__ = ("args", "function", "zero_first")

    def __init__(
        self,
        type: Type,
        at: Token,
        function: Function,
        args: list[Expr],
        zero_first: bool = False,
        *,
        lvalue: bool = False,
    ) -> None:
        self.type = type
        self.at = at
        self.function = function
        self.args = args
        self.zero_first = zero_first
        self.lvalue = lvalue


class Temporary(Expr):
    """A prvalue in memory, so that a reference can bind to it."""

    __slots__ = ("operand",)

    def __init__(self, type: Type, at: Token, operand: Expr, *, lvalue: bool = False) -> None:
        self.type = type
        self.at = at
        self.operand = operand
        self.lvalue = lvalue


class New(Expr):
    """`new T(...)`: memory from the device's heap, or at `place`. `init` is laid into it. Arrays have a `count`, and
    `listed` for their first elements; then `init` is for each of the others."""

    __slots__ = ("count", "init", "listed", "made", "place")

    def __init__(
        self,
        type: Type,
        at: Token,
        made: Type,
        count: Expr | None,
        init: Expr | None,
        place: Expr | None,
        listed: Expr | None = None,
    ) -> None:
        self.type = type
        self.at = at
        self.lvalue = False
        self.made = made
        self.count = count
        self.init = init
        self.place = place
        self.listed = listed


class StatementExpression(Expr):
    """GNU's `({ ...; value; })`: a block, then its last expression (None: void)."""

    __slots__ = ("block", "value")

    def __init__(self, type: Type, at: Token, block: Block, value: Expr | None) -> None:
        self.type = type
        self.at = at
        self.lvalue = False
        self.block = block
        self.value = value


class Delete(Expr):
    """`delete p` or, unless it `frees`, `p->~T()`; `array`: `delete[] p`."""

    __slots__ = ("array", "frees", "operand")

    def __init__(self, type: Type, at: Token, operand: Expr, array: bool = False, frees: bool = True) -> None:
        self.type = type
        self.at = at
        self.lvalue = False
        self.operand = operand
        self.array = array
        self.frees = frees


# -- statements


class Stmt:
    __slots__ = ("at",)

    def __init__(self, at: Token) -> None:
        self.at = at


class Block(Stmt):
    __slots__ = ("end", "items")

    def __init__(self, at: Token, items: list[Stmt] | None = None, end: Token | None = None) -> None:
        self.at = at
        self.items: list[Stmt] = [] if items is None else items
        self.end = end


class ExprStmt(Stmt):
    __slots__ = ("value",)

    def __init__(self, at: Token, value: Expr) -> None:
        self.at = at
        self.value = value


class DeclStmt(Stmt):
    __slots__ = ("variables",)

    def __init__(self, at: Token, variables: list[Variable]) -> None:
        self.at = at
        self.variables = variables


class If(Stmt):
    __slots__ = ("condition", "other", "static", "then")

    def __init__(self, at: Token, condition: Expr, then: Stmt, other: Stmt | None, static: bool = False) -> None:
        self.at = at
        self.condition = condition
        self.then = then
        self.other = other
        self.static = static


class Loop(Stmt):
    """while, do-while and for. `unroll`: None, 0 (#pragma unroll: fully), 1 (never) or a factor."""

    __slots__ = ("body", "condition", "declared", "kind", "step", "unroll")

    def __init__(
        self,
        at: Token,
        kind: str,
        condition: Expr | None,
        step: Expr | None,
        body: Stmt,
        unroll: int | None = None,
        declared: DeclStmt | None = None,
    ) -> None:
        self.at = at
        self.kind = kind
        self.condition = condition
        self.step = step
        self.body = body
        self.unroll = unroll
        self.declared = declared


class Switch(Stmt):
    __slots__ = ("body", "cases", "condition", "default")

    def __init__(
        self, at: Token, condition: Expr, body: Stmt, cases: list[Case] | None = None, default: Case | None = None
    ) -> None:
        self.at = at
        self.condition = condition
        self.body = body
        self.cases: list[Case] = [] if cases is None else cases
        self.default = default


class Case(Stmt):
    """`case low [... high]:` or default; the statement that follows is the next item of the block."""

    __slots__ = ("high", "label", "low")

    def __init__(self, at: Token, low: int | None, high: int | None, label: str = "") -> None:
        self.at = at
        self.low = low
        self.high = high
        self.label = label


class Jump(Stmt):
    """break, continue."""

    __slots__ = ("kind",)

    def __init__(self, at: Token, kind: str) -> None:
        self.at = at
        self.kind = kind


class Return(Stmt):
    __slots__ = ("value",)

    def __init__(self, at: Token, value: Expr | None) -> None:
        self.at = at
        self.value = value


class Goto(Stmt):
    __slots__ = ("label",)

    def __init__(self, at: Token, label: str) -> None:
        self.at = at
        self.label = label


class Label(Stmt):
    __slots__ = ("name",)

    def __init__(self, at: Token, name: str) -> None:
        self.at = at
        self.name = name


class Asm(Stmt):
    __slots__ = ("clobbers", "inputs", "outputs", "text", "volatile")

    def __init__(
        self,
        at: Token,
        text: bytes,
        outputs: list[tuple[str, Expr]],
        inputs: list[tuple[str, Expr]],
        clobbers: list[str],
        volatile: bool,
    ) -> None:
        self.at = at
        self.text = text
        self.outputs = outputs
        self.inputs = inputs
        self.clobbers = clobbers
        self.volatile = volatile


# -- walks

_NOT_PARTS = {"at", "kind", "lvalue", "op", "type"}
_fields: dict[type, tuple[str, ...]] = {}


def children(node: Expr | Stmt) -> list[Expr | Stmt | Variable]:
    """What a node is made of, in the order of its class's fields; of lists (and tuples in them) each part."""
    fields = _fields.get(type(node))
    if fields is None:
        named = [name for kind in type(node).__mro__ for name in getattr(kind, "__slots__", ())]
        fields = _fields[type(node)] = tuple(name for name in named if name not in _NOT_PARTS)
    found: list[Expr | Stmt | Variable] = []
    for name in fields:
        value = getattr(node, name)
        if isinstance(value, (Expr, Stmt)):
            found.append(value)
        elif isinstance(value, list):
            for part in value:
                found += (p for p in (part if isinstance(part, tuple) else (part,)) if isinstance(p, _PARTS))
    return found


def start(e: Expr) -> Token:
    """Where an expression begins: clang points there, while a node holds its operator."""
    at = e.at
    while isinstance(e, (Binary, Assign, Conditional, Cast, Member, Deref, Temporary)):
        first = next(part for part in children(e) if isinstance(part, Expr))
        if first.at.source is at.source and first.at.start < at.start:
            at = first.at
        e = first
    return at


_PARTS = (Expr, Stmt, Variable)
