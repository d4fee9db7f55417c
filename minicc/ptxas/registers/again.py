"""Values that are computed again where they are wanted, rather than kept in registers, or stored and loaded.

What a few operations make of registers that are there anyway, or of one that is kept for several such values: indices
and offsets that LLVM has hoisted out of a loop, a register each.
"""

from __future__ import annotations

from minicc.ptxas.mir import MFunction, MInst, V, VReg
from minicc.ptxas.operands import guarded, reads, writes
from minicc.ptxas.registers.intervals import Ranges
from minicc.ptxas.ssa import Single
from minicc.sass.instr import RZ, Const, Imm, Reg

_OPERATIONS = 3
"""Most operations in place of a load."""
_AGAIN = frozenset({"IADD3", "IMAD", "LEA", "LOP3", "PRMT", "SGXT", "SHF", "VIADD"})
"""Operations that are no worse than a load."""
_WANTED = 2
"""Values for which a register is kept longer than it would be."""


def cheap(inst: MInst) -> bool:
    """Whether it makes a constant or a launch parameter in one register."""
    if guarded(inst) or len(inst.dsts) != 1 or inst.side_effect:
        return False
    if inst.mnemonic == "MOV":
        source = inst.srcs[0]
    elif inst.mnemonic == "IMAD" and "MOV" in inst.modifiers:
        source = inst.srcs[2]
    else:
        return False
    return isinstance(source, Imm) or (isinstance(source, Reg) and source.index == RZ and source.file == "R") or (
        isinstance(source, Const) and source.ureg is None and source.base is None
    )  # fmt: skip


def needs(inst: MInst, single: Single, b: int, at: int) -> list[V] | None:
    """The registers that the instruction, at (b, at), would need if it came later; None if it cannot."""
    if inst.mnemonic not in _AGAIN or guarded(inst) or inst.side_effect or inst.hidden or len(inst.dsts) != 1:
        return [] if cheap(inst) else None
    found = [r for r in reads(inst) if isinstance(r, V)]
    if len(found) < len(reads(inst)):
        return None
    for v in found:
        if v.reg.file != "R" or v.reg.fixed is not None or not v.reg.spillable:
            return None
        for part in v.parts:
            made = single.table.get(part)
            if made is None or not single.dominates(made.block, made.at, b, at):
                return None
    return found


class _Makers:
    """What makes the whole of a register, by its id: the operation and what it needs."""

    def __init__(self, function: MFunction) -> None:
        self.single = Single.of(function)
        self.known: dict[int, tuple[MInst, list[V]] | None] = {}

    def of(self, reg: VReg) -> tuple[MInst, list[V]] | None:
        if reg.id not in self.known:
            self.known[reg.id] = self._find(reg)
        return self.known[reg.id]

    def _find(self, reg: VReg) -> tuple[MInst, list[V]] | None:
        found = self.single.table.get((reg.id, 0))
        if found is None or found.word or reg.width > 2 or not found.inst.dsts:
            return None
        others = [self.single.table.get(part) for part in reg.parts[1:]]
        if any(other is None or other.inst is not found.inst for other in others):
            return None  # part of it is written once more
        d = found.inst.dsts[0]
        wanted = needs(found.inst, self.single, found.block, found.at)
        return None if wanted is None or not isinstance(d, V) or d.count != reg.width else (found.inst, wanted)


def operations(function: MFunction, general: dict[int, VReg], ranges: Ranges) -> dict[int, list[MInst]]:
    """Of the registers in `general`, which had better go, those that operations make of others that stay, or of others
    that several are made of: {vreg id: the operations, in order}."""
    makers = _Makers(function)
    found: dict[int, tuple[list[MInst], set[int], set[int]]] = {}
    wanted: dict[int, int] = {}
    """How many need a register that is not there anyway."""
    for name, reg in general.items():
        code: list[MInst] = []
        todo = [reg]
        stay: set[int] = set()
        more: set[int] = set()
        while todo:
            one = todo.pop()
            step = makers.of(one) if len(code) < _OPERATIONS else None
            if step is None:
                (stay if _covers(ranges, one.id, name) else more).add(one.id)
                continue
            if step[0] in code:
                code.remove(step[0])
            code.insert(0, step[0])
            for v in step[1]:
                if v.reg.id in general or not _covers(ranges, v.reg.id, name):
                    todo.append(v.reg)
                else:
                    stay.add(v.reg.id)
        if code and name not in more | stay:
            found[name] = code, stay, more
            for source in more:
                wanted[source] = wanted.get(source, 0) + 1
    chosen: dict[int, list[MInst]] = {}
    staying: set[int] = set()
    for name, (code, stay, more) in found.items():
        sources = stay | more
        if name not in staying and not sources & chosen.keys() and all(wanted[source] >= _WANTED for source in more):
            chosen[name] = code
            staying |= sources
    return chosen


def candidates(function: MFunction) -> set[int]:
    """Ids of registers that one operation makes."""
    makers = _Makers(function)
    return {reg.id for reg in function.vregs if reg.file == "R" and makers.of(reg) is not None}


def remade(function: MFunction, general: dict[int, VReg]) -> dict[int, dict[int, MInst]]:
    """Registers of which every part has one definition, a cheap one: {vreg id: {part: definition}}."""
    found: dict[int, dict[int, MInst]] = {name: {} for name in general}
    for block in function.blocks:
        for inst in block.insts:
            for operand in writes(inst):
                if isinstance(operand, V) and operand.reg.id in found:
                    parts = found[operand.reg.id]
                    if operand.count != 1 or operand.part in parts or not cheap(inst):
                        del found[operand.reg.id]
                    else:
                        parts[operand.part] = inst
    return {name: parts for name, parts in found.items() if parts}


def _covers(ranges: Ranges, other: int, name: int) -> bool:
    """Whether all of `other` is live wherever some of `name` is."""
    there, here = ranges.intervals[other], ranges.intervals[name]
    if there is None or here is None:
        return False
    return all(
        any(start <= a and b <= end for start, end in theirs)
        for part in here.parts for a, b in part for theirs in there.parts
    )  # fmt: skip
