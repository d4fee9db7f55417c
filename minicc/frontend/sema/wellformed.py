"""What a declaration may not be, though its parts are well: parameters of operators, words where they mean nothing,
special member functions that a class does not have."""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.sema.access import closed_destructor
from minicc.frontend.sema.candidates import default_count
from minicc.frontend.types import Type

_BINARY = frozenset("/ % ^ | < > = += -= *= /= %= ^= &= |= << >> <<= >>= == != <= >= <=> && || , ->* []".split())
_UNARY = frozenset("! ~ ->".split())
_EITHER = frozenset("+ - * & ++ --".split())
_MEMBERS = frozenset("= [] -> ()".split())
_LETTERS = (ty.CHAR, ty.WCHAR, ty.CHAR8, ty.CHAR16, ty.CHAR32)
_TEXTS = [ty.pointer(ty.qualified(t, ty.CONST)) for t in _LETTERS]
_LITERAL = [[t] for t in (*_LETTERS, ty.ULLONG, ty.LDOUBLE, _TEXTS[0])] + [[t, ty.ULONG] for t in _TEXTS]
"""What a literal operator takes ([over.literal])."""


def operator_fault(f: ast.Function) -> str | None:
    """What is wrong with the parameters of an operator function ([over.oper])."""
    sign = f.name.removeprefix("operator")
    if sign.startswith('""') and list(f.type.params) not in _LITERAL and not f.template:
        return f"invalid literal operator parameter list of '{f.name}'"
    if sign in (" new", " new[]") and f.type.elem is not ty.pointer(ty.VOID):
        return f"'{f.name}' must return type 'void *'"
    if sign == f.name or (sign not in _MEMBERS and sign not in _BINARY | _UNARY | _EITHER):
        return None
    params = f.type.params
    if sign != "()" and default_count(f):
        return f"parameter of overloaded '{f.name}' cannot have a default argument"
    member = f.this is not None
    if not member and sign in _MEMBERS:
        return None if f.record is not None and sign in ("()", "[]") else f"overloaded '{f.name}' must be a member"
    if not member and f.record is not None:
        return f"overloaded '{f.name}' cannot be a static member function"
    if sign == "()":
        return None
    count = len(params) + member
    fits = count == 2 if sign in _BINARY else count == 1 if sign in _UNARY else count in (1, 2)
    if not fits:
        kind = "binary" if sign in _BINARY else "unary" if sign in _UNARY else "unary or binary"
        given = f"{count} parameter{'' if count == 1 else 's'}"
        return f"overloaded '{f.name}' must be a {kind} operator (has {given})"
    if sign in ("++", "--") and count == 2 and params[-1].bare is not ty.INT:
        return f"parameter of overloaded post-{'in' if sign == '++' else 'de'}crement operator must have type 'int'"
    if member or any(_of_user(p) for p in params):
        return None
    return f"overloaded '{f.name}' must have at least one parameter of class or enumeration type"


def _of_user(t: Type) -> bool:
    t = t.elem if t.kind == "reference" and t.elem is not None else t
    return t.kind not in ("int", "bool", "float", "pointer", "array", "nullptr", "member")


def undefaultable(t: Type) -> bool:
    """The default constructor of a class that declares none is deleted ([class.default.ctor]), or it has none."""
    while t.kind == "array" and t.elem is not None:
        t = t.elem
    record = t.record
    if record is None or record.vector or record.has_default:
        return False
    if record.closure:
        return bool(record.fields)
    if record.constructors:
        own = [c for c in record.constructors if takes_nothing(c)]
        return not own or any(isinstance(c, ast.Function) and c.deleted for c in own)
    if any(undefaultable(base) for base, _ in record.bases):
        return True
    parts = [*(base for base, _ in record.bases), *(f.type for f in record.fields[record.inherited :])]
    if any(closed_destructor(part, record.scope, None) for part in parts):
        return True
    fields = [f for f in record.fields[record.inherited :] if f.default is None]
    if record.tag == "union":
        return len(fields) == len(record.fields) and any(_begins(f.type) for f in fields)
    return any(
        f.type.kind == "reference" or (f.name and f.type.const and f.type.scalar) or undefaultable(f.type)
        for f in fields
    )


def no_default(t: Type) -> str:
    """What is wrong with making an `undefaultable` class of nothing, in clang's words."""
    record = t.record
    assert record is not None
    if any(takes_nothing(c) for c in record.constructors):
        return f"call to deleted constructor of '{t}'"
    if record.constructors or record.closure:
        return f"no matching constructor for initialization of '{t}'"
    return f"call to implicitly-deleted default constructor of '{t}'"


def takes_nothing(c: ast.Function | ast.FunctionTemplate) -> bool:
    if isinstance(c, ast.FunctionTemplate):
        return c.required == 0
    return len(c.type.params) == default_count(c)


def _begins(t: Type) -> bool:
    """The default constructor of a class does something, or is none."""
    while t.kind == "array" and t.elem is not None:
        t = t.elem
    record = t.record
    if record is None or record.vector:
        return record is not None and record.name == "dim3"
    if record.constructors and not record.has_default:
        return True
    parts = [*(base for base, _ in record.bases), *(f.type for f in record.fields[record.inherited :])]
    return any(f.default is not None for f in record.fields) or any(map(_begins, parts))


def unassignable(t: Type) -> bool:
    """The implicit operator= of a class is deleted, as it has a constant or a reference ([class.copy.assign])."""
    while t.kind == "array" and t.elem is not None:
        t = t.elem
    record = t.record
    if t.const or t.kind == "reference":
        return True
    if record is None or record.vector:
        return False
    if record.scope is not None and isinstance(record.scope.names.get("operator="), list):
        return False
    return any(unassignable(f.type) for f in record.fields[record.inherited :] if f.name or f.type.record) or any(
        unassignable(base) for base, _ in record.bases
    )
