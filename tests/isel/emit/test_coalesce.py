"""Results of inline assembly and of vector loads share registers with phis, and with nothing they clash with."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicc import isel, nvvm, ptx
from tests.isel.run_ptx import ARCH, run_rows

WORD = (1 << 32) - 1
LOOP = """define ptx_kernel void @kernel(ptr %in, ptr %out) {{
entry:
  %n = load i64, ptr %in, align 8
  %p = getelementptr i64, ptr %in, i64 1
  %a0 = load i32, ptr %p, align 8
  %q = getelementptr i64, ptr %in, i64 2
  %b0 = load i32, ptr %q, align 8
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = phi i32 [ %a0, %entry ], [ {first}, %loop ]
  %b = phi i32 [ %b0, %entry ], [ {second}, %loop ]
  %both = call {{ i32, i32 }} asm "{text}", "{operands}"(i32 %a, i32 %b)
  %x = extractvalue {{ i32, i32 }} %both, 0
  %y = extractvalue {{ i32, i32 }} %both, 1
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  %keep = add i32 %a, %b
  store i32 %x, ptr %out, align 8
  %r = getelementptr i64, ptr %out, i64 1
  store i32 %y, ptr %r, align 8
  %s = getelementptr i64, ptr %out, i64 2
  store i32 %keep, ptr %s, align 8
  ret void
}}
"""
ADD = "add.u32 $0, $0, $1; xor.b32 $1, $1, $0;"
TEXTS = {
    "tied": (ADD, "=r,=r,0,1"),
    "tied crosswise": (ADD, "=r,=r,1,0"),
    "one tied": ("xor.b32 $1, $3, $0;", "=r,=r,0,r"),
    "written early": ("mov.b32 $0, 7; mad.lo.u32 $0, $2, $3, $0; xor.b32 $1, $2, $3;", "=r,=r,r,r"),
}


def turn(kind: str, a: int, b: int) -> tuple[int, int]:
    """What the assembly makes of its operands."""
    total = (a + b) & WORD
    match kind:
        case "tied":
            return total, b ^ total
        case "tied crosswise":
            return total, a ^ total
        case "one tied":
            return a, a ^ b
    return (a * b + 7) & WORD, a ^ b


@pytest.mark.parametrize("exchanged", [False, True])
@pytest.mark.parametrize("kind", TEXTS)
@given(turns=st.integers(1, 5), a=st.integers(0, WORD), b=st.integers(0, WORD))
def test_assembly(kind: str, exchanged: bool, turns: int, a: int, b: int) -> None:
    """Operands are read before a result overwrites them, whichever of them share a register."""
    text, operands = TEXTS[kind]
    first, second = ("%y", "%x") if exchanged else ("%x", "%y")
    source = LOOP.format(text=text, operands=operands, first=first, second=second)
    module = isel.select(nvvm.read(source), ARCH, isel.Options())
    row, x, y, kept = [turns, a, b], 0, 0, 0
    for _ in range(turns):
        kept = (a + b) & WORD
        x, y = turn(kind, a, b)
        a, b = (y, x) if exchanged else (x, y)
    assert [word & WORD for word in run_rows(module, [row], 3)[0]] == [x, y, kept]


LOADS = """define ptx_kernel void @kernel(ptr %in, ptr %out) {
entry:
  %first = load <4 x i32>, ptr %in, align 16
  br label %loop
loop:
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %v = phi <4 x i32> [ %first, %entry ], [ %ahead, %loop ]
  %sum = phi <4 x i32> [ zeroinitializer, %entry ], [ %more, %loop ]
  %at = getelementptr <4 x i32>, ptr %in, i64 %i
  %more = add <4 x i32> %sum, %v
  %ahead = load <4 x i32>, ptr %at, align 16
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, 5
  br i1 %again, label %loop, label %end
end:
  %all = add <4 x i32> %more, %ahead
  store <4 x i32> %all, ptr %out, align 16
  ret void
}
"""


def test_loads_ahead() -> None:
    """What a turn loads for the next one stays where it was loaded to."""
    module = isel.select(nvvm.read(LOADS), ARCH, isel.Options())
    row = [3**n for n in range(10)]
    halves = [word >> shift & WORD for word in row for shift in (0, 32)]
    sums = [sum(halves[lane::4]) & WORD for lane in range(4)]
    assert run_rows(module, [row], 2) == [[sums[0] | sums[1] << 32, sums[2] | sums[3] << 32]]
    loop = ptx.format(module).partition("L__BB0_1:")[2].partition("bra")[0]
    assert "ld" in loop and "mov" not in loop
