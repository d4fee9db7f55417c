"""The worked example: merge-path SpMV on matrices of known shapes, and the tables that are made of it."""

from __future__ import annotations

import re

import pytest

from minicc import cli
from tests.conftest import SAMPLES

LAB = str(SAMPLES / "labs" / "spmv_shapes.k")
SMALL = ("--set", "rows_cant=1500", "--set", "rows_ldoor=1500", "--set", "rows_cage15=3000")


@pytest.fixture(scope="module")
def text() -> str:
    import contextlib
    import io

    sections = "CpiStack,StallSources,InstructionMix,Floor,LittlesLaw,DecoupledAccessExecute"
    buffer = io.StringIO()
    with contextlib.redirect_stdout(buffer):
        assert cli.main(["prof", LAB, *SMALL, "--section", sections, "--peak-bandwidth", "4800"]) == 0
    return buffer.getvalue()


def test_every_table_is_there(text):
    for title in (
        "CPI stack", "Where the cycles come from", "Instruction mix", "Gap to the floor", "Little's law", "Decoupled",
    ):  # fmt: skip
        assert title in text


def test_the_stack_has_a_column_a_matrix_and_adds_up(text):
    table = text[text.index("CPI stack: ") :].split("\n\n")[0].splitlines()
    rows = {line.split()[0]: [float(v) for v in line.split()[1:5]] for line in table[4:]}
    total = rows.pop("total")
    assert rows["selected"] == [1.0] * 4
    for column in range(4):
        assert sum(row[column] for row in rows.values()) == pytest.approx(total[column], abs=0.08)
    assert max(rows, key=lambda name: rows[name][3]) == "long_scoreboard"


def test_the_column_index_comes_before_the_element(text):
    chain = re.search(r"dependent loads: 0x\w+ (\S+) .* -> 0x\w+ (\S+)", text)
    assert chain is not None
    assert chain[1] == "LDG.E.64" and chain[2] == "LDG.E"


def test_global_loads_are_to_blame(text):
    shares = {
        line.split("  ")[1].strip(): float(line.split()[-2])
        for line in text[text.index("Where the cycles come from") :].splitlines()[4:13]
        if line.rstrip().endswith("%")
    }
    assert max(shares, key=shares.__getitem__) == "global load"


def test_the_floor_is_below(text):
    rows = [line.split() for line in text.splitlines() if re.match(r"  spmv \(\d+\)x\(32\)  ", line)]
    assert len(rows) == 3
    for row in rows:
        floor, actual = float(row[4]), float(row[5])
        assert 0 < floor < actual
        assert float(row[6].rstrip("x")) == pytest.approx(actual / floor, rel=0.05)
