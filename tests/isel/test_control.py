"""Random structured programs: phis, swaps, loops, switches, executed by the PTX interpreter."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minicc.fuzz import control
from tests.isel.run_ptx import compile_ir, run_rows

ROWS = st.lists(st.lists(st.integers(0, 2**32 - 1), min_size=4, max_size=4), min_size=2, max_size=4)


@pytest.mark.parametrize("level", [0, 1, 3])
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(program=control.programs(), rows=ROWS)
def test_programs(level: int, program: tuple[Any, ...], rows: list[list[int]]) -> None:
    """All variables at the end are as computed."""
    text = control.to_ir(program)
    results = run_rows(compile_ir(text, level), rows, control.VARIABLES)
    for row, result in zip(rows, results, strict=True):
        assert result == control.evaluate(program, row), text
