"""Kernels of one language area each: ours on the SM model against nvcc's cubin of the same file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.conftest import nvcc_makes
from tests.end_to_end.harness import compiled, run_script

KERNELS = sorted((Path(__file__).parent / "kernels").glob("*.k"))
LATER = sorted((Path(__file__).parent / "kernels" / "cpp20").glob("*.k"))
TWINS = [
    "-G",
    "-lineinfo",
    "-O1",
    "-maxrregcount=32",
    "--isel=first-match",
    "-Xptxas -O0",
    "-Xptxas --sched=serial",
    "-Xptxas --ra=spill-all",
]
"""Other roads to the same bits."""


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
@pytest.mark.parametrize("options", ["", "-O0"])
def test_outputs_are_those_of_nvcc_s_cubin(path, options, tmp_path):
    _same_as_nvcc(path, "", options, tmp_path)


@pytest.mark.parametrize("path", LATER, ids=lambda path: path.stem)
def test_a_later_standard_means_what_nvcc_makes_of_it(path, tmp_path):
    _same_as_nvcc(path, "-std=c++20 --expt-relaxed-constexpr", "", tmp_path)


@pytest.mark.parametrize("stem", ["bfloats", "halves", "fp8"])
def test_short_floats_where_floats_are_flushed(stem, tmp_path):
    """What flushes floats and divides them roughly is no concern of types with subnormals of their own."""
    path = next(path for path in KERNELS if path.stem == stem)
    _same_as_nvcc(path, "-ftz=true -prec-div=false -prec-sqrt=false", "", tmp_path)


def _same_as_nvcc(path, flags, options, tmp_path):
    """`flags` are both compilers', `options` ours alone."""
    want = run_script(path, nvcc_makes(path, tmp_path / "a.cubin", *flags.split()))
    got = run_script(path, compiled(path, f"{flags} {options}").fatbin)
    assert got.outputs and got.outputs == want.outputs
    assert [launch.result.hazards for launch in got.launches if launch.result.hazards] == []
    for name in got.outputs:
        np.testing.assert_array_equal(got.variables[name], want.variables[name], err_msg=name)


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_every_twin_gives_the_same_bits(path):
    want = run_script(path, compiled(path).fatbin)
    apart = run_script(path, compiled(path, "-fmad=false").fatbin)
    for options in TWINS:
        got = run_script(path, compiled(path, options).fatbin)
        same = apart if options == "-G" else want  # nothing is contracted for a debugger
        for name in want.outputs:
            np.testing.assert_array_equal(got.variables[name], same.variables[name], err_msg=f"{name}, {options}")
