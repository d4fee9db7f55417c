"""Sizes, alignments and field offsets of LLVM types under the NVPTX data layout."""

from __future__ import annotations

import re

from minicc.numbers import align_up
from minicc.nvvm import ir


class DataLayout:
    """Reads the pointer widths out of a data-layout string; the rest of NVPTX's layout is fixed: scalars are aligned to
    their size (i128 to 16), vectors to their whole size rounded up to a power of two."""

    def __init__(self, text: str) -> None:
        self.pointer_bits: dict[int, int] = {}
        for space, bits in re.findall(r"(?:^|-)p(\d*):(\d+)", text):
            self.pointer_bits[int(space or 0)] = int(bits)
        self._size: dict[ir.Type, tuple[int, int]] = {}
        self._offsets: dict[ir.Type, list[int]] = {}

    def pointer(self, space: int) -> int:
        """Width in bits of a pointer into `space`."""
        return self.pointer_bits.get(space, 64)

    def bits(self, type_: ir.Type) -> int:
        """Width in bits of a scalar or vector."""
        if type_.kind == "ptr":
            return self.pointer(type_.space)
        if type_.kind == "vector":
            return type_.count * self.bits(type_.element)
        return type_.bits

    def store_size(self, type_: ir.Type) -> int:
        """Bytes that a store of the type writes."""
        if type_.is_aggregate:
            return self.size(type_)
        return (self.bits(type_) + 7) // 8

    def size(self, type_: ir.Type) -> int:
        """Distance in bytes between consecutive elements of the type."""
        return self._measure(type_)[0]

    def align(self, type_: ir.Type) -> int:
        """ABI alignment in bytes."""
        return self._measure(type_)[1]

    def offsets(self, type_: ir.Type) -> list[int]:
        """Byte offsets of the fields of a struct."""
        found = self._offsets.get(type_)
        if found is None:
            found, at = [], 0
            for field in type_.elements:
                size, align = self._measure(field)
                if not type_.packed:
                    at = align_up(at, align)
                found.append(at)
                at += size
            self._offsets[type_] = found
        return found

    def _measure(self, type_: ir.Type) -> tuple[int, int]:
        found = self._size.get(type_)
        if found is None:
            found = self._size[type_] = self._compute(type_)
        return found

    def _compute(self, type_: ir.Type) -> tuple[int, int]:
        kind = type_.kind
        if kind == "array":
            size, align = self._measure(type_.element)
            return size * type_.count, align
        if kind == "struct":
            if not type_.elements:
                return 0, 1
            align = 1 if type_.packed else max(self.align(field) for field in type_.elements)
            end = self.offsets(type_)[-1] + self.size(type_.elements[-1])
            return align_up(end, align), align
        store = self.store_size(type_)
        align = 1
        while align < store:
            align *= 2
        if kind == "int":
            align = min(align, 16)
        return align_up(store, align), align
