"""Bytes that loads and stores name, of the sectors and passes that they take, against ncu: one warp of each kernel of
tests/gpu/data/bytes, on the model and, on 2026-11-30, on an H200 (nvcc's code there; both compilers' asks the same)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minicc
import runtime
from runtime.profile import metrics
from runtime.profile.facts import gather

DATA = Path(__file__).parent / "data/bytes"
NCU: dict[str, dict[str, float]] = json.loads((DATA / "ncu.json").read_text())["kernels"]


@pytest.fixture(scope="module")
def module() -> Any:
    return runtime.Device(count_bytes=True).load(minicc.compile(DATA / "kernels.cu"))


@pytest.mark.parametrize("kernel", NCU)
def test_bytes_are_what_ncu_counted(module: Any, kernel: str) -> None:
    a, o = (module.device.zeros(1 << 14, np.float32).address for _ in range(2))
    launch = module[kernel][1, 32](*(a, o)[-len(module[kernel].parameters) :])
    launch.wait()
    found = metrics.values(gather(launch))
    for name, want in NCU[kernel].items():
        assert found.get(name, 0.0) == pytest.approx(want, abs=0.01), name
