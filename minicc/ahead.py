"""Start-up work done while something else runs: most of a small compile is loading LLVM and importing later stages.

Both tricks need a second core to gain anything, and lose nothing without one.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

LATER = (
    "minicc.ptx",
    "minicc.isel",
    "minicc.isel.patterns.arithmetic",
    "minicc.isel.patterns.bitwise",
    "minicc.isel.patterns.control",
    "minicc.isel.patterns.convert",
    "minicc.isel.patterns.floating",
    "minicc.isel.patterns.memory",
    "minicc.isel.patterns.special",
    "minicc.isel.patterns.tensor",
    "minicc.ptxas",
    "minicc.ptxas.lower",
    "minicc.ptxas.lower.control",
    "minicc.ptxas.lower.float32",
    "minicc.ptxas.lower.integer",
    "minicc.ptxas.lower.memory",
    "minicc.ptxas.reuse",
    "minicc.binary.cubin_write",
)
"""What nearly every compile needs after LLVM."""


def load_llvm() -> None:
    """Have the dynamic linker load LLVM (some 25 ms of relocations) in a thread of its own. ctypes keeps the
    interpreter's lock while it loads a library, but not while it calls a function: so the function called is dlopen."""

    def load() -> None:
        import ctypes
        import importlib.util

        package = importlib.util.find_spec("llvmlite")
        for folder in package.submodule_search_locations or () if package else ():
            ctypes.CDLL(None).dlopen(f"{folder}/binding/libllvmlite.so".encode(), _RTLD_NOW)

    threading.Thread(target=load, daemon=True).start()


_RTLD_NOW = 2


@contextmanager
def importing() -> Iterator[None]:
    """Import the later stages while the body runs; LLVM works without the interpreter's lock. Waits for them at the
    end, so that no two threads ever import at once what the body does not import itself."""
    import sys
    from importlib import import_module

    if LATER[-1] in sys.modules:
        yield
        return

    def load() -> None:
        for name in LATER:
            import_module(name)

    thread = threading.Thread(target=load, daemon=True)
    thread.start()
    try:
        yield
    finally:
        thread.join()
