"""Kernels with loops of few turns: four turns at a time, as in NVIDIA's code.

LLVM unrolls a loop of a number of turns that it has to count at run time by eight. Often there are few, so that what
eight leave over, one by one, is most of them: in a loop in a loop (the taps of a filter), and where what is loaded says
what is loaded next (the neighbours in a graph), under conditions, with which ptxas does not unroll the rest.

Input: a module's text after LLVM's pipeline.
"""

from __future__ import annotations

import re

from minicc.graphs import dominators, natural_loops, postorder
from minicc.nvvm.bodies import LABEL, NAME, TARGET, VALUE, bodies

TURNS = 4
_COUNT = re.compile(r"^  %(?:niter|prol\.iter)[\w.]* = phi ")
"""LLVM counts the turns of what it unrolled, or of what is left over before it."""
_ADDRESS = re.compile(r"getelementptr|sext|zext|add|shl|mul|or ")
"""What makes an address of a value that was loaded."""


def kernels(text: str) -> set[str]:
    """Those in which a loop was unrolled so that makes few turns."""
    return {name for name, head, body in bodies(text) if "ptx_kernel" in head and _few(body.split("\n"))}


def loops(lines: list[str]) -> tuple[list[list[str]], dict[str, int], list[set[int]]]:
    """The blocks of a function's lines, the number of each label's, and the blocks of each loop."""
    blocks: list[list[str]] = [[]]
    number: dict[str, int] = {}
    for line in lines:
        if label := LABEL.match(line):
            if blocks[-1]:
                blocks.append([])
            number[label[1]] = len(blocks) - 1
        else:
            blocks[-1].append(line)
    succs = [[number[to[1:]] for line in block for to in TARGET.findall(line) if to[1:] in number] for block in blocks]
    preds: list[list[int]] = [[] for _ in blocks]
    for k, after in enumerate(succs):
        for to in after:
            preds[to].append(k)
    return blocks, number, list(natural_loops(succs, preds, dominators(postorder(succs), preds)).values())


def _few(lines: list[str]) -> bool:
    """Whether a function has such a loop."""
    if not any(map(_COUNT.match, lines)):
        return False
    blocks, _, found = loops(lines)
    for k, block in enumerate(blocks):
        if any(map(_COUNT.match, block)):
            around = [nodes for nodes in found if k in nodes]
            taps = len(around) > 1 and not _tile(blocks, around)
            if taps or any(len(nodes) > 1 and _gathers(blocks, nodes) for nodes in around):
                return True
    return False


def _tile(blocks: list[list[str]], around: list[set[int]]) -> bool:
    """Whether the innermost of these loops only reads, and threads meet in one around it: it goes over what they have
    put into shared memory, which is as much as there is room for."""
    inner, *outer = (["\n".join(blocks[k]) for k in nodes] for nodes in sorted(around, key=len))
    return not any("  store " in text for text in inner) and any(".barrier." in text for row in outer for text in row)


def _gathers(blocks: list[list[str]], nodes: set[int]) -> bool:
    """Whether the blocks of a loop load from where something that they load says."""
    made: set[str] = set()
    for line in (line for k in sorted(nodes) for line in blocks[k]):
        value = VALUE.match(line)
        if not value:
            continue
        load = value[2].startswith("load ")
        hangs = not made.isdisjoint(re.findall(NAME, value[2]))
        if load and hangs:
            return True
        if load or (hangs and _ADDRESS.match(value[2])):
            made.add(value[1])
    return False
