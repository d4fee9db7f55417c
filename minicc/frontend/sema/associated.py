"""Argument-dependent lookup: the namespaces and friends that the classes of a call's arguments bring in."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from minicc.frontend import ast
from minicc.frontend.entities import others
from minicc.frontend.types import Type


def with_associated(name: str, functions: list[object], args: list[ast.Expr]) -> list[object]:
    """`functions`, and those of the namespaces and friends of the arguments' classes."""
    out = list(functions)
    seen: list[ast.Scope] = []
    classes: set[int] = set()
    for e in args:
        _associate(e.type, seen, classes)
    known = set(map(id, out)) if seen else set()
    for scope in seen:
        found = scope.names.get(name)
        if isinstance(found, list):
            out += others(out, [f for f in found if id(f) not in known])
            known.update(map(id, found))
    return visible(out, classes)


def visible(functions: list[Any], classes: Collection[int] = ()) -> list[object]:
    """Those that are no friends of a class alone, and the friends of `classes` (by identity)."""
    return [f for f in functions if f.befriended is None or any(id(record) in classes for record in f.befriended)]


def of_class(e: ast.Expr) -> bool:
    """An argument of a class or enumeration, or a pointer to one."""
    t = e.type
    while t.elem is not None and t.kind in ("pointer", "array"):
        t = t.elem
    return t.record is not None or t.kind == "enum"


def _associate(t: Type, seen: list[ast.Scope], classes: set[int]) -> None:
    """Add what argument-dependent lookup searches for an argument of type `t`: the scopes around its class, its base
    classes and its template arguments, with a namespace the inline ones in it and around it; and those classes and
    the ones around them."""
    done: set[int] = set()
    work = [t]
    while work:
        t = work.pop()
        while t.elem is not None and t.kind in ("pointer", "reference", "array"):
            t = t.elem
        record = t.record
        if record is None:
            scope = t.template if t.kind == "enum" and isinstance(t.template, ast.Scope) else None
        elif id(record) in done:
            continue
        else:
            done.add(id(record))
            scope = record.scope.parent if record.scope is not None else None
            work += [base for base, _ in record.bases]
            for arg in record.template_args:
                work += [v for v in (arg if isinstance(arg, tuple) else (arg,)) if isinstance(v, Type)]
        while scope is not None and scope not in seen:
            if scope.record is not None:
                classes.add(id(scope.record))
            seen.append(scope)
            if scope.kind == "namespace":
                seen += [s for s in scope.using if s.inline and s not in seen]
                if not scope.inline:
                    break
            scope = scope.parent
    classes |= done


__all__ = ["of_class", "visible", "with_associated"]
