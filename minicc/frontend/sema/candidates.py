"""What overload resolution weighs: candidates, and how well a member function's object fits."""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.builtins.table import Builtin
from minicc.frontend.sema.convert import CONVERSION, EXACT, PROMOTION, is_derived, is_xvalue
from minicc.frontend.types import Type


class Candidate:
    """A function that a call may mean; `ranks` says how well each argument converts, the object's after them."""

    def __init__(
        self, entity: ast.Function | Builtin, params: tuple[Type, ...], ranks: list[int], template: bool = False
    ) -> None:
        self.entity, self.params, self.ranks, self.template = entity, params, ranks, template


def takes(f: ast.Function, base: ast.Expr | None) -> bool:
    """A member function may be called for the object: const and volatile ones need such a function, `&&` an rvalue."""
    if base is None or f.this is None:
        return True
    if f.this_quals & ty.ON_RVALUE and base.lvalue and not is_xvalue(base):
        return False
    if f.this_quals & ty.ON_LVALUE and not f.this_quals & ty.CONST and (not base.lvalue or is_xvalue(base)):
        return False
    return not base.type.quals & (ty.CONST | ty.VOLATILE) & ~f.this_quals


def object_rank(f: ast.Function, base: ast.Expr | None) -> list[int]:
    """How well the object fits: what need not be made const or volatile fits better, and an rvalue `&&` than `&`."""
    if base is None:
        return []
    if f.this is not None and f.this_quals & ty.ON_LVALUE and (not base.lvalue or is_xvalue(base)):
        return [CONVERSION]
    added = f.this_quals & (ty.CONST | ty.VOLATILE) & ~base.type.quals if f.this is not None else 0
    return [(EXACT, PROMOTION, CONVERSION)[added.bit_count()]]


def nearer(p: Type, q: Type) -> bool:
    """Whether a derived class's object, or a pointer, converts better to `p` than to `q`: to the base that is derived
    from the other, to a class rather than to void *, to any pointer rather than to bool ([over.ics.rank])."""
    if p.kind == "pointer" and q.kind == "bool":
        return True
    if p.kind == q.kind == "pointer" and p.elem is not None and q.elem is not None:
        return is_derived(p.elem.bare, q.elem.bare) or (q.elem.kind == "void" and p.elem.kind == "record")
    p, q = (t.elem if t.kind == "reference" and t.elem is not None else t for t in (p, q))
    return is_derived(p.bare, q.bare)


def default_count(f: ast.Function) -> int:
    """How many parameters have a default argument."""
    return len(f.defaults) - f.defaults.count(None)
