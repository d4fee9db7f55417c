"""The textbook SM, cycle by cycle: operand collectors, banks behind a crossbar, a scoreboard with two checks, writeback
buses, bypass (seed 003).

Lane T of register R lies in bank (T + R) mod banks. An instruction is picked if check 1 lets it (sources that are on
the way come soon enough, nobody is writing its destination, a collector is free), goes to a collector, asks for the
lanes of its operands (check 2: those of a pending register are not asked for but waited for, at the banks or on the
writeback bus), executes when all are there, and writes back over a bus. Every bank grants `read_ports` lanes a cycle,
to the oldest collector first.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from minicc.arch.classic.schema import Textbook
from minicc.diagnostics import fail
from runtime.classic.stream import Op

LANES = 32


@attrs.define(eq=False)
class Flight:
    """One instruction's way. Cycles; -1 where it has not been. `first_read`/`last_read`: bank grants; `ready`: all
    operands there; `begin`/`end`: first and last cycle of execution; `written`: the cycle of its writeback."""

    op: Op
    warp: int
    picked: int = -1
    dispatched: int = -1
    first_read: int = -1
    last_read: int = -1
    ready: int = -1
    begin: int = -1
    end: int = -1
    written: int = -1
    bypassed: tuple[int, ...] = ()
    """registers that it took from a writeback bus"""
    conflicts: int = 0
    """lane requests that a bank turned away for an older collector's, over all cycles"""


@attrs.define(eq=False)
class _Operand:
    register: int
    lanes: list[int]
    """lanes still to be granted, by bank"""
    waits: Flight | None
    """who makes it, if it was pending at dispatch"""
    there: int = -1


@attrs.frozen
class Run:
    """All flights in the order of issue, and the cycle after the last writeback."""

    machine: Textbook
    flights: tuple[Flight, ...]
    cycles: int


def _operand(m: Textbook, register: int, waits: Flight | None) -> _Operand:
    lanes = [0] * m.banks
    for lane in range(LANES):
        lanes[(lane + register) % m.banks] += 1
    return _Operand(register, lanes, waits)


def run(m: Textbook, warps: Sequence[Sequence[Op]], limit: int = 100_000) -> Run:
    """Run one stream a warp; the scheduler picks the oldest warp that check 1 accepts, one instruction a cycle."""
    for stream in warps:
        for op in stream:
            if op.opcode not in m.execute:
                fail("classic.opcode", f"the textbook SM has no {op.opcode}; it has {', '.join(m.execute)}")
    core = _Core(m, warps)
    t = 0
    while core.busy():
        if t > limit:
            raise ValueError("the textbook SM does not come to an end")
        core.write_back(t)
        core.gather(t)
        core.execute(t)
        core.issue(t)
        t += 1
    return Run(m, tuple(core.flights), t)


class _Core:
    """What is under way; the stages of a cycle, the last one first."""

    def __init__(self, m: Textbook, warps: Sequence[Sequence[Op]]) -> None:
        self.m = m
        self.warps = warps
        self.at = [0] * len(warps)
        self.pending: dict[tuple[int, int], Flight] = {}
        """Scoreboard: registers with a write on the way, and who does it."""
        self.collecting: list[tuple[Flight, list[_Operand]]] = []
        self.flying: list[Flight] = []
        self.flights: list[Flight] = []

    def busy(self) -> bool:
        left = any(at < len(stream) for at, stream in zip(self.at, self.warps, strict=True))
        return left or bool(self.collecting or self.flying)

    def write_back(self, t: int) -> None:
        """Results that are through, over the buses, oldest first."""
        for flight in [f for f in self.flying if f.end < t][: self.m.writeback_buses]:
            flight.written = t
            self.flying.remove(flight)
            for r in flight.op.writes:
                if self.pending.get((flight.warp, r)) is flight:
                    del self.pending[flight.warp, r]

    def gather(self, t: int) -> None:
        """Collectors take operands off the writeback buses and ask the banks for the others."""
        ports = [self.m.read_ports] * self.m.banks
        for flight, operands in self.collecting:
            for operand in operands if t > flight.dispatched else ():
                maker = operand.waits
                if operand.there < 0 and maker is not None:
                    if self.m.bypass and maker.end == t:
                        operand.there = t
                        flight.bypassed += (operand.register,)
                    elif 0 <= maker.written < t:
                        operand.waits = None
                if operand.there < 0 and operand.waits is None:
                    self._read(flight, operand, ports, t)

    def _read(self, flight: Flight, operand: _Operand, ports: list[int], t: int) -> None:
        """As many lanes as the banks still have ports for."""
        for bank in range(self.m.banks):
            granted = min(operand.lanes[bank], ports[bank])
            if granted:
                ports[bank] -= granted
                operand.lanes[bank] -= granted
                flight.first_read = t if flight.first_read < 0 else flight.first_read
                flight.last_read = t
            else:
                flight.conflicts += min(operand.lanes[bank], self.m.read_ports)
        if not any(operand.lanes):
            operand.there = t + 1 + self.m.crossbar_latency

    def execute(self, t: int) -> None:
        """A collector that is complete hands over, one instruction a unit and cycle."""
        busy: set[str] = set()
        for flight, operands in list(self.collecting):
            opcode = flight.op.opcode
            waits = t <= flight.dispatched or any(operand.there < 0 or operand.there > t for operand in operands)
            if waits or opcode in busy:
                continue
            busy.add(opcode)
            flight.ready = t
            flight.begin = t + self.m.issue
            flight.end = flight.begin + self.m.execute[opcode] - 1
            self.collecting.remove((flight, operands))
            self.flying.append(flight)

    def issue(self, t: int) -> None:
        """The scheduler's pick, by check 1."""
        if len(self.collecting) >= self.m.collectors:
            return
        for w, stream in enumerate(self.warps):
            if self.at[w] >= len(stream) or not _eligible(self.m, stream[self.at[w]], w, t, self.pending):
                continue
            op = stream[self.at[w]]
            flight = Flight(op, w, picked=t, dispatched=t + self.m.dispatch)
            operands = [_operand(self.m, r, self.pending.get((w, r))) for r in op.reads]
            self.collecting.append((flight, operands))
            self.pending.update(((w, r), flight) for r in op.writes)
            self.flights.append(flight)
            self.at[w] += 1
            return


def _eligible(m: Textbook, op: Op, warp: int, t: int, pending: dict[tuple[int, int], Flight]) -> bool:
    """Check 1: no destination is being written, and pending sources will have come when gathering ends."""
    if any((warp, r) in pending for r in op.writes):
        return False
    for r in op.reads:
        maker = pending.get((warp, r))
        if maker is not None and (maker.end < 0 or maker.end - t > m.gather_latency):
            return False
    return True
