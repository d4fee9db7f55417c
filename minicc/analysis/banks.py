"""Register-bank conflicts, counted statically.

A bank gives one register a cycle; a register in the reuse cache costs nothing (measured on an H200: two banks, register
number mod 2, one read each; a cache entry per bank and operand slot that the reuse flag sets and the next instruction's
read of the same register in the same slot hits). What counts is an instruction that needs a bank more often than its
pipe's issue interval gives it cycles.
"""

from __future__ import annotations

import attrs

from minicc.analysis.mix import instructions
from minicc.arch.schema import Arch
from minicc.sass import effects

_WINDOW = 3
"""Cycles in which an instruction reads its registers (measured on an H200, regfile.json, "rule")."""
_PORTS = frozenset({"alu", "fma", "fmaheavy", "fmalite", "fmawide", "half", "fp64"})
"""Pipes whose instructions were seen to wait for ports."""


@attrs.frozen
class Conflict:
    """One instruction at byte `offset`: cycles that its register reads need beyond its issue interval."""

    offset: int
    mnemonic: str
    extra: int


@attrs.frozen
class Banks:
    """All of one function. `reads` are register reads from the banks, `reused` those that the cache served."""

    conflicts: list[Conflict]
    reads: int
    reused: int
    delay: int
    """Cycles by which the ports hold back a warp that is alone, if every instruction runs once in turn."""

    @property
    def extra(self) -> int:
        """Cycles lost, if every instruction runs once."""
        return sum(c.extra for c in self.conflicts)


def banks(code: bytes, arch: Arch) -> Banks:
    """Conflicts of one function's code, block boundaries ignored (the cache does not survive other readers anyway)."""
    count = arch.core.register_banks
    cached: dict[tuple[int, int], int] = {}
    conflicts: list[Conflict] = []
    total = reused = delay = 0
    now = 0
    busy = [0] * count
    for n, instr in enumerate(instructions(code, arch)):
        found = effects(instr, arch)
        wanted: dict[int, set[int]] = {bank: set() for bank in range(count)}
        for access in found.reads:
            if access.file != "R":
                continue
            keep = instr.control.reuse >> access.slot & 1 and not instr.control.yield_ if access.slot >= 0 else 0
            for number in range(access.index, access.index + access.count):
                place = access.slot, number % count
                if access.slot >= 0 and cached.get(place) == number:
                    reused += 1
                else:
                    wanted[number % count].add(number)
                    total += 1
                if keep:
                    cached[place] = number
                else:
                    cached.pop(place, None)
        if found.pipe in _PORTS:
            start = max([now, *(busy[b] + len(regs) - _WINDOW for b, regs in wanted.items() if regs)])
            delay += start - now
            now = start
            for bank, regs in wanted.items():
                busy[bank] = max(busy[bank], now) + len(regs)
        now += max(instr.control.stall, 1)
        interval = arch.pipes[found.pipe].interval if found.pipe in arch.pipes else 1
        extra = max(len(regs) for regs in wanted.values()) - interval
        if extra > 0:
            conflicts.append(Conflict(16 * n, instr.mnemonic, extra))
    return Banks(conflicts, total, reused, delay)
