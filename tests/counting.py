"""Work counted in calls, so that "linear" and "bounded" are asserted without a clock.

Time itself is what `tests.bench` measures."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from minicc.ptxas import pipeline


class TooMuchWork(AssertionError):
    """More calls than were allowed."""


def calls(run: Callable[[], object], limit: int = 1 << 62) -> int:
    """Calls of Python and built-in functions while `run()` goes on; `TooMuchWork` as soon as there are over `limit`."""
    count = 0

    def counted(frame: object, event: str, arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")
        if count > limit:
            raise TooMuchWork(f"over {limit} calls")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count


def calls_of_pass(monkeypatch: pytest.MonkeyPatch, name: str) -> list[int]:
    """To which each run of a pass of ptxas from now on adds its calls."""
    spent: list[int] = []
    one = next(p for p in pipeline.PASSES if p.name == name)
    run = one.run
    monkeypatch.setattr(one, "run", lambda *given: spent.append(calls(lambda: run(*given))))
    return spent
