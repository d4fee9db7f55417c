"""What overload resolution weighs: candidates, and how well a member function's object fits."""

from __future__ import annotations

import attrs

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.builtins.table import Builtin
from minicc.frontend.sema.convert import EXACT, PROMOTION, is_xvalue
from minicc.frontend.types import Type


@attrs.define(eq=False, repr=False)
class Candidate:
    """A function that a call may mean; `ranks` says how well each argument converts, the object's after them."""

    entity: ast.Function | Builtin
    params: tuple[Type, ...]
    ranks: list[int]
    template: bool = False


def takes(f: ast.Function, base: ast.Expr | None) -> bool:
    """A member function may be called for the object: a constant one needs a const function, and `&&` an rvalue."""
    if base is None or f.this is None:
        return True
    if f.this_quals & ty.ON_RVALUE and base.lvalue and not is_xvalue(base):
        return False
    if f.this_quals & ty.ON_LVALUE and not f.this_quals & ty.CONST and (not base.lvalue or is_xvalue(base)):
        return False
    return not base.type.const or bool(f.this_quals & ty.CONST)


def object_rank(f: ast.Function, base: ast.Expr | None) -> list[int]:
    """How well the object fits: what need not be made const fits better, and `&&` an rvalue."""
    if base is None:
        return []
    if f.this is not None and f.this_quals & ty.ON_RVALUE:
        return [EXACT]
    return [PROMOTION if f.this is not None and f.this_quals & ty.CONST and not base.type.const else EXACT]


def default_count(f: ast.Function) -> int:
    """How many parameters have a default argument."""
    return sum(d is not None for d in f.defaults)
