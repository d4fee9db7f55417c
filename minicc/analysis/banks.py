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

    @property
    def extra(self) -> int:
        """Cycles lost, if every instruction runs once."""
        return sum(c.extra for c in self.conflicts)


def banks(code: bytes, arch: Arch) -> Banks:
    """Conflicts of one function's code, block boundaries ignored (the cache does not survive other readers anyway)."""
    count = arch.core.register_banks
    cached: dict[int, int] = {}
    conflicts: list[Conflict] = []
    total = reused = 0
    for n, instr in enumerate(instructions(code, arch)):
        found = effects(instr, arch)
        wanted: dict[int, set[int]] = {bank: set() for bank in range(count)}
        kept: dict[int, int] = {}
        for access in found.reads:
            if access.file != "R":
                continue
            if access.slot >= 0 and access.count == 1 and cached.get(access.slot) == access.index:
                reused += 1
            else:
                for k in range(access.count):
                    wanted[(access.index + k) % count].add(access.index + k)
                total += access.count
            if access.slot >= 0 and instr.control.reuse >> access.slot & 1 and not instr.control.yield_:
                kept[access.slot] = access.index
        if instr.mnemonic != "NOP" and found.reads:
            cached = kept
        interval = arch.pipes[found.pipe].interval if found.pipe in arch.pipes else 1
        extra = max(len(regs) for regs in wanted.values()) - interval
        if extra > 0:
            conflicts.append(Conflict(16 * n, instr.mnemonic, extra))
    return Banks(conflicts, total, reused)
