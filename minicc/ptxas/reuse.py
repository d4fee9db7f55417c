"""Reuse flags: keep a source register in the operand cache for the next instruction.

The cache holds one register per bank and operand slot. A flag pays when the next instruction of the warp reads the same
register in the same slot. It is not coherent (a write to the register leaves the old value in the cache) and is
ignored with the yield bit (measured on an H200, regfile.json, "reuse_cache", "reuse_and_writes"), so an instruction
never flags what it writes. Works on finished instructions, whose declarations know the slots.
"""

from __future__ import annotations

from collections.abc import Collection

import attrs

from minicc.arch.schema import Arch
from minicc.sass.codec import Plan, form_of
from minicc.sass.effects import effects, variable
from minicc.sass.instr import RZ, Instr, Reg

_PIPES = frozenset({"alu", "fma", "fmaheavy", "fmalite", "fmawide", "half", "fp64"})
"""Pipes whose instructions read through the cache."""


Slots = tuple[tuple[int, int], ...]
"""(operand, cache slot) of the registers that an instruction of some shape reads through the cache."""


def _slots(plan: Plan | None, arch: Arch) -> Slots:
    if plan is None:
        return ()
    timing = plan.form.row.timing
    if variable(timing, arch) or timing.late or timing.pipe not in _PIPES:
        return ()
    pairs = zip(plan.form.operands, plan.places, strict=True)
    return tuple((place, codec.reuse - 122) for codec, place in pairs if place >= 0 and codec.read and codec.reuse)


def assign(instrs: list[Instr], leaders: Collection[int], arch: Arch) -> list[Instr]:
    """`instrs` with reuse masks; `leaders` are the indices at which basic blocks start."""
    out = list(instrs)
    shapes: dict[int, Slots] = {}

    def look(instr: Instr) -> dict[int, int]:
        plan = form_of(instr, arch.sass)
        slots = shapes.get(id(plan))
        if slots is None:
            slots = shapes[id(plan)] = _slots(plan, arch)
        operands = instr.operands
        return {slot: o.index for at, slot in slots if type(o := operands[at]) is Reg and o.file == "R"}

    named = [{o.index for o in i.operands if type(o) is Reg and o.file == "R" and o.index != RZ} for i in instrs]
    for n in range(len(instrs) - 1):
        if not named[n] & named[n + 1] or n + 1 in leaders or instrs[n].control.yield_:
            continue
        theirs = look(instrs[n + 1])
        shared = [(slot, r) for slot, r in look(instrs[n]).items() if r != RZ and theirs.get(slot) == r]
        if not shared:
            continue
        written = {a.index + k for a in effects(instrs[n], arch).writes if a.file == "R" for k in range(a.count)}
        mask = sum(1 << slot for slot, reg in shared if reg not in written)
        if mask:
            out[n] = attrs.evolve(instrs[n], control=attrs.evolve(instrs[n].control, reuse=mask))
    return out
