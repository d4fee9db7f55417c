"""Timing of memory instructions inside an SM: the queue of a sub-core, the load/store unit that all four share, passes
over the banks of shared memory and of L1, words of constants. What is beyond L1 is in `l1`, `stores` and `l2`.
"""

from __future__ import annotations

import numpy as np

from runtime.device.sm.core.units import constant_line
from runtime.device.sm.language.lang import compiled, seldom, u32
from runtime.device.sm.language.raw import first, loads64, popcount, store64
from runtime.device.sm.language.vector import lanes_at
from runtime.device.sm.memory.access import SURVEY_PASSES, bytes_named, most_on_one, packets, survey, wavefronts
from runtime.device.sm.memory.front import constant, indexed, touch
from runtime.device.sm.memory.l1 import MISSED, find_sets, keep_lines, late_passes, read_lines, under_way
from runtime.device.sm.memory.l2 import (
    BUCKET_SHIFT,
    LOCAL_REGION,
    MP_AT_INDEXED,
    MP_NEAR,
    MP_SLACK,
    NEAR_BIT,
    l2_home,
    sector_count,
    take,
)
from runtime.device.sm.memory.stores import HELD, LATE, PACKETS, SENDS, SENT, let_go, lose_parts, write_lines
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CODE, MP, PCC, SC, SM, WS, G, X

LSU_ENTRIES, ADU_ENTRIES = 9, 4
LSU_FRONT = 6
"""Cycles from issue until an entry of an idle memory queue leaves it."""
IDLE_TURN, IDLE_READ, IDLE_DONE = 2, 8, 22
"""Of an instruction of no lane: cycles of its sub-core's queue, until its operands are read, until it is done."""
READ_TURN = 2
"""Cycles of a sub-core in which the operands of a load are read (H200: read barriers of four warps with a load each are
released two cycles apart, however long the loads take the unit for their banks)."""
AGAIN = 20
"""Sixteenths of a cycle of the load/store unit for a CAST of which some lanes have to try again (H200: 32 warps)."""
PLACE_TURN, PLACE_LATER = 32, 11
"""Of an LDC for each place that its lanes name, be they bytes of one word: sixteenths of a cycle of the unit; cycles
that it is done later for each but the first (H200: 512 loads by 4 and 16 warps, chains of 256, of 1 to 32 places)."""
PLACE_WAITED = 3
"""Cycles that it is done later if it waited for a line (H200, SM 0: one line a load 76, 8 and 32 lines 73 each, and
3)."""
STORE_LINE = 29
"""Sixteenths of a cycle of the unit for each line that a store sends; what joins a line that is held takes passes
over L1's banks alone (H200: eight warps that load and store 32 lines of their own by turns; mixed words of 1 to 64)."""
STREAMED = 4
"""Passes over L1 that are done when the next line comes."""
TALLY = 2048
"""Byte offset in the scratch area of the counters of bank conflicts."""
RETURN = 30
"""Sixteenths of a cycle of a sub-core for each pass over L1 of a load of its warps (H200: loads of one warp from 1 to
32 lines)."""
DELAY, START, COST, BLOCKED, RETURNS = range(4060, 4065)
"""Where in X an instruction has its delay in the queue; when the unit takes it; the sixteenths of a cycle that this
costs the unit; whether the unit waits for it; cycles of its sub-core until the next one's data."""
REMOTE = -1
"""Of spaces: shared memory of another SM."""


@compiled(inline=True)
def space_of(i: int, mask: u32) -> int:
    """The space that memory instruction i is booked by: of generic addresses where the first lane's points."""
    space = CODE[i, L.C_SPACE]
    if seldom(space == K.SPACE_GENERIC):
        a = loads64(G[L.G_SCRATCH] + 8 * first(mask))
        space = K.SPACE_GLOBAL
        window = G[L.G_SHAREDWIN]
        if window and a >= window and a < window + (G[L.G_CLUSTER] << 24):
            space = K.SPACE_SHARED
            if G[L.G_CLUSTER] > 1 and (a - window) >> 24 != G[L.G_RANK]:
                space = REMOTE
        window = G[L.G_LOCALWIN]
        if window and a >= window and a < window + (1 << 24):
            space = K.SPACE_LOCAL
    return space


@compiled(inline=True)
def shared_time(i: int, mask: u32, consecutive: int) -> int:
    """An access to shared memory: how much later it is done for its bank conflicts."""
    scratch = G[L.G_SCRATCH]
    kind = CODE[i, L.C_ACCESS]
    width = CODE[i, L.C_WIDTH]
    # POPC.INC adds up the lanes that name a word at once; of those, CAST takes one and tells the others to try again
    # (H200: a turn of its loop takes 95 cycles with 2 lanes as with 32).
    cast = kind == K.A_ATOM and CODE[i, L.C_OP] == K.OP_CAST
    atomic = (kind == K.A_ATOM or kind == K.A_RED) and CODE[i, L.C_AUX] != 2 and not cast
    n = 0
    if kind == K.A_LDSM or kind == K.A_STSM:
        n = CODE[i, L.C_AUX]
    elif consecutive and not atomic:
        # Of lanes that name one address, each has its neighbour's (see `paired`).
        n = max(width >> (3 if consecutive == 2 and kind == K.A_LOAD else 2), 1)
    else:
        same = np.uint32(G[L.G_SAME])
        n = wavefronts(width, scratch, mask, same, 1 if atomic else 0, kind == K.A_LOAD, scratch + TALLY)
    if seldom(G[L.G_BYTES]) and kind <= K.A_STORE:
        PCC[i, L.P_BYTES] += bytes_named(scratch, mask, width, consecutive)
    ideal = 1
    if width > 4:
        ideal = min(n, n if kind == K.A_LDSM else width >> 2)
    PCC[i, L.P_WAVEFRONTS] += n
    PCC[i, L.P_CONFLICTS] += n - ideal
    if 16 * n > X[COST] or kind == K.A_LOAD:
        X[COST] = 16 * n
    extra = n - ideal
    if seldom(cast) and most_on_one(scratch, mask) > 1:
        X[COST] += AGAIN
    if seldom(atomic) and CODE[i, L.C_OP] == K.OP_CAS:
        extra *= 2
        X[COST] *= 2
    if kind == K.A_LOAD:
        # The first of its passes is in its latency; its sub-core has one of them in two cycles.
        extra = n - 1
        X[RETURNS] = 2 * n - CODE[i, L.C_QSUB]
    return 2 * extra


@compiled(rare=True)
def interleave(w: int, window: int) -> None:
    """Lanes' addresses of local memory become those of the caches: word k of lane l of a warp lies at 128 k + 4 l of
    the warp's region, in the half of L2 that its SM asks (H200: loads of it that miss L1 are 205 to 240 cycles later
    than those that hit). `window`: where local memory is among generic addresses, if they are such."""
    scratch = G[L.G_SCRATCH]
    side = SM[w >> 6, L.M_SIDE]
    base = LOCAL_REGION + w * 32 * ((G[L.G_LOCALSIZE] + 127) & ~127)
    for k in range(32):
        a = (loads64(scratch + 8 * k) - window) & 0xFFFFFF
        a = base + (a >> 2) * 128 + 4 * k + (a & 3)
        store64(scratch + 8 * k, np.uint64(a | (l2_home(a >> 7) ^ side) << NEAR_BIT + 7))


@compiled(inline=True)
def touched(i: int, lanes: int, mask: u32, local: bool, consecutive: int) -> int:
    """The lines that an access through L1 touches, in X (line, sector bits). Their number; X[SURVEY_PASSES]: the passes
    over L1's banks that it takes."""
    width = CODE[i, L.C_WIDTH]
    words = max(width >> 2, 1)
    lines = 0
    if consecutive:
        at = loads64(lanes) >> 5
        last = loads64(lanes + 248) + width - 1 >> 5
        while at <= last:
            there = min(at | 3, last)
            X[2 * lines] = at >> 2
            X[2 * lines + 1] = (2 << there - at) - 1 << (at & 3)
            at = there + 1
            lines += 1
        X[SURVEY_PASSES] = words
    elif seldom(local):
        # Word k of a lane's access lies in the line k behind that of the first.
        lines = survey(4, lanes, mask, G[L.G_SCRATCH] + TALLY)
        X[SURVEY_PASSES] *= words
        for k in range(lines, lines * (width >> 2)):
            X[2 * k] = X[2 * (k - lines)] + 1
            X[2 * k + 1] = X[2 * (k - lines) + 1]
        lines *= words
    else:
        lines = survey(width, lanes, mask, G[L.G_SCRATCH] + TALLY)
    X[SURVEY_PASSES] = max(X[SURVEY_PASSES], (lines + 3) >> 2)
    return lines


@compiled(inline=True)
def load_time(m: int, i: int, lines: int, extra: int) -> int:
    """When a load (or an asynchronous copy) of the lines in X is done."""
    n = X[SURVEY_PASSES]
    hit = CODE[i, L.C_LATENCY] - LSU_FRONT + extra
    done = read_lines(lines, m, X[START], hit, CODE[i, L.C_BYPASS], i)
    CODE[i, L.C_MISSED] = X[MISSED]
    if n > STREAMED and done > X[START] + hit:
        done = late_passes(m, done, n)
    X[RETURNS] = (RETURN * n >> 4) - CODE[i, L.C_QSUB]
    return done


@compiled(rare=True)
def reduction(i: int, lanes: int, mask: u32, lines: int) -> int:
    """A reduction or atomic on the lines in X: L1 sends a packet for each sector, as often as lanes name the same word
    of it (X[PACKETS + line]). Which it is of those that `write_lines` tells apart."""
    total = 0
    alone = most_on_one(lanes, mask) == 1
    for k in range(lines):
        b = X[2 * k + 1]
        X[PACKETS + k] = sector_count(b)
        if not alone:
            X[PACKETS + k] = packets(lanes, mask, X[2 * k], b)
        total += X[PACKETS + k]
    op = CODE[i, L.C_OP]
    floats = op == K.OP_ADD and CODE[i, L.C_TYPE] >= K.T_F32
    doubles = floats and CODE[i, L.C_TYPE] == K.T_F64
    # Several words of a sector at once: compare-and-swap, and of doubles more than two.
    wide = popcount(mask) > (2 * total if doubles else total) and (doubles or op == K.OP_CAS or op == K.OP_CAST)
    return (2 if floats else 0) + (1 if wide else 0)


@compiled(inline=True)
def coverage(i: int, lanes: int, mask: u32, sectors: int) -> int:
    """How lanes cover the sectors that they write: 0 whole, 1 in part, 3 all of them name one place."""
    written = popcount(mask) * CODE[i, L.C_WIDTH]
    if sectors == 1 and most_on_one(lanes, mask) == popcount(mask):
        return 3
    if written == 32 * sectors:
        return 0 if most_on_one(lanes, mask) == 1 else 1
    return 1 if written < 32 * sectors else 3


@compiled(inline=True)
def take_turns(sc: int, lines: int, t: int) -> None:
    """Sub-cores' stores that wait in their queues, this one issued at `t`, are taken in turns: their lines come between
    those of two stores of one (H200: of four warps that walk along rows of 16, 17 or 24 words, 16 to 24 lines a store,
    each store is sent; one warp's leave once). S_STORE: when the unit takes its latest store, and that one's lines by
    place."""
    places = 0
    if lines > HELD // 4:
        for k in range(lines):
            places |= 1 << ((X[2 * k] ^ X[2 * k] >> 6) & (L.STORES - 1))
        between = places
        for k in range(sc & ~3, (sc & ~3) + 4):
            if k != sc and SC[k, L.S_STORE] > t:
                between |= SC[k, L.S_STORE + 1]
        if popcount(np.uint32(between & 0xFFFFFFFF)) + popcount(np.uint32(between >> 32 & 0xFFFFFFFF)) > HELD:
            let_go(sc >> 2)
    SC[sc, L.S_STORE] = X[START]
    SC[sc, L.S_STORE + 1] = places


@compiled(inline=True)
def store_time(
    w: int, i: int, mask: u32, t: int, lines: int, sectors: int, local: bool, consecutive: int, extra: int
) -> int:
    """When a store, reduction or atomic on the lines in X is done (there; if it is answered, with its answer)."""
    m = w >> 6
    kind = CODE[i, L.C_ACCESS]
    lanes = G[L.G_SCRATCH]
    CODE[i, L.C_MISSED] = 1
    atomic = -1 if kind == K.A_STORE else reduction(i, lanes, mask, lines)
    part = 0 if consecutive == 1 else coverage(i, lanes, mask, sectors)
    if atomic < 0:
        find_sets(lines, m)
        if SM[m, L.M_COMING] > X[START]:
            X[START] = under_way(lines, m, X[START])
        take_turns(w >> 4, lines, t)
    width = CODE[i, L.C_WIDTH]
    if part == 3 and width == 1:
        part = 5
    # Lines of bytes take the place of two (H200: eight warps that store to 32 of them join nothing).
    share = 32 if part == 0 else width if part >= 3 else min(popcount(mask) * width // sectors, 31)
    answer = 1 if kind == K.A_ATOM else 0
    weight = 2 if width == 1 else 1
    done = write_lines(lines, w >> 4, X[START], atomic, answer, part, share, weight, t, local, i)
    if atomic < 0:
        X[COST] = max(X[COST], STORE_LINE * X[SENDS])
        keep_lines(lines, m, X[START], width >= 4, i)
        if seldom(X[LATE]):
            lose_parts(m, lines, lanes, mask, width, local)
    WS[w, L.W_STORED] = max(WS[w, L.W_STORED], done)
    WS[w, L.W_SENT] = max(WS[w, L.W_SENT], X[SENT])
    if X[SENT] - X[START] > MP[MP_SLACK]:
        # The port is behind: the unit cannot hand over more than it can hold.
        late = (X[SENT] - MP[MP_SLACK]) * 16
        if late > SM[m, L.M_LSU]:
            X[BLOCKED] = 1
            X[START] = late >> 4
    done += MP[MP_NEAR]
    if kind == K.A_ATOM:
        done += CODE[i, L.C_LATENCY] - LSU_FRONT + extra + 31
    return done


@compiled(inline=True)
def line_time(w: int, i: int, mask: u32, t: int, local: bool, consecutive: int) -> int:
    """An access through L1, to global or local memory, issued at `t`: when it is done."""
    kind = CODE[i, L.C_ACCESS]
    width = CODE[i, L.C_WIDTH]
    scratch = G[L.G_SCRATCH]
    if seldom(local):
        interleave(w, G[L.G_LOCALWIN] if CODE[i, L.C_SPACE] == K.SPACE_GENERIC else 0)
    lanes = scratch + 256 if kind == K.A_LDGSTS else scratch
    lines = touched(i, lanes, mask, local, consecutive)
    n = X[SURVEY_PASSES]
    sectors = 0
    for k in range(lines):
        sectors += sector_count(X[2 * k + 1])
    WS[w, L.W_STORED] = max(WS[w, L.W_STORED], 1)
    PCC[i, L.P_SECTORS] += sectors
    PCC[i, L.P_IDEAL] += min(popcount(mask) * width + 31 >> 5, sectors)
    if seldom(G[L.G_BYTES]) and kind <= K.A_STORE and not local:
        PCC[i, L.P_BYTES] += bytes_named(scratch, mask, width, consecutive)
    PCC[i, L.P_LINES] += lines
    PCC[i, L.P_WAVEFRONTS] += n
    X[COST] = max(X[COST], 16 * n)
    extra = (n - 1) * 35 >> 4
    if kind == K.A_LOAD:
        return load_time(w >> 6, i, lines, extra)
    if seldom(kind == K.A_LDGSTS):
        # Lanes that read or write one bank take turns, also if they read one word.
        read = wavefronts(width, lanes, mask, np.uint32(0), 1, 0, scratch + TALLY)
        stored = wavefronts(width, scratch, mask, np.uint32(0), 1, 0, scratch + TALLY)
        X[COST] = max(X[COST], 16 * (read + stored))
        return load_time(w >> 6, i, lines, extra + 2 * (max(read, stored) - max(width >> 2, 1)))
    return store_time(w, i, mask, t, lines, sectors, local, consecutive, extra)


@compiled(rare=True)
def constant_time(sc: int, i: int, mask: u32) -> int:
    """LDC: place after place that lanes name, each looked up in the other constant cache; a sub-core has four of them
    in turns, but for those of parameters. How much later than one that is there it is done."""
    scratch = G[L.G_SCRATCH]
    m = sc >> 2
    there = X[START]
    place = L.S_INDEXED + SC[sc, L.S_INDEXEDN] % L.INDEXED
    bank = CODE[i, L.C_BANK]
    if bank:
        there = max(there, SC[sc, place])
    later = 0
    waited = 0
    while mask:
        a = loads64(scratch + 8 * first(mask))
        mask &= ~(lanes_at(scratch, 0, a) | (np.uint32(1) << np.uint32(first(mask))))
        there += later
        turn = take(MP[MP_AT_INDEXED] + 2 * m, there, PLACE_TURN)
        # Others that were done with in one go took their turns between.
        there = turn if turn >> BUCKET_SHIFT > there >> BUCKET_SHIFT else there
        later = PLACE_LATER
        line = constant_line(bank, a & 0xFFFFFFFF)
        if line >= 0:
            line += L.CONSTANT_LINES
            if SM[m, L.M_CONST + (line >> 6)] >> (line & 63) & 1:
                touch(m, line)
            else:
                asked = there
                if line < L.CONSTANT_LINES + L.PARAMETER_LINES:
                    there = constant(sc, line, there, X[START])
                else:
                    there = indexed(m, line, there, X[START])
                waited |= there - asked
    if bank:
        SC[sc, place] = there
        SC[sc, L.S_INDEXEDN] += 1
    if waited:
        there += PLACE_WAITED
    return there - X[START]


@compiled(inline=True)
def queued(sc: int, until: int) -> None:
    """The next place of a sub-core's queue to the load/store unit is taken until then."""
    place = SC[sc, L.S_LSUN]
    SC[sc, L.S_LSU + place] = until
    place = place + 1 if place + 1 < LSU_ENTRIES else 0
    SC[sc, L.S_LSUN] = place
    SC[sc, L.S_ROOM + K.Q_LSU] = SC[sc, L.S_LSU + place]


@compiled(rare=True)
def idle_time(w: int, i: int, t: int) -> int:
    """The same for an instruction without a lane whose guard holds: it takes its turn in the queue, and that is all
    (H200: whoever waits for its result goes on after 22 cycles, for its operands after 8, whatever the instruction)."""
    sc = w >> 4
    m = sc >> 2
    start = max(t + LSU_FRONT, SC[sc, L.S_LSULAST] + IDLE_TURN)
    start = max(start, SM[m, L.M_LSU] + 15 >> 4)
    SC[sc, L.S_LSULAST] = start
    queued(sc, start + 1)
    SM[m, L.M_LSU] = max(16 * (t + LSU_FRONT), SM[m, L.M_LSU]) + 16
    X[DELAY] = IDLE_READ - CODE[i, L.C_RELEASE]
    return start - LSU_FRONT + IDLE_DONE


@compiled
def memory_time(w: int, i: int, mask: u32, t: int, consecutive: int) -> int:
    """Timing of memory instruction i, issued at `t`, whose lane addresses are in the scratch area: it passes its queue
    and the shared unit. When its write barrier may be waited on; X[DELAY]: its delay in the queue."""
    sc = w >> 4
    m = sc >> 2
    adu = CODE[i, L.C_QUEUE] == K.Q_ADU
    start = max(t + LSU_FRONT, SC[sc, L.S_ADULAST if adu else L.S_LSULAST] + CODE[i, L.C_QSUB])
    start = max(start, SM[m, L.M_ADU if adu else L.M_LSU] + 15 >> 4)
    X[START] = start
    X[COST] = CODE[i, L.C_QSM]
    X[BLOCKED] = 0
    X[RETURNS] = 0
    done = start - LSU_FRONT + CODE[i, L.C_LATENCY]
    if adu:
        if mask and CODE[i, L.C_SPACE] == K.SPACE_CONST:
            done += constant_time(sc, i, mask)
        SC[sc, L.S_ADULAST] = start + X[RETURNS]
        SC[sc, L.S_ADU + SC[sc, L.S_ADUN] % ADU_ENTRIES] = start - 4
        SC[sc, L.S_ADUN] += 1
        SC[sc, L.S_ROOM + K.Q_ADU] = SC[sc, L.S_ADU + SC[sc, L.S_ADUN] % ADU_ENTRIES]
        SM[m, L.M_ADU] = start * 16 + X[COST]
    else:
        if mask:
            PCC[i, L.P_REQUESTS] += 1
            space = space_of(i, mask)
            if space == K.SPACE_SHARED or space == REMOTE:
                done += shared_time(i, mask, consecutive)
                if seldom(space == REMOTE):
                    done += G[L.G_REMOTE]
            elif space != K.SPACE_CONST:
                done = line_time(w, i, mask, t, space == K.SPACE_LOCAL, consecutive)
        start = X[START]
        SC[sc, L.S_LSULAST] = start + max(X[RETURNS], 0)
        queued(sc, start + 1)
        # What waits in a sub-core's own queue leaves the unit to the others.
        begin = (start if X[BLOCKED] else t + LSU_FRONT) * 16
        SM[m, L.M_LSU] = max(begin, SM[m, L.M_LSU]) + X[COST]
    X[DELAY] = start - LSU_FRONT - t
    if not adu and CODE[i, L.C_ACCESS] <= K.A_STORE:
        read = max(t, SC[sc, L.S_READ] + (READ_TURN if CODE[i, L.C_ACCESS] == K.A_LOAD else CODE[i, L.C_QSUB]))
        read = max(read, SM[m, L.M_READ] + 15 >> 4)
        SC[sc, L.S_READ] = read
        SM[m, L.M_READ] = max(16 * t, SM[m, L.M_READ]) + (16 if CODE[i, L.C_ACCESS] == K.A_LOAD else CODE[i, L.C_QSM])
        X[DELAY] = min(X[DELAY], read - t)
    return done
