"""A program of a user who runs `mypy --strict`: this file is among those that mypy checks (pyproject.toml)."""

from __future__ import annotations

import numpy as np
import pytest

import minicc
import runtime

SOURCE = minicc.SourceFile(
    "scale.cu",
    "__constant__ float factor;\n"
    "__global__ void scale(const float *a, float *b, int n)\n"
    "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[i] = factor * a[i]; }\n",
)


def scaled(gpu: runtime.Device, given: np.ndarray, factor: float) -> tuple[np.ndarray, runtime.Launch]:
    """`given` times `factor`, and the launch that said so."""
    compiled: minicc.Compiled = minicc.compile(SOURCE, arch="sm_90", options="-O3")
    module: runtime.Module = gpu.load(compiled)
    kernel: runtime.Kernel = module["scale"]
    module.variable("factor").write(np.float32(factor))
    a, b = gpu.buffer(given), gpu.zeros(given.shape)
    stream, start = gpu.stream(priority=-5), gpu.event()
    start.record(stream)
    launch = kernel[(given.size + 127) // 128, 128, 0, stream](a, b, given.size)
    stop: runtime.Event = gpu.event().record(stream)
    stream.synchronize()
    assert stop.done and stop.elapsed(start) > 0 and compiled.ptx
    return b[:].reshape(given.shape).numpy(), launch


def test_typed_program() -> None:
    gpu = runtime.Device("sm_90", hazards="report", memory=1 << 26)
    given = np.arange(300, dtype=np.float32)
    got, launch = scaled(gpu, given, 2.5)
    assert np.array_equal(got, given * np.float32(2.5))
    assert launch.cycles > 0 and launch.stats["smsp__inst_executed.sum"] > 0 and not launch.hazards
    with pytest.raises((minicc.CompileError, runtime.LaunchError)):
        gpu.load(b"no image")
