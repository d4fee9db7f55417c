"""Random kernels of one warp whose lanes form groups: our code, on the timed SM model, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

import minicc
import runtime
from minicc.diagnostics import SourceFile
from tests.end_to_end.parties import Gathering

TURNS = 14  # lanes of three masks looked at one WARPSYNC for ever, and nobody else had a turn


@pytest.mark.parametrize("seed", [*range(5), TURNS])
def test_our_code_does_what_the_source_says(seed: int) -> None:
    program = Gathering(seed)
    data, masks, sums, want = program.play()
    image = minicc.compile(SourceFile("program.cu", program.source("kernel")), arch="sm_90").cubin
    out, found = np.zeros(32, np.uint32), np.zeros(96, np.uint32)
    device = runtime.Device("sm_90", hazards="report", instruction_limit=1000000)
    launch = device.load(image)["kernel"][1, 32](data, masks, found, out)
    np.testing.assert_array_equal(out, want)
    np.testing.assert_array_equal(found, sums)
    assert not launch.hazards
