"""What a checked run looks for: races in shared memory, memory that is read before anything wrote it, barriers that a
part of a warp comes to. It is a run without timing, whose results are the same.

Two accesses of one byte race if they are of two warps, one of them writes, not both are atomic, and nothing orders
them. Order is kept in vector clocks (Mattern 1988; Flanagan and Freund, FastTrack, PLDI 2009): each warp has a time,
which goes on at its barriers, and knows a time of every other warp; a CTA barrier gives all who wait the latest that
any who came knew. An atomic that compares or exchanges, and whatever an mbarrier or a copy is about, orders a warp
behind all that did such a thing before it: locks and pipelines are no races, even where they are wrong. Lanes of one
warp are ordered, but for those that one store sends to one place with different values.

A record of an access: its warp's time, instruction, warp, lane, how atomic it is, bytes of the word, from bit 34, 16,
11, 6, 4 and 0 on.
"""

from __future__ import annotations

import numpy as np

from runtime.device.sm.language.lang import compiled, seldom, u32
from runtime.device.sm.language.raw import first, load8, load32, loads64, store8
from runtime.device.sm.memory.access import WINDOW
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CHECK, CODE, CT, FOUND, GUESS, SHADOW, WS, G

PLAIN, ADDS, SWAPS = 0, 1, 2
"""How atomic an access is. What compares or exchanges makes locks and flags, which are read and written plainly
besides: such an access synchronises, too."""
UNSEEN = 2
"""In G_CHECK: others than the CTA's own loads and stores may write its shared memory, so nobody says what was not."""
BAR_ARRIVE = 1
TIME, WHERE = 34, 16
LAST_INSTRUCTION = (1 << 18) - 1


@compiled
def find(w: int, kind: int, i: int, lane: int, other: int, address: int) -> None:
    """Note what instruction i of a lane of warp w did; `other`: the record of the earlier access, or 0."""
    before = (other >> WHERE) & LAST_INSTRUCTION if other else -1
    row = 0
    while row < G[L.G_FOUND]:
        if FOUND[row, L.F_KIND] == kind and FOUND[row, L.F_INSTR] == i and FOUND[row, L.F_OTHER] == before:
            FOUND[row, L.F_COUNT] += 1
            return
        row += 1
    if row >= L.FINDINGS:
        return
    G[L.G_FOUND] += 1
    FOUND[row, L.F_KIND] = kind
    FOUND[row, L.F_INSTR] = i
    FOUND[row, L.F_OTHER] = before
    FOUND[row, L.F_COUNT] = 1
    FOUND[row, L.F_BLOCK] = CT[WS[w, L.W_CTA], L.T_LINEAR]
    FOUND[row, L.F_THREAD] = 32 * WS[w, L.W_ID] + lane
    FOUND[row, L.F_OTHERTHREAD] = (other >> 6) & 1023
    FOUND[row, L.F_ADDRESS] = address


@compiled
def begin(c: int) -> None:
    """The CTA in slot c gets a turn. If it is its first, all that was there before is behind it."""
    if CHECK[c, L.V_CTA] == CT[c, L.T_LINEAR] + 1:
        return
    latest = 0
    for a in range(32):
        latest = max(latest, CHECK[c, 33 * a])
    for k in range(L.V_BARRIER):
        CHECK[c, k] = latest
    for a in range(32):
        CHECK[c, 33 * a] = latest + 1
    for k in range(L.V_BARRIER, L.V_COLUMNS):
        CHECK[c, k] = 0
    CHECK[c, L.V_CTA] = CT[c, L.T_LINEAR] + 1


@compiled
def synchronise(w: int) -> None:
    """Warp w is behind all that synchronised before, and before all that will."""
    c = WS[w, L.W_CTA]
    own = 32 * WS[w, L.W_ID]
    for u in range(32):
        latest = max(CHECK[c, own + u], CHECK[c, L.V_SYNC + u])
        CHECK[c, own + u] = latest
        CHECK[c, L.V_SYNC + u] = latest
    CHECK[c, own + WS[w, L.W_ID]] += 1


@compiled
def arriving(w: int, i: int, mask: u32) -> None:
    """BAR: warp w is about to come to a CTA barrier (see `barrier.arrive`)."""
    state = WS[w, L.W_STATE]
    if CODE[i, L.C_PRED] >= 0:
        mask &= load32(state + CODE[i, L.C_PRED]) ^ np.uint32(CODE[i, L.C_PINV])
    if mask == np.uint32(0):
        return
    if np.int64(mask) != WS[w, L.W_ALIVE]:
        find(w, K.FIND_BARRIER, i, first(mask), 0, np.int64(mask))
    b = CODE[i, L.C_AUX]
    if b < 0:
        b = np.int64(load32(state + CODE[i, L.C_DATA] + 4 * first(mask))) & 15
    c = WS[w, L.W_CTA]
    own = 32 * WS[w, L.W_ID]
    for u in range(32):
        CHECK[c, L.V_BARRIER + 32 * b + u] = max(CHECK[c, L.V_BARRIER + 32 * b + u], CHECK[c, own + u])
    CHECK[c, own + WS[w, L.W_ID]] += 1
    if CODE[i, L.C_AUX2] != BAR_ARRIVE:
        CHECK[c, L.V_WAITING + b] |= 1 << WS[w, L.W_ID]


@compiled
def freed(w: int) -> None:
    """After a BAR or an EXIT of warp w: those who waited at a barrier that is now complete know what all who came to it
    knew."""
    c = WS[w, L.W_CTA]
    for b in range(16):
        waiting = CHECK[c, L.V_WAITING + b]
        if waiting == 0 or CT[c, L.T_BARW + b]:
            continue
        CHECK[c, L.V_WAITING + b] = 0
        for a in range(32):
            if waiting >> a & 1:
                for u in range(32):
                    if u != a:
                        CHECK[c, 32 * a + u] = max(CHECK[c, 32 * a + u], CHECK[c, L.V_BARRIER + 32 * b + u])
        for u in range(32):
            CHECK[c, L.V_BARRIER + 32 * b + u] = 0


@compiled(inline=True)
def unordered(c: int, own: int, record: int, part: int) -> bool:
    """Whether an earlier access is another warp's, to some of these bytes, and warp `own` of CTA c knows nothing of
    it."""
    by = record >> 11 & 31
    return by != own and record & part != 0 and record >> TIME > CHECK[c, 32 * own + by]


@compiled
def unwritten(w: int, i: int, lane: int, place: int, part: int, address: int) -> None:
    """Whether the CTA wrote what a lane reads there."""
    written = SHADOW[place, L.H_BYTES]
    if seldom(written >> 4 != CT[WS[w, L.W_CTA], L.T_LINEAR] + 1 or part & ~written) and not G[L.G_CHECK] & UNSEEN:
        find(w, K.FIND_SHARED, i, lane, 0, address)


@compiled
def word_read(w: int, i: int, lane: int, place: int, part: int, record: int, address: int) -> None:
    """A lane reads the bytes `part` of the word of shared memory that row `place` is about. What an atomic of several
    instructions reads first is a guess, which its last one confirms."""
    c = WS[w, L.W_CTA]
    own = WS[w, L.W_ID]
    guess = GUESS[i]
    for writer in (L.H_WRITER, L.H_OTHER):
        last = SHADOW[place, writer]
        if seldom(unordered(c, own, last, part)):
            atomic = last >> 4 & 3
            if atomic == SWAPS:
                synchronise(w)
            elif not (atomic and guess):
                find(w, K.FIND_RAW, i, lane, last, address)
    if not guess:
        before = SHADOW[place, L.H_READER + own]
        SHADOW[place, L.H_READER + own] = record | part | (before & 15 if before >> TIME == record >> TIME else 0)


@compiled
def word_written(w: int, i: int, lane: int, place: int, part: int, record: int, address: int) -> None:
    """The same for bytes that it writes, plainly or by an atomic."""
    c = WS[w, L.W_CTA]
    own = WS[w, L.W_ID]
    atomic = record >> 4 & 3
    for writer in (L.H_WRITER, L.H_OTHER):
        last = SHADOW[place, writer]
        if seldom(unordered(c, own, last, part)):
            other = last >> 4 & 3
            if other == SWAPS:
                synchronise(w)
            elif not (atomic == SWAPS or (other and atomic)):
                find(w, K.FIND_WAW, i, lane, last, address)
    if atomic != SWAPS:
        for u in range(G[L.G_WARPS]):
            before = SHADOW[place, L.H_READER + u]
            if seldom(unordered(c, own, before, part)):
                find(w, K.FIND_WAR, i, lane, before, address)
    if SHADOW[place, L.H_WRITER] >> 11 & 31 != own:
        SHADOW[place, L.H_OTHER] = SHADOW[place, L.H_WRITER]
    SHADOW[place, L.H_WRITER] = record | part
    tag = CT[c, L.T_LINEAR] + 1 << 4
    written = SHADOW[place, L.H_BYTES]
    SHADOW[place, L.H_BYTES] = tag | part | (written & 15 if written >> 4 == tag >> 4 else 0)


@compiled
def collides(w: int, i: int, mask: u32, lane: int, address: int) -> None:
    """A store: whether a lane before this one sends another value to its address."""
    lanes = G[L.G_SCRATCH]
    data = WS[w, L.W_STATE] + CODE[i, L.C_DATA]
    width = CODE[i, L.C_WIDTH]
    kept = (1 << 8 * width) - 1 if width < 4 else 0xFFFFFFFF
    for k in range(lane):
        if (mask >> np.uint32(k)) & np.uint32(1) and loads64(lanes + 8 * k) == loads64(lanes + 8 * lane):
            for n in range(0, width, 4):
                one = np.int64(load32(data + 32 * n + 4 * k))
                if (one ^ np.int64(load32(data + 32 * n + 4 * lane))) & kept:
                    find(w, K.FIND_STORE, i, lane, 1 << TIME | i << WHERE | WS[w, L.W_ID] << 11 | k << 6, address)
                    return


@compiled
def in_shared(w: int, i: int, lane: int, address: int, width: int, reads: int, atomic: int, writes: int) -> None:
    """A lane's access to its CTA's shared memory, at an offset from its beginning."""
    if address < G[L.G_RESERVED]:
        find(w, K.FIND_RESERVED, i, lane, 0, address)
        return
    c = WS[w, L.W_CTA]
    own = WS[w, L.W_ID]
    record = CHECK[c, 33 * own] << TIME | i << WHERE | own << 11 | lane << 6 | atomic << 4
    place = (CT[c, L.T_SHARED] - G[L.G_SHARED] + address) >> 2
    for n in range(max(width >> 2, 1)):
        part = 15 if width >= 4 else ((1 << width) - 1) << (address & 3)
        if reads or atomic:
            unwritten(w, i, lane, place + n, part, address)
        if reads:
            word_read(w, i, lane, place + n, part, record, address)
        if writes:
            word_written(w, i, lane, place + n, part, record, address)


@compiled
def in_global(w: int, i: int, lane: int, address: int, width: int, reads: int, writes: int) -> None:
    """A lane's access to device memory: what is read, somebody should have written."""
    known = G[L.G_KNOWN] + address - G[L.G_MEMBASE]
    if G[L.G_KNOWN] == 0:
        return
    for n in range(width):
        if reads and load8(known + n) == np.uint64(0):
            find(w, K.FIND_GLOBAL, i, lane, 0, address)
            break
    if writes:
        for n in range(width):
            store8(known + n, np.uint64(1))


@compiled
def copied(w: int, i: int, mask: u32) -> None:
    """LDGSTS: what it reads of device memory. What it stores counts as stored by now."""
    if CODE[i, L.C_AUX2]:
        return
    if CODE[i, L.C_AUX] >= 0:
        mask &= load32(WS[w, L.W_STATE] + CODE[i, L.C_AUX]) ^ np.uint32(CODE[i, L.C_AUX3])
    for k in range(32):
        if (mask >> np.uint32(k)) & np.uint32(1):
            in_global(w, i, k, loads64(G[L.G_SCRATCH] + 256 + 8 * k), CODE[i, L.C_WIDTH], 1, 0)


@compiled
def offset_in_shared(i: int, a: int) -> int:
    """Where an address is in the shared memory of the CTA; -1: not there; -2: in nobody's that is checked."""
    if CODE[i, L.C_SPACE] == K.SPACE_SHARED or CODE[i, L.C_ACCESS] == K.A_LDGSTS:
        return a & (WINDOW - 1)
    if CODE[i, L.C_SPACE] == K.SPACE_GENERIC:
        if G[L.G_LOCALWIN] and a >= G[L.G_LOCALWIN] and a < G[L.G_LOCALWIN] + WINDOW:
            return -2
        a -= G[L.G_SHAREDWIN]
        if G[L.G_SHAREDWIN] and a >= 0 and a < WINDOW * G[L.G_CLUSTER]:
            other = G[L.G_CLUSTER] > 1 and a // WINDOW != G[L.G_RANK]
            asks = CODE[i, L.C_ACCESS] == K.A_ATOM and CODE[i, L.C_AUX2] >= 0
            return -2 if other or (asks and not CODE[i, L.C_AUX3] & K.WINDOW_SHARED) else a & (WINDOW - 1)
    return -1


@compiled
def check(w: int, i: int, mask: u32) -> None:
    """Memory instruction i of warp w was executed: its lane addresses are in the scratch area."""
    kind = CODE[i, L.C_ACCESS]
    if CODE[i, L.C_SPACE] == K.SPACE_LOCAL or CODE[i, L.C_SPACE] == K.SPACE_CONST:
        return
    width = CODE[i, L.C_WIDTH]
    reads = 1 if kind == K.A_LOAD or kind == K.A_LDSM else 0
    atomic = PLAIN
    if kind == K.A_ATOM or kind == K.A_RED:
        op = CODE[i, L.C_OP]
        swaps = op == K.OP_CAS or op == K.OP_EXCH or op == K.OP_ARRIVE
        atomic = SWAPS if swaps and CODE[i, L.C_AUX] != 2 else ADDS
    if kind == K.A_LDSM or kind == K.A_STSM:
        width = 16
        mask = np.uint32((1 << (8 * CODE[i, L.C_AUX])) - 1)
    if atomic == SWAPS:
        synchronise(w)
    if kind == K.A_LDGSTS:
        copied(w, i, mask)
    for k in range(32):
        if not (mask >> np.uint32(k)) & np.uint32(1):
            continue
        a = loads64(G[L.G_SCRATCH] + 8 * k)
        offset = offset_in_shared(i, a)
        if offset >= 0:
            in_shared(w, i, k, offset, width, reads, atomic, 1 - reads)
            if kind == K.A_STORE:
                collides(w, i, mask, k, offset)
        elif offset == -1:
            in_global(w, i, k, a, width, 1 if atomic else reads, 1 - reads)
