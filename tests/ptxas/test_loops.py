"""Random loops of PTX against an interpreter of one thread."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import minicc
import runtime
from minicc import ptx
from minicc.diagnostics import SourceFile
from tests.isel.interpret import GLOBAL, Machine
from tests.ptxas.loops import WORDS, Loops

THREADS = 32
ROWS = np.random.RandomState(1).randint(-20, 20, (THREADS, WORDS)).astype(np.int32).view(np.uint32)


def interpreted(text: str) -> np.ndarray:
    """What each thread leaves in its row."""
    entry = ptx.parse(SourceFile("k.ptx", text)).functions[0]
    rows = ROWS.copy()
    for row in rows:
        memory = bytearray(row.tobytes())
        Machine(entry, {"x": GLOBAL.to_bytes(8, "little")}, memory).run()
        row[:] = np.frombuffer(memory, np.uint32)
    return rows


def compiled(text: str, options: str) -> np.ndarray:
    image = minicc.compile(SourceFile("k.ptx", text), arch="sm_90", options=options).cubin
    rows = ROWS.copy()
    launch = runtime.Device("sm_90", hazards="report").load(image)["k"][1, THREADS](rows)
    assert not launch.hazards
    return rows


@pytest.mark.parametrize("options", ["", "-Xptxas -O1", "-Xptxas --sched=serial"])
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(random=st.randoms(use_true_random=False), size=st.integers(4, 40))
def test_what_loops_carry(options: str, random: Random, size: int) -> None:
    text = Loops(random).text(size)
    np.testing.assert_array_equal(compiled(text, options), interpreted(text), err_msg=text)
