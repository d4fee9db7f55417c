"""Text -> tokens, by one compiled regular expression.

A token is a string; its kind is plain from its first characters, so no token objects are made: `Tokens.texts[i]` and
`Tokens.starts[i]` (character offset). Dotted names ("mad.lo.s32", "%tid.x", ".shared::cta") are one token. The last
token is "" (end of text). Comments and white space separate tokens and leave none.
"""

from __future__ import annotations

import re
from functools import cache

from minicc.diagnostics import EXIT_PTXAS, SourceFile, Span, fail

_TOKEN = r"""(?:[ \t\r\n\f]+|//[^\n]*|/\*.*?\*/
    | (?m:^)\#(?:line)?[ \t]+[0-9]+[ \t]+"[^"\n]*"[^\n]*)*   # white space, comments and line markers before the token
    (?:(
      [.]?[A-Za-z_$%][\w$]*(?:(?:[.]|::)[\w$]+)*   # words, directives, registers, dotted opcodes
    | 0[fF][0-9a-fA-F]{8}\b | 0[dD][0-9a-fA-F]{16}\b
    | 0[xX][0-9a-fA-F]+U? | 0[bB][01]+U?
    | [0-9]+[.][0-9]*(?:[eE][+-]?[0-9]+)? | [.][0-9]+(?:[eE][+-]?[0-9]+)? | [0-9]+[eE][+-]?[0-9]+
    | [0-9]+U?
    | "[^"\n]*"
    | << | >> | <= | >= | == | != | && | \|\|
    | /(?![*]) | [{}()\[\],;:+\-*%&|^~!<>=?@]
    ) | (\Z) | (.))"""


@cache
def _pattern() -> re.Pattern[str]:
    """Compiled when first needed: a kernel without inline assembly is compiled without it."""
    return re.compile(_TOKEN, re.VERBOSE | re.DOTALL | re.ASCII)


class Tokens:
    """Token strings and their offsets in the source, of equal length; the last is the empty string at the end."""

    def __init__(self, source: SourceFile, texts: list[str], starts: list[int]) -> None:
        self.source, self.texts, self.starts = source, texts, starts

    def span(self, index: int, last: int | None = None) -> Span:
        """Place of token `index`, or from it through token `last`."""
        index = min(index, len(self.texts) - 1)
        last = index if last is None else min(last, len(self.texts) - 1)
        return Span(self.source, self.starts[index], self.starts[last] + len(self.texts[last]))


def tokenise(source: SourceFile) -> Tokens:
    """All tokens of a text. A character that begins no token is a `CompileError` at its place, as is one beyond ASCII
    anywhere, comments too."""
    if not source.text.isascii():
        at = next(n for n, character in enumerate(source.text) if not character.isascii())
        message = f"Unexpected non-ASCII character encountered: {source.text[at]!r}"
        fail("ptx.character", message, Span(source, at, at + 1), exit_status=EXIT_PTXAS)
    texts: list[str] = []
    starts: list[int] = []
    add_text, add_start = texts.append, starts.append
    for match in _pattern().finditer(source.text):
        kind = match.lastindex
        if kind == 1:
            add_text(match[1])
            add_start(match.start(1))
        elif kind == 2:
            break
        else:
            at = match.start(3)
            rest = source.text[at : at + 2]
            span = Span(source, at, at + 1)
            if rest == "/*":
                fail("ptx.comment", "unterminated comment", span, exit_status=EXIT_PTXAS)
            if rest[0] == '"':
                fail("ptx.string", "unterminated string", span, exit_status=EXIT_PTXAS)
            message = f"Parsing error near {rest[0]!r}: unexpected character"
            fail("ptx.character", message, span, exit_status=EXIT_PTXAS)
    add_text("")
    add_start(len(source.text))
    return Tokens(source, texts, starts)
