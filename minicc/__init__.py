"""minicc: CUDA-style kernels to real Hopper machine code.

import minicc
compiled = minicc.compile("samples/vadd.k", arch="sm_90")
compiled.ptx, compiled.sass, compiled.cubin, compiled.fatbin
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from minicc.diagnostics import CompileError, SourceFile
    from minicc.driver import Compiled, compile


def _warn_of_stray_runtime() -> None:
    """`import runtime` finds a user's own runtime.py first if there is one; say so before it surprises."""
    import warnings
    from importlib.util import find_spec
    from os.path import dirname, join, realpath

    try:
        spec = find_spec("runtime")
    except ValueError:
        return
    ours = join(dirname(dirname(realpath(__file__))), "runtime", "__init__.py")
    if spec is not None and spec.origin and realpath(spec.origin) != ours:
        warnings.warn(
            f"'import runtime' would load {spec.origin}, which hides minicc's own; rename or move it",
            ImportWarning if spec.origin == "frozen" else RuntimeWarning,
            stacklevel=3,
        )


_warn_of_stray_runtime()


def __getattr__(name: str) -> Any:
    # The driver is loaded on first use, so that importing one room does not import the rest.
    if name in ("compile", "Compiled"):
        from minicc import driver

        return getattr(driver, name)
    if name in ("CompileError", "SourceFile"):
        from minicc import diagnostics

        return getattr(diagnostics, name)
    raise AttributeError(f"module 'minicc' has no attribute '{name}'")


__all__ = ["CompileError", "Compiled", "SourceFile", "__version__", "compile"]
