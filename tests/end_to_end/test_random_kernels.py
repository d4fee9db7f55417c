"""Random CUDA kernels, compiled in several ways: the same words on the SM model, no stall too short."""

from __future__ import annotations

import re
import textwrap
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import minicc.fuzz
from minicc.fuzz import language, memory
from minicc.fuzz.kernels import Writer, kernels
from minicc.verbs import fuzz
from tests.conftest import needs_nvcc

SOME = settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("nvcc", [False, pytest.param(True, marks=needs_nvcc)], ids=["twins", "nvcc"])
def test_all_agree(nvcc):
    runner = fuzz.Runner(nvcc, "")

    @SOME
    @given(text=kernels(), way=st.sampled_from(fuzz.WAYS))
    def check(text, way):
        runner.check(text, way)

    check()


@pytest.mark.parametrize("nvcc", [False, pytest.param(True, marks=needs_nvcc)], ids=["twins", "nvcc"])
def test_all_agree_about_memory(nvcc):
    runner = fuzz.Runner(nvcc, "")

    @settings(SOME, max_examples=4)
    @given(text=memory.kernels(size=8), way=st.sampled_from(fuzz.WAYS))
    def check(text, way):
        runner.check(text, way)

    check()


@pytest.mark.parametrize("nvcc", [False, pytest.param(True, marks=needs_nvcc)], ids=["twins", "nvcc"])
def test_all_agree_about_what_nobody_spells(nvcc):
    runner = fuzz.Runner(nvcc, "")

    @settings(SOME, max_examples=4)
    @given(text=language.kernels(floats=False, size=8), way=st.sampled_from(fuzz.WAYS))
    def check(text, way):
        runner.check(text, way)

    check()


class Thrown(Writer):
    """Chooses by a seed, so that what is rare comes in any run."""

    def __init__(self, seed):
        super().__init__(lambda strategy: None, floats=False)
        self.random = Random(seed)

    def one(self, of):
        return self.random.choice(of)

    def number(self, least, most):
        return self.random.randint(least, most)

    def often(self):
        return self.random.random() < 0.5


def test_recursion_ends():
    """What halves with each call is what no statement can change."""
    found = []
    for seed in range(1000):
        text = "\n".join(Thrown(seed).function())
        for bound, passed in re.findall(r"if \((\w+) > 3u\) return f\d+\(.*?(\w+) / 2u\b", text):
            found.append(bound == passed and f"const unsigned {bound} = " in text)
    assert len(found) > 9 and all(found)


def test_a_difference_in_memory_is_told(monkeypatch):
    """Of floats it is their bits that differ."""
    zero = np.zeros(2)
    monkeypatch.setattr(fuzz.Runner, "run", lambda self, text, way: [zero, [zero, -zero][way == "-O1"]])
    fuzz.Runner(False, "").check("", "-O0")
    with pytest.raises(fuzz.Difference, match=r"element 0 of buffer 1 is -0\.0, not 0\.0"):
        fuzz.Runner(False, "").check("", "-O1")


def test_a_difference_is_told(monkeypatch):
    """A way to compile that leaves another word in thread 3."""

    def run(self, text, options):
        words = np.zeros((fuzz.THREADS, 8), np.uint64)
        words[3, 5] = options == "-O1"
        return words

    monkeypatch.setattr(fuzz.Runner, "run", run)
    fuzz.Runner(False, "").check("", "-O0")
    with pytest.raises(fuzz.Difference, match="-O1', thread 3 has 0x1 in word 5, not 0x0"):
        fuzz.Runner(False, "").check("", "-O1")


def test_a_difference_is_told_when_time_is_over(monkeypatch, capsys, tmp_path):
    """The clock ends while the kernel is made smaller."""
    clock = iter(range(10**6))
    monkeypatch.setattr(fuzz.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(fuzz.Runner, "run", lambda self, text, way: np.full((fuzz.THREADS, 8), way == "", np.uint64))
    assert fuzz.main(["--seconds", "4", "--seed", "1", "--save", str(tmp_path)]) == 1
    assert "thread 0 has 0x1 in word 0, not 0x0" in capsys.readouterr().out
    assert "__global__ void kernel" in (tmp_path / "fuzz_1.cu").read_text()


def test_command_line(capsys):
    assert fuzz.main(["--help"]) == 0
    assert fuzz.main(["--print", "--seconds", "1", "--seed", "2", "--integers"]) == 0
    assert "__global__ void kernel" in capsys.readouterr().out


def test_the_package_says_how_to_use_it():
    code = textwrap.dedent("    " + (minicc.fuzz.__doc__ or "").split("\n\n    ", 1)[1])
    texts: list[str] = []
    names: dict[str, Any] = {"one_way": texts.append, "another": texts.append}
    exec(code, names)
    names["test_both_agree"]()
    assert len(texts) >= 100 and all("__global__" in text for text in texts)
