"""Lanes that part and meet on the SM model as on an H200 (data/diverged.json): who runs, in which order, who waits."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest

from tests.gpu.diverged import record
from tests.gpu.diverged.pieces import stuck
from tests.runtime.device.sm.kit import Bench

PIECES = record.pieces()
SEEN = json.loads(record.RECORD.read_text())["pieces"]
BENCH = Bench()
SOME = 4
"""Of so many pieces of a kind one is run."""


def differing(names: Iterable[str]) -> list[str]:
    """Those in which other lanes note another number at some time, or that wait for ever only here or there."""
    out = []
    for name in names:
        error, seen = SEEN[name]
        waits, found = stuck(BENCH, PIECES[name])
        if waits != bool(error) or (not waits and [g[:2] for g in found] != [tuple(g[:2]) for g in seen]):
            out.append(name)
    return out


@pytest.mark.parametrize("kind", sorted({name.split()[0] for name in SEEN} - {"random"}))
def test_lanes_meet_as_on_an_h200(kind: str) -> None:
    names = [name for name in SEEN if name.split()[0] == kind and not name.startswith("turns NANOSLEEP")]
    assert not differing(names[::SOME])


def test_most_random_pieces_do_as_on_an_h200() -> None:
    """91 % of all; in the others lanes that yielded or wait at BSYNC take other turns."""
    names = [name for name in SEEN if name.startswith("random")][::SOME]
    assert len(differing(names)) <= 0.12 * len(names)


def test_waiting_takes_as_long_as_on_an_h200() -> None:
    """Cycles to the last note of pieces in one stretch of code."""
    names = [name for name in SEEN if name.startswith(("all ", "one ", "all.", "one.")) and not SEEN[name][0]][::SOME]
    off = [stuck(BENCH, PIECES[name])[1][-1][2] - SEEN[name][1][-1][2] for name in names]
    assert max(map(abs, off)) <= 52  # a line of code that the chip has fetched ahead
    assert sum(abs(n) <= 5 for n in off) >= 0.9 * len(off)


def test_looks_at_one_to_thirty_two_masks_take_as_long_as_on_an_h200() -> None:
    names = [name for name in SEEN if name.startswith("masks")]
    assert {name: stuck(BENCH, PIECES[name])[1] for name in names} == {
        name: [tuple(group) for group in SEEN[name][1]] for name in names
    }
