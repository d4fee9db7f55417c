"""The instruction set as data: every instruction is declared once, in the module of its kind (see `notation`)."""

from __future__ import annotations

from minicc.sass.isa import (
    async_copy,
    atomics,
    control,
    conversion,
    double,
    floating,
    graphics,
    half,
    integer,
    logic,
    memory,
    newer,
    surface,
    sync,
    tensor,
    texture,
    uniform,
    warp,
    warpgroup,
)
from minicc.sass.isa.notation import FAMILIES, Row

MODULES = (
    integer, logic, floating, half, double, conversion, memory, atomics, control, sync, warp, uniform, tensor,
    warpgroup, async_copy, texture, surface, graphics, newer,
)  # fmt: skip

ROWS: tuple[Row, ...] = tuple(row for module in MODULES for row in module.ROWS)
"""All rows. Where two rows accept a word or a text, the earlier one wins."""

__all__ = ["FAMILIES", "ROWS", "Row"]
