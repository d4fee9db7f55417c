"""Pure instructions are made where they are used, never more often than before; what a loop uses, before it."""

from __future__ import annotations

import pytest

from minicc import isel
from minicc.isel.hoist import hoist
from minicc.isel.sink import sink
from minicc.nvvm import ir, read
from tests.isel.run_ptx import ARCH, kernel, run_rows

LOOP = """
entry:
  %n = load i64, ptr %in
  %square = mul i64 %n, %n
  %start = xor i64 %n, 5
  {branch}
{rest}
loop:
  %i = phi i64 [ 0, %{before} ], [ %j, %loop ]
  %sum = phi i64 [ %start, %{before} ], [ %more, %loop ]
  %more = add i64 %sum, %square
  %j = add i64 %i, 1
  %go = icmp ult i64 %j, %n
  br i1 %go, label %loop, label %after
after:
  %last = phi i64 [ {other}, %entry ], [ %more, %loop ]
  store i64 %last, ptr %out
  br label %end"""
GUARD = "%none = icmp eq i64 %n, 0\n  br i1 %none, label %after, label %{0}"
CASES = {
    "edge": ({"branch": GUARD.format("loop"), "rest": "", "before": "entry", "other": "7"}, "loop.before"),
    "block": ({"branch": GUARD.format("way"), "rest": "way:\n  br label %loop", "before": "way", "other": "7"}, "way"),
    "elsewhere": ({"branch": GUARD.format("loop"), "rest": "", "before": "entry", "other": "%square"}, "entry"),
}


def sunk(text: str) -> ir.Function:
    function = read(text).functions["k"]
    sink(function, hoist(function))
    return function


@pytest.mark.parametrize("name", CASES)
def test_what_only_a_loop_uses(name: str) -> None:
    """Before the loop, behind the branch that leads past it; not if the other way needs it, too."""
    given, home = CASES[name]
    text = kernel(LOOP.format(**given))
    function = sunk(text)
    assert {i.parent.name for i in function.instructions() if i.op == "mul" and i.parent} == {home}
    for block in function.blocks:
        assert block.insts[-1].op in ("br", "ret") and all(inst.parent is block for inst in block.insts)
        for inst in block.insts:
            if inst.op == "phi":
                assert set(inst.blocks) == {b for b in function.blocks if block in b.successors}
    other = {"7": 7, "%square": 0}[given["other"]]
    got = run_rows(isel.select(read(text), ARCH, isel.Options()), [[n] for n in range(4)], 1)
    assert got == [[(n ^ 5) + n**3 if n else other] for n in range(4)]


def test_not_into_a_loop() -> None:
    """What an outer loop uses, and one inside it, is made before the outer one, or where it was."""
    text = kernel("""
entry:
  %n = load i64, ptr %in
  %square = mul i64 %n, %n
  %none = icmp eq i64 %n, 0
  br i1 %none, label %end, label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %j, %latch ]
  %some = icmp ugt i64 %i, 1
  br i1 %some, label %inner, label %latch
inner:
  %k = phi i64 [ 0, %outer ], [ %l, %inner ]
  store volatile i64 %square, ptr %out
  %l = add i64 %k, 1
  %again = icmp ult i64 %l, %n
  br i1 %again, label %inner, label %latch
latch:
  %j = add i64 %i, 1
  %go = icmp ult i64 %j, %n
  br i1 %go, label %outer, label %end""")
    assert {i.parent.name for i in sunk(text).instructions() if i.op == "mul" and i.parent} == {"outer.before"}
