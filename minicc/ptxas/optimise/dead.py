"""Dead code elimination: instructions whose results nobody reads."""

from __future__ import annotations

from collections import Counter

from minicc.arch.schema import Arch
from minicc.ptxas.mir import ZERO, Block, MFunction, MInst, MOperand, Part, V, VConst
from minicc.ptxas.operands import guarded, parts, parts_read, parts_used
from minicc.ptxas.options import Options
from minicc.ptxas.timing import timing
from minicc.record import evolve
from minicc.sass.instr import Const

_STAYS = frozenset({"BSSY", "BAR", "NOP", "NANOSLEEP", "DEPBAR", "ERRBAR", "MEMBAR", "BMOV", "BPT", "CCTL", "PREEXIT"})

_CARRY = frozenset({"IADD3", "LEA"})
"""What has a carry if it is asked for; other passes know sums by having one result."""
_ASKED = frozenset({"SHFL", "VOTE", "VOTEU", "MATCH", "REDUX"})
"""What lanes ask one another: none needs to, if it does not read the answer."""


def removable(inst: MInst) -> bool:
    """Whether the instruction does nothing but compute its results."""
    if inst.side_effect and inst.mnemonic not in _ASKED:
        return False
    if inst.memory in ("store", "atomic", "fence", "barrier") or not inst.dsts:
        return False
    if inst.mnemonic in _STAYS or timing(inst.mnemonic, inst.modifiers).flow:
        return False
    return all(isinstance(d, V) or getattr(d, "index", None) in (255, 63, 7) for d in inst.dsts)


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Remove dead instructions until none is left, and what a block writes again before anybody reads it."""
    for block in function.blocks:
        written = [(d.reg.id, d.part) for inst in block.insts for d in inst.dsts if type(d) is V]
        if len(set(written)) < len(written):
            drop_overwritten(block)
    sweep(function)


def sweep(function: MFunction) -> None:
    """Remove dead instructions until none is left."""
    uses = parts_used(function)
    # From the end to the start: nearly everything is written before it is read.
    dead: set[int] = set()
    idle: set[Part] = set()
    for block in reversed(function.blocks):
        for inst in reversed(block.insts):
            if _unread(inst, uses) and removable(inst):
                _take(inst, uses, dead, idle)
    makers: dict[Part, list[MInst]] = {}
    for block in function.blocks if idle else ():
        for inst in block.insts:
            if id(inst) not in dead:
                for d in inst.dsts:
                    for part in parts(d):
                        makers.setdefault(part, []).append(inst)
    while idle:
        for inst in makers.get(idle.pop(), ()):
            if id(inst) not in dead and _unread(inst, uses) and removable(inst):
                _take(inst, uses, dead, idle)
    for block in function.blocks:
        if dead:
            block.insts = [inst for inst in block.insts if id(inst) not in dead]
        for inst in block.insts:
            if inst.mnemonic == "LDC" and inst.modifiers == ("64",):
                _narrow(inst, uses)
            if inst.mnemonic in _CARRY and len(inst.dsts) == 2 and not any(uses.get(p) for p in parts(inst.dsts[1])):
                inst.dsts = inst.dsts[:1]
                if inst.mnemonic == "IADD3" and not inst.modifiers and _copies(inst.srcs):
                    inst.mnemonic, inst.srcs = "MOV", inst.srcs[:1]


def _copies(sources: tuple[MOperand, ...]) -> bool:
    """Whether it is a sum of one number."""
    return sources[1:] == (ZERO, ZERO) and not getattr(sources[0], "neg", False)


def drop_overwritten(block: Block) -> None:
    """Remove what is written again in the block before anybody reads it (Triton clears what it loads into)."""
    again: set[Part] = set()
    """Parts that are written before they are read, from here on."""
    kept = []
    for inst in reversed(block.insts):
        made = [part for d in inst.dsts for part in parts(d)]
        whole = not guarded(inst)
        if whole and made and again.issuperset(made) and removable(inst):
            continue
        kept.append(inst)
        if whole:
            again.update(made)
        again.difference_update(parts_read(inst))
    block.insts = kept[::-1]


def _unread(inst: MInst, uses: Counter[Part]) -> bool:
    """Whether the instruction writes virtual registers, none of which is read."""
    found = False
    for d in inst.dsts:
        if type(d) is V:
            for part in d.parts:
                if uses.get(part):
                    return False
            found = True
    return found


def _take(inst: MInst, uses: Counter[Part], dead: set[int], idle: set[Part]) -> None:
    """Count a dead instruction's operands as not read; `idle` gets the registers that nothing reads any more."""
    dead.add(id(inst))
    for part in parts_read(inst):
        uses[part] -= 1
        if not uses[part]:
            idle.add(part)


def _narrow(inst: MInst, uses: Counter[Part]) -> None:
    """A load of two words of which one is read loads that one, so that the other's register is not in flight."""
    d, source = inst.dsts[0], inst.srcs[0]
    if not isinstance(d, V) or not isinstance(source, Const | VConst) or d.count != 2:
        return
    wanted = [word for word, part in enumerate(d.parts) if uses.get(part)]
    if len(wanted) == 1:
        word = wanted[0]
        inst.modifiers = ()
        inst.dsts = (evolve(d, part=d.part + word, count=1),)
        inst.srcs = (evolve(source, offset=source.offset + 4 * word),)
