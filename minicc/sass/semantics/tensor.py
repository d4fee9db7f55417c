"""Tensor cores: HMMA (f16, bf16, tf32), IMMA, DMMA, and the gathers they are made of."""

from __future__ import annotations

from minicc.sass.semantics.expr import E
from minicc.sass.semantics.form import Builder, Slot


def gather(b: Builder, operand: int, source: E, row: int = 0) -> E:
    """Register `row` of operand `operand` as held by lane `source`."""
    leaf = b.leaf(Slot("R", operand, 32, row))
    return E("gather", 32, (source,), leaf.attr, vec=True)
