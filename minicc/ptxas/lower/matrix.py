"""Tensor-core and asynchronous-copy basics: mma.sync, ldmatrix, cp.async."""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.lower.builder import Builder


def mma(b: Builder, inst: ptx.Inst) -> None:
    b.unsupported()


LOWER = {"mma": mma, "ldmatrix": mma, "cp": mma}
