"""What the middle end and instruction selection are asked to do."""

from __future__ import annotations

from typing import Literal

import attrs


@attrs.frozen
class Options:
    """Options of the LLVM stage and of isel.

    Rounding and contraction of single operations are already in the IR (fast-math flags, intrinsics, function
    attributes); the switches here are the module-wide defaults for IR that does not say.
    """

    opt_level: int = 3
    """0..3. At 0 only what correctness needs is run: always-inline, argument lowering, atomics expansion."""
    sm: str = "sm_90"
    """LLVM CPU name: "sm_90", "sm_90a"."""
    ptx_version: tuple[int, int] = (8, 8)
    ftz: bool = False
    """Flush single-precision denormals in functions that carry no denormal attribute of their own."""
    fmad: bool = True
    """Contract multiply-adds that the IR allows to be contracted."""
    prec_div: bool = True
    """`fdiv float` without fast-math flags is IEEE (div.rn); otherwise div.full."""
    prec_sqrt: bool = True
    """`llvm.sqrt.f32` without fast-math flags is IEEE (sqrt.rn); otherwise sqrt.approx."""
    debug: Literal["none", "line", "full"] = "none"
    """"line": .loc directives are kept (-lineinfo); "full": -G."""
    short_pointers: bool = True
    """32-bit pointers into shared, local and constant memory, as nvcc uses."""
    explain: bool = False
    """isel keeps, for each PTX instruction, the candidates it weighed and their costs."""
    isel: Literal["cost", "first-match"] = "cost"
    """"first-match": the first pattern that fits, the trivially right twin of least-cost covering."""
    source_name: str = "<llvm-ir>"
    """Name in diagnostics about IR text."""
