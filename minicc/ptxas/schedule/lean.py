"""Lean order: each value is made right before it is wanted, so that few are live at a time.

Each run is ordered from its end: of the instructions whose users are all placed, the one goes next (that is, before
them) that leaves fewest values live, and of several the one that has waited least: a tree of sums is gone down branch
by branch, in whatever order the program has its levels. Loads of the fragments of a matrix product come just before the
products that use them, in whatever order the program had them. No eye on latency: list scheduling starts from this
order where registers are short (see `fit`).
"""

from __future__ import annotations

from bisect import insort

from minicc.arch.schema import Arch
from minicc.ptxas.mir import MFunction
from minicc.ptxas.operands import Components
from minicc.ptxas.registers.intervals import bits_of
from minicc.ptxas.schedule.dag import Node
from minicc.ptxas.schedule.facts import Facts
from minicc.ptxas.schedule.schedule import WHOLE, runs_of
from minicc.ptxas.timing import Distances, Footprint

_LOOK = 96
"""Candidates that are compared, the last ones of the program's order."""
_DEPTH = 2
"""Makers before makers that are looked at for each."""


def run(function: MFunction, arch: Arch, facts: Facts | None = None) -> None:
    """Reorder every block of `function`; the facts are its own, if they are kept."""
    facts = facts or Facts(function)
    distances, components = Distances(arch), Components(function)
    live_out = facts.liveness().live_out
    general = {components.start[r.id] + p for r in function.vregs if r.file == "R" for p in range(r.width)}
    for b, block in enumerate(function.blocks):
        prints = facts.footprints(block.insts, components)
        live = {components.start[reg] + p for reg, mask in live_out[b].items() for p in bits_of(mask)}
        live &= general
        parts: list[list[int]] = []
        for start, end in reversed(runs_of(prints, WHOLE)):
            nodes = facts.graph(block.insts[start:end], prints, start, distances, renewed=False)
            order = _order(nodes, prints[start:end], live, general)
            parts.append([start + i for i in order])
        block.insts = [block.insts[i] for part in reversed(parts) for i in part]


def _order(nodes: list[Node], prints: list[Footprint], live: set[int], general: set[int]) -> list[int]:
    """The run's order; `live` becomes what is live before it."""
    run = _Backward(nodes, prints, live, general)
    out: list[int] = []
    while run.ready:
        costs, since = run.costs, run.since
        chosen = max([(-(costs[i] if i in costs else run.cost(i)), since[i], i) for i in run.ready[-_LOOK:]])[2]
        out.append(chosen)
        run.take(chosen)
    out.reverse()
    return out


class _Backward:
    """A run that is ordered from its end. What a candidate would cost is kept until something changes that it depends
    on: whether a register is live, or how many of a maker's users are still to be placed."""

    def __init__(self, nodes: list[Node], prints: list[Footprint], live: set[int], general: set[int]) -> None:
        self.live = live
        self.reads = [{key for key, _ in p.reads if key in general} for p in prints]
        self.writes = [{key for key, _ in p.writes if key in general} for p in prints]
        self.whole = [set() if p.guarded else w for p, w in zip(prints, self.writes, strict=True)]
        self.maker: list[dict[int, int]] = []
        """Who wrote a register last in the program's order, of those that each instruction reads or writes."""
        last: dict[int, int] = {}
        for i, written in enumerate(self.writes):
            self.maker.append({key: last[key] for key in self.reads[i] | written if key in last})
            last.update(dict.fromkeys(written, i))
        self.preds: list[list[int]] = [[] for _ in nodes]
        self.left = [len(node.succs) for node in nodes]
        for i, node in enumerate(nodes):
            for succ, _ in node.succs:
                self.preds[succ].append(i)
        self.ready = [i for i, n in enumerate(self.left) if not n]
        self.since = [0] * len(nodes)
        """How many had been placed when it became ready."""
        self.placed = 0
        self.costs: dict[int, int] = {}
        self.asking: dict[int, set[int]] = {}
        """Register -> candidates whose cost depends on it."""

    def cost(self, i: int) -> int:
        """Values live before candidate `i` less those behind it."""
        found = self.costs[i] = self._more(i, _DEPTH, i)
        return found

    def _more(self, i: int, depth: int, candidate: int) -> int:
        """The same for any instruction, taking it that what makes a value only for it comes right before, where that
        leaves fewer."""
        reads, whole, live = self.reads[i], self.whole[i], self.live
        for key in reads | self.writes[i]:
            self.asking.setdefault(key, set()).add(candidate)
        new = reads - live
        total = len(new) - len((whole & live) - reads)
        if not depth:
            return total
        asked = set()
        for key in (*new, *((self.writes[i] & live) - whole)):
            maker = self.maker[i].get(key)
            if maker is not None and maker not in asked and self.left[maker] == 1:
                asked.add(maker)
                inner = self._more(maker, depth - 1, candidate) - len(self.whole[maker] & new)
                total += min(inner, 0)
        return total

    def take(self, i: int) -> None:
        """Candidate `i` is placed, before all that have been."""
        self.ready.remove(i)
        self.placed += 1
        before = self.live & (self.reads[i] | self.whole[i])
        self.live -= self.whole[i]
        self.live |= self.reads[i]
        changed = before ^ (self.live & (self.reads[i] | self.whole[i]))
        for p in self.preds[i]:
            self.left[p] -= 1
            if self.left[p] == 1:
                changed |= self.writes[p]
            elif not self.left[p]:
                insort(self.ready, p)
                self.since[p] = self.placed
        for key in changed:
            for candidate in self.asking.pop(key, ()):
                self.costs.pop(candidate, None)


__all__ = ["run"]
