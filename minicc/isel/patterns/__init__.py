"""The patterns, as data: one module per category, rows of (tree, template, cost class, minimum SM, flags).

Tree:      `add.i32(mul.i32(a, b:ri), c:ri)`: operations with operands; an operand is a name with a constraint class
           (default register), `=5` a fixed constant, `a*4` four registers a0 .. a3. `{axis}` stands for what PTX writes
           as a modifier (`axes.py`).
Template:  see `minicc.isel.cover.template`.
Cost:      a class of `costs.py`, which holds latency and issue cycles per SM.
SM:        the first that has the instruction.
Flags:     "dup": values that the tile covers may have other users too (cheap to compute again); "rot", "comp":
           relations of constants (`isel.cover.cover`); "a": needs the architecture-specific target (sm_90a, ...).
"""

from __future__ import annotations

from importlib import import_module

from minicc.isel.patterns.costs import COSTS, cost_of
from minicc.record import NamedTuple

CATEGORIES = ("arithmetic", "bitwise", "floating", "convert", "memory", "control", "tensor")
"""A pattern is in exactly one. The document's eighth category, special, is a view across them: `special.py`."""


class Row(NamedTuple):
    """One pattern."""

    tree: str
    template: str
    cost: str
    sm: int = 20
    flags: str = ""


def rows_of(category: str) -> list[Row]:
    """Rows of one category, in order of preference among equals."""
    rows: list[Row] = import_module(f"minicc.isel.patterns.{category}").ROWS
    return rows


__all__ = ["CATEGORIES", "COSTS", "Row", "cost_of", "rows_of"]
