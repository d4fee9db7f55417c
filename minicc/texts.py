"""Names and sources whose bytes are no UTF-8: as Python's text, where a lone surrogate stands for each such byte
(PEP 383), so that what comes out is what went in."""

from __future__ import annotations

import os
from pathlib import Path


def as_bytes(text: str) -> bytes:
    """The bytes that a text stands for."""
    return text.encode("utf-8", "surrogateescape")


def as_text(data: bytes) -> str:
    """The text that stands for bytes."""
    return data.decode("utf-8", "surrogateescape")


def source(data: bytes) -> str:
    """The text of a source, whose byte order mark and carriage returns say nothing."""
    return as_text(data.removeprefix(b"\xef\xbb\xbf")).replace("\r\n", "\n")


def read(path: str | os.PathLike[str]) -> str:
    """That of a file. OSError if it cannot be read."""
    return source(Path(path).read_bytes())
