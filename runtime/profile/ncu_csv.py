"""Profiles in the CSV layouts of Nsight Compute: details, chosen metrics, raw and source pages.

Columns are ncu 2025's. Numbers are written as ncu writes them (thousands separated, quoted)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from runtime.profile import metrics
from runtime.profile.facts import Facts, Hot
from runtime.profile.rules import findings
from runtime.profile.sections import Section
from runtime.profile.source import live_registers
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
        out = metrics.values(f, names)
        for name in sorted(names):
            value, unit = scaled(out.get(name, 0.0), metrics.unit(name), base)
            rows.append([*_who(n, f), "Command line profiler metrics", name, unit, value])
    return _text(rows)


_STALLS = {
    "barrier": "barrier", "branch_resolving": "branch_resolving", "dispatch_stall": "dispatch", "drain": "drain",
    "gmma": "gmma", "imc_miss": "imc", "lg_throttle": "lg", "long_scoreboard": "long_sb",
    "math_pipe_throttle": "math", "membar": "membar", "mio_throttle": "mio", "misc": "misc",
    "no_instruction": "no_inst", "not_selected": "not_selected", "selected": "selected",
    "short_scoreboard": "short_sb", "sleeping": "sleep", "tex_throttle": "tex", "wait": "wait",
}  # fmt: skip
"""What the source page calls the warp states, in its order."""
_OPERATIONS = {"load": "Load", "matrix_load": "Load", "copy": "Load", "store": "Store", "matrix_store": "Store",
               "atom": "Atomic", "red": "Reduction"}  # fmt: skip
_OWN = ("File", "Line", "Live Registers")
"""Columns behind ncu's."""


def _memory(row: Hot) -> dict[str, object]:
    """ncu's columns of what an instruction did to memory."""
    space, kind, width = row.access
    counter = row.counters.get
    shared, apart = space == "shared", space in ("global", "generic")
    waves, conflicts = (counter(name, 0.0) if shared else 0.0 for name in ("wavefronts", "bank_conflicts"))
    sectors, ideal = (counter(name, 0.0) if apart else 0.0 for name in ("sectors", "sectors_ideal"))
    if space == "constant":
        space = kind = ""
    return {
        "Address Space": space.capitalize() if space else "-",
        "Access Operation": _OPERATIONS.get(kind, "-"),
        "Access Size": 8 * width if space else "-",
        "L1 Tag Requests Global": counter("lines", 0.0) if apart else 0,
        "L1 Conflicts Shared N-Way": waves // row.executed if row.executed else 0,
        "L1 Wavefronts Shared Excessive": conflicts,
        "L1 Wavefronts Shared": waves,
        "L1 Wavefronts Shared Ideal": waves - conflicts,
        "L2 Theoretical Sectors Global Excessive": sectors - ideal,
        "L2 Theoretical Sectors Global": sectors,
        "L2 Theoretical Sectors Global Ideal": ideal,
    }


def source(f: Facts) -> str:
    """The source page's view of machine code: the kernel, then a row an instruction, under the columns that ncu has, as
    far as the model can fill them, and a few more behind. Samples are warp-cycles, all of them; addresses are from the
    kernel's first instruction."""
    live = live_registers(f)
    rows: list[dict[str, object]] = []
    for row in f.instructions:
        active = row.counters.get("thread_inst_executed", 0.0)
        each = (active / row.executed, row.threads / row.executed) if row.executed else (0.0, 0.0)
        cells: dict[str, object] = {
            "Address": f"0x{row.offset:x}",
            "Source": row.text,
            "Warp Stall Sampling (All Samples)": row.samples,
            "Warp Stall Sampling (Not-issued Samples)": row.samples - row.counters.get("stall_selected", 0.0),
            "# Samples": row.samples,
            "Instructions Executed": row.executed,
            "Thread Instructions Executed": active,
            "Predicated-On Thread Instructions Executed": row.threads,
            "Avg. Threads Executed": each[0],
            "Avg. Predicated-On Threads Executed": each[1],
            "Avg. Predicated-On Threads Unexecuted": 32 - each[1],
            "Divergent Branches": row.counters.get("divergent_branches", 0.0),
            **_memory(row),
            **{f"stall_{short}": row.counters.get(f"stall_{name}", 0.0) for name, short in _STALLS.items()},
            **dict(zip(_OWN, (row.file, row.line or "", live.get(row.offset, "")), strict=True)),
        }
        rows.append(cells)
    # Whole numbers, cut off, without the separators of other pages.
    body = [[v if isinstance(v, str) else str(int(float(str(v)))) for v in row.values()] for row in rows]
    return _text([["Kernel Name", f.demangled], list(rows[0]) if rows else [], *body])


def raw(launches: Sequence[Facts], base: bool, names: Sequence[str] = ()) -> str:
    """The raw page: a column a metric, a row of units, a row a launch."""
    found = [metrics.values(f, names) for f in launches]
    columns = sorted(names or {name for out in found for name in out})
    rows: list[list[str]] = [[*_WHO, *columns]]
    rows.append([""] * len(_WHO) + [scaled(0.0, metrics.unit(name), base)[1] for name in columns])
    for n, (f, out) in enumerate(zip(launches, found, strict=True)):
        rows.append([*_who(n, f), *(scaled(out.get(name, 0.0), "", True)[0] for name in columns)])
    return _text(rows)
