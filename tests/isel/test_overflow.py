"""Arithmetic with overflow, by numbers and by values: LLVM's meaning, for every width and operand tried."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minicc import isel
from minicc.nvvm import read
from tests.isel.interpret import signed
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


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(bits=st.sampled_from([3, 7, 13, 17]), count=st.integers(2, 4), data=st.data())
def test_vectors_in_a_struct(bits: int, count: int, data: st.DataObject) -> None:
    """Elements of no whole bytes lie bit by bit, in a struct and an array as alone."""
    numbers = st.lists(st.integers(0, (1 << bits) - 1), min_size=count, max_size=count)
    a, b = data.draw(numbers), data.draw(numbers)
    type_ = f"<{count} x i{bits}>"
    both = f"{{ {type_}, <{count} x i1> }}"
    name = f"@llvm.uadd.with.overflow.v{count}i{bits}"
    text = f"""declare {both} {name}({type_}, {type_})
define ptx_kernel void @kernel(ptr %in, ptr %out) {{
  %pair = load [2 x {type_}], ptr %in, align 16
  %a = extractvalue [2 x {type_}] %pair, 0
  %b = extractvalue [2 x {type_}] %pair, 1
  %r = call {both} {name}({type_} %a, {type_} %b)
  store {both} %r, ptr %out, align 16
  ret void
}}"""

    def packed(values: list[int], width: int) -> int:
        return sum(value << width * k for k, value in enumerate(values))

    size = 1  # of a vector in memory: what holds its bits, rounded up to a power of two
    while 8 * size < bits * count:
        size *= 2
    memory = (packed(a, bits) | packed(b, bits) << 8 * size).to_bytes(64, "little")
    row = [int.from_bytes(memory[k : k + 8], "little") for k in range(0, 64, 8)]
    found = run_rows(isel.select(read(text), ARCH, isel.Options()), [row], 3)[0]
    whole = sum(word << 64 * k for k, word in enumerate(found))
    sums = [x + y for x, y in zip(a, b, strict=True)]
    low = [value & (1 << bits) - 1 for value in sums]
    assert whole & (1 << bits * count) - 1 == packed(low, bits)
    assert whole >> 8 * size & (1 << count) - 1 == packed([value >> bits for value in sums], 1)
