"""How near stores to local memory issue: what the later ones wait for, the first waits for."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from minicc.ptxas.control import near


@given(
    gaps=st.lists(st.tuples(st.integers(1, 4), st.integers(0, 40)), min_size=1, max_size=8),
)
def test_floors_bring_stores_near(gaps: list[tuple[int, int]]) -> None:
    """None is earlier than it was or later than the next; of a row without long pauses all follow at once."""
    index, cycle, at, stores = 0, 0, {0: 0}, [0]
    for between, wait in gaps:
        index, cycle = index + between, cycle + between + wait
        at[index] = cycle
        stores.append(index)
    cycles = [at.get(i, 0) for i in range(index + 1)]
    pairs = list(pairwise(stores))
    floors = near.floors(pairs[::-1], cycles)
    for a, b in pairs:
        first, second = floors.get(a, cycles[a]), floors.get(b, cycles[b])
        assert cycles[a] <= first < second
        if second - cycles[a] < near.FAR:
            assert second - first <= max(near.LEAST, b - a)
