"""Occupancy limits against figures that NVIDIA's tools give."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicc import arch
from runtime.device.cwd import residency

SM_90 = arch.get("sm_90")


@pytest.mark.parametrize(
    ("threads", "registers", "shared", "ctas"),
    [
        (256, 16, 1024, 8),  # warps
        (32, 16, 1024, 32),  # blocks
        (32, 46, 1816, 32),
        (1024, 64, 1024, 1),  # registers: 32 warps of 2048
        (1024, 32, 1024, 2),
        (128, 255, 1024, 2),
        (64, 32, 228 * 1024, 1),  # shared
        (64, 32, 50 * 1024, 4),
    ],
)
def test_known(threads: int, registers: int, shared: int, ctas: int) -> None:
    assert residency(threads, registers, shared, 1, SM_90).ctas == ctas


def test_registers_are_allocated_per_warp_and_sub_core() -> None:
    """46 registers: 1536 per warp, 10 warps in each of four files of 16384: 40 warps, not 42."""
    assert residency(32, 46, 0, 1, SM_90).registers == 40


@given(st.integers(1, 1024), st.integers(1, 255), st.integers(1024, 233472))
def test_limits_hold(threads: int, registers: int, shared: int) -> None:
    r = residency(threads, registers, shared, 1, SM_90)
    o = SM_90.occupancy
    warps = (threads + 31) // 32
    assert r.ctas * warps <= o.max_warps
    assert r.ctas * warps * registers * 32 <= o.registers_per_sm
    assert r.ctas * shared <= o.shared_per_sm
    assert residency(threads, min(registers + 8, 255), shared, 1, SM_90).ctas <= r.ctas
