"""Stores of parts of sectors to local memory stand together, array by array.

    STL.U16 [R4], a              ...
    STL.U16 [R4+0x110], b        STL.U16 [R4], a
    ...                     ->   STL.U16 [R4+0x2], c
    STL.U16 [R4+0x2], c          STL.U16 [R4+0x110], b
    STL.U16 [R4+0x112], d        STL.U16 [R4+0x112], d

L1 joins stores to a line that follow one another within ten cycles, and loses sectors to part of which a store comes
11 to 20 cycles after the last (h200.md): the next load of them misses. Those are stores of bytes and halves, of words
under guards, and of words to a place that each lane has computed (`dag.part_of_local`). On an H200 two rows of halves
(a dynamic program, unrolled) take 200,000 cycles with the stores where their values are made, 80 % of the loaded
sectors hitting, and 123,500 together (99.8 %; nvcc's code 139,000); edit distances in a row of bytes 230,000 and
106,000 (79 and 100 %; 123,000); a conversion to base 58 in an array of bytes 52,000 and 36,800 (91 and 100 %; 37,800);
a walk of a k-d tree with a stack of words, two guarded stores a turn, 115,500 and 72,600 (61 and 99 %; 76,800). The
model has it for bytes and halves alone.

A store waits here until something needs it behind it, or until there are `dag.MOST_PARTS`, as registers hold what they
store; `dag` keeps the order, as that of all side effects, and issues neighbours together, `control.near` to the cycle.
"""

from __future__ import annotations

from math import inf

from minicc.arch.schema import Arch
from minicc.ptxas.mir import MFunction, MInst
from minicc.ptxas.operands import Components
from minicc.ptxas.options import Options
from minicc.ptxas.schedule import dag
from minicc.ptxas.schedule.schedule import runs_of
from minicc.ptxas.timing import Distances, footprint

_WORD = 4
"""Bytes from one place to another that are of one array, at most."""


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Put the stores of every block together that has several."""
    if options.sched == "serial":
        return
    blocks = [block for block in function.blocks if sum(map(dag.part_of_local, block.insts)) > 1]
    if not blocks:
        return
    distances, components = Distances(arch), Components(function)
    for block in blocks:
        prints = [footprint(i, components) for i in block.insts]
        out: list[MInst] = []
        for start, end in runs_of(prints):
            insts = block.insts[start:end]
            arrays = _arrays(insts)
            if len(arrays) > 1:
                nodes = dag.build(insts, prints[start:end], distances, arrays=False)
                insts = [insts[i] for i in _order(arrays, nodes)]
            out += insts
        block.insts = out


def _arrays(insts: list[MInst]) -> dict[int, int]:
    """Index of each store of part of a sector -> which array it is of: neighbours off one base."""
    places: dict[object, list[tuple[int, int]]] = {}
    for i, base, offset in dag.local_parts(insts):
        places.setdefault(base, []).append((offset, i))
    out: dict[int, int] = {}
    array = 0
    for own in places.values():
        before = -inf
        for offset, i in sorted(own):
            array += offset > before + _WORD
            before = offset
            out[i] = array
    return out


def _order(arrays: dict[int, int], nodes: list[dag.Node]) -> list[int]:
    """The run with its stores held back and put together."""
    out: list[int] = []
    held: list[int] = []
    behind: set[int] = set()
    """What must follow those that are held."""
    for i, node in enumerate(nodes):
        if i in behind or len(held) == dag.MOST_PARTS:
            out += sorted(held, key=lambda store: arrays[store])
            held, behind = [], set()
        if i in arrays:
            held.append(i)
            behind.update(succ for succ, _ in node.succs)
        else:
            out.append(i)
    return out + sorted(held, key=lambda store: arrays[store])
