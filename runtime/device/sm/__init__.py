"""The streaming multiprocessors: a cycle-level machine that executes the encoded bits.

`run` executes a grid, `warm` compiles what has to be compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minicc.arch import Arch
    from runtime.device.grid import Grid, Options, Outcome
    from runtime.device.memory import DeviceMemory
    from runtime.device.sm.together import Together


def run(grid: Grid, memory: DeviceMemory, arch: Arch, options: Options) -> Outcome:
    """Execute `grid`: its `Outcome` has cycles, counters, hazards, output and, if it ended early, the fault."""
    from runtime.device.sm import engine

    return engine.run(grid, memory, arch, options)


def shareable(grid: Grid, memory: DeviceMemory, arch: Arch, options: Options) -> bool:
    """Whether a grid can run beside others."""
    from runtime.device.sm.together import shareable

    return shareable(grid, memory, arch, options)


def several(memory: DeviceMemory, arch: Arch, options: Options) -> Together:
    """A machine for several grids at once (see `runtime.device.sm.together`)."""
    from runtime.device.sm.together import Together

    return Together(memory, arch, options)


def warm(progress: Callable[[str], None] | None = None) -> None:
    """Compile all of the engine in full (one or two seconds a part, the first time; see `jit`)."""
    from runtime.device.sm.language import jit

    jit.warm(progress)
