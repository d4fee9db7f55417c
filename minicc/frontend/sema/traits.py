"""The compiler's part of <type_traits>: questions about types, and types made of types, that no template answers."""

from __future__ import annotations

from collections.abc import Callable

from minicc.frontend import types as ty
from minicc.frontend.types import Record, Type


def _record(t: Type) -> Record | None:
    return t.record


def _trivially_copyable(t: Type) -> bool:
    while t.kind == "array" and t.elem is not None:
        t = t.elem
    if t.kind == "reference":
        return False
    record = t.record
    if record is None:
        return True
    if record.destructor is not None:
        return False
    return all(_trivially_copyable(f.type) for f in record.fields if f.type.kind != "reference")


def _trivial(t: Type) -> bool:
    while t.kind == "array" and t.elem is not None:
        t = t.elem
    if t.record is None:
        return t.kind != "reference"
    plain = not t.record.constructors or t.record.has_default
    return plain and _trivially_copyable(t) and all(f.default is None and _trivial(f.type) for f in t.record.fields)


def _base_of(base: Type, derived: Type) -> bool:
    base, derived = base.bare, derived.bare
    return base.record is not None and derived.record is not None and ty.base_offset(derived, base) is not None


QUESTIONS: dict[str, Callable[..., bool]] = {
    "__is_integral": lambda t: t.integral and t.kind != "enum",
    "__is_floating_point": lambda t: t.kind == "float",
    "__is_signed": lambda t: t.arithmetic and (t.kind == "float" or t.signed),
    "__is_unsigned": lambda t: t.integral and not t.signed,
    "__is_enum": lambda t: t.kind == "enum",
    "__is_union": lambda t: t.record is not None and t.record.tag == "union",
    "__is_class": lambda t: t.record is not None and t.record.tag != "union",
    "__is_function": lambda t: t.kind == "function",
    "__is_empty": lambda t: t.record is not None and not t.record.fields,
    "__is_polymorphic": lambda t: t.record is not None and bool(t.record.tables),
    "__is_abstract": lambda t: (
        any(s.function and s.function.pure for _, table in t.record.tables for s in table)
        if t.record is not None
        else False
    ),
    "__is_aggregate": lambda t: t.kind == "array" or (t.record is not None and not t.record.constructors),
    "__is_trivial": _trivial,
    "__is_pod": _trivial,
    "__is_trivially_copyable": _trivially_copyable,
    "__is_base_of": _base_of,
    "__is_same": lambda a, b: a is b,
}
ASKED_OF_CONVERSIONS = ("__is_convertible_to", "__is_convertible", "__is_constructible", "__is_assignable")


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
