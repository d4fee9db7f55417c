"""Bulk copies between global and shared memory (UBLKCP, UBLKRED), and what a bulk or tensor copy has in common.

A copy is carried out when it is issued. It leaves what the timing needs: the lines of global memory that it touches
(G_LINES: int64[LINES, 2]: line, sector bits) and the mbarriers that will hear of its bytes (G_TOLD: int64[16, 3]: host
address, row of the CTA, bytes).
"""

from __future__ import annotations

import numpy as np

from runtime.device.sm.extension.cluster import OFFSET, owner, shared_host
from runtime.device.sm.extension.mbarrier import post
from runtime.device.sm.language.lang import compiled
from runtime.device.sm.language.raw import (
    load8,
    load16,
    load32,
    load64,
    loads64,
    popcount,
    store8,
    store16,
    store32,
    store64,
)
from runtime.device.sm.memory.access import allocated, combine, combine_half
from runtime.device.sm.memory.l1 import read_lines
from runtime.device.sm.memory.stores import PACKETS, write_lines
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CODE, SM, WS, G, X

LINES = 1 << 15
BATCH = 32
"""Lines asked for at a time."""


@compiled
def move(target: int, source: int, size: int) -> None:
    """Copy bytes of the host, as memmove where both are the same place."""
    at = 0
    while at + 8 <= size:
        store64(target + at, load64(source + at))
        at += 8
    while at < size:
        store8(target + at, load8(source + at))
        at += 1


@compiled
def reduce(target: int, source: int, size: int, operation: int, kind: int) -> None:
    """Combine elements at `source` into those at `target`."""
    width = 8 if kind == K.T_U64 or kind == K.T_S64 or kind == K.T_F64 else 4
    if kind == K.T_F16X2 or kind == K.T_BF16X2:
        for at in range(0, size, 2):
            store16(target + at, combine_half(operation, kind, load16(target + at), load16(source + at)))
        return
    for at in range(0, size, width):
        if width == 8:
            store64(target + at, combine(operation, kind, load64(target + at), load64(source + at)))
        else:
            old = np.uint64(load32(target + at))
            new = combine(operation, kind, old, np.uint64(load32(source + at)))
            store32(target + at, np.uint32(new & np.uint64(0xFFFFFFFF)))


@compiled
def touch(a: int, size: int) -> None:
    """Note the lines of `size` bytes of global memory at `a`."""
    n = G[L.G_NLINE]
    base = G[L.G_LINES]
    end = a + size
    while a < end:
        line = a >> 7
        bits = 0
        while a < end and a >> 7 == line:
            bits |= 1 << (a >> 5 & 3)
            a = (a | 31) + 1
        if n and loads64(base + 16 * n - 16) == line:
            store64(base + 16 * n - 8, np.uint64(loads64(base + 16 * n - 8) | bits))
        elif n < LINES:
            store64(base + 16 * n, np.uint64(line))
            store64(base + 16 * n + 8, np.uint64(bits))
            n += 1
    G[L.G_NLINE] = n


@compiled
def told(w: int, barrier: int, rank: int, size: int, alone: int) -> int:
    """Note that the mbarrier at shared address `barrier` (of the CTA of that rank, unless `alone`) will hear of `size`
    bytes. 0 or minus the fault."""
    a = barrier if alone else (barrier & OFFSET) | rank << 24
    host = shared_host(w, a, 8)
    if host == 0 or barrier & 7:
        G[L.G_FADDR] = barrier
        return -K.F_ADDRESS if host == 0 else -K.F_ALIGN
    place = G[L.G_TOLD] + 24 * G[L.G_NTOLD]
    store64(place, np.uint64(host))
    store64(place + 8, np.uint64(owner(w, a)))
    store64(place + 16, np.uint64(size))
    G[L.G_NTOLD] += 1
    return 0


@compiled
def copy(w: int, i: int) -> int:
    """Carry out bulk copy i of warp w. Operands in uniform registers: the target's pair (shared address and mbarrier,
    or global address), the source's, and size / 16 with the ranks to send to above. 0 or minus the fault."""
    state = WS[w, L.W_STATE]
    target = np.int64(load64(state + CODE[i, L.C_DEST]))
    source = np.int64(load64(state + CODE[i, L.C_DATA]))
    word = np.int64(load32(state + CODE[i, L.C_DATA2]))
    how = CODE[i, L.C_AUX2]
    size = (word & 0xFFFF) * 16
    base = G[L.G_MEMBASE]
    memory = G[L.G_MEM]
    from_ = 0
    if how & K.BC_FROM_SHARED:
        from_ = shared_host(w, source & 0xFFFFFFFF, size)
        G[L.G_FADDR] = source & 0xFFFFFFFF
        if source & 15:
            return -K.F_ALIGN
    else:
        G[L.G_FADDR] = source
        if source & 15:
            return -K.F_ALIGN
        if allocated(size, source - base, source - base, i):
            from_ = memory + source - base
            touch(source, size)
    if from_ == 0:
        return -K.F_ADDRESS
    if not how & K.BC_TO_SHARED:
        G[L.G_FADDR] = target
        if target & 15:
            return -K.F_ALIGN
        if not allocated(size, target - base, target - base, i):
            return -K.F_ADDRESS
        touch(target, size)
        if how & K.BC_REDUCE:
            reduce(memory + target - base, from_, size, CODE[i, L.C_AUX], CODE[i, L.C_TYPE])
        else:
            move(memory + target - base, from_, size)
        return 0
    place = target & 0xFFFFFFFF
    barrier = target >> 32 & 0xFFFFFFFF
    ranks = word >> 16 & 0xFFFF if how & K.BC_MULTICAST else 1
    for rank in range(16):
        if ranks >> rank & 1:
            a = (place & OFFSET) | rank << 24 if how & K.BC_MULTICAST else place
            to = shared_host(w, a, size)
            if to == 0 or place & 15:
                G[L.G_FADDR] = place
                return -K.F_ADDRESS if to == 0 else -K.F_ALIGN
            if how & K.BC_REDUCE:
                reduce(to, from_, size, CODE[i, L.C_AUX], CODE[i, L.C_TYPE])
            else:
                move(to, from_, size)
            bad = told(w, barrier, rank, size, 0 if how & K.BC_MULTICAST else 1)
            if bad:
                return bad
    return 0


@compiled
def lines_time(m: int, i: int, t: int, how: int) -> int:
    """When the copy whose lines are noted is done, if SM m's copy engine learns of it at `t`: reads pass by L1, 32
    lines at a time."""
    begin = t + G[L.G_TMASTART]
    if SM[m, L.M_TMA] > begin:
        begin = SM[m, L.M_TMA]
    done = begin
    n = G[L.G_NLINE]
    base = G[L.G_LINES]
    k = 0
    while k < n:
        batch = n - k if n - k < BATCH else BATCH
        sectors = 0
        for b in range(batch):
            X[2 * b] = loads64(base + 16 * (k + b))
            X[2 * b + 1] = loads64(base + 16 * (k + b) + 8)
            sectors += popcount(np.uint32(X[2 * b + 1]))
        if how & K.BC_TO_SHARED:
            there = read_lines(batch, m, begin, 0, 1, i)
        else:
            for b in range(batch):
                X[PACKETS + b] = popcount(np.uint32(X[2 * b + 1]))
            there = write_lines(batch, 4 * m, begin, 0 if how & K.BC_REDUCE else -1, 0, 0, 32, 1, begin, False, i)
        if there > done:
            done = there
        # A line a cycle or so leaves the engine.
        begin += batch
        k += batch
    SM[m, L.M_TMA] = begin
    return done


@compiled
def tell(done: int) -> None:
    """The mbarriers noted hear of their bytes at `done`."""
    for k in range(G[L.G_NTOLD]):
        place = G[L.G_TOLD] + 24 * k
        post(done, loads64(place), loads64(place + 8), 0, -loads64(place + 16))
    G[L.G_NTOLD] = 0
    G[L.G_NLINE] = 0
