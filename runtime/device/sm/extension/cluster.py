"""Clusters: CTAs that come to one GPC together, reach one another's shared memory, and have a barrier.

A shared address has the rank of a CTA in its cluster in bits 24..31. On an H200, SMs 2 g and 2 g + 1 of every 16 are in
GPC g, and a cluster's CTAs come to the SMs of a GPC in turn; which GPC is next is an estimate: that with most room.
"""

from __future__ import annotations

import numpy as np

from runtime.device.sm.core.cta import settle_in, warp_of
from runtime.device.sm.extension.mbarrier import rouse
from runtime.device.sm.language.lang import compiled
from runtime.device.sm.language.raw import popcount
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CT, SC, SM, WS, G

RANK_SHIFT, OFFSET = 24, (1 << 24) - 1


@compiled(inline=True)
def owner(w: int, a: int) -> int:
    """Row of the CTA that shared address `a`, as warp w names it, belongs to; -1 if there is none."""
    c = WS[w, L.W_CTA]
    rank = a >> RANK_SHIFT & 255
    if G[L.G_CLUSTER] == 1:
        return c if rank == 0 else -1
    return CT[c, L.T_MATES + rank] if rank < G[L.G_CLUSTER] else -1


@compiled
def shared_host(w: int, a: int, size: int) -> int:
    """Host address of `size` bytes at a shared address; 0 if they are not all there."""
    c = owner(w, a)
    offset = a & OFFSET
    if c < 0 or offset + size > G[L.G_SHAREDSIZE]:
        return 0
    return CT[c, L.T_SHARED] + offset


@compiled
def place_clusters(t: int) -> int:
    """Bring as many clusters of the grid as there is room for; how many came. `t` < 0: each at the time of its place
    (the beginning of a launch)."""
    came = 0
    size = G[L.G_CLUSTER]
    sms = G[L.G_SMS]
    slots = G[L.G_CTAS]
    while G[L.G_NEXTCTA] < G[L.G_TOTAL]:
        best = -1
        room = size - 1
        for g in range(G[L.G_GPCS]):
            free = 0
            for m in range(sms):
                if (m >> 1) % G[L.G_GPCS] == g:
                    for slot in range(slots):
                        free += 1 - CT[m * slots + slot, L.T_ACTIVE]
            if free > room:
                room = free
                best = g
        if best < 0:
            return came
        number = G[L.G_NEXTCTA] // size
        cx = G[L.G_CLUSTERX]
        cy = G[L.G_CLUSTERY]
        wide = G[L.G_GX] // cx
        high = G[L.G_GY] // cy
        found = 0
        rows = CT[0, L.T_MATES]
        for slot in range(slots):
            for m in range(sms):
                c = m * slots + slot
                if found < size and (m >> 1) % G[L.G_GPCS] == best and CT[c, L.T_ACTIVE] == 0:
                    if found == 0:
                        rows = c
                    CT[rows, L.T_MATES + found] = c
                    CT[c, L.T_RANK] = found
                    # Taken, before the warps are there.
                    CT[c, L.T_ACTIVE] = 1
                    found += 1
        for rank in range(size):
            c = CT[rows, L.T_MATES + rank]
            for k in range(size):
                CT[c, L.T_MATES + k] = CT[rows, L.T_MATES + k]
            CT[c, L.T_ARRIVED] = 0
            CT[c, L.T_PHASE] = 0
            CT[c, L.T_OPEN] = 0
            x = number % wide * cx + rank % cx
            y = number // wide % high * cy + rank // cx % cy
            z = number // (wide * high) * G[L.G_CLUSTERZ] + rank // (cx * cy)
            settle_in(c, G[L.G_NEXTCTA] + rank, x, y, z, t if t >= 0 else CT[c, L.T_BEGIN])
            if t >= 0:
                # Other SMs may have to begin again.
                for s in range(4):
                    sc = CT[c, L.T_SM] * 4 + s
                    if t < SC[sc, L.S_NEXT]:
                        SC[sc, L.S_NEXT] = t
                m = CT[c, L.T_SM]
                if SM[m, L.M_WAKE] == 0 or t < SM[m, L.M_WAKE]:
                    SM[m, L.M_WAKE] = t
        G[L.G_NEXTCTA] += size
        came += 1
    return came


@compiled
def barrier_done(c: int, t: int) -> None:
    """If all living threads of the cluster of CTA c have arrived at its barrier, the next phase begins."""
    lead = CT[c, L.T_MATES]
    if CT[lead, L.T_ARRIVED] == 0:
        return
    living = 0
    for rank in range(G[L.G_CLUSTER]):
        mate = CT[c, L.T_MATES + rank]
        for n in range(G[L.G_WARPS]):
            w = warp_of(mate, n)
            living += popcount(np.uint32(WS[w, L.W_ALIVE]))
    if CT[lead, L.T_ARRIVED] < living:
        return
    CT[lead, L.T_ARRIVED] = 0
    CT[lead, L.T_PHASE] += 1
    CT[lead, L.T_OPEN] = t + G[L.G_REMOTEBAR]
    for rank in range(G[L.G_CLUSTER]):
        mate = CT[c, L.T_MATES + rank]
        for n in range(G[L.G_WARPS]):
            w = warp_of(mate, n)
            if WS[w, L.W_CLUSTER] < 0 and WS[w, L.W_ALIVE]:
                WS[w, L.W_CLUSTER] = -WS[w, L.W_CLUSTER]
                rouse(w, t + G[L.G_REMOTEBAR], K.R_BARRIER)
