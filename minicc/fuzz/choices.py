"""What writers of random programs draw: one of several, a number, yes or no, a name that is new."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import strategies as st

_T = TypeVar("_T")


class Choices:
    """Every choice is drawn, so that what fails shrinks."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.names = 0

    def one(self, of: Sequence[_T]) -> _T:
        return self.draw(st.sampled_from(of))

    def number(self, least: int, most: int) -> int:
        return self.draw(st.integers(least, most))

    def often(self) -> bool:
        return self.draw(st.booleans())

    def name(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"
