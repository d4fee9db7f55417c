"""The compiler's part of <type_traits>: questions about types, and types made of types, that no template answers."""

from __future__ import annotations

from collections.abc import Callable

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.sema.copies import value_type
from minicc.frontend.sema.virtuals import destructor_index
from minicc.frontend.types import Type


def trivially_ended(t: Type) -> bool:
    """Nothing happens where an object ends."""
    record = element(t).record
    virtual = record is not None and any(f.name[0] == "~" for f in record.virtuals)
    return not ty.destructors(t) and not virtual and all(map(trivially_ended, _parts(t)))


def trivially_copied(t: Type, how: str = "copy") -> bool:
    """Copying an object (`how` may also be "move", or "copy=" and "move=" for assigning) is copying its bytes, if it
    can be done at all."""
    record = element(t).record
    if record is None or record.vector:
        return True
    own = record.constructors
    if how.endswith("=") and record.scope is not None:
        found = record.scope.names.get("operator=")
        own = found if isinstance(found, list) else []
    rvalue = how.startswith("move")
    for f in own:
        if not isinstance(f, ast.Function) or len(f.type.params) != 1 or f.deleted or f.defaulted:
            continue
        first = f.type.params[0]
        if value_type(first) is element(t).bare and (first.rvalue == rvalue or (rvalue and how not in record.special)):
            return False
    return not record.tables and all(trivially_copied(p, how) for p in _parts(t))


def trivially_made(t: Type) -> bool:
    """An object is made of nothing by doing nothing, if it can be."""
    record = element(t).record
    if record is None:
        return t.kind != "reference"
    if record.constructors and not record.has_default:
        return record.vector
    plain = not record.tables and all(f.default is None for f in record.fields)
    return plain and all(map(trivially_made, _parts(t)))


def _trivially_copyable(t: Type) -> bool:
    if t.kind == "reference" or t.kind in ("function", "void"):
        return False
    ways = ("copy", "move", "copy=", "move=")
    return trivially_ended(t) and all(trivially_copied(t, how) for how in ways)


def element(t: Type) -> Type:
    """Of an array the type of its elements, else the type itself."""
    while t.kind == "array" and t.elem is not None:
        t = t.elem
    return t


def _parts(t: Type) -> list[Type]:
    """The bases and members of a class."""
    record = element(t).record
    if record is None or record.vector:
        return []
    return [*(base for base, _ in record.bases), *(f.type for f in record.fields[record.inherited :])]


def aggregate(t: Type) -> bool:
    """[dcl.init.aggr]"""
    record = t.record
    if record is None or t.kind == "array":
        return t.kind == "array"
    made = record.constructors or record.has_default or record.special & {"copy", "move"} or record.inherit_from
    return not (made or record.tables or record.closed_bases or record.closed_data or record.closure)


def _standard_layout(t: Type) -> bool:
    """[class.prop]: one class of the hierarchy has members, all under the same access."""
    t = element(t)
    record = t.record
    if record is None or record.vector:
        return t.kind not in ("reference", "function", "void")
    if record.tables or (record.closed_data and any(f.name and f.name not in record.hidden for f in record.fields)):
        return False
    own = record.fields[record.inherited :]
    holders = sum(bool(b.record and b.record.fields) for b, _ in record.bases) + bool(own)
    first = own[0].type if own else None
    return holders <= 1 and all(map(_standard_layout, _parts(t))) and all(first is not b for b, _ in record.bases)


def _base_of(base: Type, derived: Type) -> bool:
    base, derived = base.bare, derived.bare
    return base.record is not None and derived.record is not None and ty.base_offset(derived, base) is not None


QUESTIONS: dict[str, Callable[..., bool]] = {
    "__is_integral": lambda t: t.integral and t.kind != "enum",
    "__is_floating_point": lambda t: t.kind == "float",
    "__is_signed": lambda t: t.arithmetic and (t.kind == "float" or t.signed),
    "__is_unsigned": lambda t: t.integral and not t.signed,
    "__is_enum": lambda t: t.kind == "enum",
    "__is_scoped_enum": lambda t: t.kind == "enum" and t.scoped,
    "__is_union": lambda t: t.record is not None and t.record.tag == "union",
    "__is_class": lambda t: t.record is not None and t.record.tag != "union",
    "__is_function": lambda t: t.kind == "function",
    "__is_empty": lambda t: t.record is not None and not t.record.fields,
    "__is_polymorphic": lambda t: t.record is not None and bool(t.record.tables),
    "__is_abstract": lambda t: t.record is not None and t.record.abstract,
    "__is_aggregate": aggregate,
    "__is_final": lambda t: t.record is not None and t.record.final,
    "__is_standard_layout": _standard_layout,
    "__has_virtual_destructor": lambda t: destructor_index(t.record, frees=False) is not None,
    "__is_trivially_copyable": _trivially_copyable,
    "__is_base_of": _base_of,
    "__is_same": lambda a, b: a is b,
}


def _other_sign(t: Type, signed: bool) -> Type:
    if t.kind == "enum" and t.elem is not None:
        t = t.elem
    code = t.bare.code
    pairs = ("ah", "st", "ij", "lm", "xy", "no")
    code = {"c": "a", "w": "i", "Du": "h", "Ds": "t", "Di": "j"}.get(code, code)
    for pair in pairs:
        if code in pair:
            return ty.qualified(ty.BY_CODE[pair[0 if signed else 1]], t.quals)
    return t


def _decay(t: Type) -> Type:
    if t.kind == "reference" and t.elem is not None:
        t = t.elem
    if t.kind == "array" and t.elem is not None:
        return ty.pointer(t.elem)
    return ty.pointer(t) if t.kind == "function" else t.bare


MAKERS: dict[str, Callable[[Type], Type]] = {
    "__underlying_type": lambda t: t.elem if t.kind == "enum" and t.elem is not None else t,
    "__make_signed": lambda t: _other_sign(t, True),
    "__make_unsigned": lambda t: _other_sign(t, False),
    "__decay": _decay,
}
