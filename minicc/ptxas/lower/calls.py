"""Calls of functions that the driver provides: vprintf, __assertfail, malloc, free."""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.lower.builder import Builder


def external(b: Builder, inst: ptx.Inst) -> None:
    b.unsupported()
