"""Zeros: two neighbouring registers that are cleared are cleared at once.

    MOV R4, RZ;  MOV R5, RZ     CS2R R4, SRZ

Accumulators of matrix products begin so, by the hundred. Runs on physical registers.
"""

from __future__ import annotations

from minicc.arch.schema import Arch
from minicc.ptxas.mir import ZERO, MFunction, MInst, V
from minicc.ptxas.operands import guarded, reads, writes
from minicc.ptxas.options import Options
from minicc.sass.instr import Imm, Name


def _cleared(inst: MInst) -> int | None:
    """The number of the register that an instruction clears."""
    if inst.mnemonic != "MOV" or inst.modifiers or inst.hidden or len(inst.srcs) != 1 or guarded(inst):
        return None
    d, s = inst.dsts[0], inst.srcs[0]
    if (s != ZERO and s != Imm(0)) or not isinstance(d, V) or d.reg.file != "R" or d.reg.fixed is None:
        return None
    return d.reg.fixed + d.part


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Join the clears of every block."""
    for block in function.blocks:
        if sum(1 for inst in block.insts if inst.mnemonic == "MOV" and _cleared(inst) is not None) > 1:
            _block(function, block.insts)


def _block(function: MFunction, insts: list[MInst]) -> None:
    """A clear waits for its neighbour's as long as nothing touches its register."""
    waiting: dict[int, int] = {}
    gone: set[int] = set()
    for at, inst in enumerate(insts):
        number = _cleared(inst)
        if number is not None and number ^ 1 in waiting:
            gone.add(waiting.pop(number ^ 1))
            pair = function.new("R", 2, "zeros")
            pair.fixed = number & ~1
            insts[at] = MInst("CS2R", (), (V(pair, 0, 2),), (Name("SRZ"),), loc=inst.loc)
            waiting.pop(number, None)
            continue
        if waiting:
            for operand in (*reads(inst), *writes(inst)):
                if isinstance(operand, V):
                    if operand.reg.file == "R" and operand.reg.fixed is not None:
                        first = operand.reg.fixed + operand.part
                        for n in range(first, first + operand.count):
                            waiting.pop(n, None)
                elif operand.file == "R":
                    waiting.pop(operand.index, None)
        if number is not None:
            waiting[number] = at
    if gone:
        insts[:] = [inst for at, inst in enumerate(insts) if at not in gone]


__all__ = ["run"]
