"""Stores to packed records and to one place, as an H200 counts and times them (`packed`)."""

from __future__ import annotations

import lzma
from pathlib import Path
from typing import Any

import pytest

from tests.gpu import programs
from tests.gpu.accuracy_page import DATA
from tests.gpu.compare import CYCLES
from tests.gpu.micro.plan_tools import i32, program

WRITTEN = "lts__t_sectors_srcunit_tex.sum"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("packed")
    (path / "micro_packed.cubin").write_bytes(lzma.decompress((DATA / "micro/packed.cubin.xz").read_bytes()))
    return path


def run(folder: Path, kernel: str, grid: int, *args: int) -> Any:
    launch = ("", kernel, grid, 256, ["p", *map(i32, args)])
    results, _ = programs.on_model(
        program("packed", "packed", {"p": {"bytes": 1 << 23}}, [launch]), folder, hazards="off", memory=1 << 28
    )
    return {CYCLES: results[0].cycles, **results[0].stats}


def test_bytes_behind_words_are_stores_of_their_own(folder: Path) -> None:
    """H200: 132 blocks that store records of three words send 22,152 sectors, with four bytes behind them 86,716 (here
    54,000, as long as warps begin as apart from one another as their code comes)."""
    sent = []
    for count in (0, 4):
        launch = ("", "points", 132, 256, ["p", "p", i32(count), i32(0)])
        results, _ = programs.on_model(
            program("points", "packed", {"p": {"bytes": 1 << 23}}, [launch]),
            folder, hazards="off", memory=1 << 28,
        )  # fmt: skip
        sent.append(results[0].stats[WRITTEN])
    assert sent[0] == pytest.approx(22152, rel=0.1)
    assert 2 * sent[0] < sent[1] < 1.1 * 86716


def test_one_byte_takes_its_slice_longer_than_one_word(folder: Path) -> None:
    """H200: threads that all store to one place are taken every 2.2 cycles if it is a word, every 5 or 6 if a byte."""
    word, byte = (run(folder, f"packed_{width}", 528, 0, 1, 1, 8, 0, 32) for width in (4, 1))
    each = [(row[CYCLES] - 4000) / row[WRITTEN] for row in (word, byte)]
    assert each == pytest.approx([2.2, 5.2], rel=0.2)


def test_lines_stored_piece_by_piece_are_held_and_what_joins_them_takes_its_banks_alone(tmp_path: Path) -> None:
    """H200: 512 stores of mixed words of 16 lines send each of the 64 sectors once, 2.6 cycles each (here half of them
    twice). While lines left as soon as they had been stored to in full, and stores took a cycle a line: 1,914 sectors,
    11,100 cycles."""
    (tmp_path / "micro_contended.cubin").write_bytes(lzma.decompress((DATA / "micro/contended.cubin.xz").read_bytes()))
    launch = ("", "store_few", 1, 256, ["q", i32(512), i32(64)])
    results, _ = programs.on_model(
        program("few", "contended", {"q": {"bytes": 1 << 20}}, [launch]), tmp_path, hazards="off", memory=1 << 28
    )
    assert 64 <= results[0].stats[WRITTEN] <= 96
    assert results[0].cycles == pytest.approx(5652, rel=0.05)
