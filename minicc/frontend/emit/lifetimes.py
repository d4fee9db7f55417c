"""Objects that end, and the temporaries that references keep alive ([class.temporary])."""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend.sema.convert import subscripted
from minicc.record import NamedTuple


class Living(NamedTuple):
    """An object whose destructors are to run."""

    address: str
    ends: list[tuple[int, ast.Function]]
    """The destructors, in order, with the offsets of what they end."""
    flag: str = ""
    """Where memory says whether the object came to be; empty: it did."""
    made: int = 0
    """The identity of the tree's `Temporary`, if it is one."""


def bound(e: ast.Expr) -> set[int]:
    """The temporaries that a reference to `e` refers to, or to a part of which it does, and what those keep alive."""
    if isinstance(e, ast.Temporary):
        return {id(e)} | kept(e.operand)
    if isinstance(e, ast.Member):
        return bound(e.base)
    if isinstance(e, ast.Cast) and e.kind in ("relabel", "move"):
        return bound(e.operand)
    if isinstance(e, ast.Comma):
        return bound(e.right)
    if isinstance(e, ast.Conditional):
        return bound(e.yes) | bound(e.no)
    array = subscripted(e)
    return bound(array) if array is not None else set()


def kept(e: ast.Expr) -> set[int]:
    """The temporaries that live as long as an object of which `e` is the value: its references are bound to them, or
    it is a std::initializer_list of them."""
    if isinstance(e, ast.AddressOf):
        return bound(e.operand)
    if isinstance(e, ast.Cast) and e.kind == "decay" and isinstance(e.operand, ast.Temporary):
        return bound(e.operand)
    if isinstance(e, ast.Comma):
        return kept(e.right)
    if isinstance(e, ast.Conditional):
        return kept(e.yes) | kept(e.no)
    return set().union(*(kept(part) for _, _, part in e.parts)) if isinstance(e, ast.Init) else set()
