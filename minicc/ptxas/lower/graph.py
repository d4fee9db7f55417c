"""The control flow of blocks that are still being lowered: where they end and lead to, dominators, post-dominators."""

from __future__ import annotations

from minicc.graphs import dominators, natural_loops, postorder
from minicc.ptxas.mir import TRUE, Block, MFunction
from minicc.sass.instr import Target


def ends(block: Block) -> bool:
    """Does control never fall out of the bottom of the block?"""
    if not block.insts:
        return False
    last = block.insts[-1]
    return last.mnemonic in ("BRA", "EXIT", "RET", "BRX") and last.guard == TRUE and "DIV" not in last.modifiers


def targets(block: Block) -> list[str]:
    """Labels that branches of the block go to."""
    return [t.label for i in block.insts if i.mnemonic == "BRA" for t in i.srcs if isinstance(t, Target) and t.label]


def link(function: MFunction) -> None:
    """Recompute `succs` of every block from its branches and its place in the list."""
    blocks = function.blocks
    for index, block in enumerate(blocks):
        succs = targets(block)
        if not ends(block) and index + 1 < len(blocks):
            succs.append(blocks[index + 1].label)
        block.succs = list(dict.fromkeys(succs))


class Graph:
    """Edges between block numbers 0..n-1, entry 0."""

    def __init__(self, succs: list[list[int]], preds: list[list[int]], leaving: frozenset[int] = frozenset()) -> None:
        self.succs, self.preds = succs, preds
        self.leaving = leaving
        """Blocks in which some threads may end, and others go on."""

    @classmethod
    def of(cls, function: MFunction) -> Graph:
        index = {block.label: i for i, block in enumerate(function.blocks)}
        succs = [[index[s] for s in block.succs] for block in function.blocks]
        preds: list[list[int]] = [[] for _ in succs]
        for node, after in enumerate(succs):
            for s in after:
                preds[s].append(node)
        leaving = (n for n, b in enumerate(function.blocks) if any(i.mnemonic == "EXIT" for i in b.insts))
        return cls(succs, preds, frozenset(leaving))

    def dominators(self) -> list[int]:
        """Immediate dominator of each node; the entry's is itself; -1 if unreachable."""
        return dominators(postorder(self.succs), self.preds)

    def postdominators(self) -> list[int]:
        """Immediate post-dominator of each node, n being the virtual exit. Of nodes that reach it by no edge, as in a
        loop that is left by a guarded EXIT, one is taken to have such an edge."""
        n = len(self.succs)
        reverse = [list(p) for p in self.preds] + [[]]
        forward = [list(s) for s in self.succs] + [[]]
        for node in range(n):
            if not forward[node]:
                forward[node].append(n)
                reverse[n].append(node)
        while True:
            order = postorder(reverse, n)
            missing = set(range(n)) - set(order)
            if not missing:
                break
            node = max(missing & self.leaving or missing)
            forward[node].append(n)
            reverse[n].append(node)
        return dominators(order, forward)

    def loops(self, idom: list[int]) -> dict[int, set[int]]:
        """Natural loops: header -> all its nodes (loops that share a header are one)."""
        return natural_loops(self.succs, self.preds, idom)
