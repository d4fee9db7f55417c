"""Names and sources whose bytes are no UTF-8: as Python's text, where a lone surrogate stands for each such byte
(PEP 383), so that what comes out is what went in."""

from __future__ import annotations

import os
import re


def as_bytes(text: str) -> bytes:
    """The bytes that a text stands for."""
    return text.encode("utf-8", "surrogateescape")


def as_text(data: bytes) -> str:
    """The text that stands for bytes."""
    return data.decode("utf-8", "surrogateescape")


def quoted(text: str) -> str:
    """A text as PTX has it within quotation marks, where nvcc writes bytes beyond ASCII as `\\303`."""
    return re.sub(rb'[^ -~]|["\\]', lambda byte: b"\\%03o" % ord(byte[0]), as_bytes(text)).decode()


def unquoted(text: str) -> str:
    """The text of which `quoted` made this."""
    return as_text(re.sub(rb"\\([0-3][0-7]{2})", lambda code: bytes([int(code[1], 8)]), as_bytes(text)))


def source(data: bytes, errors: str = "surrogateescape") -> str:
    """The text of a source, whose byte order mark and carriage returns say nothing."""
    return data.decode("utf-8", errors).removeprefix("\ufeff").replace("\r\n", "\n")


def read(path: str | os.PathLike[str]) -> str:
    """That of a file. OSError if it cannot be read."""
    with open(path, "rb") as file:
        return source(file.read())


def stem_and_suffix(path: str) -> tuple[str, str]:
    """Of a file's name."""
    return os.path.splitext(os.path.basename(path))
