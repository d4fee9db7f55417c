"""YIELD in loops in which lanes of a warp may wait for one another.

A diverged warp goes on with one group of lanes until they block, end or yield (seen on an H200: lanes that spin on a
flag without YIELD spin for ever if another lane of their warp is to set it; and BSYNC waits for lanes that spin unless
they yield). So a loop that lanes may leave at different turns, when what memory held then says so, by a volatile or
strong load or an atomic, here or in a function that is called, has a YIELD beside that, where nvcc puts one; other
loops do not, because it takes 51 cycles.
"""

from __future__ import annotations

from collections.abc import Callable

from minicc.graphs import reachable
from minicc.ptxas.lower.graph import Graph
from minicc.ptxas.lower.rounds import among, ranks
from minicc.ptxas.mir import Block, MFunction, MInst, V, function_label
from minicc.ptxas.operands import reads
from minicc.sass.instr import Target

Observes = Callable[[MInst], bool]
"""Does it read what other threads may have written meanwhile?"""
_STACK = {"STL": "LDL", "ST": "LD"}
"""Stores that may go to the stack, which is where unoptimised code keeps its variables, and the loads from there."""


def yields(
    function: MFunction, graph: Graph, ipdom: list[int], nests: dict[int, set[int]], divergent: list[int],
    observing: set[str],
) -> None:  # fmt: skip
    """Insert them. `divergent`: blocks that end in a branch which may split a warp; `observing`: functions that may
    tell what other threads wrote."""
    labels = {function_label(name) for name in observing}

    def observes(inst: MInst) -> bool:
        if inst.mnemonic == "CALL":
            target = inst.srcs[0]
            return target.label in labels if isinstance(target, Target) else "REL" in inst.modifiers
        return bool(inst.dsts) and (inst.memory == "atomic" or (inst.memory == "load" and inst.side_effect))

    splits = ranks(divergent)
    for body in sorted(nests.values(), key=len):
        leaving = [b for b in among(splits, body) if not body.issuperset(graph.succs[b])]
        insts = [inst for index in body for inst in function.blocks[index].insts]
        if not leaving or any(inst.mnemonic in ("YIELD", "NANOSLEEP") for inst in insts):
            continue
        if (len(body) == 1 and _retries(insts)) or not any(map(observes, insts)):
            continue
        told = _told(function, graph, ipdom, body, observes)
        if not any(_guards(function, branch) & told for branch in leaving):
            continue
        index = min(b for b in body if any(map(observes, function.blocks[b].insts)))
        block = function.blocks[index].insts
        place = next(k for k, inst in enumerate(block) if observes(inst))
        mark = MInst("YIELD", side_effect=True, loc=block[place].loc)
        block.insert(place + (block[place].memory == "load"), mark)


def yield_to_arrivals(blocks: list[Block]) -> bool:
    """YIELD behind each look at an mbarrier whose phase is not over, in `blocks` of loops that part of a warp may
    execute: the others may have to arrive yet. (nvcc's stands before; but then what waits no longer yields, too.)
    Returns whether there was one to insert."""
    found = False
    for block in blocks:
        for k in range(len(block.insts) - 1, -1, -1):
            inst = block.insts[k]
            done = inst.dsts[0] if inst.mnemonic == "SYNCS" and "PHASECHK" in inst.modifiers else None
            follower = block.insts[k + 1] if k + 1 < len(block.insts) else None
            if isinstance(done, V) and not (follower and follower.mnemonic == "YIELD"):
                wait = V(done.reg, inv=True)
                block.insts.insert(k + 1, MInst("YIELD", guard=wait, side_effect=True, loc=inst.loc))
                found = True
    return found


def _retries(body: list[MInst]) -> bool:
    """Is it one operation on shared memory, tried again? A lane fails there only where another has come through."""
    return any(inst.mnemonic == "ATOMS" and "SPIN" in inst.modifiers for inst in body)


def _guards(function: MFunction, branch: int) -> set[int]:
    """Ids of the registers that decide a block's branch."""
    last = function.blocks[branch].insts[-2:]
    return {inst.guard.reg.id for inst in last if inst.mnemonic == "BRA" and isinstance(inst.guard, V)}


def _told(function: MFunction, graph: Graph, ipdom: list[int], body: set[int], observes: Observes) -> set[int]:
    """Ids of the registers that depend, within a loop, on what was observed: by value, maybe by way of the stack, or
    because a branch did."""
    told: set[int] = set()
    loads: set[str] = set()
    under: set[int] = set()
    while True:
        before = len(told) + len(under) + len(loads)
        for index in body:
            for inst in function.blocks[index].insts:
                if (
                    index in under
                    or inst.mnemonic in loads
                    or observes(inst)
                    or any(type(v) is V and v.reg.id in told for v in (*reads(inst), inst.guard))
                ):
                    told.update(d.reg.id for d in (*inst.dsts, *inst.implicit_writes) if isinstance(d, V))
                    if inst.mnemonic in _STACK:
                        loads.add(_STACK[inst.mnemonic])
            if _guards(function, index) & told:
                nodes = reachable(graph.succs, graph.succs[index], ipdom[index])
                under |= (nodes & body) - {index, ipdom[index]}
        if len(told) + len(under) + len(loads) == before:
            return told
