"""alloca, stacksave, stackrestore: memory below the frame, taken at run time.

R1 keeps naming the frame, which spills and `.local` variables are addressed by; what is taken is counted in a register
of its own, and R1 follows it for the time of a call.
"""

from __future__ import annotations

from collections.abc import Callable

from minicc.ptx import model as ptx
from minicc.ptxas.lower.builder import STACK, Builder, imm
from minicc.ptxas.mir import ZERO, MInst, V


def lowest(b: Builder) -> V:
    """The register that holds the lowest address taken so far."""
    if b.taken is None:
        b.taken = b.fn.new("R", 1, "stack")
        b.entry_insts.append(MInst("MOV", (), (V(b.taken),), (STACK,)))
        b.fn.attributes["DYNAMIC_STACK"] = True
    return V(b.taken)


def below(b: Builder, jump: Callable[[], MInst]) -> MInst:
    """The call that `jump` makes, with the callee's frame below what has been taken."""
    if not b.flat.takes_memory:
        return jump()
    kept = b.temp()
    kept.reg.spillable = False  # its place would be named by the register that it is to give back
    b.emit("MOV", (kept,), (STACK,), side=True)
    b.emit("MOV", (STACK,), (lowest(b),), side=True)
    made = jump()
    b.emit("MOV", (STACK,), (kept,), side=True)
    return made


def alloca(b: Builder, inst: ptx.Inst) -> None:
    """alloca.TYPE d, size{, alignment}"""
    d, size, *rest = inst.operands
    align = (b.constant(rest[0]) if rest else None) or 8
    if align & align - 1:
        b.wrong("alloca: the alignment must be a power of two")
    low = lowest(b)
    taken = b.temp()
    b.emit("IADD3", (taken,), b.minus(low, b.val64(size)[0]))
    # The frame of what is called begins here.
    aligned = b.logic(taken, imm(-max(align, b.fn.stack_align)), 0xC0)
    # The guard belongs here: later instructions see this register.
    b.emit("MOV", (low,), (aligned,), b.guard)
    _result(b, d, low)


def save(b: Builder, inst: ptx.Inst) -> None:
    """stacksave.TYPE d"""
    _result(b, inst.operands[0], lowest(b))


def restore(b: Builder, inst: ptx.Inst) -> None:
    """stackrestore.TYPE a"""
    low = lowest(b)
    b.emit("MOV", (low,), (b.reg(b.val64(inst.operands[0])[0]),), b.guard)


def _result(b: Builder, d: ptx.Operand, value: V) -> None:
    out = b.dst(d)
    if out.count == 2:
        b.move64(out, value, ZERO)
    else:
        b.move(out, value)


LOWER = {"alloca": alloca, "stacksave": save, "stackrestore": restore}
