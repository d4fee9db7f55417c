"""Launch parameters: read from the constant bank by the instructions that need them, or moved, but not loaded.

    LDC.64 p, c[0][n];  IMAD.WIDE d, a, 4, p     MOV m, 4;  IMAD.WIDE d, a, m, c[0][n]
    LDC r, c[0][n]                               MOV r, c[0][n]

LDC and S2R go through one queue of the SM that takes one in two cycles, in which all warps of a new wave stand at
once; a constant operand costs nothing (h200_probes, "Issue"). On an H200, 63 launches of PolyBench and Rodinia take
0.990 of nvcc's cycles without this pass and 0.976 with it. An instruction holds one of immediate and constant, so
factors go to registers, one for all uses of a factor.
"""

from __future__ import annotations

from minicc.arch.schema import Arch
from minicc.ptxas.mir import MFunction, MInst, MOperand, V
from minicc.ptxas.operands import guarded, parts_used
from minicc.ptxas.options import Options
from minicc.ptxas.ssa import Single
from minicc.record import evolve
from minicc.sass.instr import Const, Imm


def _parameter(inst: MInst) -> Const | None:
    """What an LDC without an index loads."""
    if inst.mnemonic != "LDC" or inst.modifiers not in ((), ("64",)) or guarded(inst) or inst.hidden:
        return None
    source = inst.srcs[0]
    return source if isinstance(source, Const) and source.base is None and source.ureg is None else None


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Turn loaded addends into constant operands, and the loads whose words are still used into moves."""
    if not any(_parameter(i) is not None for b in function.blocks for i in b.insts):
        return
    single = Single.of(function)
    factors: dict[int, V] = {}
    for block in function.blocks:
        for inst in block.insts:
            if inst.mnemonic == "IMAD" and "WIDE" in inst.modifiers and len(inst.srcs) == 3:
                a, m, c = inst.srcs
                source = _addend(c, single)
                if source is None or not isinstance(a, V):
                    continue
                if isinstance(m, Imm):
                    if m.bits not in factors:
                        factors[m.bits] = V(function.new("R", 1))
                    m = factors[m.bits]
                if isinstance(m, V):
                    inst.srcs = (a, m, source)
    function.blocks[0].insts[0:0] = [MInst("MOV", (), (v,), (Imm(bits),)) for bits, v in factors.items()]
    loaded = {d.reg.id for b in function.blocks for i in b.insts if _parameter(i) for d in i.dsts if isinstance(d, V)}
    used = {part for part in parts_used(function) if part[0] in loaded}
    for block in function.blocks:
        block.insts = [new for i in block.insts for new in _moves(i, used)]


def _moves(inst: MInst, used: set[tuple[int, int]]) -> list[MInst]:
    """A load of parameters as moves of the words that are used; any other instruction as it is."""
    source = _parameter(inst)
    d = inst.dsts[0] if inst.dsts else None
    if source is None or not isinstance(d, V) or d.reg.file != "R":
        return [inst]
    return [
        MInst("MOV", (), (V(d.reg, d.part + n),), (evolve(source, offset=source.offset + 4 * n),), loc=inst.loc)
        for n in range(d.count)
        if (d.reg.id, d.part + n) in used
    ]


def _addend(operand: MOperand, single: Single) -> Const | None:
    """The constant that a pair was loaded from."""
    if not isinstance(operand, V) or operand.count != 2 or operand.neg:
        return None
    found = single.table.get((operand.reg.id, operand.part))
    if found is None or found.word or found.inst.modifiers != ("64",):
        return None
    return _parameter(found.inst)


__all__ = ["run"]
