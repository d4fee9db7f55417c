"""A struct as a kernel's parameter, beside shared memory and calls: the same values as from nvcc's cubin."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import minicc
import runtime
from tests.conftest import nvcc_makes

SOURCE = """
struct Big { int first; int v[6]; double d; const int *from; };
__device__ __noinline__ int inner(Big b, int i) { b.v[i % 6] += b.from[i]; return b.v[1] * b.first + b.v[i % 6]; }
__global__ void k(Big b, int *o, Big c)
{
    __shared__ int s[64];
    __shared__ Big kept;
    int i = threadIdx.x;
    s[i] = b.v[i % 6] + c.v[(i + 1) % 6];
    if (i == 5) kept = c;
    __syncthreads();
    c.v[i % 6] = s[63 - i];
    const int *p = i & 1 ? c.v : kept.v;
    o[i] = p[i % 6] + inner(b, i) + inner(c, i) + kept.from[i] + (int)(b.d * c.d);
}
"""
BIG = np.dtype({"names": ["first", "v", "d", "from"], "formats": ["i4", ("i4", 6), "f8", "u8"],
                "offsets": [0, 4, 32, 40], "itemsize": 48})  # fmt: skip


def outputs(image: bytes) -> list[int]:
    device = runtime.Device("sm_90", timing=False)
    numbers = device.buffer(np.arange(64, dtype=np.int32) * 7 - 100)
    out = device.buffer(np.zeros(64, np.int32))
    values = [np.array((n, range(n, n + 6), n + 0.5, int(numbers.address)), BIG)[()] for n in (3, 11)]
    device.load(image)["k"][(1,), (64,)](values[0], out, values[1])
    return [int(x) for x in out.numpy()]


@pytest.mark.parametrize("options", ["", "-O0", "-Xptxas -O0"])
def test_struct_parameters(options: str, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(SOURCE)
    ours = minicc.compile(tmp_path / "a.cu", arch="sm_90", options=options).cubin
    assert outputs(ours) == outputs(nvcc_makes(tmp_path / "a.cu", tmp_path / "a.cubin"))
