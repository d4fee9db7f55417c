"""Kernels of one language area each: ours on the SM model against nvcc's cubin of the same file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import minicc
from minicc.diagnostics import SourceFile
from tests.conftest import by_turns, nvcc_makes
from tests.end_to_end.harness import compiled, run_script

KERNELS = sorted((Path(__file__).parent / "kernels").glob("*.k"))
LATER = sorted((Path(__file__).parent / "kernels" / "cpp20").glob("*.k"))
FROM_PTX = ["-maxrregcount=32", "-Xptxas --ra=spill-all", "-Xptxas -O0", "-Xptxas --sched=serial"]
TWINS = ["-G", "-O1", "-lineinfo", "--isel=first-match", *FROM_PTX]
"""Other roads to the same bits."""


@pytest.fixture(scope="module", params=KERNELS, ids=lambda path: path.stem)
def kernel(request):
    """Each kernel's path, all tests of one behind each other."""
    return request.param


@pytest.fixture(scope="module")
def theirs(kernel, tmp_path_factory):
    """What nvcc's code leaves."""
    return run_script(kernel, nvcc_makes(kernel, tmp_path_factory.mktemp("nvcc") / "a.cubin"))


@pytest.fixture(scope="module")
def ours(kernel):
    """What ours leaves."""
    return run_script(kernel, compiled(kernel).fatbin)


def test_outputs_are_those_of_nvcc_s_cubin(ours, theirs):
    _same(ours, theirs)


def test_outputs_without_optimisation_are_those_of_nvcc_s_cubin(kernel, theirs):
    _same(run_script(kernel, compiled(kernel, "-O0").fatbin), theirs)


@pytest.mark.parametrize("path", LATER, ids=lambda path: path.stem)
def test_a_later_standard_means_what_nvcc_makes_of_it(path, tmp_path):
    _same_as_nvcc(path, "-std=c++20 --expt-relaxed-constexpr", tmp_path)


@pytest.mark.parametrize("stem", ["bfloats", "halves", "fp8"])
def test_short_floats_where_floats_are_flushed(stem, tmp_path):
    """What flushes floats and divides them roughly is no concern of types with subnormals of their own."""
    path = next(path for path in KERNELS if path.stem == stem)
    _same_as_nvcc(path, "-ftz=true -prec-div=false -prec-sqrt=false", tmp_path)


def test_every_twin_gives_the_same_bits(kernel, ours):
    """In CI each kernel has half of them. Those of ptxas alone begin at the PTX."""
    for options in by_turns(TWINS, KERNELS.index(kernel), 2):
        if options in FROM_PTX:
            image = minicc.compile(SourceFile("k.ptx", compiled(kernel).ptx), arch="sm_90", options=options)
        else:
            image = compiled(kernel, options)
        got = run_script(kernel, image.fatbin)
        # Nothing is contracted for a debugger.
        want = run_script(kernel, compiled(kernel, "-fmad=false").fatbin) if options == "-G" else ours
        for name in want.outputs:
            np.testing.assert_array_equal(got.variables[name], want.variables[name], err_msg=f"{name}, {options}")


def _same_as_nvcc(path, flags, tmp_path):
    want = run_script(path, nvcc_makes(path, tmp_path / "a.cubin", *flags.split()))
    _same(run_script(path, compiled(path, flags).fatbin), want)


def _same(got, want):
    assert got.outputs and got.outputs == want.outputs
    assert [launch.result.hazards for launch in got.launches if launch.result.hazards] == []
    for name in got.outputs:
        np.testing.assert_array_equal(got.variables[name], want.variables[name], err_msg=name)
