"""The large tables of a run, kept for the next one.

Clearing a hundred megabytes a launch, or having the host's kernel do it page by page, takes longer than many a launch.
So nothing here is cleared: a run's uses of lines come after all earlier ones, other entries hold its number, buckets
of bandwidth are emptied as time comes to them, and a CTA slot's registers and shared memory are cleared
when the first CTA of a run takes it. A run therefore finds the same as one with tables of its own.
"""

from __future__ import annotations

import contextlib
import math
import mmap
import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import attrs
import numpy as np

from runtime.device.memory import in_large_pages

LARGE = PAGE = 2 << 20
"""Bytes from which on a table is a mapping of its own; of a large page."""
POOL = 4 * PAGE
"""Bytes of a mapping that smaller tables share: in pages of their own sizes they would take more of the places that the
host has for them than all large ones."""
_FLAGS = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0x4000)
SCRATCH_BYTES = 4096
"""Of the scratch area (see `layout.G_SCRATCH`)."""
EPOCHS, STAMPS = 1 << 14, 1 << 31
"""Numbers of runs and uses after which new tables are taken: the tables have 15 and 32 bits for them."""


def aligned(shape: tuple[int, ...], dtype: Any, dense: bool = False) -> Any:
    """A zeroed array that begins at a line of the host's caches; pages are only taken when touched. `dense`: most of it
    will be, so that large pages are asked for, of which the host has the places at hand."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    boundary = 64
    if size >= LARGE:
        # Not reserved: little of all threads' local memory is touched.
        boundary = PAGE
        mapping = mmap.mmap(-1, size + boundary, flags=_FLAGS)
        if dense:
            in_large_pages(mapping)
        raw: Any = np.frombuffer(mapping, np.uint8)
    else:
        raw = np.zeros(size + boundary, np.uint8)
    skip = -raw.ctypes.data % boundary
    return raw[skip : skip + size].view(dtype).reshape(shape)


@attrs.define(eq=False)
class Workspace:
    """Tables by name, and what tells a run's entries from those of earlier runs: `epoch` for tags of caches, `stamp`
    for last uses."""

    arrays: dict[str, Any] = attrs.field(factory=dict)
    epoch: int = 1
    stamp: int = 1
    pool: Any = attrs.field(factory=partial(np.zeros, 0, np.uint8))
    """What is left of the mapping for small tables."""

    def array(self, name: str, shape: tuple[int, ...], dtype: Any = np.int64) -> Any:
        """A table as the last run left it, zeros where none has been."""
        size = math.prod(shape) * np.dtype(dtype).itemsize
        known = self.arrays.get(name)
        if known is None or known.size < size:
            # One that grows leaves its piece behind, so it grows by half of itself at least.
            known = self.arrays[name] = self._taken(max(size, 3 * known.size // 2) if known is not None else size)
        return known[:size].view(dtype).reshape(shape)

    def _taken(self, size: int) -> Any:
        """So many bytes, zeros, in large pages."""
        if size >= LARGE:
            return aligned((size,), np.uint8, dense=True)
        if self.pool.size < size:
            self.pool = aligned((POOL,), np.uint8, dense=True)
        piece, self.pool = self.pool[:size], self.pool[size + -size % 64 :]
        return piece

    def cleared(self, name: str, shape: tuple[int, ...]) -> Any:
        """A table of zeros, where the last run had it."""
        table = self.array(name, shape)
        table[:] = 0
        return table

    def finish(self, end: int, stamp: int) -> None:
        """A run that took `end` cycles is over; `stamp` is the largest `M_FRESH` that it used."""
        self.epoch += 1
        self.stamp = max(self.stamp + end + (1 << 20), stamp)
        if self.epoch > EPOCHS or self.stamp > STAMPS:
            self.arrays, self.epoch, self.stamp = {}, 1, 1
            self.pool = self.pool[:0]


_free: list[Workspace] = []
_lock = threading.Lock()


@contextlib.contextmanager
def borrowed() -> Iterator[Workspace]:
    """A workspace for one run; several runs may be under way in threads. After an exception it is not used again."""
    with _lock:
        workspace = _free.pop() if _free else Workspace()
    yield workspace
    with _lock:
        _free.append(workspace)
