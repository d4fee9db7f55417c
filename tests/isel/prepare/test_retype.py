"""Phis of integers that carry the bits of floats: the loop adds floats without turning them into words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicc import isel, nvvm, ptx
from tests.isel.run_ptx import ARCH, run_rows

LOOP = """define ptx_kernel void @kernel(ptr %in, ptr %out) {{
entry:
  %n = load i64, ptr %in, align 8
  %none = icmp eq i64 %n, 0
  br i1 %none, label %end, label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = phi {bits} [ {one}, %entry ], [ %b, %loop ]
  %b = phi {bits} [ 0, %entry ], [ %new, %loop ]
  %x = bitcast {bits} %a to {kind}
  %y = bitcast {bits} %b to {kind}
  %sum = fadd {kind} %x, %y
  %new = bitcast {kind} %sum to {bits}
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  %last = phi {bits} [ {one}, %entry ], [ %new, %loop ]
  {use}
  ret void
}}
"""
KINDS = {"half": ("i16", np.float16), "float": ("i32", np.float32), "double": ("i64", np.float64)}
STORE = "store {bits} %last, ptr %out, align 8"


def compiled(kind: str, use: str = STORE) -> ptx.Module:
    bits, numbers = KINDS[kind]
    one = int(numbers(1).view(f"u{numbers().itemsize}"))
    source = LOOP.format(kind=kind, bits=bits, one=one, use=use.format(bits=bits))
    return isel.select(nvvm.read(source), ARCH, isel.Options())


@pytest.mark.parametrize("kind", KINDS)
@given(turns=st.integers(0, 20))
def test_sums(kind: str, turns: int) -> None:
    """Fibonacci's numbers, as floats."""
    bits, numbers = KINDS[kind]
    a, b = numbers(1), numbers(0)
    for _ in range(turns):
        a, b = b, a + b
    last = b if turns else a
    width = int(bits[1:])
    stored = run_rows(compiled(kind), [[turns]], 1)[0][0]
    assert stored & (1 << width) - 1 == int(last.view(f"u{width // 8}"))


@pytest.mark.parametrize("kind", KINDS)
def test_no_words(kind: str) -> None:
    """Nothing turns a half into a word; what computes with the bits keeps them."""
    text = ptx.format(compiled(kind))
    assert "cvt.u32.u16" not in text and "mov.b32 \t%r" not in text
    odd = ptx.format(compiled(kind, "%odd = and {bits} %last, 1\n  store {bits} %odd, ptr %out, align 8"))
    assert "and.b" in odd
