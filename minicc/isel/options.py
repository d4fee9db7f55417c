"""What instruction selection is asked to do."""

from __future__ import annotations

from typing import Literal

from minicc.passes import Asked


class Options:
    """Defaults for what the IR itself does not say; fast-math flags, intrinsics and function attributes come first."""

    def __init__(
        self,
        how: Literal["cost", "first-match"] = "cost",
        asked: Asked | None = None,
        explain: bool = False,
        opt_level: int = 3,
        ftz: bool = False,
        fmad: bool = True,
        prec_div: bool = True,
        prec_sqrt: bool = True,
        debug: Literal["none", "line", "full"] = "none",
    ) -> None:
        self.how = how
        """"first-match": the first pattern that fits, the trivially right twin of least-cost covering."""
        self.asked = asked
        """What is asked of the passes (-Xisel)."""
        self.explain = explain
        """Keep, for each PTX instruction, the candidates that were weighed and their costs."""
        self.opt_level = opt_level
        """0: values stay in the block where the IR has them."""
        self.ftz = ftz
        """Flush single-precision denormals in functions that carry no denormal attribute of their own."""
        self.fmad = fmad
        """Contract multiply-adds that the IR allows to be contracted."""
        self.prec_div = prec_div
        """`fdiv float` without fast-math flags is IEEE (div.rn); otherwise div.full."""
        self.prec_sqrt = prec_sqrt
        """`llvm.sqrt.f32` without fast-math flags is IEEE (sqrt.rn); otherwise sqrt.approx."""
        self.debug = debug
        """"full" marks the module `.target sm_XX, debug`. Lines are kept whenever the IR has them."""
