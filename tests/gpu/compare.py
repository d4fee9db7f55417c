"""The SM model beside an H200, launch by launch.

    python -m tests.gpu.compare model PLAN.json OUT.json [--only GLOB]     run a plan on the model
    python -m tests.gpu.compare table PLAN.json NCU.csv OUT.json           errors of cycles and traffic
    python -m tests.gpu.compare pack NCU.csv LABELS.json OUT.json          keep what ncu measured, by label

NCU.csv is ncu's `--csv --page raw --print-units base` of `tests.gpu.programs PLAN`.
"""

from __future__ import annotations

import csv
import json
import sys
import time
from pathlib import Path
from typing import Any

from tests.gpu import programs

CYCLES = "gpc__cycles_elapsed.max"
ACTIVE = "sm__cycles_active.avg"
Row = dict[str, float]


def read_ncu(path: Path) -> list[Row]:
    """Metrics of each launch, in order."""
    lines = [line for line in path.read_text().splitlines() if line.startswith('"')]
    table = list(csv.reader(lines))
    out: list[Row] = []
    for record in table[2:]:
        row: Row = {}
        for name, text in zip(table[0], record, strict=False):
            if "__" in name:
                try:
                    row[name] = float(text.replace(",", ""))
                except ValueError:
                    continue
        out.append(row)
    return out


def record_text(record: dict[str, Any]) -> str:
    """What is kept of launches as JSON, a launch a line."""

    def table(items: Any, depth: int) -> str:
        if not depth or not isinstance(items, dict):
            return json.dumps(items)
        return "{\n" + ",\n".join(f"{json.dumps(k)}: {table(v, depth - 1)}" for k, v in items.items()) + "\n}"

    return table(record, 2) + "\n"


def labels(plan: list[dict[str, Any]]) -> list[str]:
    """One name a launch."""
    return [f"{p['name']}/{launch['label']}" for p in plan for launch in programs.launches(p)]


def run_model(path: Path, only: str = "*", clocks: bool = True) -> dict[str, Any]:
    """{"launches": {label: metrics}, "saved": {program/buffer: [numbers]}} of a plan on the model."""
    out: dict[str, Any] = {"launches": {}, "saved": {}}
    for program in programs.plan(path, only):
        start = time.process_time()
        results, saved = programs.on_model(program, path.parent, hazards="off", memory=2 << 30)
        for launch, result in zip(programs.launches(program), results, strict=True):
            out["launches"][f"{program['name']}/{launch['label']}"] = {CYCLES: result.cycles} | dict(result.stats)
        if clocks:
            for name, array in saved.items():
                out["saved"][f"{program['name']}/{name}"] = array.tolist()
        print(f"{program['name']:40} {time.process_time() - start:6.2f} s", file=sys.stderr)
    return out


SHORT = {
    "inst": "smsp__inst_executed.sum",
    "L1ld": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "hit": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "L1st": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "L2rd": "lts__t_sectors_op_read.sum",
    "L2wr": "lts__t_sectors_op_write.sum",
    "dram": "dram__bytes_read.sum",
}


def main() -> None:
    command, first = sys.argv[1], Path(sys.argv[2])
    if command == "model":
        only = sys.argv[5] if len(sys.argv) > 5 else "*"
        Path(sys.argv[3]).write_text(json.dumps(run_model(first, only)))
        return
    if command == "pack":
        names = json.loads(Path(sys.argv[3]).read_text())
        Path(sys.argv[4]).write_text(json.dumps(dict(zip(names, read_ncu(first), strict=True)), indent=0))
        return
    names = labels(programs.plan(first))
    measured = dict(zip(names, read_ncu(Path(sys.argv[3])), strict=False))
    model = json.loads(Path(sys.argv[4]).read_text())["launches"]
    errors = []
    print(f"{'launch':58} {'H200':>9} {'model':>9} {'err':>6}  {'active':>8} {'model':>8}  ratios " + " ".join(SHORT))
    for name in names:
        if name not in model or name not in measured:
            continue
        m, h = model[name], measured[name]
        error = m[CYCLES] / h[CYCLES] - 1
        errors.append(abs(error))
        ratios = " ".join(f"{m.get(k, 0) / h[k]:5.2f}" if h.get(k) else "    -" for k in SHORT.values())
        print(
            f"{name[:58]:58} {h[CYCLES]:9.0f} {m[CYCLES]:9.0f} {100 * error:+5.1f}%  "
            f"{h[ACTIVE]:8.0f} {m.get(ACTIVE, 0):8.0f}  {ratios}"
        )
    if errors:
        mean = 100 * sum(errors) / len(errors)
        print(f"mean absolute error {mean:.1f}% of {len(errors)}, worst {100 * max(errors):.0f}%")


if __name__ == "__main__":
    main()
