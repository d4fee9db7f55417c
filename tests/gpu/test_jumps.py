"""Warps that jump through code, against an H200 (2026-12-01): some cases of `micro/jumps.py`."""

from __future__ import annotations

import json

import numpy as np

import runtime
from tests.gpu.accuracy_page import DATA
from tests.gpu.micro.jumps import SMS, Case, cases, cubin

ROUNDS = 100
"""Jumps that are looked at, and as many before them."""
RECORD = dict(zip(cases(), json.loads((DATA / "jumps.json").read_text()), strict=True))


def jump(device: runtime.Device, case: Case) -> float:
    """Cycles a jump on the model."""
    out = device.zeros(132 * 64, np.uint32)
    part = device.buffer(np.isin(np.arange(132), SMS[case.sms]).astype(np.int32))
    addresses = [np.uint64(out.address), np.uint64(part.address)]
    numbers = [np.uint32(n) for n in (case.places, 0x9E3779B1 * case.apart, ROUNDS, ROUNDS)]
    device.load(cubin(case.image))["k"][132, 32 * case.warps](*addresses, *numbers)
    device.synchronize()
    found = out.numpy().reshape(132, 64)
    assert (found > 0).any(1).sum() == len(SMS[case.sms])
    return float(found[found > 0].mean()) / ROUNDS


def test_jumps_to_registers() -> None:
    device = runtime.Device("sm_90", hazards="off")
    for image in ("run1", "ring32"):
        for warps in (1, 8, 32):
            case = Case(image, 32, warps)
            assert abs(jump(device, case) / RECORD[case] - 1) < 0.06, case


def test_sms_wait_for_code_that_is_apart() -> None:
    device = runtime.Device("sm_90", hazards="off")
    # What L1 holds, and what is gone through in step, costs no SM more for the others.
    for case in (Case("row256", 256, 16, "all"), Case("row384", 384, 16, "all", apart=False)):
        assert abs(jump(device, case) / RECORD[case] - 1) < 0.08, case
    case = Case("row384", 384, 16, "all")
    assert RECORD[case] > 1.5 * RECORD[Case("row384", 384, 16)]
    assert abs(jump(device, case) / RECORD[case] - 1) < 0.2
