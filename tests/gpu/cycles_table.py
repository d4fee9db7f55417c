"""Ours beside nvcc's in cycles: `python -m tests.gpu.cycles_table OUT...`, each OUT a run of `record_cycles`.

Prints, for each kernel that both variants have, the median over the runs of `gpc__cycles_elapsed.max` (summed over the
script's launches), the ratio, and the geometric mean.
"""

from __future__ import annotations

import csv
import statistics
import sys
from collections import Counter
from pathlib import Path

METRIC = "gpc__cycles_elapsed.max"


def cycles(path: Path) -> Counter[str]:
    """Cycles of each kernel file in one ncu_<variant>.csv."""
    found: Counter[str] = Counter()
    with path.open(newline="") as file:
        for name, *row in csv.reader(file):
            if row[-3] == METRIC:
                found[name] += int(row[-1].replace(",", ""))
    return found


def main() -> None:
    runs = [[cycles(Path(out, f"ncu_{variant}.csv")) for out in sys.argv[1:]] for variant in ("ours", "nvcc")]
    ratios = []
    print(f"{'kernel':20} {'ours':>9} {'nvcc':>9}  ratio")
    for name in sorted(runs[0][0].keys() & runs[1][0].keys()):
        ours, nvcc = (statistics.median(run[name] for run in variant) for variant in runs)
        ratios.append(ours / nvcc)
        print(f"{name:20} {ours:9.0f} {nvcc:9.0f}  {ratios[-1]:.3f}")
    print(f"geometric mean of {len(ratios)}: {statistics.geometric_mean(ratios):.3f}, largest {max(ratios):.3f}")


if __name__ == "__main__":
    main()
