"""L1's sets against an oracle: eight lines, of which the one used longest ago makes way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.device.memory import BASE
from runtime.device.sm.language.lang import compiled
from runtime.device.sm.language.raw import address, reciprocal
from runtime.device.sm.language.vector import latest
from runtime.device.sm.memory import l1
from runtime.device.sm.memory.l1 import THERE, TIMES, fill, forget, l1_set, use, way_of
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import L1, SM, G, addresses
from tests.runtime.device.sm.kit import loaded

SETS = 2
LINES = 24


@compiled(entry=True)
def step(what: int, line: int, sectors: int, t: int) -> int:
    """0: a load of sectors that come at `t` where they are missing; those that were there. 1: forget them. 2: all of L1
    is old. 3: when the last of those comes that are there, 0 if none is."""
    at = l1_set(line)
    if what == 0:
        way = use(0, at, line)
        there = L1[0, at + THERE] >> 4 * way & sectors
        fill(0, at, way, sectors & ~there, t)
        return there
    if what == 1:
        forget(0, line, sectors)
    if what == 2:
        SM[0, L.M_FRESH] += 1
    if what == 3:
        way = way_of(0, at, line)
        return latest(address(L1, (0, at + TIMES + 4 * way)), L1[0, at + THERE] >> 4 * way & sectors) if way >= 0 else 0
    return G[L.G_L1SETS]


@pytest.fixture(scope="module", autouse=True)
def built():
    with loaded([step]):
        yield


STEPS = st.tuples(st.sampled_from([0] * 30 + [1, 1, 2, 3, 3, 3]), st.integers(0, LINES - 1), st.integers(1, 15))


@given(st.lists(STEPS, min_size=100, max_size=200))
def test_the_line_used_longest_ago_makes_way(steps):
    table, scalars = np.zeros((1, l1.SET * SETS), np.uint32), np.zeros(L.G_COLUMNS, np.int64)
    sm = np.zeros((1, L.M_COLUMNS), np.int64)
    scalars[L.G_L1SETS], scalars[L.G_L1OVER], sm[0, L.M_FRESH] = SETS, reciprocal(SETS), 1
    where = addresses({"L1": table, "SM": sm, "G": scalars}).ctypes.data
    known: list[dict[int, dict[int, int]]] = [{} for _ in range(SETS)]
    for t, (what, k, sectors) in enumerate(steps, 1):
        line = (BASE >> 7) + k
        mine = known[(line ^ (line >> 5 ^ line >> 10 ^ line >> 15) & 31) % SETS]
        wanted = {s for s in range(4) if sectors >> s & 1}
        result = step(what, line, sectors, t, where)
        if what == 0:
            times = mine.pop(k, {})
            assert result == sum(1 << s for s in wanted & times.keys())
            if len(mine) == l1.WAYS:
                del mine[next(iter(mine))]
            mine[k] = dict.fromkeys(wanted, t) | times
        elif what == 1:
            for s in wanted:
                mine.get(k, {}).pop(s, None)
        elif what == 2:
            for each in known:
                each.clear()
        else:
            assert result == max((at for s, at in mine.get(k, {}).items() if s in wanted), default=0)
