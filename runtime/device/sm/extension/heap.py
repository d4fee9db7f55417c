"""malloc and free of device code: a heap in device memory that lives as long as the device.

At its beginning two words: how much has been taken, and the first free block. A block is 16 bytes, the first word its
size, before a multiple of 16 bytes; free blocks hold the address of the next one. First fit; blocks are not split.
"""

from __future__ import annotations

import numpy as np

from runtime.device.sm.execute import abi
from runtime.device.sm.language.lang import compiled, u32
from runtime.device.sm.language.raw import first, load32, load64, loads64, store32, store64
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import WS, G

R4 = 4 * abi.r_row(4)
HEAD = 16


@compiled
def take(size: int) -> int:
    """Device address of `size` bytes; 0 if there are not so many."""
    heap = G[L.G_HEAP] - G[L.G_MEMBASE] + G[L.G_MEM]
    if size <= 0 or size > G[L.G_HEAPSIZE]:
        return 0
    size = (size + 15) & ~15
    before = heap + 8
    block = loads64(before)
    while block:
        place = heap + block
        if loads64(place) >= size:
            store64(before, load64(place + 8))
            return G[L.G_HEAP] + block + HEAD
        before = place + 8
        block = loads64(before)
    taken = loads64(heap) if loads64(heap) else HEAD
    if taken + HEAD + size > G[L.G_HEAPSIZE]:
        return 0
    store64(heap, np.uint64(taken + HEAD + size))
    store64(heap + taken, np.uint64(size))
    return G[L.G_HEAP] + taken + HEAD


@compiled
def give(address: int) -> int:
    """Take a block back. 0 or minus the fault."""
    if address == 0:
        return 0
    block = address - G[L.G_HEAP] - HEAD
    if block < HEAD or block >= G[L.G_HEAPSIZE] or block & 15:
        G[L.G_FADDR] = address
        return -K.F_ADDRESS
    heap = G[L.G_HEAP] - G[L.G_MEMBASE] + G[L.G_MEM]
    store64(heap + block + 8, load64(heap + 8))
    store64(heap + 8, np.uint64(block))
    return 0


@compiled
def call(w: int, free: int, mask: u32) -> int:
    """malloc (R4:5 = size, then the address) or free (R4:5 = address) for the lanes `mask`. 0 or minus the fault."""
    state = WS[w, L.W_STATE] + R4
    while mask:
        k = first(mask)
        mask &= mask - np.uint32(1)
        value = np.int64(load32(state + 4 * k)) | np.int64(load32(state + 128 + 4 * k)) << 32
        if free:
            bad = give(value)
            if bad:
                G[L.G_FLANE] = k
                return bad
        else:
            address = take(value)
            store32(state + 4 * k, np.uint32(address & 0xFFFFFFFF))
            store32(state + 128 + 4 * k, np.uint32(address >> 32))
    return 0
