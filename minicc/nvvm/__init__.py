"""The mid-level IR: LLVM IR, optimised and prepared by LLVM for nvptx64, and our own reader of it."""

from __future__ import annotations

from minicc.nvvm.ir import Module
from minicc.nvvm.optimise import load, nvptx, optimise
from minicc.nvvm.options import Options
from minicc.nvvm.reader import read

__all__ = ["Module", "Options", "load", "nvptx", "optimise", "read"]
