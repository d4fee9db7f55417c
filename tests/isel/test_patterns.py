"""Every row of the pattern database: matches its own tree, is valid PTX to NVIDIA's ptxas, and is worth having."""

from __future__ import annotations

import collections
import os
import re
import subprocess
from pathlib import Path

import pytest

from minicc import arch, ptx
from minicc.isel.cover.database import Database, all_rows, database, heads, root, signature, signatures
from minicc.isel.patterns import CATEGORIES, rows_of
from minicc.ptx import model
from tests.conftest import PTXAS, needs_ptxas
from tests.isel.synthesise import VARIABLES, build, plain


@pytest.fixture(scope="module", params=[False, True], ids=["denormals", "ftz"])
def synthesised(request: pytest.FixtureRequest) -> tuple[model.Module, dict[int, str], list[str]]:
    """(module with a function per row, function number -> row, rows that lose even on their own tree)."""
    base = database(90, "a")
    module = model.Module((8, 8), "sm_90a")
    module.variables = list(VARIABLES)
    module.order = [*VARIABLES, model.Function("callee", False, linkage="extern")]
    names: dict[int, str] = {}
    losers: list[str] = []
    for row in all_rows():
        if not base.has(row):
            continue
        op = plain(root(row.tree))
        pattern = next((p for p in base.lookup(op) if p.row is row), None)
        assert pattern is not None, f"not found through the tables: {row.tree}"
        made = build(pattern, op, base, arch.get("sm_90a"), len(names), request.param)
        if made is None:
            continue
        if not made.wins:
            losers.append(row.tree)
        names[len(names)] = row.tree
        module.functions.append(made.function)
        module.order.append(made.function)
    return module, names, losers


@needs_ptxas
def test_ptxas_accepts_every_row(synthesised: tuple[model.Module, dict[int, str], list[str]], tmp_path: Path) -> None:
    """One function a row, one run of ptxas."""
    module, names, _ = synthesised
    text = ptx.format(module)
    path = tmp_path / "rows.ptx"
    path.write_text(text)
    done = subprocess.run([PTXAS, "-arch=sm_90a", "-c", str(path), "-o", os.devnull], capture_output=True, text=True)
    lines = text.split("\n")
    wrong = set()
    for number in re.findall(r"line (\d+); error", done.stdout + done.stderr):
        header = next(x for x in reversed(lines[: int(number)]) if ".func" in x)
        found = re.search(r" f(\d+)\(", header)
        wrong.add(f"{names[int(found[1])] if found else header}: {lines[int(number) - 1].strip()}")
    assert done.returncode == 0 and not wrong, "\n".join(sorted(wrong)) or done.stderr


def test_rows_win_on_their_own_tree(synthesised: tuple[model.Module, dict[int, str], list[str]]) -> None:
    """All do, but those that only older machines are better off with (`test_probes.py` looks at those)."""
    _, names, losers = synthesised
    cost_class = {row.tree: row.cost for row in all_rows()}
    assert all(cost_class[tree] == "madwide" for tree in losers), losers
    assert len(names) > 750


def test_no_row_twice() -> None:
    """A tree names one row; constants and classes make different trees."""
    seen = collections.Counter(row.tree for category in CATEGORIES for row in rows_of(category))
    assert not [tree for tree, count in seen.items() if count > 1]


def test_signatures_are_distinct() -> None:
    """Different operations never share a 64-bit signature."""
    found: dict[int, str] = {}
    for category in CATEGORIES:
        for row in rows_of(category):
            for head in heads(root(row.tree)):
                key = signature(head)
                assert key is not None
                assert found.setdefault(key, head) == head


def test_probe_lengths() -> None:
    """The hash ignores four bits; the signature layout keeps lookups short all the same."""
    base = Database(90, everything=True)
    lengths = [base.primary.probes(key) for row in all_rows() for key in signatures(root(row.tree))]
    assert sum(lengths) / len(lengths) < 8
    assert max(lengths) < 64


def test_minimum_sm_filters() -> None:
    """lop3 exists from sm_50 on, bf16 arithmetic from sm_90."""
    old = Database(35)
    assert not any("lop3" in p.row.template for p in old.lookup("and.i32"))
    assert old.lookup("add.i32")
    assert not Database(80).lookup("fadd.bf16")
    assert database(90).lookup("fadd.bf16")


def test_unknown_operation() -> None:
    assert database(90).lookup("nonsense.i32") == []
