"""Branches as ncu counts them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import runtime
from runtime.profile import metrics
from runtime.profile.facts import gather
from tests.conftest import nvcc_makes

RECORD = {
    "loops": (13, 3800, 22.22, 2.65, 17.51, 13.98),
    "nested": (4, 12500, 95.24, 0.76, 12.89, 11.53),
    "choose": (9, 15400, 84.78, 2.65, 8.47, 7.48),
    "early": (5000, 11347, 100.0, 0.0, 31.85, 28.29),
}
"""Of 50 blocks of 128 threads on an H200, nvcc 13's code (`ncu --section SourceCounters --section WarpStateStats`,
2026-11-22): the argument n; branches, branch efficiency, divergent branches of a scheduler, lanes that run, and
lanes whose guards are true."""


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> runtime.Module:
    path = tmp_path_factory.mktemp("branches") / "branches.cubin"
    return runtime.Device().load(nvcc_makes(Path(__file__).with_name("branches.cu"), path))


@pytest.mark.parametrize("name", RECORD)
def test_as_an_h200(module: runtime.Module, name: str) -> None:
    n, branches, efficiency, divergent, active, on = RECORD[name]
    launch = module[name][50, 128](np.zeros(6400, np.int32), np.int32(n))
    out = metrics.values(gather(launch))
    assert out["smsp__inst_executed_op_branch.sum"] == branches
    assert out["smsp__sass_average_branch_targets_threads_uniform.pct"] == pytest.approx(efficiency, abs=0.005)
    assert out["smsp__sass_branch_targets_threads_divergent.avg"] == pytest.approx(divergent, abs=0.005)
    assert out["smsp__thread_inst_executed_per_inst_executed.ratio"] == pytest.approx(active, rel=0.002)
    assert out["smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"] == pytest.approx(on, rel=0.002)
