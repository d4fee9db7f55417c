"""Itanium C++ name mangling, as far as device code needs it; checked against nvcc in the tests."""

from __future__ import annotations

import re
import struct

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.sema.deduce import Structural, Typed, dependent
from minicc.frontend.types import Type

_OPERATORS = {
    "+": "pl", "-": "mi", "*": "ml", "/": "dv", "%": "rm", "^": "eo", "&": "an", "|": "or", "~": "co", "!": "nt", "=": "aS",  # noqa: E501
    "<": "lt", ">": "gt", "+=": "pL", "-=": "mI", "*=": "mL", "/=": "dV", "%=": "rM", "^=": "eO", "&=": "aN", "|=": "oR",  # noqa: E501
    "<<": "ls", ">>": "rs", "<<=": "lS", ">>=": "rS", "==": "eq", "!=": "ne", "<=": "le", ">=": "ge", "&&": "aa", "||": "oo",  # noqa: E501
    "++": "pp", "--": "mm", ",": "cm", "->": "pt", "()": "cl", "[]": "ix",
}  # fmt: skip
_UNARY = {"+": "ps", "-": "ng", "*": "de", "&": "ad"}


_PARAMETER = r"T\d+_"
"""What `plain_type` says of a template's parameter."""


class Mangler:
    """One symbol's mangling: substitutions are counted per symbol."""

    def __init__(self) -> None:
        self.seen: dict[str, int] = {}
        self.level = 0
        """Templates around the function that is being named: parameters of another level are other types."""

    # Substitution keys are the mangling without substitutions, so each component is produced twice over.

    def _sub(self, key: str) -> str | None:
        n = self.seen.get(self._levelled(key))
        if n is None:
            return None
        if n == 0:
            return "S_"
        digits = ""
        n -= 1
        while True:
            digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[n % 36] + digits
            n //= 36
            if n == 0:
                return f"S{digits}_"

    def _add(self, key: str) -> None:
        self.seen.setdefault(self._levelled(key), len(self.seen))

    def _levelled(self, key: str) -> str:
        return f"{key}@{self.level}" if self.level and re.search(_PARAMETER, key) else key

    def type(self, t: Type) -> str:
        if t.quals:
            key = plain_type(t)
            found = self._sub(key)
            if found is not None:
                return found
            out = ("V" if t.quals & 2 else "") + ("K" if t.quals & 1 else "") + self.type(t.bare)
            self._add(key)
            return out
        if t.kind in ("void", "bool", "int", "float", "nullptr"):
            return t.code
        key = plain_type(t)
        found = self._sub(key)
        if found is not None:
            return found
        if t.kind == "pointer":
            assert t.elem is not None
            out = "P" + self.type(t.elem)
        elif t.kind == "reference":
            assert t.elem is not None
            out = ("O" if t.rvalue else "R") + self.type(t.elem)
        elif t.kind == "array":
            assert t.elem is not None
            bound = t.cache.get("bound")
            out = f"A{t.count if t.count >= 0 else '' if bound is None else self._stand_in(bound)}_" + self.type(t.elem)
        elif t.kind == "function":
            assert t.elem is not None
            end = "zE" if t.variadic else "E"
            out = (
                "F" + self.type(t.elem) + ("".join(self.type(p) for p in t.params) or ("" if t.variadic else "v")) + end
            )
        elif t.kind == "member":
            assert t.elem is not None
            out = "M" + self.type(t.params[0]) + ("K" if t.count & 1 else "") + self.type(t.elem)
        elif t.kind == "param":
            out = _parameter(t.count)
        elif t.kind == "pack":
            assert t.elem is not None
            out = "Dp" + self.type(t.elem)
        elif t.kind == "spec":
            out = self._spec(t)
        elif t.kind == "record" and t.record is not None:
            return self._record(t)
        elif t.kind == "opaque" and t.params:
            # typename T::name
            inner = self.type(t.params[0])
            inner = inner[1:-1] if inner.startswith("N") else inner
            out = f"N{inner}{''.join(f'{len(n)}{n}' for n in t.name.split('::'))}E"
        elif t.kind == "enum" and isinstance(t.template, ast.Scope) and _enclosing(t.template):
            out = f"N{self._within(t.template)}{len(t.name)}{t.name}E"
        else:
            out = f"{len(t.name)}{t.name}"
        self._add(key)
        return out

    def _stand_in(self, bound: Type) -> str:
        return _parameter(bound.count)

    # A name's prefix is that of what encloses it and the name itself: a substitution, or made of one. Each is kept as
    # text without N and E; a name within a function is local to it: Z, the function's encoding, E, then what is inside.

    def _within(self, scope: ast.Scope | None) -> str:
        """The prefix for what is declared in `scope`; empty in the global namespace."""
        while scope is not None and scope.kind not in ("namespace", "record"):
            scope = scope.parent
        if scope is None:
            return ""
        if scope.record is not None and scope.record_type is not None:
            return self._class(scope.record_type)
        if scope.name == "std" and not _enclosing(scope.parent):
            return "St"
        key = f"scope{id(scope)}"
        found = self._sub(key)
        if found is None:
            found = self._within(scope.parent) + _source_name(scope)
            self._add(key)
        return found

    def _template(self, template: ast.ClassTemplate, name: str) -> str:
        """The prefix that names a class template."""
        key = f"template{id(template)}"
        found = self._sub(key)
        if found is None:
            scope = template.scope
            found = self._within(scope) + _sized(name)
            self._add(key)
        return found

    def _class(self, t: Type) -> str:
        """The prefix that names a class."""
        record = t.record
        assert record is not None
        key = plain_type(t)
        found = self._sub(key)
        if found is not None:
            return found
        if isinstance(record.template, ast.ClassTemplate):
            found = self._template(record.template, record.template_name)
            found += self.template_args(record.template_args, record.template.params)
        elif isinstance(record.owner, ast.Function):
            found = f"Z{self.encoding(record.owner)}E" + self._local_name(record)
        else:
            found = self._within(record.scope.parent if record.scope is not None else None)
            found += self._local_name(record) if record.closure else _sized(record.name)
        self._add(key)
        return found

    def _local_name(self, record: ty.Record) -> str:
        """A closure's name, or that of a class in a function; those alike are numbered from the second on."""
        if not record.closure:
            number = record.number - 1
            return _sized(record.name) + ("" if number < 0 else f"_{number}" if number < 10 else f"__{number}_")
        number = record.number - 1
        return f"Ul{self.signature(record)}E{'' if number < 0 else number}_"

    def signature(self, record: ty.Record) -> str:
        """The parameters of a lambda; an `auto` one is of the level below the templates around the lambda."""
        found = record.scope.names.get("operator()") if record.scope is not None else None
        f = found[0] if isinstance(found, list) else None
        t = f.pattern if isinstance(f, ast.FunctionTemplate) else f.type if isinstance(f, ast.Function) else None
        params = t.params if t is not None else ()
        outer, owner = self.level, record.owner
        if isinstance(owner, ast.Function):
            around = sum(s.record is not None and s.record.template is not None for s in _enclosing(owner.scope))
            self.level = around + (owner.template is not None)
        out = "".join(self.type(ty.unqualified(p) if p.kind != "param" else p.bare) for p in params) or "v"
        self.level = outer
        return out

    def _spec(self, t: Type) -> str:
        """A class template with arguments that depend on parameters."""
        template = t.template
        if not isinstance(template, ast.ClassTemplate):
            key = f"T{t.count}_"
            name = self._sub(key) or _parameter(t.count)
            self._add(key)
            return name + self.template_args(tuple(t.params), [])
        out = self._template(template, t.name) + self.template_args(_grouped(t, template), template.params)
        return f"N{out}E" if self._nests(template.scope) else out

    def _nests(self, scope: ast.Scope | None) -> bool:
        """What is declared in `scope` has a nested name."""
        scopes = _enclosing(scope)
        return bool(scopes) and not (len(scopes) == 1 and scopes[0].name == "std" and scopes[0].kind == "namespace")

    def _template_name(self, template: ast.ClassTemplate) -> str:
        """A template as an argument of another."""
        key = f"template{id(template)}"
        if self._sub(key) is not None:
            return self._template(template, template.name)
        out = self._template(template, template.name)
        return f"N{out}E" if self._nests(template.scope) else out

    def _record(self, t: Type) -> str:
        record = t.record
        assert record is not None
        out = self._class(t)
        template = record.template
        scope = template.scope if isinstance(template, ast.ClassTemplate) else record.scope and record.scope.parent
        if isinstance(record.owner, ast.Function):
            return out
        return f"N{out}E" if self._nests(scope) else out

    def encoding(self, f: ast.Function) -> str:
        """A function's name and type, after _Z."""
        outer = self.level
        self.level = sum(s.record is not None and s.record.template is not None for s in _enclosing(f.scope))
        out = self._encoding(f)
        self.level = outer
        return out

    def _encoding(self, f: ast.Function) -> str:
        scopes = _enclosing(f.scope)
        if f.extern_c or (f.name == "main" and not scopes):
            return _sized(f.name)
        # A kernel has a stub of the same name on the host, hence no internal name, static or not.
        plain = f.record is None and f.template is None and not scopes and f.space != "global"
        internal = "L" if f.static and plain else ""
        name = internal + _unqualified(f)
        inner = scopes[-1].record if scopes else None
        local = ""
        if inner is not None and isinstance(inner.owner, ast.Function):
            # A member of a local class: Z, the function, E, and the name within it.
            local = f"Z{self.encoding(inner.owner)}E"
            name = "N" + _this_quals(f) + self._local_name(inner) + name
        out = local + name
        if scopes and not local:
            out = "N" + _this_quals(f) + self._within(f.scope) + name
        params = f.type.params
        if f.template is not None:
            self._add(f"function{id(f.template)}")
            out += self.template_args(f.template_args, f.template.params)
            if scopes:
                out += "E"
            pattern = f.template.pattern
            if pattern is not None:
                params = pattern.params
                if pattern.elem is not None and not f.constructor:
                    out += self.type(pattern.elem)
        elif scopes:
            out += "E"
        out += "".join(self.type(ty.unqualified(p) if p.kind != "param" else p.bare) for p in params) or "v"
        return out + "z" if f.type.variadic else out

    def template_args(self, args: tuple[object, ...], params: list[ast.TemplateParam]) -> str:
        out = "I"
        for k, value in enumerate(args):
            if isinstance(value, Type) and value.kind not in ("value", "pack"):
                out += self.type(value)
                continue
            own = params[k].type if k < len(params) else None
            if own is not None and own.kind == "param" and own.count < len(args):
                # template <typename T, T V>
                given = args[own.count]
                own = given if isinstance(given, Type) else None
            if isinstance(value, tuple):
                out += "J" + "".join(self._argument(v, own) for v in value) + "E"
            else:
                out += self._argument(value, own)
        return out + "E"

    def _argument(self, value: object, declared: Type | None) -> str:
        """An argument for a parameter declared with that type, where it is a value."""
        if isinstance(value, Type):
            if value.kind == "pack" and value.elem is not None and value.elem.kind == "value":
                # Without "sp", as NVIDIA's front end has it.
                return f"X{_parameter(value.elem.count)}E"
            # A parameter that is a value is an expression.
            if value.kind == "value":
                out = self._stood(value)
                return out if out.startswith("L") else f"X{out}E"
            return self.type(value)
        if isinstance(value, ast.Function):
            return f"XadL_Z{self.encoding(value)}EE"
        if isinstance(value, ast.Variable):
            by_reference = declared is not None and declared.kind == "reference"
            named = variable(value)
            named = f"L_Z{named[2:] if named.startswith('_Z') else _sized(named)}E"
            return named if by_reference else f"Xad{named}E"
        if isinstance(value, ast.ClassTemplate):
            return self._template_name(value)
        if isinstance(value, Structural):
            return f"X{self._object(value.type, value.cells, 0)}E"
        t = declared or ty.INT
        if isinstance(value, Typed):
            t = value.type
        assert isinstance(value, int | float) and t is not None
        if t.kind == "member" and t.params[0].record is not None:
            owner = t.params[0].record
            field = next((f for f in owner.fields if f.offset == value and f.type is t.elem), None)
            if field is not None:
                prefix = Mangler()._within(owner.scope)
                return f"XadL_ZN{prefix}{len(field.name)}{field.name}EEE"
        if t.kind in ("param", "opaque", "auto", "pack"):
            t = ty.INT
        if t.kind == "nullptr":
            return "LDnE"
        number = f"n{-value}" if value < 0 else str(int(value))
        return f"L{self.type(t)}{number}E"

    def _object(self, t: Type, cells: dict[float, int | float], at: int) -> str:
        """The value of an object at `at`, member by member."""
        if t.kind == "array" and t.elem is not None:
            size = t.elem.size
            return f"tl{self.type(t)}{''.join(self._object(t.elem, cells, at + k * size) for k in range(t.count))}E"
        if t.record is not None:
            parts = [self._object(f.type.bare, cells, at + f.offset) for f in t.record.fields]
            return f"tl{self.type(t)}{''.join(parts)}E"
        value = cells.get(at, 0)
        if t.kind == "float":
            packed = struct.pack(">f" if t.size == 4 else ">d", value)
            return f"L{self.type(t)}{packed.hex()}E"
        return f"L{self.type(t)}{f'n{-value}' if value < 0 else int(value)}E"

    def _stood(self, value: Type) -> str:
        """What a value that depends on parameters stands for, or is one of."""
        what = value.template
        if isinstance(what, ast.Asked):
            return what.how + (_parameter(what.of.count) if what.how == "sZ" else self.type(what.of))
        if isinstance(what, ast.StandInVariable):
            # Without its arguments, as NVIDIA's front end has it.
            named = Mangler()._within(what.template.scope) + _sized(what.template.name)
            return f"L_Z{f'N{named}E' if self._nests(what.template.scope) else named}E"
        if isinstance(what, Type) and what.params:
            return self._unresolved(what.params[0], what.name.split("::"))
        return self._expression(what) if isinstance(what, ast.Expr) else _parameter(value.count)

    def _unresolved(self, owner: Type, names: list[str]) -> str:
        """A member's value, of a class that depends on parameters: the class is named without substitutions."""
        member = "".join(map(_sized, names))
        if owner.kind == "param":
            return f"sr{self.type(owner)}{member}"
        template = owner.template
        assert isinstance(template, ast.ClassTemplate)
        around = "".join(map(_source_name, _enclosing(template.scope)))
        args = self.template_args(_grouped(owner, template), template.params)
        return f"sr{around}{_sized(owner.name)}{args}E{member}"

    def _expression(self, e: ast.Expr) -> str:
        """An expression over template parameters, as far as arguments have them."""
        if isinstance(e, ast.Name) and e.variable.stand_in is not None:
            return self._stood(e.variable.stand_in)
        if isinstance(e, ast.Binary | ast.Logical) and e.op in _OPERATORS:
            return _OPERATORS[e.op] + self._expression(e.left) + self._expression(e.right)
        if isinstance(e, ast.Unary) and e.op in _UNARY | _OPERATORS.keys():
            return _UNARY.get(e.op, _OPERATORS.get(e.op, "")) + self._expression(e.operand)
        if isinstance(e, ast.Cast):
            return self._expression(e.operand)
        if isinstance(e, ast.Conditional):
            return "qu" + "".join(map(self._expression, (e.condition, e.yes, e.no)))
        if isinstance(e, ast.Number):
            # As it was written, whatever it was converted to.
            plain = e.type.bare is ty.INT or (e.at.text.isdecimal() and e.value < 1 << 31)
            return self._argument(e.value, None) if plain else f"L{self.type(e.type)}{e.value}E"
        return "T_"


def _grouped(t: Type, template: ast.ClassTemplate) -> tuple[object, ...]:
    """The arguments of a stand-in for an instance, those of a pack as one."""
    given: tuple[object, ...] = tuple(t.params)
    pack = next((k for k, p in enumerate(template.params) if p.pack), None)
    return given if pack is None else (*given[:pack], given[pack:])


def _sized(name: str) -> str:
    return f"{len(name)}{name}"


def _parameter(index: int) -> str:
    return "T_" if index == 0 else f"T{index - 1}_"


def plain_type(t: Type) -> str:
    """A type's identity as text, without substitutions."""
    if t.quals:
        return f"q{t.quals}" + plain_type(t.bare)
    if t.kind in ("pointer", "reference", "array") and t.elem is not None:
        mark = {"pointer": "P", "reference": "O" if t.rvalue else "R", "array": f"A{t.count}_"}[t.kind]
        return mark + plain_type(t.elem)
    if t.kind == "function" and t.elem is not None:
        return "F" + plain_type(t.elem) + "".join(map(plain_type, t.params)) + ("zE" if t.variadic else "E")
    if t.kind == "member" and t.elem is not None:
        return f"M{t.count}{plain_type(t.params[0])}{plain_type(t.elem)}"
    if t.kind == "param":
        return f"T{t.count}_"
    if t.kind == "spec":
        return f"{t.name}<{','.join(plain_type(p) if isinstance(p, Type) else str(p) for p in t.params)}>"
    if t.kind == "value" and t.name == "?":
        return f"X{Mangler()._stood(t)}E"
    if t.kind == "pack" and t.elem is not None:
        return "Dp" + plain_type(t.elem)
    if t.kind == "opaque" and t.params:
        return f"N{plain_type(t.params[0])}{t.name}E"
    if t.kind == "record":
        # Classes of one name in several namespaces are told apart; the key is seen nowhere.
        return f"{t.record.name}@{id(t.record)}" if t.record else t.name
    return t.code or t.name


def _enclosing(scope: ast.Scope | None) -> list[ast.Scope]:
    """Namespaces and classes around, outermost first."""
    out: list[ast.Scope] = []
    while scope is not None:
        if scope.kind == "record" or (scope.kind == "namespace"):
            out.append(scope)
        scope = scope.parent
    return out[::-1]


def _source_name(scope: ast.Scope) -> str:
    if not scope.name:
        return "12_GLOBAL__N_1"
    return f"{len(scope.name)}{scope.name}"


def _unqualified(f: ast.Function) -> str:
    name = f.name
    if f.constructor:
        return "C1"
    if name.startswith("~"):
        return "D2"
    if name.startswith('operator""'):
        return f"li{len(name) - 10}{name[10:]}"
    if name.startswith("operator") and name != "operator" and not (name[8:9].isalnum() or name[8:9] == "_"):
        op = name[8:]
        if op.startswith(" "):
            t = f.type.elem
            assert t is not None
            return "cv" + Mangler().type(t)
        operands = len(f.type.params) + (1 if f.this is not None else 0)
        if operands == 1 and op in _UNARY:
            return _UNARY[op]
        return _OPERATORS.get(op, f"{len(name)}{name}")
    return f"{len(name)}{name}"


def function(f: ast.Function) -> str:
    """The symbol of a function."""
    scopes = _enclosing(f.scope)
    if f.extern_c or (f.name == "main" and not scopes):
        return f.name
    return "_Z" + Mangler().encoding(f)


def signature(f: ast.Function) -> str:
    """What the symbol of an extern "C" function would be in C++."""
    mangler = Mangler()
    params = "".join(mangler.type(ty.unqualified(p)) for p in f.type.params)
    return f"_Z{_sized(f.name)}{params or 'v'}"


def destructor(t: Type, frees: bool) -> str:
    """The complete (D1) or deleting (D0) destructor of a class, without the leading _Z."""
    name = Mangler().type(t)
    if name.startswith("N"):
        name = name[1:-1]
    return f"N{name}D{0 if frees else 1}Ev"


def _this_quals(f: ast.Function) -> str:
    """Qualifiers of a member function, as they follow the N of its name."""
    marks = ((ty.VOLATILE, "V"), (ty.CONST, "K"), (ty.ON_LVALUE, "R"), (ty.ON_RVALUE, "O"))
    return "".join(mark for quality, mark in marks if f.this_quals & quality)


def variable(v: ast.Variable) -> str:
    """The symbol of a variable with static storage."""
    if v.owner is not None:
        number = "" if v.number == 0 else f"_{v.number - 1}" if v.number <= 10 else f"__{v.number - 1}_"
        if v.storage == "dynamic":
            return v.name
        owner = function(v.owner)
        encoding = owner[2:] if owner.startswith("_Z") else f"{len(owner)}{owner}"
        return f"_ZZ{encoding}E{len(v.name)}{v.name}{number}"
    scopes = _enclosing(v.scope)
    if not scopes:
        return v.name
    return "_ZN" + Mangler()._within(v.scope) + f"{len(v.name)}{v.name}E"


__all__ = ["dependent", "destructor", "function", "signature", "variable"]
