"""What instruction selection is asked to do."""

from __future__ import annotations

from typing import Literal

import attrs

from minicc.passes import Asked


@attrs.frozen(eq=False, repr=False)
class Options:
    """Defaults for what the IR itself does not say; fast-math flags, intrinsics and function attributes come first."""

    how: Literal["cost", "first-match"] = "cost"
    """"first-match": the first pattern that fits, the trivially right twin of least-cost covering."""
    asked: Asked | None = None
    """What is asked of the passes (-Xisel)."""
    explain: bool = False
    """Keep, for each PTX instruction, the candidates that were weighed and their costs."""
    opt_level: int = 3
    """0: values stay in the block where the IR has them."""
    ftz: bool = False
    """Flush single-precision denormals in functions that carry no denormal attribute of their own."""
    fmad: bool = True
    """Contract multiply-adds that the IR allows to be contracted."""
    prec_div: bool = True
    """`fdiv float` without fast-math flags is IEEE (div.rn); otherwise div.full."""
    prec_sqrt: bool = True
    """`llvm.sqrt.f32` without fast-math flags is IEEE (sqrt.rn); otherwise sqrt.approx."""
    debug: Literal["none", "line", "full"] = "none"
    """"full" marks the module `.target sm_XX, debug`. Lines are kept whenever the IR has them."""
