"""Texture and surface objects from source: minicc's and nvcc's code reads and writes the same on the SM model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import minicc
import runtime
from minicc.diagnostics import SourceFile
from tests.conftest import nvcc_makes

SOURCE = """
extern "C" __global__ void read(cudaTextureObject_t t, float *out)
{
    int i = threadIdx.x;
    float x = i * 0.37f, y = 7.9f - i * 0.21f;
    out[i] = tex2D<float>(t, x, y);
    float4 g = tex2Dgather<float4>(t, x, y, 0);
    out[32 + i] = g.x + g.y * 2 + g.z * 4 + g.w * 8;
    out[64 + i] = tex2DLod<float>(t, y, x, 0.0f);
}
extern "C" __global__ void copy(cudaSurfaceObject_t s, float *out)
{
    int x = threadIdx.x % 8, y = threadIdx.x / 8;
    out[threadIdx.x] = surf2Dread<float>(s, 4 * x, y) + surf2Dread<float>(s, 4 * (x + 1), y, cudaBoundaryModeZero);
    __syncthreads();
    surf2Dwrite(out[threadIdx.x] * 0.5f, s, 4 * x, 7 - y, cudaBoundaryModeClamp);
    __syncthreads();
    out[32 + threadIdx.x] = surf2Dread<float>(s, 4 * x, 7 - y);
}
"""


def run(image: bytes) -> list[Any]:
    device = runtime.Device("sm_90", timing=False)
    module = device.load(image)
    array = np.random.default_rng(3).uniform(0, 1, (8, 8)).astype(np.float32)
    texture = device.texture(array, filter="linear")
    results = []
    for kernel, size in (("read", 96), ("copy", 64)):
        out = np.zeros(size, np.float32)
        module[kernel][1, 32](texture, out).wait()
        results.append(out)
    return results


def test_source_to_texels(tmp_path: Path) -> None:
    (tmp_path / "t.cu").write_text(SOURCE)
    theirs = run(nvcc_makes(tmp_path / "t.cu", tmp_path / "t.cubin"))
    ours = run(minicc.compile(SourceFile("t.k", SOURCE)).cubin)
    for a, b in zip(theirs, ours, strict=True):
        assert np.array_equal(a, b) and np.unique(a).size > 20
