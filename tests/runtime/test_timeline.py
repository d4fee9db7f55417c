"""Grids of several streams are laid side by side where SMs are free."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import runtime
from runtime.device.timeline import Timeline
from tests.conftest import ROOT

IMAGE = (ROOT / "tests/gpu/data/ours/vadd.cubin").read_bytes()

GRIDS = st.lists(st.tuples(st.integers(1, 4), st.integers(0, 50), st.integers(1, 20)), max_size=25)


@given(GRIDS)
def test_grids_of_a_channel_follow_each_other_and_no_sm_is_taken_twice(grids):
    line = Timeline(8)
    last: dict[int, int] = {}
    placed = []
    for token, cycles, ctas in grids:
        begin = line.launch(token, cycles, ctas)
        assert begin >= last.get(token, 0)
        last[token] = begin + cycles
        placed.append((begin, begin + cycles, min(ctas, 8)))
    for t in {begin for begin, _, _ in placed}:
        assert sum(sms for begin, end, sms in placed if begin <= t < end) <= 8
    assert line.end == max(last.values(), default=0)


def test_what_is_waited_for_comes_before():
    line = Timeline(8)
    assert line.launch(1, 100, 8) == 0
    line.release(1, 64)
    assert line.launch(2, 10, 4) == 100  # no SM is free before
    line.acquire(3, 64)
    assert line.launch(3, 10, 4) == 100  # beside the other
    assert line.launch(4, 10, 1) == 110
    line.wait(4)
    assert line.launch(5, 10, 1) == 120


def elapsed(streams: int, blocks: int) -> float:
    """Milliseconds that four launches over so many streams take, by events."""
    device = runtime.Device("sm_90")
    n = 256 * blocks
    data = device.buffer(np.ones(n, np.float32))
    outs = [device.zeros(n, np.float32) for _ in range(4)]
    kernel = device.load(IMAGE)["_Z4vaddPKfS0_Pfi"]
    lanes = [device.stream() for _ in range(streams)]
    start = device.event().record(lanes[0])
    ends = []
    for k, out in enumerate(outs):
        stream = lanes[k % streams]
        kernel[blocks, 256, 0, stream](data, data, out, np.int32(n))
        ends.append(device.event().record(stream))
    device.synchronize()
    assert all((out.numpy() == 2).all() for out in outs)
    return max(end.elapsed(start) for end in ends)


def test_kernels_of_streams_overlap():
    one, four = elapsed(1, 16), elapsed(4, 16)
    assert four < 0.4 * one
    assert elapsed(4, 16) == four
    # A block for each SM: they share the SMs.
    assert elapsed(4, 132) < 0.4 * elapsed(1, 132)
