"""Random expression kernels through LLVM and isel, executed by the PTX interpreter, against their exact value."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minicc.fuzz import expr
from tests.isel.run_ptx import compile_ir, run_rows

ROWS = st.lists(
    st.lists(
        st.one_of(st.integers(0, 2**64 - 1), st.integers(0, 40), st.integers(2**64 - 20, 2**64 - 1)),
        min_size=4, max_size=4,
    ),
    min_size=2, max_size=4,
)  # fmt: skip
SETTINGS = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def _check(program: expr.Expr, rows: list[list[int]], **options: object) -> None:
    count = max(expr.argument_count(program), 1)
    level = int(options.pop("level", 3))  # type: ignore[call-overload]
    expr.check(
        program,
        [row[:count] for row in rows],
        lambda text, given_rows, words: run_rows(compile_ir(text, level, **options), given_rows, words),
    )


@pytest.mark.parametrize("level", [0, 3])
@pytest.mark.parametrize("how", ["cost", "first-match"])
@SETTINGS
@given(program=expr.expressions(expr.INTS), rows=ROWS)
def test_integers(level: int, how: str, program: expr.Expr, rows: list[list[int]]) -> None:
    """i1 to i64, optimised and not, least-cost and first-match."""
    _check(program, rows, level=level, how=how)


@pytest.mark.parametrize("level", [0, 3])
@SETTINGS
@given(program=expr.expressions((*expr.INTS, *expr.ODD)), rows=ROWS)
def test_odd_widths(level: int, program: expr.Expr, rows: list[list[int]]) -> None:
    """i7, i24, i33, i48, i96, i128 among the others."""
    _check(program, rows, level=level)


@pytest.mark.parametrize("level", [0, 3])
@SETTINGS
@given(program=expr.expressions((*expr.FLOATS, "i32", "i64", "i16")), rows=ROWS)
def test_floats(level: int, program: expr.Expr, rows: list[list[int]]) -> None:
    """float and double with conversions."""
    _check(program, rows, level=level)


@pytest.mark.parametrize("level", [0, 3])
@SETTINGS
@given(program=expr.expressions((*expr.HALVES, "float", "i16", "i32")), rows=ROWS)
def test_halves(level: int, program: expr.Expr, rows: list[list[int]]) -> None:
    """half beside float: every operation rounds once."""
    _check(program, rows, level=level)
