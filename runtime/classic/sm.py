"""The throughput simulator: an SM of schedulers, units and register banks runs one stream in every warp.

A scheduler picks a warp every `issue_interval` cycles, any of those whose sources have come and whose destinations
are not on the way (scoreboard); the documents do not say which, so a fixed pseudo-random sequence decides. If the unit
cannot take the instruction, the scheduler waits with it: loads of several schedulers meet at the one load unit, and
that is what mixes of loads and arithmetic lose. The scheduler's port is taken while the operands are read, one register
of each bank a cycle. Cycles in which nothing can happen are skipped.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from minicc.arch.classic.schema import Machine, Unit
from runtime.classic.stream import Op


def conflict_ways(machine: Machine, op: Op) -> int:
    """Most source registers that lie in one bank: the cycles that reading takes. A register named twice is read
    once."""
    if machine.registers.model == "ideal":
        return 1
    banks = [machine.registers.bank(r) for r in set(op.reads)]
    return max((banks.count(b) for b in set(banks)), default=1)


@attrs.frozen
class Result:
    """What a run gave. `issued` warp instructions in `cycles` of the machine, on one SM."""

    machine: Machine
    cycles: int
    issued: int
    by_opcode: dict[str, int]

    @property
    def throughput(self) -> float:
        """Thread instructions a cycle and SM, in the document's clock."""
        return 32 * self.issued / self.cycles * self.machine.clock_ratio

    def of(self, opcode: str) -> float:
        """The same for one opcode."""
        return 32 * self.by_opcode.get(opcode, 0) / self.cycles * self.machine.clock_ratio


@attrs.define(eq=False)
class _Warp:
    at: int
    """Position in the stream."""
    ready: dict[int, int]
    """When a register's value can be read."""
    wake: int = 0
    """Before this cycle it cannot issue."""


@attrs.define(eq=False)
class _Busy:
    """A unit and when it is free."""

    unit: Unit
    free: float = 0.0


WARM, MEASURED = 40, 140
"""Instructions of a warp before measuring begins, and while it lasts."""


def run(machine: Machine, stream: Sequence[Op], warps: int) -> Result:
    """Run `stream` over and over in each of `warps` warps, and measure after the start has worn off."""
    units: dict[tuple[str, int], _Busy] = {}
    for name, unit in machine.units.items():
        for s in range(1 if unit.shared else machine.schedulers):
            units[name, -1 if unit.shared else s] = _Busy(unit)
    reads = [conflict_ways(machine, op) for op in stream]
    unit_of = [machine.opcodes[op.opcode] for op in stream]
    length = len(stream)
    state = [_Warp(0, {}) for _ in range(warps)]
    mine = [[w for w in range(warps) if w % machine.schedulers == s] for s in range(machine.schedulers)]
    # Schedulers that issue every other cycle take turns.
    port = [float(s % machine.issue_interval) for s in range(machine.schedulers)]
    by_opcode: dict[str, int] = {}
    issued = now = began = 0
    draw = 1
    warm, until = WARM * warps, (WARM + MEASURED) * warps
    while issued < until:
        soon = float("inf")
        for s in range(machine.schedulers):
            if port[s] > now:
                soon = min(soon, port[s])
                continue
            ready = []
            for w in mine[s]:
                warp = state[w]
                if warp.wake <= now:
                    op = stream[warp.at]
                    warp.wake = max((warp.ready.get(r, 0) for r in (*op.reads, *op.writes)), default=0)
                if warp.wake <= now:
                    ready.append(w)
                else:
                    soon = min(soon, warp.wake)
            if not ready:
                continue
            draw = draw * 1103515245 + 12345 & 0x7FFFFFFF
            warp = state[ready[(draw >> 8) % len(ready)]]
            op = stream[warp.at]
            unit = machine.units[unit_of[warp.at]]
            busy = units[unit_of[warp.at], -1 if unit.shared else s]
            # A unit that cannot take the instruction keeps the scheduler waiting with it.
            issue = max(float(now), busy.free - unit.slack)
            ways = reads[warp.at]
            start = max(issue, busy.free)
            # The unit takes the next one when this one is through; operands of the next may be read while it is in its
            # last `overlap` cycles.
            busy.free = start + max(unit.interval, ways + unit.interval - max(machine.registers.overlap, 1), ways)
            port[s] = issue + max(machine.issue_interval, ways)
            for r in op.writes:
                warp.ready[r] = int(start + unit.latency + ways - 1)
            warp.wake = int(issue + machine.issue_interval)
            warp.at = warp.at + 1 if warp.at + 1 < length else 0
            issued += 1
            if issued == warm:
                began = now
            elif issued > warm:
                by_opcode[op.opcode] = by_opcode.get(op.opcode, 0) + 1
            soon = min(soon, port[s])
        now = max(int(-(-soon // 1)), now + 1) if soon != float("inf") else now + 1
    return Result(machine, now - began, issued - warm, by_opcode)
