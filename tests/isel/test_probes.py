"""Every pattern on every architecture that NVIDIA's ptxas knows: its PTX is valid there."""

from __future__ import annotations

import os
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from minicc import arch, ptx
from minicc.isel.cover.database import all_rows, database, root
from minicc.isel.patterns import Row
from minicc.isel.patterns.axes import AXES
from minicc.ptx import model
from tests.conftest import PTXAS, needs_ptxas
from tests.isel.synthesise import VARIABLES, build, plain

USUAL = ("sm_75", "sm_90a", "sm_100a", "sm_120a")
TARGETS = (
    *USUAL,
    "sm_80",
    "sm_86",
    "sm_87",
    "sm_89",
    "sm_90",
    "sm_100",
    "sm_103",
    "sm_103a",
    "sm_110",
    "sm_110a",
    "sm_120",
)
TARGETS += ("sm_121", "sm_121a")
ALONE = ("br.", "brcond.", "brtable.", "ret.", "callreg.")
"""Roots that need blocks around them; `test_control.py` and `test_select.py` have those."""


@cache
def has(target: str) -> frozenset[Row]:
    """The patterns that a target has."""
    described = arch.get(target)
    base = database(described.sm, described.feature)
    return frozenset(row for row in all_rows() if base.has(row))


def around(target: str) -> list[str]:
    """The usual targets before and behind one: what ptxas takes for both it takes between them."""
    if target in USUAL:
        return []
    sm = arch.get(target).sm
    before = [u for u in USUAL if arch.get(u).sm <= sm]
    behind = [u for u in USUAL if arch.get(u).sm > sm or (arch.get(u).sm == sm and u > target)]
    return [before[-1], behind[0]] if before and behind else []


def probes(target: str) -> tuple[model.Module, dict[str, Row]]:
    """A module with a function for each pattern that the target has and not both around it, and the pattern of each
    function's name."""
    described = arch.get(target)
    base = database(described.sm, described.feature)
    module = model.Module(described.ptx_version, target)
    module.variables = list(VARIABLES)
    module.order = [*VARIABLES, model.Function("callee", False, linkage="extern")]
    rows: dict[str, Row] = {}
    left = has(target)
    if both := around(target):
        left -= has(both[0]) & has(both[1])
    for number, row in enumerate(all_rows()):
        op = plain(root(row.tree))
        if row not in left or op.startswith(ALONE):
            continue
        pattern = next(p for p in base.lookup(op) if p.row is row)
        made = build(pattern, op, base, described, number)
        assert made is not None, row.tree
        rows[made.function.name] = row
        module.functions.append(made.function)
        module.order.append(made.function)
    return module, rows


@needs_ptxas
@pytest.mark.parametrize("target", TARGETS)
def test_ptxas_accepts_every_pattern(target: str, tmp_path: Path) -> None:
    """One probe a pattern, one run of ptxas."""
    module, rows = probes(target)
    text = ptx.format(module)
    path = tmp_path / "probes.ptx"
    path.write_text(text)
    command = [PTXAS, f"-arch={target}", "-O0", "-c", str(path), "-o", os.devnull]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = text.split("\n")
    wrong = set()
    for number in re.findall(r"line (\d+); error", done.stdout + done.stderr):
        header = next(x for x in reversed(lines[: int(number)]) if ".func" in x)
        name = re.search(r" (f\d+)\(", header)
        wrong.add(f"{rows[name[1]].tree if name else header}: {lines[int(number) - 1].strip()}")
    assert not wrong and done.returncode == 0, "\n".join(sorted(wrong)) or done.stderr


def test_every_pattern_is_probed_somewhere() -> None:
    """The usual targets together have all patterns but those that need blocks."""
    seen = {row.tree for target in USUAL for row in probes(target)[1].values()}
    missing = {row.tree for row in all_rows()} - seen
    assert {plain(root(tree)).partition(".")[0] + "." for tree in missing} <= set(ALONE)
    assert len(missing) == 5


def texts(op: str) -> list[str]:
    """An operation with each text of its axes."""
    axis = re.search(r"\{(\w+)\}", op)
    if axis is None:
        return [op]
    return [found for text in AXES[axis[1]] for found in texts(op.replace(axis[0], text))]
