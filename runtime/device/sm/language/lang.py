"""A small language for the engine: Python functions over 64-bit integers, compiled to LLVM IR.

A function is marked with `compiled`; the kinds of its parameters and its result are their annotations (int, u32, u64,
float, bool, None). Its body is Python's syntax with these meanings: integers are
int64 (literals too), uint32 and uint64 come from parameters, primitives and `np.uint32(...)`; arithmetic is done in 64
bits, signed if one of the operands is, and wraps; `//` and `%` round down; a variable has one type, the one that holds
all that is ever assigned to it. Arrays are tables (see `table`): a function names those it works on, and finds them
through a pointer to the list of all, its last and hidden parameter. Names that are not local are constants, other such
functions, primitives (a few lines of LLVM IR, see `primitive`) and macros. There are `if`, `while`, `for` over ranges
and tuples, `break`, `continue`, and conditional expressions; no objects, no exceptions, nothing is checked.

`Program(entries).text()` is the LLVM module of entries and all that they call (`emit` writes the functions). Making it
takes a tenth of a second, and LLVM optimises the whole at once.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, overload

from runtime.device.sm.tables.table import TABLES, Table

if TYPE_CHECKING:
    from runtime.device.sm.language.emit import Emitter

I64, U64, U32, BOOL, F64, VOID = "int64", "uint64", "uint32", "bool", "float64", "void"
LLVM = {I64: "i64", U64: "i64", U32: "i32", BOOL: "i1", F64: "double", VOID: "void"}
UNSIGNED = (U32, U64)
u32: TypeAlias = Any
u64: TypeAlias = Any
"""Annotations of parameters and results of compiled functions."""
_KINDS = {"int": I64, "u32": U32, "u64": U64, "float": F64, "bool": BOOL, "None": VOID}
LIST = "%.tables"
"""The hidden parameter."""
RAW = ", !noalias !1"
"""Metadata of an access that touches no table."""
SELDOM = ", !prof !3"
"""Metadata of a branch whose condition seldom holds."""
ALIASED = ("IC1", "IC2")
"""Tables that are also read and written by address."""
FIRST_SCOPE = 10


_INLINE = {None: "nounwind", True: "nounwind alwaysinline", False: "nounwind noinline"}


class Value(NamedTuple):
    """An operand of LLVM and its kind; `constant` is its value where that is known."""

    text: str
    kind: str
    constant: int | float | None = None


class Primitive:
    """A function given as LLVM IR. `kinds` of its parameters, `result`; the text names them %0, %1, ..."""

    def __init__(self, name: str, signature: str, text: str) -> None:
        self.name = name
        self.result, self.kinds = _split(signature)
        self.text = text

    def definition(self) -> str:
        parameters = ", ".join(LLVM[kind] for kind in self.kinds)
        head = f"define internal {LLVM[self.result]} @{self.name}({parameters}) alwaysinline nounwind {{"
        return f"{head}\n{self.text.strip()}\n}}\n"

    def __call__(self, *arguments: Any) -> Any:
        """Only in compiled functions."""
        raise TypeError(f"{self.name} is not Python")


class Macro:
    """A name that the compiler expands itself: `expand(emitter, argument nodes)` gives the value."""

    def __init__(self, expand: Callable[[Emitter, Sequence[ast.expr]], Value]) -> None:
        self.expand = expand

    def __call__(self, *arguments: Any) -> Any:
        """Only in compiled functions."""
        raise TypeError("a macro is not Python")


def _split(signature: str) -> tuple[str, list[str]]:
    result, _, arguments = signature.partition("(")
    return result, re.findall(r"\w+(?:\[[^]]*\])?", arguments)


class Function:
    """A compiled function. `entry`: Python calls it, through the address that `jit` puts into `call`; `inline`: into
    all its callers, into none (False), or as LLVM likes; `rare`: few instructions come to it, so it is apart from those
    that call it, and leaves their registers alone."""

    def __init__(self, python: Callable[..., Any], entry: bool, inline: bool | None, rare: bool = False) -> None:
        self.python = python
        self.module = python.__module__.rpartition(".")[2]
        self.name = f"{self.module}.{python.__name__}"
        self.entry, self.inline = entry, inline
        self.convention = "preserve_mostcc " if rare else ""
        self.attributes = "nounwind noinline cold" if rare else _INLINE[inline]
        kinds = {name: _KINDS[kind] for name, kind in python.__annotations__.items()}
        self.result = kinds.pop("return")
        self.parameters = list(kinds.items())
        """Name and kind of each."""
        self.call: Callable[..., int] | None = None
        self.__doc__ = python.__doc__

    def __call__(self, *arguments: Any) -> Any:
        """Run it, from Python: only entries, once they have been loaded. The last argument is the address of the list
        of tables (`table.addresses`)."""
        assert self.call is not None, f"{self.name} is not loaded"
        return self.call(*arguments)

    def node(self) -> ast.FunctionDef:
        return _definitions(sys.modules[self.python.__module__].__file__ or "")[self.python.__name__]

    def header(self) -> str:
        parts = [*(f"{LLVM[kind]} %{name}" for name, kind in self.parameters), f"ptr {LIST}"]
        kind = f"{'' if self.entry else 'internal '}{self.convention}{LLVM[self.result]}"
        return f'define {kind} @"{self.name}"({", ".join(parts)}) {self.attributes}'


@cache
def _definitions(path: str) -> dict[str, ast.FunctionDef]:
    tree = ast.parse(Path(path).read_text(), path)
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


FUNCTIONS: list[Function] = []
"""Everything marked so far."""


@overload
def compiled(python: Callable[..., Any]) -> Function: ...
@overload
def compiled(
    *, entry: bool = False, inline: bool | None = None, rare: bool = False
) -> Callable[[Callable[..., Any]], Function]: ...
def compiled(python: Any = None, *, entry: bool = False, inline: bool | None = None, rare: bool = False) -> Any:
    """Mark a function: `@compiled`, or `@compiled(entry=True)`, or with what else `Function` takes."""
    if python is None:
        return partial(compiled, entry=entry, inline=inline, rare=rare)
    function = Function(python, entry, inline, rare)
    FUNCTIONS.append(function)
    return function


def seldom(condition: Any) -> Any:
    """A condition of a branch that seldom holds: what is done then is kept out of the way of what is mostly done."""
    raise TypeError("seldom is not Python")


def join(a: str, b: str) -> str:
    """The kind that holds both."""
    if a == b:
        return a
    if F64 in (a, b):
        return F64
    rank = (BOOL, U32, U64, I64)
    return max(a, b, key=rank.index)


class Program:
    """The module of some entries."""

    def __init__(self, entries: Sequence[Function]) -> None:
        self.todo: list[Function | Primitive] = list(entries)
        self.known: set[int] = {id(entry) for entry in entries}
        self.scopes = {t.name: FIRST_SCOPE + 3 * t.number for t in TABLES if t.name not in ALIASED}

    def need(self, callee: Function | Primitive) -> None:
        """See to it that a function is in the module."""
        if id(callee) not in self.known:
            self.known.add(id(callee))
            self.todo.append(callee)

    def access(self, table: Table) -> str:
        """Metadata of an access to a table: it touches no other one, and nothing else does."""
        if table.name in ALIASED:
            return ""
        scope = self.scopes[table.name]
        return f", !alias.scope !{scope + 1}, !noalias !{scope + 2}"

    def text(self) -> str:
        from runtime.device.sm.language.emit import function_text

        parts = []
        intrinsics: set[str] = set()
        while self.todo:
            callee = self.todo.pop()
            text = callee.definition() if isinstance(callee, Primitive) else function_text(self, callee)
            parts.append(text)
            intrinsics.update(re.findall(r"(?:call|declare) ([^@\n]*@llvm\.[\w.]+\([^\n]*\))", text))
        return "\n".join([*parts, *_declarations(intrinsics), *self._metadata()])

    def _metadata(self) -> list[str]:
        scopes = self.scopes.values()
        lines = ['!0 = distinct !{!0, !"tables"}', "!1 = !{" + ", ".join(f"!{s}" for s in scopes) + "}", "!2 = !{}"]
        lines.append('!3 = !{!"branch_weights", i32 1, i32 31}')
        for name, s in self.scopes.items():
            others = ", ".join(f"!{o}" for o in scopes if o != s)
            lines += [f'!{s} = distinct !{{!{s}, !0, !"{name}"}}', f"!{s + 1} = !{{!{s}}}", f"!{s + 2} = !{{{others}}}"]
        return lines


def _declarations(calls: set[str]) -> list[str]:
    """Declarations of the intrinsics that these calls name, from the types of their arguments."""
    found = set()
    for call in calls:
        result, _, rest = call.partition("@")
        name, _, arguments = rest.partition("(")
        kinds = []
        for argument in _arguments(arguments):
            kinds.append(argument.rsplit(" ", 1)[0] if not argument.startswith("<") else argument.split(">")[0] + ">")
        found.add(f"declare {result.strip()} @{name}({', '.join(kinds)})")
    return sorted(found)


def _arguments(text: str) -> list[str]:
    """The arguments of a call, up to its closing parenthesis."""
    out, depth, start = [], 0, 0
    for k, letter in enumerate(text):
        if letter in "(<":
            depth += 1
        elif letter in ">":
            depth -= 1
        elif letter == ")":
            if depth == 0:
                out.append(text[start:k].strip())
                break
            depth -= 1
        elif letter == "," and depth == 0:
            out.append(text[start:k].strip())
            start = k + 1
    return [argument for argument in out if argument]


__all__ = ["Function", "Macro", "Primitive", "Program", "Value", "compiled", "u32", "u64"]
