"""Local variables that do not live at once share a place, and those that do have one each."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minicc import isel, ptx
from minicc.nvvm import read
from tests.isel.run_ptx import ARCH, run_rows

STEPS = ("start", "write", "read", "end")
MASK = (1 << 64) - 1


def program(events: list[int], variables: int, turns: int) -> str:
    """IR in which the n-th event of a variable is the n-th step of its life, over and over; `turns` times in all, half
    of the events on either side of a branch that is always taken."""
    out = ["define ptx_kernel void @k(ptr %in, ptr %out) {", "entry:"]
    for v in range(variables):
        out += [
            f"  %v{v} = alloca [{v % 3 + 2} x i64], align 8",
            f"  %a{v} = addrspacecast ptr %v{v} to ptr addrspace(5)",
        ]
    out += ["  %x = load i64, ptr %in", "  br label %loop", "loop:"]
    out += [
        "  %turn = phi i64 [ 0, %entry ], [ %next, %second ]",
        "  %s0 = phi i64 [ 0, %entry ], [ %last, %second ]",
        "  %odd = and i64 %x, 1",
    ]
    sums, done = 0, [0] * variables
    for n, v in enumerate(events):
        if n == len(events) // 2:
            out += ["  %c = icmp ult i64 %x, 1000", "  br i1 %c, label %second, label %end", "second:"]
        step = STEPS[done[v] % 4]
        done[v] += 1
        place = f"  %p{n} = getelementptr i64, ptr addrspace(5) %a{v}, i64 %odd"
        if step in ("start", "end"):
            out.append(f"  call void @llvm.lifetime.{step}.p0(ptr %v{v})")
        elif step == "write":
            out += [place, f"  %w{n} = add i64 %turn, {n + 1}", f"  store i64 %w{n}, ptr addrspace(5) %p{n}"]
        else:
            out += [place, f"  %r{n} = load i64, ptr addrspace(5) %p{n}", f"  %m{n} = mul i64 %s{sums}, 31"]
            out.append(f"  %s{sums + 1} = add i64 %m{n}, %r{n}")
            sums += 1
    out += [
        f"  %last = add i64 %s{sums}, 0",
        "  %next = add i64 %turn, 1",
        f"  %more = icmp ult i64 %next, {turns}",
        "  br i1 %more, label %loop, label %end",
        "end:",
        "  %result = phi i64 [ 0, %loop ], [ %last, %second ]",
        "  store i64 %result, ptr %out",
        "  ret void",
        "}",
        "declare void @llvm.lifetime.start.p0(ptr)",
        "declare void @llvm.lifetime.end.p0(ptr)",
    ]
    return "\n".join(out)


def expected(events: list[int], variables: int, turns: int) -> int:
    total, held = 0, [0] * variables
    for turn in range(turns):
        done = [0] * variables
        for n, v in enumerate(events):
            step = STEPS[done[v] % 4]
            done[v] += 1
            if step == "write":
                held[v] = turn + n + 1
            elif step == "read":
                total = (total * 31 + held[v]) & MASK
    return total


def frame(text: str) -> int:
    found = re.search(r"\.local .*\[(\d+)\]", text)
    assert found is not None
    return int(found[1])


@settings(deadline=None, max_examples=60)
@given(data=st.data(), variables=st.integers(2, 5), turns=st.integers(1, 3))
def test_lives_in_any_order_keep_their_values(data: st.DataObject, variables: int, turns: int) -> None:
    events = data.draw(st.permutations([v for v in range(variables) for _ in range(4 * (1 + v % 2))]))
    module = isel.select(read(program(events, variables, turns)), ARCH, isel.Options())
    assert run_rows(module, [[6], [7]], 1) == [[expected(events, variables, turns)]] * 2


@pytest.mark.parametrize(
    ("events", "bytes_"),
    [
        ([0] * 4 + [1] * 4 + [2] * 4, 32),  # one behind the other: the largest of them
        ([0, 1] * 4, 16 + 24),  # both at once
        ([0, 0, 0, 1, 0, 1, 1, 1], 16 + 24),  # one starts before the other ends
        ([0] * 4 + [1] * 3, 16 + 24),  # the second never ends, so it lives where the first starts again
    ],
)
def test_the_frame_is_as_large_as_what_lives_at_once(events: list[int], bytes_: int) -> None:
    variables = max(events) + 1
    module = isel.select(read(program(events, variables, 2)), ARCH, isel.Options())
    assert frame(ptx.format(module)) == bytes_
    assert run_rows(module, [[6]], 1) == [[expected(events, variables, 2)]]


def test_a_variable_without_marks_lives_always() -> None:
    text = re.sub(r"  call void @llvm.lifetime.*%v1\)\n", "", program([0] * 4 + [1] * 4 + [2] * 4, 3, 1))
    assert frame(ptx.format(isel.select(read(text), ARCH, isel.Options()))) == 32 + 24
