"""Random structured programs: phis, swaps, loops, switches, executed by the PTX interpreter; the patterns that need
blocks around them, on the model."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import minicc
import runtime
from minicc.diagnostics import SourceFile
from minicc.fuzz import control
from tests.isel.run_ptx import compile_ir, run_rows

ROWS = st.lists(st.lists(st.integers(0, 2**32 - 1), min_size=4, max_size=4), min_size=2, max_size=4)


@pytest.mark.parametrize("level", [0, 1, 3])
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(program=control.programs(), rows=ROWS)
def test_programs(level: int, program: tuple[Any, ...], rows: list[list[int]]) -> None:
    """All variables at the end are as computed."""
    text = control.to_ir(program)
    results = run_rows(compile_ir(text, level), rows, control.VARIABLES)
    for row, result in zip(rows, results, strict=True):
        assert result == control.evaluate(program, row), text


BLOCKS = """
typedef int (*Step)(int);
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int less(int x) { return x - 7; }

__global__ void k(int *out, const int *in, int n)
{
    int i = threadIdx.x, x = in[i];
    Step step = x & 1 ? twice : less;
    for (int at = 0; at < n; at++) {
        switch (x & 15) {
        case 0: x += 3; break;
        case 1: x ^= 0x55; break;
        case 2: x = x * x; break;
        case 3: x -= n; out[i + 32] += x; break;
        case 4: x >>= 1; break;
        case 5: x = ~x; break;
        case 6: x = out[i + 32] - x; break;
        case 7: x += 1 << 9; break;
        case 8: x = x * 5; break;
        case 9: x ^= n; break;
        case 10: x = out[i + 32] + 1; break;
        default: x = step(x);
        }
    }
    out[i] = x;
}
"""


def _blocks(x: int, n: int) -> tuple[int, int]:
    """The same in Python."""
    odd, seen = x & 1, 0
    for _ in range(n):
        match x & 15:
            case 0:
                x += 3
            case 1:
                x ^= 0x55
            case 2:
                x *= x
            case 3:
                x -= n
                seen = _word(seen + x)
            case 4:
                x >>= 1
            case 5:
                x = ~x
            case 6:
                x = seen - x
            case 7:
                x += 1 << 9
            case 8:
                x *= 5
            case 9:
                x ^= n
            case 10:
                x = seen + 1
            case _:
                x = 2 * x if odd else x - 7
        x = _word(x)
    return x, seen


def _word(x: int) -> int:
    return (x + (1 << 31)) % (1 << 32) - (1 << 31)


def test_blocks() -> None:
    """br, brcond, brtable, ret and callreg."""
    made = minicc.compile(SourceFile("blocks.k", BLOCKS), arch="sm_90")
    text = made.ptx
    for what in (r"\tbra(\.uni)? ", r"@!?%p\d+ bra", r"brx\.idx", r"\tret;", r"\bcall \s*\(.*%rd"):
        assert re.search(what, text), what
    given = np.random.default_rng(1).integers(-(1 << 31), 1 << 31, 32).astype(np.int32)
    out = np.zeros(64, np.int32)
    runtime.Device("sm_90", timing=False).load(made)["k"][1, 32](out, given, 20)
    assert [*out] == [*(_blocks(int(x), 20)[0] for x in given), *(_blocks(int(x), 20)[1] for x in given)]
