"""The patterns, as data: one module per category of the seed, rows of (tree, template, cost class, minimum SM, flags).

Tree:      `add.i32(mul.i32(a, b:ri), c:ri)`: signature names with operands; an operand is a name with a constraint
           class (default register), `=5` a fixed constant. `*` in an inner name matches any component.
Template:  see `minicc.isel.template`.
Cost:      a class of `costs.py`, which holds latency and issue cycles per SM.
Flags:     "dup": values that the tile covers may have other users too (cheap to compute again).
"""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

from minicc.isel.patterns.costs import COSTS, PER_SM

CATEGORIES = ("arithmetic", "bitwise", "floating", "convert", "memory", "control", "special", "tensor")


class Row(NamedTuple):
    """One pattern."""

    tree: str
    template: str
    cost: str
    sm: int = 20
    flags: str = ""


LATENCY_CLASSES: tuple[str, ...] = tuple(COSTS)


def rows_of(category: str) -> list[Row]:
    """Rows of one category, in order of preference among equals."""
    rows: list[Row] = import_module(f"minicc.isel.patterns.{category}").ROWS
    return rows


def latency_of(name: str, sm: int) -> tuple[int, int]:
    """(latency, issue cycles) of a cost class on an SM."""
    special = PER_SM.get(sm, {}).get(name)
    return special or COSTS[name]
