"""Loops that LLVM unrolls by two go by four; what turns load both is loaded once; they mean what they meant."""

from __future__ import annotations

from functools import cache

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import minicc
from minicc.diagnostics import SourceFile
from runtime import Device

ROWS, WIDTH = 5, 4
WINDOW = """__global__ void window(const float *x, const float *k, float *out, int n)
{
    __shared__ float s[5 * 96];
    for (int i = threadIdx.x; i < 5 * 96; i += 32) s[i] = x[i];
    __syncthreads();
    float sum[5][4] = {};
    const float *at = s + threadIdx.x;
    for (int u = 0; u < n; u++) {
        #pragma unroll
        for (int r = 0; r < 5; r++)
            #pragma unroll
            for (int c = 0; c < 4; c++) sum[r][c] += at[r * 96 + u + c] * k[u];
    }
    #pragma unroll
    for (int r = 0; r < 5; r++)
        #pragma unroll
        for (int c = 0; c < 4; c++) out[(r * 4 + c) * 32 + threadIdx.x] = sum[r][c];
}
"""


@cache
def compiled() -> minicc.Compiled:
    return minicc.compile(SourceFile("k.k", WINDOW), arch="sm_90")


def test_four_turns_load_seven_words_of_a_row():
    turns = max(compiled().ptx.split("$L__"), key=lambda block: block.count("fma.rn.f32"))
    assert turns.count("fma.rn.f32") == 4 * ROWS * WIDTH
    assert turns.count("ld.shared") == ROWS * (WIDTH + 3)


@settings(max_examples=10, deadline=None)
@given(st.integers(-1, 32))
def test_they_mean_what_they_meant(n):
    rng = np.random.default_rng(n + 1)
    x, k = rng.integers(-8, 8, (ROWS, 96)).astype(np.float32), rng.integers(-8, 8, 32).astype(np.float32)
    out = np.zeros((ROWS, WIDTH, 32), np.float32)
    Device("sm_90").load(compiled().cubin)["window"][1, 32](x, k, out, n)
    t, c = np.arange(32), np.arange(WIDTH)[:, None]
    wanted = sum((x[:, c + t + u] * k[u] for u in range(max(n, 0))), np.zeros((ROWS, WIDTH, 32), np.float32))
    assert np.array_equal(out, wanted)
