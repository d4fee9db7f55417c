"""Live ranges as segments of a linear numbering of the program, for the allocator.

The n-th instruction in layout order reads at 2n and writes at 2n+1; a segment [start, end) holds the points at which a
register must not be taken by another. A value that dies where another is written may share its register, save for
the tensor instructions, which read their sources over several cycles.
"""

from __future__ import annotations

from collections.abc import Callable

from minicc.ptxas.cfg import Cfg
from minicc.ptxas.liveness import Liveness, analyse
from minicc.ptxas.mir import GMMA, MFunction, MInst, V, VMem, VReg
from minicc.ptxas.timing import timing

_BITS: dict[int, tuple[int, ...]] = {}
_KEPT = 1 << 12
_FIRST = (0,)
_PARTS = 8
"""Bits of the number of a part, beside that of its register."""


def bits_of(mask: int) -> tuple[int, ...]:
    """The numbers of the bits that are set."""
    found = _BITS.get(mask)
    if found is None:
        text = bin(mask)[:1:-1]
        found = tuple([k for k, digit in enumerate(text) if digit == "1"])
        if mask < _KEPT:
            _BITS[mask] = found
    return found


_ACCUMULATE = frozenset({"FFMA", "DFMA", "IMAD", "HFMA2", "HMMA", "IMMA", "DMMA"})
"""Whose result often takes the place of the third source."""
_SLOW_READERS = GMMA | {"HMMA", "IMMA", "DMMA", "BMMA"}


Segments = list[tuple[int, int]]


def overlap(a: Segments, b: Segments, since: int = 0, first: int = 0) -> bool:
    """Whether two ascending lists of segments share a point, from `since` on; those of `a` before `first` are past."""
    i, j, n, m = first, 0, len(a), len(b)
    while i < n and a[i][1] <= since:
        i += 1
    while j < m and b[j][1] <= since:
        j += 1
    if i == n or j == m:
        return False
    (start, end), (begin, finish) = a[i], b[j]
    while True:
        if end <= begin:
            i += 1
            if i == n:
                return False
            start, end = a[i]
        elif finish <= start:
            j += 1
            if j == m:
                return False
            begin, finish = b[j]
        else:
            return True


class Interval:
    """Where one virtual register is live, and what it costs to spill it. `parts` are the ascending disjoint segments of
    each 32-bit part: a dead part of a pair or quad is free for others."""

    def __init__(self, reg: VReg, parts: list[Segments], weight: float = 0.0, touched: int = 0) -> None:
        self.reg, self.parts, self.weight = reg, parts, weight
        self.touched = touched
        """Instructions that read or write it."""
        self.hints: list[tuple[VReg, int]] = []
        """Registers that it would do well to share with, and by how much its number should differ from theirs."""
        self.addresses: list[VReg] = []
        """Registers that it is loaded through: a load that overwrites its own address needs no read barrier."""
        self.late: set[int] = set()
        """Points at which a life ends in an instruction that reads its sources late."""

    @property
    def start(self) -> int:
        parts = self.parts
        return parts[0][0][0] if len(parts) == 1 else min([p[0][0] for p in parts if p])

    @property
    def end(self) -> int:
        parts = self.parts
        return parts[0][-1][1] if len(parts) == 1 else max([p[-1][1] for p in parts if p])

    @property
    def length(self) -> int:
        return sum(end - start for part in self.parts for start, end in part)

    def overlaps(self, other: Interval) -> bool:
        """Whether any parts of the two are ever live at once."""
        return any(overlap(a, b) for a in self.parts for b in other.parts)


class Ranges:
    """All intervals of a function by vreg id (None for registers that never occur), and the numbering."""

    def __init__(self, intervals: list[Interval | None], starts: list[int], liveness: Liveness) -> None:
        self.intervals = intervals
        self.starts = starts
        """First point of each block; one more entry for the end."""
        self.liveness = liveness


def build(function: MFunction, cfg: Cfg, *, tied: bool = False, live: Liveness | None = None) -> Ranges:
    """Intervals of every virtual register, with spill weights (uses and definitions, by how often each runs),
    and copy hints. `tied`: matrix products end their addend's life before they write, for those who give
    both one place. `live` is the function's liveness, if it is known."""
    live = live or analyse(function, cfg)
    intervals: list[Interval | None] = [None] * len(function.vregs)
    starts = [0]
    for block in function.blocks:
        starts.append(starts[-1] + 2 * len(block.insts))
    vregs = function.vregs

    def interval(reg: int) -> Interval:
        found = intervals[reg]
        if found is None:
            found = intervals[reg] = Interval(vregs[reg], [[] for _ in range(vregs[reg].width)])
        return found

    names = [reg << _PARTS | part for reg, part in live.starts]
    until: dict[int, int] = {}
    """Register and part -> where its life ends that is under way."""

    def begins(name: int, point: int, end: int) -> None:
        interval(name >> _PARTS).parts[name & (1 << _PARTS) - 1].append((point, end))

    further = 0
    """What is live before the block that comes next. What lives on from one block to the next takes no time."""
    for b in range(len(function.blocks) - 1, -1, -1):
        block = function.blocks[b]
        begin, finish = starts[b], starts[b + 1]
        scale = block.weight
        before, behind = live.before[b], live.behind[b]
        for bit in bits_of(further & ~behind):
            begins(names[bit], finish, until.pop(names[bit]))
        for bit in bits_of(behind & ~further):
            until[names[bit]] = finish
        at = finish
        end_of = until.pop
        for inst, access in zip(reversed(block.insts), reversed(live.accesses[b]), strict=True):
            at -= 2
            early = at if inst.mnemonic in _SLOW_READERS else at + 1
            for reg, mask in access.defs:
                found = intervals[reg] or interval(reg)
                found.weight += scale
                found.touched += 1
                if mask == 1:
                    found.parts[0].append((early, end_of(reg << _PARTS, at + 2)))
                    continue
                for part in bits_of(mask):
                    found.parts[part].append((early, end_of(reg << _PARTS | part, at + 2)))
            for reg, mask in access.partial:
                found = intervals[reg] or interval(reg)
                found.weight += scale
                found.touched += 1
                for part in bits_of(mask):
                    if reg << _PARTS | part not in until:
                        found.parts[part].append((early, at + 2))
            addend = _addend(inst) if tied and early == at else -1
            for reg, mask in access.uses:
                found = intervals[reg] or interval(reg)
                found.weight += scale
                found.touched += 1
                for part in _FIRST if mask == 1 else bits_of(mask):
                    name = reg << _PARTS | part
                    if name not in until:
                        until[name] = at if reg == addend else at + 1
                        if timing(inst.mnemonic, inst.modifiers, function.uncoupled).variable:
                            found.late.add(at + 1)
        # Parts that are read though never written on this path hold whatever the register holds. Of a multiply's quad
        # of descriptors half has no value if its factor is in registers: that is nobody's life.
        for bit in bits_of(live.unwritten[b]):
            name = names[bit]
            end = until.pop(name, None)
            if end is not None:
                begins(name, min(end, finish) - 1 if vregs[name >> _PARTS].file == "UR" else begin, end)
        further = before
    for name, end in until.items():
        begins(name, 0, end)
    for each in intervals:
        if each is not None:
            each.parts = [merge(p) if len(p) > 1 else p for p in each.parts]
    _relations(function, interval)
    return Ranges(intervals, starts, live)


def _addend(inst: MInst) -> int:
    """The register that a product reads as its addend only, by id; -1 for none."""
    if inst.mnemonic in GMMA or len(inst.srcs) < 3:
        return -1
    c = inst.srcs[2]
    others = (s for s in inst.srcs[:2] if isinstance(s, V))
    return c.reg.id if isinstance(c, V) and all(s.reg is not c.reg for s in others) else -1


def merge(segments: Segments) -> Segments:
    """The same points, in ascending disjoint segments."""
    out: Segments = []
    for start, end in sorted(segments):
        if out and start <= out[-1][1]:
            if end > out[-1][1]:
                out[-1] = (out[-1][0], end)
        else:
            out.append((start, end))
    return out


def _relations(function: MFunction, interval: Callable[[int], Interval]) -> None:
    """Hints and addresses."""
    for block in function.blocks:
        for inst in block.insts:
            source: object = None
            if inst.mnemonic in ("MOV", "UMOV") and inst.dsts and inst.srcs:
                source = inst.srcs[0]
            elif inst.memory == "load" and isinstance(inst.srcs[0], VMem) and isinstance(inst.srcs[0].base, V):
                for to in inst.dsts:
                    if isinstance(to, V) and to.reg.file == "R":
                        interval(to.reg.id).addresses.append(inst.srcs[0].base.reg)
            elif inst.mnemonic in _ACCUMULATE and len(inst.srcs) > 2 and "WIDE" not in inst.modifiers:
                source = inst.srcs[2]
            if isinstance(source, V) and isinstance(to := inst.dsts[0], V) and source.reg.file == to.reg.file:
                interval(to.reg.id).hints.append((source.reg, source.part - to.part))
                interval(source.reg.id).hints.append((to.reg, to.part - source.part))
