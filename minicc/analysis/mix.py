"""The instruction mix of finished code: how many of each mnemonic, pipe and kind, and the issue cycles they take
at least."""

from __future__ import annotations

from collections import Counter

import attrs

from minicc.arch.schema import Arch
from minicc.sass import decode, effects
from minicc.sass.instr import Instr

SIZE = 16


@attrs.frozen
class Mix:
    """Static counts. `cycles` per pipe are instructions times issue interval: the least a warp of each sub-core keeps
    it busy if every instruction runs once. `stall` is the sum of all stall counts."""

    total: int
    mnemonics: dict[str, int]
    pipes: dict[str, int]
    cycles: dict[str, int]
    stall: int


def instructions(code: bytes, arch: Arch) -> list[Instr]:
    """Decoded instructions up to the loop that ends the code."""
    out = [decode(int.from_bytes(code[i : i + SIZE], "little"), arch, i) for i in range(0, len(code), SIZE)]
    while out and out[-1].mnemonic == "NOP":
        out.pop()
    if out and out[-1].mnemonic == "BRA" and out[-1].control.stall == 0:
        out.pop()
    return out


def mix(code: bytes, arch: Arch) -> Mix:
    """The mix of one function's code."""
    names: Counter[str] = Counter()
    pipes: Counter[str] = Counter()
    cycles: Counter[str] = Counter()
    stall = 0
    listing = instructions(code, arch)
    for instr in listing:
        pipe = effects(instr, arch).pipe
        names[instr.mnemonic] += 1
        pipes[pipe] += 1
        cycles[pipe] += arch.pipes[pipe].interval if pipe in arch.pipes else 1
        stall += instr.control.stall

    def ordered(counts: Counter[str]) -> dict[str, int]:
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    return Mix(len(listing), ordered(names), ordered(pipes), ordered(cycles), stall)
