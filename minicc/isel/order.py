"""Order of blocks: reverse postorder in which loops stay together and blocks that leave the function come last.

The successor that is visited last in the depth-first walk comes first after its block, so exits are visited first: ends
of the function, then ways out of the loop, then the rest.
"""

from __future__ import annotations

from minicc import graphs
from minicc.nvvm import ir


def _loops(function: ir.Function) -> dict[ir.Block, set[ir.Block]]:
    """Header -> blocks of its natural loop (loops of one header united), from the back edges of a depth-first walk."""
    preds: dict[ir.Block, list[ir.Block]] = {}
    back: list[tuple[ir.Block, ir.Block]] = []
    entry = function.blocks[0]
    state = {entry: 1}
    stack = [(entry, iter(entry.successors))]
    while stack:
        block, rest = stack[-1]
        after = next(rest, None)
        if after is None:
            state[block] = 2
            stack.pop()
            continue
        preds.setdefault(after, []).append(block)
        if after not in state:
            state[after] = 1
            stack.append((after, iter(after.successors)))
        elif state[after] == 1:
            back.append((block, after))
    loops: dict[ir.Block, set[ir.Block]] = {}
    for latch, header in back:
        body = loops.setdefault(header, {header})
        work = [latch]
        while work:
            block = work.pop()
            if block not in body:
                body.add(block)
                work += preds.get(block, [])
    return loops


def layout(function: ir.Function) -> list[ir.Block]:
    """Reachable blocks in the order they are lowered and printed. Sets their indices."""
    loops = _loops(function)
    around: dict[ir.Block, list[set[ir.Block]]] = {}
    for body in loops.values():
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
    number = {block: index for index, block in enumerate(blocks)}
    succs = [[number[after] for after in block.successors] for block in blocks]
    preds: list[list[int]] = [[] for _ in blocks]
    order = graphs.postorder(succs)
    for node in order:
        for after in succs[node]:
            preds[after].append(node)
    idom = graphs.dominators(order, preds)
    return {blocks[node]: blocks[idom[node]] if idom[node] != node else None for node in reversed(order)}
