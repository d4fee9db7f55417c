"""The extension: one entry for what few kernels do (see `extend`)."""

from __future__ import annotations

import numpy as np

from runtime.device.sm.core.cta import warp_of
from runtime.device.sm.core.share import hand_out, turn
from runtime.device.sm.extension.bulk import copy, lines_time, tell
from runtime.device.sm.extension.cluster import place_clusters
from runtime.device.sm.extension.gmma import multiply
from runtime.device.sm.extension.heap import call
from runtime.device.sm.extension.sync import (
    addresses,
    arrivals,
    cluster_barrier,
    copies_arrive,
    left,
    phase,
    store_counted,
    word,
)
from runtime.device.sm.extension.texture import fetch, texture_time
from runtime.device.sm.extension.tma import tensor
from runtime.device.sm.language.lang import compiled, u32
from runtime.device.sm.language.raw import load32, store32
from runtime.device.sm.memory.front import arm
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CODE, CT, SC, SM, WAKE, WS, G

TEXTURE_FRONT = 20
"""Cycles until a fetch looks for its lines: an estimate."""


@compiled(entry=True)
def extend(what: int, w: int, i: int, mask: u32, t: int) -> int:
    """Carry out instruction i of warp w for the lanes `mask` at `t`: operation `what` (X_*). As `control`: 0; 1 if the
    warp's running group changed or sleeps; minus the fault. G_XDONE: when it is done, G_XREAD: when its operands have
    been read (0: as the instruction's class says)."""
    if what == K.X_PLACE:
        if G[L.G_GRIDS]:
            return hand_out(w, t)
        return place_clusters(t)
    if what == K.X_TURN:
        turn(CT[WS[w, L.W_CTA], L.T_GRID])
        return 0
    if what == K.X_HEAP:
        return call(w, i, mask)
    if what == K.X_EXIT:
        left(w, mask, t)
        return 0
    if what == K.X_CLUSTER_ARRIVE or what == K.X_CLUSTER_WAIT:
        return cluster_barrier(w, i, t, what - K.X_CLUSTER_ARRIVE)
    if what == K.X_BULK or what == K.X_TENSOR:
        G[L.G_NLINE] = 0
        G[L.G_NTOLD] = 0
        if what == K.X_BULK:
            bad = copy(w, i)
        else:
            bad = tensor(w, i)
            if SM[w >> 6, L.M_MAP] != G[L.G_FADDR]:
                SM[w >> 6, L.M_MAP] = G[L.G_FADDR]
                t += G[L.G_TMAMAP]
        if bad == 0:
            finish(w, i, t)
        return bad
    if what == K.X_MATRIX:
        bad = multiply(w, i)
        if bad == 0:
            matrix_time(w, i, t)
        return bad
    if what == K.X_MATRIX_WAIT:
        behind = WS[w, L.W_GROUPS] - CODE[i, L.C_AUX] - 1
        if behind >= 0:
            G[L.G_XAFTER] = WS[w, L.W_GROUP + (behind & 7)]
        return 0
    if what == K.X_GATHER:
        return gather(w, t)
    if what == K.X_TEXTURE:
        G[L.G_NLINE] = 0
        bad = fetch(w, i, mask)
        if bad == 0 and G[L.G_TIMING]:
            G[L.G_XDONE] = texture_time(w >> 6, i, t + TEXTURE_FRONT)
        return bad
    if what == K.X_BULK_GROUP:
        G[L.G_XREAD] = WS[w, L.W_BULK]
        G[L.G_XDONE] = WS[w, L.W_BULK]
        return 0
    if what == K.X_RETURN_PC:
        place = WS[w, L.W_STATE]
        for k in range(32):
            if mask >> np.uint32(k) & np.uint32(1):
                source = place + CODE[i, L.C_DATA] + (0 if CODE[i, L.C_UNIFORM] else 4 * k)
                store32(place + CODE[i, L.C_DEST] + 4 * k, load32(source))
        return 0
    if what == K.X_REGISTERS:
        store32(WS[w, L.W_STATE] + CODE[i, L.C_DEST], np.uint32(0xFFFFFFFF))
        return 0
    if CODE[i, L.C_FN]:
        addresses(w, i, mask)
    if what == K.X_ARRIVE:
        return arrivals(w, i, mask, t)
    if what == K.X_PHASE:
        return phase(w, i, mask, t)
    if what == K.X_SYNC_LOAD or what == K.X_SYNC_EXCHANGE or what == K.X_SYNC_CAS:
        return word(w, i, mask, what)
    if what == K.X_COPIES_ARRIVE:
        return copies_arrive(w, i, mask, t)
    if what == K.X_STORE_ASYNC or what == K.X_REDUCE_ASYNC:
        return store_counted(w, i, mask, t)
    return 0


@compiled
def gather(w: int, t: int) -> int:
    """WARPGROUP.ARRIVE: the four warps of a group go on together, as the matrix instructions behind it need them all
    (who is told by one of them that a tile has been used may overwrite it). 1: asleep."""
    group = WS[w, L.W_ID] & ~3
    last = group + 4 if group + 4 < G[L.G_WARPS] else G[L.G_WARPS]
    WS[w, L.W_GATHERED] += 1
    for n in range(group, last):
        other = warp_of(WS[w, L.W_CTA], n)
        if WS[other, L.W_ALIVE] and WS[other, L.W_GATHERED] < WS[w, L.W_GATHERED]:
            WS[w, L.W_GATHER] = 1
            WAKE[w] = L.BIG
            return 1
    for n in range(group, last):
        other = warp_of(WS[w, L.W_CTA], n)
        if WS[other, L.W_GATHER]:
            WS[other, L.W_GATHER] = 0
            WAKE[other] = 0
            if G[L.G_TIMING]:
                WS[other, L.W_TBLOCK] = t + 1
                WS[other, L.W_BLOCKKIND] = K.R_GMMA
                WAKE[other] = arm(other, t + 1)
                if WAKE[other] < SC[other >> 4, L.S_NEXT]:
                    SC[other >> 4, L.S_NEXT] = WAKE[other]
    return 0


@compiled
def matrix_time(w: int, i: int, t: int) -> None:
    """When the warp's part of matrix instruction i, issued at `t`, is done: the tensor core of its sub-core takes one
    after the other. If it ends a group, that is done with it."""
    if G[L.G_TIMING]:
        core = L.M_TENSOR + (w >> 4 & 3)
        begin = SM[w >> 6, core] if SM[w >> 6, core] > t else t
        SM[w >> 6, core] = begin + CODE[i, L.C_INTERVAL]
        WS[w, L.W_MATRIX] = begin + CODE[i, L.C_INTERVAL] + CODE[i, L.C_LATENCY]
    if CODE[i, L.C_AUX2] & K.GM_GROUP:
        WS[w, L.W_GROUP + (WS[w, L.W_GROUPS] & 7)] = WS[w, L.W_MATRIX]
        WS[w, L.W_GROUPS] += 1


@compiled
def finish(w: int, i: int, t: int) -> None:
    """The bulk or tensor copy that was just carried out: when it is done, and who hears of it."""
    done = 0
    how = CODE[i, L.C_AUX2]
    if G[L.G_TIMING]:
        done = lines_time(w >> 6, i, t, how)
    if how & K.BC_FROM_SHARED and done > WS[w, L.W_BULK]:
        WS[w, L.W_BULK] = done
        if done > WS[w, L.W_STORED]:
            WS[w, L.W_STORED] = done
    tell(done)
