"""What the host's caches are asked for before a warp needs it. Nothing here changes what is simulated.

A host that shares its caches waits hundreds of cycles for a table, register or datum that it has not touched lately. So
registers of an instruction are fetched when that two before it issues; and when a warp is told when it may issue a
memory instruction that missed L1 the last time, lanes' addresses are read from the register that will make them, and
the data and the sets of the caches come while other warps issue. A register that is not final costs a needless fetch.
"""

from __future__ import annotations

import numpy as np

from runtime.device.sm.language.lang import compiled
from runtime.device.sm.language.raw import address, load32
from runtime.device.sm.language.vector import prefetch
from runtime.device.sm.memory.l1 import l1_set
from runtime.device.sm.memory.l2 import (
    BANK_SHIFT,
    BANKS,
    BK_OPEN,
    BUCKET_SHIFT,
    MP_AT_CHANNEL,
    NB,
    Q_FROM,
    Q_TO,
    dram_bank,
    held_at,
    l2_ahead,
    l2_home,
    l2_set,
    l2_slice,
)
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import BANK, BK, BW, CODE, L1, MP, QUEUE, SM, WS, G

NEAR = 1024
"""Bytes from the first lane's address to the last one's up to which the lines between are fetched, with their places in
the caches; of loads that go farther only the data."""
TRIP = 64
"""Cycles from an issue until L2 is asked, about."""
COLD = 14
"""Lines of the host's caches of a warp's row that its beginning and end need."""


@compiled(inline=True)
def registers_ahead(i: int, state: int) -> None:
    """The register rows of instruction i of the warp with this state."""
    for k in range(4):
        row = CODE[i, L.C_ROW + k]
        prefetch(state + row)
        prefetch(state + row + 64)


@compiled(rare=True)
def row_ahead(w: int) -> None:
    """The row of a warp that is about to end, and that of the warp which comes into its place."""
    row = address(WS, (w, 0))
    for piece in range(COLD):
        prefetch(row + 64 * piece)


@compiled(inline=True)
def bucket_ahead(resource: int, t: int) -> None:
    """The bucket of a resource in which a request at `t` may find room."""
    b = t >> BUCKET_SHIFT
    if b >= QUEUE[resource, Q_FROM] and b < QUEUE[resource, Q_TO]:
        b = QUEUE[resource, Q_TO]
    prefetch(address(BW, (resource, b & (NB - 1))))


@compiled(inline=True)
def line_ahead(i: int, line: int, m: int, t: int) -> None:
    """The places of a line in the caches of SM m, and in the queues behind, where instruction i will look at `t`."""
    home = l2_home(line)
    at = l2_set(line)
    l2_ahead(at, home)
    where = home
    if not CODE[i, L.C_BYPASS]:
        prefetch(address(L1, (m, l1_set(line))))
    if CODE[i, L.C_ACCESS] == K.A_LOAD:
        where = SM[m, L.M_SIDE]
        if home != where:
            l2_ahead(at, where)
        bank = dram_bank(line)
        prefetch(address(BK, (BK_OPEN, bank)))
        prefetch(address(BANK, (bank, t >> BANK_SHIFT & 63)))
        bucket_ahead(MP[MP_AT_CHANNEL] + bank // BANKS, t)
        prefetch(address(SM, (m, L.M_ROOM + SM[m, L.M_ROOMS])))
    else:
        prefetch(address(SM, (m, held_at(line))))
        prefetch(address(SM, (m, L.M_SENT + SM[m, L.M_SENTS])))
    bucket_ahead(l2_slice(line, where), t)


@compiled
def memory_ahead(i: int, state: int, m: int, t: int) -> None:
    """What memory instruction i of a warp of SM m will need soon after `t`, as its address registers are now."""
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
    if (span < 0 or span >= NEAR) and wide and CODE[i, L.C_ACCESS] == K.A_LOAD:
        # More than the data the host could not have under way at once.
        for lane in range(0, 128, 4):
            prefetch(host + np.int64(load32(row + lane)) + (np.int64(load32(row + 128 + lane)) << 32) + offset)
    elif span >= 0 and span < NEAR:
        at = a & ~127
        for _ in range((span + (a & 127) + CODE[i, L.C_WIDTH] + 127) >> 7):
            prefetch(host + at)
            prefetch(host + at + 64)
            line_ahead(i, at >> 7, m, t + TRIP)
            at += 128
