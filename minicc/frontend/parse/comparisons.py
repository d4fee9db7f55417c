"""Defaulted comparisons: `= default` behind an operator, whose body compares the bases and the members in order
([class.compare.default])."""

from __future__ import annotations

from copy import copy

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.parse.constraints import Constraints
from minicc.frontend.tokens import EOF, IDENT, PUNCT, Token
from minicc.frontend.types import VTABLE_POINTER, Type

COMPARING = frozenset(f"operator{op}" for op in ("==", "!=", "<", ">", "<=", ">=", "<=>"))


class Comparisons(Constraints):
    def default_comparison(self, f: ast.Function, pending: list[ast.Function]) -> None:
        """The bodies of one, and of the equality that it implies, wait until the class is complete. Like all that is
        defaulted, they are functions of both sides, whatever their declarations say."""
        for each in filter(None, (f, self._implied_equality(f))):
            each.constexpr = each.comparing = each.both = True
            each.space = "device"
            pending.append(each)

    def _implied_equality(self, f: ast.Function) -> ast.Function | None:
        """A defaulted `<=>` declares `==`, too, unless the class does."""
        assert f.scope is not None
        known = f.scope.names.setdefault("operator==", []) if f.name == "operator<=>" else None
        if not isinstance(known, list) or any(g.type.params == f.type.params for g in known):
            return None
        at = Token(IDENT, "operator==", f.at.source, f.at.start)
        equal = ast.Function(
            at.text, ty.function(ty.BOOL, f.type.params, False), at, f.params, f.defaults, scope=f.scope
        )
        equal.params = [copy(p) for p in f.params]
        for p in equal.params:
            p.owner = equal
        equal.param_scope = ast.Scope("function", f.scope)
        equal.space, equal.both, equal.library = f.space, f.both, f.library
        equal.record, equal.this, equal.this_quals = f.record, copy(f.this), f.this_quals
        known.append(equal)
        return equal

    def write_comparison(self, f: ast.Function, made: Type) -> None:
        """The body of a defaulted comparison of a class that is complete."""
        record = made.record
        assert record is not None and f.param_scope is not None
        for k, p in enumerate(f.params):
            p.name = p.name or f"other#{k}"
            f.param_scope.names[p.name] = p
        left = "( * this )" if f.this is not None else f.params[0].name
        right = f.params[-1].name
        pairs: list[tuple[str, str, bool]] = []
        for k, (base, _) in enumerate(record.bases):
            name = f"base#{k}"
            f.param_scope.names[name] = ty.qualified(base, ty.CONST)
            pairs.append((f"static_cast < {name} & > ( {left} )", f"static_cast < {name} & > ( {right} )", False))
        for field in record.fields[record.inherited :]:
            if field.name and field.name != VTABLE_POINTER:
                pairs.append((f"{left} . {field.name}", f"{right} . {field.name}", field.type.kind == "array"))
        if f.name == "operator<=>":
            body = self._ordering(f, pairs)
        elif f.name == "operator==":
            equal = [f"std :: __equal_members ( {a} , {b} )" if many else f"{a} == {b}" for a, b, many in pairs]
            body = f"return {' && '.join(['true', *equal])} ;"
        elif f.name == "operator!=":
            body = f"return ! ( {left} == {right} ) ;"
        else:
            body = f"return ( {left} <=> {right} ) {f.name.removeprefix('operator')} nullptr ;"
        at = f.at
        words = ["{", *body.split(), "}"]
        tokens = [Token(IDENT if w[0].isalpha() or w[0] == "_" else PUNCT, w, at.source, at.start, True) for w in words]
        f.pending = ([*tokens, Token(EOF, "", at.source, at.start)], 0)

    def _ordering(self, f: ast.Function, pairs: list[tuple[str, str, bool]]) -> str:
        ordered = [f"std :: __ordered_members ( {a} , {b} )" if many else f"{a} <=> {b}" for a, b, many in pairs]
        result = "result#"
        types = " , ".join(f"decltype ( {e} )" for e in ordered)
        assert f.type.elem is not None and f.param_scope is not None
        given = f.type.elem.kind != "auto"
        if given:
            f.param_scope.names[result] = f.type.elem
        body = "" if given else f"using {result} = std :: common_comparison_category_t < {types} > ; "
        for e in ordered:
            body += f"if ( {result} order# = {e} ; order# != nullptr ) return order# ; "
        return body + f"return {result} ( std :: strong_ordering ( false ) ) ;"


__all__ = ["COMPARING", "Comparisons"]
