"""Older machines as data: what the simulators of `runtime.classic` run. `get(name)` is the only way in.

They are not compile targets: programs for them are abstract instruction streams."""

from __future__ import annotations

from importlib import import_module

from minicc.arch.classic.schema import Machine, Textbook
from minicc.diagnostics import fail

NAMES = ("gf110", "gk104")
"""Machines of the throughput simulator: Fermi and Kepler. `collectors()` is the textbook SM."""


def get(name: str) -> Machine:
    """The description of an older machine. An unknown name is a `CompileError`."""
    if name not in NAMES:
        fail("arch.unknown", f"no machine '{name}'; known: {', '.join(NAMES)}")
    machine = import_module(f"minicc.arch.classic.{name}").MACHINE
    assert isinstance(machine, Machine)
    return machine


def collectors() -> Textbook:
    """The SM of the project's architecture document: operand collectors and a banked crossbar."""
    from minicc.arch.classic.textbook import MACHINE

    return MACHINE


__all__ = ["NAMES", "Machine", "Textbook", "collectors", "get"]
