"""Coalescing: a value that is only made to be copied is made where it is wanted.

    FMUL t, a, b                    FMUL q[1], a, b
    ...            t is gone   ->   ...
    MOV q[1], t

Allocation gives a copy and its source one register where it can, but the parts of a quad for a wide store begin to live
at the copies: their sources have registers of their own by then. Where the destination's old value is still asked for
in between, the value is made at the copy (i' = i - 1; p = i > 1; i = i'). What `carried` has set apart stays so.
"""

from __future__ import annotations

from minicc.arch.schema import Arch
from minicc.ptxas.mir import Block, MFunction, MInst, Part, V, VReg
from minicc.ptxas.operands import counted, guarded, is_far, map_reads, parts, reads, writes
from minicc.ptxas.optimise.ahead import PURE
from minicc.ptxas.optimise.carried import waiting
from minicc.ptxas.options import Options
from minicc.ptxas.timing import timing
from minicc.record import evolve


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Coalesce the copies of every block."""
    blocks = [block for block in function.blocks if any(map(_copy, block.insts))]
    if blocks:
        uses, makers = counted(function)
        for block in blocks:
            _block(block, uses, makers)


def _copy(inst: MInst) -> tuple[V, V] | None:
    """(destination, source) of a copy of one whole register to part of another."""
    if inst.mnemonic != "MOV" or guarded(inst) or inst.hidden or inst.modifiers or len(inst.srcs) != 1:
        return None
    d, s = inst.dsts[0], inst.srcs[0]
    if not isinstance(d, V) or not isinstance(s, V) or d.reg is s.reg or d.reg.file != "R" or s.reg.file != "R":
        return None
    if not s.plain or s.reg.width != 1 or s.reg.fixed is not None or d.reg.fixed is not None:
        return None
    return d, s


def _block(block: Block, uses: dict[int, int], makers: dict[int, int]) -> None:
    insts = block.insts
    made: dict[int, int] = {}
    """Register of width one -> index of its definition in this block."""
    read: dict[Part, list[int]] = {}
    written: dict[Part, list[int]] = {}
    flow: list[int] = []
    for at, inst in enumerate(insts):
        if timing(inst.mnemonic, inst.modifiers).flow:
            flow.append(at)
        for table, operands in ((read, reads(inst)), (written, writes(inst))):
            for v in operands:
                for name in parts(v):
                    table.setdefault(name, []).append(at)
        for v in writes(inst):
            if isinstance(v, V) and v.reg.width == 1:
                made[v.reg.id] = at
    gone: set[int] = set()
    late: set[int] | None = None
    for at, inst in enumerate(insts):
        found = _copy(inst)
        if found is None:
            continue
        d, s = found
        start = made.get(s.reg.id, at)
        places = read.get((s.reg.id, 0), [])
        if start >= at or makers[s.reg.id] != 1 or len(places) != uses[s.reg.id] or places[0] <= start:
            continue
        maker, last = insts[start], places[-1]
        target = (d.reg.id, d.part)
        if guarded(maker) or start in gone or sum(1 for x in maker.dsts if isinstance(x, V) and x.reg is s.reg) != 1:
            continue
        if any(start <= w <= last and w != at for w in written.get(target, ())):
            continue
        if any(start < f < at for f in flow):
            continue
        if is_far(maker) and (before := [r for r in read.get(target, ()) if r < start]):
            late = waiting(insts) if late is None else late
            if start not in late and not late.isdisjoint(before):
                continue
        if any(start < r < at for r in read.get(target, ())):
            sources = {part for r in reads(maker) for part in parts(r)}
            if len(places) > 1 or maker.mnemonic not in PURE or len(maker.dsts) > 1 or maker.hidden:
                continue
            if not any(start < w < at for part in sources for w in written.get(part, ())):
                maker.dsts = (d,)
                insts[at] = maker
                gone.add(start)
                for name in sources:
                    read[name].append(at)
            continue
        new = d.reg
        part = d.part

        def moved(v: V, old: int = s.reg.id, new: VReg = new, part: int = part) -> V:
            return evolve(v, reg=new, part=part) if v.reg.id == old else v

        maker.dsts = tuple(moved(x) if isinstance(x, V) else x for x in maker.dsts)
        for place in places:
            if place != at:
                map_reads(insts[place], moved)
        gone.add(at)
        read.setdefault(target, []).extend(p for p in places if p != at)
        read[target].sort()
        written[target] = sorted([start, *(w for w in written[target] if w != at)])
        if d.reg.width == 1:
            made[d.reg.id] = start
    if gone:
        block.insts = [inst for at, inst in enumerate(insts) if at not in gone]
