"""Order of blocks: reverse postorder in which loops stay together and blocks that leave the function come last.

The successor that is visited last in the depth-first walk comes first after its block, so exits are visited first: ends
of the function, then ways out of the loop, then the rest.
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

    def rank(block: ir.Block, after: ir.Block) -> tuple[int, int]:
        """Visited first if low."""
        kept = sum(1 for body in around.get(block, ()) if after in body)
        return weight.get(after.terminator.op, 2), kept

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
