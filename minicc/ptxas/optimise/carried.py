"""Carried: a load into a register that is carried round a loop gets one of its own, where the old value is wanted late.

    before:  LDG x; ...; LDG y; ...; FADD d, m, -x; ...     after:  LDG x; ...; LDG y; ...; FADD d, m, -x; ...
             LDG m; ...; @p MOV m, y                                LDG t; ...; SEL m, y, t, p

A running maximum in turns that were written out: instruction selection makes the last turn's value where the next round
wants it, and its load could be issued only when the first turn's, with which the old maximum is compared, has come: the
latency of memory twice a round (an online softmax 1.25 to 0.91 of nvcc's cycles on the model).

Cost: linear in the blocks of loops that load more than once.
"""

from __future__ import annotations

from minicc.arch.schema import Arch
from minicc.ptxas.mir import Block, MFunction, MInst, V, VReg
from minicc.ptxas.operands import guarded, is_far, map_reads, reads, writes
from minicc.ptxas.options import Options
from minicc.ptxas.timing import timing
from minicc.record import evolve


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Look through the blocks of loops."""
    for block in function.blocks:
        if block.loop_depth and sum(map(is_far, block.insts)) > 1:
            _block(function, block)


def waiting(insts: list[MInst]) -> set[int]:
    """Which instructions of a block wait for what is loaded in it, by index."""
    loaded: set[int] = set()
    out: set[int] = set()
    for at, inst in enumerate(insts):
        waits = any(isinstance(r, V) and r.reg.id in loaded for r in reads(inst))
        made = {w.reg.id for w in writes(inst) if isinstance(w, V)}
        if waits:
            out.add(at)
        if waits or is_far(inst):
            loaded |= made
        elif not guarded(inst):
            loaded -= made
    return out


def _block(function: MFunction, block: Block) -> None:
    first: dict[int, int] = {}
    """Where the block first reads each register."""
    loads: list[tuple[int, VReg]] = []
    for at, inst in enumerate(block.insts):
        for r in reads(inst):
            if isinstance(r, V):
                first.setdefault(r.reg.id, at)
        if is_far(inst) and _whole(inst):
            loads.extend((at, d.reg) for d in inst.dsts if isinstance(d, V) and first.get(d.reg.id, at) < at)
    late = waiting(block.insts) if loads else set()
    for start, reg in loads:
        asked = (at for at, inst in enumerate(block.insts[:start]) if _touches(reads(inst), reg))
        if start not in late and not late.isdisjoint(asked):
            _apart(function, block, start, reg)
            late = waiting(block.insts)


def _whole(inst: MInst) -> bool:
    """Whether it writes one register of a word, in any case. (Pairs are joined again: `groups`.)"""
    if guarded(inst) or len(inst.dsts) != 1 or inst.implicit_writes:
        return False
    d = inst.dsts[0]
    return isinstance(d, V) and d.reg.file == "R" and d.reg.width == 1 and d.reg.fixed is None


def _touches(operands: tuple[object, ...], reg: VReg) -> bool:
    return any(isinstance(v, V) and v.reg is reg for v in operands)


def _apart(function: MFunction, block: Block, start: int, reg: VReg) -> None:
    """Load into another register, and leave its value in `reg` at the end of the block, or where it is chosen."""
    insts = block.insts
    later = [at for at in range(start + 1, len(insts)) if _touches(writes(insts[at]), reg)]
    asked = [at for at in range(start + 1, len(insts)) if _touches(reads(insts[at]), reg)]
    end = len(insts)
    while end and timing(insts[end - 1].mnemonic, insts[end - 1].modifiers).flow:
        end -= 1
    if len(later) > 1 or not all(_choice(insts[at], reg) for at in later) or any(at >= end for at in (*asked, *later)):
        return
    new = function.new("R", hint=reg.hint)
    kept = V(new)

    def moved(v: V) -> V:
        return evolve(v, reg=new) if v.reg is reg else v

    insts[start].dsts = (kept,)
    for at in asked:
        if not later or at < later[0]:
            map_reads(insts[at], moved)
    for at in later:
        move = insts[at]
        insts[at] = MInst("SEL", (), move.dsts, (move.srcs[0], kept, move.guard), loc=move.loc)
    if not later:
        insts.insert(end, MInst("MOV", (), (V(reg),), (kept,), loc=insts[start].loc))


def _choice(inst: MInst, reg: VReg) -> bool:
    """A guarded copy of another register to `reg`."""
    if inst.mnemonic != "MOV" or inst.modifiers or inst.hidden or not isinstance(inst.guard, V) or len(inst.srcs) != 1:
        return False
    s = inst.srcs[0]
    return isinstance(s, V) and s.plain and s.reg is not reg and s.reg.file == "R"
