"""Reuse flags: keep a source register in the operand cache for a later instruction.

The cache holds one register per bank and operand slot. A flag pays when the next instruction of the warp that reads
that bank in that slot reads the same register. It is not coherent (a write to the register leaves the old value in the
cache) and is ignored with the yield bit (measured on an H200, regfile.json, "reuse_cache", "reuse_and_writes"), so
nothing may write the register from the flag to the reader. A pair must be read as that pair next: where its halves were
read one by one, an H200 gave old values later (a reduction of doubles, 300 runs of 300). Works on finished
instructions, whose declarations know the slots.
"""

from __future__ import annotations

from collections.abc import Collection

from minicc.arch.schema import Arch
from minicc.ptxas.mir import MInst, V
from minicc.ptxas.operands import reg_count, writes
from minicc.record import evolve
from minicc.sass.codec import Plan, form_of
from minicc.sass.effects import variable
from minicc.sass.instr import PT, Instr

_FAR = 8
"""Instructions over which a register is kept: nvcc's reach as far, mostly one to four. Other warps displace it."""


class _Shape:
    """What instructions of one form read by slot: (operand, slot). `cached`: through the cache."""

    def __init__(self, slots: tuple[tuple[int, int], ...], cached: bool) -> None:
        self.slots, self.cached = slots, cached


_NONE = _Shape((), False)
_Read = tuple[int, int, int]
"""Index of the instruction, register, registers of that operand."""


def _shape(plan: Plan | None, arch: Arch) -> _Shape:
    if plan is None:
        return _NONE
    timing = plan.form.row.timing
    pairs = zip(plan.form.operands, plan.places, strict=True)
    slots = tuple((at, codec.source) for codec, at in pairs if at >= 0 and codec.read and codec.source is not None)
    return _Shape(slots, bool(timing.reuse) and timing.pipe != "tensor" and not variable(timing, arch))


def assign(instrs: list[Instr], origin: list[MInst], leaders: Collection[int], arch: Arch) -> list[Instr]:
    """`instrs` with reuse masks; `origin` is the machine IR behind them, `leaders` the indices at which basic blocks
    start."""
    out = list(instrs)
    shapes: dict[int, _Shape] = {}
    far = 1 if any(inst.mnemonic == "USETMAXREG" for inst in origin) else _FAR  # not tried on hardware with setmaxnreg
    later: list[_Read | None] = [None] * 8
    """For each slot and bank (2 * slot + bank) who reads it next; nothing writes the register until then."""
    nothing = list(later)
    for n in range(len(origin) - 1, -1, -1):
        instr, inst = instrs[n], origin[n]
        if later != nothing:
            for w in writes(inst):
                if isinstance(w, V):
                    if w.reg.file != "R":
                        continue
                    first = (w.reg.fixed or 0) + w.part
                    last = first + w.count
                elif w.file == "R":
                    first, last = w.index, w.index + reg_count(w)
                else:
                    continue
                for key, found in enumerate(later):
                    if found is not None and first <= found[1] < last:
                        later[key] = None
        plan = form_of(instr, arch.sass)
        shape = shapes.get(id(plan))
        if shape is None:
            shape = shapes[id(plan)] = _shape(plan, arch)
        mask = 0
        plain = shape.cached and instr.guard.index == PT
        flags = plain and not instr.control.yield_
        read: list[tuple[int, int, int]] = []
        for at, slot in shape.slots:
            o = inst.dsts[at] if at < len(inst.dsts) else inst.srcs[at - len(inst.dsts)]
            if type(o) is not V or o.reg.file != "R":
                continue
            count = o.count
            first = (o.reg.fixed or 0) + o.part
            same = flags and count < 3
            readers = set()
            for number in range(first, first + count):
                key = 2 * slot + (number & 1)
                read.append((key, number, count))
                if same:
                    found = later[key]
                    # Pairs for pairs, words for words.
                    same = found is not None and found[1:] == (number, count) and found[0] - n <= far
                    readers.add(found and found[0])
            if same and len(readers) == 1:
                mask |= 1 << slot
        for key, number, count in read:
            later[key] = (n, number, count) if plain else None
        if mask:
            out[n] = evolve(instr, control=evolve(instr.control, reuse=mask))
        if n in leaders or inst.mnemonic == "CALL":
            later = list(nothing)
    return out
