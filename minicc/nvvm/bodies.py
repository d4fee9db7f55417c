"""The functions of a module's text."""

from __future__ import annotations

from collections.abc import Iterator


def bodies(text: str) -> Iterator[tuple[str, str, str]]:
    """Name, head (from behind `define` to its brace) and body (from behind that line to before its end) of each that is
    defined."""
    for function in text.split("\ndefine ")[1:]:
        head, _, body = function.partition("{\n")
        start = head.find("@") + 1
        yield head[start : head.find("(", start)], head, body[: body.find("\n}")]
