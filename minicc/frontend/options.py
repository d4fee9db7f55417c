"""What a user can ask of the frontend."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Literal

from minicc.diagnostics import Diagnostic, SourceFile

Debug = Literal["none", "lineinfo", "full"]


class Options:
    """Inputs under nvcc's option names; `diagnostics` (warnings) and `files_read` are filled in by a compilation.

    `fast_math` implies ftz, approximate division and square root, and the intrinsic forms of sinf, expf and so on; the
    driver need not set those flags as well. Read them through `flush`, `exact_div` and `exact_sqrt`.
    """

    def __init__(
        self,
        includes: Sequence[str] = (),
        pre_includes: Sequence[str] = (),
        defines: Sequence[str] = (),
        undefines: Sequence[str] = (),
        std: str = "c++17",
        gnu: bool = False,
        sm: int = 90,
        specific: bool = False,
        ftz: bool = False,
        prec_div: bool = True,
        prec_sqrt: bool = True,
        fmad: bool = True,
        fast_math: bool = False,
        debug: Debug = "none",
        opt_level: int = 3,
        relaxed_constexpr: bool = False,
        extended_lambda: bool = False,
        relocatable: bool = False,
        suppressed: frozenset[str] = frozenset(),
        erroneous: frozenset[str] = frozenset(),
        warnings: Literal["shown", "left out", "errors"] = "shown",
    ) -> None:
        self.includes = includes
        """Folders of -I, searched in order."""
        self.pre_includes = pre_includes
        """Files of -include, read before the source."""
        self.defines = defines
        """`NAME` or `NAME=VALUE` of -D, in order."""
        self.undefines = undefines
        self.std = std
        self.gnu = gnu
        """GNU's dialect of it, which is nvcc's without -std: `linux` and `unix` are macros."""
        self.sm = sm
        """Compute capability as a number: __CUDA_ARCH__ is ten times it."""
        self.specific = specific
        """For that architecture alone, with all that it has (sm_90a)."""
        self.ftz, self.prec_div, self.prec_sqrt, self.fmad, self.fast_math = ftz, prec_div, prec_sqrt, fmad, fast_math
        self.debug = debug
        self.opt_level = opt_level
        self.relaxed_constexpr = relaxed_constexpr
        """Device code may call constexpr functions of the host (--expt-relaxed-constexpr)."""
        self.extended_lambda = extended_lambda
        """Lambdas may say that they are for devices (--extended-lambda)."""
        self.relocatable = relocatable
        """Other files may be linked with this one (-rdc=true, -dc)."""
        self.suppressed = suppressed
        """Numbers of nvcc's warnings that are not wanted; a source asks for it by `#pragma nv_diag_suppress 177`."""
        self.erroneous = erroneous
        """Numbers of warnings that are errors."""
        self.warnings = warnings
        """What becomes of the others: -w, -Werror all-warnings."""
        self.diagnostics: list[Diagnostic] = []
        """Filled in: what the compilation warned of, in source order."""
        self.files_read: list[str] = []
        """Filled in: every file that was read, in order of first use, the source itself first (for -MD)."""
        self.signatures: dict[str, str] = {}
        """Filled in: what the names of extern "C" kernels would be if C++ made them, which tells their parameters."""
        self.packs: list[tuple[SourceFile, int, int]] = []
        """Filled in by the preprocessor: from which place in which file on `#pragma pack` says how much (0:
        nothing)."""

    def severity(self, code: str) -> Literal["warning", "error"] | None:
        """What a warning counts as; None: nothing is said."""
        number = code.removesuffix("-D")
        if number in self.suppressed:
            return None
        if number in self.erroneous or self.warnings == "errors":
            return "error"
        return "warning" if self.warnings == "shown" else None

    def of_library(self) -> Options:
        """The same for a text of ours: nothing of the command line concerns it, and nobody is told what was read."""
        made = copy(self)
        made.defines = made.undefines = made.includes = made.pre_includes = ()
        made.debug, made.diagnostics, made.files_read = "none", [], []
        return made

    @property
    def flush(self) -> bool:
        return self.ftz or self.fast_math

    @property
    def exact_div(self) -> bool:
        return self.prec_div and not self.fast_math

    @property
    def exact_sqrt(self) -> bool:
        return self.prec_sqrt and not self.fast_math
