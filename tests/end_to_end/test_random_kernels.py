"""Random CUDA kernels, compiled in several ways: the same words on the SM model, no stall too short."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minicc.fuzz.kernels import kernels
from minicc.verbs import fuzz

SOME = settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("nvcc", [False, True], ids=["twins", "nvcc"])
def test_all_agree(nvcc):
    if nvcc and shutil.which("nvcc") is None:
        pytest.skip("nvcc is not here")
    runner = fuzz.Runner(nvcc, "")

    @SOME
    @given(text=kernels(), way=st.sampled_from(fuzz.WAYS))
    def check(text, way):
        runner.check(text, way)

    check()


def test_a_difference_is_made_small(monkeypatch):
    """A way to compile that gets divisions within loops wrong: the kernel that shows it is short."""

    def run(self, text, options):
        wrong = options != fuzz.SIMPLE and "while (" in text and "/ " in text.partition("while (")[2]
        return np.full((fuzz.THREADS, 1), wrong, np.uint64)

    monkeypatch.setattr(fuzz.Runner, "run", run)
    runner = fuzz.Runner(False, "")

    @settings(max_examples=500, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(text=kernels(floats=False))
    def check(text):
        runner.check(text, "-O1")

    with pytest.raises(fuzz.Difference, match="has 0x1 in word 0, not 0x0") as found:
        check()
    assert len(found.value.text.splitlines()) < 30


def test_command_line(capsys):
    assert fuzz.main(["--help"]) == 0
    assert fuzz.main(["--print", "--seconds", "1", "--seed", "2", "--integers"]) == 0
    assert "__global__ void kernel" in capsys.readouterr().out
