"""Kernels with loops of few turns: four turns at a time, as in NVIDIA's code.

LLVM unrolls a loop of a number of turns that it has to count at run time by eight. Often there are few, so that what
eight leave over, one by one, is most of them: in a loop in a loop (the taps of a filter), and where what is loaded says
what is loaded next (the neighbours in a graph), under conditions, with which ptxas does not unroll the rest.

Input: a module's text after LLVM's pipeline, whose blocks stand in an order in which a loop is one stretch, which other
blocks may stand in, too.
"""

from __future__ import annotations

import re

TURNS = 4
_COUNT = re.compile(r"^  %(?:niter|prol\.iter)[\w.]* = phi ")
"""LLVM counts the turns of what it unrolled, or of what is left over before it."""
_NAME = re.compile(r"%[-\w.$]+")
_VALUE = re.compile(rf"  ({_NAME.pattern}) = (?:tail )?(.*)")
_ADDRESS = re.compile(r"getelementptr|sext|zext|add|shl|mul|or ")
"""What makes an address of a value that was loaded."""
_LABEL = re.compile(r"([-\w.$]+):")
_TARGET = re.compile(r"label %([-\w.$]+)")


def kernels(text: str) -> set[str]:
    """Those in which a loop was unrolled so that makes few turns."""
    found = set()
    for function in text.split("\ndefine ")[1:]:
        head, _, body = function.partition("{\n")
        if "ptx_kernel" in head and _few(body[: body.find("\n}")].split("\n")):
            found.add(head[head.find("@") + 1 : head.find("(", head.find("@"))])
    return found


def _few(lines: list[str]) -> bool:
    """Whether a function has such a loop."""
    if not any(map(_COUNT.match, lines)):
        return False
    blocks: dict[str, list[str]] = {"": []}
    targets: dict[str, list[str]] = {"": []}
    name = ""
    for line in lines:
        if label := _LABEL.match(line):
            name = label[1]
            blocks[name], targets[name] = [], []
        else:
            blocks[name].append(line)
            targets[name] += _TARGET.findall(line)
    counted = [name for name, block in blocks.items() if any(map(_COUNT.match, block))]
    place = {name: k for k, name in enumerate(targets)}
    back = [(to, at) for at in targets for to in targets[at] if place[to] <= place[at]]
    reached = {to: _reached(to, targets) for to, _ in back}
    # Such an edge is a loop's if what it goes back to comes to it again.
    loops = [(to, at) for to, at in back if at in reached[to]]
    for count in counted:
        around = [(to, at) for to, at in loops if place[to] <= place[count] <= place[at] and count in reached[to]]
        if len({to for to, _ in around}) > 1:
            return True
        names = list(targets)
        if any(to != at and _gathers(blocks, names[place[to] : place[at] + 1]) for to, at in around):
            return True
    return False


def _gathers(blocks: dict[str, list[str]], names: list[str]) -> bool:
    """Whether the blocks of a loop load from where something that they load says."""
    made: set[str] = set()
    for line in (line for name in names for line in blocks[name]):
        value = _VALUE.match(line)
        if not value:
            continue
        load = value[2].startswith("load ")
        hangs = not made.isdisjoint(_NAME.findall(value[2]))
        if load and hangs:
            return True
        if load or (hangs and _ADDRESS.match(value[2])):
            made.add(value[1])
    return False


def _reached(name: str, targets: dict[str, list[str]]) -> set[str]:
    found, todo = {name}, [name]
    while todo:
        more = set(targets[todo.pop()]) - found
        found |= more
        todo += more
    return found
