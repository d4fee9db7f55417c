"""Volatile variables of a thread's own are kept in registers; what others can see is loaded and stored each time."""

from __future__ import annotations

import numpy as np
import pytest

import minicc
import runtime
from minicc.diagnostics import SourceFile

OWN = {
    "scalar": "volatile int s = 1; for (int i = 0; i < n; i++) s += a[i];",
    "flag": "volatile bool odd = false; for (int i = 0; i < n; i++) odd = odd != (a[i] & 1); int s = odd;",
    "array": "volatile int t[3]; for (int i = 0; i < 3; i++) t[i] = a[i]; t[1] += n; int s = t[0] + t[1] + t[2];",
    "member": "volatile struct { int x, y; } p; p.x = a[0]; p.y = a[1] * n; int s = p.x - p.y;",
    "parameter": "n++; int s = twice(n) + a[2];",
}


@pytest.mark.parametrize("name", OWN)
def test_in_registers(name: str) -> None:
    text = f"""
__device__ int twice(volatile int n) {{ n *= 2; return n; }}
extern "C" __global__ void k(int *a, int n) {{ {OWN[name]} a[8] = s; }}"""
    compiled = minicc.compile(SourceFile("k.cu", text))
    assert ".local" not in compiled.ptx
    results = []
    for source in (text, text.replace("volatile ", "")):
        a = np.arange(3, 12, dtype=np.int32)
        runtime.Device().load(minicc.compile(SourceFile("k.cu", source)).cubin)["k"][1, 1](a, np.int32(5))
        results.append(int(a[8]))
    assert results[0] == results[1]


def test_others_see() -> None:
    """Shared and global memory, through pointers to volatile, as often as the program says."""
    text = """
extern "C" __global__ void k(int *a, volatile int *b) {
  volatile __shared__ int s;
  volatile int *p = b;
  s = a[0]; s = s + 1; a[1] = s + *p + *p;
}"""
    ptx = minicc.compile(SourceFile("k.cu", text)).ptx
    assert ptx.count("volatile.shared") == 4 and ptx.count("ld.volatile.global") + ptx.count("ld.volatile.u32") == 2
