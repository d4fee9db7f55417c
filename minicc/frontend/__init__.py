"""`.k` (a strict subset of CUDA C++ device code) to LLVM IR text.

    compile(source, options)     the IR of a translation unit
    preprocess(source, options)  what -E prints

Both raise `CompileError` with everything that is wrong; warnings and the files read are left in `options`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from minicc.diagnostics import CompileError, Diagnostic, Diagnostics, SourceFile, Span

if TYPE_CHECKING:
    from minicc.frontend.options import Options

RECURSION = 60_000
"""Python frames allowed while compiling: brackets nest at most 256 deep, but operators may chain for long."""


def preprocess(source: SourceFile, options: Options) -> str:
    """The text after preprocessing."""
    from minicc.frontend.preprocessed import render
    from minicc.frontend.preprocessor import Preprocessor

    with _guarded(source, options) as diagnostics:
        return render(Preprocessor(options, diagnostics).run(source))


def compile(source: SourceFile, options: Options) -> str:
    """LLVM IR text for nvptx64."""
    from minicc.frontend.cursor import Abandon
    from minicc.frontend.emit.driver import emit
    from minicc.frontend.parser import parse
    from minicc.frontend.preprocessor import Preprocessor

    with _guarded(source, options) as diagnostics:
        tokens = Preprocessor(options, diagnostics).run(source)
        parsed = parse(tokens, options, diagnostics)
        try:
            text = emit(parsed, source, options)
        except Abandon:  # reported; what is read only when code is made of it has no loop behind it that goes on
            diagnostics.check()
            raise
        diagnostics.check()
        return text


@contextmanager
def _guarded(source: SourceFile, options: Options) -> Iterator[Diagnostics]:
    diagnostics = Diagnostics(severity=options.severity)
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, RECURSION))
    try:
        yield diagnostics
    except RecursionError:
        where = Span(source, 0, 1)
        raise CompileError(
            [
                *diagnostics.items,
                Diagnostic("error", "frontend.nesting", "expression or statement is too deeply nested", where),
            ]
        ) from None
    except CompileError as error:
        # An error raised directly still brings along what was reported before it.
        known = [d for d in diagnostics.items if d not in error.diagnostics]
        error.diagnostics[:0] = known
        raise
    finally:
        sys.setrecursionlimit(before)
        options.diagnostics.extend(d for d in diagnostics.items if d.severity != "error")
