"""The timed machine: one SM from one time to another.

Each cycle, each of the four sub-cores picks one warp: the one that issued last while it can go on, else the one in the
highest slot that is ready (after a yield: the next lower slot that is ready, in rotation). Ready means: stall count run
out, instruction fetched, scoreboards of the wait mask clear (all folded into WAKE), and then pipe, queue and register
ports free. Nothing checks whether operands have been written. Cycles in which nothing can happen are skipped.

Every warp-cycle is booked to one reason at the warp's next issue, under the instruction that waited.
"""

from __future__ import annotations

import numpy as np

from runtime.device.sm import abi
from runtime.device.sm import kinds as K
from runtime.device.sm import layout as L
from runtime.device.sm.access import SURVEY_PASSES, most_on_one, packets, survey, wavefronts
from runtime.device.sm.ahead import memory_ahead, registers_ahead, row_ahead
from runtime.device.sm.control import SYNC, control, special
from runtime.device.sm.cta import ALWAYS, place
from runtime.device.sm.extend import extension
from runtime.device.sm.front import arm, constant, uniform_constant
from runtime.device.sm.hazard import commit, overtake, stage
from runtime.device.sm.invoke import invoke
from runtime.device.sm.l1 import MISSED, keep_lines, late_passes, read_lines, under_way
from runtime.device.sm.l2 import (
    BK_RETIRE,
    LOCAL_REGION,
    MP_NEAR,
    MP_SLACK,
    sector_count,
    take,
)
from runtime.device.sm.lang import compiled, u32
from runtime.device.sm.memop import memory_op
from runtime.device.sm.observe import RECORDING, observe, remember
from runtime.device.sm.raw import address, first, highest_bit, load32, loads64, popcount, store64
from runtime.device.sm.stores import PACKETS, SENT, write_lines
from runtime.device.sm.table import CODE, CT, MP, PCC, PEND, SBR, SC, SM, WAKE, WS, G, X
from runtime.device.sm.units import book, constant_line, occupy, port_reads, port_time, read_ports, unit_time
from runtime.device.sm.vector import alike, due, lanes_at, next_due, prefetch

LSU_ENTRIES, XU_ENTRIES, ADU_ENTRIES = 9, 2, 4
LSU_FRONT = 6
"""Cycles from issue until an entry of an idle memory queue leaves it."""
FILLED = 16
"""Sixteenths of a cycle of the load/store unit for a line that comes."""
STREAMED = 4
"""Passes over L1 that are done when the next line comes."""
RING = 16
DONE = 4007
"""Where in X an issue leaves when it is done, for who observes it."""
TALLY = 2048
"""Byte offset in the scratch area of the counters of bank conflicts."""
HOT_LINES = 4
"""Lines of the host's caches at the start of a warp's row that most instructions need."""
CLOCK = 1980
"""MHz, for NANOSLEEP."""
MATCHED = 10
"""Cycles, and one more for each word of a value, by which MATCH.ANY is later for each value that lanes have beside the
first; the unit takes two cycles for each word (H200: 1 to 32 values, 1 to 16 warps)."""
RETURN = 30
"""Sixteenths of a cycle of a sub-core for each pass over L1 of a load of its warps (H200: loads of one warp from 1 to
32 lines)."""
COMMIT = 39
"""Cycles from LDGDEPBAR until a wait for its group can go on if nothing is under way (H200)."""
WARPSYNC = 36
"""Cycles from WARPSYNC with a mask in a register to the next issue (H200)."""


@compiled
def memory_time(w: int, i: int, mask: u32, t: int, consecutive: int) -> int:
    """Timing of memory instruction i, issued at `t`, whose lane addresses are in the scratch area: it passes its queue
    and the shared unit. When its write barrier may be waited on; its delay in the queue goes to X[4000]."""
    sc = w >> 4
    m = sc >> 2
    start = t + LSU_FRONT
    queue = CODE[i, L.C_QUEUE]
    adu = queue == K.Q_ADU
    last = SC[sc, L.S_ADULAST if adu else L.S_LSULAST] + CODE[i, L.C_QSUB]
    if last > start:
        start = last
    unit = SM[m, L.M_ADU if adu else L.M_LSU]
    if unit > start * 16:
        start = (unit + 15) >> 4
    cost = CODE[i, L.C_QSM]
    blocked = 0
    returns = 0
    done = start - LSU_FRONT + CODE[i, L.C_LATENCY]
    scratch = G[L.G_SCRATCH]
    space = CODE[i, L.C_SPACE]
    kind = CODE[i, L.C_ACCESS]
    width = CODE[i, L.C_WIDTH]
    if mask and not adu:
        PCC[i, L.P_REQUESTS] += 1
        if space == K.SPACE_GENERIC:
            # Booked by where its first lane points.
            a = loads64(scratch + 8 * first(mask))
            space = K.SPACE_GLOBAL
            window = G[L.G_SHAREDWIN]
            if window and a >= window and a < window + (G[L.G_CLUSTER] << 24):
                space = K.SPACE_SHARED
                if G[L.G_CLUSTER] > 1 and (a - window) >> 24 != G[L.G_RANK]:
                    # Shared memory of another SM.
                    done += G[L.G_REMOTE]
            window = G[L.G_LOCALWIN]
            if window and a >= window and a < window + (1 << 24):
                space = K.SPACE_LOCAL
        if space == K.SPACE_SHARED:
            # POPC.INC adds up the lanes that name a word at once.
            atomic = (kind == K.A_ATOM or kind == K.A_RED) and CODE[i, L.C_AUX] != 2
            n = 0
            if kind == K.A_LDSM or kind == K.A_STSM:
                n = CODE[i, L.C_AUX]
            elif consecutive and not atomic:
                # Of lanes that name one address, each has its neighbour's (see `paired`).
                n = max(width >> (3 if consecutive == 2 and kind == K.A_LOAD else 2), 1)
            else:
                n = wavefronts(width, scratch, mask, 1 if atomic else 0, kind == K.A_LOAD, scratch + TALLY)
            ideal = 1
            if width > 4:
                ideal = width >> 2
                if CODE[i, L.C_ACCESS] == K.A_LDSM:
                    ideal = n
                if n < ideal:
                    ideal = n
            PCC[i, L.P_WAVEFRONTS] += n
            PCC[i, L.P_CONFLICTS] += n - ideal
            if 16 * n > cost or kind == K.A_LOAD:
                cost = 16 * n
            extra = n - ideal
            if atomic and (CODE[i, L.C_OP] == K.OP_CAS or CODE[i, L.C_OP] == K.OP_CAST):
                extra *= 2
                cost *= 2
            done += 2 * extra
        elif space != K.SPACE_CONST:
            if space == K.SPACE_LOCAL:
                # Word k of lane l of a warp lies at 128 k + 4 l of the warp's region.
                base = LOCAL_REGION + w * 32 * ((G[L.G_LOCALSIZE] + 127) & ~127)
                window = G[L.G_LOCALWIN] if CODE[i, L.C_SPACE] == K.SPACE_GENERIC else 0
                for k in range(32):
                    a = (loads64(scratch + 8 * k) - window) & 0xFFFFFF
                    store64(scratch + 8 * k, np.uint64(base + (a >> 2) * 128 + 4 * k + (a & 3)))
            lanes = scratch
            if kind == K.A_LDGSTS:
                lanes = scratch + 256
            if consecutive:
                at = loads64(lanes) >> 5
                last = loads64(lanes + 248) + width - 1 >> 5
                lines = 0
                while at <= last:
                    there = min(at | 3, last)
                    X[2 * lines] = at >> 2
                    X[2 * lines + 1] = (2 << there - at) - 1 << (at & 3)
                    at = there + 1
                    lines += 1
                n = max(width >> 2, 1)
            elif space == K.SPACE_LOCAL:
                # Word k of a lane's access lies in the line k behind that of the first.
                lines = survey(4, lanes, mask, scratch + TALLY)
                n = X[SURVEY_PASSES] * max(width >> 2, 1)
                for k in range(lines, lines * (width >> 2)):
                    X[2 * k] = X[2 * (k - lines)] + 1
                    X[2 * k + 1] = X[2 * (k - lines) + 1]
                lines *= max(width >> 2, 1)
            else:
                lines = survey(width, lanes, mask, scratch + TALLY)
                n = X[SURVEY_PASSES]
            if (lines + 3) >> 2 > n:
                n = (lines + 3) >> 2
            sectors = 0
            for k in range(lines):
                b = X[2 * k + 1]
                sectors += sector_count(b)
            WS[w, L.W_STORED] = max(WS[w, L.W_STORED], 1)
            PCC[i, L.P_SECTORS] += sectors
            PCC[i, L.P_IDEAL] += min(popcount(mask) * width + 31 >> 5, sectors)
            PCC[i, L.P_LINES] += lines
            PCC[i, L.P_WAVEFRONTS] += n
            if kind == K.A_STORE and lines > n:
                # Stores go line by line.
                n = lines
            if 16 * n > cost:
                cost = 16 * n
            extra = (n - 1) * 35 >> 4
            if kind == K.A_LDGSTS:
                # Lanes that read or write one bank take turns, also if they read one word.
                read = wavefronts(width, lanes, mask, 1, 0, scratch + TALLY)
                stored = wavefronts(width, scratch, mask, 1, 0, scratch + TALLY)
                extra += 2 * (max(read, stored) - max(width >> 2, 1))
                cost = max(cost, 16 * (read + stored))
            if kind == K.A_LOAD or kind == K.A_LDGSTS:
                hit = CODE[i, L.C_LATENCY] - LSU_FRONT + extra
                done = read_lines(lines, m, start, hit, CODE[i, L.C_BYPASS], i)
                CODE[i, L.C_MISSED] = X[MISSED]
                if n > STREAMED and done > start + hit:
                    done = late_passes(m, done, n)
                # A line that comes is written into L1 (H200: walks along rows, of which every eighth word misses).
                cost += X[MISSED] * FILLED
                returns = (RETURN * n >> 4) - CODE[i, L.C_QSUB]
            else:
                CODE[i, L.C_MISSED] = 1
                atomic = -1
                if kind != K.A_STORE:
                    # L1 sends a packet for each sector, as often as lanes name the same word of it.
                    atomic = 0
                    total = 0
                    alone = most_on_one(lanes, mask) == 1
                    for k in range(lines):
                        b = X[2 * k + 1]
                        X[PACKETS + k] = sector_count(b)
                        if not alone:
                            X[PACKETS + k] = packets(lanes, mask, X[2 * k], b)
                        total += X[PACKETS + k]
                    op = CODE[i, L.C_OP]
                    if op == K.OP_ADD and CODE[i, L.C_TYPE] >= K.T_F32:
                        atomic = 2
                    wide = op == K.OP_CAS or op == K.OP_CAST or (atomic == 2 and CODE[i, L.C_TYPE] == K.T_F64)
                    if wide and popcount(mask) > total:
                        # Several words of a sector at once: compare-and-swap, and sums of 64 bits.
                        atomic = 1
                part = 0
                if consecutive != 1:
                    written = popcount(mask) * width
                    part = 1 if written < 32 * sectors else 3
                    if written == 32 * sectors:
                        part = 0 if most_on_one(lanes, mask) == 1 else 1
                    elif sectors == 1 and most_on_one(lanes, mask) == popcount(mask):
                        part = 3
                answer = 1 if kind == K.A_ATOM else 0
                if space == K.SPACE_LOCAL and atomic < 0:
                    keep_lines(lines, m, start)
                if atomic < 0 and SM[m, L.M_COMING] > start:
                    late = under_way(lines, m, start)
                    if late > start:
                        blocked = 1
                        start = late
                done = write_lines(lines, m, start, atomic, answer, part, i)
                if done > WS[w, L.W_STORED]:
                    WS[w, L.W_STORED] = done
                if X[SENT] > WS[w, L.W_SENT]:
                    WS[w, L.W_SENT] = X[SENT]
                if X[SENT] - start > MP[MP_SLACK]:
                    # The port is behind: the unit cannot hand over more than it can hold.
                    late = (X[SENT] - MP[MP_SLACK]) * 16
                    if late > SM[m, L.M_LSU]:
                        blocked = 1
                        start = late >> 4
                done += MP[MP_NEAR]
                if kind == K.A_ATOM:
                    done += CODE[i, L.C_LATENCY] - LSU_FRONT + extra + 31
    held = 0
    if mask and space == K.SPACE_CONST:
        # Word after word that lanes name; each line is looked up in the other constant cache.
        places = 0
        there = start
        todo = mask
        while todo:
            k = first(todo)
            a = loads64(scratch + 8 * k)
            todo &= ~(lanes_at(scratch, 2, a >> 2) | (np.uint32(1) << np.uint32(k)))
            places += 1
            line = constant_line(CODE[i, L.C_BANK], a & 0xFFFFFFFF)
            if line >= 0:
                line += L.CONSTANT_LINES
                if not SM[m, L.M_CONST + (line >> 6)] >> (line & 63) & 1:
                    came = constant(sc, line, there)
                    if came > there:
                        there = came
        done += there - start
        if places > 1:
            # H200: 1.8 cycles of the unit for each place, 2.8 of the sub-core.
            held = (places - 1) * 45 >> 4
            done += held
            if 29 * places > cost:
                cost = 29 * places
    if adu:
        SC[sc, L.S_ADULAST] = start + held
        SC[sc, L.S_ADU + SC[sc, L.S_ADUN] % ADU_ENTRIES] = start - 4
        SC[sc, L.S_ADUN] += 1
        SC[sc, L.S_ROOM + K.Q_ADU] = SC[sc, L.S_ADU + SC[sc, L.S_ADUN] % ADU_ENTRIES]
        SM[m, L.M_ADU] = start * 16 + cost
    else:
        SC[sc, L.S_LSULAST] = start + max(returns, 0)
        SC[sc, L.S_LSU + SC[sc, L.S_LSUN] % LSU_ENTRIES] = start + 1
        SC[sc, L.S_LSUN] += 1
        SC[sc, L.S_ROOM + K.Q_LSU] = SC[sc, L.S_LSU + SC[sc, L.S_LSUN] % LSU_ENTRIES]
        # What waits in a sub-core's own queue leaves the unit to the others.
        begin = (start if blocked else t + LSU_FRONT) * 16
        unit = SM[m, L.M_LSU]
        SM[m, L.M_LSU] = (begin if begin > unit else unit) + cost
    X[4000] = start - LSU_FRONT - t
    return done


@compiled
def distinct(row: int, width: int, mask: u32) -> int:
    """How many values a register (or a pair, of 8 bytes) at a host address has among these lanes."""
    count = 0
    while mask:
        k = 4 * first(mask)
        for lane in range(0, 128, 4):
            if load32(row + lane) == load32(row + k) and (
                width == 4 or load32(row + 128 + lane) == load32(row + 128 + k)
            ):
                mask &= ~(np.uint32(1) << np.uint32(lane >> 2))
        count += 1
    return count


@compiled
def counted(w: int, k: int, n: int) -> int:
    """When scoreboard k of warp w has at most n requests left, from the ring of their ends."""
    count = SBR[w, 17 * k]
    entries = count if count < RING else RING
    if entries <= n:
        return 0
    worst = L.BIG
    for _ in range(n + 1):
        best = -1
        for e in range(entries):
            value = SBR[w, 17 * k + 1 + e]
            if value < worst and value > best:
                best = value
        worst = best
    return worst


@compiled
def turned(w: int, j: int) -> int:
    """Whether instruction j is of the grid of warp w, whose scalars are those in G afterwards."""
    if G[L.G_GRIDS] == 0:
        return 0
    extension(G[L.G_EXTENSION], K.X_TURN, w, 0, np.uint32(0), 0, G[L.G_TABLES])
    return j >= G[L.G_LOW] and j < G[L.G_NINSTR]


@compiled(inline=False)
def left(w: int, i: int, t: int) -> None:
    """The last lanes of warp w ended at `t`, in instruction i: its place, and its CTA's if that was the last warp."""
    sc = w >> 4
    m = sc >> 2
    cta = WS[w, L.W_CTA]
    # The warp's place is free when its last store has left.
    gone = t + 1
    if WS[w, L.W_STORED] > CT[cta, L.T_STORED]:
        CT[cta, L.T_STORED] = WS[w, L.W_STORED]
    if WS[w, L.W_SENT] > gone:
        PCC[i, K.R_DRAIN] += WS[w, L.W_SENT] - gone
        gone = WS[w, L.W_SENT]
    if gone > CT[cta, L.T_FINISH]:
        CT[cta, L.T_FINISH] = gone
    SM[m, L.M_WARPCYCLES] += gone - WS[w, L.W_START]
    SM[m, L.M_WARPS] += 1
    if SC[sc, L.S_LASTWARP] == w:
        SC[sc, L.S_LASTWARP] = -1
    if CT[cta, L.T_LIVE] == 0:
        gone = CT[cta, L.T_FINISH]
        CT[cta, L.T_ACTIVE] = 0
        G[L.G_DONE] += 1
        if G[L.G_DONE] == G[L.G_TOTAL]:
            G[L.G_FINISHED] += 1
        SM[m, L.M_LIVE] -= 1
        # The distributor hears of one end after the other.
        heard = take(BK_RETIRE, gone, G[L.G_RETIRE])
        end = heard
        if CT[cta, L.T_STORED]:
            # The grid is done when its caches are clean, which the SMs of the far half say later, and when what it
            # stored has arrived.
            end += G[L.G_FLUSH] if SM[m, L.M_SIDE] == SM[0, L.M_SIDE] else G[L.G_FLUSHFAR]
            end = max(end, CT[cta, L.T_STORED])
        if end > G[L.G_LASTEND]:
            G[L.G_LASTEND] = end
        if gone > SM[m, L.M_UNTIL]:
            SM[m, L.M_UNTIL] = gone
        idle = L.BIG
        oldest = -1
        for slot in range(m * G[L.G_CTAS], (m + 1) * G[L.G_CTAS]):
            if CT[slot, L.T_ACTIVE] and CT[slot, L.T_BEGIN] < idle:
                idle = CT[slot, L.T_BEGIN]
                oldest = slot
        if idle > SM[m, L.M_UNTIL]:
            # Nothing runs until the next CTA begins, if there is one.
            SM[m, L.M_ACTIVE] += SM[m, L.M_UNTIL] - SM[m, L.M_SINCE]
            SM[m, L.M_SINCE] = SM[m, L.M_UNTIL] if idle == L.BIG else idle
        again = heard + G[L.G_CTALAUNCH]
        if again < SM[m, L.M_LAUNCH] + G[L.G_CTAINTERVAL]:
            again = SM[m, L.M_LAUNCH] + G[L.G_CTAINTERVAL]
        if place(cta, again):
            for other in range(4):
                if oldest >= 0 and G[L.G_GRIDS] == 0:
                    top = CT[oldest, L.T_FIRST] + G[L.G_WARPS] - 1 - other
                    SC[m * 4 + other, L.S_OLDEST] = (2 << (top >> 2)) - 1
                if SC[m * 4 + other, L.S_NEXT] > again:
                    SC[m * 4 + other, L.S_NEXT] = again


@compiled(inline=False)
def carry_out(w: int, i: int, t: int, mask: u32) -> int:
    """Instruction i of warp w, which is not plain (see `C_PLAIN`), issues at `t` for the lanes `mask`: what it does,
    how long that takes, scoreboards, and when the warp goes on. 1: somebody else says that; 0; or minus the fault."""
    sc = w >> 4
    m = sc >> 2
    state = WS[w, L.W_STATE]
    stall = CODE[i, L.C_STALL]
    kind = CODE[i, L.C_KIND]
    done = 0
    delay = 0
    after = t + stall
    queue = CODE[i, L.C_QUEUE]
    blocked = False
    if kind == K.K_EXEC or kind == K.K_SPECIAL:
        if queue:
            # Variable latency without memory: conversions, SHFL, S2R.
            if queue == K.Q_XU:
                n = SC[sc, L.S_XUN]
                start = t
                free = SC[sc, L.S_XU + (n + XU_ENTRIES - 1) % XU_ENTRIES]
                if free > start:
                    start = free
                SC[sc, L.S_XU + n % XU_ENTRIES] = start + CODE[i, L.C_QSUB]
                SC[sc, L.S_XUN] = n + 1
                SC[sc, L.S_ROOM + K.Q_XU] = SC[sc, L.S_XU + (n + 1) % XU_ENTRIES]
                delay = start - t
                done = start + CODE[i, L.C_LATENCY]
            else:
                done = memory_time(w, i, np.uint32(0), t, 0)
                delay = X[4000]
                if CODE[i, L.C_WIDTH] and mask:
                    # MATCH.ANY takes one value after the other.
                    more = distinct(state + CODE[i, L.C_DATA], CODE[i, L.C_WIDTH], mask) - 1
                    done += more * (MATCHED + (CODE[i, L.C_WIDTH] >> 2))
                    SM[m, L.M_ADU] += more * 8 * CODE[i, L.C_WIDTH]
        if mask:
            operands = CODE[i, L.C_OPERANDS]
            if kind == K.K_SPECIAL:
                special(w, CODE[i, L.C_AUX], t)
            if CODE[i, L.C_STAGED]:
                arrive = -1
                if CODE[i, L.C_CLASS] < 0:
                    arrive = t + delay + CODE[i, L.C_ARRIVE]
                buffer = stage(w, i, t, mask, arrive)
                invoke(CODE[i, L.C_FN], state, operands, mask, buffer, G[L.G_STAGE])
            else:
                invoke(CODE[i, L.C_FN], state, operands, mask, state, operands + abi.DST_OFFSET)
                if CODE[i, L.C_OVERTAKES]:
                    overtake(w, i, t)
        WS[w, L.W_PC] = i + 1
    elif kind == K.K_MEM:
        consecutive = 0
        buffer = 0
        if mask:
            dst = state + CODE[i, L.C_DEST]
            staged = CODE[i, L.C_STAGED]
            if staged:
                buffer = stage(w, i, t, mask, L.BIG)
                dst = buffer
            consecutive = memory_op(w, i, mask, dst)
            if consecutive < 0:
                return consecutive
        if queue:
            done = memory_time(w, i, mask, t, consecutive)
            delay = X[4000]
        elif mask:
            # ULDC with an index: nothing goes on without it.
            line = constant_line(CODE[i, L.C_BANK], loads64(G[L.G_SCRATCH]) & 0xFFFFFFFF)
            if line >= 0:
                there = uniform_constant(sc, line, t) + stall
                if there > after:
                    after = there
                    WS[w, L.W_TBLOCK] = after
                    WS[w, L.W_BLOCKKIND] = K.R_IMC
        if buffer:
            PEND[(buffer - G[L.G_PENDBUF]) >> 10, 3] = done - CODE[i, L.C_LATENCY] + CODE[i, L.C_ARRIVE]
        if done > WS[w, L.W_MEMT]:
            WS[w, L.W_MEMT] = done
        if CODE[i, L.C_ACCESS] == K.A_LDGSTS and done > WS[w, L.W_LDGSTS]:
            WS[w, L.W_LDGSTS] = done
        WS[w, L.W_PC] = i + 1
    else:
        WAKE[w] = -1
        bad = control(w, i, mask, t)
        if bad < 0:
            return bad
        if kind == K.K_EXIT:
            if WS[w, L.W_ALIVE] == 0:
                left(w, i, t)
        elif kind == K.K_NANOSLEEP and bad == 0:
            duration = CODE[i, L.C_AUX]
            if CODE[i, L.C_DATA] >= 0 and mask:
                duration = np.int64(load32(state + CODE[i, L.C_DATA] + 4 * first(mask)))
            if mask:
                if duration > 1000000:
                    duration = 1000000
                after = t + stall + duration * CLOCK // 1000
                WS[w, L.W_TBLOCK] = after
                WS[w, L.W_BLOCKKIND] = K.R_SLEEP
        elif kind == K.K_MEMBAR:
            if CODE[i, L.C_AUX]:
                after = t + CODE[i, L.C_AUX] * G[L.G_MEMBAR] // 16
                if WS[w, L.W_MEMT] > after:
                    after = WS[w, L.W_MEMT]
                WS[w, L.W_TBLOCK] = after
                WS[w, L.W_BLOCKKIND] = K.R_MEMBAR
                done = after
        elif kind == K.K_DEPBAR:
            if CODE[i, L.C_AUX] >= 0:
                when = counted(w, CODE[i, L.C_AUX], CODE[i, L.C_AUX2])
                if when > after:
                    after = when
            for k in range(6):
                if CODE[i, L.C_AUX3] >> k & 1 and WS[w, L.W_SB + k] > after:
                    after = WS[w, L.W_SB + k]
            WS[w, L.W_TBLOCK] = after
            WS[w, L.W_BLOCKKIND] = K.R_LONG
        elif kind == K.K_LDGDEPBAR:
            done = max(WS[w, L.W_LDGSTS], t + COMMIT)
        elif (
            kind != K.K_BAR
            and kind != K.K_WARPSYNC
            and kind != K.K_NOP
            and kind != K.K_BSSY
            and (WS[w, L.W_PC] != i + 1 or kind == K.K_BSYNC)
            and t + G[L.G_BRANCH] > after
        ):
            # A taken branch: the next instruction comes a branch latency later.
            after = t + G[L.G_BRANCH]
            WS[w, L.W_TBRANCH] = after
        if kind == K.K_BSYNC or kind == K.K_BREAK:
            WS[w, L.W_SWITCH] = max(WS[w, L.W_SWITCH], SYNC)
        elif kind == K.K_WARPSYNC and CODE[i, L.C_DATA] >= 0:
            WS[w, L.W_SWITCH] = max(WS[w, L.W_SWITCH], WARPSYNC)
        if WS[w, L.W_SWITCH]:
            if t + WS[w, L.W_SWITCH] > after:
                after = t + WS[w, L.W_SWITCH]
                WS[w, L.W_TBRANCH] = after
            WS[w, L.W_SWITCH] = 0
        if kind == K.K_EXTENDED:
            if queue:
                done = memory_time(w, i, np.uint32(0), t, 0)
                delay = X[4000]
            if G[L.G_XAFTER] > after:
                after = G[L.G_XAFTER]
                WS[w, L.W_TBLOCK] = after
                WS[w, L.W_BLOCKKIND] = K.R_GMMA if CODE[i, L.C_OP] == K.X_MATRIX_WAIT else K.R_BARRIER
            if G[L.G_XDONE] > done:
                done = G[L.G_XDONE]
            if G[L.G_XREAD] > t + CODE[i, L.C_RELEASE] + delay:
                delay = G[L.G_XREAD] - t - CODE[i, L.C_RELEASE]
        blocked = WAKE[w] != -1
        if queue and done == 0:
            done = t + CODE[i, L.C_LATENCY]
        if WS[w, L.W_ACT] == 0 and not blocked:
            WAKE[w] = L.BIG
            blocked = True
    # ---- scoreboards, and when the warp goes on
    if not blocked and stall == 1:
        # An increment is seen two cycles later: the next instruction does not wait on it.
        WAKE[w] = arm(w, after)
    barrier = CODE[i, L.C_WBAR]
    if barrier < 6:
        if done < t + 2:
            done = t + 2
        if kind == K.K_BMOV_WRITE:
            # It has no result that would clear it: who waits for it waits for ever (as an H200 does).
            done = L.BIG
        if done >= WS[w, L.W_SB + barrier]:
            WS[w, L.W_SB + barrier] = done
            WS[w, L.W_SBL + barrier] = CODE[i, L.C_LONG]
        if CODE[i, L.C_RING]:
            n = SBR[w, 17 * barrier]
            SBR[w, 17 * barrier + 1 + n % RING] = done
            SBR[w, 17 * barrier] = n + 1
    barrier = CODE[i, L.C_RBAR]
    if barrier < 6:
        read = t + CODE[i, L.C_RELEASE] + delay
        if read >= WS[w, L.W_SB + barrier]:
            WS[w, L.W_SB + barrier] = read
            WS[w, L.W_SBL + barrier] = 0
        if CODE[i, L.C_RING]:
            n = SBR[w, 17 * barrier]
            SBR[w, 17 * barrier + 1 + n % RING] = read
            SBR[w, 17 * barrier] = n + 1
    if not blocked and stall != 1:
        WAKE[w] = arm(w, after)
    if RECORDING:
        X[DONE] = done
    return 1 if blocked else 0


@compiled(inline=True)
def parked(sc: int, t: int) -> int:
    """An SM that was run ahead has come to what SMs share, in this sub-core at `t`: it will pick again from there."""
    SC[sc, L.S_NEXT] = t
    G[L.G_PARKED] = 1
    return t


@compiled
def run_sm(m: int, begin: int, end: int) -> int:
    """Simulate SM m in [begin, end). The next time at which it has something to do (BIG if never), or minus the
    fault. With G_AHEAD, not beyond what SMs share: its next time is that of the instruction which does (G_PARKED)."""
    t = begin
    low = G[L.G_LOW]
    limit = G[L.G_NINSTR]
    wakes = address(WAKE, 0)
    # What this SM's warps need has gone from the host's caches while the other SMs ran.
    for sc in range(4 * m, 4 * m + 4):
        waking = np.uint32(due(wakes + 128 * sc, end - 1))
        while waking:
            row = address(WS, (16 * sc + first(waking), 0))
            waking &= waking - 1
            for piece in range(HOT_LINES):
                prefetch(row + 64 * piece)
    for sc in range(4 * m, 4 * m + 4):
        waking = np.uint32(due(wakes + 128 * sc, end - 1))
        while waking:
            w = 16 * sc + first(waking)
            waking &= waking - 1
            j = WS[w, L.W_PC]
            if j >= 0 and j + 1 < limit:
                prefetch(WS[w, L.W_STATE])
                registers_ahead(j, WS[w, L.W_STATE])
                registers_ahead(j + 1, WS[w, L.W_STATE])
    while t < end:
        for s in range(4):
            sc = m * 4 + s
            if SC[sc, L.S_NEXT] > t:
                continue
            # ---- pick a warp
            w = -1
            reads = 0
            best = SC[sc, L.S_PORT]
            if best <= t:
                best = L.BIG
                base = sc * 16
                times = wakes + 128 * sc
                ready = due(times, t)
                v = SC[sc, L.S_LASTWARP]
                if v < 0 or ready >> (v - base) & 1 == 0:
                    v = -1
                # The oldest CTA first; in it, downwards from the warp below that which yielded last.
                above = 0
                below = 0
                oldest = SC[sc, L.S_OLDEST]
                if SC[sc, L.S_YIELDED] > base and ready and v < 0:
                    same = ready & oldest if ready & oldest else ready
                    lowest = SC[sc, L.S_LOWEST + highest_bit(same)]
                    place_ = SC[sc, L.S_YIELDED] - base
                    if place_ >= lowest:
                        same = same >> lowest << lowest
                        below = ready ^ same
                        above = same >> place_ << place_
                        ready = same ^ above
                while True:
                    if v < 0:
                        if ready:
                            v = base + highest_bit(ready & oldest if ready & oldest else ready)
                        elif above:
                            ready = above
                            above = 0
                            continue
                        elif below:
                            ready = below
                            below = 0
                            continue
                        else:
                            break
                    unit = SC[sc, L.S_UNIT + (v & 15)]
                    wake = unit_time(unit, sc)
                    if wake > t:
                        # So it is for all that need the same.
                        if wake < best:
                            best = wake
                        others = ~alike(address(SC, (sc, L.S_UNIT)), unit)
                        ready &= others
                        above &= others
                        below &= others
                        v = -1
                        continue
                    j = WS[v, L.W_PC]
                    if j < low or j >= limit:
                        if G[L.G_AHEAD]:
                            return parked(sc, t)
                        # Code of another grid, if it is that of the warp's.
                        if not turned(v, j):
                            G[L.G_FWARP] = v
                            G[L.G_FPC] = j * 16
                            return -K.F_INSTR
                        low = G[L.G_LOW]
                        limit = G[L.G_NINSTR]
                    if CODE[j, L.C_PORTS] >= 0:
                        reads = port_reads(v, j, sc)
                        wake = port_time(reads, sc)
                    if wake <= t and CODE[j, L.C_CLINE] >= 0:
                        line = CODE[j, L.C_CLINE]
                        if not SM[m, L.M_CONST + (line >> 6)] >> (line & 63) & 1:
                            if G[L.G_AHEAD] and (line < L.PARAMETER_LINES or line == L.SHARED_LINE):
                                return parked(sc, t)
                            there = constant(sc, line, t)
                            if there > t:
                                wake = there
                                WS[v, L.W_TBLOCK] = wake
                                WS[v, L.W_BLOCKKIND] = K.R_IMC
                                WAKE[v] = wake
                    if wake <= t:
                        w = v
                        ready &= ~(1 << (v - base))
                        break
                    if wake < best:
                        best = wake
                    ready &= ~(1 << (v - base))
                    above &= ~(1 << (v - base))
                    below &= ~(1 << (v - base))
                    v = -1
                # When another one could go on, as far as is known: who does more about it says so below.
                if w >= 0 and ready | above | below:
                    best = t + 1
                else:
                    best = min(best, next_due(times, t))
            SC[sc, L.S_NEXT] = best
            if w < 0:
                continue
            # ---- issue it
            i = WS[w, L.W_PC]
            if RECORDING:
                remember(w, i, t)
            book(w, i, sc, t)
            G[L.G_INSTR] += 1
            WS[w, L.W_LAST] = t
            stall = CODE[i, L.C_STALL]
            WS[w, L.W_TSTALL] = t + stall
            WS[w, L.W_TBRANCH] = 0
            WS[w, L.W_TBLOCK] = 0
            SC[sc, L.S_LATEST] = t
            if CODE[i, L.C_YIELD]:
                SC[sc, L.S_LASTWARP] = -1
                SC[sc, L.S_YIELDED] = w
            else:
                SC[sc, L.S_LASTWARP] = w
                SC[sc, L.S_YIELDED] = -1
            held = t + CODE[i, L.C_HOLD]
            SC[sc, L.S_PORT] = held
            pipe = CODE[i, L.C_PIPE]
            if pipe:
                occupy(pipe, sc, t, CODE[i, L.C_INTERVAL])
            if CODE[i, L.C_PORTS] >= 0:
                read_ports(w, i, sc, t, reads)
            state = WS[w, L.W_STATE]
            if i + 1 < limit:
                registers_ahead(i + 1, state)
            if WS[w, L.W_PENDING]:
                commit(w, i, t)
            mask = np.uint32(WS[w, L.W_ACT])
            if CODE[i, L.C_GUARD] != ALWAYS:
                mask &= load32(state + CODE[i, L.C_GUARD]) ^ np.uint32(CODE[i, L.C_GINV])
            elif CODE[i, L.C_GINV]:
                mask = np.uint32(0)
            PCC[i, L.P_ACTIVE] += popcount(np.uint32(WS[w, L.W_ACT]))
            PCC[i, L.P_THREADS] += popcount(mask)
            blocked = 0
            if CODE[i, L.C_PLAIN]:
                if mask:
                    operands = CODE[i, L.C_OPERANDS]
                    invoke(CODE[i, L.C_FN], state, operands, mask, state, operands + abi.DST_OFFSET)
                WS[w, L.W_PC] = i + 1
                WAKE[w] = arm(w, t + stall)
                if RECORDING:
                    X[DONE] = 0
            else:
                blocked = carry_out(w, i, t, mask)
                if blocked < 0:
                    G[L.G_FWARP] = w
                    G[L.G_FPC] = i * 16
                    G[L.G_PARKED] = t
                    return blocked
            if not blocked:
                following = WS[w, L.W_PC]
                if CODE[following, L.C_MISSED]:
                    if CODE[following, L.C_BASE]:
                        memory_ahead(following, state, m, t)
                    elif CODE[following, L.C_KIND] == K.K_EXIT:
                        row_ahead(w)
            if RECORDING:
                observe(w, i, t, mask, X[DONE])
            following = min(SC[sc, L.S_NEXT], WAKE[w])
            if following < held:
                following = held
            SC[sc, L.S_NEXT] = following
        if G[L.G_INSTRLIMIT] and G[L.G_INSTR] > G[L.G_INSTRLIMIT]:
            return -K.F_TIMEOUT
        soon = min(SC[4 * m, L.S_NEXT], SC[4 * m + 1, L.S_NEXT])
        soon = min(soon, min(SC[4 * m + 2, L.S_NEXT], SC[4 * m + 3, L.S_NEXT]))
        t = max(soon, t + 1)
    return t
