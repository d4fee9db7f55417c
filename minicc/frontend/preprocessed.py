"""What -E prints: the tokens that the preprocessor left, as text."""

from __future__ import annotations

import re

from minicc.diagnostics import SourceFile
from minicc.frontend.preprocessor import PRAGMA
from minicc.frontend.tokens import Token

NEAR = 8
"""So many lines forth are empty lines; further, or back, is a line marker."""


def render(tokens: list[Token]) -> str:
    """Tokens as text (what -E prints), each line as far down as in its file, by line markers as GNU's: `# 12 "a.h" 1`
    where a file begins, 2 where one goes on."""
    files, shown = [tokens[-1].source], tokens[-1].source.name
    out, line, alone, in_pragma = [_marker(shown, 1)], 1, False, False
    for token in tokens[:-1]:
        if token.kind == PRAGMA and in_pragma:
            in_pragma, alone = False, True
            continue
        in_pragma = in_pragma or token.kind == PRAGMA
        if token.kind == PRAGMA or alone or (token.bol and not in_pragma):
            file, number, column = token.source.presumed(token.start)
            alone = alone or token.kind == PRAGMA
            if file == shown and alone <= number - line <= NEAR:
                out.append("\n" * (number - line))
            else:
                out.append("\n" + _marker(file, number, _move(files, token.source)))
            out.append("#pragma " if token.kind == PRAGMA else " " * (column - 1))
            shown, line, alone = file, number, False
        elif token.space or in_pragma:
            out.append(" ")
        out.append(token.text)
    return "".join(out).rstrip("\n") + "\n"


def _move(files: list[SourceFile], to: SourceFile) -> str:
    """The flag of a marker where the text goes on in a file; `files` are those that are open, the innermost last."""
    if to in files[:-1]:
        del files[files.index(to) + 1 :]
        return " 2"
    if to is files[-1]:
        return ""
    files.append(to)
    return " 1"


def _marker(file: str, number: int, flag: str = "") -> str:
    name = re.sub(r'(["\\])', r"\\\1", file)
    return f'# {number} "{name}"{flag}\n'
