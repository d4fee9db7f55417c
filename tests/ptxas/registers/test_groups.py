"""Values that live in the places of wide operands: live ranges that become one, and what that costs."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from minicc import ptx
from minicc.diagnostics import SourceFile
from minicc.ptxas import Options, pipeline
from minicc.ptxas.lower import lower
from minicc.ptxas.registers import groups
from minicc.ptxas.registers.groups import _both, _join, _meet
from minicc.ptxas.registers.intervals import Segments, merge
from tests.counting import calls
from tests.ptxas.conftest import ARCH

SEGMENTS = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 8)).map(lambda s: (s[0], s[0] + s[1])), max_size=12)


def points(segments: Segments) -> set[int]:
    return {point for start, end in segments for point in range(start, end)}


@given(SEGMENTS, SEGMENTS)
def test_ranges_become_one(one: Segments, other: Segments) -> None:
    a, b = merge(one), merge(other)
    assert _meet(a, b) == bool(points(a) & points(b))
    joined = _join(list(a), list(b))
    assert points(joined) == points(one) | points(other) and all(x[1] < y[0] for x, y in pairwise(joined))


@given(st.sets(st.integers(0, 60)), st.sets(st.integers(0, 60)))
def test_definitions_stay_in_order(one: set[int], other: set[int]) -> None:
    found = _both([(point, None) for point in sorted(one)], [(point, None) for point in sorted(other)])
    assert [point for point, _ in found] == sorted([*one, *other])


def test_sums_that_are_stored_four_at_a_time_are_linear() -> None:
    """Each store copies the sums into its group, which all of them might live in."""

    def work(stores: int) -> int:
        body = "".join(
            f"ld.global.v4.f32 {{%f4,%f5,%f6,%f7}}, [%rd0+{16 * n}]; add.f32 %f0, %f0, %f4; add.f32 %f1, %f1, %f5; "
            f"add.f32 %f2, %f2, %f6; add.f32 %f3, %f3, %f7; st.global.v4.f32 [%rd0+{16 * n}], {{%f0,%f1,%f2,%f3}};\n"
            for n in range(stores)
        )
        zeros = "".join(f"mov.f32 %f{k}, 0f00000000;" for k in range(4))
        text = f""".version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x) {{
.reg .b64 %rd<1>; .reg .f32 %f<8>;
ld.param.u64 %rd0, [x]; {zeros}
{body}
ret; }}
"""
        options = Options(stop_after="inplace")
        function = lower(ptx.parse(SourceFile("k.ptx", text)), ARCH, options).functions[0]
        pipeline.run(function, ARCH, options)
        return calls(lambda: groups.run(function, ARCH, options))

    assert work(400) < 5 * work(100)
