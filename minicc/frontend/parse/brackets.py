"""Brackets that do not match: the one check that host code gets, too, which is stepped over where it cannot be read."""

from __future__ import annotations

from minicc.frontend.tokens import CLOSING, PUNCT, Token

_OPENING = {closes: opens for opens, closes in CLOSING.items()}
_WITH_STATEMENTS = frozenset(("for", "if", "switch", "constexpr"))
"""In the parentheses behind these a semicolon may stand."""


def unmatched(tokens: list[Token]) -> tuple[str, Token, Token | None] | None:
    """The first bracket that is missing or too many: what is wrong, where, and which bracket is left open."""
    opened: list[int] = []
    for k, token in enumerate(tokens):
        if token.kind != PUNCT:
            continue
        text = token.text
        if text in CLOSING:
            opened.append(k)
        elif text == ";":
            if opened and tokens[opened[-1]].text == "(" and tokens[opened[-1] - 1].text not in _WITH_STATEMENTS:
                return "expected ')'", token, tokens[opened[-1]]
        elif text in _OPENING:
            if not opened:
                return f"extraneous closing bracket ('{text}')", token, None
            last = tokens[opened.pop()]
            if last.text != _OPENING[text]:
                return f"expected '{CLOSING[last.text]}'", token, last
    if opened:
        return f"expected '{CLOSING[tokens[opened[-1]].text]}'", tokens[-1], tokens[opened[-1]]
    return None
