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
from minicc.sass import Effects, effects
from minicc.sass.instr import RZ, Instr, Reg

_PIPES = frozenset({"alu", "fma", "fmaheavy", "fmalite", "fmawide", "half", "fp64"})
"""Pipes whose instructions read through the cache."""


def _slots(found: Effects) -> dict[int, int]:
    if found.variable or found.late or found.pipe not in _PIPES:
        return {}
    return {a.slot: a.index for a in found.reads if a.file == "R" and a.slot >= 0}


def assign(instrs: list[Instr], leaders: Collection[int], arch: Arch) -> list[Instr]:
    """`instrs` with reuse masks; `leaders` are the indices at which basic blocks start."""
    out = list(instrs)
    known: dict[int, tuple[Effects, dict[int, int]]] = {}

    def look(n: int) -> tuple[Effects, dict[int, int]]:
        found = known.get(n)
        if found is None:
            seen = effects(instrs[n], arch)
            found = known[n] = seen, _slots(seen)
        return found

    named = [{o.index for o in i.operands if type(o) is Reg and o.file == "R" and o.index != RZ} for i in instrs]
    for n in range(len(instrs) - 1):
        if not named[n] & named[n + 1] or n + 1 in leaders or instrs[n].control.yield_:
            continue
        here, mine = look(n)
        if not mine:
            continue
        theirs = look(n + 1)[1]
        written = {a.index + k for a in here.writes if a.file == "R" for k in range(a.count)}
        mask = 0
        for slot, reg in mine.items():
            if theirs.get(slot) == reg and reg not in written:
                mask |= 1 << slot
        if mask:
            out[n] = attrs.evolve(instrs[n], control=attrs.evolve(instrs[n].control, reuse=mask))
    return out
