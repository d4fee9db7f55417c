"""CTA barriers: warps that arrive, what they add up, whom the last one frees.

CT int64[CTA, ...] has for each of 16 barriers the threads that have come and that are expected, the warps that
wait, and what BAR.RED has so far.
"""

from __future__ import annotations

import numpy as np

from runtime.device.sm.core.cta import nobody_at, warp_of
from runtime.device.sm.language.lang import compiled, u32
from runtime.device.sm.language.raw import first, load32, popcount, store32
from runtime.device.sm.memory.front import arm
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CODE, CT, SC, SM, WAKE, WS, G

BAR_SYNC, BAR_ARRIVE, BAR_REDUCE = 0, 1, 2
BARRIER_TURN = 2
BARRIER_RELEASE = 14
"""Warps go on so many cycles apart, the highest first; from the last arrival until that does (H200: barriers behind one
another take 12 cycles and 2 for each warp; a block that loads between barriers takes no longer for its warps' arrivals,
which overlap)."""


@compiled
def complete(c: int, b: int, t: int) -> None:
    """If CTA barrier b is complete, free its warps (at `t` plus the release latency)."""
    expected = CT[c, L.T_BARN + b]
    if expected == 0:
        expected = 32 * CT[c, L.T_LIVE]
    if CT[c, L.T_BAR + b] < expected or CT[c, L.T_BAR + b] == 0:
        return
    waiting = CT[c, L.T_BARW + b]
    result = CT[c, L.T_RPOP + b] & 0xFFFF
    both = CT[c, L.T_RAND + b]
    either = CT[c, L.T_ROR + b]
    m = CT[c, L.T_SM]
    nobody_at(c, b)
    for k in range(G[L.G_WARPS]):
        n = G[L.G_WARPS] - 1 - k
        if waiting >> n & 1:
            w = warp_of(c, n)
            WS[w, L.W_ACT] = WS[w, L.W_ATBAR]
            WS[w, L.W_ATBAR] = 0
            WS[w, L.W_REDUCE] = (WS[w, L.W_REDUCE] & 3 << 20) | result | both << 16 | either << 17
            if G[L.G_TIMING]:
                at = max(t + BARRIER_RELEASE, SM[m, L.M_BAR] + BARRIER_TURN)
                SM[m, L.M_BAR] = at
                WS[w, L.W_TBLOCK] = at
                WS[w, L.W_BLOCKKIND] = K.R_BARRIER
                WAKE[w] = arm(w, at)
                if WAKE[w] < SC[w >> 4, L.S_NEXT]:
                    SC[w >> 4, L.S_NEXT] = WAKE[w]
            else:
                WAKE[w] = 0


@compiled
def arrive(w: int, i: int, mask: u32, t: int) -> int:
    """BAR: warp w comes to a barrier for the lanes `mask`. Whether it waits there."""
    state = WS[w, L.W_STATE]
    b = CODE[i, L.C_AUX]
    if b < 0:
        b = np.int64(load32(state + CODE[i, L.C_DATA] + 4 * first(mask))) & 15
    count = CODE[i, L.C_AUX3]
    if count < 0:
        count = np.int64(load32(state + CODE[i, L.C_DATA2] + 4 * first(mask)))
        if CODE[i, L.C_AUX] < -1:
            count = count >> 16 & 0xFFF
    c = WS[w, L.W_CTA]
    if count:
        CT[c, L.T_BARN + b] = (count + 31) & ~31
    if CODE[i, L.C_AUX2] == BAR_REDUCE:
        WS[w, L.W_REDUCE] = CODE[i, L.C_OP] << 20
        p = (load32(state + CODE[i, L.C_TYPE]) ^ np.uint32(CODE[i, L.C_BYPASS])) & mask
        CT[c, L.T_RPOP + b] += popcount(p)
        if p != mask:
            CT[c, L.T_RAND + b] = 0
        if p:
            CT[c, L.T_ROR + b] = 1
    # The first lanes that come count for all of their warp, whose other lanes do not run while these wait.
    waits = CODE[i, L.C_AUX2] != BAR_ARRIVE
    if waits:
        WS[w, L.W_ATBAR] = WS[w, L.W_ACT]
        WS[w, L.W_ACT] = 0
        WAKE[w] = L.BIG
        CT[c, L.T_BARW + b] |= 1 << WS[w, L.W_ID]
    CT[c, L.T_BAR + b] += 32
    complete(c, b, t)
    return 1 if waits else 0


@compiled
def reduced(w: int, i: int, mask: u32) -> None:
    """B2R.RESULT: what BAR.RED found goes to a register (the count, or truth) and to a predicate (truth)."""
    state = WS[w, L.W_STATE]
    lanes = np.int64(mask)
    value = np.uint32(WS[w, L.W_REDUCE] & 0xFFFF)
    # 0 count, 1 and, 2 or.
    mode = WS[w, L.W_REDUCE] >> 20
    truth = value != np.uint32(0)
    if mode:
        truth = (WS[w, L.W_REDUCE] >> (15 + mode) & 1) != 0
        value = np.uint32(1 if truth else 0)
    for k in range(32):
        if lanes >> k & 1:
            store32(state + CODE[i, L.C_DEST] + 4 * k, value)
    if CODE[i, L.C_AUX] >= 0:
        old = load32(state + CODE[i, L.C_AUX])
        store32(state + CODE[i, L.C_AUX], (old & ~mask) | (mask if truth else np.uint32(0)))
