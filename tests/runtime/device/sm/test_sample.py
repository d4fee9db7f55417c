"""Sampling of big grids: results and instructions are exact, the estimate holds what it promises."""

from __future__ import annotations

import itertools
import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import runtime
from runtime.device.sm.sample import WAVES, interval, pace, stretches, student
from tests.conftest import ROOT, SAMPLES

IMAGE = (ROOT / "tests/gpu/data/ours/vadd.cubin").read_bytes()
BLOCKS = 132 * WAVES * 7
"""One block fits an SM, with this much shared memory."""
SHARED = 200 << 10


def vadd(sample: int):
    """A launch of many small blocks: (launch, what it computed is right)."""
    device = runtime.Device("sm_90", sample=sample)
    n = 32 * BLOCKS - 5
    a, b = np.arange(n, dtype=np.float32), np.ones(n, np.float32)
    out = device.zeros(n, np.float32)
    kernel = device.load(IMAGE)["_Z4vaddPKfS0_Pfi"]
    launch = kernel[BLOCKS, 32, SHARED](device.buffer(a), device.buffer(b), out, np.int32(n))
    return launch, bool((out.numpy() == a + b).all())


def test_an_estimate_is_near_the_whole_and_the_results_are_the_same():
    whole, right = vadd(0)
    assert right and whole.outcome.sampled is None
    for sample in (1, 3):
        estimate, right = vadd(sample)
        sampled = estimate.outcome.sampled
        assert right and sampled is not None
        assert sampled.simulated == sample * WAVES * 132 and sampled.ctas == BLOCKS and sampled.stretches == sample
        assert estimate.outcome.instructions == whole.outcome.instructions
        assert abs(estimate.cycles / whole.cycles - 1) < 0.05 + sampled.error
        assert vadd(sample)[0].cycles == estimate.cycles


def test_a_grid_that_is_not_big_is_simulated_whole():
    small, right = vadd(4)
    assert right and small.outcome.sampled is None


@given(st.integers(1, 10**7), st.integers(1, 5000), st.integers(1, 40))
def test_stretches_are_apart_and_reach_from_the_first_to_the_last(total, places, count):
    parts = stretches(total, places, count)
    assert parts[0][0] == 0
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(parts))
    if parts != [(0, total)]:
        assert len(parts) == count and all(end - begin == WAVES * places for begin, end in parts)
        assert count == 1 or parts[-1][1] == total


def test_an_even_pace_has_no_error():
    times = np.arange(WAVES * 8) * 5
    assert pace(times, 8) == [5.0, 5.0, 5.0]
    assert interval([[5.0, 5.0, 5.0]] * 4) == (5.0, 0.0)
    assert interval([[9.0, 9.0, 9.0], [4.0, 5.0, 6.0]])[0] == 5.0
    assert interval([[9.0, 9.0, 9.0], [4.0, 5.0, 6.0]])[1] > 1


def test_the_command_line_names_the_error():
    command = [sys.executable, "-m", "minicc", "run", str(SAMPLES / "vadd.k"), "--sample", "1", "--grid", str(BLOCKS)]
    command += ["--block", "32", "--shared", str(SHARED), "--set", f"n={32 * BLOCKS}"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert f"cycles are an estimate from 1,320 of {BLOCKS:,} blocks in 1 stretch, +- " in done.stdout


def test_points_of_the_distribution():
    """Against its density, integrated: 97.5 % lies below the point."""
    for freedom in (2, 5, 10, 11, 15, 30, 120):
        x = np.linspace(-60, student(freedom), 400001)
        density = (1 + x * x / freedom) ** (-(freedom + 1) / 2)
        whole = np.linspace(-60, 60, 800001)
        total = np.trapezoid((1 + whole * whole / freedom) ** (-(freedom + 1) / 2), whole)
        assert abs(np.trapezoid(density, x) / total - 0.975) < 3e-4
