"""Each twin of the backend gives the same results on the SM model, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

import runtime
from minicc.binary import write_cubin
from minicc.ptxas import Options
from tests.ptxas.conftest import assemble

TWINS: list[dict[str, object]] = [
    {},
    {"sched": "serial"},
    {"ra": "spill-all"},
    {"opt_level": 0},
    {"max_registers": 24},
    {"disable": frozenset({"predicate", "combine", "cse"})},
]


def outputs(text: str, words: dict[str, object]) -> list[np.ndarray]:
    """What `branches`, `many` and `warps` compute."""
    gpu = runtime.Device()
    module = gpu.load(write_cubin(assemble(text, Options(**words))))  # type: ignore[arg-type]
    n = 300
    x = np.arange(n, dtype=np.int32) * 37 % 101
    module["branches"][3, 128](x, n)
    source = np.linspace(-1, 1, n, dtype=np.float32)
    y = np.zeros(64, np.float32)
    module["many"][2, 32](source, y, n)
    w = (np.arange(32, dtype=np.uint32) * 2654435761 & 0xFFFF).astype(np.uint32)
    module["warps"][1, 32](w)
    return [x, y, w]


@pytest.fixture(scope="module")
def reference(kernels_ptx: str) -> list[np.ndarray]:
    return outputs(kernels_ptx, {"sched": "serial", "ra": "spill-all", "opt_level": 0})


@pytest.mark.parametrize("words", TWINS, ids=lambda words: "-".join(words) or "default")
def test_same_bits(words: dict[str, object], kernels_ptx: str, reference: list[np.ndarray]) -> None:
    assert any(np.any(a) for a in reference)
    for got, want in zip(outputs(kernels_ptx, words), reference, strict=True):
        assert got.tobytes() == want.tobytes()
