"""Calls against what they call: how many arguments and results there are, and of what type, alignment and space.

`Callees` knows the functions of a module; `check` yields what is wrong with one call, in ptxas's words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from minicc.ptx import model as ptx
from minicc.ptx.names import SIZES

Formals = tuple[Sequence[ptx.Variable], Sequence[ptx.Variable]]
"""Results and parameters."""
Find = Callable[[str], ptx.Statement | None]
"""What a name of a body stands for: a variable, a table of targets, a prototype."""

_NARROW = frozenset({"pred", "u8", "s8", "u16", "s16"})
"""What is not passed by itself; bits and halves are."""
_ELEMENTS = ("$x", "$y", "$z", "$w")
"""How the parser names those of a vector, which may be narrow."""
_MISMATCH = "{} of argument does not match formal parameter '{}'"


class Callees:
    """The functions of a module by name, as they are declared first; entries are none."""

    def __init__(self, module: ptx.Module) -> None:
        self.functions: dict[str, ptx.Function] = {}
        for function in module.functions:
            self.functions.setdefault(function.name, function)
        self.abi = all(len(f.returns) < 2 for f in module.functions)
        """Whether arguments are passed as the ABI has it: a function of two results turns it off for a module."""
        self.tables = {v.name: v for v in module.variables if isinstance(v.init, list)}

    def formals(self, inst: ptx.Inst, find: Find) -> list[Formals] | str:
        """The formal parameters of what may be called, as far as this module says, or why nothing can be."""
        target = next((o for o in inst.operands if not isinstance(o, ptx.Tuple)), None)
        if isinstance(target, ptx.Symbol):
            function = self.functions.get(target.name)
            if function is None:
                return []
            if function.where is not None and inst.where is not None and function.where.start > inst.where.start:
                return f"Call to '{target.name}' requires call prototype"
            return "Illegal call target, device function expected" if function.entry else [_of(function)]
        table = inst.operands[-1]
        if not isinstance(target, ptx.Reg) or not isinstance(table, ptx.Symbol):
            return []
        item = find(table.name)
        if isinstance(item, ptx.Callprototype):
            return [_of(item)]
        names: Sequence[object] = item.targets if isinstance(item, ptx.Branchtargets) else ()
        if (variable := self.tables.get(table.name)) is not None:
            assert isinstance(variable.init, list)
            names = [i.name for i in variable.init if isinstance(i, ptx.Symbol)]
        return [_of(self.functions[n]) for n in names if isinstance(n, str) and n in self.functions]


def _of(item: ptx.Function | ptx.Callprototype) -> Formals:
    return item.returns, item.params


def check(
    inst: ptx.Inst,
    formals: Formals,
    abi: bool,
    own: Mapping[str, ptx.Variable],
    find: Find,
    type_of: Callable[[str], str | None],
) -> Iterator[str]:
    """What is wrong with a call, which follows the ABI or does not; `own` are the formal parameters of the function
    that it stands in."""
    lists = [o.items for o in inst.operands if isinstance(o, ptx.Tuple)]
    leading = bool(inst.operands) and isinstance(inst.operands[0], ptx.Tuple)
    returns = lists.pop(0) if leading else ()
    arguments = lists.pop(0) if lists else ()
    if len(returns) != len(formals[0]) or len(arguments) != len(formals[1]) or lists:
        yield "Call has wrong number of parameters"
        return
    for result, actual, formal in (
        *((True, a, f) for a, f in zip(returns, formals[0], strict=True)),
        *((False, a, f) for a, f in zip(arguments, formals[1], strict=True)),
    ):
        if abi and formal.type in _NARROW and not formal.dims and not formal.name.endswith(_ELEMENTS):
            doing = "returning {} values from" if result else "passing {} parameters to"
            doing = doing.format("predicate, 8-bit and 16-bit")
            yield f"In ABI compilation, {doing} device functions is not supported"
        yield from _passed(actual, formal, result, own, find, type_of)


def _passed(
    actual: ptx.Operand,
    formal: ptx.Variable,
    result: bool,
    own: Mapping[str, ptx.Variable],
    find: Find,
    type_of: Callable[[str], str | None],
) -> Iterator[str]:
    """What is wrong with one argument or result."""
    if isinstance(actual, ptx.Symbol):
        if actual.name == "_":
            if not result:
                yield f"Illegal argument for formal parameter '{formal.name}'"
            return
        if (mine := own.get(actual.name)) is not None and mine.space == "param":
            yield f"Formal parameter '{actual.name}' declared in .param space cannot be used as argument to call"
            return
        given = find(actual.name)
        if not isinstance(given, ptx.Variable) or given.space != "param":
            yield f"Call argument '{actual.name}' has illegal state space"
            return
        if bool(given.dims) != bool(formal.dims) or not _alike(given, formal):
            yield _MISMATCH.format("Type", formal.name)
        if _alignment(given) != _alignment(formal):
            yield _MISMATCH.format("Alignment", formal.name)
    elif isinstance(actual, ptx.Reg):
        type_ = type_of(actual.name)
        if formal.dims or actual.minus or actual.neg or (type_ is not None and not _same(type_, formal.type)):
            yield _MISMATCH.format("Type", formal.name)
    elif isinstance(actual, ptx.Int | ptx.Float):
        wrong = "f" if isinstance(actual, ptx.Int) else "su"
        if formal.dims or formal.type[0] in wrong:
            yield _MISMATCH.format("Type", formal.name)
    else:
        yield f"Illegal argument for formal parameter '{formal.name}'"


def _alike(given: ptx.Variable, formal: ptx.Variable) -> bool:
    """Whether two variables are of as many bytes and of types that agree; a variadic array takes any number."""
    if not formal.dims:
        return _same(given.type, formal.type)
    if all(formal.dims) and _bytes(given) != _bytes(formal):
        return False
    return "b" in (given.type[0], formal.type[0]) or given.type == formal.type


def _same(a: str, b: str) -> bool:
    """Whether scalars of two types agree: of one size, and of one kind unless one is of bits alone."""
    if SIZES.get(a) != SIZES.get(b):
        return False
    kinds = {"i" if t[0] in "us" else "f" if t[0] == "f" and "x" not in t else "b" for t in (a, b)}
    return len(kinds) == 1 or "b" in kinds


def _bytes(variable: ptx.Variable) -> int:
    size = SIZES.get(variable.type, 0) * (variable.vector or 1)
    for dim in variable.dims:
        size *= dim or 0
    return size


def _alignment(variable: ptx.Variable) -> int:
    return variable.align or SIZES.get(variable.type, 1) * (variable.vector or 1)
