"""A module's text as LLVM prints it: its functions, and in their lines names, labels and values."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count

NAME = r"%[-\w.$]+"
GLOBAL = r'(?:[-\w.$]+|"[^"\n]*")'
"""A function's or variable's name, behind its @."""
LABEL = re.compile(r"([-\w.$]+):")
TARGET = re.compile(rf"label ({NAME})")
_NAMED = re.compile(rf"@({GLOBAL})\(")
_QUOTED = re.compile(r'(%|^(?="[^"\n]*":))?"([^"\n]*)"', re.M)
CASTS = (" to ptr addrspace(5)", " = addrspacecast ptr addrspace(3) ")
"""What stands in a function in which LLVM does not know how far addresses are aligned."""
VALUE = re.compile(rf"  ({NAME}) = (?:tail )?(.*)")


def bodies(text: str) -> Iterator[tuple[str, str, str]]:
    """Name, head (from behind `define` to its brace) and body (from behind that line to before its end) of each that is
    defined."""
    for function in text.split("\ndefine ")[1:]:
        head, _, body = function.partition("{\n")
        name = _NAMED.search(head)
        assert name is not None
        yield name[1], head, body[: body.find("\n}")]


def fresh(text: str, stem: str) -> Iterator[str]:
    """Names that the text has not, without their %."""
    stem = next(name for k in count() if (name := f"{stem}{k or ''}.") not in text)
    return map(f"{stem}{{}}".format, count())


def unquoted(text: str) -> str:
    """The text with other names for the values, labels and types whose own stand in quotes."""
    made = fresh(text, "unquoted")
    names = defaultdict[str, str](lambda: next(made))

    def renamed(found: re.Match[str]) -> str:
        if found[1] is None:  # a string, or a global's name
            return found[0]
        return found[1] + names[found[2]]

    return _QUOTED.sub(renamed, text)


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
