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
    (?P<gap>(?:[ \t\r\f\v]+|\\[ \t]*\r?\n|//[^\n\\]*(?:\\(?:[ \t]*\r?\n)?[^\n\\]*)*|/\*[\s\S]*?\*/)+)
  | (?P<nl>\n)
  | (?P<ident>[A-Za-z_$][A-Za-z0-9_$]*)
  | (?P<number>\.?[0-9](?:[eEpP][+-]|'[0-9A-Za-z]|[\w.])*)
  | (?P<string>(?:u8|[uUL])?"(?:[^"\\\n]|\\(?:[ \t]*\n|[\s\S]))*")
  | (?P<char>(?:u8|[uUL])?'(?:[^'\\\n]|\\[\s\S])+')
  | (?P<punct><<=|>>=|\.\.\.|->\*|<=>|\#\#|\+\+|--|->|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|%:%:|<:(?!:[^:>])|[%:]>|<%|%:|::|[-+*/%&|^!~<>=?:;,.(){}\[\]\#])
  | (?P<other>[\s\S])
    """,  # noqa: E501
    re.VERBOSE,
)


def scan(source: SourceFile) -> list[Token]:
    """Every token of `source`, then EOF."""
    text = source.text
    out: list[Token] = []
    append = out.append
    space, bol = False, True
    # String prefixes look like identifiers; the alternation tries identifiers first, so look behind for a quote.
    match = _SCAN.match
    at, size = 0, len(text)
    while at < size:
        m = match(text, at)
        assert m is not None
        kind = m.lastgroup
        end = m.end()
        if kind == "gap":
            space = True
        elif kind == "nl":
            bol, space = True, True
        else:
            if kind == "ident" and end < size and text[end] in "\"'" and text[at:end] in _PREFIXES:
                raw = _RAW.match(text, at)
                if raw is not None:
                    # As an ordinary string: nobody else has to know.
                    inner = raw[2].replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
                    append(Token(STRING, f'"{inner}"', source, at, space, bol, None, raw.end()))
                    space = bol = False
                    at = raw.end()
                    continue
                prefixed = _STRING.match(text, at)
                if prefixed is not None:
                    kind = "string" if text[end] == '"' else "char"
                    end = prefixed.end()
            spelling = text[at:end]
            if spelling == "/" and text.startswith("*", end):
                fail("lex.comment", "unterminated /* comment", Span(source, at, at + 2))
            if spelling in ALTERNATIVES:
                append(Token(PUNCT, ALTERNATIVES[spelling], source, at, space, bol, None, end))
            elif kind == "string" and "\n" in spelling:
                append(Token(STRING, _SPLICE.sub("", spelling), source, at, space, bol, None, end))
            else:
                append(Token(kind or OTHER, spelling, source, at, space, bol))
            space = bol = False
        at = end
    append(Token(EOF, "", source, size, True, True))
    return out


ALTERNATIVES = {
    "and": "&&", "and_eq": "&=", "bitand": "&", "bitor": "|", "compl": "~", "not": "!", "not_eq": "!=", "or": "||",
    "or_eq": "|=", "xor": "^", "xor_eq": "^=", "<%": "{", "%>": "}", "<:": "[", ":>": "]", "%:": "#", "%:%:": "##",
}  # fmt: skip
"""[lex.digraph]: other spellings of operators, which are the same tokens from here on."""
_PREFIXES = frozenset(("u8", "u", "U", "L", "R", "u8R", "uR", "UR", "LR"))
_RAW = re.compile(r"""(?:u8|[uUL])?R"([^()\\\s"]*)\(([\s\S]*?)\)\1\"""")
_SPLICE = re.compile(r"\\[ \t]*\n")
"""As gcc has it: spaces may follow the backslash that joins a line to the next."""
_STRING = re.compile(r"""(?:u8|[uUL])(?:"(?:[^"\\\n]|\\(?:[ \t]*\n|[\s\S]))*"|'(?:[^'\\\n]|\\[\s\S])+')""")
