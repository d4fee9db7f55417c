"""Which patterns ordinary source reaches: `python -m tests.isel.reached [-j JOBS] [--missing] [FILE...]`.

Each file is compiled for several architectures; counted are the rows that won somewhere, by category. Without files:
the samples, the kernels of tests/end_to_end and tests/bench, and tests/frontend/constructs.
"""

from __future__ import annotations

import argparse
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import minicc
from minicc import arch, isel, nvvm
from minicc.isel.cover.explain import Explanation
from minicc.isel.patterns import CATEGORIES, Row, rows_of
from tests.isel.peers import FOLDERS, ROOT

ARCHS = ("sm_60", "sm_75", "sm_90a", "sm_100a")


class Winners(Explanation):
    """Keeps the rows that won, nothing else."""

    def __init__(self) -> None:
        self.rows: set[Row] = set()

    def add(self, function: str, body: Any, explained: Any, database: Any, first: bool = False) -> None:
        for _, node, _ in explained:
            if isinstance(node, str):
                if node:
                    self.rows.add(database.simple(node).row)
            elif node.tile is not None:
                self.rows.add(node.tile.pattern.row)


def winners(path: Path, name: str) -> set[Row]:
    """Rows that some instruction of a file is made from on an architecture; none if it is not compiled for it."""
    found = Winners()
    try:
        text = minicc.compile(path, arch=name, options=f"-ptx -w -I{path.parent}").opt_ll
        isel.select(nvvm.read(text), arch.get(name), isel.Options(), found)
    except minicc.CompileError:
        return set()
    return found.rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--missing", action="store_true", help="print the rows that none reaches")
    options = parser.parse_args()
    folders = (*FOLDERS, ROOT / "tests" / "frontend" / "constructs")
    files = options.files or [
        path for folder in folders for path in sorted(folder.glob("*")) if path.suffix in (".k", ".cu")
    ]
    work = [(path, name) for name in ARCHS for path in files]
    with ProcessPoolExecutor(options.jobs) as pool:
        reached = set().union(*pool.map(winners, *zip(*work, strict=True), chunksize=4))
    rows = {category: rows_of(category) for category in CATEGORIES}
    counts = Counter({category: sum(row in reached for row in rows[category]) for category in rows})
    print(f"{counts.total()} of {sum(map(len, rows.values()))} rows, {len(files)} files, {', '.join(ARCHS)}")
    for category in rows:
        print(f"  {category}: {counts[category]} of {len(rows[category])}")
        if options.missing:
            missing = [row for row in rows[category] if row not in reached]
            print("".join(f"    {row.tree} -> {row.template}\n" for row in missing), end="")


if __name__ == "__main__":
    main()
