"""Blocks to which the lanes that come to them come together, though they may be part of a warp.

    if (warp == 0) { v = lane < 8 ? s[lane] : 0;  v += __shfl_down_sync(~0u, v, 4); ... }

All lanes of one side of a branch go on together, and those that a BSSY keeps in mind go on together behind its BSYNC,
if nobody comes there by another way (both sides of a branch may end in a BSYNC of their own before one block).
Of an exchange that lanes of its mask come to nowhere else (`anywhere.scattered`) all of them are there, then, and
nothing needs to gather them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from minicc.graphs import postorder
from minicc.ptxas.lower.graph import Graph

if TYPE_CHECKING:
    from minicc.ptxas.lower.converge import Region


def in_step(
    graph: Graph, nests: Mapping[int, set[int]], regions: Iterable[Region], apart: set[int], parted: set[int]
) -> set[int]:
    """Those among the blocks that part of a warp may execute (`apart`). Not behind what lets lanes go on without those
    that they are to meet (`parted`), nor where lanes take themselves out of what they are kept in mind by."""
    meeting: dict[int, list[int]] = {}
    for region in regions:
        once = all((region.start in body) == (region.end in body) for body in nests.values())
        if once and not region.leaving and region.nodes.issuperset(graph.preds[region.end]):
            meeting.setdefault(region.end, []).append(region.start)
    found: set[int] = set()

    def steady(n: int) -> bool:
        return n not in apart or n in found

    for n in reversed(postorder(graph.succs)):
        if n not in apart or n in parted:
            continue
        alone = len(graph.preds[n]) == 1 and steady(graph.preds[n][0])
        if alone or any(map(steady, meeting.get(n, ()))):
            found.add(n)
    return found
