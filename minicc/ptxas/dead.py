"""Dead code elimination: instructions whose results nobody reads."""

from __future__ import annotations

import attrs

from minicc.arch.schema import Arch
from minicc.ptxas.mir import MFunction, MInst, V, VConst
from minicc.ptxas.operands import reads, writes
from minicc.ptxas.options import Options
from minicc.ptxas.timing import timing
from minicc.sass.instr import Const

_WIDEST = 256
"""More registers than any group has."""
_STAYS = frozenset({"BSSY", "BAR", "NOP", "NANOSLEEP", "DEPBAR", "ERRBAR", "MEMBAR", "BMOV", "BPT", "CCTL", "PREEXIT"})


def removable(inst: MInst) -> bool:
    """Whether the instruction does nothing but compute its results."""
    if inst.side_effect or inst.memory in ("store", "atomic", "fence", "barrier") or not inst.dsts:
        return False
    if inst.mnemonic in _STAYS or timing(inst.mnemonic, inst.modifiers).flow:
        return False
    return all(isinstance(d, V) or getattr(d, "index", None) in (255, 63, 7) for d in inst.dsts)


def _names(v: V) -> range:
    first = v.reg.id * _WIDEST + v.part
    return range(first, first + v.count)


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Remove dead instructions until none is left."""
    sweep(function)


def sweep(function: MFunction) -> None:
    """Remove dead instructions until none is left. Registers are looked at by 32-bit part (id * _WIDEST + part)."""
    uses: dict[int, int] = {}
    makers: dict[int, list[MInst]] = {}
    for block in function.blocks:
        for inst in block.insts:
            for operand in reads(inst):
                if type(operand) is V:
                    first = operand.reg.id * _WIDEST + operand.part
                    uses[first] = uses.get(first, 0) + 1
                    for name in range(first + 1, first + operand.count):
                        uses[name] = uses.get(name, 0) + 1
            for operand in writes(inst):
                if type(operand) is V:
                    first = operand.reg.id * _WIDEST + operand.part
                    for name in range(first, first + operand.count):
                        if name in makers:
                            makers[name].append(inst)
                        else:
                            makers[name] = [inst]
    dead: set[int] = set()
    work = [inst for name, insts in makers.items() if not uses.get(name) for inst in insts]
    while work:
        inst = work.pop()
        if id(inst) in dead or not removable(inst):
            continue
        if any(uses.get(n) for d in inst.dsts if type(d) is V for n in _names(d)):
            continue
        dead.add(id(inst))
        for operand in reads(inst):
            if type(operand) is V:
                for name in _names(operand):
                    uses[name] -= 1
                    if not uses[name]:
                        work.extend(makers.get(name, ()))
    for block in function.blocks:
        if dead:
            block.insts = [inst for inst in block.insts if id(inst) not in dead]
        for inst in block.insts:
            if inst.mnemonic == "LDC" and inst.modifiers == ("64",):
                _narrow(inst, uses)


def _narrow(inst: MInst, uses: dict[int, int]) -> None:
    """A load of two words of which one is read loads that one, so that the other's register is not in flight."""
    d, source = inst.dsts[0], inst.srcs[0]
    if not isinstance(d, V) or not isinstance(source, Const | VConst) or d.count != 2:
        return
    wanted = [word for word, name in enumerate(_names(d)) if uses.get(name)]
    if len(wanted) == 1:
        word = wanted[0]
        inst.modifiers = ()
        inst.dsts = (attrs.evolve(d, part=d.part + word, count=1),)
        inst.srcs = (attrs.evolve(source, offset=source.offset + 4 * word),)
