"""What copying, moving and assigning objects of a class comes to: functions of its own or of its parts."""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend.types import Type


def assigns_members(t: Type) -> bool:
    """A member or base has an operator= of its own for objects of its class, somewhere within."""
    record = t.record
    if record is None or record.vector:
        return False
    parts = [*(b for b, _ in record.bases), *(f.type for f in record.fields[record.inherited :])]
    return any(
        p.record is not None
        and p.record.scope is not None
        and (assigns(p.record.scope.names.get("operator="), p.bare) or assigns_members(p))
        for p in parts
    )


def simple(e: ast.Expr) -> bool:
    """Evaluating it again is the same."""
    while isinstance(e, ast.Member | ast.Deref | ast.Cast):
        e = e.base if isinstance(e, ast.Member) else e.operand
    return isinstance(e, ast.Name)


def copies(f: ast.Function, t: Type) -> bool:
    params = f.type.params
    return (
        len(params) == 1
        and params[0].kind == "reference"
        and params[0].elem is not None
        and params[0].elem.bare is t.bare
    )


def copy_constructors(t: Type) -> list[ast.Function]:
    """A class's own constructors from objects of it, those that do nothing left out."""
    assert t.record is not None
    own = [c for c in t.record.constructors if isinstance(c, ast.Function) and copies(c, t)]
    return [c for c in own if c.body is None or c.body.items or c.inits or c.pending]


def assigns(members: object, t: Type) -> bool:
    """One of the operator= assigns objects of the class itself."""
    own = members if isinstance(members, list) else []
    return any(isinstance(f, ast.Function) and f.params and value_type(f.params[0].type) is t for f in own)


def takes_rvalues(t: Type) -> bool:
    """A class has a constructor that moves from its argument."""
    own = t.record.constructors if t.record is not None else ()
    return any(isinstance(f, ast.Function) and f.params and f.params[0].type.rvalue for f in own)


def copies_members(t: Type) -> bool:
    """Copying an object of class `t` calls a copy constructor of a member or base."""
    record = t.record
    if record is None or record.vector:
        return False
    parts = [*(b for b, _ in record.bases), *(f.type for f in record.fields[record.inherited :])]
    return any(
        p.record is not None and (p.record.moves_only or copy_constructors(p.bare) or copies_members(p.bare))
        for p in parts
    )


def value_type(t: Type) -> Type:
    return t.elem.bare if t.kind == "reference" and t.elem is not None else t.bare
