"""Every pattern is the least-cost winner for some LLVM IR, and without it that IR becomes other PTX, or none.

The IR is made from the pattern's own tree (`written.py`) and is what LLVM accepts. It goes the whole way: read, lowered
(where constants fold and numbers are known), covered, emitted.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from minicc import arch, isel, nvvm, ptx
from minicc.diagnostics import CompileError
from minicc.isel.cover import database as tables
from minicc.isel.cover.database import Database, all_rows, database, root
from minicc.isel.patterns import Row
from tests.isel.reached import Winners
from tests.isel.synthesise import plain
from tests.isel.test_probes import PTXAS, texts
from tests.isel.written import SOURCES, WITHIN, accepted, function

TARGETS = ("sm_90a", "sm_100a", "sm_120a", "sm_75", "sm_35")
WAYS = ((), ("immediate",), ("device",), ("wide",), ("immediate", "wide"), ("barrier",))
PLAIN = isel.Options()
UNOPTIMISED = isel.Options(opt_level=0)
PARTS = 4
Source = tuple[str, str, isel.Options]
"""(IR, target, options)"""


def sources(row: Row) -> Iterator[Source]:
    """IR of a pattern's tree, with each text of its axes, until one is what the caller wants."""
    trees = [row]
    if name := WITHIN.get(plain(root(row.tree))):
        trees = [other for other in all_rows() if plain(root(other.tree)) == name]
    for options in (PLAIN, UNOPTIMISED):
        for target in map(arch.get, TARGETS):
            base = database(target.sm, target.feature)
            for tree in filter(base.has, trees):
                for op in texts(root(tree.tree)):
                    pattern = next((p for p in base.lookup(op) if p.row is tree), None)
                    for way in WAYS if pattern is not None else ():
                        text = function(pattern.tree, pattern.template, row.flags, way)
                        if text is not None:
                            yield text, target.name, options
    yield from ((text, "sm_90a", PLAIN) for text in SOURCES)


def select(source: Source, winners: Winners | None = None) -> str:
    """PTX that the IR becomes; "" where LLVM or selection refuse it."""
    text = accepted(source[0])
    try:
        return ptx.format(isel.select(nvvm.read(text), arch.get(source[1]), source[2], winners)) if text else ""
    except CompileError:
        return ""


def without(row: Row, source: Source, monkeypatch: pytest.MonkeyPatch) -> str:
    """PTX that the IR becomes when a pattern is taken out of the database; "" if it becomes none."""
    target = arch.get(source[1])
    lacking = Database(target.sm, target.feature, without=row)
    with monkeypatch.context() as patch:
        patch.setattr(tables, "database", lambda sm, feature="": lacking)
        try:
            return select(source)
        except (IndexError, StopIteration):  # a move or a branch that nothing else makes
            return ""


def witness(row: Row, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str] | None:
    """Target and PTX of IR for which the pattern wins, and which becomes something else without it."""
    for source in sources(row):
        winners = Winners()
        text = select(source, winners)
        if row in winners.rows and text != without(row, source, monkeypatch):
            return source[1], text
    return None


@pytest.mark.parametrize("part", range(PARTS))
def test_every_pattern_wins(part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All 850, and NVIDIA's ptxas takes what was selected."""
    found = {row: witness(row, monkeypatch) for row in all_rows()[part::PARTS]}
    assert not [row.tree for row, seen in found.items() if seen is None]
    bodies: dict[str, list[str]] = {}
    for number, (target, text) in enumerate(filter(None, found.values())):
        header, _, body = text.partition(".address_size 64\n")
        own = re.sub(r"\b(k|callee|variable|window)(?=\b|_param)", rf"\g<1>_{number}", body)
        bodies.setdefault(target, [f"{header}.address_size 64\n"]).append(own)
    bodies.pop("sm_35", None)  # older than NVIDIA's ptxas of today
    for target, parts in bodies.items() if PTXAS else ():
        path = tmp_path / f"{target}.ptx"
        path.write_text("".join(parts))
        done = subprocess.run(
            [PTXAS, f"-arch={target}", "-O0", "-c", path, "-o", os.devnull], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
