"""Device memory: one big anonymous mapping that numpy, the driver, the copy engine and the SM model all look at.

Device virtual address = `BASE` + byte offset in the mapping; pages are committed by the kernel on first use.
`limits` is the allocation map: for granule g (256 bytes) it holds how many of its bytes, from its start, are allocated
(0..256). An access of `size` bytes at offset o that does not cross a granule (any naturally aligned access up to 16
bytes) is in bounds iff `(o & 255) + size <= limits[o >> 8]`. Allocations begin at a granule and are followed by a guard
granule, so that running off either end is noticed.
"""

from __future__ import annotations

import bisect
import contextlib
import mmap
import threading
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from runtime.device.texture import Textures

BASE = 0x7F0000000000
"""Device virtual address of the mapping's first byte."""

GRANULE = 256
"""Bytes that one entry of the allocation map stands for."""

DEFAULT_SIZE = 16 << 30
_MAP_NORESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000)


class OutOfMemory(MemoryError):
    """No free range of the asked size is left."""


class BadAddress(ValueError):
    """An address range that is not (wholly) allocated device memory, or not the start of an allocation."""


def in_large_pages(mapping: mmap.mmap) -> None:
    """Ask the host for its large pages, where it has them: a simulation touches more memory than the host's table of
    pages covers."""
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):
            mapping.madvise(mmap.MADV_HUGEPAGE)


def _reserve(size: int) -> tuple[mmap.mmap, int]:
    """Reserve `size` bytes of zeroed address space, halving on refusal (a small RLIMIT_AS) down to 64 MiB."""
    while True:
        try:
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_NORESERVE
            mapping = mmap.mmap(-1, size, flags=flags)
            in_large_pages(mapping)
            return mapping, size
        except (OSError, ValueError, MemoryError):
            if size <= 64 << 20:
                raise
            size //= 2


class DeviceMemory:
    """The global memory of one device.

    `bytes` is the whole mapping as uint8; `limits` the allocation map (uint16 per granule). Addresses are device
    virtual addresses. Methods raise `BadAddress` on ranges that are not allocated and `OutOfMemory` when full.
    Thread-safe."""

    def __init__(self, size: int = DEFAULT_SIZE) -> None:
        self._mapping, self.size = _reserve(size)
        self.bytes: npt.NDArray[np.uint8] = np.frombuffer(self._mapping, dtype=np.uint8)
        self.limits: npt.NDArray[np.uint16] = np.zeros(self.size // GRANULE, dtype=np.uint16)
        self.heap = 0
        """Address of the heap of device code, once something asked for it."""
        self.known: npt.NDArray[np.uint8] | None = None
        """For each byte whether anything was written there since it was allocated, where that is kept (`watch`)."""
        self.textures: Textures | None = None
        """What texture and surface handles stand for."""
        self._lock = threading.RLock()
        self._allocated: dict[int, int] = {}
        self._starts: list[int] = []
        # Free ranges as sorted, disjoint (offset, length); the first granule stays unused.
        self._free: list[tuple[int, int]] = [(GRANULE, self.size - GRANULE)]

    def watch(self) -> None:
        """From now on keep which bytes were written."""
        self._known, _ = _reserve(self.size)
        self.known = np.frombuffer(self._known, dtype=np.uint8)[: self.size]

    def allocate(self, size: int, align: int = GRANULE) -> int:
        """Reserve `size` bytes (at least 1) and return the address, a multiple of `align` and of 256. First fit."""
        size = max(int(size), 1)
        align = max(align, GRANULE)
        span = (size + GRANULE - 1) // GRANULE * GRANULE
        with self._lock:
            for index, (start, length) in enumerate(self._free):
                offset = (BASE + start + align - 1) // align * align - BASE
                end = offset + span + GRANULE
                if end > start + length:
                    continue
                rest = [(start, offset - start), (end, start + length - end)]
                self._free[index : index + 1] = [r for r in rest if r[1] > 0]
                self._allocated[offset] = size
                bisect.insort(self._starts, offset)
                self._mark(offset, size, allocated=True)
                if self.known is not None:
                    self.known[offset : offset + size] = 0
                return BASE + offset
        raise OutOfMemory(f"out of device memory: {size} bytes asked, {self.size} bytes in all")

    def free(self, address: int) -> None:
        """Give back what `allocate` returned. The contents stay until the range is used again."""
        with self._lock:
            offset = address - BASE
            size = self._allocated.pop(offset, None)
            if size is None:
                raise BadAddress(f"free of 0x{address:x}, which is not the start of an allocation")
            self._starts.remove(offset)
            self._mark(offset, size, allocated=False)
            span = (size + GRANULE - 1) // GRANULE * GRANULE + GRANULE
            at = bisect.bisect(self._free, (offset, 0))
            self._free.insert(at, (offset, span))
            for i in (at, at - 1):
                if 0 <= i < len(self._free) - 1 and sum(self._free[i]) == self._free[i + 1][0]:
                    self._free[i : i + 2] = [(self._free[i][0], self._free[i][1] + self._free[i + 1][1])]

    def _mark(self, offset: int, size: int, *, allocated: bool) -> None:
        first, whole = offset // GRANULE, size // GRANULE
        self.limits[first : first + whole] = GRANULE if allocated else 0
        if size % GRANULE:
            self.limits[first + whole] = size % GRANULE if allocated else 0

    def find(self, address: int) -> tuple[int, int] | None:
        """(address, size) of the allocation that holds `address`, or None."""
        with self._lock:
            offset = address - BASE
            at = bisect.bisect(self._starts, offset) - 1
            if at < 0:
                return None
            start = self._starts[at]
            size = self._allocated[start]
            return (BASE + start, size) if offset < start + size else None

    def nearest(self, address: int) -> tuple[int, int] | None:
        """(address, size) of the last allocation that begins at or below `address`, for messages."""
        with self._lock:
            at = bisect.bisect(self._starts, address - BASE) - 1
            if at < 0:
                return None
            return BASE + self._starts[at], self._allocated[self._starts[at]]

    def check(self, address: int, size: int) -> int:
        """The offset of [address, address + size) in `bytes`; BadAddress unless one allocation holds all of it."""
        found = self.find(address)
        if size < 0 or found is None or address + size > found[0] + found[1]:
            if size == 0:
                return max(address - BASE, 0)
            raise BadAddress(f"[0x{address:x}, 0x{address + size:x}) is not allocated device memory")
        return address - BASE

    def view(self, address: int, size: int) -> npt.NDArray[np.uint8]:
        """The bytes at `address` as a writable numpy view; it lives as long as the memory."""
        offset = self.check(address, size)
        return self.bytes[offset : offset + size]

    def read(self, address: int, size: int) -> bytes:
        """Copy `size` bytes out."""
        return self.view(address, size).tobytes()

    def write(self, address: int, data: bytes | bytearray | memoryview) -> None:
        """Copy bytes in."""
        source = np.frombuffer(data, dtype=np.uint8)
        self._written(address, source.size)[:] = source

    def fill(self, address: int, value: int, size: int) -> None:
        """Set `size` bytes to `value`."""
        self._written(address, size)[:] = value

    def copy(self, target: int, source: int, size: int) -> None:
        """Copy within device memory; overlapping ranges as memmove."""
        known = None if self.known is None else self.known[self.check(source, size) :][:size].copy()
        self._written(target, size)[:] = self.view(source, size).copy()
        if self.known is not None and known is not None:
            self.known[target - BASE : target - BASE + size] = known

    def _written(self, address: int, size: int) -> npt.NDArray[np.uint8]:
        """The bytes at `address`, which are now known."""
        offset = self.check(address, size)
        if self.known is not None:
            self.known[offset : offset + size] = 1
        return self.bytes[offset : offset + size]

    @property
    def used(self) -> int:
        """Bytes allocated now."""
        with self._lock:
            return sum(self._allocated.values())

    @property
    def allocations(self) -> list[tuple[int, int]]:
        """(address, size) of every live allocation, by address."""
        with self._lock:
            return [(BASE + start, self._allocated[start]) for start in self._starts]
