"""A kernel's energy by component: counted events times the machine description's picojoules."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from minicc.arch import energy as figures
from minicc.sass import effects
from runtime.profile.facts import Facts
from runtime.profile.metrics import Values, number
from runtime.profile.units import number as text_number
from runtime.profile.units import scaled, table

_SILENT = ("cbu", "")
TENSOR = ("HMMA", "IMMA", "DMMA", "BMMA")


@attrs.frozen
class Part:
    """One event: how often it happened and the picojoules of all of them, as a range."""

    event: str
    component: str
    count: float
    low: float
    high: float

    @property
    def middle(self) -> float:
        """Middle of the range."""
        return (self.low + self.high) / 2


def counts(f: Facts, out: Values) -> dict[str, float]:
    """How often each event of `Energy` happened. Register traffic is that of whole warps: the buses and banks are as
    wide as a warp whatever its lanes do."""
    n: dict[str, float] = {}

    def add(names: Iterable[str], count: float) -> None:
        for name in names:
            n[name] = n.get(name, 0.0) + count

    for row in f.instructions:
        if not row.executed or row.instr is None:
            continue
        found = effects(row.instr, f.arch)
        reads = sum(a.count for a in found.reads if a.file == "R")
        writes = sum(a.count for a in found.writes if a.file == "R")
        if row.mnemonic in TENSOR:
            add(["tensor_read"], reads * row.executed)
            add(["tensor_write"], writes * row.executed)
            add(["tensor_routing"], row.executed)
            continue
        add(["register_read"], reads * row.executed)
        add(figures.WRITEBACK, writes * row.executed)
        space = row.access[0]
        if not space and row.unit is not None and row.unit.counter not in _SILENT:
            add(["fma_lane"], row.threads)
        if space == "shared":
            add(figures.SHARED_INSTRUCTION, row.executed)
            add(figures.SHARED_WAVEFRONT, row.counters.get("wavefronts", 0.0))
        elif space in ("global", "local", "generic"):
            add(["l1_line"], row.counters.get("lines", 0.0))
    add(["l2_traffic_sector", "l2_sector"], number(out, "lts__t_sectors.sum"))
    add(["dram_sector"], number(out, "dram__sectors_read.sum"))
    return {name: count for name, count in n.items() if count}


def parts(f: Facts, out: Values) -> list[Part]:
    """The events in the order of the description."""
    n = counts(f, out)
    rows = []
    for field in attrs.fields(figures.Energy):
        if field.name in n:
            span = getattr(figures.FIGURES[f.arch.energy], field.name)
            count = n[field.name]
            rows.append(Part(field.name, span.component, count, span.low * count, span.high * count))
    return rows


def by_component(found: list[Part]) -> dict[str, Part]:
    """Events of one component added up, the largest first."""
    sums: dict[str, Part] = {}
    for part in found:
        old = sums.get(part.component, Part("", part.component, 0, 0, 0))
        sums[part.component] = Part(
            "", part.component, old.count + part.count, old.low + part.low, old.high + part.high
        )
    return dict(sorted(sums.items(), key=lambda item: (-item[1].middle, item[0])))


def section(f: Facts, out: Values) -> list[str]:
    """The section of the report."""
    found = parts(f, out)
    if not found:
        return []
    sums = by_component(found)
    total = sum(part.middle for part in sums.values())
    rows: list[tuple[str, ...]] = [("component", "energy", "share", "from", "to")]

    def text(value: float) -> str:
        return " ".join(scaled(value, "pJ"))

    for name, part in sums.items():
        rows.append((name, text(part.middle), f"{100 * part.middle / total:.1f} %", text(part.low), text(part.high)))
    low, high = sum(p.low for p in sums.values()), sum(p.high for p in sums.values())
    rows.append(("total", text(total), "100.0 %", text(low), text(high)))
    executed = number(out, "smsp__inst_executed.sum") or 1.0
    note = f"{total / executed:.0f} pJ for each warp instruction; orders of magnitude, without leakage and clock tree"
    lines = table("", rows, "lrrrr", head=True, note=note)
    rows = [("event", "component", "count", "energy")]
    rows += [(part.event, part.component, text_number(part.count), text(part.middle)) for part in found]
    return lines + table("Events", rows, "llrr", head=True)
