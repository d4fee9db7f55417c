"""Where in the code the cycles went: by machine instruction and by source line."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import attrs

from minicc.texts import as_bytes
from runtime.profile.facts import Facts, Hot, warp_cycles
from runtime.profile.kinds import flow, own
from runtime.profile.units import number, table

TOP = 20


@attrs.define
class Place:
    """Counters of everything that came from one source line (`line` 0: unknown)."""

    file: str
    line: int
    text: str = ""
    counters: dict[str, float] = attrs.field(factory=dict)
    instructions: list[Hot] = attrs.field(factory=list)

    @property
    def samples(self) -> float:
        """Warp-cycles spent on the line."""
        return warp_cycles(self.counters)


def _texts(file: str) -> list[str]:
    """The lines of a source that a line table names, in UTF-8, whatever the locale is; none if it is not there."""
    try:
        return Path(os.fsdecode(as_bytes(file))).read_text("utf-8", "replace").splitlines()
    except (OSError, ValueError):
        return []


def by_line(f: Facts) -> list[Place]:
    """Places in source order. The sum over all of them is the sum over all instructions."""
    places: dict[tuple[str, int], Place] = {}
    texts: dict[str, list[str]] = {}
    for row in f.instructions:
        key = (row.file, row.line)
        place = places.get(key)
        if place is None:
            lines = texts.setdefault(row.file, _texts(row.file))
            text = lines[row.line - 1].strip() if 0 < row.line <= len(lines) else ""
            place = places[key] = Place(row.file, row.line, text)
        place.instructions.append(row)
        for name, value in row.counters.items():
            if name == "requests" and not row.counters.get("sectors"):
                continue  # shared memory has requests, but no sectors
            place.counters[name] = place.counters.get(name, 0.0) + value
    return [places[key] for key in sorted(places)]


def _cells(counters: dict[str, float], samples: float, total: float) -> tuple[str, ...]:
    executed = counters.get("inst_executed", 0.0)
    stalls = [(v, k[6:]) for k, v in counters.items() if k.startswith("stall_") and k != "stall_selected" and v]
    threads = counters.get("thread_inst_executed_pred_on", 0.0)
    sectors, requests = counters.get("sectors", 0.0), counters.get("requests", 0.0)
    return (
        number(executed) if executed else "",
        f"{threads / executed:.1f}" if executed else "",
        f"{100 * samples / total:.1f} %" if samples else "",
        max(stalls)[1] if stalls else "",
        f"{sectors / requests:.1f}" if sectors and requests else "",
        number(counters["bank_conflicts"]) if counters.get("bank_conflicts") else "",
    )


_COLUMNS = ("executed", "threads", "cycles", "mostly", "sectors/req", "conflicts")
_ALIGN = "rrrlrr"


def live_registers(f: Facts) -> dict[int, int]:
    """Byte offset to registers whose values are needed there, of the kernel's own code."""
    return {row.offset: count for row, count in zip(own(f), flow(f).live(), strict=True)}


def sass_view(f: Facts, rows: Iterable[Hot] | None = None, title: str = "SASS") -> list[str]:
    """Every instruction with what it cost."""
    total = sum(row.samples for row in f.instructions) or 1.0
    head = ("offset", "live", *_COLUMNS, "instruction", "source")
    live = live_registers(f)
    body = []
    for row in f.instructions if rows is None else rows:
        first = (f"0x{row.offset:04x}", str(live.get(row.offset, "")))
        body.append((*first, *_cells(row.counters, row.samples, total), row.text[:64], row.source))
    return table(title, [head, *body], f"lr{_ALIGN}ll", head=True)


def source_view(f: Facts) -> list[str]:
    """Every source line that became code, with what it cost."""
    places = by_line(f)
    if not any(place.line for place in places):
        return ["  no line table: compile with -lineinfo", ""]
    total = sum(place.samples for place in places) or 1.0
    lines: list[str] = []
    for file in dict.fromkeys(place.file for place in places):
        rows: list[tuple[str, ...]] = [("line", *_COLUMNS, "source")]
        for place in places:
            if place.file == file:
                cells = _cells(place.counters, place.samples, total)
                rows.append((str(place.line or "?"), *cells, place.text[:80]))
        lines += table(f"Source: {file or 'unknown'}", rows, f"r{_ALIGN}l", head=True)
    return lines


def hottest(f: Facts) -> list[str]:
    """The instructions that took most, in code order, and the lines that did."""
    chosen = sorted(f.instructions, key=lambda row: (-row.samples, row.offset))[:TOP]
    if not any(row.samples for row in chosen):
        chosen = sorted(f.instructions, key=lambda row: (-row.executed, row.offset))[:TOP]
    rows = sorted((row for row in chosen if row.counters), key=lambda row: row.offset)
    lines = sass_view(f, rows, "Hottest instructions")
    places = [place for place in by_line(f) if place.line and place.samples]
    if places:
        total = sum(row.samples for row in f.instructions) or 1.0
        places.sort(key=lambda place: (-place.samples, place.file, place.line))
        body = [
            (f"{p.file.rsplit('/', 1)[-1]}:{p.line}", *_cells(p.counters, p.samples, total), p.text[:80])
            for p in places[:8]
        ]
        lines += table("Hottest lines", [("line", *_COLUMNS, "source"), *body], f"l{_ALIGN}l", head=True)
    return lines
