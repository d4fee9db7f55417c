"""Equal comparisons of blocks that follow one another are one; those of blocks side by side are not."""

from __future__ import annotations

import re

import pytest

from minicc.ptx import format
from tests.isel.run_ptx import compile_ir, run_rows

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
  tail call void @llvm.nvvm.barrier0()
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
declare void @llvm.nvvm.barrier0()
"""


@pytest.mark.parametrize(("first", "again", "count"), [("slt", "slt", 1), ("slt", "ult", 2), ("ne", "ne", 1)])
def test_one_where_it_dominates(first: str, again: str, count: int) -> None:
    module = compile_ir(BODY.format(first, again), 0 if count == 2 else 3)
    assert len(re.findall(r"\bsetp\.", format(module))) == count


def test_what_it_decides_is_kept() -> None:
    """Values on both sides of each, signed and not."""
    rows = [[a, b] for a in (0, 5, 2**64 - 1) for b in (0, 5, 2**64 - 1)]
    for again in ("slt", "ult", "eq"):
        text = BODY.format("slt", again).replace("  tail call void @llvm.nvvm.barrier0()\n", "")
        got = run_rows(compile_ir(text), rows, 1)
        for (a, b), (value,) in zip(rows, got, strict=True):
            less = (a + 2**63) % 2**64 < (b + 2**63) % 2**64
            second = {"slt": less, "ult": a < b, "eq": a == b}[again]
            assert value == (1 if less else 2) + 10 * second
