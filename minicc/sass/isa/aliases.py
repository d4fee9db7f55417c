"""Names that nvdisasm prints for special cases of an instruction: they follow from the operands and hold no bits."""

from __future__ import annotations

from minicc.sass.instr import RZ, Const, Imm, Instr, Operand, Reg


def _zero(operand: Operand) -> bool:
    return isinstance(operand, Reg) and operand.index == RZ and operand.file == "R"


def _uniform(operand: Operand) -> bool:
    """A uniform register, or a constant behind one: no name is printed."""
    return operand.file == "UR" if isinstance(operand, Reg) else isinstance(operand, Const) and operand.ureg is not None


def alias_of(instr: Instr) -> tuple[str, ...]:
    """The extra suffix that the text has after the mnemonic: ("MOV",), ("SHL",), ("IADD",) of IMAD; else ()."""
    if instr.mnemonic != "IMAD" or len(instr.operands) != 4:
        return ()
    if instr.modifiers not in ((), ("U32",)):
        return ()
    _, a, b, c = instr.operands
    if any(_uniform(operand) for operand in (b, c)):
        return ()
    if _zero(a) or _zero(b) or (isinstance(b, Imm) and not b.bits):
        return ("MOV",)
    if isinstance(b, Imm):
        if b.bits == 1:
            return ("MOV",) if _zero(c) else ("IADD",)
        if b.bits & (b.bits - 1) == 0 and _zero(c) and b.bits not in UNNAMED_SHIFTS:
            return ("SHL",)
    return ()


UNNAMED_SHIFTS = frozenset((1 << 16, 1 << 31))
"""Powers of two that nvdisasm does not call a shift."""
ALIASES = frozenset(("MOV", "SHL", "IADD"))
"""Suffixes of IMAD that the parser drops."""
