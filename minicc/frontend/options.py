"""What a user can ask of the frontend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import attrs

from minicc.diagnostics import Diagnostic, SourceFile

Debug = Literal["none", "lineinfo", "full"]


@attrs.define(eq=False, repr=False)
class Options:
    """Inputs under nvcc's option names; `diagnostics` (warnings) and `files_read` are filled in by a compilation.

    `fast_math` implies ftz, approximate division and square root, and the intrinsic forms of sinf, expf and so on; the
    driver need not set those flags as well. Read them through `flush`, `exact_div` and `exact_sqrt`.
    """

    includes: Sequence[str] = ()
    """Folders of -I, searched in order."""
    pre_includes: Sequence[str] = ()
    """Files of -include, read before the source."""
    defines: Sequence[str] = ()
    """`NAME` or `NAME=VALUE` of -D, in order."""
    undefines: Sequence[str] = ()
    std: str = "c++17"
    sm: int = 90
    """Compute capability as a number: __CUDA_ARCH__ is ten times it."""
    ftz: bool = False
    prec_div: bool = True
    prec_sqrt: bool = True
    fmad: bool = True
    fast_math: bool = False
    debug: Debug = "none"
    opt_level: int = 3
    suppressed: frozenset[str] = frozenset()
    """Numbers of nvcc's warnings that are not wanted; a source asks for it by `#pragma nv_diag_suppress 177`."""
    erroneous: frozenset[str] = frozenset()
    """Numbers of warnings that are errors."""

    diagnostics: list[Diagnostic] = attrs.field(factory=list)
    """Filled in: what the compilation warned of, in source order."""
    files_read: list[str] = attrs.field(factory=list)
    """Filled in: every file that was read, in order of first use, the source itself first (for -MD)."""
    packs: list[tuple[SourceFile, int, int]] = attrs.field(factory=list)
    """Filled in by the preprocessor: from which place in which file on `#pragma pack` says how much (0: nothing)."""

    @property
    def flush(self) -> bool:
        return self.ftz or self.fast_math

    @property
    def exact_div(self) -> bool:
        return self.prec_div and not self.fast_math

    @property
    def exact_sqrt(self) -> bool:
        return self.prec_sqrt and not self.fast_math
