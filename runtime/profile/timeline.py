"""What every warp, pipe and memory access of one SM did, cycle by cycle: a trace for Perfetto or chrome://tracing, and
a picture.

Input: the engine's record of issues (`Outcome.issues`, see `runtime.device.sm.core.observe`), each with the cycles that
its warp waited before it, by state. A cycle is a microsecond of the trace. Times count from the first issue kept.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import attrs

from runtime.device.sm.tables import kinds as K
from runtime.profile.facts import Facts, Hot
from runtime.profile.meaning import STATES
from runtime.profile.svg import Span, spans

ORDER = (
    "wait", "branch_resolving", "barrier", "membar", "sleeping", "imc_miss", "misc", "gmma", "tex_throttle",
    "no_instruction", "long_scoreboard", "short_scoreboard", "lg_throttle", "mio_throttle", "math_pipe_throttle",
    "dispatch_stall", "not_selected",
)  # fmt: skip
"""States in the order in which the engine books them between two issues of a warp."""
WARPS, BLOCKS, PIPES, MEMORY = range(1, 5)
"""Processes of the trace."""


@attrs.frozen
class Issue:
    """One issue. `start` is the cycle after the warp's issue before; `states` fill the cycles from there to `time`."""

    time: int
    slot: int
    """warp slot of the SM: sub-core * 16 + place"""
    row: Hot | None
    block: int
    warp: int
    lanes: int
    done: int
    states: tuple[tuple[str, int], ...]

    @property
    def name(self) -> str:
        """Opcode with modifiers."""
        return self.row.text.partition(" ")[0] if self.row and not self.row.text.startswith("@") else (
            self.row.text.split(" ")[1] if self.row else "?"
        )  # fmt: skip


def issues(f: Facts) -> list[Issue]:
    """The record of a launch, in the order of issue; empty if nothing was recorded."""
    record = f.outcome.issues
    if record is None:
        return []
    from runtime.device.sm.core import observe as o

    rows = {row.offset: row for row in f.instructions}
    entry = f.outcome.entry
    found = []
    last: dict[int, tuple[int, int]] = {}
    for line in record.tolist():
        slot = line[o.O_WARP] & 63
        row = rows.get(16 * line[o.O_INSTR] - entry)
        states = {name: line[o.O_STATES + k] for k, name in enumerate(K.REASONS)}
        waited = tuple((name, states[name]) for name in ORDER if states[name])
        block, warp = line[o.O_CTA], line[o.O_ID]
        if row is not None and row.mnemonic == "EXIT" and slot in last:
            block, warp = last[slot]  # the next block may have taken the place already
        last[slot] = (block, warp)
        lanes = bin(line[o.O_MASK]).count("1")
        found.append(Issue(line[o.O_TIME], slot, row, block, warp, lanes, line[o.O_DONE], waited))
    return found


def _waits(found: Sequence[Issue]) -> list[tuple[Issue, str, int, int]]:
    """(issue that waited, state, first cycle, cycles), for every wait."""
    out = []
    for issue in found:
        at = issue.time - sum(cycles for _, cycles in issue.states)
        for state, cycles in issue.states:
            out.append((issue, state, at, cycles))
            at += cycles
    return out


def trace(f: Facts, sm: int = 0) -> str:
    """The trace as Chrome's JSON."""
    found = issues(f)
    events: list[dict[str, Any]] = []

    def event(pid: int, tid: int, name: str, start: float, length: float, **args: Any) -> None:
        events.append({"ph": "X", "pid": pid, "tid": tid, "name": name, "ts": start, "dur": length, "args": args})

    def label(pid: int, tid: int | None, name: str) -> None:
        kind = "process_name" if tid is None else "thread_name"
        events.append({"ph": "M", "pid": pid, "tid": tid or 0, "name": kind, "args": {"name": name}})

    label(WARPS, None, f"SM {sm}: warps of {f.demangled}")
    label(BLOCKS, None, f"SM {sm}: blocks")
    label(PIPES, None, f"SM {sm}: pipes")
    label(MEMORY, None, f"SM {sm}: memory")
    for slot in sorted({issue.slot for issue in found}):
        label(WARPS, slot + 1, f"sub-core {slot >> 4} warp slot {slot & 15}")
    for issue, state, start, cycles in _waits(found):
        text = issue.row.text if issue.row else "?"
        event(WARPS, issue.slot + 1, state, start, cycles, before=text)
    pipes: dict[tuple[int, str], list[int]] = {}
    free: dict[int, float] = {}
    for number, issue in enumerate(found):
        row = issue.row
        args = {"instruction": row.text if row else "?", "block": issue.block, "warp": issue.warp, "lanes": issue.lanes}
        if row is not None and row.source:
            args["source"] = row.source
        event(WARPS, issue.slot + 1, issue.name, issue.time, 1, **args)
        if row is None or row.unit is None or not row.unit.counter:
            continue
        sub = issue.slot >> 4
        halves = pipes.setdefault((sub, row.unit.counter), [])
        lane = next((lane for lane in halves if free[lane] <= issue.time), 0)
        if not lane and (row.unit.queue == K.Q_NONE or not halves):
            # Two halves of a pipe are taken at once; a queue lets go of one after the other.
            lane = len(free) + 1
            halves.append(lane)
        lane = lane or halves[0]
        begin = max(float(issue.time), free.get(lane, 0.0))
        length = max(float(row.unit.interval if row.unit.queue == K.Q_NONE else row.unit.sub), 1.0)
        free[lane] = begin + length
        event(PIPES, lane, issue.name, begin, length, **args)
        if row.access[0] and issue.done > issue.time:
            name = f"{issue.name} {row.access[0]}"
            ends = {"pid": MEMORY, "tid": sub, "cat": row.access[0], "id": number, "name": name}
            events.append({**ends, "ph": "b", "ts": issue.time, "args": args})
            events.append({**ends, "ph": "e", "ts": issue.done})
    for (sub, pipe), halves in pipes.items():
        for lane in halves:
            label(PIPES, lane, f"sub-core {sub} {pipe}")
    for (block, slot), (first, last) in sorted(_blocks(found).items()):
        event(BLOCKS, slot + 1, f"block {block}", first, last - first + 1)
    flying = 0
    changes = sorted(
        change
        for issue in found
        if issue.row and issue.row.access[1] in ("load", "copy") and issue.row.access[0] == "global"
        for change in ((issue.time, 1), (max(issue.done, issue.time + 1), -1))
    )
    for time, step in changes:
        flying += step
        events.append({"ph": "C", "pid": MEMORY, "name": "global loads in flight", "ts": time, "args": {"n": flying}})
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ns", "otherData": {"unit": "1 us is 1 cycle"}})


def _blocks(found: Sequence[Issue]) -> dict[tuple[int, int], tuple[int, int]]:
    """(block, slot of its first warp) -> first and last issue."""
    ends: dict[int, tuple[int, int]] = {}
    slots: dict[int, int] = {}
    for issue in found:
        first, _ = ends.get(issue.block, (issue.time, 0))
        ends[issue.block] = (first, issue.time)
        slots[issue.block] = min(slots.get(issue.block, issue.slot), issue.slot)
    return {(block, slots[block]): span for block, span in ends.items()}


def picture(f: Facts, sm: int = 0, limit: int = 20_000) -> str:
    """The same as SVG: a lane for each warp slot, coloured by state. `limit` bounds the number of spans: the shortest
    are left out."""
    found = issues(f)
    drawn = []
    for issue, state, start, cycles in _waits(found):
        text = issue.row.text if issue.row else ""
        lane = f"{issue.slot >> 4}.{issue.slot & 15:02}"
        drawn.append(Span(lane, start, start + cycles, state, f"{state} before {text}"))
    for issue in found:
        drawn.append(
            Span(f"{issue.slot >> 4}.{issue.slot & 15:02}", issue.time, issue.time + 1, "selected", issue.name)
        )
    drawn.sort(key=lambda span: (span.lane, span.start))
    kept = drawn if len(drawn) <= limit else sorted(drawn, key=lambda s: s.start - s.end)[:limit]
    title = f"SM {sm}: warps (sub-core.slot) of {f.demangled}"
    return spans(title, sorted(kept, key=lambda s: (s.lane, s.start)), order=STATES)


def states_picture(launches: Sequence[Facts]) -> str:
    """Warp states of each launch as stacked bars, cycles per issued instruction, and its occupancy."""
    from runtime.profile.svg import bars
    from runtime.profile.units import dims

    rows, gauges = [], []
    for n, f in enumerate(launches):
        label = f"{f.demangled.split('(')[0]} ({dims(f.grid)})x({dims(f.block)})"
        rows.append((f"#{n} {label}" if len(launches) > 1 else label, f.states()))
        reached = f.get("sm__warps_active.avg.pct_of_peak_sustained_active")
        gauges.append(("occupancy", reached, f.get("sm__maximum_warps_per_active_cycle_pct")))
    return bars("Warp states, cycles per issued instruction", rows, gauges=gauges, order=STATES)
