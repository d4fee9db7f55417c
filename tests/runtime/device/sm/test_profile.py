"""The reports say what the outcome holds."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import runtime
from runtime import profile
from tests.conftest import nvcc_makes


@pytest.fixture(scope="module")
def cubin(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    out = tmp_path_factory.mktemp("profile") / "k.cubin"
    return nvcc_makes(Path(__file__).with_name("kernels.cu"), out, "-lineinfo")


def test_report_summary_and_json(cubin: bytes) -> None:
    a = np.arange(10000, dtype=np.float32)
    c = np.zeros_like(a)
    launch = runtime.Device().load(cubin)["vadd"][40, 256](a, a, c, a.size)
    assert np.array_equal(c, a + a)
    text = profile.report(launch)
    for title in ("Occupancy", "GPU Speed Of Light", "Warp states", "L1/TEX cache", "Hottest instructions"):
        assert title in text
    assert f"{launch.cycles:,}" in text
    assert "FADD" in text
    assert "kernels.cu:" in text
    assert f"{launch.cycles:,} cycles" in profile.summary(launch)
    data = json.loads(profile.as_json(launch))
    assert data["cycles"] == launch.cycles
    assert data["metrics"]["sm__inst_executed.sum"] == data["instructions"]
    assert sum(row["counters"].get("inst_executed", 0) for row in data["per_pc"]) == data["instructions"]
    # 10000 elements: 312 whole warps of 4 sectors and half a warp of 2, twice.
    assert data["metrics"]["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] == 2 * (312 * 4 + 2)


def test_untimed_report(cubin: bytes) -> None:
    a = np.arange(256, dtype=np.float32)
    launch = runtime.Device(timing=False).load(cubin)["vadd"][1, 256](a, a, np.zeros_like(a), a.size)
    assert "not timed" in profile.summary(launch)
    assert "Executed instruction mix" in profile.report(launch)
