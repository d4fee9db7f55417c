"""Loops over a run-time stride: four turns at a time mean what one turn at a time means."""

from __future__ import annotations

import operator
import re
from functools import cache

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from minicc import frontend, ptx
from minicc.diagnostics import SourceFile
from minicc.frontend.options import Options as Source
from minicc.nvvm import Options, optimise
from minicc.nvvm.strides import widen
from tests.isel.run_ptx import compile_ir, run_rows

LONGEST = 40
"""Turns beyond which a loop is not run."""

KERNEL = """target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @kernel(ptr noalias %table, ptr noalias %result) {{
entry:
  %n.at = getelementptr i64, ptr %table, i64 1
  %s.at = getelementptr i64, ptr %table, i64 2
  %start.64 = load i64, ptr %table
  %n.64 = load i64, ptr %n.at
  %s.64 = load i64, ptr %s.at
  %start = trunc i64 %start.64 to i{bits}
  %n = trunc i64 %n.64 to i{bits}
  %s = trunc i64 %s.64 to i{bits}
  %first = icmp {predicate} i{bits} %start, %n
  %enter = or i1 %first, {always}
  br i1 %enter, label %loop, label %end

loop:
  %i = phi i{bits} [ %start, %entry ], [ %i.next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %loop ]
  %turns = phi i64 [ 0, %entry ], [ %turns.next, %loop ]
  %low = trunc i{bits} %i to i4
  %place = zext i4 %low to i64
  %at = getelementptr i64, ptr %table, i64 %place
  %value = load i64, ptr %at
  %five = mul i64 %sum, 5
  %sum.next = add i64 %five, %value
  %turns.next = add i64 %turns, 1
  %i.next = add i{bits} %i, %s
  %more = icmp {predicate} i{bits} %i.next, %n
  br i1 %more, label %loop, label %end

end:
  %last = phi i{bits} [ %start, %entry ], [ %i, %loop ]
  %total = phi i64 [ 0, %entry ], [ %sum.next, %loop ]
  %count = phi i64 [ 0, %entry ], [ %turns.next, %loop ]
  %total.at = getelementptr i64, ptr %result, i64 1
  %count.at = getelementptr i64, ptr %result, i64 2
  store i{bits} %last, ptr %result
  store i64 %total, ptr %total.at
  store i64 %count, ptr %count.at
  ret void
}}
"""
"""A hash of table[i & 15] for i = start, start + s, ... while i < n; table[0..2] are start, n, s."""


@cache
def compiled(bits: int, predicate: str, first: bool) -> ptx.Module:
    module = compile_ir(source(bits, predicate, first))
    assert ptx.format(module).count("ld.global") >= 8
    return module


def source(bits: int, predicate: str, first: bool) -> str:
    """The kernel; with `first` the loop's first turn is taken whatever the bound."""
    text = KERNEL.format(bits=bits, predicate=predicate, always="true" if first else "false")
    for name in ("start", "n", "s") if bits == 64 else ():
        text = text.replace(f"trunc i64 %{name}.64 to i64", f"add i64 %{name}.64, 0")
    return text


def expected(row: list[int], bits: int, predicate: str, first: bool) -> list[int]:
    """What the kernel leaves; nothing if that takes too many turns."""
    top, half = (1 << bits) - 1, 1 << (bits - 1)
    value = (lambda word: word ^ half) if predicate[0] == "s" else (lambda word: word)
    less = operator.lt if predicate[1:] == "lt" else operator.le
    i, n, s = (word & top for word in row[:3])
    last, total, turns = i, 0, 0
    while (first and not turns) or less(value(i), value(n)):
        last, total, turns = i, (total * 5 + row[i & 15]) % (1 << 64), turns + 1
        i = (i + s) & top
        if turns > LONGEST:
            return []
    return [last, total, turns]


@pytest.mark.parametrize("first", [False, True], ids=["while", "do"])
@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("predicate", ["slt", "ult", "sle", "ule"])
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_bounds(bits: int, predicate: str, first: bool, data: st.DataObject) -> None:
    """Starts and bounds near one another and near the ends of the type, strides of every size and sign."""
    top = (1 << bits) - 1
    edges = st.sampled_from([0, 1 << (bits - 1), top, 1 << (bits - 3), top // 3])
    edge, off = data.draw(edges), st.integers(-90, 90)
    start, bound = (edge + data.draw(off) & top for _ in "ab")
    near = st.builds(lambda place, distance: place + distance & top, edges, off)
    row = [start, bound, data.draw(st.integers(1, 40) | near | st.integers(0, top)), *range(101, 114)]
    result = expected(row, bits, predicate, first)
    assume(result)
    assert run_rows(compiled(bits, predicate, first), [row], 3) == [result]


@pytest.mark.parametrize("bits", [32, 64])
def test_a_first_turn_that_goes_over_the_end_of_the_type(bits: int) -> None:
    """From the largest number to 0, 1, 2 and 3: no short rest, though only small ones are left before the bound."""
    row = [(1 << bits) - 1, 3, 1, *range(101, 114)]
    assert run_rows(compiled(bits, "ule", True), [row], 3)[0][2] == 5


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("predicate", ["slt", "ult", "sle", "ule"])
def test_an_index_that_jumps_over_the_bound_and_goes_on(bits: int, predicate: str) -> None:
    """From just below the bound over the end of the type, and to the bound in the round after."""
    top = 1 << bits
    before = next(d for d in range(10, 50) if (top + d - 1) % 33 == 0)
    shift = top >> 1 if predicate[0] == "s" else 0
    row = [(top - before + shift) % top, (top - 5 + shift) % top, (top + before - 1) // 33, *range(101, 114)]
    result = expected(row, bits, predicate, True)
    assert result[2] == 33 and run_rows(compiled(bits, predicate, True), [row], 3) == [result]


def test_what_is_left_alone() -> None:
    """Loops with effects, loops that the source says how to unroll, names in quotes."""
    text = source(32, "slt", False)
    assert widen(text) is not None
    value = "  %value = load i64"
    changed = (
        text.replace(value, "  store i64 0, ptr null\n" + value),
        text.replace(value, "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n" + value),
        text.replace(value, "  %value = load volatile i64"),
        text.replace("%five", '%"five"'),
        text.replace("label %end\n", "label %end, !llvm.loop !0\n")
        + '\n!0 = distinct !{!0, !1}\n!1 = !{!"llvm.loop.unroll.disable"}\n',
    )
    atomic = "  %before = atomicrmw add ptr addrspace(SPACE) null, i32 1 ORDER, align 4\n" + value
    for space, order, left in (("3", "monotonic", False), ("1", "monotonic", True), ("3", "acquire", True)):
        other = text.replace(value, atomic.replace("SPACE", space).replace("ORDER", order))
        assert (widen(other) is None) == left, "loads pass atomics of shared memory that keep no order"
    stores = changed[0].replace("ptr noalias %table", "ptr noalias readonly %table")
    assert widen(stores) is not None
    for other in changed:
        assert other != text and widen(other) is None


@pytest.mark.parametrize(
    ("loads", "stride", "together", "left"),
    [(1, "%s", 4, 3), (2, "%s", 4, 3), (3, "%s", 2, 1), (1, "2", 16 + 4, 3), (3, "2", 4, 3), (4, "2", 2, 1)],
)  # fmt: skip
def test_how_many_turns(loads: int, stride: str, together: int, left: int) -> None:
    """Fewer where a turn loads more, more where the loads have one address in common; then what is left, and a loop."""
    value = "  %value = load i64, ptr %at\n"
    more = "".join(f"  %more.{n} = load i64, ptr %at\n" for n in range(1, loads))
    text = source(32, "slt", False).replace(value, value + more).replace("%i, %s", f"%i, {stride}")
    wide = widen(text)
    assert wide is not None
    assert wide.count("load i64, ptr %at") == loads * (together + left + 1)
    assert not re.search(r"^(?:  %)?(?:loop|i|sum|turns)\.\d", wide, re.M), "LLVM's names for turns that it has made"


@pytest.mark.parametrize(("pragma", "free"), [("", True), ("\n#pragma unroll 4\n", False)])
def test_loops_to_where_memory_says_go_on(pragma: str, free: bool) -> None:
    """The four turns that nobody asked for may become more in ptxas."""
    text = "__global__ void k(const int *p, const float *x, float *d) { float s = 0;"
    text += f"{pragma} for (int k = p[0]; k < p[1]; k++) s += x[k] * d[k]; d[0] = s; }}"
    ir = optimise(frontend.compile(SourceFile("a.cu", text), Source()), Options())
    back = re.findall(r"^  br i1 %([a-z]+).*?(, !llvm\.loop .*)?$", ir, re.M)
    assert any(note for test, note in back if test == "exitcond") != free
