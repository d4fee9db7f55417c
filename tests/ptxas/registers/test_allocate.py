"""Live ranges against each other: what is asked of long lists quickly, and their union, point by point."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from minicc.ptxas.registers.allocate import _Taken
from minicc.ptxas.registers.intervals import Segments, merge

SEGMENTS = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 8)).map(lambda s: (s[0], s[0] + s[1])), max_size=12)


def points(segments: Segments) -> set[int]:
    return {point for start, end in segments for point in range(start, end)}


@given(SEGMENTS, SEGMENTS)
def test_segments_meet_where_they_share_a_point(a: Segments, b: Segments) -> None:
    many, few = merge(a), merge(b)
    assert points(many) == points(a) and all(x[1] < y[0] for x, y in pairwise(many))
    assert _Taken(1, many).meets(few) == bool(points(a) & points(b))
