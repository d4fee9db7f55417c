"""Lean order: each value is made right before it is wanted, so that few are live at a time.

Each run is ordered from its end: of the instructions whose users are all placed, the one goes next (that is, before
them) that leaves fewest values live. Loads of the fragments of a matrix product come just before the products that use
them, in whatever order the program had them. No eye on latency: list scheduling starts from this order where registers
are short (see `fit`).
"""

from __future__ import annotations

from bisect import bisect_left, insort

from minicc.arch.schema import Arch
from minicc.ptxas.cfg import Cfg
from minicc.ptxas.dag import Node, build
from minicc.ptxas.intervals import bits_of
from minicc.ptxas.liveness import analyse
from minicc.ptxas.mir import MFunction
from minicc.ptxas.operands import Components
from minicc.ptxas.schedule import runs_of
from minicc.ptxas.timing import Distances, Footprint, footprint

_LOOK = 96
"""Candidates that are compared, the last ones of the program's order."""
_DEPTH = 2
"""Makers before makers that are looked at for each."""


def run(function: MFunction, arch: Arch) -> None:
    """Reorder every block of `function`."""
    distances, components = Distances(arch), Components(function)
    live_out = analyse(function, Cfg.of(function)).live_out
    general = {components.start[r.id] + p for r in function.vregs if r.file == "R" for p in range(r.width)}
    for b, block in enumerate(function.blocks):
        prints = [footprint(i, components) for i in block.insts]
        live = {components.start[reg] + p for reg, mask in live_out[b].items() for p in bits_of(mask)}
        live &= general
        parts: list[list[int]] = []
        for start, end in reversed(runs_of(prints)):
            nodes = build(block.insts[start:end], prints[start:end], distances)
            order = _order(nodes, prints[start:end], live, general)
            parts.append([start + i for i in order])
        block.insts = [block.insts[i] for part in reversed(parts) for i in part]


def _order(nodes: list[Node], prints: list[Footprint], live: set[int], general: set[int]) -> list[int]:
    """The run's order; `live` becomes what is live before it."""
    reads = [{key for key, _ in p.reads if key in general} for p in prints]
    writes = [{key for key, _ in p.writes if key in general} for p in prints]
    whole = [set() if p.guarded else w for p, w in zip(prints, writes, strict=True)]
    makers: dict[int, list[int]] = {}
    """Who writes a register, in the program's order."""
    for i, found in enumerate(writes):
        for key in found:
            makers.setdefault(key, []).append(i)
    preds: list[list[int]] = [[] for _ in nodes]
    left = [len(node.succs) for node in nodes]
    for i, node in enumerate(nodes):
        for succ, _ in node.succs:
            preds[succ].append(i)
    ready = [i for i, n in enumerate(left) if not n]
    out: list[int] = []

    def more(i: int, depth: int) -> int:
        """Values live before `i` less those behind it, taking it that what makes one only for it comes right before,
        where that leaves fewer."""
        new = reads[i] - live
        total = len(new) - len((whole[i] & live) - reads[i])
        if not depth:
            return total
        changed = (writes[i] & live) - whole[i]
        asked = set()
        for key in (*new, *changed):
            those = makers.get(key, ())
            at = bisect_left(those, i) - 1
            if at >= 0 and left[those[at]] == 1 and those[at] not in asked:
                asked.add(those[at])
                inner = more(those[at], depth - 1) - len(whole[those[at]] & new)
                total += min(inner, 0)
        return total

    while ready:
        best, chosen = (1 << 30, 0), ready[-1]
        for i in ready[-_LOOK:]:
            cost = (more(i, _DEPTH), -i)
            if cost < best:
                best, chosen = cost, i
        ready.remove(chosen)
        out.append(chosen)
        live -= whole[chosen]
        live |= reads[chosen]
        for p in preds[chosen]:
            left[p] -= 1
            if not left[p]:
                insort(ready, p)
    out.reverse()
    return out


__all__ = ["run"]
