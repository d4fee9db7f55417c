"""Reuse flags: keep a source register in the operand cache for the next instruction.

The cache holds one register per bank and operand slot. A flag pays when the next instruction of the warp reads the same
register in the same slot. It is not coherent (a write to the register leaves the old value in the cache) and is
ignored with the yield bit (measured on an H200, regfile.json, "reuse_cache", "reuse_and_writes"), so an instruction
never flags what it writes.
"""

from __future__ import annotations

import attrs

from minicc.ptxas.mir import MInst, V
from minicc.ptxas.timing import timing
from minicc.sass.instr import Const, Imm, Reg

_SLOT_A, _SLOT_B, _SLOT_C = 1, 2, 4
_TERNARY = frozenset({"FFMA", "IMAD", "IADD3", "LOP3", "DFMA", "HFMA2", "PRMT", "SHF", "LEA", "VIADDMNMX"})
_BINARY = frozenset({"FADD", "FMUL", "DADD", "DMUL", "HADD2", "HMUL2", "VIADD", "SEL", "FSEL", "ISETP", "FSETP", "DSETP",
                     "FMNMX", "VIMNMX", "HSETP2"})  # fmt: skip


def slots(inst: MInst) -> dict[int, int]:
    """Operand slot bit -> physical register for plain register sources, of the mnemonics whose slots are known: the form
    with a non-register in the second place keeps the third source in slot C; with a non-register third, the second
    source moves to slot C (encodings, "form")."""
    ternary = inst.mnemonic in _TERNARY
    if not ternary and inst.mnemonic not in _BINARY:
        return {}
    if len(inst.srcs) < (3 if ternary else 2) or "MOV" in inst.modifiers:
        return {}
    kinds: list[int | None] = []
    for operand in inst.srcs[: 3 if ternary else 2]:
        if isinstance(operand, V) and operand.reg.file == "R" and operand.reg.fixed is not None:
            kinds.append(operand.reg.fixed + operand.part)
        elif isinstance(operand, Reg) and operand.file == "R":
            kinds.append(operand.index)
        elif isinstance(operand, Imm | Const | V | Reg):
            kinds.append(None)
        else:
            return {}
    out: dict[int, int] = {}
    a, b = kinds[0], kinds[1]
    if a is not None:
        out[_SLOT_A] = a
    if ternary:
        c = kinds[2]
        if inst.mnemonic in ("LEA", "SHF", "PRMT") and (b is None or c is None):
            return {_SLOT_A: a} if a is not None and inst.mnemonic != "LEA" else {}
        if c is None:
            if b is not None:
                out[_SLOT_C] = b
        else:
            out[_SLOT_C] = c
            if b is not None:
                out[_SLOT_B] = b
    elif b is not None:
        if inst.mnemonic in ("FADD", "DADD", "HADD2"):
            return {k: v for k, v in out.items() if k == _SLOT_A}
        out[_SLOT_B] = b
    return {slot: reg for slot, reg in out.items() if reg != 255}


def assign(insts: list[MInst]) -> None:
    """Set the reuse masks of one block, whose stalls and yields are final."""
    if not insts:
        return
    here = slots(insts[0])
    for inst, following in zip(insts, insts[1:], strict=False):
        after = slots(following)
        mask = 0
        if here and after and not inst.control.yield_ and not timing(inst.mnemonic, inst.modifiers).variable:
            written = {
                d.reg.fixed + d.part + n
                for d in inst.dsts
                if isinstance(d, V) and d.reg.fixed is not None and d.reg.file == "R"
                for n in range(d.count)
            }
            for slot, reg in here.items():
                if after.get(slot) == reg and reg not in written:
                    mask |= slot
        if mask:
            inst.control = attrs.evolve(inst.control, reuse=mask)
        here = after
