"""The typed syntax tree: what the parser's semantic actions build and the emitter walks.

Every expression knows its type (never a reference), its token (for messages and line tables) and whether it is an lvalue.
Conversions are explicit `Cast` nodes, save that reading an lvalue needs none. Aggregates are values too; the emitter keeps
them in memory.
"""

from __future__ import annotations

import attrs

from minicc.frontend.tokens import Token
from minicc.frontend.types import Field, Record, Type


@attrs.define(eq=False)
class Scope:
    """Names of one region. `entity` is a Variable, a list of Function/FunctionTemplate/Builtin, a Type, a ClassTemplate
    or a Scope (namespace)."""

    kind: str
    """file, namespace, record, template, function or block."""
    parent: Scope | None = None
    names: dict[str, object] = attrs.field(factory=dict)
    name: str = ""
    using: list[Scope] = attrs.field(factory=list)
    record: Record | None = None
    record_type: Type | None = None
    """In the scope of a class: its type."""


@attrs.define(eq=False)
class Variable:
    """`storage`: local, param, reference (a local reference), shared, dynamic (extern __shared__), constant, device, static
    (function-local static), special (threadIdx ...), enumerator or member (static const member)."""

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
    internal: bool = False
    used: bool = False
    pack: list[Variable] | None = None
    restrict: bool = False
    scope: Scope | None = None
    """Where it was declared (for its mangled name)."""
    owner: Function | None = None
    """The function it is local to."""
    number: int = 0
    """Tells apart same-named locals of one function."""


@attrs.define(eq=False)
class Function:
    name: str
    type: Type
    at: Token
    params: list[Variable] = attrs.field(factory=list)
    defaults: list[object] = attrs.field(factory=list)
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
    constructor: bool = False
    inits: list[tuple[Field, Expr]] = attrs.field(factory=list)
    base_init: Expr | None = None
    template: FunctionTemplate | None = None
    template_args: tuple[object, ...] = ()
    pending: tuple[list[Token], int] | None = None
    """Tokens and index of a body that is parsed when first called (members, library, instances)."""
    deleted: bool = False
    parsed: bool = False
    library: bool = False
    strict: bool = False
    """Compiled without contraction, whatever -fmad says (library code that relies on each rounding)."""
    param_scope: Scope | None = None
    noreturn: bool = False
    pure_at: int = 0
    calls_self: bool = False


@attrs.define(eq=False)
class TemplateParam:
    name: str
    kind: str
    """type or value."""
    type: Type | None = None
    """Of a value parameter."""
    default: list[Token] | None = None
    marker: Type | None = None
    """The stand-in type (kind "param") in patterns."""
    pack: bool = False


@attrs.define(eq=False)
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
    instances: dict[tuple[object, ...], Function] = attrs.field(factory=dict)
    record: Type | None = None
    specialised: dict[tuple[object, ...], Function] = attrs.field(factory=dict)
    pack_names: tuple[str, ...] = ()


@attrs.define(eq=False)
class ClassTemplate:
    name: str
    params: list[TemplateParam]
    tokens: list[Token]
    scope: Scope
    at: Token
    instances: dict[tuple[object, ...], Type] = attrs.field(factory=dict)
    specialised: dict[tuple[object, ...], list[Token]] = attrs.field(factory=dict)
    alias: bool = False
    """`template <...> using Name = type;`"""


# -- expressions


@attrs.define(eq=False)
class Expr:
    type: Type
    at: Token
    lvalue: bool = attrs.field(default=False, kw_only=True)


@attrs.define(eq=False)
class Number(Expr):
    """An arithmetic, enumeration or null-pointer constant."""

    value: int | float


@attrs.define(eq=False)
class Text(Expr):
    data: bytes
    """With the final zero."""


@attrs.define(eq=False)
class Name(Expr):
    variable: Variable


@attrs.define(eq=False)
class Overloads(Expr):
    """A function's name, or a member function's with its object."""

    name: str
    functions: list[object]
    args: list[object] | None = None
    """Explicit template arguments."""
    base: Expr | None = None


@attrs.define(eq=False)
class Unary(Expr):
    op: str
    operand: Expr


@attrs.define(eq=False)
class Deref(Expr):
    operand: Expr


@attrs.define(eq=False)
class AddressOf(Expr):
    operand: Expr


@attrs.define(eq=False)
class Step(Expr):
    op: str
    prefix: bool
    operand: Expr


@attrs.define(eq=False)
class Binary(Expr):
    """Operands are converted already. Pointer arithmetic: "+" with a pointer left and integer right, "-" of two pointers."""

    op: str
    left: Expr
    right: Expr


@attrs.define(eq=False)
class Logical(Expr):
    op: str
    left: Expr
    right: Expr


@attrs.define(eq=False)
class Assign(Expr):
    left: Expr
    right: Expr


@attrs.define(eq=False)
class CompoundAssign(Expr):
    op: str
    left: Expr
    right: Expr
    common: Type
    """The type that the operation is done in."""


@attrs.define(eq=False)
class Conditional(Expr):
    condition: Expr
    yes: Expr
    no: Expr


@attrs.define(eq=False)
class Comma(Expr):
    left: Expr
    right: Expr


@attrs.define(eq=False)
class Cast(Expr):
    """`kind`: convert (values of arithmetic, enumeration, pointer types), decay (array to pointer), void, relabel (an lvalue
    of one type used as an lvalue of another)."""

    kind: str
    operand: Expr


@attrs.define(eq=False)
class Member(Expr):
    base: Expr
    field: Field


@attrs.define(eq=False)
class Call(Expr):
    function: Function
    args: list[Expr]
    this: Expr | None = None


@attrs.define(eq=False)
class BuiltinCall(Expr):
    builtin: object
    args: list[Expr]


@attrs.define(eq=False)
class Init(Expr):
    """A braced list laid over an aggregate: (byte offset, field if a bit-field, expression); the rest is zero."""

    parts: list[tuple[int, Field | None, Expr]]


@attrs.define(eq=False)
class Zero(Expr):
    """T() and {}: zero of any type."""


@attrs.define(eq=False)
class Construct(Expr):
    function: Function
    args: list[Expr]
    zero_first: bool = False


@attrs.define(eq=False)
class Temporary(Expr):
    """A prvalue in memory, so that a reference can bind to it."""

    operand: Expr


# -- statements


@attrs.define(eq=False)
class Stmt:
    at: Token


@attrs.define(eq=False)
class Block(Stmt):
    items: list[Stmt] = attrs.field(factory=list)
    end: Token | None = None


@attrs.define(eq=False)
class ExprStmt(Stmt):
    value: Expr


@attrs.define(eq=False)
class DeclStmt(Stmt):
    variables: list[Variable]


@attrs.define(eq=False)
class If(Stmt):
    condition: Expr
    then: Stmt
    other: Stmt | None
    static: bool = False


@attrs.define(eq=False)
class Loop(Stmt):
    """while, do-while and for. `unroll`: None, 0 (#pragma unroll: fully), 1 (never) or a factor."""

    kind: str
    condition: Expr | None
    step: Expr | None
    body: Stmt
    unroll: int | None = None
    declared: DeclStmt | None = None
    """A variable declared in a while or for condition, initialised anew each time round."""


@attrs.define(eq=False)
class Switch(Stmt):
    condition: Expr
    body: Stmt
    cases: list[Case] = attrs.field(factory=list)
    default: Case | None = None


@attrs.define(eq=False)
class Case(Stmt):
    """`case low [... high]:` or default; the statement that follows is the next item of the block."""

    low: int | None
    high: int | None
    label: str = ""


@attrs.define(eq=False)
class Jump(Stmt):
    """break, continue."""

    kind: str


@attrs.define(eq=False)
class Return(Stmt):
    value: Expr | None


@attrs.define(eq=False)
class Goto(Stmt):
    label: str


@attrs.define(eq=False)
class Label(Stmt):
    name: str


@attrs.define(eq=False)
class Asm(Stmt):
    text: bytes
    outputs: list[tuple[str, Expr]]
    inputs: list[tuple[str, Expr]]
    clobbers: list[str]
    volatile: bool
