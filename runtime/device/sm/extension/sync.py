"""Instructions on mbarriers (SYNCS, ARRIVES), stores that an mbarrier counts (STAS, REDAS), the cluster barrier.

A barrier in another CTA hears of an arrival after the latency of the cluster's network.
"""

from __future__ import annotations

import numpy as np

from runtime.device.sm.core.groups import give_way
from runtime.device.sm.extension.cluster import barrier_done, owner, shared_host
from runtime.device.sm.extension.mbarrier import arrive, next_event, post, settle_events
from runtime.device.sm.language.invoke import invoke
from runtime.device.sm.language.lang import compiled, u32
from runtime.device.sm.language.raw import first, load32, load64, loads64, popcount, store32, store64
from runtime.device.sm.memory.access import arrived, combine
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CODE, CT, WAKE, WS, G


@compiled(inline=True)
def place(w: int, k: int, size: int) -> int:
    """Host address that lane k names, or minus the fault."""
    a = loads64(G[L.G_SCRATCH] + 8 * k)
    host = shared_host(w, a & 0xFFFFFFFF, size)
    if host and a & (size - 1) == 0:
        return host
    G[L.G_FLANE] = k
    G[L.G_FADDR] = a
    return -K.F_ADDRESS if host == 0 else -K.F_ALIGN


@compiled
def arrivals(w: int, i: int, mask: u32, t: int) -> int:
    """SYNCS.ARRIVE of the lanes `mask`, one after the other. 0 or minus the fault."""
    state = WS[w, L.W_STATE]
    how = CODE[i, L.C_AUX]
    mine = WS[w, L.W_CTA]
    lanes = mask
    before = np.uint64(0)
    settle_events(w >> 6, t)
    while mask:
        k = first(mask)
        mask &= mask - np.uint32(1)
        host = place(w, k, 8)
        if host < 0:
            return host
        c = owner(w, loads64(G[L.G_SCRATCH] + 8 * k))
        value = np.int64(load32(state + CODE[i, L.C_DATA] + 4 * k))
        amount = 0
        if how & K.AR_COUNTED:
            amount = value if how & K.AR_REGISTER else 1
        bytes_ = 0
        if how & K.AR_BYTES:
            bytes_ = value
        elif how & K.AR_COMPLETE:
            bytes_ = -value
        elif how & K.AR_EXPECT_ONE:
            bytes_ = 1
        old = load64(host)
        if how & K.AR_MASK:
            if lanes & -lanes == np.uint32(1) << np.uint32(k):
                before = old
            old = before
            store32(state + CODE[i, L.C_DEST] + 4 * k, lanes)
        if c == mine:
            arrive(host, c, amount, bytes_, how & K.AR_LEAVE, t)
        else:
            post(t + G[L.G_REMOTE], host, c, amount, bytes_)
        if CODE[i, L.C_DEST] >= 0:
            store32(state + CODE[i, L.C_DEST] + 128 + 4 * k, np.uint32(old >> np.uint64(32)))
    return 0


@compiled
def phase(w: int, i: int, mask: u32, t: int) -> int:
    """SYNCS.PHASECHK: whether the phase whose parity bit 31 of the register has is over. With TRYWAIT, a warp in which
    no lane may go on sleeps, and looks again when it is woken. 0, 1 (asleep, or other lanes run) or minus the fault."""
    state = WS[w, L.W_STATE]
    settle_events(w >> 6, t)
    over = np.uint32(0)
    todo = mask
    last = 0
    same = True
    while todo:
        k = first(todo)
        todo &= todo - np.uint32(1)
        host = place(w, k, 8)
        if host < 0:
            return host
        if last and host != last:
            same = False
        last = host
        if load64(host) >> np.uint64(63) != np.uint64(load32(state + CODE[i, L.C_DATA] + 4 * k) >> np.uint32(31)):
            over |= np.uint32(1) << np.uint32(k)
    flag = state + CODE[i, L.C_DEST]
    if over == np.uint32(0) and CODE[i, L.C_AUX]:
        if WS[w, L.W_NEXT] or WS[w, L.W_READY]:
            # Others of the warp may be those that are waited for.
            store32(flag, load32(flag) & ~mask)
            give_way(w, i + 1, t)
            return 1
        if same:
            WS[w, L.W_WAITAT] = last
            WS[w, L.W_PC] = i
            WAKE[w] = L.BIG
            if G[L.G_TIMING]:
                when = next_event(w >> 6, last)
                if when < L.BIG:
                    WS[w, L.W_TBLOCK] = when
                    WS[w, L.W_BLOCKKIND] = K.R_LONG
                WAKE[w] = when
            return 1
    WS[w, L.W_WAITAT] = 0
    store32(flag, (load32(flag) & ~mask) | over)
    return 0


@compiled
def word(w: int, i: int, mask: u32, what: int) -> int:
    """SYNCS.LD, EXCH, CAS: 64 bits of shared memory and a pair of registers, uniform ones or the lanes'."""
    state = WS[w, L.W_STATE]
    uniform = CODE[i, L.C_UNIFORM]
    step = 4 if uniform else 128
    if uniform:
        mask = np.uint32(1)
    while mask:
        k = first(mask)
        mask &= mask - np.uint32(1)
        host = place(w, k, 8)
        if host < 0:
            return host
        old = load64(host)
        data = state + CODE[i, L.C_DATA] + 4 * k
        value = np.uint64(load32(data)) | np.uint64(load32(data + step)) << np.uint64(32)
        if what == K.X_SYNC_CAS:
            data = state + CODE[i, L.C_DATA2] + 4 * k
            if old == value:
                store64(host, np.uint64(load32(data)) | np.uint64(load32(data + step)) << np.uint64(32))
        elif what == K.X_SYNC_EXCHANGE:
            store64(host, value)
        if CODE[i, L.C_DEST] >= 0:
            out = state + CODE[i, L.C_DEST] + 4 * k
            store32(out, np.uint32(old & np.uint64(0xFFFFFFFF)))
            store32(out + step, np.uint32(old >> np.uint64(32)))
    return 0


@compiled
def copies_arrive(w: int, i: int, mask: u32, t: int) -> int:
    """ARRIVES.LDGSTSBAR: each lane arrives (ARVCNT) or completes one byte (TRANSCNT) when the warp's LDGSTS so far are
    done. Ordinary loads look at barriers of machines before sm_90 (CA_WORDS), for which events are not applied: there
    the lanes arrive at once, and the warp goes on when its copies are done."""
    when = WS[w, L.W_LDGSTS]
    if when < t:
        when = t
    while mask:
        k = first(mask)
        mask &= mask - np.uint32(1)
        host = place(w, k, 8)
        if host < 0:
            return host
        c = owner(w, loads64(G[L.G_SCRATCH] + 8 * k))
        how = CODE[i, L.C_AUX]
        if how == K.CA_WORDS:
            store64(host, arrived(load64(host)))
            G[L.G_XAFTER] = when
        else:
            post(when, host, c, how, how - 1)
    return 0


@compiled
def store_counted(w: int, i: int, mask: u32, t: int) -> int:
    """STAS, REDAS: a value into shared memory of the cluster; the barrier whose address is in the upper half counts its
    bytes."""
    state = WS[w, L.W_STATE]
    width = CODE[i, L.C_WIDTH]
    kind = CODE[i, L.C_TYPE]
    while mask:
        k = first(mask)
        mask &= mask - np.uint32(1)
        pair = loads64(G[L.G_SCRATCH] + 8 * k)
        host = place(w, k, width)
        if host < 0:
            return host
        data = state + CODE[i, L.C_DATA] + 4 * k
        if CODE[i, L.C_OP] == K.X_REDUCE_ASYNC:
            value = np.uint64(load32(data))
            if width == 8:
                value |= np.uint64(load32(data + 128)) << np.uint64(32)
                store64(host, combine(CODE[i, L.C_AUX], kind, load64(host), value))
            else:
                new = combine(CODE[i, L.C_AUX], kind, np.uint64(load32(host)), value)
                store32(host, np.uint32(new & np.uint64(0xFFFFFFFF)))
        else:
            for part in range(0, width, 4):
                store32(host + part, load32(data + 32 * part))
        if CODE[i, L.C_AUX2]:
            store64(G[L.G_SCRATCH] + 8 * k, np.uint64(pair >> 32 & 0xFFFFFFFF))
            barrier = place(w, k, 8)
            if barrier < 0:
                return barrier
            c = owner(w, pair >> 32 & 0xFFFFFFFF)
            post(t + G[L.G_REMOTE], barrier, c, 0, -width)
    return 0


@compiled
def cluster_barrier(w: int, i: int, t: int, wait: int) -> int:
    """UCGABAR_ARV and UCGABAR_WAIT by the running lanes. 1: asleep, or other lanes run."""
    c = WS[w, L.W_CTA]
    lead = CT[c, L.T_MATES] if G[L.G_CLUSTER] > 1 else c
    if not wait:
        WS[w, L.W_CLUSTER] = CT[lead, L.T_PHASE] + 1
        CT[lead, L.T_ARRIVED] += popcount(np.uint32(WS[w, L.W_ACT]))
        barrier_done(c, t)
        return 0
    if CT[lead, L.T_PHASE] >= WS[w, L.W_CLUSTER]:
        G[L.G_XAFTER] = CT[lead, L.T_OPEN]
        return 0
    if WS[w, L.W_NEXT] or WS[w, L.W_READY]:
        give_way(w, i, t)
        return 1
    WS[w, L.W_CLUSTER] = -WS[w, L.W_CLUSTER]
    WS[w, L.W_PC] = i
    WAKE[w] = L.BIG
    return 1


@compiled
def left(w: int, mask: u32, t: int) -> None:
    """Lanes of a launch of clusters have exited: the cluster's barrier does not wait for them."""
    c = WS[w, L.W_CTA]
    lead = CT[c, L.T_MATES]
    if WS[w, L.W_CLUSTER] == CT[lead, L.T_PHASE] + 1:
        CT[lead, L.T_ARRIVED] -= popcount(mask)
    barrier_done(c, t)


@compiled(inline=True)
def addresses(w: int, i: int, mask: u32) -> None:
    """Lane addresses of instruction i to the scratch area."""
    invoke(CODE[i, L.C_FN], WS[w, L.W_STATE], CODE[i, L.C_OPERANDS], mask, G[L.G_SCRATCH], G[L.G_STAGE])
