"""Equal comparisons of blocks that follow one another are one, those of blocks side by side are not; so are phis."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minicc import isel
from minicc.isel.prepare.equal import unite
from minicc.nvvm import read
from minicc.ptx import format
from tests.isel.run_ptx import ARCH, compile_ir, kernel, run_rows

BODY = """
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {{
  %a = load i64, ptr addrspace(1) %in
  %at = getelementptr i64, ptr addrspace(1) %in, i64 1
  %b = load i64, ptr addrspace(1) %at
  %first = icmp {0} i64 %a, %b
  br i1 %first, label %x, label %y
x:
  store i64 1, ptr addrspace(1) %out
  br label %z
y:
  store i64 2, ptr addrspace(1) %out
  br label %z
z:
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %again = icmp {1} i64 %a, %b
  br i1 %again, label %u, label %v
u:
  %old = load i64, ptr addrspace(1) %out
  %new = add i64 %old, 10
  store i64 %new, ptr addrspace(1) %out
  br label %v
v:
  ret void
}}
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
"""


@pytest.mark.parametrize(("first", "again", "count"), [("slt", "slt", 1), ("slt", "ult", 2), ("ne", "ne", 1)])
def test_one_where_it_dominates(first: str, again: str, count: int) -> None:
    module = compile_ir(BODY.format(first, again), 0 if count == 2 else 3)
    assert len(re.findall(r"\bsetp\.", format(module))) == count


def test_what_it_decides_is_kept() -> None:
    """Values on both sides of each, signed and not."""
    rows = [[a, b] for a in (0, 5, 2**64 - 1) for b in (0, 5, 2**64 - 1)]
    for again in ("slt", "ult", "eq"):
        text = BODY.format("slt", again).replace(
            "  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n", ""
        )
        got = run_rows(compile_ir(text), rows, 1)
        for (a, b), (value,) in zip(rows, got, strict=True):
            less = (a + 2**63) % 2**64 < (b + 2**63) % 2**64
            second = {"slt": less, "ult": a < b, "eq": a == b}[again]
            assert value == (1 if less else 2) + 10 * second


def test_the_inverse_is_the_same_predicate() -> None:
    """A branch on the inverse takes its ways the other way round."""
    rows = [[a, b] for a in (0, 5, 2**64 - 1) for b in (0, 5, 2**64 - 1)]
    text = BODY.format("slt", "sge").replace("  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n", "")
    module = isel.select(read(text), ARCH, isel.Options())
    assert len(re.findall(r"\bsetp\.", format(module))) == 1
    for (a, b), (value,) in zip(rows, run_rows(module, rows, 1), strict=True):
        less = (a + 2**63) % 2**64 < (b + 2**63) % 2**64
        assert value == (1 if less else 12)


@st.composite
def loops(draw: st.DrawFn) -> tuple[str, list[list[int]]]:
    """A loop of phis, each of which continues as one of them plus a number: some in step, some not."""
    count = draw(st.integers(2, 6))
    starts = [draw(st.integers(0, 1)) for _ in range(count)]
    sources = [draw(st.integers(0, count - 1)) for _ in range(count)]
    steps = [draw(st.integers(0, 1)) for _ in range(count)]
    phis = [f"%p{k} = phi i64 [ {starts[k]}, %entry ], [ %n{k}, %loop ]" for k in range(count)]
    sums = [f"%n{k} = add i64 %p{sources[k]}, {3 + steps[k]}" for k in range(count)]
    stores = []
    for k in range(count):
        stores += [f"%a{k} = getelementptr i64, ptr %out, i64 {k}", f"store i64 %n{k}, ptr %a{k}"]
    lines = ["entry:", "br label %loop", "loop:", *phis, "%i = phi i64 [ 0, %entry ], [ %j, %loop ]", *sums]
    lines += ["%j = add i64 %i, 1", "%m = load i64, ptr %in", "%go = icmp ult i64 %j, %m"]
    lines += ["br i1 %go, label %loop, label %after", "after:", *stores, "br label %end"]
    text = kernel("\n".join(lines))
    expected = []
    for turns in range(1, 6):
        values = starts
        for _ in range(turns):
            values = [values[sources[k]] + 3 + steps[k] for k in range(count)]
        expected.append(values)
    return text, expected


@given(loops())
@settings(max_examples=60, deadline=None)
def test_phis_in_step(case: tuple[str, list[list[int]]]) -> None:
    """What the loop computes stays; phis whose every turn agrees are one, those that ever differ are not."""
    text, expected = case
    module = read(text)
    unite(module.functions["k"])
    phis = [inst for inst in module.functions["k"].instructions() if inst.op == "phi"]
    if len({tuple(column) for column in zip(*expected, strict=True)}) == len(expected[0]):
        assert len(phis) == len(expected[0]) + 1
    selected = isel.select(read(text), ARCH, isel.Options())
    for turns, values in enumerate(expected, 1):
        assert run_rows(selected, [[turns]], len(values)) == [values]


def test_phis_that_go_in_step_are_one() -> None:
    text = kernel("""entry:
  br label %loop
loop:
  %a = phi i64 [ 1, %entry ], [ %c, %loop ]
  %b = phi i64 [ %d, %loop ], [ 1, %entry ]
  %c = phi i64 [ 2, %entry ], [ %a, %loop ]
  %d = phi i64 [ 2, %entry ], [ %b, %loop ]
  %go = icmp eq i64 %c, %d
  br i1 %go, label %loop, label %end""")
    function = read(text).functions["k"]
    unite(function)
    assert sum(inst.op == "phi" for inst in function.instructions()) == 2


ROLLED = """
entry:
  %n = load i64, ptr %in
  %none = icmp eq i64 %n, 0
  br i1 %none, label %after, label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %sum = phi i64 [ 5, %entry ], [ %more, %loop ]
  %more = mul i64 %sum, 3
  %j = add i64 %i, 1
  %go = icmp ult i64 %j, %n
  br i1 %go, label %loop, label %after
after:
  %sofar = phi i64 [ 5, %entry ], [ %more, %loop ]
  %last = phi i64 [ {undefined}, %loop ], [ poison, %entry ]
  %shown = select i1 %none, i64 %sofar, i64 %last
  store i64 %shown, ptr %out
  br label %end"""


@pytest.mark.parametrize(("undefined", "count"), [("%more", 3), ("%sum", 4)])
def test_an_undefined_input_is_any(undefined: str, count: int) -> None:
    """What is not asked for where it is undefined may be what another phi is there; if they agree elsewhere."""
    text = kernel(ROLLED.format(undefined=undefined))
    function = read(text).functions["k"]
    unite(function)
    assert sum(inst.op == "phi" for inst in function.instructions()) == count
    rows = [[n] for n in (0, 1, 2, 7)]
    got = run_rows(isel.select(read(text), ARCH, isel.Options()), rows, 1)
    assert got == [[5 * 3 ** (n - (n > 0 and undefined == "%sum"))] for (n,) in rows]


def test_an_undefined_side_is_any() -> None:
    """A selection of which one side is undefined is the other one, in a chain too."""
    text = kernel(
        """entry:
  %x = load i64, ptr %in
  %c = icmp sgt i64 %x, 5
  %d = icmp eq i64 %x, 9
  %once = select i1 %c, i64 %x, i64 undef
  %twice = select i1 %d, i64 poison, i64 %once
  store i64 %twice, ptr %out
  br label %end"""
    )
    module = isel.select(read(text), ARCH, isel.Options())
    assert not {"setp", "selp"} & {word.split(".")[0] for word in format(module).split()}
    assert run_rows(module, [[7], [8]], 1) == [[7], [8]]


def test_a_register_is_not_given_what_it_holds() -> None:
    """One start of a sum for the way round the loop and for the way into it."""
    text = kernel(ROLLED.format(undefined="%more"))
    assert format(isel.select(read(text), ARCH, isel.Options())).count(", 5;") == 1


FROZEN = """entry:
  %x = load i32, ptr %in
  %at = getelementptr i64, ptr %in, i64 1
  %y = load i32, ptr %at
  br label %frozen
divided:
  %more = freeze i32 %same
  %again = sdiv i32 %more, %y
  %place = getelementptr i64, ptr %out, i64 1
  store i32 %again, ptr %place
  br label %end
frozen:
  %same = freeze i32 %x
  %quotient = sdiv i32 %same, %y
  %product = mul i32 %quotient, %y
  %rest = sub i32 %same, %product
  store i32 %rest, ptr %out
  %even = icmp eq i32 %rest, 0
  br i1 %even, label %divided, label %end"""


@given(x=st.integers(0, 2**31 - 1), y=st.integers(1, 9))
def test_a_frozen_value_is_what_it_was(x: int, y: int) -> None:
    """The quotient that a remainder was made of is that of the values before they were frozen."""
    module = isel.select(read(kernel(FROZEN)), ARCH, isel.Options())
    assert format(module).count("div.") == 1
    assert run_rows(module, [[x, y]], 2) == [[x % y, 0 if x % y else x // y]]
