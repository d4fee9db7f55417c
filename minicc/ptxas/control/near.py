"""Stores to local memory that `parts` has put together issue together: the first waits for what the others read.

    [S01] ISETP P1, ...                      [S11] ISETP P1, ...
    [S12] @P0 STL [R15], R13          ->     [S01] @P0 STL [R15], R13
    [S02] @P1 STL [R7], R19                  [S02] @P1 STL [R7], R19

An SM holds a line that is stored to for ten cycles; a store to part of its sectors that comes 11 to 20 cycles after
the last loses them in L1 (h200.md). What comes from memory nobody waits for longer here: that may be long, and
loads that are wanted together come together.
"""

from __future__ import annotations

from itertools import pairwise

from minicc.ptxas.mir import MInst
from minicc.ptxas.schedule.dag import part_of_local

_BETWEEN, FAR = 4, 32
"""Instructions from one to the next, at most; cycles from which on they are no neighbours."""
LEAST = 2
"""Cycles from one to the next."""


def pairs(insts: list[MInst]) -> list[tuple[int, int]]:
    """Stores that follow one another, the last first."""
    stores = [i for i, inst in enumerate(insts) if part_of_local(inst)]
    return [(a, b) for a, b in pairwise(stores) if b - a <= _BETWEEN][::-1]


def floors(stores: list[tuple[int, int]], at: list[int]) -> dict[int, int]:
    """The cycles before which the first of two must not issue, where they are issued at `at` without that."""
    out: dict[int, int] = {}
    for a, b in stores:
        least = max(LEAST, b - a)
        second = out.get(b, at[b])
        if least < second - at[a] < FAR:
            out[a] = second - least
    return out
