"""PTX as objects. One module = one .ptx file; the parser makes it, isel makes it, the printer shows it, ptxas reads it.

Instructions are kept as PTX writes them: an opcode and its dotted modifiers in order, operands in order. What an
instruction means and which forms are legal is the business of `ptx.isa` (a table), not of a class per opcode.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Literal

from minicc.diagnostics import Span
from minicc.record import Record

Space = Literal["reg", "sreg", "const", "global", "local", "param", "shared", "tex", "generic"]
Linkage = Literal["", "extern", "visible", "weak", "common", "hidden"]
"""`hidden` is a kernel parameter's alone: what launches it is not told of it."""


class Reg(Record):
    """A virtual register, by its whole name: "%r1". Its type is in the function's `regs`."""

    __slots__ = __match_args__ = ("name", "neg", "part", "minus")

    def __init__(self, name: str, neg: bool = False, part: str | None = None, minus: bool = False) -> None:
        self.name = name
        self.neg = neg
        """`!%p1` in operands that take a predicate."""
        self.part = part
        """Component selector: "x" of a vector register, "b0".."b3"/"h0"/"h1" of video instructions."""
        self.minus = minus
        """`-%r1` of vmad."""


class Int(Record):
    """An integer literal; `value` is as written (may be negative)."""

    __slots__ = __match_args__ = ("value",)

    def __init__(self, value: int) -> None:
        self.value = value


class Float(Record):
    """A floating literal by its bits: 0fXXXXXXXX (`width` 32) or 0dXXXXXXXXXXXXXXXX (`width` 64)."""

    __slots__ = __match_args__ = ("bits", "width")

    def __init__(self, bits: int, width: Literal[32, 64]) -> None:
        self.bits, self.width = bits, width


class Symbol(Record):
    """A named variable, function, parameter or label, with a byte offset: `buf`, `buf+16`."""

    __slots__ = __match_args__ = ("name", "offset", "generic", "mask")

    def __init__(self, name: str, offset: int = 0, generic: bool = False, mask: int | None = None) -> None:
        self.name, self.offset = name, offset
        self.generic = generic
        """`generic(buf)` in an initialiser: the generic address instead of the one in its space."""
        self.mask = mask
        """`0xff00(buf)` in an initialiser: the byte of the address that the mask selects, shifted down."""


class Special(Record):
    """A special register: "%tid.x", "%laneid", "%clock64"."""

    __slots__ = __match_args__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Address(Record):
    """[base+offset]; base is a register, a symbol, or an integer (absolute)."""

    __slots__ = __match_args__ = ("base", "offset")

    def __init__(self, base: Reg | Symbol | Int, offset: int = 0) -> None:
        self.base, self.offset = base, offset


class Vector(Record):
    """{a, b, ...}: of ld/st.vN, mov packing, mma fragments. `None` elements print as `_`."""

    __slots__ = __match_args__ = ("items",)

    def __init__(self, items: tuple[Operand | None, ...]) -> None:
        self.items = items


class Pair(Record):
    """`d|p`: destination with a predicate output (setp's p|q, shfl.sync, elect.sync)."""

    __slots__ = __match_args__ = ("first", "second")

    def __init__(self, first: Operand, second: Operand | None) -> None:
        self.first = first
        self.second = second
        """`_` is `Symbol("_")` on either side."""


class Tuple(Record):
    """Parenthesised list of a call: (a, b)."""

    __slots__ = __match_args__ = ("items",)

    def __init__(self, items: tuple[Operand, ...]) -> None:
        self.items = items


class Bracket(Record):
    """[a, b, ...] of texture, surface and tensor instructions: `[tex, {%f1, %f2}]`."""

    __slots__ = __match_args__ = ("items",)

    def __init__(self, items: tuple[Operand, ...]) -> None:
        self.items = items


Initial = Int | Float | Symbol | tuple[str, "Initial"] | list["Initial"]
"""What a variable begins with: a constant, an address, `name = constant` of a sampler, or a braced list of these."""

Operand = Reg | Int | Float | Symbol | Special | Address | Vector | Pair | Tuple | Bracket


class Loc(Record):
    """`.loc file line column`, with inlining: `function_name` is the label (or string) of the inlined function and
    `inlined_at` (file, line, column) of its call. That place has a .loc of its own before, `outer`, which may be
    inlined in its turn."""

    __slots__ = __match_args__ = ("file", "line", "column", "function_name", "inlined_at", "outer")
    _key = attrgetter(*__match_args__[:-1])

    def __init__(
        self,
        file: int,
        line: int,
        column: int = 0,
        function_name: str | None = None,
        inlined_at: tuple[int, int, int] | None = None,
        outer: Loc | None = None,
    ) -> None:
        self.file, self.line, self.column, self.function_name = file, line, column, function_name
        self.inlined_at, self.outer = inlined_at, outer

    @property
    def chain(self) -> tuple[Loc, ...]:
        """This place, and the calls that led to it, innermost first."""
        return (self, *self.outer.chain) if self.outer is not None else (self,)


class Inst:
    """`@!%p mad.lo.s32 %r1, %r2, %r3, %r4;` is opcode "mad", modifiers ("lo", "s32"), operands in order.
    `loc` is the line in force (from .loc); `where` the place in the PTX text, if it was parsed."""

    __slots__ = __match_args__ = ("opcode", "modifiers", "operands", "guard", "loc", "where")

    def __init__(
        self,
        opcode: str,
        modifiers: tuple[str, ...] = (),
        operands: tuple[Operand, ...] = (),
        guard: Reg | None = None,
        loc: Loc | None = None,
        where: Span | None = None,
    ) -> None:
        self.opcode, self.modifiers, self.operands, self.guard, self.loc = opcode, modifiers, operands, guard, loc
        self.where = where

    @property
    def name(self) -> str:
        """The dotted name: "mad.lo.s32"."""
        return ".".join((self.opcode, *self.modifiers))


class Label:
    """A label in a body: `$L__BB0_2:`."""

    def __init__(self, name: str, where: Span | None = None) -> None:
        self.name, self.where = name, where


class Variable:
    """A declaration at module or function scope. `dims` are array dimensions; () is a scalar, (None,) is `[]`
    (extern shared). `init` is nested lists of operands, or None. `type` is without dot: "f32", "b8"."""

    __slots__ = __match_args__ = (
        "name",
        "space",
        "type",
        "align",
        "dims",
        "init",
        "vector",
        "linkage",
        "where",
        "ptr",
        "attributes",
    )

    def __init__(
        self,
        name: str,
        space: Space,
        type: str,
        align: int | None = None,
        dims: tuple[int | None, ...] = (),
        init: Initial | None = None,
        vector: int | None = None,
        linkage: Linkage = "",
        where: Span | None = None,
        ptr: tuple[str | None, int | None] | None = None,
        attributes: tuple[str, ...] = (),
    ) -> None:
        self.name, self.space, self.type, self.align, self.dims, self.init = name, space, type, align, dims, init
        self.vector, self.linkage, self.where = vector, linkage, where
        self.ptr = ptr
        """For .param .ptr attributes: (space, align)."""
        self.attributes = attributes


def _type_of(register: str, regs: dict[str, str], ranges: list[tuple[str, int, str]]) -> str | None:
    if (found := regs.get(register)) is not None:
        return found
    stem = register.rstrip("0123456789")
    digits = register[len(stem) :]
    if digits and (digits == "0" or digits[0] != "0"):
        for prefix, count, type_ in ranges:
            if prefix == stem:
                if int(digits) < count:
                    return type_
            elif len(prefix) > len(stem) and register.startswith(prefix):
                rest = register[len(prefix) :]
                if rest and (rest == "0" or rest[0] != "0") and int(rest) < count:
                    return type_
    return None


class Branchtargets:
    """`name: .branchtargets a, b, c;` of brx.idx."""

    def __init__(self, name: str, targets: tuple[str, ...]) -> None:
        self.name, self.targets = name, targets


Directives = Sequence[tuple[str, tuple[int, ...]]]
"""What functions say of themselves: `.maxntid 256, 1, 1`."""


class Callprototype:
    """`name: .callprototype (ret) _ (params) .noreturn;` of an indirect call; `directives` as a function has them."""

    def __init__(
        self,
        name: str,
        returns: tuple[Variable, ...],
        params: tuple[Variable, ...],
        directives: Directives = (),
        where: Span | None = None,
    ) -> None:
        self.name, self.returns, self.params, self.directives, self.where = name, returns, params, directives, where


class Pragma:
    """`.pragma "nounroll";`"""

    def __init__(self, text: str) -> None:
        self.text = text


class Scope:
    """`{ ... }`: names declared inside are local to it, registers (kept here as `Function` keeps its own) too."""

    def __init__(
        self,
        body: list[Statement] | None = None,
        regs: dict[str, str] | None = None,
        reg_ranges: list[tuple[str, int, str]] | None = None,
    ) -> None:
        self.body: list[Statement] = [] if body is None else body
        self.regs: dict[str, str] = {} if regs is None else regs
        self.reg_ranges: list[tuple[str, int, str]] = [] if reg_ranges is None else reg_ranges

    def type_of(self, register: str) -> str | None:
        """Type of a register declared in this very scope, or None."""
        return _type_of(register, self.regs, self.reg_ranges)


Statement = Inst | Label | Variable | Branchtargets | Callprototype | Pragma | Scope
"""Variables in a body are .local/.shared/.param declarations. Register declarations go to `Function.regs`."""


class Function:
    """.entry or .func. `body` None is a declaration. `regs` maps a register name to its type without dot, in order of
    declaration; ranges such as `%r<5>` are expanded by use (see `reg_ranges`) and printed back as ranges.
    `directives` are the performance directives: ("maxntid", (256, 1, 1)), ("minnctapersm", (2,)), ("noreturn", ())."""

    def __init__(
        self,
        name: str,
        entry: bool,
        params: list[Variable] | None = None,
        returns: list[Variable] | None = None,
        body: list[Statement] | None = None,
        linkage: Linkage = "",
        where: Span | None = None,
    ) -> None:
        self.name, self.entry = name, entry
        self.params: list[Variable] = [] if params is None else params
        self.returns: list[Variable] = [] if returns is None else returns
        self.body = body
        self.regs: dict[str, str] = {}
        self.reg_ranges: list[tuple[str, int, str]] = []
        """(prefix, count, type): `.reg .b32 %r<5>;` is ("%r", 5, "b32") and declares %r0..%r4."""
        self.directives: list[tuple[str, tuple[int, ...]]] = []
        self.linkage, self.where = linkage, where

    def type_of(self, register: str) -> str | None:
        """Type of a register by name, looking at `regs`, then at `reg_ranges`; None if undeclared."""
        return _type_of(register, self.regs, self.reg_ranges)


class Alias:
    """`.alias name, target;`"""

    def __init__(self, name: str, target: str, where: Span | None = None) -> None:
        self.name, self.target, self.where = name, target, where


class Module:
    """One PTX module. `version` (8, 8); `target` "sm_90"; `files` maps .file numbers to paths."""

    def __init__(
        self, version: tuple[int, int], target: str, target_options: tuple[str, ...] = (), address_size: int = 64
    ) -> None:
        self.version, self.target = version, target
        self.target_options, self.address_size = target_options, address_size
        self.where: Span | None = None
        """Of the target."""
        self.variables: list[Variable] = []
        self.functions: list[Function] = []
        self.files: dict[int, str] = {}
        self.sections: list[str] = []
        """Raw text of `.section` blocks (DWARF), kept for printing."""
        self.order: list[Variable | Function | Alias | Pragma] = []
        """Everything at module scope in order of appearance; empty means variables, then functions."""
