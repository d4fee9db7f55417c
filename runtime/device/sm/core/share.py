"""Several grids on one machine: whose scalars are in G, and who gets a place.

Each grid has a row of the first G_OWN scalars at G_GRIDS; those of the grid whose warp runs are in G. Instructions of
all grids are rows of one CODE, so that a warp of another grid is noticed by its PC.

CTAs begin in the order of G_ORDER: that of priorities, then of arrival. A grid's CTAs begin when all of the grids
before it have begun, wherever there is room: hardware slots for their warps (a run of them, from the top), registers of
their sub-cores, shared memory in one piece, one of 32 rows of CT. A grid that comes goes to the SMs with the fewest
warps. How much of an SM's memory is shared memory is settled when a CTA comes to an idle SM; a grid with shared memory
for which the driver would set up more (`cwd.shared_configuration`) waits until the SM is idle again, even if there is
room. All of that is what an H200 does (tests/gpu/together).
"""

from __future__ import annotations

import numpy as np

from runtime.device.sm.core.cta import settle_in
from runtime.device.sm.language.lang import compiled
from runtime.device.sm.language.raw import loads64, popcount, store64
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CT, NEXT, SC, SM, G


@compiled
def turn(grid: int) -> None:
    """Have the scalars of a grid in G."""
    now = G[L.G_GRID]
    if now == grid:
        return
    row = G[L.G_GRIDS] + 8 * L.G_OWN * now
    for k in range(L.G_OWN):
        store64(row + 8 * k, np.uint64(G[k]))
    row = G[L.G_GRIDS] + 8 * L.G_OWN * grid
    for k in range(L.G_OWN):
        G[k] = loads64(row + 8 * k)


@compiled
def warps_on(first: int, s: int) -> int:
    """How many warps of a CTA in hardware slots from `first` on are on sub-core s."""
    return (G[L.G_WARPS] + 3 - ((s - first) & 3)) >> 2


@compiled
def slots(m: int) -> int:
    """The first of the hardware slots that a CTA of the grid gets on SM m; -1 if there is no room."""
    count = G[L.G_WARPS]
    bits = (1 << count) - 1
    first = 64 - count
    while first >= 0:
        if (SM[m, L.M_SLOTS] >> first) & bits == 0:
            fits = 1
            for s in range(4):
                if SM[m, L.M_REGISTERS + s] + warps_on(first, s) * G[L.G_REGISTERS] > G[L.G_FILE]:
                    fits = 0
            if fits:
                return first
        first -= 1
    return -1


@compiled
def piece(m: int) -> int:
    """Where in the shared memory of SM m a CTA of the grid gets its own; -1 if there is no room."""
    size = G[L.G_SHAREDSTRIDE]
    rows = m * G[L.G_CTAS]
    for k in range(-1, G[L.G_CTAS]):
        if k < 0 or CT[rows + k, L.T_ACTIVE]:
            at = CT[rows + k, L.T_OFFSET] + CT[rows + k, L.T_BYTES] if k >= 0 else 0
            fits = 1 if at + size <= SM[m, L.M_SHARED] else 0
            for other in range(rows, rows + G[L.G_CTAS]):
                behind = at >= CT[other, L.T_OFFSET] + CT[other, L.T_BYTES]
                if CT[other, L.T_ACTIVE] and CT[other, L.T_OFFSET] < at + size and not behind:
                    fits = 0
            if fits:
                return at
    return -1


@compiled
def bring(m: int, t: int) -> int:
    """Bring the grid's next CTA to SM m, where it begins at `t`. 0 if there is no room."""
    c = -1
    for k in range(m * G[L.G_CTAS], (m + 1) * G[L.G_CTAS]):
        if CT[k, L.T_ACTIVE] == 0 and c < 0:
            c = k
    if c < 0:
        return 0
    first = slots(m)
    if first < 0:
        return 0
    if SM[m, L.M_LIVE] == 0:
        SM[m, L.M_SHARED] = G[L.G_CONFIGURATION]
    elif SM[m, L.M_SHARED] < G[L.G_DEMAND]:
        return 0
    at = piece(m)
    if at < 0:
        return 0
    CT[c, L.T_SM] = m
    CT[c, L.T_FIRST] = first
    CT[c, L.T_GRID] = G[L.G_GRID]
    CT[c, L.T_OFFSET] = at
    CT[c, L.T_BYTES] = G[L.G_SHAREDSTRIDE]
    CT[c, L.T_REGISTERS] = G[L.G_REGISTERS]
    CT[c, L.T_WARPS] = G[L.G_WARPS]
    CT[c, L.T_SHARED] = G[L.G_SHARED] + m * G[L.G_SHAREDSM] + at
    # Another grid may have been here.
    CT[c, L.T_USED] = 0
    SM[m, L.M_SLOTS] |= ((1 << G[L.G_WARPS]) - 1) << first
    for s in range(4):
        SM[m, L.M_REGISTERS + s] += warps_on(first, s) * G[L.G_REGISTERS]
    number = G[L.G_NEXTCTA]
    G[L.G_NEXTCTA] = number + 1
    x = number % G[L.G_GX]
    y = number // G[L.G_GX] % G[L.G_GY]
    settle_in(c, number, x, y, number // (G[L.G_GX] * G[L.G_GY]), t)
    for sc in range(4 * m, 4 * m + 4):
        if t < SC[sc, L.S_NEXT]:
            SC[sc, L.S_NEXT] = t
    return 1


@compiled
def leave(c: int) -> None:
    """CTA row c gives back what it had."""
    m = CT[c, L.T_SM]
    count = CT[c, L.T_WARPS]
    first = CT[c, L.T_FIRST]
    SM[m, L.M_SLOTS] &= ~(((1 << count) - 1) << first)
    for s in range(4):
        SM[m, L.M_REGISTERS + s] -= ((count + 3 - ((s - first) & 3)) >> 2) * CT[c, L.T_REGISTERS]


@compiled
def everywhere() -> None:
    """Bring CTAs of the grid, which has just come, to the SMs with the fewest warps first."""
    for m in range(G[L.G_SMS]):
        SM[m, L.M_CAME] = 0
    for warps in range(64):
        for m in range(G[L.G_SMS]):
            taken = SM[m, L.M_SLOTS]
            if popcount(np.uint32(taken)) + popcount(np.uint32(taken >> 32)) == warps:
                # When, as at the beginning of a grid that is alone (see `engine`).
                came = SM[m, L.M_CAME]
                t = G[L.G_ARRIVED] + (m * G[L.G_SMRATE] + min(came, 2) * G[L.G_SMWARP] * G[L.G_WARPS]) // 16
                t += max(came - 2, 0) * G[L.G_CTAINTERVAL]
                if G[L.G_NEXTCTA] < G[L.G_TOTAL] and bring(m, t):
                    SM[m, L.M_CAME] = came + 1
                    if t < NEXT[m]:
                        NEXT[m] = t


@compiled
def hand_out(c: int, t: int) -> int:
    """CTA row c has become free, and its SM can begin CTAs from `t` on; c < 0: a grid has come. Bring what there is
    room for."""
    caller = G[L.G_GRID]
    if c >= 0:
        leave(c)
    going = 1
    while going and G[L.G_WAITING]:
        turn(loads64(G[L.G_ORDER]))
        if c < 0:
            everywhere()
        else:
            m = CT[c, L.T_SM]
            while going and G[L.G_NEXTCTA] < G[L.G_TOTAL]:
                begin = SM[m, L.M_LAUNCH] + G[L.G_CTAINTERVAL]
                going = bring(m, begin if begin > t else t)
        if G[L.G_NEXTCTA] < G[L.G_TOTAL]:
            going = 0
        else:
            G[L.G_WAITING] -= 1
            for k in range(G[L.G_WAITING]):
                store64(G[L.G_ORDER] + 8 * k, np.uint64(loads64(G[L.G_ORDER] + 8 * k + 8)))
    turn(caller)
    return 0
