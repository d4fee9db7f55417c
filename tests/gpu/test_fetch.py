"""Ways through code that never ran, against an H200 (driver 580.159.04, 2026-12-01): some cases of `micro/fetch.py`."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import runtime
from minicc.record import evolve
from tests.gpu.accuracy_page import DATA
from tests.gpu.micro.fetch import FIRST, STEPS, Case, cases, code, cubin, noted, table

LINES = 760
DEVICE = runtime.Device("sm_90", hazards="report")
NEAR = ("step 1", "step 2", "step 4", "step 5", "step 8", "step 32", "back 1", "run 2 skip 4", "run 4 skip 3")
FAR = ("step 1", "step 2", "step 5", "step 8", "back 1", "run 2 skip 4", "wait 1 step 8")
RECORD = dict(zip(cases(), json.loads((DATA / "fetch.json").read_text()), strict=True))


@pytest.fixture(scope="module")
def kernel() -> Any:
    return DEVICE.load(cubin("brx", LINES))["k"]


def way(kernel: Any, case: Case) -> float:
    """Cycles a step on the model, of as much of the way as there is."""
    shorter = evolve(case, way=tuple(line for line in case.way if line < LINES - 1)[:100])
    out = DEVICE.zeros(132 * 16 * STEPS, np.uint32)
    kernel[case.sms, 32 * case.warps](out, DEVICE.buffer(table(shorter, code("brx", FIRST + 1)[1])))
    DEVICE.synchronize()
    return noted(shorter, out.numpy().reshape(132, 16, STEPS))


def chosen(begin: int) -> list[Case]:
    """Of one warp that begins there or comes there, by jumps through registers."""
    return [c for c in RECORD if c.image == "brx" and c.sms == c.warps == 1 and (min(c.way) >= 600) == (begin >= 600)]


def test_code_that_the_launch_has_brought(kernel: Any) -> None:
    # Lines behind come with each: a jump over one finds it, over two or three in L1, over more one level farther.
    for case in chosen(FIRST):
        if case.name in NEAR:
            assert abs(way(kernel, case) / RECORD[case] - 1) < 0.06, case


def test_code_that_comes_from_memory(kernel: Any) -> None:
    for case in chosen(600):
        if case.name in FAR:
            assert abs(way(kernel, case) / RECORD[case] - 1) < 0.2, case


def test_warps_of_all_sms_in_step(kernel: Any) -> None:
    for warps in (4, 16):
        for name, begin in (("step 4", FIRST), ("step 8", 600)):
            key = name, begin, "brx", 132, warps
            (case,) = (c for c in RECORD if (c.name, c.way[0], c.image, c.sms, c.warps) == key)
            assert abs(way(kernel, case) / RECORD[case] - 1) < 0.15, case
