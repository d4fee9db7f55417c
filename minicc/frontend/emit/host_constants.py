"""The host's constants in device code, which has their values and no object: a number of a constant variable, a part of
a constant object. What needs the object itself (a reference, an address) finds the name undefined, as with nvcc.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minicc.frontend import ast
from minicc.frontend.emit.layout import number
from minicc.frontend.sema import constant, flow

if TYPE_CHECKING:
    from minicc.frontend.emit.values import Values


def part(values: Values, e: ast.Expr) -> str:
    """The value of a part of a constant object of the host; nothing where `e` is no such part."""
    root = flow.root_of(e)
    v = root.variable if root is not None else None
    if v is None or v.storage != "host" or not (v.constexpr or v.constant) or values.module.host:
        return ""
    known = constant.evaluate(e, objects=True)
    return number(e.type.bare, known) if known is not None else ""


def refuse_arguments(values: Values, f: ast.Function, args: list[ast.Expr]) -> None:
    """Of a call that no compiler computes beforehand: what its parameters refer to are objects."""
    closure = f.record is not None and f.record.record is not None and f.record.record.closure
    if f.constexpr or f.library or closure:
        return
    for param, arg in zip(f.type.params, args, strict=False):
        if param.kind == "reference":
            refuse(values, arg)


def refuse(values: Values, e: ast.Expr) -> None:
    """`e` is bound to a reference, or its address is taken."""
    if isinstance(e, ast.Conditional) and e.lvalue:
        refuse(values, e.yes)
        refuse(values, e.no)
    elif isinstance(e, ast.Cast) and e.kind in ("relabel", "move"):
        refuse(values, e.operand)
    elif isinstance(e, ast.Comma):
        refuse(values, e.right)
    elif isinstance(e, ast.Name) and not values.module.host:
        v = e.variable
        number_of_host = v.storage in ("host", "member") and v.value is not None and v.type.scalar
        if number_of_host and v.at.source.name[:1] != "<":
            raise values.internal(f'identifier "{v.name}" is undefined in device code', e.at)
