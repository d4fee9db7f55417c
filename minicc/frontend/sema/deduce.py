"""Template argument deduction: patterns over stand-in types are matched against types.

A pattern is a type read with stand-ins for the template's parameters: `param` for a type parameter, `spec` for a class
template with such arguments, `value` for a constant argument, `pack` for `elem...`, `opaque` for what cannot be deduced
from (`typename T::type`). Matching binds parameter names; packs are bound to tuples.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TypeGuard

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.sema.convert import element_quals
from minicc.frontend.types import Type

Bindings = dict[str, object]

STAND_INS = ("param", "spec", "opaque", "pack", "value")


def dependent(t: Type) -> bool:
    """Mentions a template parameter."""
    while True:
        if t.kind in STAND_INS:
            return True
        if t.kind == "array" and "bound" in t.cache:
            return True
        if t.kind in ("function", "member") and any(dependent(p) for p in t.params):
            return True
        if t.elem is None or t.kind == "enum":
            return False
        t = t.elem


def is_dependent(value: object) -> TypeGuard[Type]:
    """Likewise of any template argument."""
    return isinstance(value, Type) and dependent(value)


class Typed(int):
    """A template argument that is a constant of another type than int, for parameters declared `auto`."""

    type: Type


class Structural:
    """A template argument that is an object of a class: one for each value, whose members mangling spells."""

    __slots__ = ("cells", "init", "type")

    def __init__(self, t: Type, cells: dict[float, int | float], init: ast.Expr) -> None:
        self.type, self.cells, self.init = t, cells, init

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for equal values: zeros do not count, but their signs do."""
        kept = sorted((k, repr(v)) for k, v in self.cells.items() if v or repr(v)[0] == "-")
        return (self.type.record, *kept)


def settled(params: Sequence[ast.TemplateParam], args: Sequence[object]) -> tuple[object, ...]:
    """The arguments, with the types of constants where the parameters are `auto` alone."""

    def one(p: ast.TemplateParam, value: object) -> object:
        if isinstance(value, tuple):
            return tuple(one(p, v) for v in value)
        if isinstance(value, Typed) and value.type.kind != "member" and (p.type is None or p.type.kind != "auto"):
            return int(value)
        return value

    return tuple(one(p, v) for p, v in zip(params, args, strict=False))


def instance_key(args: Sequence[object]) -> tuple[object, ...]:
    """What identifies an instance of settled arguments."""
    key = argument_key(args)
    types = tuple(id(v.type) for v in flatten(args) if isinstance(v, Typed))
    return (key, types) if types else key


def argument_key(args: Sequence[object]) -> tuple[object, ...]:
    """What identifies an instance: types and entities by identity, constants by value."""
    return tuple(argument_key(a) if isinstance(a, tuple) else a if isinstance(a, int | float) else id(a) for a in args)


def flatten(args: Sequence[object]) -> list[object]:
    """Arguments with packs laid out in line."""
    out: list[object] = []
    for a in args:
        if isinstance(a, tuple):
            out += a
        else:
            out.append(a)
    return out


def pack_names(t: object, packs: bool = True) -> set[str]:
    """Names of the packs that a pattern mentions, or of the other parameters."""
    out: set[str] = set()
    work = [t]
    while work:
        t = work.pop()
        if not isinstance(t, Type):
            continue
        if t.kind in ("param", "value") and t.variadic == packs:
            out.add(t.name)
        if isinstance(t.template, str) and not packs:
            out.add(t.template)
        bound = t.cache.get("bound") if t.kind == "array" else None
        work += [t.elem if t.kind != "enum" else None, bound, *t.params]
    return out


def unify_arguments(
    patterns: Sequence[object], given: Sequence[object], bindings: Bindings, whole: bool = True
) -> bool:
    """Match lists of template arguments; `whole`: every given one has to be matched."""
    given = flatten(given)
    k = 0
    for p in patterns:
        if isinstance(p, Type) and p.kind == "pack":
            rest = given[k:]
            k = len(given)
            if not _unify_pack(p, rest, bindings):
                return False
            continue
        if k >= len(given):
            return not whole
        if not unify(p, given[k], bindings):
            return False
        k += 1
    return k >= len(given) or not whole


def _unify_pack(pattern: Type, given: Sequence[object], bindings: Bindings) -> bool:
    names = pack_names(pattern)
    columns: dict[str, list[object]] = {n: [] for n in names}
    for g in given:
        inner = {n: v for n, v in bindings.items() if n not in names}
        if isinstance(g, Type) and g.kind == "pack":
            g = g.elem
        if not unify(pattern.elem, g, inner):
            return False
        for n in names:
            if n in inner:
                columns[n].append(inner.pop(n))
        bindings.update(inner)
    for n in names:
        value = tuple(columns[n])
        if argument_key((bindings.setdefault(n, value),)) != argument_key((value,)):
            return False
    return True


def _bind(bindings: Bindings, name: str, value: object) -> bool:
    old = bindings.setdefault(name, value)
    if argument_key((old,)) == argument_key((value,)):
        return True
    # Patterns are not interned: in partial ordering equal ones may be two objects.
    return is_dependent(old) and is_dependent(value) and pattern_key(old) == pattern_key(value)


def unify(pattern: object, given: object, bindings: Bindings) -> bool:
    """Bind the stand-ins of `pattern` so that it becomes exactly `given`."""
    if not isinstance(pattern, Type):
        return argument_key((pattern,)) == argument_key((given,))
    if pattern.kind == "opaque":
        return True
    if pattern.kind == "value":
        if pattern.name == "?":
            return True
        if isinstance(given, Type) and given.kind != "value":
            return False
        return _bind(bindings, pattern.name, given)
    if pattern.kind == "spec" and isinstance(pattern.template, str) and not pattern.params:
        # A template parameter that is a template.
        return _bind(bindings, pattern.template, given)
    if not isinstance(given, Type) or given.kind == "pack":
        return False
    if pattern.kind == "param":
        return _unify_param(pattern, given, bindings)
    if not dependent(pattern):
        return pattern is given or (given.kind in STAND_INS and pattern_key(pattern) == pattern_key(given))
    if pattern.quals != given.quals:
        return False
    if pattern.kind == "spec":
        return _unify_instance(pattern.bare, given.bare, bindings)
    return pattern.kind == given.kind and _unify_compound(pattern, given, bindings)


def _unify_param(pattern: Type, given: Type, bindings: Bindings) -> bool:
    """A template parameter, perhaps with qualifiers that `given` has to have."""
    quals = pattern.quals
    if quals & ~(given.quals | (element_quals(given) if given.kind == "array" else 0)):
        return False
    if given.kind == "function":
        value = given
    elif given.kind == "array":
        value = ty.unqualified(given) if quals else given
    else:
        value = ty.qualified(given.bare, given.quals & ~quals)
    return _bind(bindings, pattern.name, value)


def _unify_instance(pattern: Type, given: Type, bindings: Bindings) -> bool:
    """An instance of a class template, or of a template parameter that is one."""
    template, args = _instance_of(given)
    if isinstance(pattern.template, str):
        if template is None or not _bind(bindings, pattern.template, template):
            return False
    elif template is not pattern.template:
        return False
    return unify_arguments(pattern.params, args, bindings, whole=_all_given(template, pattern.params))


def _unify_compound(pattern: Type, given: Type, bindings: Bindings) -> bool:
    """Pointers, references, arrays, functions and members, both of one kind."""
    if pattern.kind == "array" and not _unify_bound(pattern, given, bindings):
        return False
    if pattern.kind == "reference" and pattern.rvalue != given.rvalue:
        return False
    if pattern.kind in ("function", "member"):
        if not unify_arguments(pattern.params, given.params, bindings):
            return False
        if pattern.kind == "member" and pattern.elem is not None and pattern.elem.kind == "param" and given.elem:
            # T Class::* for a member function: T is its type with the qualifiers that stand behind its parameters.
            return unify(pattern.elem, ty.member_function(given.elem, given.count), bindings)
        if pattern.count != given.count:
            return False
    return unify(pattern.elem, given.elem, bindings)


def _all_given(template: object, args: Sequence[object]) -> bool:
    """Nothing is left of a template's parameters but a pack: default arguments come into a pattern as it is matched."""
    params = template.params if isinstance(template, ast.ClassTemplate) else []
    if any(isinstance(a, Type) and a.kind == "pack" for a in args[:-1]):
        return False  # [temp.deduct.type] 9: not deduced from.
    return any(p.pack for p in params) and len(args) >= sum(not p.pack for p in params)


def _unify_bound(pattern: Type, given: Type, bindings: Bindings) -> bool:
    name = pattern.cache.get("bound")
    if name is None:
        return pattern.count == given.count
    if given.count < 0 and "bound" not in given.cache:
        return False
    return name.name == "?" or _bind(bindings, name.name, given.cache.get("bound", given.count))


def _instance_of(t: Type) -> tuple[object, Sequence[object]]:
    if t.kind == "spec":
        return t.template, t.params
    if t.record is not None and t.record.template is not None:
        return t.record.template, t.record.template_args
    return None, ()


def match(pattern: Type, given: Type, bindings: Bindings, fixed: frozenset[str]) -> bool:
    """As `unify`, for a function's parameter: qualifiers may be added, a class may be derived, and what does not depend
    on a parameter that is still to be found need only convert."""
    if not dependent(pattern) or pattern.kind == "opaque":
        return True
    if pattern.kind == "param":
        if pattern.name in fixed:
            return True
        quals = element_quals(given) if given.kind == "array" else given.quals
        if pattern.quals & ~quals:
            return False
        value = given
        if given.kind != "array":
            value = ty.qualified(given.bare, quals & ~pattern.quals)
        elif pattern.quals:
            value = ty.qualified(ty.unqualified(given), quals & ~pattern.quals)
        return _bind(bindings, pattern.name, value)
    if pattern.kind == "spec":
        work: list[Type | None] = [given.bare]
        while work:
            t = work.pop(0)
            if t is None:
                continue
            trial = dict(bindings)
            if unify(pattern.bare, t, trial):
                bindings.update(trial)
                return True
            if t.record is not None:
                work += [base for base, _ in t.record.bases]
        return False
    if pattern.kind != given.kind or pattern.elem is None or given.elem is None:
        return False
    if pattern.kind == "array":
        if not _unify_bound(pattern, given, bindings):
            return False
        return match(pattern.elem, given.elem, bindings, fixed)
    if pattern.kind in ("function", "member"):
        return unify(pattern, given, bindings)
    quals = element_quals(pattern.elem)
    if quals & ~element_quals(given.elem) and pattern.kind in ("pointer", "reference"):
        # const T* takes a T*, and const T (*)[n] a T (*)[n]: the qualifier is added.
        return match(pattern.elem, ty.qualified(given.elem, quals), bindings, fixed)
    return match(pattern.elem, given.elem, bindings, fixed)


def match_argument(param: Type, source: Type, lvalue: bool, bindings: Bindings, fixed: frozenset[str]) -> bool:
    """Deduce from an argument of type `source` for the parameter type `param`."""
    if fixed and not pack_names(param) and pack_names(param, packs=False) <= fixed:
        # [temp.arg.explicit]: nothing here is deduced, so the argument need only convert.
        return True
    if param.kind == "reference":
        assert param.elem is not None
        if param.rvalue and param.elem.kind == "param" and not param.elem.quals:
            # A constant object of a class that ends stays one; numbers have no qualifiers then.
            return match(param.elem, ty.reference(source) if lvalue else source, bindings, fixed)
        if element_quals(param.elem) and source.kind != "function":
            source = ty.qualified(source, element_quals(param.elem))
        return match(param.elem, source, bindings, fixed)
    if source.kind == "array":
        assert source.elem is not None
        source = ty.pointer(source.elem)
    elif source.kind == "function":
        source = ty.pointer(source)
    return match(param.bare, source.bare, bindings, fixed)


def _says(pattern: object) -> bool:
    """A parameter can be deduced from what stands in the pattern: not from `typename T::name` alone, to which an
    argument need only convert."""
    if not isinstance(pattern, Type) or pattern.kind == "opaque":
        return False
    if pattern.kind in ("param", "value", "pack") or (pattern.kind == "array" and "bound" in pattern.cache):
        return True
    if pattern.kind == "spec" and isinstance(pattern.template, str):
        return True
    return any(map(_says, pattern.params or ())) or (pattern.kind != "enum" and _says(pattern.elem))


def deduce_call(
    template: ast.FunctionTemplate, args: Sequence[tuple[Type, bool] | None], bindings: Bindings, fixed: frozenset[str]
) -> bool:
    """Bind what the arguments of a call say: (type, lvalue) of each, None where it says nothing."""
    pattern = template.pattern
    if pattern is None:
        return True
    formals = pattern.params
    tail = formals[-1] if formals and formals[-1].kind == "pack" else None
    plain = formals[:-1] if tail is not None else formals
    if len(args) < template.required or (len(args) > len(plain) and tail is None and not pattern.variadic):
        return False
    for arg, formal in zip(args, plain, strict=False):
        if arg is not None and _says(formal) and not match_argument(formal, *arg, bindings, fixed):
            return False
    if tail is None:
        return True
    assert tail.elem is not None
    names = pack_names(tail)
    columns: dict[str, list[object]] = {n: [] for n in names}
    before = {n: bindings.get(n, ()) for n in names}
    for k, arg in enumerate(args[len(plain) :]):
        inner = {n: v for n, v in bindings.items() if n not in names}
        known = {n: v[k] for n, v in before.items() if isinstance(v, tuple) and k < len(v)}
        inner.update(known)
        if arg is not None and not match_argument(tail.elem, *arg, inner, fixed | frozenset(known)):
            return False
        for n in names:
            if n not in inner:
                return False
            columns[n].append(inner.pop(n))
        bindings.update(inner)
    bindings.update({n: tuple(v) for n, v in columns.items()})
    return True


def more_specialised(a: Sequence[object], b: Sequence[object]) -> bool:
    """Pattern `a` fits where `b` does, and not the other way about."""
    return unify_arguments(b, a, {}) and not unify_arguments(a, b, {})


def more_qualified(a: Type, b: Type) -> bool:
    """[temp.deduct.partial] 9: of function patterns that fit each other's arguments, `a` has references to lvalues
    where the other's are to rvalues, or to what is more qualified."""
    pairs = [(_reference(p), _reference(q)) for p, q in zip(a.params, b.params, strict=False)]
    marks = [(_marks(p), _marks(q)) for p, q in pairs if p is not None and q is not None]
    return all(p | q == p for p, q in marks) and any(p != q for p, q in marks)


def _reference(p: Type) -> Type | None:
    """A parameter that is a reference, or each of a pack of such."""
    each = p.elem if p.kind == "pack" else p
    return each if each is not None and each.kind == "reference" else None


def _marks(reference: Type) -> int:
    assert reference.elem is not None
    return reference.elem.quals | (0 if reference.rvalue else 1 << 8)


def call_pattern(t: Type) -> list[object]:
    """Parameter types of a function pattern as partial ordering compares them: without references and qualifiers."""
    out: list[object] = []
    for p in t.params:
        if p.kind == "pack" and p.elem is not None and p.elem.kind == "reference" and p.elem.elem is not None:
            pack = copy(p)
            pack.elem = p.elem.elem.bare
            p = pack
        if p.kind == "reference" and p.elem is not None:
            p = p.elem
        out.append(p.bare)
    return out


def pattern_key(t: Type | None) -> str:
    """A pattern's spelling with parameters by number: equal for redeclarations of one template."""
    if t is None:
        return "-"
    quals = f"q{t.quals}" if t.quals else ""
    if t.kind == "param":
        return f"{quals}T{t.count}"
    if t.kind == "value":
        return (_said_value(t) if t.name == "?" else None) or "V"
    inner = ",".join(pattern_key(p) if isinstance(p, Type) else str(p) for p in t.params)
    if t.kind == "opaque":
        return f"{quals}?{t.name}({inner})"
    if t.kind == "spec":
        return f"{quals}{t.name}<{inner}>"
    if t.kind in ("pointer", "reference", "array", "function", "member", "pack"):
        return f"{quals}{t.kind}{t.rvalue:d}{t.count if t.kind == 'array' else ''}({pattern_key(t.elem)};{inner})"
    return quals + str(id(t.bare))


def unspoken(t: Type) -> bool:
    """Something in a stand-in is not known well enough to be named."""
    if t.kind == "opaque":
        return not t.params
    if t.kind == "value":
        return _said_value(t) is None
    if t.kind == "param":
        return t.name == "?"
    return any(isinstance(p, Type) and unspoken(p) for p in t.params) or (t.elem is not None and unspoken(t.elem))


def _said(what: object) -> str | None:
    """What a number depends on, as text: an expression, what was asked of a type, a member; None if not known."""
    if isinstance(what, ast.Asked):
        return None if unspoken(what.of) else f"{what.how} {pattern_key(what.of)}"
    if isinstance(what, Type):
        owner = what.params[0] if what.params else what
        known = not unspoken(owner) and (owner.kind == "param" or isinstance(owner.template, ast.ClassTemplate))
        return pattern_key(what) if known else None
    if isinstance(what, ast.Name):
        stand_in = what.variable.stand_in
        return str(id(what.variable)) if stand_in is None else _said_value(stand_in)
    if isinstance(what, ast.Number):
        return str(what.value)
    parts: tuple[ast.Expr, ...]
    if isinstance(what, ast.Conditional):
        parts, op = (what.condition, what.yes, what.no), "?"
    elif isinstance(what, ast.Binary | ast.Logical):
        parts, op = (what.left, what.right), what.op
    elif isinstance(what, ast.Cast | ast.Unary):
        parts, op = (what.operand,), what.op if isinstance(what, ast.Unary) else ""
    else:
        return None
    said = [_said(p) for p in parts]
    return None if None in said else f"({op} {' '.join(map(str, said))})"


def _said_value(t: Type) -> str | None:
    if t.name != "?":
        return f"V{t.count}"
    if isinstance(t.template, ast.StandInVariable):
        args = [pattern_key(p) if isinstance(p, Type) else str(p) for p in t.template.args]
        return f"{id(t.template.template)}<{','.join(args)}>"
    return _said(t.template)
