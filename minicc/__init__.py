"""minicc: CUDA-style kernels to real Hopper machine code.

import minicc
compiled = minicc.compile("samples/vadd.k", arch="sm_90")
compiled.ptx, compiled.sass, compiled.cubin, compiled.fatbin
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from minicc.diagnostics import CompileError
    from minicc.driver import Compiled, compile


def __getattr__(name: str) -> Any:
    # The driver is loaded on first use, so that importing one room does not import the rest.
    if name in ("compile", "Compiled"):
        from minicc import driver

        return getattr(driver, name)
    if name == "CompileError":
        from minicc.diagnostics import CompileError

        return CompileError
    raise AttributeError(f"module 'minicc' has no attribute '{name}'")


__all__ = ["CompileError", "Compiled", "__version__", "compile"]
