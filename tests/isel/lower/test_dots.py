"""Sums of products of bytes that lie in several words: packed where enough products share them, and right anyway."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import minicc
import runtime
from minicc.diagnostics import SourceFile

_TYPES = {"signed char": np.int8, "unsigned char": np.uint8}


def outer(a: str, b: str, rows: int, columns: int, steps: int) -> str:
    """A kernel that sums an outer product of bytes over some steps; one thread."""
    return f"""
__global__ void k(const {a} *x, const {b} *y, int *out) {{
    int sum[{rows}][{columns}] = {{}};
    #pragma unroll
    for (int s = 0; s < {steps}; s++)
        #pragma unroll
        for (int r = 0; r < {rows}; r++)
            #pragma unroll
            for (int c = 0; c < {columns}; c++)
                sum[r][c] += x[s * {rows} + r] * y[s * {columns} + c];
    for (int r = 0; r < {rows}; r++)
        for (int c = 0; c < {columns}; c++)
            out[r * {columns} + c] = sum[r][c];
}}
"""


@settings(max_examples=12)
@given(st.sampled_from(list(_TYPES)), st.sampled_from(list(_TYPES)), st.integers(1, 5), st.integers(1, 5),
       st.integers(3, 9), st.integers(0, 99))  # fmt: skip
def test_outer_products_of_bytes(a: str, b: str, rows: int, columns: int, steps: int, seed: int) -> None:
    made = minicc.compile(SourceFile("outer.k", outer(a, b, rows, columns, steps)), arch="sm_90")
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 256, (steps, rows), dtype=np.uint8).view(_TYPES[a])
    y = rng.integers(0, 256, (steps, columns), dtype=np.uint8).view(_TYPES[b])
    out = np.zeros((rows, columns), np.int32)
    runtime.Device("sm_90", timing=False).load(made)["k"][1, 1](x, y, out)
    assert np.array_equal(out, x.astype(np.int32).T @ y.astype(np.int32))
    dots = len(re.findall(r"\bdp4a\.", made.ptx))
    if min(rows, columns) >= 4:
        assert dots == rows * columns * (steps // 4)
    if max(rows, columns) == 1:
        assert dots == 0
