"""A view of input bytes that never reads outside itself: every error is a `CompileError` that names the byte offset."""

from __future__ import annotations

import struct
from typing import NoReturn

from minicc.diagnostics import fail


class Data:
    """Bytes of a file, or of a part of it that starts at `base` of the file. `name` is printed in errors."""

    def __init__(self, view: memoryview, name: str, base: int = 0) -> None:
        self.view, self.name, self.base = view, name, base

    @classmethod
    def of(cls, data: bytes | bytearray | memoryview, name: str) -> Data:
        """A view of a whole file."""
        return cls(memoryview(data).cast("B"), name)

    def __len__(self) -> int:
        return len(self.view)

    def bad(self, offset: int, message: str, code: str = "binary.format") -> NoReturn:
        """Raise a `CompileError` about the byte at `offset` of this view."""
        fail(code, message, place=f"{self.name}: byte 0x{self.base + max(offset, 0):x}")

    def part(self, offset: int, size: int, what: str) -> Data:
        """The `size` bytes at `offset`, without copying; an error if they are not all there."""
        if offset < 0 or size < 0 or offset + size > len(self.view):
            self.bad(min(offset, len(self.view)), f"{what}: {size} bytes at 0x{offset:x} do not fit in the file")
        return Data(self.view[offset : offset + size], self.name, self.base + offset)

    def bytes(self, offset: int, size: int, what: str) -> bytes:
        """A copy of the `size` bytes at `offset`."""
        return bytes(self.part(offset, size, what).view)

    def unpack(self, layout: struct.Struct, offset: int, what: str) -> tuple[int, ...]:
        """Integers in the struct `layout` at `offset`."""
        if offset < 0 or offset + layout.size > len(self.view):
            self.bad(min(offset, len(self.view)), f"{what}: the file ends inside it")
        return layout.unpack_from(self.view, offset)

    def u32(self, offset: int, what: str) -> int:
        return self.unpack(_U32, offset, what)[0]

    def string(self, offset: int, what: str, limit: int = 1 << 16) -> str:
        """The NUL-terminated text at `offset`; undecodable bytes are kept as \\xNN."""
        if not 0 <= offset < len(self.view):
            self.bad(min(offset, len(self.view)), f"{what}: string offset 0x{offset:x} is outside its table")
        raw = bytes(self.view[offset : offset + limit])
        end = raw.find(b"\0")
        if end < 0:
            self.bad(offset, f"{what}: string is not terminated")
        return raw[:end].decode("utf-8", "backslashreplace")


_U32 = struct.Struct("<I")
