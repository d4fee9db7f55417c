"""Predicates that are made again: the same results, and loads under many conditions are under way together."""

from __future__ import annotations

from pathlib import Path

import pytest

import minicc
from minicc.binary import read_cubin
from minicc.diagnostics import SourceFile
from tests.bench.quality import KERNELS
from tests.end_to_end.harness import run_script
from tests.ptxas.conftest import mnemonics

LOOPED = """\
//! w = 256
//! rows = 12
//! x = uniform(-1, 1, (rows, w), f32)
//! y = zeros(w, f32)
//! p = zeros((rows, w + 28), f64)
//! p[:, 8:w + 8] = f64(x)
//! want = zeros(w, f64)
//! for r in range(rows):
//!     for i in range(17):
//!         want += (i + 1) * p[r, r + i:r + i + w]
//! window[w / 64, 64](x, y, w, rows)
//! expect(y, want, abs=1e-3)

__global__ void window(const float *__restrict__ x, float *y, int w, int rows)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 1
    for (int r = 0; r < rows; r++)
#pragma unroll
        for (int i = -8; i <= 8; i++) {
            int c = col + r + i;
            if (c >= 0 && c < w)
                sum += x[r * w + c] * (float)(i + 9);
        }
    y[col] = sum;
}
"""


def compiled(path: Path, options: str = "") -> tuple[bytes, int, int]:
    """An image, the cycles of its script's launch, and the registers; its results are right."""
    image = minicc.compile(path, arch="sm_90", options=options).cubin
    outcome = run_script(path, image)
    assert all(check.ok for check in outcome.checks)
    return image, outcome.launches[0].result.cycles, read_cubin(image, path.name).functions[0].registers


def looped(folder: Path) -> Path:
    path = folder / "window.k"
    path.write_text(LOOPED)
    return path


@pytest.mark.parametrize("options", ["", "-Xptxas --ra=spill-all", "-maxrregcount=24"])
def test_results_stay(tmp_path: Path, options: str) -> None:
    for path in (KERNELS / "conv2d.k", looped(tmp_path)):
        compiled(path, options)


def test_loads_are_under_way_together(tmp_path: Path) -> None:
    for path, share in ((KERNELS / "conv2d.k", 0.9), (looped(tmp_path), 0.95)):
        image, cycles, registers = compiled(path)
        _, before, fewer = compiled(path, "-Xptxas --disable=renew")
        assert cycles < share * before
        assert registers <= fewer + 40
        code = mnemonics(image, path.name)
        first = code.index("FFMA", code.index("LDG"))
        assert code[:first].count("LDG") > 8


ROWS = """\
//! rows, w = 24, 250
//! x = uniform(-4, 4, (rows, w), f32)
//! y = zeros((rows, w), f32)
//! e = exp(f64(x) - max(f64(x), axis=1, keepdims=True))
//! rows_softmax[rows / 8, (32, 8)](x, y, w, rows)
//! expect(y, e / sum(e, axis=1, keepdims=True), rel=1e-5)

__global__ void rows_softmax(const float *x, float *y, int w, int rows)
{
    int r = blockIdx.x * blockDim.y + threadIdx.y;
    if (r >= rows)
        return;
    float v[8], most = -1e30f, sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        int c = threadIdx.x + 32 * k;
        v[k] = c < w ? x[r * w + c] : -1e30f;
        most = fmaxf(most, v[k]);
    }
    for (int o = 16; o; o >>= 1)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, o));
#pragma unroll
    for (int k = 0; k < 8; k++) {
        v[k] = __expf(v[k] - most);
        sum += v[k];
    }
    for (int o = 16; o; o >>= 1)
        sum += __shfl_xor_sync(~0u, sum, o);
    sum = 1 / sum;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        int c = threadIdx.x + 32 * k;
        if (c < w)
            y[r * w + c] = v[k] * sum;
    }
}
"""


@pytest.mark.parametrize("options", ["", "-Xptxas --ra=spill-all", "-maxrregcount=24"])
def test_behind_a_branch_they_are_made_again(tmp_path: Path, options: str) -> None:
    """The long way of a reciprocal stands between the loads of a row's columns and their stores."""
    path = tmp_path / "rows_softmax.k"
    path.write_text(ROWS)
    image, _, _ = compiled(path, options)
    if not options:
        code = mnemonics(image, path.name)
        last = len(code) - code[::-1].index("LDG")
        assert "FMNMX" not in code[:last], "all eight loads are under way before any is wanted"
        assert code[last:].count("ISETP") > 8


def test_what_an_instruction_writes_need_not_be_among_its_operands() -> None:
    """WARPGROUP.DEPBAR hands the accumulators of a wgmma over; eight stores behind conditions follow."""
    text = """__global__ void k(float *o, unsigned long long a, unsigned long long b, int n)
    {
        float d[4] = {};
        asm volatile("wgmma.fence.sync.aligned;");
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b));
        asm volatile("wgmma.commit_group.sync.aligned;");
        asm volatile("wgmma.wait_group.sync.aligned 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]));
        for (int i = 0; i < 8; i++)
            if (threadIdx.x + 128 * i < n)
                o[threadIdx.x + 128 * i] = d[i & 3];
    }"""
    image = minicc.compile(SourceFile("k.k", text), arch="sm_90a").cubin
    assert mnemonics(image).count("STG") == 8
