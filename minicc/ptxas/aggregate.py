"""Atomic additions that a whole warp makes to one word: one lane adds for all.

    REDG.ADD [p], 1      VOTE.ANY m; FLO leader, m; POPC n, m;  @(lane == leader) REDG.ADD [p], n
    ATOMG.ADD r, [p], 1  the same with ATOMG; then r = the leader's result (SHFL) + number of lanes before this one

Only where address and addend are the same in every lane: they come from launch parameters, block indices and constants.
Threads that count or that append to a list do this, and the word would be updated once for each of them.
"""

from __future__ import annotations

import attrs

from minicc.arch.schema import Arch
from minicc.ptxas.mir import MFunction, MInst, MOperand, V, VConst, VMem
from minicc.ptxas.operands import guarded, reads
from minicc.ptxas.options import Options
from minicc.ptxas.ssa import Single
from minicc.sass.instr import PT, RZ, Const, Imm, Name, Reg

ZERO, TRUE, FALSE = Reg("R", RZ), Reg("P", PT), Reg("P", PT, inv=True)
_UNIFORM = frozenset({"MOV", "LDC", "ULDC", "IADD3", "VIADD", "IMAD", "SHF", "LEA", "LOP3"})
_SPECIAL = ("SR_CTAID", "SR_NCTAID", "SR_NTID", "SR_GRIDID")
_KINDS = (("E", "ADD", "STRONG", "GPU"), ("E", "ADD", "STRONG", "SYS"))
_DEEP = 24


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Rewrite the atomics of the function."""
    if not any(i.mnemonic in ("REDG", "ATOMG") for b in function.blocks for i in b.insts):
        return
    single = Single.of(function)
    for block in function.blocks:
        out: list[MInst] = []
        for inst in block.insts:
            if inst.mnemonic in ("REDG", "ATOMG") and inst.modifiers in _KINDS and _same(inst, single):
                out += _aggregated(function, inst, _constant(inst.srcs[1], single))
            else:
                out.append(inst)
        block.insts = out


def _same(inst: MInst, single: Single) -> bool:
    """Whether address and addend of the instruction are uniform."""
    place, data = inst.srcs[0], inst.srcs[1]
    if not isinstance(place, VMem) or place.ureg is not None or not isinstance(place.base, V):
        return False
    return _operand(place.base, single, _DEEP) and (data == ZERO or _operand(data, single, _DEEP))


def _operand(operand: MOperand, single: Single, depth: int) -> bool:
    if isinstance(operand, Imm | Const):
        return True
    if isinstance(operand, Reg):
        return operand.index == RZ or (operand.file == "P" and operand.index == PT)
    if isinstance(operand, VConst):
        return not isinstance(operand.base, V) or _operand(operand.base, single, depth)
    if not isinstance(operand, V) or not depth:
        return False
    for part in range(operand.part, operand.part + operand.count):
        found = single.table.get((operand.reg.id, part))
        if found is None or guarded(found.inst):
            return False
        inst = found.inst
        if inst.mnemonic == "S2R":
            source = inst.srcs[0]
            if not isinstance(source, Name) or not source.text.startswith(_SPECIAL):
                return False
        elif inst.mnemonic not in _UNIFORM or not all(_operand(s, single, depth - 1) for s in inst.srcs):
            return False
    return True


def _constant(operand: MOperand, single: Single) -> MOperand:
    """The number that a register holds, if it was just set to one."""
    found = single.table.get((operand.reg.id, operand.part)) if isinstance(operand, V) else None
    if found is not None and found.inst.mnemonic == "MOV" and isinstance(found.inst.srcs[0], Imm):
        return found.inst.srcs[0]
    return operand


def _aggregated(function: MFunction, inst: MInst, data: MOperand) -> list[MInst]:
    """The instructions that stand for one atomic; `data` is the addend."""

    def word() -> V:
        return V(function.new("R", 1, "aggregate"))

    def make(mnemonic: str, modifiers: str, dsts: tuple[MOperand, ...], *srcs: MOperand, side: bool = False) -> MInst:
        words = tuple(modifiers.split(".")) if modifiers else ()
        return MInst(mnemonic, words, dsts, srcs, loc=inst.loc, ptx=inst.ptx, side_effect=side)

    mask, lane, leader, count = word(), word(), word(), word()
    chosen = V(function.new("P", 1, "leader"))
    executes = inst.guard
    place = inst.srcs[0]
    out = [
        make("VOTE", "ANY", (mask, TRUE), executes, side=True),
        make("S2R", "", (lane,), Name("SR_LANEID")),
        make("FLO", "U32", (leader,), mask),
        make("POPC", "", (count,), mask),
        make("ISETP", "EQ.U32.AND", (chosen, TRUE), lane, leader, executes),
    ]
    total = count
    if data != Imm(1):
        total = word()
        out.append(make("IMAD", "", (total,), count, data, ZERO))
    if inst.mnemonic == "REDG":
        return [*out, attrs.evolve(inst, srcs=(place, total), guard=chosen)]
    result = inst.dsts[1]
    if not isinstance(result, V) or any(isinstance(r, V) and r.reg is result.reg for r in reads(inst)):
        return [inst]
    old, spread, before, rank = word(), word(), word(), word()
    out += [
        attrs.evolve(inst, dsts=(inst.dsts[0], old), srcs=(place, total), guard=chosen),
        make("S2R", "", (before,), Name("SR_LTMASK")),
        make("LOP3", "LUT", (rank,), before, mask, ZERO, Imm(0xC0, "uint"), FALSE),
    ]
    mine = word()
    out += [
        make("POPC", "", (mine,), rank),
        make("SHFL", "IDX", (TRUE, spread), old, leader, Imm(0x1F, "uint"), side=True),
    ]
    last = make("IMAD", "", (result,), mine, data, spread)
    if data == Imm(1):
        last = make("IADD3", "", (result,), mine, spread, ZERO)
    last.guard = executes
    return [*out, last]
