"""Control-flow facts about a list of blocks: edges, orders, dominators, post-dominators, natural loops.

Blocks are numbers here; the caller keeps the map. Cost: near linear for the graphs compilers make.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs

from minicc.ptxas.mir import Block, MFunction, MInst
from minicc.sass.instr import PT, Reg, Target

TRUE = Reg("P", PT)


def ends(block: Block) -> bool:
    """Does control never fall out of the bottom of the block?"""
    if not block.insts:
        return False
    last = block.insts[-1]
    return last.mnemonic in ("BRA", "EXIT", "RET", "BRX") and last.guard == TRUE


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


@attrs.define(repr=False)
class Graph:
    """Edges between block numbers 0..n-1, entry 0."""

    succs: list[list[int]]
    preds: list[list[int]]

    @classmethod
    def of(cls, function: MFunction) -> Graph:
        index = {block.label: i for i, block in enumerate(function.blocks)}
        succs = [[index[s] for s in block.succs] for block in function.blocks]
        preds: list[list[int]] = [[] for _ in succs]
        for node, after in enumerate(succs):
            for s in after:
                preds[s].append(node)
        return cls(succs, preds)

    def postorder(self, root: int, succs: list[list[int]]) -> list[int]:
        seen = bytearray(len(succs))
        order: list[int] = []
        stack = [(root, 0)]
        seen[root] = 1
        while stack:
            node, at = stack.pop()
            after = succs[node]
            while at < len(after) and seen[after[at]]:
                at += 1
            if at < len(after):
                stack.append((node, at + 1))
                seen[after[at]] = 1
                stack.append((after[at], 0))
            else:
                order.append(node)
        return order

    def dominators(self) -> list[int]:
        """Immediate dominator of each node; the entry's is itself; -1 if unreachable."""
        return _dominators(self.postorder(0, self.succs), self.preds, 0, len(self.succs))

    def postdominators(self) -> list[int]:
        """Immediate post-dominator of each node, n being the virtual exit. Nodes that cannot reach an exit are taken
        to have an edge to it."""
        n = len(self.succs)
        reverse = [list(p) for p in self.preds] + [[]]
        forward = [list(s) for s in self.succs] + [[]]
        for node in range(n):
            if not forward[node]:
                forward[node].append(n)
                reverse[n].append(node)
        while True:
            order = self.postorder(n, reverse)
            missing = set(range(n)) - set(order)
            if not missing:
                break
            node = max(missing)
            forward[node].append(n)
            reverse[n].append(node)
        return _dominators(order, forward, n, n + 1)


def _dominators(postorder: list[int], preds: list[list[int]], root: int, count: int) -> list[int]:
    """Cooper, Harvey and Kennedy's iteration."""
    number = [-1] * count
    for position, node in enumerate(postorder):
        number[node] = position
    idom = [-1] * count
    idom[root] = root
    changed = True
    while changed:
        changed = False
        for node in reversed(postorder):
            if node == root:
                continue
            best = -1
            for p in preds[node]:
                if idom[p] < 0:
                    continue
                if best < 0:
                    best = p
                    continue
                a, b = p, best
                while a != b:
                    while number[a] < number[b]:
                        a = idom[a]
                    while number[b] < number[a]:
                        b = idom[b]
                best = a
            if best >= 0 and idom[node] != best:
                idom[node] = best
                changed = True
    return idom


def dominates(idom: list[int], a: int, b: int) -> bool:
    """Is a on b's chain of (post-)dominators?"""
    while b != a:
        up = idom[b]
        if up == b or up < 0:
            return False
        b = up
    return True


def nesting(idom: list[int]) -> list[tuple[int, int]]:
    """(first, last) number of each node's subtree in a walk of the dominator tree: a dominates b if and only if
    first[a] <= first[b] <= last[a]. Nodes that are not in the tree have (1, 0)."""
    children: list[list[int]] = [[] for _ in idom]
    roots = []
    for node, up in enumerate(idom):
        if up == node:
            roots.append(node)
        elif up >= 0:
            children[up].append(node)
    out = [(1, 0)] * len(idom)
    clock = 2
    for root in roots:
        stack = [(root, -1)]
        while stack:
            node, first = stack.pop()
            if first >= 0:
                out[node] = first, clock - 1
            else:
                stack.append((node, clock))
                stack.extend((child, -1) for child in children[node])
                clock += 1
    return out


def loops(graph: Graph, idom: list[int]) -> dict[int, set[int]]:
    """Natural loops: header -> all its nodes (loops that share a header are one)."""
    found: dict[int, set[int]] = {}
    nested = nesting(idom)
    for node, after in enumerate(graph.succs):
        if idom[node] < 0:
            continue
        for header in after:
            if not nested[header][0] <= nested[node][0] <= nested[header][1]:
                continue
            body = found.setdefault(header, {header})
            stack = [node]
            while stack:
                at = stack.pop()
                if at not in body:
                    body.add(at)
                    stack += graph.preds[at]
    return found


Visitor = Callable[[MInst], None]
