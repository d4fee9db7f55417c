"""Parameter packs: expansion of `pattern...` in lists, and fold expressions.

In the scope of an instance a pack's name means a tuple: of types, or of variables (constants and function parameters
alike). Expanding reads the pattern's tokens once for each element, with the name bound to that element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from minicc.frontend import ast
from minicc.frontend import types as ty
from minicc.frontend.sema.initialise import Initialisers
from minicc.frontend.tokens import EOF, IDENT, PUNCT, STRING, Token

T = TypeVar("T")
_FOLDS = frozenset("+ - * / % ^ & | << >> += -= *= /= %= ^= &= |= <<= >>= = == != < > <= >= && || , ->* .*".split())


class Packs(Initialisers):
    has_packs: bool = False
    """A template with a parameter pack was declared: without one, nothing here costs anything."""

    def argument(self) -> list[ast.Expr]:
        """One argument; a pack expansion `e...` gives several."""
        return self.expanded(self.assignment)

    def expanded(self, read: Callable[[], T]) -> list[T]:
        """What `read` reads at the cursor, once for each element of the packs that a `...` behind it expands."""
        end = self.expansion_end() if self.has_packs else None
        if end is None:
            return [read()]
        out = [read() for _ in self.expansions(self.i, end)]
        self.i += 1
        return out

    def expansion_end(self, angles: bool = False) -> int | None:
        """Index of the `...` that ends the list element at the cursor, if it expands a pack. `angles`: in a list
        of template arguments, or of parameters, where < brackets too."""
        depth, i, angle = 0, self.i, 0
        while self.tokens[i].kind != EOF:
            text = self.tokens[i].text
            if self.tokens[i].kind == PUNCT:
                if text in ("(", "[", "{"):
                    depth += 1
                elif text in (")", "]", "}"):
                    if depth == 0:
                        return None
                    depth -= 1
                elif depth == 0:
                    if text == "<" and not angles:
                        i = self._past_template(i)
                        continue
                    if angles and text == "<":
                        angle += 1
                    elif angles and text in (">", ">>"):
                        angle -= len(text)
                        if angle < 0:
                            return None
                    elif angle == 0 and text in (",", ";"):
                        return None
                    elif angle == 0 and text == "..." and self.tokens[i - 1].text != "sizeof":
                        return i if self.pack_names(self.i, i) else None
            i += 1
        return None

    def _past_template(self, k: int) -> int:
        """Index behind the arguments of a template, whose `<` is at index k; behind an operator."""
        name, depth, end = self.tokens[k - 1], 0, k
        qualified = self.tokens[k - 2].text == "::"
        found = None if qualified or name.kind != IDENT else self.lookup(name.text)
        among = found if isinstance(found, list) else [found]
        if not qualified and not any(isinstance(f, ast.ClassTemplate | ast.FunctionTemplate) for f in among):
            return k + 1
        while self.tokens[end].kind != EOF and self.tokens[end].text not in (";", "{"):
            depth += self.brackets(end, depth)
            end += 1
            if depth <= 0:
                return end
        return k + 1

    def pack_names(self, start: int, end: int) -> list[str]:
        """Names of packs among the tokens."""
        out: list[str] = []
        tokens = self.tokens
        nested: set[int] = set()
        for k in range(start + 1, end):
            if tokens[k].text == "...":
                nested.update(self._expanded_by(k, start))
        for k in range(start, end):
            t = tokens[k]
            if t.kind != IDENT or t.text in out or k in nested or not isinstance(self.lookup(t.text), tuple):
                continue
            counted = k > 2 and tokens[k - 2].text == "..." and tokens[k - 3].text == "sizeof"
            if not counted:
                out.append(t.text)
        return out

    def _expanded_by(self, dots: int, start: int) -> range:
        """Indices of the tokens, from `start` on, whose packs the `...` at index `dots` expands by itself: the list
        element that it ends, or the parentheses of a fold."""
        tokens, k, depth, angle = self.tokens, dots - 1, 0, 0
        if tokens[k].text == "sizeof":
            return range(0)
        # (`>` ends a template's arguments.)
        fold = tokens[k].text == "(" or (tokens[k].text in _FOLDS and tokens[k].text not in (">", ">>"))
        while k >= start:
            token = tokens[k]
            if token.kind == PUNCT:
                if token.text in (")", "]", "}"):
                    depth += 1
                elif token.text in ("(", "[", "{"):
                    depth -= 1
                elif depth == 0 and not fold:
                    angle += {">": 1, ">>": 2, "<": -1}.get(token.text, 0)
                if depth < 0 or angle < 0 or (token.text == "," and depth == 0 and angle <= 0 and not fold):
                    break
            k -= 1
        if not fold:
            return range(max(k + 1, start), dots)
        return range(k, self.past_brackets(k)) if k >= start else range(0)

    def expansions(self, start: int, end: int) -> Iterator[int]:
        """For each element of the packs among the tokens: the cursor at `start`, and their names mean that element."""
        names = self.pack_names(start, end)
        packs = {n: self.lookup(n) for n in names}
        sizes = {n: len(p) for n, p in packs.items() if isinstance(p, tuple)}
        if len(set(sizes.values())) > 1:
            self.fail("pack expansion contains parameter packs that have different lengths", self.tokens[end])
        outer, tail = self.scope, len(self.tokens) - end
        for k in range(next(iter(sizes.values()), 0)):
            self.scope = ast.Scope("template", outer)
            for n, p in packs.items():
                assert isinstance(p, tuple)
                self.scope.names[n] = p[k]
            self.i = start
            yield k
            self.scope = outer
        self.scope = outer
        # Splitting `>>` lengthens the list of tokens.
        self.i = len(self.tokens) - tail

    # -- folds

    def fold_expression(self) -> ast.Expr | None:
        """`( ... op pack )`, `( pack op ... )`, `( a op ... op b )` at the cursor, or None."""
        if not self.has_packs:
            return None
        close, dots = self._fold_place()
        if dots is None:
            return None
        start = self.i + 1
        at = self.tokens[dots]
        left_op = self._operator_at(dots - 1, -1) if dots > start else ""
        right_op = self._operator_at(dots + 1, 1) if dots + 1 < close else ""
        if (left_op and left_op not in _FOLDS) or (right_op and right_op not in _FOLDS) or not left_op + right_op:
            self.fail("expected a foldable binary operator in fold expression", at)
        self.enter(at)
        tail = len(self.tokens) - close
        ends, self.greater_ends = self.greater_ends, False
        op = right_op or left_op
        left: list[ast.Expr] = []
        right: list[ast.Expr] = []
        folds_left = bool(right_op)
        if left_op:
            end = dots - 1 - (left_op == ".*")
            if self.pack_names(start, end):
                left = [self.unary_expression() for _ in self.expansions(start, end)]
                folds_left = False
            else:
                self.i = start
                left = [self.unary_expression()]
        if right_op:
            begin = dots + 2 + (right_op == ".*")
            if folds_left:
                right = [self.unary_expression() for _ in self.expansions(begin, close)]
            else:
                self.i = begin
                right = [self.unary_expression()]
        self.greater_ends = ends
        self.nest -= 1
        self.i = len(self.tokens) - tail
        self.expect(")")
        terms = left + right
        if not terms:
            empty = {"&&": (1, ty.BOOL), "||": (0, ty.BOOL)}.get(op)
            if empty is not None:
                return self.number(*empty, at)
            if op == ",":
                return ast.Cast(ty.VOID, at, "void", self.number(0, ty.INT, at))
            self.fail(f"unary fold expression has empty expansion for operator '{op}' with no fallback value", at)
        if folds_left:
            made = terms[0]
            for e in terms[1:]:
                made = self.combine(op, made, e, at)
            return made
        made = terms[-1]
        for e in terms[-2::-1]:
            made = self.combine(op, e, made, at)
        return made

    def _fold_place(self) -> tuple[int, int | None]:
        """(index of the closing bracket, of the `...` right inside)."""
        depth, i, dots = 0, self.i, None
        while self.tokens[i].kind != EOF:
            token = self.tokens[i]
            if token.kind == PUNCT and token.kind is not STRING:
                if token.text in ("(", "[", "{"):
                    depth += 1
                elif token.text in (")", "]", "}"):
                    depth -= 1
                    if depth == 0:
                        break
                elif depth == 1 and token.text == "..." and dots is None:
                    near = self._operator_at(i - 1, -1) in _FOLDS or self.tokens[i - 1].text == "("
                    if near and (self._operator_at(i + 1, 1) in _FOLDS or self.tokens[i + 1].text == ")"):
                        dots = None if self.tokens[i + 1].text[0] == ">" and self._among_arguments(i) else i
            i += 1
        return i, dots

    def _among_arguments(self, dots: int) -> bool:
        """`(f<T *...>(x))`: the `>` behind the dots closes a list of arguments that was opened in this bracket."""
        with self.having(tokens=self.tokens, i=self.i + 1):
            while self.i < dots:
                name = self.peek(-1)
                named = name.kind == IDENT and (self.peek(-2).text == "::" or _is_template(self.lookup(name.text)))
                if not (self.at("<") and named):
                    self.i += 1
                    continue
                self.skip_template_arguments()
                if self.i > dots:
                    return True
        return False

    def _operator_at(self, k: int, step: int) -> str:
        """The operator whose token nearest to a fold's dots is at index k; `.*` is two, of which the other one is a
        `step` farther."""
        pair = self.tokens[min(k, k + step)].text + self.tokens[max(k, k + step)].text
        return pair if pair == ".*" else self.tokens[k].text

    def combine(self, op: str, left: ast.Expr, right: ast.Expr, at: Token) -> ast.Expr:
        if op == ",":
            return self.comma(left, right, at)
        if op == "=":
            return self.assign(left, right, at)
        if op in ("->*", ".*"):
            return self.through_pointer(op, left, right, at)
        if op.endswith("=") and op not in ("==", "!=", "<=", ">="):
            return self.compound(op[:-1], left, right, at)
        return self.binary(op, left, right, at)

    greater_ends: bool = False
    """Inside a template argument list: `>` closes it."""


def _is_template(entity: object) -> bool:
    return isinstance(entity, ast.ClassTemplate) or (
        isinstance(entity, list) and any(isinstance(f, ast.FunctionTemplate) for f in entity)
    )
