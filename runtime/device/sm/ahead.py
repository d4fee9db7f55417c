"""What the host's caches are asked for before a warp needs it. Nothing here changes what is simulated.

A host that shares its caches waits hundreds of cycles for a table, register or datum that it has not touched lately. So
registers of the next instruction are fetched when the one before it issues; and when a warp is told when it may issue a
memory instruction that missed L1 the last time, lanes' addresses are read from the register that will make them, and
the data and the sets of the caches come while other warps issue. A register that is not final costs a needless fetch.
"""

from __future__ import annotations

import numpy as np

from runtime.device.sm import layout as L
from runtime.device.sm.l2 import l1_set, l2_ahead, l2_home
from runtime.device.sm.lang import compiled
from runtime.device.sm.raw import address, load32
from runtime.device.sm.table import CODE, L1, G
from runtime.device.sm.vector import prefetch

NEAR = 1024
"""Bytes from the first lane's address to the last one's up to which all lines between are fetched."""


@compiled(forceinline=True)
def registers_ahead(i: int, state: int) -> None:
    """The register rows of instruction i of the warp with this state."""
    for k in range(4):
        row = CODE[i, L.C_ROW + k]
        if row == 0:
            break
        prefetch(state + row)
        prefetch(state + row + 64)


@compiled(forceinline=True)
def line_ahead(i: int, line: int, m: int) -> None:
    """The places of a line in the caches of SM m, where instruction i will look."""
    home = l2_home(line)
    l2_ahead(line, home)
    if CODE[i, L.C_ACCESS] == L.A_LOAD:
        if not CODE[i, L.C_BYPASS]:
            tags = address(L1, (m, l1_set(line, G[L.G_L1SETS])))
            prefetch(tags)
            prefetch(tags + 64)
        if home != m & 1:
            l2_ahead(line, m & 1)


@compiled
def memory_ahead(i: int, state: int, m: int) -> None:
    """What memory instruction i of a warp of SM m will need, as its address registers are now."""
    row = state + CODE[i, L.C_BASE]
    offset = CODE[i, L.C_OFFSET]
    host = G[L.G_MEM] - G[L.G_MEMBASE]
    wide = CODE[i, L.C_WIDE]
    if CODE[i, L.C_UBASE]:
        place = state + CODE[i, L.C_UBASE]
        offset += np.int64(load32(place)) + (np.int64(load32(place + 4)) << 32)
    a = np.int64(load32(row)) + offset
    b = np.int64(load32(row + 124)) + offset
    if wide:
        a += np.int64(load32(row + 128)) << 32
        b += np.int64(load32(row + 252)) << 32
    span = b - a
    if span >= 0 and span < NEAR:
        at = a & ~127
        for _ in range((span + (a & 127) + CODE[i, L.C_WIDTH] + 127) >> 7):
            prefetch(host + at)
            prefetch(host + at + 64)
            line_ahead(i, at >> 7, m)
            at += 128
        return
    line = -1
    for k in range(32):
        a = np.int64(load32(row + 4 * k)) + offset
        if wide:
            a += np.int64(load32(row + 128 + 4 * k)) << 32
        prefetch(host + a)
        if a >> 7 != line:
            line = a >> 7
            line_ahead(i, line, m)
