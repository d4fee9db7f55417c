"""Launches in the bodies of host functions, as far as their tokens tell: what is launched is a kernel, takes so many
arguments, and is not called like a function."""

from __future__ import annotations

from collections.abc import Iterator

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.parse.lambdas import Lambdas
from minicc.frontend.parse.names import BASIC, nearest
from minicc.frontend.sema.candidates import default_count
from minicc.frontend.tokens import EOF, IDENT, STRING, Token
from minicc.frontend.types import Type

_BEGINS = frozenset((";", "{", "}", ")", "=", "return", "else"))
"""What stands before a call that is a statement or an initial value."""
_QUALIFIES = frozenset((".", "->", "::"))
_OPERATES = frozenset(("return", "sizeof", "delete", "new", "else", "throw", "case"))
"""Words before a name that do not declare it."""
_QUALIFIED = frozenset(("::", "(", "<"))


class _Body:
    """What a body's names say, each looked for once: a body may hold hundreds of launches."""

    def __init__(self, tokens: list[Token], begin: int, end: int) -> None:
        self.end = end
        self.places: dict[str, list[int]] = {}
        """Where each name stands, in order."""
        for k in range(begin, end):
            if tokens[k].kind == IDENT:
                self.places.setdefault(tokens[k].text, []).append(k)
        self.declared: dict[str, list[tuple[int, Type | None]]] = {}
        """Where a name may be declared, and as what (None: not known)."""


class Launches(Lambdas):
    def check_launches(self, params: list[ast.Variable]) -> None:
        """In the body at the cursor, of a function with these parameters; names that it declares itself are left alone,
        as are templates."""
        if self.quiet:
            return
        end = self.past_brackets(self.i)
        body: _Body | None = None
        for k in range(self.i + 1, end):
            token, after = self.tokens[k], self.tokens[k + 1]
            if token.kind != IDENT or after.text not in ("<<", "(") or self.tokens[k - 1].text in _QUALIFIES:
                continue
            launched = after.text == "<<" and self.tokens[k + 2].text == "<"
            if not launched and (after.text != "(" or self.tokens[k - 1].text not in _BEGINS):
                continue
            body = body or _Body(self.tokens, self.i, end)
            if launched:
                self._check_names(k, body)
            found = self.lookup(token.text)
            found = found if isinstance(found, list) else []
            functions = [f for f in found if isinstance(f, ast.Function)]
            if not functions or len(functions) != len(found) or self._declared_between(token.text, k, body):
                continue
            kernels = [f for f in functions if f.space == "global"]
            if launched and not kernels:
                while self.tokens[k].text != "(":
                    k += 1
                self._slip(f"kernel call to non-global function '{token.text}'", self.tokens[k])
            elif launched:
                self._check_arguments(kernels, k + 1, body, params)
            elif len(kernels) == len(functions):
                self._slip(f"call to global function '{token.text}' not configured", after)

    def _check_names(self, k: int, body: _Body) -> None:
        """Of the launch at index k: a name that stands nowhere else, and is nearly one of the body's, is a slip."""
        opens, end = k, body.end
        while opens < end and not (self.tokens[opens].text == ">>" and self.tokens[opens + 1].text == ">"):
            opens += 1
        opens += 2
        if opens >= end or self.tokens[opens].text != "(":
            return
        last = self.past_brackets(opens)
        if any(t.text == "{" for t in self.tokens[k:last]):
            return  # A lambda has names of its own.
        for j in range(k + 3, last):
            token, name = self.tokens[j], self.tokens[j].text
            if token.kind != IDENT or self.tokens[j - 1].text in _QUALIFIES or self.tokens[j + 1].text in _QUALIFIED:
                continue
            if (
                len(body.places.get(name, ())) > 1
                or self.lookup(name) is not None
                or sum(t.text == name for t in self.unit) > 1
            ):
                continue
            if (meant := nearest(name, [*body.places])) is not None:
                what = f"use of undeclared identifier '{name}'; did you mean '{meant}'?"
                self.report("frontend.undeclared", what, token)

    def _slip(self, message: str, at: Token) -> None:
        self.report("frontend.semantic", message, at)

    def _declared_between(self, name: str, k: int, body: _Body) -> bool:
        """The body declares the name before the token at index k."""
        before = (self.tokens[j - 1] for j in body.places[name] if j < k)
        return any(t.kind == IDENT or t.text in ("*", "&", ">") for t in before)

    def _check_arguments(self, kernels: list[ast.Function], k: int, body: _Body, params: list[ast.Variable]) -> None:
        """`<<< ... >>>(arguments)` at index k; those with template arguments are not counted. The types of those that
        are one name are looked at."""
        launch, end = k, body.end
        while k < end and not (self.tokens[k].text == ">>" and self.tokens[k + 1].text == ">"):
            k += 1
        k += 2
        if k >= end or self.tokens[k].text != "(":
            return
        last = self.past_brackets(k) - 1
        commas: list[Token] = []
        k += 1
        begins = [k]
        count = int(k < last)
        while k < last and self.tokens[k].kind != EOF:
            token = self.tokens[k]
            if token.text == "<" or token.text == "...":
                return
            if token.text in ("(", "[", "{") and token.kind is not STRING:
                k = self.past_brackets(k)
                continue
            if token.text == ",":
                commas.append(self.tokens[k + 1])
                begins.append(k + 1)
            k += 1
        count += len(commas)
        most = max(len(f.params) for f in kernels)
        least = min(len(f.params) - default_count(f) for f in kernels)
        if count < least:
            self._slip(f"too few arguments to function call, expected {least}, have {count}", self.tokens[last])
        elif count > most:
            what = f"too many arguments to function call, expected {most}, have {count}"
            self._slip(what, commas[most - 1] if most else self.tokens[last])
        elif len(kernels) == 1:
            for at, past, wanted in zip(begins, [*(b - 1 for b in begins[1:]), last], kernels[0].params, strict=False):
                given = self._declared_type(self.tokens[at].text, launch, params, body) if past == at + 1 else None
                if given is None or not _of_numbers(wanted.type):
                    continue
                name = self.tokens[at]
                argument = ast.Name(given, name, ast.Variable(name.text, given, name), lvalue=True)
                if self.rank(argument, wanted.type) is None:
                    why = f"no known conversion from '{given}' to '{wanted.type}' for argument '{name.text}'"
                    note = self.note(f"candidate function not viable: {why}", kernels[0].at)
                    what = f"no matching function for call to '{kernels[0].name}'"
                    self.report("frontend.no-match", what, self.tokens[launch - 1], [note])
                    return

    def _declared_type(self, name: str, launch: int, params: list[ast.Variable], body: _Body) -> Type | None:
        """The type of a variable that the body declares once before index `launch`, or of a parameter that it does not
        hide, if it is a number or a pointer to numbers."""
        if name not in body.declared:
            body.declared[name] = list(self._declarations_of(name, body))
        given = [v.type for v in params if v.name == name and _of_numbers(v.type)][:1]
        found = [*given, *(own for k, own in body.declared[name] if k < launch)]
        return found[0] if len(found) == 1 else None

    def _declarations_of(self, name: str, body: _Body) -> Iterator[tuple[int, Type | None]]:
        for k in body.places.get(name, ()):
            before = self.tokens[k - 1]
            if before.text in _OPERATES:
                continue
            if before.kind != IDENT and before.text not in ("*", "&", "&&", ",", ">", "["):
                continue
            if before.text != "," or not self._in_parentheses(k):
                yield k, self._declaration_type(k)

    def _in_parentheses(self, k: int) -> bool:
        depth = 0
        while self.tokens[k - 1].text not in (";", "{", "}") and depth >= 0:
            k -= 1
            depth += {")": 1, "(": -1}.get(self.tokens[k].text, 0)
        return depth < 0

    def _declaration_type(self, k: int) -> Type | None:
        """`const float *name` of basic types alone, with the name at index k and nothing but other names before it."""
        begin = k
        while self.tokens[begin - 1].text not in (";", "{", "}"):
            begin -= 1
        words, stars = self.tokens[begin:k], 0
        while words and words[-1].text == "*":
            words, stars = words[:-1], stars + 1
        behind = self.tokens[k + 1].text
        if behind not in (";", ",", "=") or any(t.text not in BASIC and t.text != "const" for t in words[:1]):
            return None
        basic = [t.text for t in words if t.text in BASIC]
        others = [t for t in words if t.text not in BASIC and t.text != "const"]
        if not basic or any(t.kind != IDENT and t.text not in ("*", ",") for t in others):
            return None
        made = self._combine(basic, words[0])
        made = ty.qualified(made, ty.CONST) if any(t.text == "const" for t in words) else made
        for _ in range(stars):
            made = ty.pointer(made)
        return made


def _of_numbers(t: Type) -> bool:
    """A number, or a pointer to numbers or void."""
    while t.kind == "pointer" and t.elem is not None:
        t = t.elem
    return t.kind in ("int", "float", "bool", "void")
