"""A static checker of reuse flags: does every register that the operand cache keeps have its value when it is served?

The cache holds one register per operand slot and bank, from an instruction with the flag until the next one that reads
that bank in that slot, and is not coherent (see `reuse`). Two things go wrong: the register is written in between; and
the first half of what the FP64 pipe keeps is read as something other than half of that pair, or the reverse (an H200
gave old values for a pair of DADD's whose halves were read one by one; NVIDIA's NPP reads second halves alone, and
with IMAD.WIDE's addend its ptxas mixes all of them). Blocks are looked at one by one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from minicc.sass import Effects
from minicc.sass.instr import Instr

_PAIRS = "fp64"
"""The pipe whose operands are pairs."""
Problem = tuple[int, int, str]
"""Index of the instruction with the flag, of the one that reads, and what is wrong."""


def problems(code: Sequence[tuple[Instr, Effects]], leaders: Collection[int]) -> Iterator[Problem]:
    """Of one function; `leaders` are the indices at which basic blocks start."""
    kept: dict[tuple[int, int], tuple[int, int, int]] = {}
    """(slot, bank) -> (who keeps it, register, registers of that operand)."""
    old: dict[int, int] = {}
    """Registers that have been written since they were kept, and by whom."""
    for n, (instr, found) in enumerate(code):
        if n in leaders:
            kept.clear()
        control = instr.control
        flags = 0 if control.yield_ else control.reuse
        for access in found.reads:
            if access.file != "R" or access.slot < 0:
                continue
            numbers = range(access.index, access.index + access.count)
            served = {number: kept.pop((access.slot, number & 1), None) for number in numbers}
            hits = {number: entry for number, entry in served.items() if entry is not None and entry[1] == number}
            for number, (by, _, count) in hits.items():
                if number in old and old[number] >= by:
                    yield by, n, f"R{number} is kept, and written at {16 * old[number]:#06x}"
                elif _PAIRS in (found.pipe, code[by][1].pipe) and count != access.count and not number & 1:
                    yield by, n, f"R{number} is kept as one of {count}, and read as one of {access.count}"
            if flags >> access.slot & 1:
                kept.update({(access.slot, number & 1): (n, number, access.count) for number in numbers})
        for access in found.writes:
            if access.file == "R":
                old.update(dict.fromkeys(range(access.index, access.index + access.count), n))


__all__ = ["problems"]
