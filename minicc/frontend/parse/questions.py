"""`__is_constructible(T, A...)` and its kind: what <type_traits> asks the compiler about making, assigning and ending
objects. Each is answered by reading the expression that it speaks of, quietly."""

from __future__ import annotations

from collections.abc import Callable

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.cursor import Abandon
from minicc.frontend.parse.packs import Packs
from minicc.frontend.sema.deduce import dependent
from minicc.frontend.sema.traits import QUESTIONS, element, trivially_copied, trivially_ended, trivially_made
from minicc.frontend.sema.wellformed import undefaultable
from minicc.frontend.tokens import Token
from minicc.frontend.types import Type

_OF_EXPRESSIONS = frozenset(
    "convertible_to convertible nothrow_convertible constructible nothrow_constructible trivially_constructible"
    " assignable nothrow_assignable trivially_assignable"
    " destructible nothrow_destructible trivially_destructible".split()
)
ASKED = frozenset(QUESTIONS) | {f"__is_{name}" for name in _OF_EXPRESSIONS}
"""The words that ask."""


class Questions(Packs):
    def dependent_number(self, at: Token, asked: ast.Asked | None = None) -> ast.Expr:
        """A number that depends on a template's parameter."""
        v = ast.Variable("?", ty.ULONG, at, "stand-in", stand_in=Type("value", "?", template=asked))
        return ast.Name(ty.ULONG, at, v, lvalue=True)

    def question(self, token: Token) -> ast.Expr:
        """`__is_enum(T)` and its kind, at the cursor."""
        self.i += 1
        at = self.token
        types = [t for t in self.template_arguments(None, "(", ")") if isinstance(t, Type)]
        if any(map(dependent, types)):
            return self.dependent_number(token)
        if token.text in QUESTIONS:
            return self.number(int(QUESTIONS[token.text](*types)), ty.BOOL, token)
        how, _, what = token.text.removeprefix("__is_").rpartition("_")
        if what == "to":
            what, how = "convertible", ""
        return self.number(int(self._answer(what, how, types, at)), ty.BOOL, token)

    def _answer(self, what: str, how: str, types: list[Type], at: Token) -> bool:
        """Whether it is `what` (constructible ...) and, where that is asked, `how` (nothrow, trivially)."""
        if what == "destructible":
            return self._ends(types[0]) and (how != "trivially" or trivially_ended(types[0]))
        if what == "convertible" and types[1].kind in ("void", "array", "function"):
            return types[0].kind == types[1].kind == "void"
        read: dict[str, Callable[[], ast.Expr | None]] = {
            "convertible": lambda: self._converted(types[1], _value(types[0], at)),
            "constructible": lambda: self.made_of(types[0], [_value(t, at) for t in types[1:]], at),
            "assignable": lambda: self._assigned(types[0], types[1], at),
        }
        e = self.tried(read[what])
        if e is None or (what == "constructible" and not self._ends(types[0])):
            return False
        return how == "" or (how == "nothrow" and self.nothrow(e)) or (how == "trivially" and _trivially(what, types))

    def tried(self, read: Callable[[], ast.Expr | None]) -> ast.Expr | None:
        """What `read` gives; None where it cannot be read."""
        with self.having(quiet=self.quiet + 1, unevaluated=self.unevaluated + 1):
            try:
                return read()
            except Abandon:
                return None

    def constructible(self, t: Type, args: list[ast.Expr]) -> bool:
        """`T x(args)` can be read."""
        return self.tried(lambda: self.made_of(t, args, args[0].at if args else self.token)) is not None

    def made_of(self, t: Type, args: list[ast.Expr], at: Token) -> ast.Expr | None:
        """What `T x(args)` makes x of."""
        if t.kind in ("void", "function") or (t.kind == "array" and (t.count < 0 or args)):
            return None
        record = element(t).record
        if not args:
            lacks = t.kind == "reference" or undefaultable(t) or (record is not None and record.abstract)
            return None if lacks else self.default_value(t, at)
        if record is not None and t.kind == "record":
            return None if record.abstract else self.construct(t, args, at)
        if len(args) > 1:
            return None
        f = self.conversion_function(args[0], t, explicit=True) if args[0].type.kind == "record" else None
        return self.call_method(args[0], f, [], at) if f is not None else self._converted(t, args[0])

    def _converted(self, t: Type, e: ast.Expr) -> ast.Expr | None:
        """`e` as an implicit conversion makes it a `t`."""
        if e.type.kind == "void" or self.rank(e, t) is None:
            return None
        return self.bind(e, t) if t.kind == "reference" else self.convert(e, t)

    def _assigned(self, left: Type, right: Type, at: Token) -> ast.Expr | None:
        if left.kind in ("void", "function") or right.kind == "void":
            return None
        to = _value(left, at)
        return self.assign(to, _value(right, at), at) if to.lvalue or to.type.kind == "record" else None

    def _ends(self, t: Type) -> bool:
        """An object may be ended."""
        t = element(t)
        if t.kind in ("void", "function") or (t.kind == "array" and t.count < 0):
            return False
        found = t.record.scope.names if t.record is not None and t.record.scope is not None else {}
        own = next((fs for name, fs in found.items() if name[0] == "~" and isinstance(fs, list)), [])
        hidden = t.record is not None and any(name[0] == "~" for name in t.record.hidden)
        return not hidden and not any(isinstance(f, ast.Function) and f.deleted for f in own)


def _value(t: Type, at: Token) -> ast.Expr:
    """What declval<T>() gives."""
    referred = t.elem if t.kind == "reference" and t.elem is not None else t
    if t.kind == "function" or (t.kind == "reference" and not t.rvalue) or referred.kind == "void":
        return ast.Zero(referred, at, lvalue=True)
    return ast.Cast(referred, at, "move", ast.Zero(referred, at, lvalue=True), lvalue=True)


def _trivially(what: str, types: list[Type]) -> bool:
    """Of what can be made or assigned: nothing is called for it."""
    t, last = types[0], types[-1]
    t = t.elem if t.kind == "reference" and t.elem is not None else t
    if what == "constructible" and len(types) == 1:
        return trivially_made(t) and trivially_ended(t)
    if len(types) > 2:
        return False
    source = last.elem if last.kind == "reference" and last.elem is not None else last
    if t.kind != "record":
        return source.kind != "record"
    moves = last.kind != "reference" or last.rvalue
    how = ("move" if moves and not source.const else "copy") + ("=" if what == "assignable" else "")
    same = source.bare is t.bare and trivially_copied(t, how)
    return same and (what == "assignable" or trivially_ended(t))
