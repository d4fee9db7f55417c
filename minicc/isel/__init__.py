"""LLVM IR -> PTX by covering expression DAGs from the pattern database."""

from __future__ import annotations

from minicc.isel.options import Options
from minicc.isel.select import select

__all__ = ["Options", "select"]
