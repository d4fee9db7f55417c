"""Regions of the control flow with one way in: where lanes that part may be made to meet again."""

from __future__ import annotations

from minicc.graphs import nesting
from minicc.ptxas.lower.graph import Graph

Found = tuple[int, int, set[int]]
"""Start, end, blocks of a region."""
_STEPS = 64
"""Times that a region grows, at most."""


class Closed:
    """The regions of one graph. Branches that lie close together grow into the same ones: each is looked at once."""

    def __init__(self, graph: Graph, idom: list[int], ipdom: list[int], nests: dict[int, set[int]]) -> None:
        self.graph, self.idom, self.ipdom, self.nests = graph, idom, ipdom, nests
        self.above, self.behind = nesting(idom), nesting(ipdom)
        self.around: list[list[int]] = [[] for _ in graph.succs]
        """Headers of the loops that each block is in."""
        for header, body in nests.items():
            for node in body:
                self.around[node].append(header)
        self.known: dict[tuple[int, int], set[int] | None] = {}

    def of(self, branch: int) -> Found | None:
        """The blocks between a branch and its post-dominator, grown until they have a single entry and are entered
        once per round."""
        start, end, exit_ = branch, self.ipdom[branch], len(self.graph.succs)
        for _ in range(_STEPS):
            if end == exit_ or end < 0:
                return None
            header = self._outermost(start, end)
            entry = start if header is None else self.idom[header]
            if (entry, end) not in self.known:
                self.known[entry, end] = self._between(entry, end)
            nodes = self.known[entry, end]
            if nodes is not None:
                return entry, end, nodes
            if entry == 0:
                return None
            start = self.idom[entry]
            while end != exit_ and not self.behind[end][0] <= self.behind[start][0] <= self.behind[end][1]:
                end = self.ipdom[end]
            if end == start:
                end = self.ipdom[start]
        return None

    def _between(self, entry: int, end: int) -> set[int] | None:
        """What can be reached from `entry` without coming to `end`, if nothing else leads there and nothing of it back
        to `entry`."""
        first, last = self.above[entry]
        seen = {entry}
        stack = [entry]
        while stack:
            for node in self.graph.succs[stack.pop()]:
                if node == entry or (node != end and not first <= self.above[node][0] <= last):
                    return None
                if node != end and node not in seen:
                    seen.add(node)
                    stack.append(node)
        return seen if all(p in seen for n in seen if n != entry for p in self.graph.preds[n]) else None

    def _outermost(self, node: int, end: int) -> int | None:
        """Header of the largest loop that has `node` but not `end`."""
        out = [header for header in self.around[node] if end not in self.nests[header]]
        return max(out, key=lambda header: len(self.nests[header]), default=None)


__all__ = ["Closed", "Found"]
