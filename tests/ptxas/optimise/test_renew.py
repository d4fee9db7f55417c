"""Predicates that are made again: the same results, and loads under many conditions are under way together."""

from __future__ import annotations

from pathlib import Path

import pytest

import minicc
from minicc.binary import read_cubin
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
