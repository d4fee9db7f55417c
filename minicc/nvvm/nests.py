"""Kernels with loops in loops: four turns at a time, as in NVIDIA's code.

LLVM unrolls a loop of a number of turns that it has to count at run time by eight. In a loop these are often few (the
taps of a filter), so that what eight leave over, one by one, is most of them.

Input: a module's text after LLVM's pipeline, whose blocks stand in an order in which a loop is one stretch.
"""

from __future__ import annotations

import re

TURNS = 4
_COUNT = re.compile(r"^  %(?:niter|prol\.iter)[\w.]* = phi ")
"""LLVM counts the turns of what it unrolled, or of what is left over before it."""
_LABEL = re.compile(r"([-\w.$]+):")
_BACK = re.compile(r"label %([-\w.$]+)")


def kernels(text: str) -> set[str]:
    """Those in which a loop that was unrolled so stands in another loop."""
    found = set()
    for function in text.split("\ndefine ")[1:]:
        head, _, body = function.partition("{\n")
        if "ptx_kernel" in head and _nested(body[: body.find("\n}")].split("\n")):
            found.add(head[head.find("@") + 1 : head.find("(", head.find("@"))])
    return found


def _nested(lines: list[str]) -> bool:
    counts = [place for place, line in enumerate(lines) if _COUNT.match(line)]
    if not counts:
        return False
    labels = {match[1]: place for place, line in enumerate(lines) if (match := _LABEL.match(line))}
    loops = [
        (start, end)
        for end, line in enumerate(lines)
        if line.startswith("  br ")
        for name in _BACK.findall(line)
        if (start := labels.get(name, end)) < end
    ]
    return any(sum(start < place < end for start, end in loops) > 1 for place in counts)
