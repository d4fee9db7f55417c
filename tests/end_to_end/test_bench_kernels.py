"""The kernels of tests/bench: right, free of hazards, silent under the static checker, and the same without the passes
that rewrite most."""

from __future__ import annotations

import numpy as np
import pytest

from minicc import arch as archs
from minicc.binary import read_cubin
from minicc.ptxas import pipeline
from minicc.ptxas.control.check import check
from tests.conftest import ROOT
from tests.end_to_end.harness import compiled, run_script

KERNELS = sorted((ROOT / "tests" / "bench" / "kernels").glob("*.k"))
PASSES = ("aggregate", "balance", "coalesce", "constants", "layout", "predicate", "vectorise")
OFF = "-Xptxas --disable=" + "+".join(PASSES)
ARCH = archs.get("sm_90")
UNORDERED = {"compact"}
"""Whose output depends on which thread comes first."""


@pytest.mark.parametrize("path", KERNELS, ids=lambda p: p.stem)
def test_result_hazards_and_checker(path):
    result = compiled(path)
    for function in read_cubin(result.cubin, path.name).functions:
        assert check(function.code, ARCH) == []
    outcome = run_script(path, result.fatbin)
    assert [c for c in outcome.checks if not c.ok] == []
    assert [launch.result.hazards for launch in outcome.launches if launch.result.hazards] == []


@pytest.mark.parametrize("path", KERNELS[::3], ids=lambda p: p.stem)
def test_passes_keep_the_meaning(path):
    assert set(PASSES) <= set(pipeline.NAMES)
    a, b = (run_script(path, compiled(path, options).fatbin) for options in ("", OFF))
    assert a.outputs == b.outputs
    if path.stem not in UNORDERED:
        for name in a.outputs:
            np.testing.assert_array_equal(a.variables[name], b.variables[name])
