"""Variables of the frame are accessed as local memory."""

from __future__ import annotations

from pathlib import Path

from tests.ptxas.conftest import checked

SMALLEST = """
//! n = 64
//! x = uniform(0, 1, (40, n), f32)
//! o = zeros((4, n), f32)
//! f[1, n](x, o, 40, n)
//! for t in range(n):
//!     o[:, t] = o[:, t] - sort(x[:, t])[0:4]
//! expect(o, zeros((4, n), f32))
__global__ void f(const float *x, float *o, int m, int n)
{
    int t = threadIdx.x;
    float best[4] = {1e30f, 1e30f, 1e30f, 1e30f};
    for (int i = 0; i < m; i++) {
        float d = x[i * n + t];
        if (d < best[3]) {
            int k = 3;
            while (k > 0 && best[k - 1] > d) { best[k] = best[k - 1]; k--; }
            best[k] = d;
        }
    }
    for (int k = 0; k < 4; k++) o[k * n + t] = best[k];
}
"""


def test_an_array_that_llvm_parts(tmp_path: Path) -> None:
    """It does so after it has looked for address spaces: what it accesses by name would be generic."""
    code = checked(tmp_path, SMALLEST)
    assert "LDL" in code and "STL" in code and not {"LD", "ST"} & {*code}
