"""Machine descriptions: one data module per sm_XX, one schema (`minicc.arch.schema`).

`get("sm_90")` is the only way in. Everything that differs between machines is a field here; no other package tests an
architecture's name.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from minicc.arch.schema import Arch
from minicc.diagnostics import fail

NAMES = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_90a")
"""Architectures with machine code and a machine model."""


@cache
def get(name: str) -> Arch:
    """The description of `sm_XX` (or `compute_XX`, its virtual twin). An unknown name is a `CompileError`."""
    real = "sm_" + name.removeprefix("compute_") if name.startswith("compute_") else name
    if real not in NAMES:
        from minicc.arch import virtual

        if real in virtual.TABLE:
            return virtual.get(real)
        known = f"{', '.join(NAMES)}; for PTX only: {', '.join(virtual.TABLE)}"
        fail("arch.unknown", f"Value '{name}' is not defined for option 'gpu-architecture'; known: {known}")
    arch = import_module(f"minicc.arch.{real}").ARCH
    assert isinstance(arch, Arch)
    return arch


__all__ = ["NAMES", "Arch", "get"]
