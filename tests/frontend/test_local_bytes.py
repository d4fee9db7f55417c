"""Arrays of bytes in local memory: aligned for the widest access that fits, so that neighbours are words."""

from __future__ import annotations

import re

import numpy as np

import minicc
import runtime
from minicc.diagnostics import SourceFile

SIZE = 10
TEXT = f"""
extern "C" __global__ void marks(unsigned *out, int a, int b) {{
  unsigned char seen[{SIZE}];
  for (int i = 0; i < {SIZE}; i++) seen[i] = 0x15;
  seen[a] = threadIdx.x; seen[b] = 2; seen[threadIdx.x % {SIZE}] += 3;
  unsigned sum = 0;
  for (int i = 0; i < {SIZE}; i++) sum = sum * 7 + seen[i];
  out[threadIdx.x] = sum;
}}
"""


def expected(thread: int, a: int, b: int) -> int:
    seen = [0x15] * SIZE
    seen[a], seen[b] = thread, 2
    seen[thread % SIZE] += 3
    total = 0
    for value in seen:
        total = (total * 7 + value) % (1 << 32)
    return total


def test_bytes_are_cleared_and_read_by_words() -> None:
    compiled = minicc.compile(SourceFile("marks.cu", TEXT))
    out = np.zeros(32, np.uint32)
    runtime.Device().load(compiled.cubin)["marks"][1, 32](out, 3, 8)
    assert out.tolist() == [expected(t, 3, 8) for t in range(32)]
    vectors = re.findall(r"(st|ld)\.local\.v\d", compiled.ptx)
    single = re.findall(r"(st|ld)\.local\.u8", compiled.ptx)
    assert (len(vectors), len(single)) == (5, 4)
