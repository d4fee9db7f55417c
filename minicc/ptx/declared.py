"""Declarations of a module against PTX's rules for them: types, initial values, directives of functions, aliases.

`declarations(module)` yields what is wrong with them, in ptxas's words; instructions are `verify`'s.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import chain

from minicc.diagnostics import Diagnostic, Span
from minicc.ptx import model as ptx
from minicc.ptx.names import TYPES

_DECLARED = frozenset(
    "b8 b16 b32 b64 b128 s8 s16 s32 s64 u8 u16 u32 u64 f16 f16x2 f32 f64 pred texref samplerref surfref".split()
)
"""Types of variables; the others are of instructions alone."""
_OPAQUE = ("texref", "samplerref", "surfref")
_POSITIVE = ("maxntid", "reqntid", "minnctapersm", "maxnreg", "maxclusterrank")
_UNIFIED = "Feature 'unified Functions' requires command line option '--compile-only'."
_BODIES = ("used_bytes_mask", "enable_smem_spilling", "frequency")
"""Pragmas of a function's statements."""


def declarations(module: ptx.Module) -> Iterator[Diagnostic]:
    """What is wrong with the declarations of a module."""
    functions = {f.name: f for f in module.functions}
    defined = {f.name for f in module.functions if f.body is not None}
    first: dict[str, ptx.Variable] = {}
    prototypes: dict[str, ptx.Function] = {}
    for item in module.order:
        found: Iterator[str] = iter(())
        if isinstance(item, ptx.Pragma):
            # ptxas, too, names no place of those that it does not know.
            for message in _pragma(item.text):
                yield _error(message, None)
            continue
        if isinstance(item, ptx.Variable):
            known = first.keys() | prototypes.keys()
            found = chain(variable(item, functions, known), _again(item, first.setdefault(item.name, item)))
            if item.name in prototypes:
                found = chain(found, [f"Inconsistent redefinition of variable '{item.name}'"])
        elif isinstance(item, ptx.Function):
            if item.name in first:
                yield _error(f"Inconsistent redefinition of variable '{item.name}'", item.where)
            found = chain(_function(item, defined), _prototype(item, prototypes.setdefault(item.name, item)))
        elif isinstance(item, ptx.Alias):
            found = _alias(item, prototypes, defined, {v for v in functions if functions[v].linkage == "weak"})
        for message in found:
            yield _error(message, item.where)


def _error(message: str, where: Span | None) -> Diagnostic:
    return Diagnostic("error", "ptx.declaration", message, where)


def variable(variable: ptx.Variable, functions: Collection[str], known: Collection[str]) -> Iterator[str]:
    """What is wrong with a declaration. `known`: the names that stand before it."""
    name, type_, init = variable.name, variable.type, variable.init
    if type_ not in _DECLARED and type_ in TYPES:
        yield f"Type .{type_} may only be used as an instruction type"
    elif type_ == "pred":
        yield f"Predicate variable '{name}' must be in register state space"
    elif type_ == "f16x2" and variable.space == "param":
        yield f"Variable '{name}' cannot be allocated in .param state space"
    for attribute in variable.attributes:
        if "unified" in attribute:
            yield _UNIFIED
        elif variable.space != "global":
            yield f"Illegal attribute '{attribute}' for symbol '{name}'"
    if init is None:
        if variable.linkage != "extern" and not all(variable.dims):
            yield f"Non-external variable '{name}' has incomplete type"
    elif variable.linkage == "extern":
        yield f"No initial value is allowed for external symbol '{name}'"
    elif variable.space not in ("global", "const"):
        yield f"No initial value is allowed for '{name}' in this state space"
    elif type_ not in _OPAQUE:
        if isinstance(init, list) and not variable.dims and not variable.vector:
            yield "Initial value type mismatch"
        shape = (*variable.dims, *((variable.vector,) if variable.vector else ()))
        if isinstance(init, list) and shape and _longer(init, shape):
            yield "Greater number of elements in array initializer"
        for value in _values(init):
            yield from _initial(type_, value, functions)
            if isinstance(value, ptx.Symbol) and value.name not in known:
                yield f"Invalid initial value symbol '{value.name}'"


def _pragma(text: str) -> Iterator[str]:
    """A pragma of the module."""
    if text.split(" ")[0] in _BODIES:
        yield f"Pragma '{text}' is allowed only within function scope"
    elif text != "nounroll":
        yield f"Pragma '{text}' not supported"


def _values(init: ptx.Initial) -> Iterator[ptx.Initial]:
    """The innermost values of an initialiser."""
    if isinstance(init, list):
        for item in init:
            yield from _values(item)
    else:
        yield init


def _longer(init: list[ptx.Initial], shape: tuple[int | None, ...]) -> bool:
    """Whether a list of values, or one in it, has more of them than its dimension."""
    if shape[0] is not None and len(init) > shape[0]:
        return True
    return len(shape) > 1 and any(isinstance(item, list) and _longer(item, shape[1:]) for item in init)


def _initial(type_: str, value: ptx.Initial, functions: Collection[str]) -> Iterator[str]:
    """A value of a variable of a type."""
    other = type_ == "f16x2" or type_[0] in {ptx.Float: "su", ptx.Int: "f"}.get(type(value), "")
    moved = isinstance(value, ptx.Symbol) and value.offset and value.name in functions
    if type_ == "f16":
        yield "No initial value is allowed for .f16 type"
    elif other or moved:
        yield "Initial value type mismatch"


def _again(variable: ptx.Variable, first: ptx.Variable) -> Iterator[str]:
    """A declaration after one of the same name."""
    if variable is first:
        return
    if "extern" not in (first.linkage, variable.linkage):
        yield f"Duplicate definition of variable '{variable.name}'"
    elif (variable.type, variable.space, variable.vector) != (first.type, first.space, first.vector):
        yield f"Inconsistent redefinition of variable '{variable.name}'"
    elif first.linkage == "extern" and not variable.linkage:
        yield f"'.extern' variable '{variable.name}' cannot be resolved by a '.static'"


def _prototype(function: ptx.Function, first: ptx.Function) -> Iterator[str]:
    """A function after a declaration of it."""
    for wrong in _differing(function, first):
        yield f"Inconsistent prototypes of '{function.name}', {wrong} differ"


def _differing(function: ptx.Function, first: ptx.Function) -> Iterator[str]:
    """What differs in the results, and in the parameters, of two functions."""
    for mine, other in ((function.returns, first.returns), (function.params, first.params)):
        wrong = ""
        if len(mine) != len(other):
            wrong = "number of parameters"
        for a, b in zip(mine, other, strict=False):
            if a.space != b.space:
                wrong = wrong or "parameter state space"
            elif (a.type, a.dims) != (b.type, b.dims):
                wrong = wrong or "parameter types"
            elif a.align != b.align:
                wrong = wrong or "parameter alignment"
        if wrong:
            yield wrong


def _alias(
    alias: ptx.Alias, known: Mapping[str, ptx.Function], defined: Collection[str], weak: Collection[str]
) -> Iterator[str]:
    """An alias after the functions that are `known`."""
    for name in (alias.name, alias.target):
        if name not in known:
            yield f"Unknown symbol '{name}'"
            return
    mine, other = known[alias.name], known[alias.target]
    if alias.name in defined:
        yield f"Illegal redefinition of function '{alias.name}' as alias"
    elif alias.target not in defined:
        yield f"Unresolved extern function '{alias.target}'"
    elif other.entry:
        yield f"Cannot define alias to entry function '{alias.target}'"
    elif alias.target in weak:
        yield f"Function '{alias.target}' with .weak scope cannot be aliased"
    for wrong in _differing(mine, other):
        yield f"Mismatch in prototype of alias '{alias.name}' and aliasee '{alias.target}'. {wrong} differ(s)"


def _parameters(function: ptx.Function) -> Iterator[str]:
    names: set[str] = set()
    for p in (*function.returns, *function.params):
        if p.name == "_" and function.body is not None:
            yield "Illegal parameter name '_'"
        if p.name in names:
            yield f"Duplicate definition of variable '{p.name}'"
        names.add(p.name)
        if p.linkage == "hidden" and not function.entry:
            yield "Illegal placement of kernel parameter attribute"
        if p.space == "param":
            if p.type == "pred":
                yield f"Predicate variable '{p.name}' must be in register state space"
            if p.vector or p.type == "f16x2":
                yield f"Variable '{p.name}' cannot be allocated in .param state space"
        elif function.entry:
            yield f"Entry parameter '{p.name}' must have .param state space"
        if p.type not in _DECLARED and p.type in TYPES:
            yield f"Type .{p.type} may only be used as an instruction type"
        if p in function.returns and not all(p.dims):
            yield "Output parameter cannot be an incomplete array."
        if function.entry and not all(p.dims):
            yield "Parameter to entry function cannot be an incomplete array."


def _function(function: ptx.Function, defined: Collection[str]) -> Iterator[str]:
    if function.entry and function.name not in defined and function.linkage != "extern":
        yield f"Unresolved extern function '{function.name}'"
    yield from _parameters(function)
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
        if kind == "attribute" and "unified" in text:
            yield _UNIFIED
        if kind == "pragma" and text.split(" ")[0] in _BODIES:
            yield f"Pragma '{text}' is allowed only within function scope"
