"""The calling convention of real calls, and the ends of a device function that keep it.

As nvcc 13's sm_90 code has it (its recursive and indirectly called functions; `vprintf` and its like):
- arguments and results in R4 to R15, a 32-bit word each, 64-bit and larger values from an even register on;
- the return address in R20 and R21, relative to the start of the kernel's code, for RET.REL;
- R16 to R19, R22 and up, B6 and up, and uniform registers from `SAVED_UNIFORM` on survive a call; all else may change;
- R1 points at the lowest byte of the frame in hand.

Words beyond the twelfth are ours alone: they lie just under the caller's R1, the first one highest, where the callee's
frame begins. (Nothing else writes there: a GPU thread has no interrupts.)
"""

from __future__ import annotations

from minicc.numbers import align_up
from minicc.ptx import model as ptx
from minicc.ptxas.lower.builder import STACK, Builder
from minicc.ptxas.lower.params import words
from minicc.ptxas.lower.symbols import align_of, size_of
from minicc.ptxas.mir import MOperand, RegFile, V, VMem
from minicc.ptxas.registers.spill import INCOMING
from minicc.sass.instr import Reg, Target

FIRST, COUNT = 4, 12
RETURN_ADDRESS = 20
CLOBBERED: dict[RegFile, tuple[int, ...]] = {"R": (*range(16),), "P": tuple(range(7)), "B": tuple(range(6))}
SAVED_UNIFORM = 36
"""The uniform registers from here on survive a call."""
MAX_WORDS = 1024
"""Words of the arguments of one call: PTX allows a few kilobytes."""


def pinned(b: Builder, file: RegFile, index: int) -> V:
    """The virtual register that stands for a physical one; always the same in a function. R20 and R21 are a pair."""
    wide = file == "R" and index in (RETURN_ADDRESS, RETURN_ADDRESS + 1)
    key = (file, RETURN_ADDRESS if wide else index)
    reg = b.pinned.get(key)
    if reg is None:
        reg = b.pinned[key] = b.fn.new(file, 2 if wide else 1)
        reg.fixed = key[1]
        reg.spillable = False
    return V(reg, index - key[1])


def pinned_pair(b: Builder, index: int) -> V:
    """Likewise two registers from an even one on."""
    reg = b.pinned.get(("R pair", index))
    if reg is None:
        reg = b.pinned["R pair", index] = b.fn.new("R", 2)
        reg.fixed, reg.spillable = index, False
    return V(reg, 0, 2)


def return_address(b: Builder) -> V:
    """R20 and R21 as a pair."""
    return V(pinned(b, "R", RETURN_ADDRESS).reg, 0, 2)


def clobbers(b: Builder) -> tuple[V, ...]:
    """What a call may change."""
    return (*(pinned(b, file, k) for file, all_ in CLOBBERED.items() for k in all_), return_address(b))


def places(variables: list[ptx.Variable]) -> list[range]:
    """Words of the argument area that each parameter takes."""
    out: list[range] = []
    at = 0
    for variable in variables:
        count = max(1, -(-size_of(variable) // 4))
        if count > 1 and align_of(variable) >= 8:
            at = align_up(at, 2)
        out.append(range(at, at + count))
        at += count
    return out


def overflow(found: list[range]) -> int:
    """Bytes under the stack pointer that the words need."""
    return max(0, 4 * (max((r.stop for r in found), default=0) - COUNT))


def put(b: Builder, word: int, value: MOperand, frame: V | Reg) -> V | None:
    """Set word `word` of the argument area; the register, if it is in one. `frame` is R1 or what stands for it."""
    if word < COUNT:
        target = pinned(b, "R", FIRST + word)
        b.move(target, value)
        return target
    b.emit("STL", (), (_slot(word, frame), b.reg(value)), memory="store", space="local")
    return None


def get(b: Builder, out: MOperand, word: int, frame: V | Reg) -> None:
    """Read word `word` of the argument area."""
    if word < COUNT:
        b.move(out, pinned(b, "R", FIRST + word))
    else:
        b.emit("LDL", (out,), (_slot(word, frame),), memory="load", space="local")


def _slot(word: int, frame: V | Reg) -> VMem:
    return VMem(frame, -4 * (word - COUNT + 1))


def enter(b: Builder, function: ptx.Function) -> V:
    """Take the parameters of a device function; returns the return address."""
    back = b.temp(2, "return")
    source = return_address(b)
    for part in (0, 1):
        b.move(V(back.reg, part), V(source.reg, part))
    found = places(function.params)
    b.fn.incoming = max(overflow(found), overflow(places(function.returns)))
    for variable, where in zip(function.params, found, strict=True):
        for value, word in zip(_values(b, variable), where, strict=True):
            get(b, value, word, INCOMING)
    return back


def leave(b: Builder, function: ptx.Function, back: V) -> None:
    """Hand over the results and return."""
    reads: list[V] = []
    for variable, where in zip(function.returns, places(function.returns), strict=True):
        for value, word in zip(_values(b, variable), where, strict=True):
            register = put(b, word, value, INCOMING)
            if register is not None:
                reads.append(register)
    target = return_address(b)
    for part in (0, 1):
        b.move(V(target.reg, part), V(back.reg, part))
    ret = b.emit("RET.REL.NODEC", (), (target, Target(address=0)), side=True)
    ret.implicit_reads = tuple(reads)


def _values(b: Builder, variable: ptx.Variable) -> list[V]:
    """The registers, a word each, of a formal parameter."""
    if variable.space == "reg":
        reg = b.vreg(variable.name)
        return [V(reg, part) for part in range(reg.width)]
    found = words(b, variable.name)
    assert found is not None
    return found


__all__ = ["STACK", "clobbers", "enter", "get", "leave", "overflow", "pinned", "places", "put", "return_address"]
