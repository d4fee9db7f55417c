"""The typed syntax tree: what the parser's semantic actions build and the emitter walks.

Every expression knows its type (never a reference), its token (for messages and line tables) and whether it is an
lvalue. Conversions are explicit `Cast` nodes, save that reading an lvalue needs none. Aggregates are values too; the
emitter keeps them in memory.
"""

from __future__ import annotations

from collections.abc import Callable

from minicc.frontend.tokens import Token
from minicc.frontend.types import Field, Record, Type


class Scope:
    """Names of one region. `entity` is a Variable, a list of Function/FunctionTemplate/Builtin, a Type, a ClassTemplate
    or a Scope (namespace)."""

    def __init__(
        self,
        kind: str,
        parent: Scope | None = None,
        name: str = "",
        record: Record | None = None,
        record_type: Type | None = None,
    ) -> None:
        self.kind = kind
        """file, namespace, record, template, function or block."""
        self.parent, self.name, self.record = parent, name, record
        self.record_type = record_type
        """In the scope of a class: its type."""
        self.names: dict[str, object] = {}
        self.using: list[Scope] = []
        self.inline = False
        """An inline namespace, which is in its parent's `using`."""
        self.files: tuple[str, ...] = ()
        """Headers of our part of the C++ library that are read into this namespace when a name of theirs is looked
        up."""


class Variable:
    """`storage`: local, param, reference (a local reference), alias (one of a part of an expression), shared,
    dynamic (extern __shared__), constant, device, static (function-local static), special (threadIdx ...), enumerator
    or member (static const member)."""

    def __init__(
        self,
        name: str,
        type: Type,
        at: Token,
        storage: str = "local",
        init: Expr | None = None,
        value: int | float | None = None,
        symbol: str = "",
        constexpr: bool = False,
        restrict: bool = False,
        scope: Scope | None = None,
        owner: Function | None = None,
        stand_in: Type | None = None,
    ) -> None:
        self.name, self.type, self.at, self.storage = name, type, at, storage
        self.init = init
        self.value = value
        """Known at compile time (const integers, constexpr, enumerators)."""
        self.symbol, self.constexpr, self.restrict = symbol, constexpr, restrict
        self.scope = scope
        """Where it was declared (for its mangled name)."""
        self.owner = owner
        """The function it is local to."""
        self.stand_in = stand_in
        """In patterns: the constant parameter that this stands for."""
        self.align = 0
        self.extern = False
        self.managed = False
        """__managed__: the host reads and writes it, too."""
        self.internal = False
        self.used = False
        self.defined: Variable | None = None
        """Of an extern declaration: the definition of the same variable."""
        self.number = 0
        """Tells apart same-named locals of one function."""
        self.reader: Callable[[Variable], None] | None = None
        """Of an unread variable: reads its initial value."""


class UnreadVariable(Variable):
    """A static member of a class template's instance, whose initial value is read when it is asked for."""

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


class Function:
    def __init__(
        self,
        name: str,
        type: Type,
        at: Token,
        params: list[Variable] | None = None,
        defaults: list[tuple[list[Token], Scope | None] | None] | None = None,
        space: str = "device",
        scope: Scope | None = None,
    ) -> None:
        self.name, self.type, self.at = name, type, at
        self.params: list[Variable] = [] if params is None else params
        self.defaults: list[tuple[list[Token], Scope | None] | None] = [] if defaults is None else defaults
        """Per parameter: None, or the tokens of its default argument."""
        self.space = space
        """global (a kernel), device or host."""
        self.both = False
        """Declared `__host__ __device__`."""
        self.scope = scope
        self.body: Block | None = None
        self.noinline = False
        self.forceinline = False
        self.static = False
        self.constexpr = False
        self.extern_c = False
        self.bounds: tuple[int, ...] = ()
        """__launch_bounds__: threads, blocks, clusters."""
        self.cluster: tuple[int, ...] = ()
        self.symbol = ""
        self.record: Type | None = None
        """A member function: of this class."""
        self.this: Variable | None = None
        self.this_quals = 0
        """CONST, VOLATILE, ON_LVALUE and ON_RVALUE."""
        self.constructor = False
        self.inits: list[tuple[Field, Expr]] = []
        self.base_inits: list[tuple[int, Expr]] = []
        """Of a constructor: base classes by offset."""
        self.template: FunctionTemplate | None = None
        self.template_args: tuple[object, ...] = ()
        self.pending: tuple[list[Token], int] | None = None
        """Tokens and index of a body that is parsed when first called (members, library, instances)."""
        self.deleted = False
        self.explicit = False
        self.parsed = False
        self.library = False
        self.strict = False
        """Compiled without contraction, whatever -fmad says (library code that relies on each rounding)."""
        self.param_scope: Scope | None = None
        self.noreturn = False
        self.kept = False
        """Called in a lambda's body, which was read for good, though what stands around it may be read again."""
        self.constrained = False
        """By a requires-clause of its own."""
        self.virtual = False
        self.pure = False
        """Virtual, `= 0`."""
        self.final = False
        self.pure_at = 0
        self.calls_self = False


class TemplateParam:
    def __init__(
        self, name: str, kind: str, type: Type | None = None, pack: bool = False, constraint: list[Token] | None = None
    ) -> None:
        self.name = name
        self.kind = kind
        """type, value or template."""
        self.type = type
        """Of a value parameter."""
        self.pack = pack
        self.constraint = constraint
        """What its concept demands."""
        self.default: list[Token] | None = None
        self.marker: Type | None = None
        """The stand-in type (kind "param") in patterns."""
        self.tokens: list[Token] | None = None
        """Declaration of a value parameter whose type depends on other parameters: read again for each instance."""


class FunctionTemplate:
    def __init__(self, name: str, params: list[TemplateParam], tokens: list[Token], scope: Scope, at: Token) -> None:
        self.name, self.params = name, params
        self.tokens = tokens
        """From the first token of the declaration to the end of its body."""
        self.scope, self.at = scope, at
        self.pattern: Type | None = None
        """Function type over stand-ins, for deduction and mangling."""
        self.required = 0
        """Parameters without default argument."""
        self.instances: dict[tuple[object, ...], Function | None] = {}
        """By arguments; None where there is no such function."""
        self.record: Type | None = None
        self.constructor = False
        self.explicit = False
        self.static = False
        self.constraints: list[list[Token]] = []
        self.declared: tuple[list[Token], list[TemplateParam]] | None = None
        """Of a member that was defined outside of its class: its declaration there, which has the default arguments."""


class Partial:
    """A partial specialisation: its own parameters, the pattern of arguments, the tokens of those and of the class."""

    def __init__(
        self,
        params: list[TemplateParam],
        pattern: list[object],
        arguments: list[Token],
        tokens: list[Token],
        scope: Scope,
        constraints: list[list[Token]],
    ) -> None:
        self.params, self.pattern, self.arguments, self.tokens = params, pattern, arguments, tokens
        self.scope, self.constraints = scope, constraints


class Outline:
    """A member of a class template defined outside of it: tokens from the first after `template <...>` on."""

    def __init__(
        self,
        params: list[TemplateParam],
        tokens: list[Token],
        name: str,
        inner: list[TemplateParam] | None = None,
        nested: str = "",
    ) -> None:
        self.params, self.tokens, self.name = params, tokens, name
        self.inner = inner
        """Of a member template: its own parameters."""
        self.nested = nested
        """The member template is a class, of which this is a member."""


class ClassTemplate:
    """A template of classes, of types (`alias`) or of variables (`variable`)."""

    def __init__(
        self,
        name: str,
        params: list[TemplateParam],
        tokens: list[Token],
        scope: Scope,
        at: Token,
        alias: bool = False,
        variable: bool = False,
        concept: bool = False,
    ) -> None:
        self.name, self.params, self.tokens, self.scope = name, params, tokens, scope
        self.at = at
        self.alias = alias
        """`template <...> using Name = type;`"""
        self.variable = variable
        """`template <...> constexpr bool name = ...;`"""
        self.concept = concept
        self.instances: dict[tuple[object, ...], object] = {}
        """Arguments to a Type, or to a Variable."""
        self.specialised: dict[tuple[object, ...], list[Token]] = {}
        self.partials: list[Partial] = []
        self.outlines: list[Outline] = []
        self.constraints: list[list[Token]] = []


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
