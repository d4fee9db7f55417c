"""Random kernels of one warp whose lanes leave: our code, on the timed SM model, against numpy.

Of 943 programs (seeds 0 to 577, 1000 to 1364) nine are not right, and are without their `__nanosleep`: probably, since
a BSYNC does not wait for lanes that yielded, masks of different turns meet at one WARPSYNC. In two of them nvcc's code
is not right on the model either.
"""

from __future__ import annotations

import numpy as np
import pytest

import minicc
import runtime
from minicc.diagnostics import SourceFile
from tests.end_to_end.lanes import Program


def known(seed: int, why: str, raises: type[Exception]) -> object:
    """A program that is not right yet."""
    return pytest.param(seed, marks=pytest.mark.xfail(strict=True, reason=why, raises=raises))


SLEEP = known(75, "lanes that slept exchange with those of another turn; nvcc's code is right", AssertionError)
DEADLOCK = known(568, "lanes that slept wait for each other at a WARPSYNC, in nvcc's code too", runtime.DeviceError)
WAITING = 567  # was taken by parts where a BSYNC waited for lanes at a WARPSYNC


@pytest.mark.parametrize("seed", [*range(40), WAITING, SLEEP, DEADLOCK])
def test_our_code_does_what_the_source_says(seed: int) -> None:
    program = Program(seed)
    data, masks, want = program.run()
    image = minicc.compile(SourceFile("program.cu", program.source("kernel")), arch="sm_90").cubin
    out = np.zeros(32, np.uint32)
    launch = runtime.Device("sm_90", hazards="report").load(image)["kernel"][1, 32](data, masks, out)
    np.testing.assert_array_equal(out, want)
    assert not launch.hazards
