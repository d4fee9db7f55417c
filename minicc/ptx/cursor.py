"""A place in a token list, with the few motions that every part of the parser needs."""

from __future__ import annotations

from typing import NoReturn

from minicc.diagnostics import EXIT_PTXAS, Diagnostic, SourceFile, Span, fail
from minicc.ptx.lexer import tokenise


class Cursor:
    """`texts[at]` is the next token. Errors stop the parse with ptxas's wording and exit status."""

    __slots__ = ("at", "source", "starts", "texts", "tokens")

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self.tokens = tokenise(source)
        self.texts = self.tokens.texts
        self.starts = self.tokens.starts
        self.at = 0

    def fail(self, message: str, place: int | None = None, code: str = "ptx.syntax") -> NoReturn:
        """Stop with an error at token `place` (default: the next token)."""
        index = self.at if place is None else place
        near = self.texts[index] or "end of file"
        fail(code, f"Parsing error near '{near}': {message}", self.tokens.span(index), exit_status=EXIT_PTXAS)

    def wrong(self, code: str, message: str, span: Span, note: Diagnostic | None = None) -> NoReturn:
        """Stop with an error that is not about syntax."""
        fail(code, message, span, notes=(note,) if note else (), exit_status=EXIT_PTXAS)

    def expect(self, text: str) -> None:
        """Step over one given token."""
        if self.texts[self.at] != text:
            self.fail(f"syntax error, expected '{text}'")
        self.at += 1

    def accept(self, text: str) -> bool:
        """Step over the token if it is the next one."""
        if self.texts[self.at] == text:
            self.at += 1
            return True
        return False

    def name(self) -> str:
        """An identifier."""
        token = self.texts[self.at]
        if not token or not (token[0].isalpha() or token[0] in "_$%"):
            self.fail("syntax error, expected an identifier")
        if "." in token or "::" in token:
            self.fail("syntax error, an identifier cannot contain '.'")
        self.at += 1
        return token

    def integer(self) -> int:
        """An integer literal, perhaps negative."""
        from minicc.ptx.constexpr import evaluate

        place = self.at
        value = evaluate(self)
        if not hasattr(value, "value"):
            self.fail("syntax error, expected an integer", place)
        return int(value.value)

    def string(self) -> str:
        """A string literal's text without its quotes."""
        token = self.texts[self.at]
        if token[:1] != '"':
            self.fail("syntax error, expected a string")
        self.at += 1
        return token[1:-1]

    def span_from(self, start: int) -> Span:
        """From token `start` through the last token read."""
        last = max(start, self.at - 1)
        return Span(self.source, self.starts[start], self.starts[last] + len(self.texts[last]))
