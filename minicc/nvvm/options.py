"""What the middle end is asked to do."""

from __future__ import annotations

from minicc.passes import Asked
from minicc.record import NamedTuple


class Options(NamedTuple):
    """Options of the LLVM stage."""

    opt_level: int = 3
    """0..3. At 0 only what correctness needs is run: always-inline, argument lowering, atomics expansion."""
    sm: str | int = "sm_90"
    """LLVM CPU name ("sm_90", "sm_90a") or number (90)."""
    ptx_version: tuple[int, int] = (8, 8)
    ftz: bool = False
    """Recorded for the driver: the IR's own `denormal-fp-math-f32` attribute is what LLVM and isel obey."""
    fmad: bool = True
    """Recorded for the driver: the IR's `contract` flags decide."""
    debug: str = "none"
    """What the frontend was asked for; LLVM keeps the metadata it finds."""
    short_pointers: bool = True
    """32-bit pointers into shared, local and constant memory, as nvcc uses."""
    source_name: str = "<llvm-ir>"
    """Name in diagnostics about IR text."""
    asked: Asked | None = None
    """What is asked of the passes (-Xnvvm)."""
