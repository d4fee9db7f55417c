"""Regions of the control flow with one way in: where lanes that part may be made to meet again."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence

from minicc.graphs import nesting
from minicc.ptxas.lower.graph import Graph

Found = tuple[int, int, set[int]]
"""Start, end, blocks of a region."""
_STEPS = 64
"""Times that a region grows, at most."""


class Loops:
    """Natural loops by their headers: of two, one has the other or they share nothing."""

    def __init__(self, bodies: dict[int, set[int]]) -> None:
        self.bodies = bodies
        self.around: dict[int, list[int]] = {}
        """Headers of the loops that each block is in, the largest loop first."""
        for header in sorted(bodies, key=lambda header: -len(bodies[header])):
            chain = [*self.around.get(header, ()), header]
            self.around.update(dict.fromkeys(bodies[header], chain))

    def outermost(self, node: int, end: int, among: Collection[int]) -> int | None:
        """Header of the largest loop that has `node` but not `end`, of those that are `among` some: all that are within
        one that is."""
        chain = self.around.get(node, ())
        at = bisect_left(chain, True, key=lambda header: header in among and end not in self.bodies[header])
        return chain[at] if at < len(chain) else None


class Closed:
    """The regions of a graph. Branches that lie close together grow into the same ones: each is looked at once. Its
    blocks are numbered anew from those of the graph that the `loops` are of, whose numbers are `names` (one more for
    what is behind the last); only loops `among` some count."""

    def __init__(
        self, graph: Graph, idom: list[int], ipdom: list[int], loops: Loops, among: Collection[int],
        names: Sequence[int],
    ) -> None:  # fmt: skip
        self.graph, self.idom, self.ipdom = graph, idom, ipdom
        self.loops, self.among, self.names = loops, among, names
        self.index = {name: node for node, name in enumerate(names)}
        self.above, self.behind = nesting(idom), nesting(ipdom)
        self.known: dict[tuple[int, int], set[int] | None] = {}

    def of(self, branch: int) -> Found | None:
        """The blocks between a branch and its post-dominator, grown until they have a single entry and are entered
        once per round."""
        start, end, exit_ = branch, self.ipdom[branch], len(self.graph.succs)
        for _ in range(_STEPS):
            if end == exit_ or end < 0:
                return None
            header = self.loops.outermost(self.names[start], self.names[end], self.among)
            entry = start if header is None else self.idom[self.index[header]]
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


__all__ = ["Closed", "Found", "Loops"]
