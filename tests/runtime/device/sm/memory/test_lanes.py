"""What the load/store unit does with 32 lanes at once, beside doing it lane by lane."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.device.sm.language.lang import compiled
from runtime.device.sm.language.vector import after_last
from runtime.device.sm.memory.access import SURVEY_PASSES, load_lanes, store_lanes, survey, wavefronts
from runtime.device.sm.tables.table import X, addresses
from tests.runtime.device.sm.kit import loaded

FULL = (1 << 32) - 1


@compiled(entry=True)
def loads(width: int, hosts: int, mask: int, rows: int) -> int:
    load_lanes(width, 0, hosts, np.uint32(mask), rows, after_last(hosts, width), after_last(hosts, 0))
    return 0


@compiled(entry=True)
def stores(width: int, hosts: int, mask: int, rows: int) -> int:
    store_lanes(width, hosts, np.uint32(mask), rows, after_last(hosts, width))
    return 0


@compiled(entry=True)
def passes(width: int, lanes: int, mask: int, each: int, load: int, tally: int) -> int:
    return wavefronts(width, lanes, np.uint32(mask), after_last(lanes, 0), each, load, tally)


@compiled(entry=True)
def lines(width: int, lanes: int, mask: int, tally: int) -> int:
    return survey(width, lanes, np.uint32(mask), tally)


@pytest.fixture(scope="module", autouse=True)
def built():
    with loaded([loads, stores, passes, lines]):
        yield


@st.composite
def access(draw):
    """A width, 32 offsets below 8 KB, multiples of it, and a mask: rows and columns of tiles, and lanes in ascending
    order, among them."""
    width = draw(st.sampled_from([4, 8, 16]))
    words = 8192 // width
    group = draw(st.sampled_from([1, 4, 8, 16, 32]))
    starts = draw(st.lists(st.integers(0, words - 1), min_size=32 // group, max_size=32 // group))
    if draw(st.booleans()):
        starts = [starts[0]] * len(starts)
    step = draw(st.sampled_from([0, 1, 2, 32]))
    offsets = [(start + step * k) % words * width for start in starts for k in range(group)]
    if draw(st.booleans()):
        offsets.sort()
    return width, offsets, draw(st.just(FULL) | st.integers(1, FULL))


@given(access())
def test_loads(access):
    width, offsets, mask = access
    memory = np.arange(1, 2049, dtype=np.uint32)
    rows = np.zeros((width // 4, 32), np.uint32)
    hosts = np.array(offsets, np.int64) + memory.ctypes.data
    loads(width, hosts.ctypes.data, mask, rows.ctypes.data, 0)
    for lane, offset in enumerate(offsets):
        expected = memory[offset // 4 : offset // 4 + width // 4] if mask >> lane & 1 else np.zeros(width // 4)
        assert rows[:, lane].tolist() == expected.tolist()


@given(access())
def test_stores_the_highest_lane_wins(access):
    width, offsets, mask = access
    memory, expected = np.zeros(2048, np.uint32), np.zeros(2048, np.uint32)
    rows = np.arange(1, 1 + 8 * width, dtype=np.uint32).reshape(width // 4, 32)
    hosts = np.array(offsets, np.int64) + memory.ctypes.data
    stores(width, hosts.ctypes.data, mask, rows.ctypes.data, 0)
    for lane, offset in enumerate(offsets):
        if mask >> lane & 1:
            expected[offset // 4 : offset // 4 + width // 4] = rows[:, lane]
    assert memory.tolist() == expected.tolist()


@given(access(), st.sampled_from(["load", "store", "atomic"]), st.sampled_from([0, 1, 2]))
def test_passes_over_shared_memory(access, kind, pairs):
    width, offsets, mask = access
    offsets = [offsets[k & ~pairs] for k in range(32)]
    lanes, tally = np.array(offsets, np.int64), np.zeros(32, np.uint8)
    group, total, each, load = 128 // width, 0, kind == "atomic", kind == "load"
    active = [k for k in range(32) if mask >> k & 1]
    same = [all(offsets[k] == offsets[k ^ d] for k in active if k ^ d in active) for d in (1, 2)]
    if load and width > 4 and any(same):
        group *= 2
    for start in range(0, 32, group):
        active = [offsets[k] // 4 + w for k in range(start, start + group) if mask >> k & 1 for w in range(width // 4)]
        words = active if each else sorted(set(active))
        total += max((sum(word % 32 == bank for word in words) for bank in range(32)), default=0)
    assert passes(width, lanes.ctypes.data, mask, each, load, tally.ctypes.data, 0) == total


@given(access())
def test_lines_of_global_memory(access):
    width, offsets, mask = access
    lanes, tally, x = np.array(offsets, np.int64), np.zeros(32, np.uint8), np.zeros(8192, np.int64)
    count = lines(width, lanes.ctypes.data, mask, tally.ctypes.data, addresses({X.name: x}).ctypes.data)
    active = [offset for k, offset in enumerate(offsets) if mask >> k & 1]
    sectors = dict.fromkeys((offset // 128 for offset in active), 0)
    for offset in active:
        sectors[offset // 128] |= 1 << offset // 32 % 4
    assert dict(x[: 2 * count].reshape(-1, 2).tolist()) == sectors
    assert x[: 2 * count : 2].tolist() == list(sectors)
    if width == 4:
        words = {offset // 8 for offset in active}
        assert x[SURVEY_PASSES] == max(sum(word % 16 == bank for word in words) for bank in range(16))
