"""Tokens, and the scanner that makes them.

Input: the text of a file. Output: a list of `Token`, ended by one of kind EOF. Cost: one regular-expression match a
token. Whitespace and comments become two flags on the token that follows them. Nothing here fails: a character that
starts no token is a token of kind OTHER, and whoever meets it in live code reports it (skipped #if groups may hold
anything).
"""

from __future__ import annotations

import re

from minicc.diagnostics import SourceFile, Span, fail

IDENT, NUMBER, STRING, CHAR, PUNCT, OTHER, EOF = "ident", "number", "string", "char", "punct", "other", "eof"
CLOSING = {"(": ")", "[": "]", "{": "}"}


class Token:
    """One preprocessing token. `hide` holds macro names that may not expand it again (Prosser's hide set)."""

    def __init__(
        self,
        kind: str,
        text: str,
        source: SourceFile,
        start: int,
        space: bool = False,
        bol: bool = False,
        hide: frozenset[str] | None = None,
        end: int = -1,
    ) -> None:
        self.kind, self.text, self.source, self.start = kind, text, source, start
        self.space = space
        """Whitespace or a comment before it."""
        self.bol = bol
        """First on its line."""
        self.hide = hide
        self.end = end
        """Offset past its spelling; -1: start + len(text)."""

    @property
    def span(self) -> Span:
        return Span(self.source, self.start, self.end if self.end >= 0 else self.start + max(1, len(self.text)))

    @property
    def line(self) -> int:
        return self.source.position(self.start)[0]


_SCAN = re.compile(
    r"""
    (?P<gap>(?:[ \t\r\f\v]+|(?P<line>\n)|\\[ \t]*\r?\n|//[^\n\\]*(?:\\(?:[ \t]*\r?\n)?[^\n\\]*)*|/\*[\s\S]*?\*/)*)
    (?:
    (?P<raw>(?P<prefix>(?:u8|[uUL])?)R"(?P<mark>[^()\\\s"]*)\((?P<inner>[\s\S]*?)\)(?P=mark)")
  | (?P<string>(?:u8|[uUL])?"(?:[^"\\\n]|\\(?:[ \t]*\n|[\s\S]))*")
  | (?P<char>(?:u8|[uUL])?'(?:[^'\\\n]|\\[\s\S])+')
  | (?P<ident>[A-Za-z_$][A-Za-z0-9_$]*)
  | (?P<number>\.?[0-9](?:[eEpP][+-]|'[0-9A-Za-z]|[\w.])*)
  | (?P<punct><<=|>>=|\.\.\.|->\*|<=>|\#\#|\+\+|--|->|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|%:%:|<:(?!:[^:>])|[%:]>|<%|%:|::|[-+*/%&|^!~<>=?:;,.(){}\[\]\#])
  | \Z
  | (?P<other>[\s\S])
    )
    """,  # noqa: E501
    re.VERBOSE,
)
"""What is passed over, and the token behind it: nothing at the end of the text."""


def scan(source: SourceFile) -> list[Token]:
    """Every token of `source`, then EOF."""
    text = source.text
    out: list[Token] = []
    append, at, bol = out.append, 0, True
    for gap, line, raw, prefix, _, inner, string, char, ident, number, punct, other in _SCAN.findall(text):
        at += len(gap)
        space = gap != ""
        bol = bol or line != ""
        if ident:
            append(Token(IDENT, ident, source, at, space, bol))
            at += len(ident)
        elif punct:
            if punct in DIGRAPHS:
                append(Token(PUNCT, DIGRAPHS[punct], source, at, space, bol, None, at + len(punct)))
            elif punct == "/" and text.startswith("*", at + 1):
                fail("lex.comment", "unterminated /* comment", Span(source, at, at + 2))
            else:
                append(Token(PUNCT, punct, source, at, space, bol))
            at += len(punct)
        elif number:
            append(Token(NUMBER, number, source, at, space, bol))
            at += len(number)
        elif string:
            if "\n" in string:
                append(Token(STRING, _SPLICE.sub("", string), source, at, space, bol, None, at + len(string)))
            else:
                append(Token(STRING, string, source, at, space, bol))
            at += len(string)
        elif raw:
            # As an ordinary string: nobody else has to know.
            escaped = inner.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            append(Token(STRING, f'{prefix}"{escaped}"', source, at, space, bol, None, at + len(raw)))
            at += len(raw)
        elif char or other:
            append(Token(CHAR if char else OTHER, char or other, source, at, space, bol))
            at += len(char or other)
        else:
            break
        bol = False
    append(Token(EOF, "", source, at, True, True))
    return out


DIGRAPHS = {"<%": "{", "%>": "}", "<:": "[", ":>": "]", "%:": "#", "%:%:": "##"}
"""[lex.digraph]: other spellings, which are the same tokens from here on. Words like `xor` are macros here, as in C: a
parameter of that name can be joined to others, and is spelled as it was written."""
_SPLICE = re.compile(r"\\[ \t]*\n")
"""As gcc has it: spaces may follow the backslash that joins a line to the next."""
