"""Parking: accumulators of warpgroup multiplies that do not all fit lie in local memory while others are at work.

    HGMMA s0, ...; HGMMA s1, ...; (s0, s1 -> p); o = o * f; HGMMA o, p, ..., o
 -> STL.128 ..., o; HGMMA s0, ...; HGMMA s1, ...; (s0, s1 -> p); LDL.128 o, ...; o = o * f; HGMMA o, p, ..., o

Registers of a multiply keep their numbers wherever they are live, so a group as wide as that cannot be spilled at its
uses as others are. It is stored and loaded once in each block in which it makes room, where nothing there touches it
between the first and the last use of what needs the room, and no multiply of it is under way.

Where there is no such block, a group is split: it is there in its multiplies only, and elsewhere its parts are
registers of their own, which are spilled as any others. If nothing else helps, multiplies that are under way together
are made one after the other first.
"""

from __future__ import annotations

from minicc.ptxas.cfg import Cfg
from minicc.ptxas.lower.warpgroup import part
from minicc.ptxas.mir import GMMA, Block, MFunction, MInst, V, VReg
from minicc.ptxas.operands import map_reads, map_writes, reads, writes
from minicc.ptxas.registers.intervals import Interval, Ranges
from minicc.ptxas.registers.spill import Spiller
from minicc.record import evolve
from minicc.sass.instr import Imm

Gap = tuple[int, int]
"""Instructions of a block before which a group is stored and loaded."""
_SPLIT = "split gmma"
"""The hint of a group that is there in its multiplies only."""


def run(function: MFunction, ranges: Ranges, homeless: Interval, others: list[Interval], spiller: Spiller) -> bool:
    """Park the cheapest of `others` that leaves its registers to `homeless`, or `homeless` as long as it takes for one
    of the others to leave it its own, or split one; whether there is one."""
    best: tuple[float, Interval, dict[int, Gap]] | None = None
    for other in others:
        for stays, goes in ((homeless, other), (other, homeless)) if other.overlaps(homeless) else ():
            gaps = _gaps(function, ranges, stays, goes)
            cost = sum(function.blocks[b].weight for b in gaps or {}) * goes.reg.width
            if gaps and (best is None or cost < best[0]):
                best = cost, goes, gaps
    if best is None:
        among = (homeless, *sorted((o for o in others if o.overlaps(homeless)), key=lambda o: (o.weight, o.reg.id)))
        return any(_split(function, i.reg) for i in among) or any(_part(function, i.reg) for i in among)
    _, parked, gaps = best
    reg = parked.reg
    slot = spiller.slot(reg.width)
    for b, (store, load) in gaps.items():
        block, first = function.blocks[b], ranges.starts[b]
        live = [any(s <= first + 2 * store < e for s, e in part) for part in parked.parts]
        quads = [V(reg, n, min(4, reg.width - n)) for n in range(0, reg.width, 4) if any(live[n : n + 4])]
        away = [spiller.access("STL", v, slot + 4 * v.part) for v in quads]
        back = [spiller.access("LDL", v, slot + 4 * v.part) for v in quads]
        block.insts = [*block.insts[:store], *away, *block.insts[store:load], *back, *block.insts[load:]]
    return True


def _gaps(function: MFunction, ranges: Ranges, stays: Interval, goes: Interval) -> dict[int, Gap] | None:
    """Where in each block `goes` can be away as long as `stays` is there; None if it cannot in one of them."""
    found: dict[int, Gap] = {}
    under_way = _under_way(function, goes.reg)
    open_ends = ranges.liveness.live_in, ranges.liveness.live_out
    for b, block in enumerate(function.blocks):
        begin, end = ranges.starts[b], ranges.starts[b + 1]
        needed, held = (
            [(max(s, begin), min(e, end)) for part in i.parts for s, e in part if s < end and e > begin]
            for i in (stays, goes)
        )
        if not needed or not held:
            continue
        first, last = (min(s for s, _ in needed) - begin) // 2, (max(e for _, e in needed) - 1 - begin) // 2
        touching = [n for n, inst in enumerate(block.insts) if _touches(inst, goes.reg)]
        before, after = [n for n in touching if n < first], [n for n in touching if n > last]
        if len(before) + len(after) < len(touching) or _pending(block, before, under_way[b]):
            return None
        leaves = len(block.insts) - (1 if block.insts and block.insts[-1].mnemonic in ("BRA", "EXIT") else 0)
        store, load = before[-1] + 1 if before else 0, after[0] if after else leaves
        if load <= last or any(stays.reg.id in side[b] for side in open_ends):
            return None
        found[b] = store, load
    return found


def _split(function: MFunction, reg: VReg) -> bool:
    """Let the group be there in its multiplies only, from the ARRIVE before them to the wait behind; what is read and
    written of it elsewhere are registers of their own, copied at both ends. Whether it can be done."""
    spans = [_spans(block, reg) for block in function.blocks]
    if reg.hint == _SPLIT or any(found is None for found in spans):
        return False
    sizes: dict[int, int] = {}
    for block in function.blocks:
        for inst in block.insts:
            if not _multiplies(inst):
                for v in (v for v in (*reads(inst), *writes(inst)) if isinstance(v, V) and v.reg is reg):
                    sizes.update((n, max(v.count, sizes.get(n, 1))) for n in range(v.part, v.part + v.count))
    held = {n: function.new("R", size, "part of a group") for n, size in sorted(sizes.items()) if n % size == 0}
    copies = {n: V(held[n - n % size], n % size) for n, size in sorted(sizes.items())}

    def elsewhere(v: V) -> V:
        return evolve(v, reg=copies[v.part].reg, part=copies[v.part].part) if v.reg is reg else v

    for block, found in zip(function.blocks, spans, strict=True):
        out: list[MInst] = []
        inside: dict[int, V] = {}

        def within(v: V, inside: dict[int, V] = inside) -> V:
            return evolve(v, reg=inside[0].reg) if v.reg is reg else v

        ends = dict(found or ())
        for n, inst in enumerate(block.insts):
            if n in ends:
                group = function.new("R", reg.width, _SPLIT)
                group.spillable, group.align = False, reg.align
                inside.update((k, V(group, k)) for k in range(reg.width))
                out += [MInst("MOV", (), (inside[k],), (copy,), loc=inst.loc) for k, copy in copies.items()]
            change = within if _multiplies(inst) else elsewhere
            map_reads(inst, change)
            map_writes(inst, change)
            if _multiplies(inst):
                inst.implicit_reads = tuple(within(v) for v in inst.implicit_reads)
                inst.implicit_writes = tuple(within(v) for v in inst.implicit_writes)
            out.append(inst)
            if n in ends.values():
                out += [MInst("MOV", (), (copy,), (inside[k],), loc=inst.loc) for k, copy in copies.items()]
        block.insts = out
    return True


def _part(function: MFunction, reg: VReg) -> bool:
    """Let the group's multiplies be under way without others, so that it can be split; whether they were with some."""
    parted = part(function, reg)
    if parted:
        reg.hint = ""
    return parted


def _spans(block: Block, reg: VReg) -> list[Gap] | None:
    """The first and last instruction of each run of multiplies of the group, from its ARRIVE to a wait for all of them;
    None if one has not both of these in the block, or the group is touched between."""
    out: list[Gap] = []
    begin = -1
    for n, inst in enumerate(block.insts):
        if not _touches(inst, reg):
            continue
        if not _multiplies(inst):
            if begin >= 0:
                return None
        elif "ARRIVE" in inst.modifiers:
            begin = n if begin < 0 else begin
        elif begin < 0:
            return None
        elif "DEPBAR" in inst.modifiers and inst.srcs[1] == Imm(0, "uint"):
            out.append((begin, n))
            begin = -1
    return out if begin < 0 else None


def _multiplies(inst: MInst) -> bool:
    return inst.mnemonic in GMMA or inst.mnemonic == "WARPGROUP"


def _touches(inst: MInst, reg: VReg) -> bool:
    return any(isinstance(v, V) and v.reg is reg for v in (*reads(inst), *writes(inst)))


def _pending(block: Block, touching: list[int], pending: bool) -> bool:
    """Whether a multiply of the group may be under way behind the last of the instructions that touch it."""
    for n in touching:
        inst = block.insts[n]
        if inst.mnemonic in GMMA:
            pending = True
        elif inst.mnemonic == "WARPGROUP" and "DEPBAR" in inst.modifiers and inst.srcs[1] == Imm(0, "uint"):
            pending = False
    return pending


def _under_way(function: MFunction, reg: VReg) -> list[bool]:
    """Whether a multiply of the group may be under way at the start of each block."""
    cfg = Cfg.of(function)
    entry = [False] * len(function.blocks)
    touching = [[n for n, i in enumerate(block.insts) if _touches(i, reg)] for block in function.blocks]
    work = list(cfg.rpo)
    while work:
        b = work.pop()
        if _pending(function.blocks[b], touching[b], entry[b]):
            for s in cfg.succs[b]:
                if not entry[s]:
                    entry[s] = True
                    work.append(s)
    return entry
