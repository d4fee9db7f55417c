"""Profiles in the CSV layouts of Nsight Compute: the details page, chosen metrics, and the raw page.

Columns are ncu 2025's. Numbers are written as ncu writes them (thousands separated, quoted)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from runtime.profile import metrics
from runtime.profile.facts import Facts
from runtime.profile.rules import findings
from runtime.profile.sections import Section
from runtime.profile.units import scaled

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


def raw(launches: Sequence[Facts], base: bool, names: Sequence[str] = ()) -> str:
    """The raw page: a column a metric, a row of units, a row a launch."""
    found = [metrics.values(f) for f in launches]
    columns = sorted(names or {name for out in found for name in out})
    rows: list[list[str]] = [[*_WHO, *columns]]
    rows.append([""] * len(_WHO) + [scaled(0.0, metrics.unit(name), base)[1] for name in columns])
    for n, (f, out) in enumerate(zip(launches, found, strict=True)):
        rows.append([*_who(n, f), *(scaled(out.get(name, 0.0), "", True)[0] for name in columns)])
    return _text(rows)
