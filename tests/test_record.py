"""Named tuples of our own are those of `typing`."""

from __future__ import annotations

import pickle
import typing

from minicc.record import NamedTuple


class Ours(NamedTuple):
    """Text."""

    a: int
    """Its first."""
    b: list[tuple[str, int]]
    c: str | None = None

    def both(self) -> str:
        return f"{self.a}{self.c}"


class Theirs(typing.NamedTuple):
    """Text."""

    a: int
    b: list[tuple[str, int]]
    c: str | None = None

    def both(self) -> str:
        return f"{self.a}{self.c}"


def test_named_tuples_are_those_of_typing() -> None:
    for what in ("_fields", "_field_defaults", "__doc__", "__module__", "__slots__"):
        assert getattr(Ours, what) == getattr(Theirs, what)
    assert typing.get_type_hints(Ours) == typing.get_type_hints(Theirs)
    ours = Ours(1, [], c="x")
    assert ours == Theirs(1, [], "x") == (1, [], "x")
    assert (ours.both(), repr(ours), Ours.__qualname__) == ("1x", "Ours(a=1, b=[], c='x')", "Ours")
    assert pickle.loads(pickle.dumps(ours._replace(a=2))) == (2, [], "x")
