"""What unrolling leaves over, four, two and one turn at a time, means what one turn at a time means."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import minicc
from minicc import ptx
from minicc.diagnostics import SourceFile
from minicc.nvvm.rests import split
from runtime import Device
from tests.isel.run_ptx import compile_ir, run_rows

KERNEL = """target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @kernel(ptr noalias %table, ptr noalias %result) {
entry:
  %n.64 = load i64, ptr %table
  %n = trunc i64 %n.64 to i32
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %loop, label %end

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %sum = phi i64 [ 7, %entry ], [ %sum.next, %loop ]
  %before = phi i64 [ 1, %entry ], [ %sum, %loop ]
  %low = and i32 %i, 15
  %place = zext i32 %low to i64
  %at = getelementptr i64, ptr %table, i64 %place
  %value = load i64, ptr %at
  %five = mul i64 %sum, 5
  %more = add i64 %five, %before
  %sum.next = add i64 %more, %value
  STORE
  %i.next = add nuw nsw i32 %i, 1
  %back = icmp slt i32 %i.next, %n
  br i1 %back, label %loop, label %end

end:
  %last = phi i32 [ -1, %entry ], [ %i, %loop ]
  %total = phi i64 [ 0, %entry ], [ %sum.next, %loop ]
  %old = phi i64 [ 0, %entry ], [ %before, %loop ]
  %last.64 = sext i32 %last to i64
  %total.at = getelementptr i64, ptr %result, i64 1
  %old.at = getelementptr i64, ptr %result, i64 2
  store i64 %last.64, ptr %result
  store i64 %total, ptr %total.at
  store i64 %old, ptr %old.at
  ret void
}
"""
"""A hash of table[i & 15] for i < n = table[0], what it was two turns before the last, and the last i."""
STORES = (
    "",
    "store i64 %sum.next, ptr %at",
    """%odd = trunc i64 %value to i1
  br i1 %odd, label %then, label %go
then:
  %beside = xor i64 %place, 1
  %beside.at = getelementptr i64, ptr %table, i64 %beside
  %again = load i64, ptr %beside.at
  %both = add i64 %again, %sum.half
  br label %go
go:
  %sum.next = phi i64 [ %sum.half, %loop ], [ %both, %then ]""",
    """%odd = trunc i64 %value to i1
  br i1 %odd, label %then, label %go
then:
  %both = add i64 %sum.half, 3
  store i64 %both, ptr %at
  br label %go
go:
  %sum.next = phi i64 [ %sum.half, %loop ], [ %both, %then ]""",
)
"""A turn may write where a later one reads, and may be of several blocks."""


@cache
def compiled(store: str) -> ptx.Module:
    text = KERNEL.replace("STORE", store)
    if "go:" in store:
        text = re.sub(
            r"(phi [^\n]*%entry \], \[ [^,]+, )%loop", r"\1%go", text.replace("%sum.next = add", "%sum.half = add")
        )
    module = compile_ir(text)
    assert ptx.format(module).count("ld.global") > (9 if store else 10)  # not one by one
    return module


def expected(row: list[int], store: str) -> list[int]:
    table, mask = list(row), (1 << 64) - 1
    total, before, old, last = 7, 1, 0, -1
    for i in range(row[0]):
        old, last, value = before, i, table[i & 15]
        total, before = (total * 5 + before + value) & mask, total
        if "store i64 %both" in store:
            if value % 2:
                total = table[i & 15] = (total + 3) & mask
        elif "go:" in store:
            total = (total + table[i & 15 ^ 1]) & mask if value % 2 else total
        elif store:
            table[i & 15] = total
    return [last & mask, total if row[0] > 0 else 0, old]


@pytest.mark.parametrize("store", STORES, ids=["loads", "stores", "blocks", "blocks that store"])
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(n=st.integers(0, 40), more=st.lists(st.integers(0, 1 << 62), min_size=15, max_size=15))
def test_any_number_of_turns(store: str, n: int, more: list[int]) -> None:
    row = [n, *more]
    assert run_rows(compiled(store), [row], 3) == [expected(row, store)]


REST = """
define void @f() {
entry:
  %xtraiter = and i32 %n, MOST, !dbg !1
  br label %g.epil

g.epil:
  %epil.iter = phi i32 [ 0, %entry ], [ %epil.iter.next, %g.epil ]
  %s = phi float [ %t, %entry ], [ %s.next, %g.epil ]
  %a = load float, ptr %x, !dbg !2
  %s.next = fadd float %s, %a
  %epil.iter.next = add i32 %epil.iter, 1, !dbg !1
  %end = icmp eq i32 %epil.iter.next, %xtraiter, !dbg !1
  br i1 %end, label %out, label %g.epil, !dbg !1, !llvm.loop !0

out:
  %r = phi float [ %s.next, %g.epil ]
  ret void
}
"""


@pytest.mark.parametrize("number", ["", "36"])
@pytest.mark.parametrize(("most", "turns"), [(7, 7), (3, 3), (1, 1)])
def test_how_many_turns(most: int, turns: int, number: str) -> None:
    """Up to three or up to seven are taken apart; the loop's counter goes, which a second loop has under a number."""
    new = split(REST.replace("MOST", str(most)).replace("epil.iter", f"epil.iter{number}"))
    assert new.count(" = load ") == turns and ("epil.iter" in new) == (most == 1)
    assert ("%s.next, %g.epil.done ]" in new) == (most > 1)


def test_what_is_left_alone() -> None:
    """Turns that load nothing, counters that someone asks for, and divisions, which are long."""
    for old, new in (
        ("load float, ptr %x", "fadd float %t, 1.0"),
        ("ret void", "call void @g(i32 %epil.iter.next)"),
        ("  %s.next = ", "  %q = udiv i32 %n, %m\n  %o = srem i32 %q, %m\n  %s.next = "),
    ):
        text = REST.replace("MOST", "7").replace(old, new)
        assert text.count(new) == 1 and split(text) == text


LOADED = "  %b = load float, ptr %y\n"


@pytest.mark.parametrize(
    ("place", "more", "apart"),
    [
        ("ptr %x", "", True),
        ("ptr %x", LOADED, True),
        ("ptr %x", LOADED + "  store float %b, ptr %y\n", False),
        ("ptr addrspace(3) @s", "", True),
        ("ptr %y", "", False),
        ("ptr @s", "", False),
    ],
)
def test_stores_of_several_blocks(place: str, more: str, apart: bool) -> None:
    """Blocks that store are taken apart where the loads of later turns may go before the stores."""
    old = "  %epil.iter.next = "
    text = REST.replace("MOST", "7").replace("%epil.iter.next, %g.epil ]", "%epil.iter.next, %g.go ]")
    text = text.replace("%s.next, %g.epil ]", "%s.next, %g.go ]")
    then = f"{more}  store float %a, {place}\n"
    some = f"  br i1 %c, label %g.then, label %g.go\n\ng.then:\n{then}  br label %g.go\n\ng.go:\n"
    text = text.replace(old, some + old, 1)
    assert (split(text) != text) == apart


PROMISED = """__device__ void put(unsigned *__restrict__ to, const unsigned *from) { *to = from[2] ^ from[0]; }
__global__ void k(unsigned *p, unsigned *q, size_t n)
{
    for (size_t i = 0; i < n; i++) put(q + i, p + i);
}
"""


@pytest.mark.parametrize("n", [3, 5, 7, 8, 15])
@pytest.mark.parametrize("apart", [1, 3])
def test_a_promise_of_an_inlined_function_holds_for_one_turn(n: int, apart: int) -> None:
    """What a turn stores is what a later one loads."""
    device = Device("sm_90")
    words = np.arange(3, 35, dtype=np.uint32) ** 2
    memory = device.buffer(words)
    cubin = minicc.compile(SourceFile("k.k", PROMISED), arch="sm_90").cubin
    device.load(cubin)["k"][1, 1](memory, memory[apart:], n)
    for i in range(n):
        words[i + apart] = words[i + 2] ^ words[i]
    assert (memory.numpy() == words).all()


def test_turns_are_counted_from_the_first() -> None:
    """A constant comes to each address: from one turn to the next it was a sum of 64 bits more for every one."""
    text = """__global__ void k(const float *x, const float *w, float *out, int t, int n)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x, c = i / t, p = i % t;
        float s = 0;
        for (int j = 0; j < n; j++) {
            int q = p - (n - 1) + j;
            if (q >= 0) s += w[c * n + j] * x[c * t + q];
        }
        out[i] = s;
    }"""
    made = minicc.compile(SourceFile("k.cu", text), arch="sm_90").ptx
    assert made.count("ld.global") == 2 * (8 + 4 + 2 + 1) and made.count("add.s64") <= 17
