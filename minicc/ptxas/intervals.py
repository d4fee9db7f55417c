"""Live ranges as segments of a linear numbering of the program, for the allocator.

The n-th instruction in layout order reads at 2n and writes at 2n+1; a segment [start, end) holds the points at which a
register must not be taken by another. A value that dies where another is written may share its register, save for
the tensor instructions, which read their sources over several cycles.
"""

from __future__ import annotations

import attrs

from minicc.ptxas.cfg import Cfg
from minicc.ptxas.liveness import Liveness, analyse
from minicc.ptxas.mir import MFunction, V, VReg

_SLOW_READERS = frozenset({"HMMA", "IMMA", "DMMA", "BMMA", "HGMMA", "QGMMA", "IGMMA"})


@attrs.define(eq=False)
class Interval:
    """Where one virtual register is live: ascending disjoint segments, and what it costs to spill it."""

    reg: VReg
    segments: list[tuple[int, int]] = attrs.field(factory=list)
    weight: float = 0.0
    hints: list[VReg] = attrs.field(factory=list)
    """Registers that a copy joins it with."""
    against: list[VReg] = attrs.field(factory=list)
    """Registers read together with it by instructions that feel register-bank conflicts."""

    @property
    def start(self) -> int:
        return self.segments[0][0]

    @property
    def end(self) -> int:
        return self.segments[-1][1]

    def overlaps(self, other: Interval, since: int = 0) -> bool:
        """Whether the two are ever live at once, from point `since` on."""
        a, b = self.segments, other.segments
        i = j = 0
        while i < len(a) and a[i][1] <= since:
            i += 1
        while j < len(b) and b[j][1] <= since:
            j += 1
        while i < len(a) and j < len(b):
            if a[i][1] <= b[j][0]:
                i += 1
            elif b[j][1] <= a[i][0]:
                j += 1
            else:
                return True
        return False


@attrs.define(eq=False)
class Ranges:
    """All intervals of a function by vreg id (None for registers that never occur), and the numbering."""

    intervals: list[Interval | None]
    starts: list[int]
    """First point of each block; one more entry for the end."""
    liveness: Liveness


def build(function: MFunction, cfg: Cfg) -> Ranges:
    """Intervals of every virtual register, with spill weights (uses and definitions, ten-fold per loop level),
    copy hints and bank partners."""
    live = analyse(function, cfg)
    intervals: list[Interval | None] = [None] * len(function.vregs)
    starts = [0]
    for block in function.blocks:
        starts.append(starts[-1] + 2 * len(block.insts))
    vregs = function.vregs

    def interval(reg: int) -> Interval:
        found = intervals[reg]
        if found is None:
            found = intervals[reg] = Interval(vregs[reg])
        return found

    for b in range(len(function.blocks) - 1, -1, -1):
        block = function.blocks[b]
        begin, finish = starts[b], starts[b + 1]
        scale = 10.0 ** min(block.loop_depth, 6)
        mask = dict(live.live_out[b])
        until = dict.fromkeys(mask, finish)
        for i in range(len(block.insts) - 1, -1, -1):
            access = live.accesses[b][i]
            at = begin + 2 * i
            early = at if block.insts[i].mnemonic in _SLOW_READERS else at + 1
            for reg, parts in access.defs:
                found = interval(reg)
                found.weight += scale
                left = mask.get(reg, 0) & ~parts
                if left:
                    mask[reg] = left
                else:
                    mask.pop(reg, None)
                    found.segments.append((early, until.pop(reg, at + 2)))
            for reg, _ in access.partial:
                found = interval(reg)
                found.weight += scale
                if reg not in mask:
                    found.segments.append((early, at + 2))
            for reg, parts in access.uses:
                interval(reg).weight += scale
                if reg in mask:
                    mask[reg] |= parts
                else:
                    mask[reg] = parts
                    until[reg] = at + 1
        for reg in mask:
            # Also parts that are read though never written on this path: they hold whatever the register holds.
            interval(reg).segments.append((begin, until[reg]))
    for found in intervals:
        if found is not None:
            found.segments = _merge(found.segments)
    _relations(function, interval)
    return Ranges(intervals, starts, live)


def _merge(descending: list[tuple[int, int]]) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    for start, end in sorted(descending):
        if out and start <= out[-1][1]:
            if end > out[-1][1]:
                out[-1] = (out[-1][0], end)
        else:
            out.append((start, end))
    return out


def _relations(function: MFunction, interval: object) -> None:
    assert callable(interval)
    for block in function.blocks:
        for inst in block.insts:
            if inst.mnemonic in ("MOV", "UMOV") and inst.dsts and inst.srcs:
                to, source = inst.dsts[0], inst.srcs[0]
                if isinstance(to, V) and isinstance(source, V) and to.reg.file == source.reg.file:
                    interval(to.reg.id).hints.append(source.reg)
                    interval(source.reg.id).hints.append(to.reg)
            elif inst.mnemonic in ("FFMA", "DFMA"):
                names = [s.reg for s in inst.srcs if isinstance(s, V) and s.reg.file == "R"]
                if len(names) == 3:
                    for one in names:
                        found = interval(one.id)
                        if len(found.against) < 32:
                            found.against.extend(other for other in names if other is not one)
