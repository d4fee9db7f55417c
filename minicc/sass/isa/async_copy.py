"""Declarations."""

from __future__ import annotations

from minicc.sass.isa.notation import Row

ROWS: tuple[Row, ...] = ()
