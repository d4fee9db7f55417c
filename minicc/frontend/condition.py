"""Expressions of #if: integers, defined, and identifiers that are zero."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from minicc.frontend.literals import BadLiteral, character, integer
from minicc.frontend.tokens import CHAR, IDENT, NUMBER, PUNCT, Token
from minicc.numbers import signed

if TYPE_CHECKING:
    from minicc.frontend.preprocessor import Preprocessor

_MASK = (1 << 64) - 1
_LEVELS: dict[str, int] = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
    "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
MAX_NESTING = 128


_ASKED = ("__has_builtin", "__has_attribute", "__has_cpp_attribute")
"""Of attributes none counts as known: what they say does not matter here."""


class _BadCondition(Exception):
    def __init__(self, token: Token, message: str) -> None:
        super().__init__(message)
        self.token, self.message = token, message


def _quotient(a: int, b: int) -> int:
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


_APPLY: dict[str, Callable[[int, int], int]] = {
    "|": lambda a, b: a | b, "^": lambda a, b: a ^ b, "&": lambda a, b: a & b,
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b,
    "<<": lambda a, b: a << (b & 63), ">>": lambda a, b: a >> (b & 63),
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "/": _quotient, "%": lambda a, b: a - _quotient(a, b) * b,
}  # fmt: skip


class Condition:
    """Evaluates one #if line. Values are (number, unsigned) in 64 bits, as C++ demands."""

    def __init__(self, preprocessor: Preprocessor, at: Token) -> None:
        self.preprocessor, self.at = preprocessor, at
        self.tokens: list[Token] = []
        self.i = 0
        self.nest = 0

    def value(self, line: list[Token]) -> int:
        try:
            expanded = self.preprocessor.expand(self._replace_defined(line), condition=True)
            self.tokens = self._replace_defined(expanded)
            if not self.tokens:
                raise _BadCondition(self.at, "expected value in expression")
            result = self._ternary()
            if self.i < len(self.tokens):
                raise _BadCondition(
                    self.tokens[self.i], "token is not a valid binary operator in a preprocessor subexpression"
                )
            return result[0]
        except _BadCondition as bad:
            self.preprocessor.error(bad.token, bad.message)
            return 0

    def _replace_defined(self, line: list[Token]) -> list[Token]:
        out: list[Token] = []
        i = 0
        while i < len(line):
            token = line[i]
            if token.text in _ASKED and token.kind == IDENT and i + 3 < len(line) and line[i + 1].text == "(":
                known = token.text == "__has_builtin" and self.preprocessor.has_builtin(line[i + 2].text)
                out.append(Token(NUMBER, str(int(known)), token.source, token.start))
                i = next((k for k in range(i, len(line)) if line[k].text == ")"), len(line)) + 1
                continue
            if token.text in ("defined", "__has_include") and token.kind == IDENT:
                bracketed = i + 1 < len(line) and line[i + 1].text == "("
                name = i + 2 if bracketed else i + 1
                if token.text == "__has_include":
                    close = next((k for k in range(i, len(line)) if line[k].text == ")"), 0)
                    if not bracketed or not close:
                        raise _BadCondition(token, "missing '(' after '__has_include'")
                    found = self.preprocessor.has_include(line[i + 2 : close], token)
                    out.append(Token(NUMBER, "1" if found else "0", token.source, token.start))
                    i = close + 1
                    continue
                if name >= len(line) or line[name].kind != IDENT:
                    raise _BadCondition(token, "macro name missing")
                if bracketed and (name + 1 >= len(line) or line[name + 1].text != ")"):
                    raise _BadCondition(token, "missing ')' after 'defined'")
                known = self.preprocessor.defined(line[name].text)
                out.append(Token(NUMBER, "1" if known else "0", token.source, token.start))
                i = name + (2 if bracketed else 1)
                continue
            out.append(token)
            i += 1
        return out

    def _peek(self) -> str:
        if self.i >= len(self.tokens):
            return ""
        return self.tokens[self.i].text

    def _ternary(self) -> tuple[int, bool]:
        value = self._binary(1)
        if self._peek() == "?":
            self.i += 1
            yes = self._ternary()
            if self._peek() != ":":
                raise _BadCondition(self.at, "expected ':' in conditional expression")
            self.i += 1
            no = self._ternary()
            return yes if value[0] else no
        return value

    def _binary(self, level: int) -> tuple[int, bool]:
        left = self._unary()
        while True:
            op = self._peek()
            here = _LEVELS.get(op, 0)
            if here < level:
                return left
            token = self.tokens[self.i]
            self.i += 1
            right = self._binary(here + 1)
            if op in ("&&", "||"):
                left = (int(bool(left[0]) and bool(right[0]) if op == "&&" else bool(left[0]) or bool(right[0])), False)
                continue
            unsigned = left[1] or right[1]
            a, b = (left[0] & _MASK, right[0] & _MASK) if unsigned else (left[0], right[0])
            if op in "/%" and b == 0:
                raise _BadCondition(token, "division by zero in preprocessor expression")
            number = int(_APPLY[op](a, b))
            compare = op in ("==", "!=", "<", ">", "<=", ">=")
            left = (number, False) if compare else (number & _MASK if unsigned else signed(number, 64), unsigned)

    def _unary(self) -> tuple[int, bool]:
        self.nest += 1
        if self.nest > MAX_NESTING:
            raise _BadCondition(self.at, "#if expression is nested too deeply")
        try:
            return self._operand()
        finally:
            self.nest -= 1

    def _operand(self) -> tuple[int, bool]:
        if self.i >= len(self.tokens):
            raise _BadCondition(self.at, "expected value in expression")
        token = self.tokens[self.i]
        text = self._peek()
        self.i += 1
        if text in ("-", "+", "!", "~"):
            number, unsigned = self._unary()
            if text == "!":
                return int(not number), False
            number = -number if text == "-" else ~number if text == "~" else number
            return (number & _MASK if unsigned else signed(number, 64)), unsigned
        if text == "(" and token.kind == PUNCT:
            value = self._ternary()
            if self._peek() != ")":
                raise _BadCondition(token, "expected ')' in preprocessor expression")
            self.i += 1
            return value
        try:
            if token.kind == NUMBER:
                literal = integer(token.text)
                return literal.value, literal.unsigned or literal.value >> 63 != 0
            if token.kind == CHAR:
                return character(token.text), False
        except BadLiteral as bad:
            raise _BadCondition(token, str(bad)) from None
        if token.kind == IDENT:
            return int(text == "true"), False
        raise _BadCondition(token, "invalid token at start of a preprocessor expression")
