"""LDC of many places by many warps, and which lines its cache keeps, against an H200 (2026-12-01): `micro/lists.py`."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.gpu import programs
from tests.gpu.accuracy_page import DATA
from tests.gpu.micro import lists


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Of the launches of one SM of some programs, what an H200 and what the model gave."""
    folder: Path = tmp_path_factory.mktemp("lists")
    (folder / "lists.cubin").write_bytes(lzma.decompress((DATA / "micro/lists.cubin.xz").read_bytes()))
    record = json.loads((DATA / "lists.json").read_text())["launches"]
    out = {}
    for program in lists.plan():
        if program["name"] in ("one 40", "one 48", "random 64", "fresh 8"):
            launches = [launch for launch in program["launches"] if launch["grid"] == [1]]
            program = {**program, "launches": launches}
            _, saved = programs.on_model(program, folder, hazards="off", memory=1 << 28)
            out |= {k: (record[k], row) for k, row in lists.took(program, saved["t"]).items()}
    return out


def test_the_cache_of_ldc_keeps_the_lines_that_trees_of_three_bits_lead_away_from(both) -> None:
    for name in ("one 40/1", "one 48/1"):
        chip, model = both[name]
        assert np.mean([a == b for a, b in zip(chip["missed"], model["missed"], strict=True)]) > 0.99, name


def test_ldc_of_many_places_takes_as_long(both) -> None:
    errors = {k: model["cycles"] / chip["cycles"] - 1 for k, (chip, model) in both.items()}
    assert len(errors) == 24
    # 358 % before misses of all warps took their turns, and what is on its way counted as there for nobody else.
    assert max(map(abs, errors.values())) < 0.5
    assert np.mean(np.abs(list(errors.values()))) < 0.13
