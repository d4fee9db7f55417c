"""A CTA comes to an SM: its warps' rows, registers and shared memory."""

from __future__ import annotations

import numpy as np

from runtime.device.sm.execute import abi
from runtime.device.sm.language.extend import extension
from runtime.device.sm.language.lang import compiled
from runtime.device.sm.language.raw import clear, store32, store64
from runtime.device.sm.memory.l2 import l2_home
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CODE, CT, SC, SM, WAKE, WS, G

ALWAYS, ALWAYS_UNIFORM = 4 * (abi.P + 7), 4 * (abi.UP + 7)
"""Byte offsets in a warp's state of PT and UPT."""


@compiled(inline=True)
def warp_of(c: int, n: int) -> int:
    """Row of warp n of resident CTA c."""
    slot = CT[c, L.T_FIRST] + n
    return (CT[c, L.T_SM] * 4 + (slot + CT[c, L.T_TURN] & 3)) * 16 + (slot >> 2)


@compiled(inline=True)
def nobody_at(c: int, b: int) -> None:
    """Nobody waits at CTA barrier b."""
    CT[c, L.T_BAR + b] = 0
    CT[c, L.T_BARN + b] = 0
    CT[c, L.T_BARW + b] = 0
    CT[c, L.T_RPOP + b] = 0
    CT[c, L.T_RAND + b] = 1
    CT[c, L.T_ROR + b] = 0


@compiled
def settle_in(c: int, number: int, x: int, y: int, z: int, t: int) -> None:
    """Put CTA `number` of the grid, block (x, y, z), into CTA slot c; its warps start at `t`."""
    m = CT[c, L.T_SM]
    CT[c, L.T_ACTIVE] = 1
    CT[c, L.T_LINEAR] = number
    CT[c, L.T_X] = x
    CT[c, L.T_Y] = y
    CT[c, L.T_Z] = z
    CT[c, L.T_LIVE] = G[L.G_WARPS]
    for b in range(16):
        nobody_at(c, b)
    if SM[m, L.M_LIVE] == 0 and t > SM[m, L.M_SINCE]:
        SM[m, L.M_SINCE] = t
    SM[m, L.M_LIVE] += 1
    # CTAs that would all begin in the same sub-core begin in another each (H200).
    CT[c, L.T_TURN] = 0 if (G[L.G_WARPS] | CT[c, L.T_FIRST]) & 3 else c - m * G[L.G_CTAS]
    CT[c, L.T_FINISH] = 0
    CT[c, L.T_STORED] = 0
    SM[m, L.M_LAUNCH] = t
    CT[c, L.T_BEGIN] = t
    if SM[m, L.M_CODE] == 0:
        SM[m, L.M_CODE] = t + G[L.G_SMSTART]
        if SM[m, L.M_SIDE] != l2_home((G[L.G_CODEVA] + 16 * G[L.G_ENTRY]) >> 7):
            SM[m, L.M_CODE] += G[L.G_CODEFAR]
    ready = SM[m, L.M_CODE]
    threads = G[L.G_THREADS]
    used = CT[c, L.T_USED]
    if used == 0:
        CT[c, L.T_USED] = 1
        clear(CT[c, L.T_SHARED], G[L.G_SHAREDSTRIDE])
    for n in range(G[L.G_WARPS]):
        w = warp_of(c, n)
        if used == 0:
            state = G[L.G_STATE] + w * G[L.G_STATEBYTES]
            WS[w, L.W_STATE] = state
            clear(state, G[L.G_STATEBYTES])
            store32(state + ALWAYS, np.uint32(0xFFFFFFFF))
            store32(state + ALWAYS_UNIFORM, np.uint32(0xFFFFFFFF))
        lanes = threads - 32 * n
        alive = 0xFFFFFFFF if lanes >= 32 else (1 << lanes) - 1
        for column in range(L.W_STATE):
            WS[w, column] = 0
        for column in range(L.W_STATE + 1, L.W_COLUMNS):
            WS[w, column] = 0
        WS[w, L.W_PC] = G[L.G_ENTRY]
        WS[w, L.W_ACT] = alive
        WS[w, L.W_ALIVE] = alive
        WS[w, L.W_CTA] = c
        WS[w, L.W_ID] = n
        WS[w, L.W_LAST] = t - 1
        WS[w, L.W_START] = t
        WS[w, L.W_LINE] = -2
        WAKE[w] = t
        SC[w >> 4, L.S_UNIT + (w & 15)] = CODE[G[L.G_ENTRY], L.C_UNIT]
        SC[w >> 4, L.S_PC + (w & 15)] = G[L.G_ENTRY]
        SC[w >> 4, L.S_LOWEST + (w & 15)] = (CT[c, L.T_FIRST] + 3 - (w >> 4 & 3)) >> 2
        if t < ready:
            WAKE[w] = WS[w, L.W_TFETCH] = ready


@compiled
def in_turn(number: int) -> int:
    """The CTA that is placed as the `number`th. Behind the first ones, SMs take turns: an SM runs alone for a quantum,
    and would else be given neighbours, which share lines, where the distributor gives them to different SMs."""
    first = G[L.G_SMS] * G[L.G_CTAS]
    sms = G[L.G_SMS]
    behind = number - G[L.G_FIRSTCTA] - first
    if behind < 0:
        return number
    base = number - behind % first
    rows = (G[L.G_TOTAL] - base) // sms
    if rows > G[L.G_CTAS]:
        rows = G[L.G_CTAS]
    at = number - base
    if at >= rows * sms:
        return number
    return base + at % rows * sms + at // rows


@compiled
def place(c: int, t: int) -> int:
    """Put the next CTA of the grid into CTA slot c; its warps start at `t`. 0 if the grid has no more. The CTAs of
    clusters come together, if they can, wherever there is room for them; where several grids share the machine, any
    of them may take the place."""
    if G[L.G_CLUSTER] > 1 or G[L.G_GRIDS]:
        extension(G[L.G_EXTENSION], K.X_PLACE, c, 0, np.uint32(0), t, G[L.G_TABLES])
        return CT[c, L.T_ACTIVE]
    number = G[L.G_NEXTCTA]
    if number >= G[L.G_TOTAL]:
        return 0
    G[L.G_NEXTCTA] = number + 1
    if G[L.G_BEGINS]:
        store64(G[L.G_BEGINS] + 8 * (number - G[L.G_FIRSTCTA]), np.uint64(t))
    if G[L.G_TIMING]:
        number = in_turn(number)
    x = number % G[L.G_GX]
    y = number // G[L.G_GX] % G[L.G_GY]
    settle_in(c, number, x, y, number // (G[L.G_GX] * G[L.G_GY]), t)
    return 1
