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
    at = [0] * len(warps)
    pending: dict[tuple[int, int], Flight] = {}
    """Scoreboard: registers with a write on the way, and who does it."""
    collecting: list[tuple[Flight, list[_Operand]]] = []
    flying: list[Flight] = []
    done: list[Flight] = []
    busy_unit: dict[str, int] = {}
    t = 0
    while any(at[w] < len(stream) for w, stream in enumerate(warps)) or collecting or flying:
        if t > limit:
            raise ValueError("the textbook SM does not come to an end")
        # Writeback: results that are through, over the buses, oldest first.
        for flight in [f for f in flying if f.end < t][: m.writeback_buses]:
            flight.written = t
            flying.remove(flight)
            for r in flight.op.writes:
                if pending.get((flight.warp, r)) is flight:
                    del pending[flight.warp, r]
        # Collectors: bypass, then banks.
        ports = [m.read_ports] * m.banks
        for flight, operands in collecting:
            if t <= flight.dispatched:
                continue
            for operand in operands:
                maker = operand.waits
                if operand.there < 0 and maker is not None:
                    if m.bypass and maker.end == t:
                        operand.there = t
                        flight.bypassed += (operand.register,)
                    elif 0 <= maker.written < t:
                        operand.waits = None
                if operand.there < 0 and operand.waits is None:
                    for bank in range(m.banks):
                        granted = min(operand.lanes[bank], ports[bank])
                        if granted:
                            ports[bank] -= granted
                            operand.lanes[bank] -= granted
                            if flight.first_read < 0:
                                flight.first_read = t
                            flight.last_read = t
                        flight.conflicts += min(operand.lanes[bank], m.read_ports) if not granted else 0
                    if not any(operand.lanes):
                        operand.there = t + 1 + m.crossbar_latency
        # Execution: a collector that is complete hands over, one instruction a unit and cycle.
        for flight, operands in list(collecting):
            if t <= flight.dispatched or any(operand.there < 0 or operand.there > t for operand in operands):
                continue
            if busy_unit.get(flight.op.opcode, -1) == t:
                continue
            busy_unit[flight.op.opcode] = t
            flight.ready = t
            flight.begin = t + m.issue
            flight.end = flight.begin + m.execute[flight.op.opcode] - 1
            collecting.remove((flight, operands))
            flying.append(flight)
        # Scheduler: check 1.
        for w, stream in enumerate(warps):
            if at[w] >= len(stream) or len(collecting) >= m.collectors:
                continue
            op = stream[at[w]]
            if not _eligible(m, op, w, t, pending):
                continue
            flight = Flight(op, w, picked=t, dispatched=t + m.dispatch)
            collecting.append((flight, [_operand(m, r, pending.get((w, r))) for r in op.reads]))
            for r in op.writes:
                pending[w, r] = flight
            done.append(flight)
            at[w] += 1
            break
        t += 1
    return Run(m, tuple(done), t)


def _eligible(m: Textbook, op: Op, warp: int, t: int, pending: dict[tuple[int, int], Flight]) -> bool:
    """Check 1: no destination is being written, and pending sources will have come when gathering ends."""
    if any((warp, r) in pending for r in op.writes):
        return False
    for r in op.reads:
        maker = pending.get((warp, r))
        if maker is not None and (maker.end < 0 or maker.end - t > m.gather_latency):
            return False
    return True
