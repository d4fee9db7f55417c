"""How far the model's cycles are off a GPU's, for any folder of plans.

    python -m tests.gpu.errors FOLDER            FOLDER/SET_*.json: plans, images beside them; writes FOLDER/model.json
    ncu --csv --page raw ... python -m tests.gpu.programs FOLDER/SET_1.json OUT --rounds N > OUT/ncu_SET_1.csv, ...
    python -m tests.gpu.errors FOLDER OUT N [RECORD.json]     a table of each SET; RECORD: what both say, by label

The model's figures are made first, so that they can be frozen before the GPU is asked. A launch counts with the median
of its rounds; left out is one that the model refuses, that was not measured, or whose executed instructions differ by
more than 3 % (a race decides its path).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import fmean, median
from typing import Any

from tests.gpu import programs
from tests.gpu.compare import CYCLES, Row, labels, read_ncu, record_text

EXECUTED = "smsp__inst_executed.sum"
LIMIT = 4_000_000
"""Cycles after which a launch is given up: none of a draw is meant to take so long."""


def on_model(job: tuple[dict[str, Any], Path]) -> dict[str, Row | str]:
    """Metrics of a program's launches on the model, or why there are none."""
    program, folder = job
    names = labels([program])
    try:
        results, _ = programs.on_model(program, folder, hazards="off", memory=1 << 29, cycle_limit=LIMIT)
    except Exception as error:
        return dict.fromkeys(names, f"{type(error).__name__}: {str(error)[:200]}")
    return {k: {CYCLES: r.cycles, **r.stats} for k, r in zip(names, results, strict=True)}


def sets(folder: Path) -> dict[str, list[Path]]:
    """The plans of each set, in order."""
    out: dict[str, list[Path]] = {}
    for path in sorted(folder.glob("*_*.json")):
        out.setdefault(path.stem.rpartition("_")[0], []).append(path)
    return out


def medians(plan: list[dict[str, Any]], rows: list[Row], rounds: int) -> dict[str, Row]:
    """The median of each launch's rounds; a program is left out whose end ncu did not come to."""
    out: dict[str, Row] = {}
    for program in plan:
        names = labels([program])
        mine, rows = rows[: rounds * len(names)], rows[rounds * len(names) :]
        if len(mine) == rounds * len(names):
            for k, name in enumerate(names):
                each = mine[k :: len(names)]
                out[name] = {metric: median(row[metric] for row in each) for metric in each[0]}
    return out


def table(model: dict[str, Row | str], gpu: dict[str, Row]) -> tuple[dict[str, tuple[float, float]], dict[str, str]]:
    """(cycles of the GPU and of the model, by label; why others are left out)."""
    kept: dict[str, tuple[float, float]] = {}
    out: dict[str, str] = {}
    for label, row in model.items():
        if isinstance(row, str):
            out[label] = row
        elif label not in gpu:
            out[label] = "not measured"
        elif abs(row[EXECUTED] / gpu[label][EXECUTED] - 1) >= 0.03:
            out[label] = f"{row[EXECUTED]:.0f} instructions here, {gpu[label][EXECUTED]:.0f} there"
        else:
            kept[label] = gpu[label][CYCLES], row[CYCLES]
    return kept, out


def summary(pairs: Iterable[tuple[float, float]]) -> str:
    """Mean, median and ninth decile of the errors' size, and their mean, in percent."""
    signed = [100 * (m / h - 1) for h, m in pairs]
    size = sorted(map(abs, signed))
    return (
        f"{len(size)} launches: {fmean(size):.1f} % off (median {median(size):.1f}, 90 % below "
        f"{size[int(0.9 * len(size))]:.1f}), mean error {fmean(signed):+.1f} %"
    )


def freeze(folder: Path) -> None:
    """Make the model's figures of all sets."""
    figures: dict[str, dict[str, Row | str]] = {}
    with ProcessPoolExecutor() as pool:
        for name, paths in sets(folder).items():
            jobs = [(p, folder) for path in paths for p in programs.plan(path)]
            figures[name] = {k: row for each in pool.map(on_model, jobs) for k, row in each.items()}
    (folder / "model.json").write_text(json.dumps(figures))


def shown(name: str, model: dict[str, Any], gpu: dict[str, Row]) -> dict[str, Any]:
    """Print the errors of a set, the largest first; what is recorded of it."""
    pairs, out = table(model, gpu)
    print(f"{name}: {summary(pairs.values())}")
    for label, (h, m) in sorted(pairs.items(), key=lambda pair: -abs(pair[1][1] / pair[1][0] - 1)):
        print(f"{100 * (m / h - 1):+7.1f} %  {h:9.0f} {m:9.0f}  {label}")
    for label, why in out.items():
        print(f"left out: {label}: {why}")
    rows: dict[str, Any] = {}
    for label in pairs:
        there, here = ({k: row[label][k] for k in (CYCLES, EXECUTED)} for row in (gpu, model))
        rows[label] = {"h200": there, "first": here, "model": here}
    return rows


def count(folder: Path, measured: Path, rounds: int, record: Path | None = None) -> None:
    """Print the table of each set, and record what it is made of."""
    both: dict[str, Any] = {}
    for name, model in json.loads((folder / "model.json").read_text()).items():
        gpu: dict[str, Row] = {}
        for path in sets(folder)[name]:
            if (csv := measured / f"ncu_{path.stem}.csv").exists():
                gpu |= medians(programs.plan(path), read_ncu(csv), rounds)
        both[name] = shown(name, model, gpu)
    if record is not None:
        record.write_text(record_text(both))


if __name__ == "__main__":
    match sys.argv[1:]:
        case [folder]:
            freeze(Path(folder))
        case [folder, measured, rounds, *record] if len(record) < 2:
            count(Path(folder), Path(measured), int(rounds), *map(Path, record))
        case _:
            sys.exit(__doc__)
