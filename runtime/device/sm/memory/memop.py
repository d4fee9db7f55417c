"""One memory instruction of one warp: addresses, translation, data. Its timing is in `issue`."""

from __future__ import annotations

import numpy as np

from runtime.device.sm.language.invoke import invoke
from runtime.device.sm.language.lang import compiled, seldom, u32
from runtime.device.sm.language.raw import address, load16, load32, loads64, store16, store32, store64
from runtime.device.sm.language.vector import (
    after_last,
    copy_words,
    pairs_from_rows,
    prefetch,
    quads_from_rows,
    rows_from_pairs,
    rows_from_quads,
    spread,
)
from runtime.device.sm.memory.access import (
    FULL,
    WINDOW,
    allocated,
    atomic_lanes,
    load_lanes,
    store_lanes,
    translate,
)
from runtime.device.sm.memory.l1 import l1_set
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CODE, CT, L1, WS, G

HOSTS, CUTS = 1024, 1536
"""Byte offsets in the scratch area of the host addresses, and of how many bytes of a copy are zeros; lane addresses are
at 0, those of a copy's source at 256."""

BEHIND = FULL - 1
"""All lanes that have one before them."""


@compiled
def matrix(hosts: int, count: int, transposed: int, mask: u32, rows: int, store: int) -> None:
    """LDSM/STSM: 8x8 matrices of 16-bit elements, row r of matrix m at the address of lane 8 m + r; registers at
    `rows`."""
    for m in range(count):
        for lane in range(32):
            if not (mask >> np.uint32(lane)) & np.uint32(1):
                continue
            register = rows + 128 * m + 4 * lane
            for half in range(2):
                if transposed:
                    r = 2 * (lane & 3) + half
                    c = lane >> 2
                else:
                    r = lane >> 2
                    c = 2 * (lane & 3) + half
                place = loads64(hosts + 8 * (8 * m + r)) + 2 * c
                if store:
                    store16(place, load16(register + 2 * half))
                else:
                    store16(register + 2 * half, load16(place))


@compiled(rare=True)
def mates(w: int, i: int, scratch: int) -> None:
    """In a cluster: where the shared memory of each of its CTAs is, for `translate`."""
    if CODE[i, L.C_SPACE] == K.SPACE_SHARED or CODE[i, L.C_ACCESS] == K.A_LDGSTS:
        # The rank of the CTA in its cluster is above the offset; these instructions reach their own only.
        for k in range(32):
            store64(scratch + 8 * k, np.uint64(loads64(scratch + 8 * k) & (WINDOW - 1)))
    G[L.G_RANK] = CT[WS[w, L.W_CTA], L.T_RANK]
    for rank in range(G[L.G_CLUSTER]):
        mate = CT[WS[w, L.W_CTA], L.T_MATES + rank]
        store64(G[L.G_MATES] + 8 * rank, np.uint64(CT[mate, L.T_SHARED]))


@compiled(rare=True)
def matrices(i: int, mask: u32, dst: int, state: int, shared: int, local: int) -> int:
    """LDSM and STSM: the addresses of 8 lanes a matrix, then `matrix`. 0 or minus the fault."""
    scratch = G[L.G_SCRATCH]
    hosts = scratch + HOSTS
    count = CODE[i, L.C_AUX]
    needed = np.uint32((1 << (8 * count)) - 1)
    bad = translate(CODE[i, L.C_SPACE], 16, needed, scratch, hosts, shared, local, 0, i)
    if bad < 0:
        return bad
    if CODE[i, L.C_ACCESS] == K.A_LDSM:
        matrix(hosts, count, CODE[i, L.C_AUX2], mask, dst, 0)
    else:
        matrix(hosts, count, CODE[i, L.C_AUX2], mask, state + CODE[i, L.C_DATA], 1)
    return 0


@compiled(rare=True)
def copy(i: int, mask: u32, state: int, shared: int, local: int) -> int:
    """LDGSTS: global memory to shared memory, zeros where a lane's predicate says so and behind a part of the source.
    0 or minus the fault."""
    scratch = G[L.G_SCRATCH]
    hosts = scratch + HOSTS
    width = CODE[i, L.C_WIDTH]
    wanted = mask
    if CODE[i, L.C_AUX] >= 0:
        wanted &= load32(state + CODE[i, L.C_AUX]) ^ np.uint32(CODE[i, L.C_AUX3])
    bad = translate(K.SPACE_SHARED, width, mask, scratch, hosts, shared, local, 0, i)
    if bad < 0:
        return bad
    filled = CODE[i, L.C_AUX2]
    if filled:
        # With a part of the source, its address is moved up by as many bytes as are zeros at the end.
        for k in range(32):
            a = loads64(scratch + 256 + 8 * k)
            cut = a & (width - 1)
            store64(scratch + 256 + 8 * k, np.uint64(a - cut))
            store64(scratch + CUTS + 8 * k, np.uint64(cut))
    bad = translate(K.SPACE_GLOBAL, width, wanted, scratch + 256, hosts + 256, shared, local, 0, i)
    if bad < 0:
        return bad
    for k in range(32):
        if not (mask >> np.uint32(k)) & np.uint32(1):
            continue
        target = loads64(hosts + 8 * k)
        if (wanted >> np.uint32(k)) & np.uint32(1):
            source = loads64(hosts + 256 + 8 * k)
            given = width - loads64(scratch + CUTS + 8 * k) if filled else width
            for word in range(0, width, 4):
                value = load32(source + word) if word < given else np.uint32(0)
                if word < given and given < word + 4:
                    value = np.uint32(value & np.uint32((1 << (8 * (given - word))) - 1))
                store32(target + word, value)
        else:
            for word in range(0, width, 4):
                store32(target + word, np.uint32(0))
    return 0


@compiled(inline=True)
def side_by_side(i: int, dst: int, state: int, shared: int) -> int:
    """The common case: 32 lanes' words one after the other, so rows of registers and as much memory in one piece.
    Whether it is so; if not, nothing has been done."""
    width = CODE[i, L.C_WIDTH]
    space = CODE[i, L.C_SPACE]
    a = loads64(G[L.G_SCRATCH])
    host = 0
    if space == K.SPACE_SHARED:
        if a >= 0 and a & (width - 1) == 0 and a + 32 * width <= G[L.G_SHAREDSIZE]:
            host = shared + a
    elif space == K.SPACE_GLOBAL or space == K.SPACE_GENERIC:
        a -= G[L.G_MEMBASE]
        if a & (width - 1) == 0 and allocated(width, a, a + 31 * width, i):
            host = G[L.G_MEM] + a
    if host == 0:
        return 0
    if CODE[i, L.C_ACCESS] == K.A_LOAD:
        if width == 4:
            copy_words(dst, host)
        elif width == 8:
            rows_from_pairs(dst, host)
        else:
            rows_from_quads(dst, host)
    else:
        src = state + CODE[i, L.C_DATA]
        if width == 4:
            copy_words(host, src)
        elif width == 8:
            pairs_from_rows(host, src)
        else:
            quads_from_rows(host, src)
    return 1


@compiled
def load(i: int, mask: u32, dst: int, alike: int, following: u32, same: u32) -> None:
    """Loaded values to the rows at `dst`; `alike`: all lanes name one place, whose words they all get; `following`,
    `same`: as of `load_lanes`."""
    hosts = G[L.G_SCRATCH] + HOSTS
    width = CODE[i, L.C_WIDTH]
    if alike and width >= 4:
        host = loads64(hosts)
        for word in range(0, width, 4):
            spread(dst + 32 * word, load32(host + word))
    elif CODE[i, L.C_UNIFORM] and width >= 4:
        host = loads64(hosts)
        store32(dst, load32(host))
        if width >= 8:
            store32(dst + 4, load32(host + 4))
    else:
        load_lanes(width, CODE[i, L.C_AUX], hosts, mask, dst, following, same)


@compiled(rare=True)
def atomic(i: int, mask: u32, dst: int, state: int) -> None:
    """Atomics and reductions, lane after lane; old values to the rows at `dst`, where they are wanted."""
    scratch = G[L.G_SCRATCH]
    hosts = scratch + HOSTS
    target = dst if CODE[i, L.C_ACCESS] == K.A_ATOM else 0
    if CODE[i, L.C_AUX2] >= 0:
        # ATOM with a predicate does what shared or local memory cannot for other lanes only, and says which those are.
        done = mask
        shared = 0 if CODE[i, L.C_AUX3] & K.WINDOW_SHARED else G[L.G_SHAREDWIN]
        local = 0 if CODE[i, L.C_AUX3] & K.WINDOW_LOCAL else G[L.G_LOCALWIN]
        for k in range(32):
            a = loads64(scratch + 8 * k)
            for window in (shared, local):
                if window and a >= window and a < window + WINDOW:
                    done = np.uint32(done & ~np.uint32(np.uint32(1) << np.uint32(k)))
        flag = state + CODE[i, L.C_AUX2]
        store32(flag, (load32(flag) & ~mask) | done)
        mask = done
    if CODE[i, L.C_AUX] == 2:
        # POPC.INC: each word grows by the number of lanes that name it.
        for k in range(32):
            if (mask >> np.uint32(k)) & np.uint32(1):
                host = loads64(hosts + 8 * k)
                old = load32(host)
                store32(host, old + np.uint32(1))
                if target:
                    store32(target + 4 * k, old)
    else:
        atomic_lanes(
            CODE[i, L.C_OP],
            CODE[i, L.C_TYPE],
            CODE[i, L.C_WIDTH],
            hosts,
            mask,
            state + CODE[i, L.C_DATA],
            state + CODE[i, L.C_DATA2],
            target,
        )


@compiled
def memory_op(w: int, i: int, mask: u32, dst: int) -> int:
    """Execute memory instruction i of warp w for the lanes `mask` (not empty); loaded values go to rows at host address
    `dst`. Lane addresses stay in the scratch area. 1: all lanes, one width from each to the next, in shared or global
    memory; 2: all lanes at one address there; 0: other lanes; or minus the fault."""
    state = WS[w, L.W_STATE]
    scratch = G[L.G_SCRATCH]
    invoke(CODE[i, L.C_FN], state, CODE[i, L.C_OPERANDS], mask, scratch, G[L.G_STAGE])
    if G[L.G_TIMING] and CODE[i, L.C_SPACE] == K.SPACE_GLOBAL:
        # Its timing looks there when the data have moved.
        prefetch(address(L1, (w >> 6, l1_set(loads64(scratch) >> 7))))
    shared = CT[WS[w, L.W_CTA], L.T_SHARED]
    if seldom(G[L.G_CLUSTER] > 1):
        mates(w, i, scratch)
    local = G[L.G_LOCAL] + w * 32 * G[L.G_LOCALSIZE]
    width = CODE[i, L.C_WIDTH]
    kind = CODE[i, L.C_ACCESS]
    space = CODE[i, L.C_SPACE]
    if seldom(kind == K.A_LDSM) or seldom(kind == K.A_STSM):
        return matrices(i, mask, dst, state, shared, local)
    if seldom(kind == K.A_LDGSTS):
        return copy(i, mask, state, shared, local)
    if seldom(space == K.SPACE_CONST) and CODE[i, L.C_UNIFORM]:
        mask = np.uint32(1)
    following = after_last(scratch, width)
    rows = following == np.uint32(BEHIND) and mask == np.uint32(FULL)
    if rows and kind <= K.A_STORE and width >= 4 and side_by_side(i, dst, state, shared):
        return 1
    hosts = scratch + HOSTS
    same = after_last(scratch, 0)
    G[L.G_SAME] = np.int64(same)
    result = translate(space, width, mask, scratch, hosts, shared, local, CODE[i, L.C_BANK], i)
    if seldom(result < 0):
        return result
    if result:
        alike = same == np.uint32(BEHIND) and mask == np.uint32(FULL)
        result = 2 if alike else 1 if rows else 0
    else:
        # Neighbours need not be neighbours on the host.
        following = after_last(hosts, width)
        same = after_last(hosts, 0)
    if kind == K.A_LOAD:
        load(i, mask, dst, result == 2, following, same)
    elif kind == K.A_STORE:
        store_lanes(width, hosts, mask, state + CODE[i, L.C_DATA], following)
    else:
        atomic(i, mask, dst, state)
    return result
