"""The mid-level IR: LLVM IR, optimised and prepared by LLVM for nvptx64, and our own reader of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minicc.nvvm.optimise import link, load, nvptx, optimise
from minicc.nvvm.options import Options

if TYPE_CHECKING:
    from minicc.nvvm.ir import Module
    from minicc.nvvm.reader import read


def __getattr__(name: str) -> Any:
    # Not needed before LLVM has run, and imported while it runs: see `minicc.ahead`.
    if name == "Module":
        from minicc.nvvm.ir import Module

        return Module
    if name == "read":
        from minicc.nvvm.reader import read

        return read
    raise AttributeError(f"module 'minicc.nvvm' has no attribute '{name}'")


__all__ = ["Module", "Options", "link", "load", "nvptx", "optimise", "read"]
