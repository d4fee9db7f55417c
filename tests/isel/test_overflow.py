"""Arithmetic with overflow, by numbers and by values: LLVM's meaning, for every width and operand tried."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minicc import isel
from minicc.nvvm import read
from tests.isel.run_ptx import ARCH, run_rows

KERNEL = """declare {{ i{bits}, i1 }} @llvm.{op}.with.overflow.i{bits}(i{bits}, i{bits})
define ptx_kernel void @kernel(ptr %in, ptr %out) {{
  %a = load i{bits}, ptr %in, align 8
  %q = getelementptr i8, ptr %in, i64 8
  %b = load i{bits}, ptr %q, align 8
  %r = call {{ i{bits}, i1 }} @llvm.{op}.with.overflow.i{bits}(i{bits} %a, i{bits} {second})
  %value = extractvalue {{ i{bits}, i1 }} %r, 0
  %flag = extractvalue {{ i{bits}, i1 }} %r, 1
  %v = zext i{bits} %value to i128
  %w = trunc i128 %v to i64
  %f = zext i1 %flag to i64
  store i64 %w, ptr %out, align 8
  %p = getelementptr i8, ptr %out, i64 8
  store i64 %f, ptr %p, align 8
  ret void
}}"""


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


@pytest.mark.parametrize("op", ["uadd", "usub", "umul", "sadd", "ssub", "smul"])
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_exact(op: str, data: st.DataObject) -> None:
    bits = data.draw(st.sampled_from([8, 16, 32, 64]))
    top = (1 << bits) - 1
    word = st.one_of(st.sampled_from([0, 1, 2, top, top - 1, top >> 1, (top >> 1) + 1]), st.integers(0, top))
    number = data.draw(st.one_of(st.none(), word))
    second = "%b" if number is None else str(signed(number, bits))
    rows = [[data.draw(word), data.draw(word)] for _ in range(4)]
    module = isel.select(read(KERNEL.format(op=op, bits=bits, second=second)), ARCH, isel.Options())
    for (a, b), (value, flag) in zip(rows, run_rows(module, rows, 2), strict=True):
        x, y = a, b if number is None else number
        if op[0] == "s":
            x, y = signed(x, bits), signed(y, bits)
        exact = {"add": x + y, "sub": x - y, "mul": x * y}[op[1:]]
        least = -(1 << (bits - 1)) if op[0] == "s" else 0
        assert (value, flag) == (exact & top, int(not least <= exact <= least + top)), (a, y)
