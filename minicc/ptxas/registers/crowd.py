"""Crowding: which values to spill where more are live than there are registers, seen over the whole function.

Linear scan meets one crowded point after another and knows only who is there. Here all crowded points are known: the
value goes first whose spill code costs least for each of them that it frees (long lives with few uses in cold blocks),
then what is still crowded is looked at again. What remains to the scan are gaps between pairs and quads.

Cost: a pass over the points for each of the first values that go, fewer and fewer later; and the candidates' segments
while they are compared.
"""

from __future__ import annotations

import heapq
from itertools import accumulate

from minicc.ptxas.mir import VReg
from minicc.ptxas.registers.intervals import Interval, Ranges

_STALE = 16
"""Where many go, the points are looked at again when a sixteenth more have gone."""


def spills(
    ranges: Ranges, usable: int, tighter: list[tuple[int, list[tuple[int, int]]]], among: set[int] | None = None
) -> set[VReg]:
    """The general registers to spill, of those with an id in `among`, so that nowhere more than `usable` are live;
    `tighter` are (fewer, where)."""
    found = [i for i in ranges.intervals if i is not None and i.reg.file == "R" and any(i.parts)]
    size = ranges.starts[-1] + 2
    change = [0] * (size + 1)
    for interval in found:
        for segments in interval.parts:
            for start, end in segments:
                change[start] += 1
                change[end] -= 1
    room = [usable] * size
    for fewer, segments in tighter:
        for start, end in segments:
            room[start:end] = [min(fewer, r) for r in room[start:end]]

    def crowded() -> list[int]:
        """How many crowded points there are before each."""
        return [0, *accumulate(n > r for n, r in zip(accumulate(change), room, strict=False))]

    before = crowded()
    if not before[-1]:
        return set()

    def freed(interval: Interval) -> int:
        """Crowded points that are one value less so, but for those at which it is used."""
        return sum(before[end] - before[start] for part in interval.parts for start, end in part)

    queue = []
    for n, interval in enumerate(found):
        if interval.reg.spillable and interval.reg.fixed is None and (among is None or interval.reg.id in among):
            gain = freed(interval) - interval.touched
            if gain > 0:
                queue.append((interval.weight / gain, n))
    heapq.heapify(queue)
    gone: set[VReg] = set()
    due = 0
    """Values that may go before the points are looked at again."""
    while queue and before[-1]:
        _, n = heapq.heappop(queue)
        interval = found[n]
        gain = freed(interval) - interval.touched
        if gain <= 0:
            continue
        price = interval.weight / gain
        if queue and price > queue[0][0]:
            heapq.heappush(queue, (price, n))
            continue
        gone.add(interval.reg)
        for part in interval.parts:
            for start, end in part:
                change[start] -= 1
                change[end] += 1
        due -= 1
        if due <= 0:
            due = len(gone) // _STALE
            before = crowded()
    return gone


__all__ = ["spills"]
