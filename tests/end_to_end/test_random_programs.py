"""Random programs, from LLVM IR to the SM model's registers, against exact arithmetic."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import minicc
import runtime
from minicc.diagnostics import SourceFile
from minicc.fuzz import control, expr

ROWS = 64
"""Threads of one launch, each with a row of its own."""

SOME = settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def rows(columns: int, bits: int = 64) -> list[list[int]]:
    """Inputs: wide, small, and nearly all ones."""
    rnd = random.Random(columns)
    kinds = (lambda: rnd.getrandbits(64), lambda: rnd.getrandbits(5), lambda: (1 << 64) - 1 - rnd.getrandbits(4))
    return [[rnd.choice(kinds)() & (1 << bits) - 1 for _ in range(columns)] for _ in range(ROWS)]


def launched(ir: str, data: list[list[int]], words: int, options: str = "") -> list[list[int]]:
    """What `kernel` of `ir` leaves for each row; no stall of it may be short."""
    compiled = minicc.compile(SourceFile("program.ll", ir), arch="sm_90", options=options)
    result = np.zeros((ROWS, words), np.uint64)
    launch = runtime.Device("sm_90", hazards="report").load(compiled.cubin)["kernel"][1, ROWS](
        np.array(data, np.uint64), result
    )
    assert not launch.hazards
    return [[int(word) for word in row] for row in result]


@pytest.mark.parametrize("types", [(*expr.INTS, *expr.ODD), (*expr.FLOATS, "i32", "i64", "i16")], ids=["int", "float"])
def test_expressions(types):
    @SOME
    @given(program=expr.expressions(types, depth=4))
    def check(program):
        expr.check(program, rows(max(expr.argument_count(program), 1)), launched)

    check()


@pytest.mark.parametrize("options", ["", "-O0", "-Xptxas --sched=serial", "-Xptxas --ra=spill-all"])
def test_control_flow(options):
    data = rows(control.VARIABLES, 32)

    @SOME
    @given(program=control.programs())
    def check(program):
        got = launched(control.to_ir(program), data, control.VARIABLES, options)
        assert got == [control.evaluate(program, row) for row in data]

    check()
