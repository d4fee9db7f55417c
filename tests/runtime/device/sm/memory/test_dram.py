"""Rows that DRAM banks open: the table, which lives on from run to run, beside one of buckets without end."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.device.sm.language.lang import compiled
from runtime.device.sm.memory.l2 import BANK_SHIFT, MP_COUNT, MP_DRAM_CYCLE, MP_STAMP, activate
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import addresses
from tests.runtime.device.sm.kit import loaded

WIDTH = 1 << BANK_SHIFT


@compiled(entry=True)
def opened(bank: int, t: int) -> int:
    return activate(bank, t)


@pytest.fixture(scope="module", autouse=True)
def built():
    with loaded([opened]):
        yield


def when(taken: Counter[int], t: int, cycle: int) -> int:
    """When a bank opens a row, of whose buckets so much is taken."""
    b = t // WIDTH
    while taken[b] >= WIDTH:
        b += 1
    at = max(t, b * WIDTH + taken[b])
    over = max(taken[b] + cycle - WIDTH, 0)
    taken[b] += cycle
    taken[b + 1] += over
    return at


STEPS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3000), st.integers(0, 500)), min_size=1, max_size=60)


@given(st.lists(STEPS, min_size=1, max_size=3), st.integers(1, 1 << 31), st.integers(1, 120))
def test_banks_open_a_row_a_cycle(runs, stamp, cycle):
    banks = np.zeros((3, L.BANK_ROW), np.uint32)
    parameters = np.zeros(MP_COUNT, np.int64)
    parameters[MP_DRAM_CYCLE] = cycle
    listed = addresses({"BANK": banks, "MP": parameters})
    for steps in runs:
        parameters[MP_STAMP] = stamp
        taken: dict[int, Counter[int]] = {bank: Counter() for bank in range(3)}
        now = end = 0
        for bank, step, back in steps:
            # SMs run one after another, so that some ask for a time that has passed.
            now += step
            t = max(now - back, 0)
            at = opened(bank, t, listed.ctypes.data)
            assert at == when(taken[bank], t, cycle)
            end = max(end, at)
        stamp += end + (1 << 20)
