"""A module's text as LLVM prints it: its functions, and in their lines names, labels and values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

NAME = r"%[-\w.$]+"
LABEL = re.compile(r"([-\w.$]+):")
TARGET = re.compile(rf"label ({NAME})")
VALUE = re.compile(rf"  ({NAME}) = (?:tail )?(.*)")


def bodies(text: str) -> Iterator[tuple[str, str, str]]:
    """Name, head (from behind `define` to its brace) and body (from behind that line to before its end) of each that is
    defined."""
    for function in text.split("\ndefine ")[1:]:
        head, _, body = function.partition("{\n")
        start = head.find("@") + 1
        yield head[start : head.find("(", start)], head, body[: body.find("\n}")]


def places(lines: Sequence[str]) -> tuple[dict[str, int], dict[str, tuple[int, str]]]:
    """Where in a function's lines each label stands, and where each value is made and by what; names with their %."""
    labels: dict[str, int] = {}
    values: dict[str, tuple[int, str]] = {}
    for place, line in enumerate(lines):
        if label := LABEL.match(line):
            labels["%" + label[1]] = place
        elif value := VALUE.match(line):
            values[value[1]] = place, value[2]
    return labels, values
