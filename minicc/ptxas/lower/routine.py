"""Shared routines: a long path that several places of a kernel come to is in its code once, and called.

A routine has a convention of its own: words of arguments, then of results, from R4 on, the return address in R2 and R3.
It is a leaf and keeps to so many of the first registers. What it does not write, its callers may keep
values in: they are allocated after it, when that is known (`narrow`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from minicc.arch import Arch
from minicc.ptx import model as ptx
from minicc.ptxas.lower import abi, stack
from minicc.ptxas.lower.builder import Builder
from minicc.ptxas.lower.cleanup import clean
from minicc.ptxas.lower.converge import converge
from minicc.ptxas.lower.flatten import Flat
from minicc.ptxas.lower.symbols import Symbols
from minicc.ptxas.lower.types import type_of
from minicc.ptxas.mir import RETURN_POINT, ZERO, MFunction, MInst, MOperand, V, function_label
from minicc.ptxas.operands import writes
from minicc.sass.instr import Target

RETURN, FIRST = 2, 4
STACK_POINTER = 1
REPORTED = 2
"""Registers that are reported beyond the highest one used (`allocate`)."""
FEW = 2
"""Places in the PTX from which on a path is shared."""

Body = Callable[[Builder, list[V]], Sequence[MOperand]]
"""Given the words of the arguments, makes those of the results."""


class Routine:
    """How many words of arguments, how many registers, what it does."""

    def __init__(self, arguments: int, registers: int, body: Body) -> None:
        self.arguments, self.registers, self.body = arguments, registers, body


def shared(b: Builder, opcodes: Sequence[str], types: Sequence[str]) -> bool:
    """Whether what is at hand stands in several places of the function: any of the operations, on any of the types,
    that are rounded exactly."""
    if b.operations is None:
        b.operations = {}
        for inst in b.flat.statements:
            if (
                isinstance(inst, ptx.Inst)
                and inst.opcode in ("div", "rem", "rcp", "sqrt", "rsqrt")
                and not {"approx", "full"}.intersection(inst.modifiers)
            ):
                key = inst.opcode, type_of(inst)
                b.operations[key] = b.operations.get(key, 0) + 1
    return sum(b.operations.get((o, t), 0) for o in opcodes for t in types) >= FEW


def call(b: Builder, name: str, arguments: Sequence[MOperand], results: int, body: Body, registers: int) -> list[V]:
    """Call the routine, which `body` makes from the first `registers` registers where it is not known yet. Its results,
    to be read at once."""
    b.symbols.routines.setdefault(name, Routine(len(arguments), registers, body))
    if name not in b.fn.routines:
        b.fn.routines.append(name)
    reads = [abi.pinned(b, "R", FIRST + k) for k in range(len(arguments))]
    back = [abi.pinned(b, "R", RETURN + k) for k in (0, 1)]
    for target, word in zip(reads, arguments, strict=True):
        b.move(target, word)

    def jump() -> MInst:
        b.emit("MOV", (back[0],), (RETURN_POINT,), side=True)
        b.move(back[1], ZERO)
        return b.emit("CALL.REL.NOINC", (), (Target(label=function_label(name)),), side=True, memory="barrier")

    made = stack.below(b, jump)  # one that has had to spill has a frame
    made.implicit_reads = (*reads, *back)
    general = [abi.pinned(b, "R", k) for k in range(registers) if k != STACK_POINTER]
    made.implicit_writes = (*general, *(abi.pinned(b, file, k) for file in ("P", "B") for k in abi.CLOBBERED[file]))
    return [abi.pinned(b, "R", FIRST + k) for k in range(results)]


def lower_routine(name: str, symbols: Symbols, arch: Arch) -> MFunction:
    """Machine IR of a routine."""
    routine = symbols.routines[name]
    out = MFunction(name, False, max_registers=routine.registers + REPORTED, is_routine=True)
    b = Builder(out, Flat(), symbols, arch)
    back = b.temp(2, "return")
    place = out.new("R", 2)
    place.fixed, place.spillable = RETURN, False
    given = [b.temp() for _ in range(routine.arguments)]
    for part in (0, 1):
        b.move(V(back.reg, part), V(place, part))
    for k, word in enumerate(given):
        b.move(word, abi.pinned(b, "R", FIRST + k))
    reads = []
    for k, word in enumerate(routine.body(b, given)):
        reads.append(abi.pinned(b, "R", FIRST + k))
        b.move(reads[-1], word)
    for part in (0, 1):
        b.move(V(place, part), V(back.reg, part))
    b.emit("RET.REL.NODEC", (), (V(place, 0, 2), Target(address=0)), side=True).implicit_reads = tuple(reads)
    out.blocks = [*b.blocks, *b.cold]
    converge(out, b)
    clean(out)
    return out


def narrow(function: MFunction, routines: dict[str, MFunction]) -> None:
    """Calls of finished routines change what those write, and no more. (One that has had to spill has a frame.)"""
    if not function.routines:
        return
    function.calls += [name for name in function.routines if routines[name].frame]
    written: dict[str, set[tuple[str, int]]] = {}
    for name in function.routines:
        found = written[function_label(name)] = set()
        for block in routines[name].blocks:
            for inst in block.insts:
                for w in writes(inst):
                    first = (w.reg.fixed or 0) + w.part if isinstance(w, V) else w.index
                    file, count = (w.reg.file, w.count) if isinstance(w, V) else (w.file, 1)
                    found.update((file, first + k) for k in range(count))
    for block in function.blocks:
        for inst in block.insts:
            label = inst.srcs[0].label if inst.mnemonic == "CALL" and isinstance(inst.srcs[0], Target) else None
            if label in written:
                inst.implicit_writes = tuple(
                    w for w in inst.implicit_writes if (w.reg.file, (w.reg.fixed or 0) + w.part) in written[label]
                )


__all__ = ["call", "lower_routine", "narrow", "shared"]
