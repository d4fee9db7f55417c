"""When warps of ordinary kernels begin and how they take turns: the clocks that they note on an H200 (`phases`)."""

from __future__ import annotations

import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.gpu import programs
from tests.gpu.accuracy_page import DATA
from tests.gpu.micro.plan_phases import phase_programs


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("phases")
    (path / "micro_phases.cubin").write_bytes(lzma.decompress((DATA / "micro/phases.cubin.xz").read_bytes()))
    return path


def clocks(folder: Path, kind: str, shape: str) -> Any:
    """Of each SM and warp (one CTA an SM): the clock at its begin, its load, behind either loop and its store."""
    program = next(p for p in phase_programs() if p["name"] == f"phase {kind}")
    launches = [launch for launch in program["launches"] if launch["label"] == f"{kind} {shape}"]
    _, saved = programs.on_model(
        {**program, "launches": launches, "save": [f"o{shape}"]}, folder, hazards="off", memory=1 << 28
    )
    notes = saved[f"o{shape}"].reshape(132, -1, 8).astype(np.int64)
    return (notes[:, :, 2:7] - notes[:, :, 2].min(axis=1)[:, None, None]) & 0xFFFFFFFF


def test_first_constants_come_to_one_sub_core_after_the_other(folder: Path) -> None:
    """H200: warps 0 to 3 of a block read their clock behind a first constant 0, 38, 80 and 114 cycles after the first,
    those of the second four two cycles later."""
    begin = clocks(folder, "branch", "132x256")[:, :, 0].mean(axis=0)
    assert begin[4:] - begin[:4] == pytest.approx([2] * 4, abs=1)
    assert begin[:4] == pytest.approx([0, 38, 80, 114], abs=16)


def test_warps_of_a_cta_take_turns(folder: Path) -> None:
    """H200: of 32 warps that go through two equal loops the first takes each 3,472 cycles in the mean, the second 3,298
    (the compiler lets them yield a few times a turn)."""
    notes = clocks(folder, "ffma", "132x1024")
    first, second = (notes[:, :, 2] - notes[:, :, 1]).mean(), (notes[:, :, 3] - notes[:, :, 2]).mean()
    assert (first, second) == pytest.approx((3472, 3298), rel=0.03)
