"""Launches in the bodies of host functions, as far as their tokens tell: what is launched is a kernel, takes so many
arguments, and is not called like a function."""

from __future__ import annotations

from minicc.frontend import ast
from minicc.frontend.parse.lambdas import Lambdas
from minicc.frontend.parse.names import nearest
from minicc.frontend.sema.candidates import default_count
from minicc.frontend.tokens import EOF, IDENT, STRING, Token

_BEGINS = frozenset((";", "{", "}", ")", "=", "return", "else"))
"""What stands before a call that is a statement or an initial value."""
_QUALIFIES = frozenset((".", "->", "::"))
_QUALIFIED = frozenset(("::", "(", "<"))


class Launches(Lambdas):
    def check_launches(self) -> None:
        """In the body at the cursor; names that it declares itself are left alone, as are templates."""
        if self.quiet:
            return
        end = self.past_brackets(self.i)
        for k in range(self.i + 1, end):
            token, after = self.tokens[k], self.tokens[k + 1]
            if token.kind != IDENT or after.text not in ("<<", "(") or self.tokens[k - 1].text in _QUALIFIES:
                continue
            launched = after.text == "<<" and self.tokens[k + 2].text == "<"
            if not launched and (after.text != "(" or self.tokens[k - 1].text not in _BEGINS):
                continue
            if launched:
                self._check_names(k, end)
            found = self.lookup(token.text)
            found = found if isinstance(found, list) else []
            functions = [f for f in found if isinstance(f, ast.Function)]
            if not functions or len(functions) != len(found) or self._declared_between(token.text, k):
                continue
            kernels = [f for f in functions if f.space == "global"]
            if launched and not kernels:
                while self.tokens[k].text != "(":
                    k += 1
                self._slip(f"kernel call to non-global function '{token.text}'", self.tokens[k])
            elif launched:
                self._count_arguments(kernels, k + 1, end)
            elif len(kernels) == len(functions):
                self._slip(f"call to global function '{token.text}' not configured", after)

    def _check_names(self, k: int, end: int) -> None:
        """Of the launch at index k: a name that stands nowhere else, and is nearly one of the body's, is a slip."""
        opens = k
        while opens < end and not (self.tokens[opens].text == ">>" and self.tokens[opens + 1].text == ">"):
            opens += 1
        opens += 2
        if opens >= end or self.tokens[opens].text != "(":
            return
        last = self.past_brackets(opens)
        if any(t.text == "{" for t in self.tokens[k:last]):
            return  # A lambda has names of its own.
        names = [t.text for t in self.tokens[self.i : end] if t.kind == IDENT]
        for j in range(k + 3, last):
            token, name = self.tokens[j], self.tokens[j].text
            if token.kind != IDENT or self.tokens[j - 1].text in _QUALIFIES or self.tokens[j + 1].text in _QUALIFIED:
                continue
            if names.count(name) > 1 or self.lookup(name) is not None or sum(t.text == name for t in self.unit) > 1:
                continue
            if (meant := nearest(name, names)) is not None:
                what = f"use of undeclared identifier '{name}'; did you mean '{meant}'?"
                self.report("frontend.undeclared", what, token)

    def _slip(self, message: str, at: Token) -> None:
        self.report("frontend.semantic", message, at)

    def _declared_between(self, name: str, k: int) -> bool:
        """The body declares the name before the token at index k."""
        return any(
            t.text == name and (self.tokens[j].kind == IDENT or self.tokens[j].text in ("*", "&", ">"))
            for j, t in enumerate(self.tokens[self.i + 1 : k], self.i)
        )

    def _count_arguments(self, kernels: list[ast.Function], k: int, end: int) -> None:
        """`<<< ... >>>(arguments)` at index k; those with template arguments are not counted."""
        while k < end and not (self.tokens[k].text == ">>" and self.tokens[k + 1].text == ">"):
            k += 1
        k += 2
        if k >= end or self.tokens[k].text != "(":
            return
        last = self.past_brackets(k) - 1
        commas: list[Token] = []
        k += 1
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
            k += 1
        count += len(commas)
        most = max(len(f.params) for f in kernels)
        least = min(len(f.params) - default_count(f) for f in kernels)
        if count < least:
            self._slip(f"too few arguments to function call, expected {least}, have {count}", self.tokens[last])
        elif count > most:
            what = f"too many arguments to function call, expected {most}, have {count}"
            self._slip(what, commas[most - 1] if most else self.tokens[last])
