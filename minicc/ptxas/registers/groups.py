"""Groups: values that are copied into and out of wide operands live in their places from the first.

    LDG.128 q, [R4]; MOV a, q[0]; MOV b, q[1] ...; MOV c[0], a; MOV c[1], b; HMMA d, ..., c; MOV a, d[0] ...
 -> LDG.128 g, [R4]; HMMA g, ..., g

PTX names the registers of a fragment or a vector one by one; the machine wants them side by side. Copies are taken one
after another, those in the deepest loops first: the two registers become one (a scalar a part of a group, a group a
part of a wider one, at its alignment) if no parts that would share a place are ever live at once. Products read their
addend before they write (`intervals.build(..., tied=True)`), so an accumulator stays where it is.

Cost: one liveness analysis, where there are such copies; each merge goes through the shorter of two live ranges and
looks things up in the longer one.
"""

from __future__ import annotations

from bisect import bisect_left

from minicc.arch.schema import Arch
from minicc.ptxas.cfg import Cfg
from minicc.ptxas.liveness import analyse
from minicc.ptxas.mir import GMMA, TRUE, Block, MFunction, MInst, Part, V, VReg, step_of
from minicc.ptxas.operands import guarded, map_reads, map_writes, reads, writes
from minicc.ptxas.options import Options
from minicc.ptxas.registers.intervals import Segments, build
from minicc.record import evolve

_WIDEST = 4


def copy_of(inst: MInst) -> tuple[V, V] | None:
    """(destination, source) of a copy of one general register."""
    if inst.mnemonic != "MOV" or inst.hidden or inst.modifiers or len(inst.srcs) != 1 or len(inst.dsts) != 1:
        return None
    d, s = inst.dsts[0], inst.srcs[0]
    if not isinstance(d, V) or not isinstance(s, V) or d.reg.file != "R" or s.reg.file != "R":
        return None
    if not s.plain or d.count != 1 or s.count != 1:
        return None
    return d, s


Def = tuple[int, Part | None]
"""(point at which a part is written, the part that it is a copy of)"""


class _Web:
    """Registers that have become one: `places` are the segments of each 32-bit part and `defs` where it is written,
    `members` (register, shift)."""

    def __init__(
        self, reg: VReg, places: list[Segments], defs: list[list[Def]], members: list[tuple[int, int]]
    ) -> None:
        self.reg, self.places, self.defs, self.members = reg, places, defs, members
        self.computed = [any(source is None for _, source in part) for part in defs]
        """Whether something else than copies writes each part."""


def _join(a: Segments, b: Segments) -> Segments:
    """The points of both; the longer list may become it."""
    out, more = (a, b) if len(a) >= len(b) else (b, a)
    for start, end in more:
        first = bisect_left(out, (start,))
        if first and out[first - 1][1] >= start:
            first -= 1
            start = out[first][0]
        last = first
        while last < len(out) and out[last][0] <= end:
            end = max(end, out[last][1])
            last += 1
        out[first:last] = [(start, end)]
    return out


def _meet(a: Segments, b: Segments) -> bool:
    """Whether the two share a point."""
    many, few = (a, b) if len(a) >= len(b) else (b, a)
    for start, end in few:
        after = bisect_left(many, (end,))
        if after and many[after - 1][1] > start:
            return True
    return False


def _both(a: list[Def], b: list[Def]) -> list[Def]:
    """The definitions of both by their points; the longer list may become it."""
    out, more = (a, b) if len(a) >= len(b) else (b, a)
    for one in more:
        out.insert(bisect_left(out, one[:1]), one)
    return out


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Join what copies connect with groups, and drop the copies."""
    if not any(
        found[0].reg.width > 1 or found[1].reg.width > 1
        for block in function.blocks
        for inst in block.insts
        if inst.mnemonic == "MOV" and (found := copy_of(inst)) is not None
    ):
        return
    cfg = Cfg.of(function)
    for block in function.blocks:
        if any(i.mnemonic == "MOV" and guarded(i) for i in block.insts):
            _unguard(block)
    _drop_dead(function, cfg)
    copies, defs = _gather(function)
    barred = {
        operand.reg.id
        for block in function.blocks
        for inst in block.insts
        if inst.mnemonic in GMMA or inst.implicit_reads or inst.implicit_writes
        for operand in (*reads(inst), *writes(inst))
        if isinstance(operand, V)
    }
    ranges = build(function, cfg, tied=True)
    webs = _Webs({})
    for interval in ranges.intervals:
        if interval is None or interval.reg.file != "R" or interval.reg.fixed is not None:
            continue
        reg = interval.reg
        if reg.width <= _WIDEST and reg.id not in barred:
            written = [defs.get((reg.id, k), []) for k in range(reg.width)]
            webs.where[reg.id] = _Web(reg, interval.parts, written, [(reg.id, 0)]), 0
    # Inner loops first, there those that touch a group: copies between scalars matter once these are in groups.
    copies.sort(key=lambda c: (c[0], c[1].reg.width == 1 and c[2].reg.width == 1))
    inner = _sums(function, {d.reg.id for _, d, s in copies if s.reg.width > 1})
    for depth, d, s in copies:
        if d.reg.id in webs.where and s.reg.id in webs.where:
            if max(inner.get(d.reg.id, 0), inner.get(s.reg.id, 0)) > -depth:
                continue
            webs.merge(d, s)
    _rename(function, webs.where)


def _sums(function: MFunction, grouped: set[int]) -> dict[int, int]:
    """Loop depths in which single registers are addends of products with a factor that lives in a group. A place in a
    group is a register bank, and neighbours in a group of sums would share those of the factors."""
    found: dict[int, int] = {}
    for block in function.blocks:
        if block.loop_depth:
            for inst in block.insts:
                if inst.mnemonic == "FFMA":
                    addend = inst.srcs[2]
                    if type(addend) is V and addend.reg.width == 1:
                        factors = [s.reg for s in inst.srcs[:2] if type(s) is V]
                        if any(f.width > 1 or f.id in grouped for f in factors):
                            found[addend.reg.id] = max(found.get(addend.reg.id, 0), block.loop_depth)
    return found


def _rename(function: MFunction, where: dict[int, tuple[_Web, int]]) -> None:
    """Name every register as its web does; copies to themselves go."""

    def moved(v: V) -> V:
        found = where.get(v.reg.id)
        if found is None or found[0].reg is v.reg:
            return v
        return evolve(v, reg=found[0].reg, part=v.part + found[1])

    for block in function.blocks:
        kept: list[MInst] = []
        for inst in block.insts:
            map_reads(inst, moved)
            map_writes(inst, moved)
            same = copy_of(inst)
            if same is None or same[0].reg is not same[1].reg or same[0].part != same[1].part:
                kept.append(inst)
        block.insts = kept


def _drop_dead(function: MFunction, cfg: Cfg) -> None:
    """Copies whose result is written again before it is read are not needed (others have taken over their uses)."""
    live = analyse(function, cfg)
    for b, block in enumerate(function.blocks):
        alive = dict(live.live_out[b])
        gone: set[int] = set()
        for at in range(len(block.insts) - 1, -1, -1):
            access = live.accesses[b][at]
            found = copy_of(block.insts[at])
            if found is not None and not alive.get(found[0].reg.id, 0) >> found[0].part & 1:
                gone.add(at)
                continue
            for name, mask in access.defs:
                alive[name] = alive.get(name, 0) & ~mask
            for name, mask in access.uses:
                alive[name] = alive.get(name, 0) | mask
        if gone:
            block.insts = [inst for at, inst in enumerate(block.insts) if at not in gone]


def _gather(function: MFunction) -> tuple[list[tuple[int, V, V]], dict[Part, list[Def]]]:
    """The copies by loop depth, and the definitions of the registers that they name."""
    copies: list[tuple[int, V, V]] = []
    named: set[int] = set()
    for block in function.blocks:
        for inst in block.insts:
            found = copy_of(inst)
            if found is not None and not guarded(inst):
                copies.append((-block.loop_depth, *found))
                named.update((found[0].reg.id, found[1].reg.id))
    defs: dict[Part, list[Def]] = {}
    point = 1
    for block in function.blocks:
        for inst in block.insts:
            for w in writes(inst):
                if isinstance(w, V) and w.reg.id in named:
                    found = None if guarded(inst) else copy_of(inst)
                    source = None if found is None else (found[1].reg.id, found[1].part)
                    for part in w.parts:
                        defs.setdefault(part, []).append((point, source))
            point += 2
    return copies, defs


class _Webs:
    """Which web each register is in, and its place there."""

    def __init__(self, where: dict[int, tuple[_Web, int]]) -> None:
        self.where = where

    def merge(self, d: V, s: V) -> None:
        """Make the webs of a copy's two sides one, if they fit and never disagree."""
        (one, at), (other, by) = self.where[d.reg.id], self.where[s.reg.id]
        if one is other or (one.reg.width == 1 and other.reg.width == 1):
            return
        shift = at + d.part - by - s.part
        if other.reg.width > one.reg.width:
            one, other, shift = other, one, -shift
        width = other.reg.width
        if shift < 0 or shift + width > one.reg.width or shift % step_of(width):
            return
        for k, part in enumerate(other.places):
            if _meet(one.places[shift + k], part) and not (
                self._follows(one, shift + k, other, k) or self._follows(other, k, one, shift + k)
            ):
                return
        for k, part in enumerate(other.places):
            one.places[shift + k] = _join(one.places[shift + k], part)
            one.defs[shift + k] = _both(one.defs[shift + k], other.defs[k])
            one.computed[shift + k] |= other.computed[k]
        for name, offset in other.members:
            self.where[name] = one, offset + shift
            one.members.append((name, offset + shift))

    def _place(self, part: Part | None) -> tuple[_Web, int] | None:
        if part is None or part[0] not in self.where:
            return None
        web, shift = self.where[part[0]]
        return web, part[1] + shift

    def _follows(self, first: _Web, at: int, second: _Web, by: int) -> bool:
        """Whether the second's part never holds but what the first's has held since: all its definitions are copies of
        that, and the first is not written while the second lives."""
        if second.computed[by]:
            return False
        here, there = (first, at), (second, by)
        if any(self._place(source) not in (here, there) for _, source in second.defs[by]):
            return False
        defs, places = first.defs[at], second.places[by]
        if len(defs) < len(places):
            for point, source in defs:
                before = bisect_left(places, (point,)) - 1
                if before >= 0 and point < places[before][1] and self._place(source) != here:
                    return False
            return True
        for start, end in places:
            at = bisect_left(defs, (start + 1,))
            while at < len(defs) and defs[at][0] < end:
                if self._place(defs[at][1]) != here:
                    return False
                at += 1
        return True


def _unguard(block: Block) -> None:
    """A guarded load whose words are copied out under its guard: the old values are copied in, and all of it out.

    MOV a, 1; @P LDG q, [..]; @P MOV a, q[0]  ->  MOV a, 1; MOV q[0], a; @P LDG q, [..]; MOV a, q[0]
    """
    insts = block.insts
    made: dict[int, tuple[int, bool]] = {}
    """Register -> (where it was last written in this block, whether unguarded)."""
    last_read: dict[int, int] = {}
    before: dict[int, list[MInst]] = {}
    for at, inst in enumerate(insts):
        found = copy_of(inst) if guarded(inst) else None
        if found is not None:
            d, s = found
            load, _ = made.get(s.reg.id, (-1, False))
            old, plain = made.get(d.reg.id, (-1, False))
            guard = inst.guard
            if load >= 0 and plain and old < load and last_read.get(d.reg.id, -1) < load and isinstance(guard, V):
                maker = insts[load]
                lasting = made.get(guard.reg.id, (-1, True))[0] < load
                if maker.memory == "load" and maker.guard == guard and lasting and d.reg.width == 1:
                    before.setdefault(load, []).append(MInst("MOV", (), (s,), (d,), loc=inst.loc))
                    inst.guard = TRUE
        for r in reads(inst):
            if isinstance(r, V):
                last_read[r.reg.id] = at
        for w in writes(inst):
            if isinstance(w, V):
                made[w.reg.id] = at, not guarded(inst)
    if before:
        block.insts = [new for at, inst in enumerate(insts) for new in (*before.get(at, ()), inst)]


__all__ = ["run"]
