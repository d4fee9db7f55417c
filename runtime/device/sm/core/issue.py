"""The timed machine: one SM from one time to another.

Each cycle, each of the four sub-cores picks one warp: the one that issued last while it can go on, else the one in the
highest slot that is ready (from the first yield on: the next slot that is ready below that which yielded last, in
rotation). Ready means: stall count run
out, instruction fetched, scoreboards of the wait mask clear (all folded into WAKE), and then pipe, queue and register
ports free. Nothing checks whether operands have been written. Cycles in which nothing can happen are skipped.

Every warp-cycle is booked to one reason at the warp's next issue, under the instruction that waited.
"""

from __future__ import annotations

import numpy as np

from runtime.device.sm.core.control import control
from runtime.device.sm.core.cta import ALWAYS, place
from runtime.device.sm.core.groups import SYNC
from runtime.device.sm.core.hazard import commit, overtake, stage
from runtime.device.sm.core.lsu import DELAY, idle_time, memory_time
from runtime.device.sm.core.observe import RECORDING, observe, remember
from runtime.device.sm.core.special import special
from runtime.device.sm.core.units import book, constant_line, occupy, port_reads, port_time, read_ports, unit_time
from runtime.device.sm.execute import abi
from runtime.device.sm.language.extend import extension
from runtime.device.sm.language.invoke import invoke
from runtime.device.sm.language.lang import compiled, seldom, u32
from runtime.device.sm.language.raw import address, first, highest_bit, load32, loads64, popcount
from runtime.device.sm.language.vector import alike, due, next_due, prefetch
from runtime.device.sm.memory.ahead import memory_ahead, registers_ahead, row_ahead
from runtime.device.sm.memory.front import arm, comes, constant, uniform_constant
from runtime.device.sm.memory.l2 import BW_RETIRE, take
from runtime.device.sm.memory.memop import memory_op
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CODE, CT, PCC, PEND, SBR, SC, SM, WAKE, WS, G, X

XU_ENTRIES = 2
DONE, AFTER = 4007, 4008
"""Where in X an issue leaves when it is done, for who observes it; from when on the warp may go on."""
HOT_LINES = 4
"""Lines of the host's caches at the start of a warp's row that most instructions need."""
CLOCK = 1980
"""MHz, for NANOSLEEP."""
MATCHED = 10
"""Cycles, and one more for each word of a value, by which MATCH.ANY is later for each value that lanes have beside the
first; the unit takes two cycles for each word (H200: 1 to 32 values, 1 to 16 warps)."""
COMMIT = 39
"""Cycles from LDGDEPBAR until a wait for its group can go on if nothing is under way (H200)."""
TURN = 56
"""Sixteenths of a cycle from one branch that a warp of a sub-core takes to the next one's, if they meet (H200: four
warps that do nothing else take 14.1 cycles each, one takes 10)."""
REGISTER_TURN, REGISTER_LATER = 200, 28
"""Sixteenths of a cycle more of its sub-core, and cycles more of its warp, of a jump to where a register says (H200:
BRX in place of BRA from line to line of code, by 1 to 32 warps: 75 cycles for 47, eight warps of a sub-core 16.0 each
for 10.4. RET as BRX: kernels of "work", which call divisions, 3.1 to 2.7 % off)."""
COLLECTIVE = 13
"""Cycles at least from ENDCOLLECTIVE to the next issue (H200, with stall counts from 5 to 15)."""


@compiled(rare=True)
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


@compiled(rare=True)
def counted(w: int, k: int, n: int) -> int:
    """When scoreboard k of warp w has at most n requests left, from the ring of their ends."""
    count = SBR[w, k]
    entries = count if count < L.RING else L.RING
    if entries <= n:
        return 0
    worst = L.BIG
    for _ in range(n + 1):
        best = -1
        for e in range(entries):
            value = SBR[w, L.RING_FIRST + L.RING * k + e]
            if value < worst and value > best:
                best = value
        worst = best
    return worst


@compiled(rare=True)
def turned(w: int, j: int) -> int:
    """Whether instruction j is of the grid of warp w, whose scalars are those in G afterwards."""
    if G[L.G_GRIDS] == 0:
        return 0
    extension(G[L.G_EXTENSION], K.X_TURN, w, 0, np.uint32(0), 0, G[L.G_TABLES])
    return j >= G[L.G_LOW] and j < G[L.G_NINSTR]


@compiled(rare=True)
def left(w: int, i: int, t: int) -> None:
    """The last lanes of warp w ended at `t`, in instruction i: its place, and its CTA's if that was the last warp."""
    sc = w >> 4
    m = sc >> 2
    cta = WS[w, L.W_CTA]
    # The warp's place is free when its last store has left.
    gone = t + 1
    if WS[w, L.W_STORED] > CT[cta, L.T_STORED]:
        CT[cta, L.T_STORED] = WS[w, L.W_STORED]
    drained = WS[w, L.W_SENT] + G[L.G_DRAIN]
    if WS[w, L.W_SENT] and drained > gone:
        PCC[i, K.R_DRAIN] += drained - gone
        gone = drained
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
        heard = take(BW_RETIRE, gone, G[L.G_RETIRE])
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


@compiled(inline=True)
def compute(w: int, i: int, t: int, mask: u32) -> int:
    """Arithmetic with a queue (variable latency without memory: conversions, SHFL, S2R), or whose result is staged:
    when its write barrier may be waited on."""
    sc = w >> 4
    state = WS[w, L.W_STATE]
    queue = CODE[i, L.C_QUEUE]
    done = 0
    if queue == K.Q_XU:
        n = SC[sc, L.S_XUN]
        start = max(t, SC[sc, L.S_XU + (n + XU_ENTRIES - 1) % XU_ENTRIES])
        SC[sc, L.S_XU + n % XU_ENTRIES] = start + CODE[i, L.C_QSUB]
        SC[sc, L.S_XUN] = n + 1
        SC[sc, L.S_ROOM + K.Q_XU] = SC[sc, L.S_XU + (n + 1) % XU_ENTRIES]
        X[DELAY] = start - t
        done = start + CODE[i, L.C_LATENCY]
    elif queue:
        done = memory_time(w, i, np.uint32(0), t, 0)
        if seldom(CODE[i, L.C_WIDTH]) and mask:
            # MATCH.ANY takes one value after the other.
            more = distinct(state + CODE[i, L.C_DATA], CODE[i, L.C_WIDTH], mask) - 1
            done += more * (MATCHED + (CODE[i, L.C_WIDTH] >> 2))
            SM[w >> 6, L.M_ADU] += more * 8 * CODE[i, L.C_WIDTH]
    if mask:
        operands = CODE[i, L.C_OPERANDS]
        if CODE[i, L.C_KIND] == K.K_SPECIAL:
            special(w, CODE[i, L.C_AUX], t)
        if seldom(CODE[i, L.C_STAGED]):
            arrive = -1
            if CODE[i, L.C_CLASS] < 0:
                arrive = t + X[DELAY] + CODE[i, L.C_ARRIVE]
            buffer = stage(w, i, t + CODE[i, L.C_AFTER], mask, arrive)
            invoke(CODE[i, L.C_FN], state, operands, mask, buffer, G[L.G_STAGE])
        else:
            invoke(CODE[i, L.C_FN], state, operands, mask, state, operands + abi.DST_OFFSET)
            if seldom(CODE[i, L.C_OVERTAKES]):
                overtake(w, i, t)
    WS[w, L.W_PC] = i + 1
    return done


@compiled(inline=True)
def access(w: int, i: int, t: int, mask: u32) -> int:
    """A memory instruction: when its write barrier may be waited on, or minus the fault."""
    consecutive = 0
    buffer = 0
    done = 0
    if mask:
        dst = WS[w, L.W_STATE] + CODE[i, L.C_DEST]
        if seldom(CODE[i, L.C_STAGED]):
            buffer = stage(w, i, t, mask, L.BIG)
            dst = buffer
        consecutive = memory_op(w, i, mask, dst)
        if seldom(consecutive < 0):
            return consecutive
    if CODE[i, L.C_QUEUE]:
        if mask or CODE[i, L.C_QUEUE] == K.Q_ADU:
            done = memory_time(w, i, mask, t, consecutive)
        else:
            done = idle_time(w, i, t)
    elif mask:
        # ULDC with an index: nothing goes on without it.
        line = constant_line(CODE[i, L.C_BANK], loads64(G[L.G_SCRATCH]) & 0xFFFFFFFF)
        if line >= 0:
            there = uniform_constant(w >> 4, line, t) + CODE[i, L.C_STALL]
            if there > X[AFTER]:
                hold(w, there, K.R_IMC)
    if seldom(buffer):
        PEND[(buffer - G[L.G_PENDBUF]) >> 10, 3] = done - CODE[i, L.C_LATENCY] + CODE[i, L.C_ARRIVE]
    if done > WS[w, L.W_MEMT]:
        WS[w, L.W_MEMT] = done
    if seldom(CODE[i, L.C_ACCESS] == K.A_LDGSTS) and done > WS[w, L.W_LDGSTS]:
        WS[w, L.W_LDGSTS] = done
    WS[w, L.W_PC] = i + 1
    return done


@compiled(inline=True)
def hold(w: int, until: int, reason: int) -> None:
    """The warp does not go on before a time, for a reason."""
    X[AFTER] = until
    WS[w, L.W_TBLOCK] = until
    WS[w, L.W_BLOCKKIND] = reason


@compiled(inline=True)
def jumped(w: int, t: int) -> None:
    """The warp's next instruction comes at `t`, if that is later: a branch was taken, or other lanes go on."""
    if t > X[AFTER]:
        X[AFTER] = t
        WS[w, L.W_TBRANCH] = t


@compiled(inline=True)
def branched(sc: int, t: int, register: bool) -> int:
    """When a warp goes on behind a branch that it takes at `t`: its sub-core fetches for one warp after the other."""
    SC[sc, L.S_TURNED] = max(16 * (t + G[L.G_BRANCH]), SC[sc, L.S_TURNED] + TURN + (REGISTER_TURN if register else 0))
    return (SC[sc, L.S_TURNED] + 15 >> 4) + (REGISTER_LATER if register else 0)


@compiled(inline=True)
def wait(w: int, i: int) -> None:
    """DEPBAR: the warp goes on when a scoreboard has few enough requests left, and others have none."""
    after = X[AFTER]
    if CODE[i, L.C_AUX] >= 0:
        after = max(after, counted(w, CODE[i, L.C_AUX], CODE[i, L.C_AUX2]))
    for k in range(6):
        if CODE[i, L.C_AUX3] >> k & 1:
            after = max(after, WS[w, L.W_SB + k])
    hold(w, after, K.R_LONG)


@compiled(inline=True)
def sleep(w: int, i: int, t: int, mask: u32) -> None:
    """NANOSLEEP: the first lane's nanoseconds."""
    duration = CODE[i, L.C_AUX]
    if CODE[i, L.C_DATA] >= 0:
        duration = np.int64(load32(WS[w, L.W_STATE] + CODE[i, L.C_DATA] + 4 * first(mask)))
    hold(w, t + CODE[i, L.C_STALL] + min(duration, 1000000) * CLOCK // 1000, K.R_SLEEP)


@compiled(inline=True)
def extended(w: int, i: int, t: int) -> int:
    """What the extension has done: when its write barrier may be waited on."""
    done = 0
    if CODE[i, L.C_QUEUE]:
        done = memory_time(w, i, np.uint32(0), t, 0)
    if G[L.G_XAFTER] > X[AFTER]:
        hold(w, G[L.G_XAFTER], K.R_GMMA if CODE[i, L.C_OP] == K.X_MATRIX_WAIT else K.R_BARRIER)
    X[DELAY] = max(X[DELAY], G[L.G_XREAD] - t - CODE[i, L.C_RELEASE])
    return max(done, G[L.G_XDONE])


@compiled(inline=True)
def steer(w: int, i: int, t: int, mask: u32) -> int:
    """What is neither arithmetic nor memory: when its write barrier may be waited on, or minus the fault. WAKE says
    whether the warp is blocked (not -1)."""
    kind = CODE[i, L.C_KIND]
    done = 0
    WAKE[w] = -1
    bad = control(w, i, mask, t)
    if bad < 0:
        return bad
    if kind == K.K_EXIT:
        if WS[w, L.W_ALIVE] == 0:
            left(w, i, t)
    elif kind == K.K_NANOSLEEP and bad == 0:
        if mask:
            sleep(w, i, t, mask)
    elif kind == K.K_MEMBAR:
        if CODE[i, L.C_AUX]:
            done = max(t + CODE[i, L.C_AUX] * G[L.G_MEMBAR] // 16, WS[w, L.W_MEMT])
            hold(w, done, K.R_MEMBAR)
    elif kind == K.K_DEPBAR:
        wait(w, i)
    elif kind == K.K_ENDCOLLECTIVE:
        jumped(w, t + COLLECTIVE)
    elif kind == K.K_LDGDEPBAR:
        done = max(WS[w, L.W_LDGSTS], t + COMMIT)
    elif (
        kind != K.K_BAR
        and kind != K.K_WARPSYNC
        and kind != K.K_NOP
        and kind != K.K_BSSY
        and (WS[w, L.W_PC] != i + 1 or kind == K.K_BSYNC)
    ):
        jumped(w, branched(w >> 4, t, kind == K.K_BRA_REG or (kind == K.K_CALL and CODE[i, L.C_DATA] >= 0)))
    if kind == K.K_BSYNC or kind == K.K_BREAK:
        WS[w, L.W_SWITCH] = max(WS[w, L.W_SWITCH], SYNC)
    if WS[w, L.W_SWITCH]:
        jumped(w, t + WS[w, L.W_SWITCH])
        WS[w, L.W_SWITCH] = 0
    if kind == K.K_EXTENDED:
        done = extended(w, i, t)
    if CODE[i, L.C_QUEUE] and done == 0:
        done = t + CODE[i, L.C_LATENCY]
    if WS[w, L.W_ACT] == 0 and WAKE[w] == -1:
        WAKE[w] = L.BIG
    return done


@compiled(inline=True)
def count_down(w: int, i: int, barrier: int, t: int, long: int) -> None:
    """Scoreboard `barrier` of warp w, which instruction i has counted up, is counted down at `t`."""
    if t >= WS[w, L.W_SB + barrier]:
        WS[w, L.W_SB + barrier] = t
        WS[w, L.W_SBL + barrier] = long
    if seldom(CODE[i, L.C_RING]):
        n = SBR[w, barrier]
        SBR[w, L.RING_FIRST + L.RING * barrier + n % L.RING] = t
        SBR[w, barrier] = n + 1


@compiled(inline=False)
def carry_out(w: int, i: int, t: int, mask: u32) -> int:
    """Instruction i of warp w, which is not plain (see `C_PLAIN`), issues at `t` for the lanes `mask`: what it does,
    how long that takes, scoreboards, and when the warp goes on. 1: somebody else says that; 0; or minus the fault."""
    stall = CODE[i, L.C_STALL]
    kind = CODE[i, L.C_KIND]
    X[DELAY] = 0
    X[AFTER] = t + stall
    blocked = False
    if kind == K.K_EXEC or kind == K.K_SPECIAL:
        done = compute(w, i, t, mask)
    elif kind == K.K_MEM:
        done = access(w, i, t, mask)
    else:
        done = steer(w, i, t, mask)
        blocked = WAKE[w] != -1
    if seldom(done < 0):
        return done
    if not blocked and seldom(stall == 1):
        # An increment is seen two cycles later: the next instruction does not wait on it.
        WAKE[w] = arm(w, X[AFTER])
    barrier = CODE[i, L.C_WBAR]
    if barrier < 6:
        # BMOV to a barrier has no result that would clear it: who waits for it waits for ever (as an H200 does).
        done = L.BIG if kind == K.K_BMOV_WRITE else max(done, t + 2)
        count_down(w, i, barrier, done, CODE[i, L.C_LONG])
    barrier = CODE[i, L.C_RBAR]
    if barrier < 6:
        count_down(w, i, barrier, t + CODE[i, L.C_RELEASE] + X[DELAY], 0)
    if not blocked and stall != 1:
        WAKE[w] = arm(w, X[AFTER])
    if RECORDING:
        X[DONE] = done
    return 1 if blocked else 0


@compiled(inline=True)
def lost(w: int, m: int, line: int) -> int:
    """Whether warp w has waited for a line of constants that others have since displaced: it has had its word. (If it
    asked again, warps that displace one another's lines would never go on.)"""
    return 1 if WS[w, L.W_TBLOCK] and WS[w, L.W_BLOCKKIND] == K.R_IMC and comes(m, line) == 0 else 0


@compiled(inline=True)
def guarded(w: int, i: int) -> u32:
    """The lanes of warp w that would execute instruction i: those that run and whose guard holds."""
    mask = np.uint32(WS[w, L.W_ACT])
    if seldom(CODE[i, L.C_GUARD] != ALWAYS):
        mask &= load32(WS[w, L.W_STATE] + CODE[i, L.C_GUARD]) ^ np.uint32(CODE[i, L.C_GINV])
    elif seldom(CODE[i, L.C_GINV]):
        mask = np.uint32(0)
    return mask


@compiled(inline=True)
def parked(sc: int, t: int) -> int:
    """An SM that was run ahead has come to what SMs share, in this sub-core at `t`: it will pick again from there."""
    SC[sc, L.S_NEXT] = t
    G[L.G_PARKED] = 1
    return t


@compiled(inline=True)
def warps_ahead(m: int, end: int, limit: int) -> None:
    """Have the host fetch what the warps of SM m need that wake before `end`: it has gone from the host's caches while
    other SMs ran."""
    wakes = address(WAKE, 0)
    for sc in range(4 * m, 4 * m + 4):
        waking = np.uint32(due(wakes + 128 * sc, end - 1))
        while waking:
            k = first(waking)
            waking &= waking - 1
            row = address(WS, (16 * sc + k, 0))
            for piece in range(HOT_LINES):
                prefetch(row + 64 * piece)
            # The row is not looked at, since it is not there yet (of several grids this may be another's state).
            state = G[L.G_STATE] + (16 * sc + k) * G[L.G_STATEBYTES]
            j = SC[sc, L.S_PC + k]
            if j >= 0 and j + 1 < limit:
                prefetch(state)
                registers_ahead(j, state)
                registers_ahead(j + 1, state)


@compiled(inline=True)
def issue(w: int, i: int, sc: int, t: int, reads: int, limit: int) -> int:
    """Warp w issues its next instruction i at `t`: it does what it does, and all that says what can go on when is
    brought up to date. `reads`: the registers that it reads through the ports. 0 or minus the fault."""
    m = sc >> 2
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
    held = t + CODE[i, L.C_HOLD]
    SC[sc, L.S_PORT] = held
    pipe = CODE[i, L.C_PIPE]
    if pipe:
        occupy(pipe, sc, t, CODE[i, L.C_INTERVAL])
    if CODE[i, L.C_PORTS] >= 0:
        read_ports(w, i, sc, t, reads)
    state = WS[w, L.W_STATE]
    if not seldom(i + 2 >= limit):
        registers_ahead(i + 2, state)
    if seldom(WS[w, L.W_PENDING]):
        commit(w, i, t)
    mask = guarded(w, i)
    PCC[i, L.P_ACTIVE] += popcount(np.uint32(WS[w, L.W_ACT]))
    PCC[i, L.P_THREADS] += popcount(mask)
    blocked = 0
    if CODE[i, L.C_PLAIN]:
        if not seldom(mask == np.uint32(0)):
            operands = CODE[i, L.C_OPERANDS]
            invoke(CODE[i, L.C_FN], state, operands, mask, state, operands + abi.DST_OFFSET)
        WS[w, L.W_PC] = i + 1
        WAKE[w] = arm(w, t + stall)
        if RECORDING:
            X[DONE] = 0
    else:
        blocked = carry_out(w, i, t, mask)
        if seldom(blocked < 0):
            G[L.G_FWARP] = w
            G[L.G_FPC] = i * 16
            G[L.G_PARKED] = t
            return blocked
    if not seldom(blocked):
        following = WS[w, L.W_PC]
        if seldom(CODE[following, L.C_MISSED]):
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
    return 0


@compiled
def run_sm(m: int, begin: int, end: int) -> int:
    """Simulate SM m in [begin, end). The next time at which it has something to do (BIG if never), or minus the
    fault. With G_AHEAD, not beyond what SMs share: its next time is that of the instruction which does (G_PARKED)."""
    t = begin
    low = G[L.G_LOW]
    limit = G[L.G_NINSTR]
    wakes = address(WAKE, 0)
    warps_ahead(m, end, limit)
    while t < end:
        for s in range(4):
            sc = m * 4 + s
            if SC[sc, L.S_NEXT] > t:
                continue
            # ---- pick a warp
            w = -1
            i = 0
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
                    j = SC[sc, L.S_PC + (v & 15)]
                    if seldom(j < low) or seldom(j >= limit):
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
                        if seldom(wake > t):
                            # It is picked, but not dispatched: nobody else goes on until it is.
                            best = wake
                            SC[sc, L.S_PORT] = wake
                            break
                    if wake <= t and seldom(CODE[j, L.C_CLINE] >= 0):
                        line = CODE[j, L.C_CLINE]
                        if seldom(SM[m, L.M_CONST + (line >> 6)] >> (line & 63) & 1 == 0):
                            if G[L.G_AHEAD]:
                                return parked(sc, t)
                            there = t
                            # Who executes it in no lane does not ask for it (H200).
                            if not lost(v, m, line) and guarded(v, j) != np.uint32(0):
                                there = constant(sc, line, t, t)
                            if there > t:
                                wake = there
                                WS[v, L.W_TBLOCK] = wake
                                WS[v, L.W_BLOCKKIND] = K.R_IMC
                                WAKE[v] = wake
                    if wake <= t:
                        w = v
                        i = j
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
            bad = issue(w, i, sc, t, reads, limit)
            if seldom(bad < 0):
                return bad
        if G[L.G_INSTRLIMIT] and seldom(G[L.G_INSTR] > G[L.G_INSTRLIMIT]):
            return -K.F_TIMEOUT
        soon = min(SC[4 * m, L.S_NEXT], SC[4 * m + 1, L.S_NEXT])
        soon = min(soon, min(SC[4 * m + 2, L.S_NEXT], SC[4 * m + 3, L.S_NEXT]))
        t = max(soon, t + 1)
    return t
