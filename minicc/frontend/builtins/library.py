"""The device math library, written in the input language (frontend/lib/*.k).

A file is read when a function of it is first called, and a body is parsed and compiled only if it is reached, so that a
kernel that calls none pays nothing.
"""

from __future__ import annotations

from pathlib import Path

from minicc.diagnostics import SourceFile

FOLDER = Path(__file__).parent.parent / "lib"


def source(name: str) -> SourceFile:
    path = FOLDER / f"{name}.k"
    return SourceFile(str(path), path.read_text(encoding="utf-8"))
