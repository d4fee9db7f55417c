"""Profiles in the CSV layouts of Nsight Compute: the details page, chosen metrics, and the raw page.

Columns are ncu 2025's. Numbers are written as ncu writes them (thousands separated, quoted)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from runtime.profile import metrics
from runtime.profile.facts import Facts
from runtime.profile.meaning import STATES
from runtime.profile.rules import findings
from runtime.profile.sections import Section
from runtime.profile.source import live_registers
from runtime.profile.units import number, scaled

_WHO = ("ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size",
        "Device", "CC")  # fmt: skip
_RULES = ("Rule Name", "Rule Type", "Rule Description", "Estimated Speedup Type", "Estimated Speedup")


def _who(number: int, f: Facts) -> list[str]:
    block, grid = (f"({d[0]}, {d[1]}, {d[2]})" for d in (f.block, f.grid))
    capability = f"{f.arch.sm // 10}.{f.arch.sm % 10}"
    return [str(number), "0", "minicc", "127.0.0.1", f.demangled, "1", "7", block, grid, "0", capability]


def _text(rows: Iterable[Sequence[str]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    return buffer.getvalue()


def details(launches: Sequence[Facts], sections: Sequence[Section], base: bool) -> str:
    """One row a metric of each section, and one a finding."""
    rows: list[list[str]] = [[*_WHO, "Section Name", "Metric Name", "Metric Unit", "Metric Value", *_RULES]]
    for n, f in enumerate(launches):
        out = metrics.values(f)
        for section in sections:
            for label, name in section.rows:
                if name in out:
                    value, unit = scaled(out[name], metrics.unit(name), base)
                    rows.append([*_who(n, f), section.title, label, unit, value, "", "", "", "", ""])
            for finding in findings(f, out):
                if finding.section == section.name:
                    gain = f"{finding.speedup:.2f}" if finding.speedup else ""
                    kind = "local" if gain else ""
                    rule = [finding.rule, "OPT", finding.text, kind, gain]
                    rows.append([*_who(n, f), section.title, "", "", "", *rule])
    return _text(rows)


def chosen(launches: Sequence[Facts], names: Sequence[str], base: bool) -> str:
    """One row a metric, as `ncu --metrics ... --csv` has them."""
    rows: list[list[str]] = [[*_WHO, "Section Name", "Metric Name", "Metric Unit", "Metric Value"]]
    for n, f in enumerate(launches):
        out = metrics.values(f)
        for name in sorted(names):
            value, unit = scaled(out.get(name, 0.0), metrics.unit(name), base)
            rows.append([*_who(n, f), "Command line profiler metrics", name, unit, value])
    return _text(rows)


_STALLS = tuple(f"stall_{name}" for name in STATES)


def source(f: Facts) -> str:
    """The source page's view of machine code: a row an instruction, under ncu's column names as far as the model can
    fill them. Samples are warp-cycles, all of them."""
    columns = (
        "#", "Address", "Source", "File", "Line", "Live Registers", "Warp Stall Sampling (All Samples)",
        "Warp Stall Sampling (Not-issued Samples)", "Instructions Executed",
        "Predicated-On Thread Instructions Executed",
        "Avg. Predicated-On Threads Executed", "Address Space", "Access Operation", "Access Size",
        "L1 Wavefronts Shared", "L1 Wavefronts Shared Excessive", "L2 Theoretical Sectors Global",
    )  # fmt: skip
    live = live_registers(f)
    rows: list[list[str]] = [[*columns, *_STALLS]]
    for n, row in enumerate(f.instructions):
        space, kind, width = row.access
        shared = space == "shared"
        values = (
            row.samples,
            row.samples - row.counters.get("stall_selected", 0.0),
            row.executed,
            row.threads,
            row.threads / row.executed if row.executed else 0.0,
        )
        cells = [str(n), f"0x{row.offset:x}", row.text, row.file, str(row.line or ""), str(live.get(row.offset, ""))]
        cells += [number(round(value, 2)) for value in values]
        cells += [space, kind, str(8 * width) if space else ""]
        cells += [number(row.counters.get("wavefronts", 0.0)) if shared else ""]
        cells += [number(row.counters.get("bank_conflicts", 0.0)) if shared else ""]
        cells += [number(row.counters.get("sectors", 0.0)) if space in ("global", "generic") else ""]
        rows.append(cells + [number(row.counters.get(name, 0.0)) for name in _STALLS])
    return _text(rows)


def raw(launches: Sequence[Facts], base: bool, names: Sequence[str] = ()) -> str:
    """The raw page: a column a metric, a row of units, a row a launch."""
    found = [metrics.values(f) for f in launches]
    columns = sorted(names or {name for out in found for name in out})
    rows: list[list[str]] = [[*_WHO, *columns]]
    rows.append([""] * len(_WHO) + [scaled(0.0, metrics.unit(name), base)[1] for name in columns])
    for n, (f, out) in enumerate(zip(launches, found, strict=True)):
        rows.append([*_who(n, f), *(scaled(out.get(name, 0.0), "", True)[0] for name in columns)])
    return _text(rows)
