"""Order of blocks: reverse postorder in which loops stay together and blocks that leave the function come last.

The successor that is visited last in the depth-first walk comes first after its block, so exits are visited first: ends
of the function, then ways out of the loop, then the rest. Of two sides that meet again a short one comes first.
"""

from __future__ import annotations

from minicc import graphs
from minicc.nvvm import ir


def edges(function: ir.Function) -> tuple[graphs.Edges, graphs.Edges]:
    """Successors and predecessors of each block, by their numbers."""
    number = {block: k for k, block in enumerate(function.blocks)}
    succs = [[number[after] for after in block.successors] for block in function.blocks]
    preds: graphs.Edges = [[] for _ in succs]
    for k, after in enumerate(succs):
        for s in after:
            preds[s].append(k)
    return succs, preds


SHORT = 2
"""Instructions of a side that comes first; integers of 64 bits take two, divisions more."""
_LONG = frozenset({"sdiv", "udiv", "srem", "urem", "fdiv", "frem"})


def _short_side(block: ir.Block, after: ir.Block) -> bool:
    """Whether it is the shorter one of two sides that meet again, and short. NVIDIA's ptxas predicates the side that
    control falls into, not the one that is jumped to (a choice between a sum and a power: 308 instructions to 284)."""
    sides = block.successors
    if len(sides) != 2 or any(len(side.successors) != 1 for side in sides):
        return False
    one, other = (_weight(side) for side in (after, sides[sides[0] is after]))
    return sides[0].successors == sides[1].successors and one < min(SHORT + 1, other)


def _weight(block: ir.Block) -> int:
    return sum(
        SHORT + 1 if inst.op in _LONG else 1 + (inst.type.kind == "int" and inst.type.bits == 64)
        for inst in block.insts[:-1]
    )


def layout(function: ir.Function) -> list[ir.Block]:
    """Reachable blocks in the order they are lowered and printed. Sets their indices."""
    succs, preds = edges(function)
    idom = graphs.dominators(graphs.postorder(succs), preds)
    around: dict[ir.Block, list[set[ir.Block]]] = {}
    for loop in graphs.natural_loops(succs, preds, idom).values():
        body = {function.blocks[k] for k in loop}
        for block in body:
            around.setdefault(block, []).append(body)
    weight = {"unreachable": 0, "ret": 1}

    def rank(block: ir.Block, after: ir.Block) -> tuple[int, int, bool]:
        """Visited first if low."""
        kept = sum(1 for body in around.get(block, ()) if after in body)
        return weight.get(after.terminator.op, 2), kept, _short_side(block, after)

    def ranked(block: ir.Block) -> list[ir.Block]:
        # Popped from the end; among equals the first successor is visited last, so it must come first here.
        after = block.successors
        after.sort(key=lambda successor: rank(block, successor), reverse=True)
        return after

    entry = function.blocks[0]
    seen = {entry}
    order: list[ir.Block] = []
    stack = [(entry, ranked(entry))]
    while stack:
        block, rest = stack[-1]
        if rest:
            after = rest.pop()
            if after not in seen:
                seen.add(after)
                stack.append((after, ranked(after)))
        else:
            order.append(block)
            stack.pop()
    order.reverse()
    for index, block in enumerate(order):
        block.index = index
    return order


def dominators(function: ir.Function) -> dict[ir.Block, ir.Block | None]:
    """Immediate dominator of each reachable block (None of the entry), in reverse postorder."""
    blocks = function.blocks
    succs, preds = edges(function)
    order = graphs.postorder(succs)
    idom = graphs.dominators(order, preds)
    return {blocks[node]: blocks[idom[node]] if idom[node] != node else None for node in reversed(order)}
