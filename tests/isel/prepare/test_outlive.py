"""Values of a loop's turn that are needed after the loop: they are right, and the loop ends with its branch."""

from __future__ import annotations

import pytest

from minicc import isel, nvvm, ptx
from tests.isel.run_ptx import ARCH, run_rows

LOOP = """define ptx_kernel void @kernel(ptr %in, ptr %out) {
entry:
  %x = load i64, ptr %in, align 8
  br label %loop
loop:
  %old = phi i64 [ %x, %entry ], [ %new, %loop ]
  %before = phi i64 [ 7, %entry ], [ %old, %loop ]
  %new = lshr i64 %old, 1
  %more = icmp ne i64 %new, 0
  br i1 %more, label %loop, label %end
end:
  store i64 %old, ptr %out, align 8
  %p = getelementptr i64, ptr %out, i64 1
  store i64 %before, ptr %p, align 8
  ret void
}
"""


@pytest.mark.parametrize("x", [1, 2, 3, 12, 1 << 63])
def test_the_last_turns_values(x: int) -> None:
    module = isel.select(nvvm.read(LOOP), ARCH, isel.Options())
    before = 7 if x < 2 else x >> x.bit_length() - 2
    assert run_rows(module, [[x]], 2) == [[1, before]]
    assert "bra.uni" not in ptx.format(module)
