"""The typed syntax tree: what the parser's semantic actions build and the emitter walks.

Every expression knows its type (never a reference), its token (for messages and line tables) and whether it is an
lvalue. Conversions are explicit `Cast` nodes, save that reading an lvalue needs none. Aggregates are values too; the
emitter keeps them in memory.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs

from minicc.frontend.tokens import Token
from minicc.frontend.types import Field, Record, Type


@attrs.define(eq=False, repr=False)
class Scope:
    """Names of one region. `entity` is a Variable, a list of Function/FunctionTemplate/Builtin, a Type, a ClassTemplate
    or a Scope (namespace)."""

    kind: str
    """file, namespace, record, template, function or block."""
    parent: Scope | None = None
    names: dict[str, object] = attrs.field(factory=dict)
    name: str = ""
    using: list[Scope] = attrs.field(factory=list)
    inline: bool = False
    """An inline namespace, which is in its parent's `using`."""
    files: tuple[str, ...] = ()
    """Headers of our part of the C++ library that are read into this namespace when a name of theirs is looked up."""
    record: Record | None = None
    record_type: Type | None = None
    """In the scope of a class: its type."""


@attrs.define(eq=False, repr=False)
class Variable:
    """`storage`: local, param, reference (a local reference), shared, dynamic (extern __shared__), constant, device, static
    (function-local static), special (threadIdx ...), enumerator or member (static const member)."""  # noqa: E501

    name: str
    type: Type
    at: Token
    storage: str = "local"
    init: Expr | None = None
    value: int | float | None = None
    """Known at compile time (const integers, constexpr, enumerators)."""
    align: int = 0
    symbol: str = ""
    constexpr: bool = False
    extern: bool = False
    managed: bool = False
    """__managed__: the host reads and writes it, too."""
    internal: bool = False
    used: bool = False
    restrict: bool = False
    scope: Scope | None = None
    """Where it was declared (for its mangled name)."""
    owner: Function | None = None
    """The function it is local to."""
    defined: Variable | None = None
    """Of an extern declaration: the definition of the same variable."""
    number: int = 0
    """Tells apart same-named locals of one function."""
    stand_in: Type | None = None
    """In patterns: the constant parameter that this stands for."""
    reader: Callable[[Variable], None] | None = None
    """Of an unread variable: reads its initial value."""


class UnreadVariable(Variable):
    """A static member of a class template's instance, whose initial value is read when it is asked for."""

    __slots__ = ()

    def __getattr__(self, name: str) -> object:
        if name not in ("init", "value"):
            raise AttributeError(name)
        self.init = self.value = None
        read, self.reader, self.__class__ = self.reader, None, Variable  # type: ignore[assignment]
        assert read is not None
        read(self)
        return getattr(self, name)

    @classmethod
    def put_off(cls, v: Variable, reader: Callable[[Variable], None]) -> None:
        v.reader = reader
        del v.init, v.value
        v.__class__ = cls


@attrs.define(eq=False, repr=False)
class Function:
    name: str
    type: Type
    at: Token
    params: list[Variable] = attrs.field(factory=list)
    defaults: list[tuple[list[Token], Scope | None] | None] = attrs.field(factory=list)
    """Per parameter: None, or the tokens of its default argument."""
    body: Block | None = None
    space: str = "device"
    """global (a kernel), device or host."""
    noinline: bool = False
    forceinline: bool = False
    static: bool = False
    constexpr: bool = False
    extern_c: bool = False
    bounds: tuple[int, ...] = ()
    """__launch_bounds__: threads, blocks, clusters."""
    cluster: tuple[int, ...] = ()
    symbol: str = ""
    scope: Scope | None = None
    record: Type | None = None
    """A member function: of this class."""
    this: Variable | None = None
    this_quals: int = 0
    """CONST, VOLATILE, ON_LVALUE and ON_RVALUE."""
    constructor: bool = False
    inits: list[tuple[Field, Expr]] = attrs.field(factory=list)
    base_inits: list[tuple[int, Expr]] = attrs.field(factory=list)
    """Of a constructor: base classes by offset."""
    template: FunctionTemplate | None = None
    template_args: tuple[object, ...] = ()
    pending: tuple[list[Token], int] | None = None
    """Tokens and index of a body that is parsed when first called (members, library, instances)."""
    deleted: bool = False
    explicit: bool = False
    parsed: bool = False
    library: bool = False
    strict: bool = False
    """Compiled without contraction, whatever -fmad says (library code that relies on each rounding)."""
    param_scope: Scope | None = None
    noreturn: bool = False
    kept: bool = False
    """Called in a lambda's body, which was read for good, though what stands around it may be read again."""
    constrained: bool = False
    """By a requires-clause of its own."""
    virtual: bool = False
    pure: bool = False
    """Virtual, `= 0`."""
    final: bool = False
    pure_at: int = 0
    calls_self: bool = False


@attrs.define(eq=False, repr=False)
class TemplateParam:
    name: str
    kind: str
    """type, value or template."""
    type: Type | None = None
    """Of a value parameter."""
    default: list[Token] | None = None
    marker: Type | None = None
    """The stand-in type (kind "param") in patterns."""
    pack: bool = False
    tokens: list[Token] | None = None
    """Declaration of a value parameter whose type depends on other parameters: read again for each instance."""
    constraint: list[Token] | None = None
    """What its concept demands."""


@attrs.define(eq=False, repr=False)
class FunctionTemplate:
    name: str
    params: list[TemplateParam]
    tokens: list[Token]
    """From the first token of the declaration to the end of its body."""
    scope: Scope
    at: Token
    pattern: Type | None = None
    """Function type over stand-ins, for deduction and mangling."""
    required: int = 0
    """Parameters without default argument."""
    instances: dict[tuple[object, ...], Function | None] = attrs.field(factory=dict)
    """By arguments; None where there is no such function."""
    record: Type | None = None
    constructor: bool = False
    explicit: bool = False
    static: bool = False
    constraints: list[list[Token]] = attrs.field(factory=list)


@attrs.define(eq=False, repr=False)
class Partial:
    """A partial specialisation: its own parameters, the pattern of arguments, the tokens of those and of the class."""

    params: list[TemplateParam]
    pattern: list[object]
    arguments: list[Token]
    tokens: list[Token]
    scope: Scope
    constraints: list[list[Token]] = attrs.field(factory=list)


@attrs.define(eq=False, repr=False)
class Outline:
    """A member of a class template defined outside of it: tokens from the first after `template <...>` on."""

    params: list[TemplateParam]
    tokens: list[Token]
    name: str
    inner: list[TemplateParam] | None = None
    """Of a member template: its own parameters."""
    nested: str = ""
    """The member template is a class, of which this is a member."""


@attrs.define(eq=False, repr=False)
class ClassTemplate:
    """A template of classes, of types (`alias`) or of variables (`variable`)."""

    name: str
    params: list[TemplateParam]
    tokens: list[Token]
    scope: Scope
    at: Token
    instances: dict[tuple[object, ...], object] = attrs.field(factory=dict)
    """Arguments to a Type, or to a Variable."""
    specialised: dict[tuple[object, ...], list[Token]] = attrs.field(factory=dict)
    partials: list[Partial] = attrs.field(factory=list)
    outlines: list[Outline] = attrs.field(factory=list)
    alias: bool = False
    """`template <...> using Name = type;`"""
    variable: bool = False
    """`template <...> constexpr bool name = ...;`"""
    concept: bool = False
    constraints: list[list[Token]] = attrs.field(factory=list)


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
    __slots__ = ("data",)

    def __init__(self, type: Type, at: Token, data: bytes, *, lvalue: bool = False) -> None:
        self.type = type
        self.at = at
        self.data = data
        self.lvalue = lvalue


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
    """`virtual`: the function is looked up in the object's virtual table."""

    __slots__ = ("args", "function", "this", "virtual")

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
    """`new T(...)`: memory from the device's heap, or at `place`; `count` for arrays; `init` is laid into it."""

    __slots__ = ("count", "init", "made", "place")

    def __init__(
        self, type: Type, at: Token, made: Type, count: Expr | None, init: Expr | None, place: Expr | None
    ) -> None:
        self.type = type
        self.at = at
        self.lvalue = False
        self.made = made
        self.count = count
        self.init = init
        self.place = place


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
