"""Control flow of a warp whose threads have their own PCs, CTA barriers, special registers, calls into the driver.

A warp runs one group of lanes (W_ACT at W_PC). Other lanes are ready at their own PC (LPC, W_NEXT, W_READY), or
blocked at a convergence barrier (W_BB + b) or at WARPSYNC; all wait while the running group is at a CTA barrier. The
running group goes on until it blocks, exits or yields, whatever it waits for; then the group that was left latest
runs, and if that is done, others in turn. Groups meet at barriers, and when they wait for their turn at one place; a
loop that waits for lanes of its own warp without YIELD does not end. All of this as on an H200 (hand-built code of one
warp, in which every lane notes the clock). LPC int64[warp, 64]: lane PCs, then what lanes wait for at WARPSYNC: the
mask, and above it where they go on behind a collective.
WAKE int64[warp]: the first cycle in which the warp may issue, BIG while it is blocked or absent.
"""

from __future__ import annotations

import numpy as np

from runtime.device.sm import abi
from runtime.device.sm import kinds as K
from runtime.device.sm import layout as L
from runtime.device.sm.access import FULL, WINDOW, translate_each
from runtime.device.sm.converge import complete_groups, fellows, join, lacks_yielded, leave, participants
from runtime.device.sm.cta import warp_of
from runtime.device.sm.extend import extension
from runtime.device.sm.front import arm
from runtime.device.sm.lang import compiled, u32
from runtime.device.sm.raw import first, highest_bit, load32, load64, popcount, store32, store64
from runtime.device.sm.table import CODE, CT, LPC, PCC, SC, SM, WAKE, WS, G
from runtime.device.sm.vector import ramp, spread

SPECIAL = abi.SPECIAL_ROW * 128
R4 = 4 * abi.r_row(4)
SYNC, SWITCH, RESUME = 14, 16, 51
"""Cycles from BSYNC or BREAK to the next issue, if the lanes go on; from what ends a group's turn to that of the group
that was left latest; to that of any other, also of the same (H200)."""

BAR_SYNC, BAR_ARRIVE, BAR_REDUCE = 0, 1, 2
BARRIER_UNIT = 2
BARRIER_RELEASE = 12
"""Cycles of the barrier unit per warp, and from the last arrival to the next issue (H200: 12 + 2 per warp)."""


@compiled
def run_some(w: int, lanes: int, lane: int) -> int:
    """Let those of `lanes` run that have the PC of one of them. The others."""
    pc = LPC[w, lane]
    group = 0
    for k in range(32):
        if lanes >> k & 1 and LPC[w, k] == pc:
            group |= 1 << k
    WS[w, L.W_ACT] = group
    WS[w, L.W_PC] = pc
    return lanes & ~group


@compiled
def next_group(w: int, passed: int) -> None:
    """Let another group run, if there is one: that which was left latest; else one that did not yield; else those that
    did, in turn, but not lanes that have just `passed` if there are more. What is at one place goes on together."""
    lanes = WS[w, L.W_NEXT]
    if lanes:
        WS[w, L.W_NEXT] = run_some(w, lanes, first(np.uint32(lanes)))
        WS[w, L.W_SWITCH] = SWITCH
        return
    lanes = WS[w, L.W_READY]
    if lanes == 0:
        return
    yielded = WS[w, L.W_YIELDED]
    lane = first(np.uint32(lanes & ~yielded))
    if lane == 32:
        others = yielded & ~passed if yielded != passed else yielded
        rotated = others >> WS[w, L.W_TURN] << WS[w, L.W_TURN]
        lane = first(np.uint32(rotated if rotated else others))
        WS[w, L.W_TURN] = (lane + 1) & 31
    rest = run_some(w, lanes, lane)
    WS[w, L.W_READY] = rest
    WS[w, L.W_YIELDED] = yielded & rest
    WS[w, L.W_SWITCH] = RESUME


@compiled
def stack(w: int, lanes: int) -> None:
    """Lanes are ready at their own PCs: they run next. There is one place for such."""
    if lanes:
        WS[w, L.W_READY] |= WS[w, L.W_NEXT]
        WS[w, L.W_NEXT] = lanes


@compiled
def park(w: int, lanes: int, pc: int) -> None:
    """Take lanes out of the running group: they are ready at `pc`."""
    for k in range(32):
        if lanes >> k & 1:
            LPC[w, k] = pc
    stack(w, lanes)
    WS[w, L.W_ACT] &= ~lanes


@compiled
def diverge(w: int, lanes: int, target: int, pc: int) -> int:
    """`lanes` of the running group go to `target`, the others to `pc`: the fewer of them first (H200: with as many on
    both sides, those that fall through). Whether there are others."""
    rest = WS[w, L.W_ACT] & ~lanes
    WS[w, L.W_PC] = target
    if rest == 0:
        return 0
    if popcount(np.uint32(lanes)) < popcount(np.uint32(rest)):
        park(w, rest, pc)
    else:
        park(w, lanes, target)
        WS[w, L.W_PC] = pc
    return 1


@compiled
def give_way(w: int, pc: int, t: int) -> None:
    """The running lanes yield: others go first, and convergence barriers do not wait for them."""
    act = WS[w, L.W_ACT]
    for k in range(32):
        if act >> k & 1:
            LPC[w, k] = pc
    if WS[w, L.W_YIELDED] == 0:
        WS[w, L.W_TURN] = first(np.uint32(act))
    WS[w, L.W_READY] |= act
    WS[w, L.W_YIELDED] |= act
    WS[w, L.W_ACT] = 0
    settle(w, t, act, 0, 0)


@compiled
def release(w: int, came: int, ended: int) -> int:
    """Free the lanes whose convergence barrier or WARPSYNC is complete: those lanes. Of collectives one at a time (an
    EXIT can complete several): that of the lanes that `came` last; else, if no barrier is complete, the first behind
    the lanes that `ended` (H200)."""
    alive = WS[w, L.W_ALIVE]
    out = 0
    todo = WS[w, L.W_BLOCKS]
    while todo:
        b = first(np.uint32(todo))
        todo &= todo - 1
        if WS[w, L.W_BB + b]:
            free = complete_groups(w, b, WS[w, L.W_BB + b])
            if free:
                WS[w, L.W_BB + b] &= ~free
                out |= free & alive
                WS[w, L.W_SWITCH] = RESUME if WS[w, L.W_WSYNC] else SYNC
        if WS[w, L.W_BB + b] == 0:
            WS[w, L.W_BLOCKS] &= ~(1 << b)
    blocked = WS[w, L.W_WSYNC] & ~WS[w, L.W_COLLECTIVE]
    while blocked:
        k = first(np.uint32(blocked))
        there = company(w, k)
        blocked &= ~there
        free = ready_of(w, there)
        if free:
            WS[w, L.W_WSYNC] &= ~free
            WS[w, L.W_SWITCH] = RESUME
            out |= free
    blocked = WS[w, L.W_COLLECTIVE] if came or out == 0 else 0
    behind = highest_bit(ended) + 1 if ended else 0
    while blocked:
        rotated = came & blocked
        if rotated == 0:
            rotated = blocked >> behind << behind
        k = first(np.uint32(rotated if rotated else blocked))
        there = company(w, k)
        blocked &= ~there
        free = ready_of(w, there)
        if free:
            leaders = free & came
            if leaders == 0:
                for other in range(32):
                    if free >> other & 1 and LPC[w, other] == LPC[w, k]:
                        leaders |= 1 << other
            draft(w, free, leaders)
            WS[w, L.W_WSYNC] &= ~free
            WS[w, L.W_COLLECTIVE] &= ~free
            WS[w, L.W_SWITCH] = RESUME
            return out | free
    return out


@compiled
def ready_of(w: int, there: int) -> int:
    """Of lanes that wait at one WARPSYNC, those for whose masks all living lanes have come."""
    free = 0
    for k in range(32):
        if there >> k & 1 and LPC[w, 32 + k] & FULL & WS[w, L.W_ALIVE] & ~there == 0:
            free |= 1 << k
    return free


@compiled
def company(w: int, lane: int) -> int:
    """The lanes that this lane may meet at its WARPSYNC: those at the same place, or, wherever they are, those in a
    collective of the same mask (others may wait there for all lanes, of which some meet first)."""
    collective = WS[w, L.W_COLLECTIVE]
    there = 0
    for k in range(32):
        if WS[w, L.W_WSYNC] >> k & 1 and collective >> k & 1 == collective >> lane & 1:
            if collective >> lane & 1:
                if LPC[w, 32 + k] & FULL == LPC[w, 32 + lane] & FULL:
                    there |= 1 << k
            elif LPC[w, k] == LPC[w, lane]:
                there |= 1 << k
    return there


@compiled
def draft(w: int, lanes: int, leaders: int) -> None:
    """All lanes of a collective have come: they run it where the `leaders` are, and only those go on behind it."""
    pc = LPC[w, first(np.uint32(leaders))]
    for k in range(32):
        if (lanes & ~leaders) >> k & 1:
            WS[w, L.W_DRAFTED] |= 1 << k
            LPC[w, k] = pc


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
    CT[c, L.T_BAR + b] = 0
    CT[c, L.T_BARN + b] = 0
    CT[c, L.T_BARW + b] = 0
    CT[c, L.T_RPOP + b] = 0
    CT[c, L.T_RAND + b] = 1
    CT[c, L.T_ROR + b] = 0
    for n in range(G[L.G_WARPS]):
        if waiting >> n & 1:
            w = warp_of(c, n)
            WS[w, L.W_ACT] = WS[w, L.W_ATBAR]
            WS[w, L.W_ATBAR] = 0
            WS[w, L.W_REDUCE] = (WS[w, L.W_REDUCE] & 3 << 20) | result | both << 16 | either << 17
            if G[L.G_TIMING]:
                at = t + BARRIER_RELEASE
                WS[w, L.W_TBLOCK] = at
                WS[w, L.W_BLOCKKIND] = K.R_BARRIER
                WAKE[w] = arm(w, at)
                if WAKE[w] < SC[w >> 4, L.S_NEXT]:
                    SC[w >> 4, L.S_NEXT] = WAKE[w]
            else:
                WAKE[w] = 0


@compiled
def settle(w: int, t: int, passed: int, came: int, ended: int) -> None:
    """After lanes blocked (`came`: at a collective), yielded (`passed`) or `ended`: free whom that frees, let a ready
    group run, note the end of the warp."""
    free = release(w, came, ended)
    if WS[w, L.W_ACT]:
        stack(w, free)
    elif free:
        stack(w, run_some(w, free, first(np.uint32(free))))
    else:
        next_group(w, passed)
    alive = WS[w, L.W_ALIVE]
    c = WS[w, L.W_CTA]
    if alive == 0:
        WAKE[w] = L.BIG
        CT[c, L.T_LIVE] -= 1
        for b in range(16):
            if CT[c, L.T_BARW + b] and CT[c, L.T_BARN + b] == 0:
                complete(c, b, t)
        return
    if WS[w, L.W_ACT] == 0:
        WAKE[w] = L.BIG


@compiled
def special(w: int, which: int, clock: int) -> None:
    """Put special register SPECIALS[which] into the SPECIAL rows of the warp's state (low words, high words)."""
    at = WS[w, L.W_STATE] + SPECIAL
    c = WS[w, L.W_CTA]
    slot = w & 15
    sm = w >> 6
    low = 0
    high = 0
    if which == 0:
        ramp(at, np.uint32(0))
    elif which <= 3 or which == 24:
        thread = WS[w, L.W_ID] * 32
        x = thread % G[L.G_BX]
        y = thread // G[L.G_BX] % G[L.G_BY]
        z = thread // (G[L.G_BX] * G[L.G_BY])
        if G[L.G_BX] & 31 == 0:
            # A warp is a part of a row of threads.
            if which == 1:
                ramp(at, np.uint32(x))
            elif which == 24:
                ramp(at, np.uint32(x | y << 16 | z << 26))
            else:
                spread(at, np.uint32(y if which == 2 else z))
        else:
            for k in range(32):
                if x == G[L.G_BX]:
                    x = 0
                    y += 1
                    if y == G[L.G_BY]:
                        y = 0
                        z += 1
                value = x | y << 16 | z << 26
                if which == 1:
                    value = x
                elif which == 2:
                    value = y
                elif which == 3:
                    value = z
                store32(at + 4 * k, np.uint32(value & FULL))
                x += 1
    elif which >= 11 and which <= 15:
        for k in range(32):
            bit = 1 << k
            if which == 12:
                bit = bit - 1
            elif which == 13:
                bit = 2 * bit - 1
            elif which == 14:
                bit = FULL & ~(2 * bit - 1)
            elif which == 15:
                bit = FULL & ~(bit - 1)
            store32(at + 4 * k, np.uint32(bit))
    else:
        if which == 4:
            low = CT[c, L.T_X]
        elif which == 5:
            low = CT[c, L.T_Y]
        elif which == 6:
            low = CT[c, L.T_Z]
        elif which == 7:
            low = clock & FULL
            high = clock >> 32
        elif which == 8:
            low = clock >> 32
        elif which == 9:
            time = clock * 1000 // 1980
            low = time & FULL
            high = time >> 32
        elif which == 10:
            low = (clock * 1000 // 1980) >> 32
        elif which == 16:
            low = sm
        elif which == 17:
            low = slot * 4 + (w >> 4 & 3)
        elif which == 18:
            low = G[L.G_SHAREDWIN] >> 32
        elif which == 19:
            low = G[L.G_SHAREDWIN] & FULL
        elif which == 20:
            low = G[L.G_LOCALWIN] >> 32
        elif which == 21:
            low = G[L.G_LOCALWIN] & FULL
        elif which == 23:
            low = G[L.G_THREADS]
        elif which == 25:
            low = CT[c, L.T_RANK]
        spread(at, np.uint32(low & FULL))
    spread(at + 128, np.uint32(high & FULL))


PRINT, PRINT_FIRST, PRINT_TURN, PRINT_LANE = 39500, 14500, 3400, 140
"""Cycles of a call of vprintf, and more for the first of a grid; from one warp's to another's, if they come together;
for each lane beside the first (H200: one thread, a loop of eight calls, 32 lanes, 64 CTAs)."""


@compiled
def driver_call(w: int, lanes: int, which: int) -> int:
    """vprintf(R4:5 format, R6:7 arguments) for each lane: append u32 size, u64 format address, argument bytes (up to
    512, as many as can be read) to the output buffer; R4 = the format's conversions. __assertfail: the same record of
    R4..R15, then a fault. Returns 0 or minus the fault."""
    state = WS[w, L.W_STATE]
    c = WS[w, L.W_CTA]
    scratch = G[L.G_SCRATCH]
    turn = max(G[L.G_PRINTED] - G[L.G_NOW], 0)
    G[L.G_PRINTED] = G[L.G_NOW] + turn + PRINT_TURN
    first_call = PRINT_FIRST if G[L.G_OUTLEN] == 0 else 0
    WS[w, L.W_SWITCH] = turn + PRINT + first_call + PRINT_LANE * (popcount(np.uint32(lanes)) - 1)
    for k in range(32):
        if not lanes >> k & 1:
            continue
        at = G[L.G_OUT] + G[L.G_OUTLEN]
        if G[L.G_OUTLEN] + 1024 > G[L.G_OUTCAP]:
            break
        size = 0
        store32(at + 4, np.uint32(which))
        store64(
            at + 8, np.uint64(load32(state + R4 + 4 * k)) | np.uint64(load32(state + R4 + 128 + 4 * k)) << np.uint64(32)
        )
        if which == K.F_ASSERT:
            for r in range(12):
                store32(at + 16 + 4 * r, load32(state + R4 + 128 * r + 4 * k))
            size = 48
        else:
            low = np.int64(load32(state + R4 + 256 + 4 * k))
            address = low | np.int64(load32(state + R4 + 384 + 4 * k)) << 32
            bit = np.uint32(1) << np.uint32(k)
            local = G[L.G_LOCAL] + w * 32 * G[L.G_LOCALSIZE]
            while size < 512:
                store64(scratch + 8 * k, np.uint64(address + size))
                done = translate_each(K.SPACE_GENERIC, 4, bit, scratch, scratch + 256, CT[c, L.T_SHARED], local, 0)
                if done < 0:
                    break
                store32(at + 16 + size, load32(np.int64(load64(scratch + 256 + 8 * k))))
                size += 4
            # What printf returns is the number of its conversions ("no arguments" 0), as an H200 has it.
            count = 0
            open_ = ended = False
            place = np.int64(load64(at + 8))
            last = place + 4096
            while not ended and place < last:
                store64(scratch + 8 * k, np.uint64(place & ~np.int64(3)))
                done = translate_each(K.SPACE_GENERIC, 4, bit, scratch, scratch + 256, CT[c, L.T_SHARED], local, 0)
                if done < 0:
                    break
                word = np.int64(load32(np.int64(load64(scratch + 256 + 8 * k))))
                for byte in range(place & 3, 4):
                    letter = word >> 8 * byte & 255
                    if letter == 0:
                        ended = True
                        break
                    percent = letter == 37
                    if percent:
                        count += -1 if open_ else 1
                    open_ = percent and not open_
                place = (place & ~np.int64(3)) + 4
            store32(state + R4 + 4 * k, np.uint32(count))
        store32(at, np.uint32(16 + size))
        G[L.G_OUTLEN] += 16 + size
        if which == K.F_ASSERT:
            G[L.G_FLANE] = k
            return -K.F_ASSERT
    return 0


@compiled
def jump(w: int, i: int, lanes: int) -> int:
    """Send `lanes` to their targets (in a register pair, or one target for all); the other running lanes fall through.
    0 or minus the fault."""
    rest = WS[w, L.W_ACT] & ~lanes
    if CODE[i, L.C_DATA] < 0:
        if CODE[i, L.C_KIND] == K.K_CALL and CODE[i, L.C_AUX] > 0:
            if CODE[i, L.C_AUX] == K.CALL_ASSERT:
                return driver_call(w, lanes, K.F_ASSERT)
            WS[w, L.W_PC] = i + 1
            if CODE[i, L.C_AUX] >= K.CALL_MALLOC:
                free = CODE[i, L.C_AUX] - K.CALL_MALLOC
                return extension(G[L.G_EXTENSION], K.X_HEAP, w, free, np.uint32(lanes), 0, G[L.G_TABLES])
            driver_call(w, lanes, 0)
            return 0
        target = CODE[i, L.C_TARGET]
        if target < 0 or target >= G[L.G_NINSTR]:
            return -K.F_INSTR
        diverge(w, lanes, target, i + 1)
        return 0
    base = WS[w, L.W_STATE] + CODE[i, L.C_DATA]
    if rest:
        park(w, rest, i + 1)
    lane = first(np.uint32(lanes))
    value = np.int64(load32(base + 4 * lane))
    if CODE[i, L.C_AUX2]:
        value |= np.int64(load32(base + 128 + 4 * lane)) << 32
    elif value & 0x80000000:
        value -= 1 << 32
    group = 0
    for k in range(lane, 32):
        if lanes >> k & 1:
            other = np.int64(load32(base + 4 * k))
            if CODE[i, L.C_AUX2]:
                other |= np.int64(load32(base + 128 + 4 * k)) << 32
            elif other & 0x80000000:
                other -= 1 << 32
            if other == value:
                group |= 1 << k
    target = i + 1
    if value == G[L.G_PRINTF]:
        driver_call(w, group, 0)
    elif value == G[L.G_MALLOC] or value == G[L.G_FREE]:
        free = 1 if value == G[L.G_FREE] else 0
        bad = extension(G[L.G_EXTENSION], K.X_HEAP, w, free, np.uint32(group), 0, G[L.G_TABLES])
        if bad:
            return bad
    elif value == G[L.G_ASSERT]:
        return driver_call(w, group, K.F_ASSERT)
    else:
        target = value - G[L.G_CODEVA] if CODE[i, L.C_AUX] else CODE[i, L.C_AUX3] + value
        if target & 15 or target < 16 * G[L.G_LOW] or target >= 16 * G[L.G_NINSTR]:
            G[L.G_FLANE] = lane
            return -K.F_INSTR
        target >>= 4
    if WS[w, L.W_ACT] & ~group:
        PCC[i, L.P_DIVERGED] += 1
    rest = lanes & ~group
    if rest:
        # The others come here again.
        diverge(w, rest, i, target)
    else:
        WS[w, L.W_PC] = target
    return 0


@compiled
def control(w: int, i: int, mask: u32, t: int) -> int:
    """Everything that is neither arithmetic nor memory: execute instruction i of warp w for the lanes `mask` at `t` and
    set the warp's next PC. 0 done; 1 the warp's running group changed or blocked; negative: minus the fault."""
    kind = CODE[i, L.C_KIND]
    act = WS[w, L.W_ACT]
    state = WS[w, L.W_STATE]
    if CODE[i, L.C_PRED] >= 0:
        mask &= load32(state + CODE[i, L.C_PRED]) ^ np.uint32(CODE[i, L.C_PINV])
    lanes = np.int64(mask)
    if kind == K.K_NOP:
        WS[w, L.W_PC] = i + 1
        return 0
    if kind == K.K_BRA:
        target = CODE[i, L.C_TARGET]
        if lanes == 0:
            WS[w, L.W_PC] = i + 1
            return 0
        if target < 0 or target >= G[L.G_NINSTR]:
            return -K.F_INSTR
        if lanes != act:
            PCC[i, L.P_DIVERGED] += 1
        return diverge(w, lanes, target, i + 1)
    if kind == K.K_BRA_DIV:
        # BRA.DIV UR: taken, by all that run, unless the guard holds in all lanes of the mask (H200); BRA.CONV UR: if it
        # does.
        wanted = np.int64(load32(state + CODE[i, L.C_AUX])) & WS[w, L.W_ALIVE]
        if (lanes & wanted == wanted) != CODE[i, L.C_AUX2]:
            WS[w, L.W_PC] = i + 1
            return 0
        return jump(w, i, act)
    if kind == K.K_BRA_REG or kind == K.K_CALL:
        if lanes == 0:
            WS[w, L.W_PC] = i + 1
            return 0
        bad = jump(w, i, lanes)
        return bad if bad else 1
    if kind == K.K_BSSY:
        if lanes:
            join(w, CODE[i, L.C_AUX], lanes, lanes)
        WS[w, L.W_PC] = i + 1
        return 0
    if kind == K.K_BSYNC:
        b = CODE[i, L.C_AUX]
        WS[w, L.W_PC] = i + 1
        if lanes == 0:
            return 0
        if (WS[w, L.W_NEXT] | WS[w, L.W_READY]) & ~WS[w, L.W_YIELDED] and lacks_yielded(
            w, b, lanes | WS[w, L.W_BB + b]
        ):
            # Before it goes on without those that yielded, it yields to those that did not (H200).
            give_way(w, i, t)
            return 1
        if WS[w, L.W_BB + b] == 0:
            met = complete_groups(w, b, lanes)
            if met == lanes:
                return 0
            if met:
                park(w, met, i + 1)
                lanes &= ~met
                act &= ~met
        # Where lanes of one barrier come to different BSYNCs, all go on behind the last one (H200).
        there = lanes | WS[w, L.W_BB + b] & fellows(w, b, first(np.uint32(lanes)))
        for k in range(32):
            if there >> k & 1:
                LPC[w, k] = i + 1
        WS[w, L.W_BB + b] |= lanes
        WS[w, L.W_BLOCKS] |= 1 << b
        WS[w, L.W_ACT] = act & ~lanes
        settle(w, t, 0, 0, 0)
        return 1
    if kind == K.K_BREAK:
        leave(w, CODE[i, L.C_AUX], lanes, 0)
        WS[w, L.W_PC] = i + 1
        free = release(w, 0, 0)
        if popcount(np.uint32(free)) < popcount(np.uint32(act)) and free:
            # The fewer go first.
            park(w, act, i + 1)
            stack(w, run_some(w, free, first(np.uint32(free))))
            return 1
        stack(w, free)
        return 0
    if kind == K.K_WARPSYNC:
        WS[w, L.W_PC] = i + 1
        if lanes == 0:
            return 0
        wanted = FULL
        if CODE[i, L.C_DATA] >= 0:
            wanted = np.int64(load32(state + CODE[i, L.C_DATA] + 4 * first(mask)))
        elif CODE[i, L.C_AUX] >= 0:
            wanted = CODE[i, L.C_AUX]
        collective = CODE[i, L.C_TARGET]
        rest = 0
        if CODE[i, L.C_AUX2] or collective >= 0:
            # EXCLUSIVE, COLLECTIVE: the lanes of one mask go on by themselves; others come here again when those block.
            if collective >= 0 and not wanted >> first(mask) & 1:
                G[L.G_FLANE] = first(mask)
                return -K.F_INSTR
            wanted |= 1 << first(mask)
            rest = lanes & ~wanted
            if rest:
                park(w, rest, i)
                lanes &= wanted
                act &= ~rest
        if wanted & WS[w, L.W_ALIVE] & ~lanes == 0:
            return 1 if rest else 0
        for k in range(32):
            if lanes >> k & 1:
                LPC[w, k] = i + 1
                if CODE[i, L.C_DATA] >= 0:
                    LPC[w, 32 + k] = np.int64(load32(state + CODE[i, L.C_DATA] + 4 * k))
                else:
                    LPC[w, 32 + k] = wanted
                if collective >= 0:
                    LPC[w, 32 + k] |= collective << 32
        WS[w, L.W_WSYNC] |= lanes
        WS[w, L.W_ACT] = act & ~lanes
        if collective >= 0:
            WS[w, L.W_COLLECTIVE] |= lanes
        settle(w, t, 0, lanes if collective >= 0 else 0, 0)
        if collective >= 0 and WS[w, L.W_ACT] & lanes:
            # Who comes last goes on at once.
            WS[w, L.W_SWITCH] = 0
        return 1
    if kind == K.K_ENDCOLLECTIVE:
        WS[w, L.W_PC] = i + 1
        drafted = WS[w, L.W_DRAFTED] & act
        if drafted == 0:
            return 0
        for k in range(32):
            if drafted >> k & 1:
                LPC[w, k] = LPC[w, 32 + k] >> 32
        WS[w, L.W_DRAFTED] &= ~drafted
        WS[w, L.W_ACT] = act & ~drafted
        stack(w, drafted)
        return 0
    if kind == K.K_YIELD:
        WS[w, L.W_PC] = i + 1
        if lanes == 0:
            return 0
        give_way(w, i + 1, t)
        return 1
    if kind == K.K_EXIT:
        WS[w, L.W_PC] = i + 1
        if lanes == 0:
            return 0
        WS[w, L.W_ALIVE] &= ~lanes
        WS[w, L.W_ACT] = act & ~lanes
        settle(w, t, 0, 0, lanes)
        if G[L.G_CLUSTER] > 1:
            extension(G[L.G_EXTENSION], K.X_EXIT, w, i, mask, t, G[L.G_TABLES])
        return 1
    if kind == K.K_BAR:
        WS[w, L.W_PC] = i + 1
        if lanes == 0:
            return 0
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
            WS[w, L.W_ATBAR] = act
            WS[w, L.W_ACT] = 0
            WAKE[w] = L.BIG
            CT[c, L.T_BARW + b] |= 1 << WS[w, L.W_ID]
        CT[c, L.T_BAR + b] += 32
        served = t
        if G[L.G_TIMING]:
            m = CT[c, L.T_SM]
            if SM[m, L.M_BAR] > served:
                served = SM[m, L.M_BAR]
            served += BARRIER_UNIT
            SM[m, L.M_BAR] = served
        complete(c, b, served)
        return 1 if waits else 0
    WS[w, L.W_PC] = i + 1
    if kind == K.K_EXTENDED:
        G[L.G_XDONE] = 0
        G[L.G_XREAD] = 0
        G[L.G_XAFTER] = 0
        if lanes == 0:
            return 0
        return extension(G[L.G_EXTENSION], CODE[i, L.C_OP], w, i, mask, t, G[L.G_TABLES])
    if kind == K.K_B2R:
        # B2R.RESULT: the count (or truth) in the register, truth in the predicate. Mode 0 count, 1 and, 2 or.
        value = np.uint32(WS[w, L.W_REDUCE] & 0xFFFF)
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
        return 0
    if kind == K.K_BMOV_READ:
        b = CODE[i, L.C_AUX]
        for k in range(32):
            if lanes >> k & 1:
                value = act if b == 16 else (participants(w, b, k) if b < 16 else 0)
                store32(state + CODE[i, L.C_DEST] + 4 * k, np.uint32(value))
        if CODE[i, L.C_AUX2] and b < 16:
            leave(w, b, lanes, 1)
        return 0
    if kind == K.K_BMOV_WRITE:
        for k in range(32):
            if lanes >> k & 1 and CODE[i, L.C_AUX] < 16:
                value = CODE[i, L.C_AUX2]
                if CODE[i, L.C_DATA] >= 0:
                    value = np.int64(load32(state + CODE[i, L.C_DATA] + 4 * k))
                join(w, CODE[i, L.C_AUX], 1 << k, value)
        return 0
    if kind == K.K_LEPC:
        value = G[L.G_CODEVA] + CODE[i, L.C_AUX]
        for k in range(32):
            if lanes >> k & 1:
                store32(state + CODE[i, L.C_DEST] + 4 * k, np.uint32(value & FULL))
                store32(state + CODE[i, L.C_DEST] + 128 + 4 * k, np.uint32(value >> 32))
        return 0
    if kind == K.K_QSPC:
        # Whether the generic address lies in the own shared memory (1), in the cluster's (3), which has that of each of
        # its CTAs, in local memory (2), or in neither (0).
        truth = np.uint32(0)
        for k in range(32):
            if lanes >> k & 1:
                a = np.int64(load32(state + CODE[i, L.C_DATA] + 4 * k))
                if CODE[i, L.C_AUX]:
                    a |= np.int64(load32(state + CODE[i, L.C_DATA] + 128 + 4 * k)) << 32
                a += CODE[i, L.C_AUX3]
                if CODE[i, L.C_DATA2] >= 0:
                    u = state + CODE[i, L.C_DATA2]
                    a += np.int64(load32(u)) | np.int64(load32(u + 4)) << 32
                space = 0
                if a >= G[L.G_SHAREDWIN] and a < G[L.G_SHAREDWIN] + WINDOW * G[L.G_CLUSTER] and G[L.G_SHAREDWIN]:
                    rank = (a - G[L.G_SHAREDWIN]) >> 24
                    own = G[L.G_CLUSTER] == 1 or rank == CT[WS[w, L.W_CTA], L.T_RANK]
                    space = 1 if own and CODE[i, L.C_AUX2] == 1 else 3
                elif a >= G[L.G_LOCALWIN] and a < G[L.G_LOCALWIN] + WINDOW and G[L.G_LOCALWIN]:
                    space = 2
                if space == CODE[i, L.C_AUX2]:
                    truth |= np.uint32(1) << np.uint32(k)
        old = load32(state + CODE[i, L.C_DEST])
        store32(state + CODE[i, L.C_DEST], (old & ~mask) | truth)
        return 0
    if kind == K.K_TRAP or kind == K.K_ILLEGAL:
        if lanes == 0:
            return 0
        G[L.G_FLANE] = first(mask)
        return -K.F_TRAP if kind == K.K_TRAP else -K.F_INSTR
    if kind == K.K_CCTL:
        if lanes and G[L.G_TIMING]:
            G[L.G_L1STAMP] += 1
            SM[w >> 6, L.M_FRESH] = G[L.G_L1STAMP]
        return 0
    if kind == K.K_NANOSLEEP and lanes == act and act != WS[w, L.W_ALIVE]:
        # Others of the warp run while these sleep.
        give_way(w, i + 1, t)
        return 0 if WS[w, L.W_SWITCH] == RESUME else 1
    # DEPBAR, MEMBAR, LDGDEPBAR: nothing but time.
    return 0
