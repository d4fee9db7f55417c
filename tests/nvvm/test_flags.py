"""Where loops that test a flag of the launch become one loop for each of its values."""

from __future__ import annotations

import importlib

import pytest

import minicc
from minicc.nvvm.flags import in_loops

LOOP = """__global__ void k(const int *x, int *out, int n, bool clip, int mode, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, s = 0, y = x[i];
    for (int k = 0; k < n; k++) {
        int at = i + k;
        if (TEST) { out[at] = k; at = at * 3 % size; }
        s += x[at];
    }
    out[i] = s + y;
}
"""


@pytest.fixture
def stages(monkeypatch, tmp_path):
    """What LLVM's pipeline makes of a kernel, each time that it runs."""
    module = importlib.import_module("minicc.nvvm.optimise")
    texts: list[str] = []
    pipeline = module._pipeline

    def heard(*arguments):
        texts.append(pipeline(*arguments))
        return texts[-1]

    def of(test: str, more: str = "") -> list[str]:
        file = tmp_path / "k.k"
        file.write_text(LOOP.replace("TEST", test) + more)
        minicc.compile(file, arch="sm_90")
        return texts

    monkeypatch.setattr(module, "_pipeline", heard)
    return of


@pytest.mark.parametrize("test", ["clip", "mode == 3", "mode & 4", "!clip && mode != 1", "clip && blockIdx.x == 1"])
def test_a_flag_leaves_the_loop(test, stages):
    before, after = stages(test)
    assert in_loops(before) and not in_loops(after)


@pytest.mark.parametrize("test", ["i & 1", "y > 3", "size > 3", "k & 1", "mode == k", "clip || i == 3"])
def test_others_stay(test, stages):
    assert len(stages(test)) == 1


def test_one_that_threads_differ_in_keeps_the_others(stages):
    other = LOOP.replace("void k(", "void other(").replace("TEST", "i & 1")
    assert len(stages("clip", other)) == 1
