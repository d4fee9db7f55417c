"""Declarations of a module against PTX's rules for them: types, initial values, directives of functions, aliases.

`declarations(module)` yields what is wrong with them, in ptxas's words; instructions are `verify`'s.
"""

from __future__ import annotations

from collections.abc import Iterator

from minicc.diagnostics import Diagnostic, Span
from minicc.ptx import model as ptx
from minicc.ptx.names import TYPES

_DECLARED = frozenset(
    "b8 b16 b32 b64 b128 s8 s16 s32 s64 u8 u16 u32 u64 f16 f16x2 f32 f64 pred texref samplerref surfref".split()
)
"""Types of variables; the others are of instructions alone."""
_OPAQUE = ("texref", "samplerref", "surfref")
_POSITIVE = ("maxntid", "reqntid", "minnctapersm", "maxnreg", "maxclusterrank")
_BODIES = ("used_bytes_mask", "enable_smem_spilling", "frequency")
"""Pragmas of a function's statements."""


def declarations(module: ptx.Module) -> Iterator[Diagnostic]:
    """What is wrong with the declarations of a module."""
    functions = {f.name: f for f in module.functions}
    first: dict[str, ptx.Variable] = {}
    for variable in module.variables:
        for message in (*_variable(variable, functions), *_again(variable, first.setdefault(variable.name, variable))):
            yield _error(message, variable.where)
    defined = {f.name for f in module.functions if f.body is not None}
    for function in module.functions:
        if function.entry and function.name not in defined and function.linkage != "extern":
            yield _error(f"Unresolved extern function '{function.name}'", function.where)
        for message in _function(function):
            yield _error(message, function.where)
    for item in module.order:
        if isinstance(item, ptx.Alias):
            if item.name not in functions:
                yield _error(f"Unknown symbol '{item.name}'", item.where)
            elif item.name in defined:
                yield _error(f"Illegal redefinition of function '{item.name}' as alias", item.where)


def _error(message: str, where: Span | None) -> Diagnostic:
    return Diagnostic("error", "ptx.declaration", message, where)


def _variable(variable: ptx.Variable, functions: dict[str, ptx.Function]) -> Iterator[str]:
    name, type_, init = variable.name, variable.type, variable.init
    if type_ not in _DECLARED and type_ in TYPES:
        yield f"Type .{type_} may only be used as an instruction type"
    elif type_ == "pred":
        yield f"Predicate variable '{name}' must be in register state space"
    if init is None:
        if variable.linkage != "extern" and not all(variable.dims):
            yield f"Non-external variable '{name}' has incomplete type"
    elif variable.space not in ("global", "const"):
        yield f"No initial value is allowed for '{name}' in this state space"
    elif type_ not in _OPAQUE:
        if isinstance(init, list) and not variable.dims and not variable.vector:
            yield "Initial value type mismatch"
        for value in _values(init):
            yield from _initial(type_, value, functions)


def _values(init: ptx.Initial) -> Iterator[ptx.Initial]:
    """The innermost values of an initialiser."""
    if isinstance(init, list):
        for item in init:
            yield from _values(item)
    else:
        yield init


def _initial(type_: str, value: ptx.Initial, functions: dict[str, ptx.Function]) -> Iterator[str]:
    """A value of a variable of a type."""
    other = type_ == "f16x2" or type_[0] in {ptx.Float: "su", ptx.Int: "f"}.get(type(value), "")
    moved = isinstance(value, ptx.Symbol) and value.offset and value.name in functions
    if type_ == "f16":
        yield "No initial value is allowed for .f16 type"
    elif other or moved:
        yield "Initial value type mismatch"


def _again(variable: ptx.Variable, first: ptx.Variable) -> Iterator[str]:
    """A declaration after one of the same name."""
    if variable is first or "extern" not in (first.linkage, variable.linkage):
        return
    if (variable.type, variable.space, variable.vector) != (first.type, first.space, first.vector):
        yield f"Inconsistent redefinition of variable '{variable.name}'"
    elif first.linkage == "extern" and not variable.linkage:
        yield f"'.extern' variable '{variable.name}' cannot be resolved by a '.static'"


def _function(function: ptx.Function) -> Iterator[str]:
    given = dict(function.directives)
    for name in _POSITIVE:
        if 0 in given.get(name, ()):
            yield f"Positive non-zero value expected for {name}"
    if "maxnctapersm" in given:
        yield "Deprecated feature: '.maxnctapersm directive' not supported as of PTX version 2.1"
    if {"reqnctapercluster", "maxclusterrank"} <= given.keys():
        yield "Conflicting directives: .reqnctapercluster and .maxclusterrank cannot both be specified"
    if "blocksareclusters" in given and not {"reqntid", "reqnctapercluster"} <= given.keys():
        yield ".reqntid and .reqnctapercluster directive(s) required for directive '.blocksareclusters'"
    if "noreturn" in given and (function.entry or function.returns):
        yield f"Invalid directive '.noreturn' for function '{function.name}'"
    for name in given:
        kind, _, text = name.partition(":")
        if kind == "pragma" and text.split(" ")[0] in _BODIES:
            yield f"Pragma '{text}' is allowed only within function scope"
