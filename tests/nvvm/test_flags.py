"""Where loops that test a flag of the launch become one loop for each of its values."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import minicc
from minicc.binary import read_cubin
from minicc.diagnostics import SourceFile
from minicc.nvvm.flags import in_loops
from runtime import Device

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
    again = module._again

    def heard(*arguments):
        texts.append(again(*arguments))
        return texts[-1]

    def of(test: str, more: str = "") -> list[str]:
        file = tmp_path / "k.k"
        file.write_text(LOOP.replace("TEST", test) + more)
        info = minicc.compile(file, arch="sm_90", options="-Xnvvm --dump-after=middle").info
        return [next(text for text in info if ": after middle" in text), *texts]

    monkeypatch.setattr(module, "_again", heard)
    return of


@pytest.mark.parametrize("test", ["clip", "mode == 3", "mode & 4", "!clip && mode != 1", "clip && blockIdx.x == 1"])
def test_a_flag_leaves_the_loop(test, stages):
    before, after = stages(test)
    assert in_loops(before) and not in_loops(after)


@pytest.mark.parametrize("test", ["i & 1", "y > 3", "size > 3", "k & 1", "mode == k", "clip || i == 3"])
def test_others_stay(test, stages):
    assert len(stages(test)) == 1


@pytest.mark.parametrize(
    "before, after",
    [
        ("if (TEST) {", "switch (mode) { case 1: at ^= 1; break; case 5: at ^= 3; } if (false) {"),
        ("if (TEST) {", "s = clip ? max(s, k) : min(s, k); if (false) {"),
    ],
)
def test_switches_and_choices_leave_it_too(before, after, stages, monkeypatch):
    monkeypatch.setitem(globals(), "LOOP", LOOP.replace(before, after))
    usual, other = stages("")
    assert in_loops(usual) and not in_loops(other)


def test_an_end_that_stands_early_is_no_loop(stages, monkeypatch):
    """What threads choose behind a block that ends the kernel is not within a loop that goes back to that."""
    early = LOOP.replace("y = x[i];", "y; if (i >= n) return; y = x[i] * (i > n / 2 ? -1 : 1);")
    monkeypatch.setitem(globals(), "LOOP", early)
    before, after = stages("clip")
    assert in_loops(before) and not in_loops(after)


def functions(source: str, options: str = "") -> dict[str, bytes]:
    image = minicc.compile(SourceFile("k.k", source), arch="sm_90", options=options).cubin
    return {function.name: function.code for function in read_cubin(image, "k").functions}


def test_kernels_are_told_apart():
    """One in whose loop threads differ stays as it is beside one that gains."""
    flag, other = LOOP.replace("TEST", "clip"), LOOP.replace("void k(", "void other(").replace("TEST", "i & 1")
    both = functions(flag + other)
    assert both == functions(flag) | functions(other) == functions(flag + other, "-lineinfo")


def test_a_variable_of_both_is_one():
    table = "__device__ int table[4] = {5, 6, 7, 8};\n"
    flag = LOOP.replace("TEST", "clip").replace("s += x[at]", "s += x[at] + table[k & 3]")
    other = (
        LOOP.replace("void k(", "void other(").replace("TEST", "i & 1").replace("s += x", "table[k & 3] = 9; s += x")
    )
    module = Device("sm_90").load(minicc.compile(SourceFile("k.k", table + flag + other), arch="sm_90").cubin)
    x, out = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    for name in ("other", "k"):
        module[name][1, 32](x, out, 8, False, 0, 60)
    assert (out[:32] == [sum(range(i, i + 8)) + 8 * 9 + i for i in range(32)]).all()
