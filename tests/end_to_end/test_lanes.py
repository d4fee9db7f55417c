"""Random kernels of one warp whose lanes leave: our code, on the timed SM model, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

import minicc
import runtime
from minicc.diagnostics import SourceFile
from tests.end_to_end.lanes import Program

WAITING = 567  # was taken by parts where a BSYNC waited for lanes at a WARPSYNC
TURNS = [75, 568]  # lanes of several turns wait at one WARPSYNC: of those with other masks each thought the other there
SLEPT = 1311  # a vote passed a NANOSLEEP, behind which other lanes are there


@pytest.mark.parametrize("seed", [*range(40), WAITING, *TURNS, SLEPT])
def test_our_code_does_what_the_source_says(seed: int) -> None:
    program = Program(seed)
    data, masks, want = program.run()
    image = minicc.compile(SourceFile("program.cu", program.source("kernel")), arch="sm_90").cubin
    out = np.zeros(32, np.uint32)
    launch = runtime.Device("sm_90", hazards="report").load(image)["kernel"][1, 32](data, masks, out)
    np.testing.assert_array_equal(out, want)
    assert not launch.hazards
