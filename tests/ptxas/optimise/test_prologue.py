"""What the first instructions of a kernel load: sizes of the block beside S2R, the descriptor after the exits."""

from __future__ import annotations

import numpy as np
import pytest

import minicc
import runtime
from minicc import arch
from minicc.analysis.mix import instructions
from minicc.binary import read_cubin
from minicc.diagnostics import SourceFile
from minicc.sass.instr import Const

OFF = "-Xptxas --disable=prologue"
BODIES = (
    "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[i] = a[i] + i;",
    "int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;"
    "if (i < n && j < 4) b[j * n + i] = a[i] * j;",
    "int i = threadIdx.y * blockDim.x + threadIdx.x; if (i >= n) return; b[i] = a[i] + blockDim.y;",
    "int i = threadIdx.z * blockDim.y + threadIdx.y; if (i >= n) return; b[i] = blockDim.z - a[i];",
    "for (int i = threadIdx.x + 7; i < n; i += blockDim.x) b[i] = a[i] - blockDim.x;",
    "b[threadIdx.x] = a[threadIdx.x] * blockDim.x; if (a[0] > n) return; b[n] = blockDim.x / 3;",
)


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("block", [(64, 1, 1), (16, 4, 2)])
def test_results_stay(body: str, block: tuple[int, int, int]) -> None:
    text = f'extern "C" __global__ void k(const int *a, int *b, int n) {{ {body} }}'
    results = []
    for words in ("", OFF):
        image = minicc.compile(SourceFile("k.k", text), arch="sm_90", options=f"-Xptxas --verify-passes {words}").cubin
        a, b = np.arange(1024, dtype=np.int32) * 3, np.zeros(1024, np.int32)
        result = runtime.Device("sm_90", hazards="report").load(image)["k"][(2, 1, 1), block](a, b, np.int32(100))
        assert not result.hazards
        results.append(b.tobytes())
    assert results[0] == results[1]


def test_guarded_kernel() -> None:
    """The block's size is no operand before the exit, and nothing of memory is asked for there."""
    text = f'extern "C" __global__ void k(const int *a, int *b, int n) {{ {BODIES[0]} }}'
    image = minicc.compile(SourceFile("k.k", text), arch="sm_90").cubin
    code = instructions(read_cubin(image, "k").functions[0].code, arch.get("sm_90"))
    names = [inst.mnemonic for inst in code]
    exit_ = names.index("EXIT")
    assert names[:exit_].count("LDC") == 1 and names.index("ULDC") > exit_


def test_nothing_for_those_that_leave() -> None:
    """An exit that asks for no parameter does not wait for the line of constants that holds them."""
    text = 'extern "C" __global__ void k(const int *a, int *b) { if (threadIdx.x == 3) b[0] = a[1]; }'
    image = minicc.compile(SourceFile("k.k", text), arch="sm_90").cubin
    code = instructions(read_cubin(image, "k").functions[0].code, arch.get("sm_90"))
    before = code[: [inst.mnemonic for inst in code].index("EXIT")]
    assert not any(isinstance(operand, Const) for inst in before for operand in inst.operands)
    a, b = np.arange(4, dtype=np.int32) * 5, np.zeros(1, np.int32)
    runtime.Device("sm_90", hazards="report").load(image)["k"][(1, 1, 1), (64, 1, 1)](a, b)
    assert b[0] == 5
