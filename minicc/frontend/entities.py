"""What declarations make: scopes, variables, functions, and templates of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from minicc.frontend.tokens import Token
from minicc.frontend.types import Field, Record, Type

if TYPE_CHECKING:
    from minicc.frontend.ast import Block, Expr


class Scope:
    """Names of one region. `entity` is a Variable, a list of Function/FunctionTemplate/Builtin, a Type, a ClassTemplate
    or a Scope (namespace)."""

    announced: dict[str, list[Function]] | None = None
    """Functions of a namespace that were declared within others alone, where no one else sees them."""

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
        self.tags: dict[str, Type] = {}
        """Classes and enumerations whose name a variable or function has, too: found by `struct` alone."""
        self.using: list[Scope] = []
        self.directives: dict[int, Token] = {}
        """Where the first using-directive of a namespace stands, by its identity."""
        self.at: Token | None = None
        """Where a namespace was opened first."""
        self.inline = False
        """An inline namespace, which is in its parent's `using`."""
        self.files: tuple[str, ...] = ()
        """Headers of our part of the C++ library that are read into this namespace when a name of theirs is looked
        up."""

    @property
    def around(self) -> Scope | None:
        """The scope that this one stands in, past the parameters of templates."""
        scope = self.parent
        while scope is not None and scope.kind == "template":
            scope = scope.parent
        return scope


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
        self.grid_constant = False
        """A kernel's parameter that all threads see at one address, where the launch put it."""
        self.declared: Type | None = None
        """Of a name of a structured binding: its type for decltype, where that is not the variable's."""
        self.align = 0
        self.constant = False
        """A const object of the host, not constexpr, that nothing but constants begins."""
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


class Asked:
    """In patterns: what `sizeof` (st), `alignof` (at) or `sizeof...` (sZ) says of a type that depends on parameters."""

    __slots__ = ("how", "of")

    def __init__(self, how: str, of: Type) -> None:
        self.how, self.of = how, of


class StandInVariable:
    """In patterns: an instance of a variable template whose arguments depend on parameters."""

    __slots__ = ("args", "template")

    def __init__(self, template: ClassTemplate, args: Sequence[object]) -> None:
        self.template, self.args = template, args


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
        self.first = at
        """Where it was first declared."""
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
        self.immediate = False
        """consteval."""
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
        self.reader: Callable[[Function], None] | None = None
        """Of a constexpr function that was called where its body could not be read yet: reads it."""
        self.deleted = False
        self.defaulted = False
        self.explicit = False
        self.parsed = False
        self.depth = 0
        """Of instances that asked for each other, down to this."""
        self.library = False
        self.strict = False
        """Compiled without contraction, whatever -fmad says (library code that relies on each rounding)."""
        self.param_scope: Scope | None = None
        self.noreturn = False
        self.kept = False
        """Called in a lambda's body, which was read for good, though what stands around it may be read again."""
        self.atoms: frozenset[str] = frozenset()
        """The conditions of its own requires-clause."""
        self.befriended: list[Record] | None = None
        """Declared as a friend of these classes alone: only arguments of theirs bring it in ([basic.lookup.argdep])."""
        self.nothrow: list[Token] | None = None
        """The condition of its noexcept, and no more than an end for a bare one; None: it may throw."""
        self.comparing = False
        """A defaulted comparison."""
        self.virtual = False
        self.pure = False
        """Virtual, `= 0`."""
        self.final = False
        self.pure_at = 0
        self.placeholder: Type | None = None
        """The result as it was declared, with auto, where a return statement has said what that is."""


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
        self.at: Token | None = None
        """Its name, where it has one."""
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
        self.first = at
        """As a function's."""
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
        self.trailing: list[Token] | None = None
        """The condition behind the parameters, which may name those."""
        self.declared: tuple[list[Token], list[TemplateParam]] | None = None
        """A declaration before the definition that has the default arguments, such as a member's in its class."""
        self.befriended: list[Record] | None = None
        """As a function's."""


def both_befriended(old: Function | FunctionTemplate, new: Function | FunctionTemplate) -> list[Record] | None:
    """Of two declarations of one function: outside of classes one is enough for all to see it."""
    if old.befriended is None or new.befriended is None:
        return None
    return [*old.befriended, *new.befriended]


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
        own: list[TemplateParam] | None = None,
    ) -> None:
        self.params, self.tokens, self.name = params, tokens, name
        self.inner = inner
        """Of a member template: its own parameters."""
        self.own = own
        """Of a member template of a member template, whose parameters are `inner`."""
        self.nested = nested
        """The member template is a class, of which this is a member."""
        self.kind = "function"
        """Or class (or class template: the tokens begin with `struct name`), or datum (they begin with its value)."""
        self.pattern: list[object] | None = None
        """Of a partial specialisation's member: the arguments in the head; None where they are the parameters."""


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


def others(known: list[Any], found: list[Any]) -> list[Any]:
    """Of the functions `found` those that are not among the `known`: one of C's that is declared twice is the same."""
    again = [f.type.params for f in known if isinstance(f, Function) and f.extern_c]
    return [f for f in found if not (again and isinstance(f, Function) and f.extern_c and f.type.params in again)]
