"""Kernels with loops in loops: four turns at a time, as in NVIDIA's code.

LLVM unrolls a loop of a number of turns that it has to count at run time by eight. In a loop these are often few (the
taps of a filter), so that what eight leave over, one by one, is most of them.

Input: a module's text after LLVM's pipeline, whose blocks stand in an order in which a loop is one stretch, which other
blocks may stand in, too.
"""

from __future__ import annotations

import re

TURNS = 4
_COUNT = re.compile(r"^  %(?:niter|prol\.iter)[\w.]* = phi ")
"""LLVM counts the turns of what it unrolled, or of what is left over before it."""
_LABEL = re.compile(r"([-\w.$]+):")
_TARGET = re.compile(r"label %([-\w.$]+)")


def kernels(text: str) -> set[str]:
    """Those in which a loop that was unrolled so stands in another loop."""
    found = set()
    for function in text.split("\ndefine ")[1:]:
        head, _, body = function.partition("{\n")
        if "ptx_kernel" in head and _nested(body[: body.find("\n}")].split("\n")):
            found.add(head[head.find("@") + 1 : head.find("(", head.find("@"))])
    return found


def _nested(lines: list[str]) -> bool:
    if not any(map(_COUNT.match, lines)):
        return False
    targets: dict[str, list[str]] = {"": []}
    counted: list[str] = []
    name = ""
    for line in lines:
        if label := _LABEL.match(line):
            name = label[1]
            targets[name] = []
        elif _COUNT.match(line):
            counted.append(name)
        else:
            targets[name] += _TARGET.findall(line)
    place = {name: k for k, name in enumerate(targets)}
    back = [(to, at) for at in targets for to in targets[at] if place[to] <= place[at]]
    reached = {to: _reached(to, targets) for to, _ in back}
    # Such an edge is a loop's if what it goes back to comes to it again.
    loops = [(to, at) for to, at in back if at in reached[to]]
    return any(
        len({to for to, at in loops if place[to] <= place[count] <= place[at] and count in reached[to]}) > 1
        for count in counted
    )


def _reached(name: str, targets: dict[str, list[str]]) -> set[str]:
    found, todo = {name}, [name]
    while todo:
        more = set(targets[todo.pop()]) - found
        found |= more
        todo += more
    return found
