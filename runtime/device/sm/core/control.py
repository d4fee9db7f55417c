"""Control flow of a warp: branches, calls (also of the driver), questions about addresses; what the rest does is in
`groups` (lanes that part and meet) and `barrier` (CTA barriers).

WAKE int64[warp]: the first cycle in which the warp may issue, BIG while it is blocked or absent.
"""

from __future__ import annotations

import numpy as np

from runtime.device.sm.core.barrier import arrive, reduced
from runtime.device.sm.core.converge import join, leave, participants
from runtime.device.sm.core.groups import (
    RESUME,
    break_out,
    diverge,
    end_collective,
    give_way,
    meet,
    park,
    settle,
    warp_sync,
)
from runtime.device.sm.execute import abi
from runtime.device.sm.language.extend import extension
from runtime.device.sm.language.lang import compiled, u32
from runtime.device.sm.language.raw import first, load32, load64, popcount, store32, store64
from runtime.device.sm.memory.access import FULL, WINDOW, translate_each
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CODE, CT, PCC, SM, WS, G

R4 = 4 * abi.r_row(4)
PRINT, PRINT_FIRST, PRINT_TURN, PRINT_LANE = 39500, 14500, 3400, 140
"""Cycles of a call of vprintf, and more for the first of a grid; from one warp's to another's, if they come together;
for each lane beside the first (H200: one thread, a loop of eight calls, 32 lanes, 64 CTAs)."""


@compiled(rare=True)
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
    # A uniform register has one word, its pair's upper one behind it.
    own = 0 if CODE[i, L.C_AUX2] else 4
    upper = 4 if CODE[i, L.C_AUX2] else 128
    value = np.int64(load32(base + own * lane)) | np.int64(load32(base + upper + own * lane)) << 32
    group = 0
    for k in range(lane, 32):
        if lanes >> k & 1:
            other = np.int64(load32(base + own * k)) | np.int64(load32(base + upper + own * k)) << 32
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
def move_barrier(w: int, i: int, lanes: int) -> None:
    """BMOV: of each of `lanes` the participants of convergence barrier C_AUX go to a register, or come from one."""
    state = WS[w, L.W_STATE]
    b = CODE[i, L.C_AUX]
    if CODE[i, L.C_KIND] == K.K_BMOV_READ:
        for k in range(32):
            if lanes >> k & 1:
                value = WS[w, L.W_ACT] if b == 16 else (participants(w, b, k) if b < 16 else 0)
                store32(state + CODE[i, L.C_DEST] + 4 * k, np.uint32(value))
        if CODE[i, L.C_AUX2] and b < 16:
            leave(w, b, lanes, 1)
        return
    for k in range(32):
        if lanes >> k & 1 and b < 16:
            value = CODE[i, L.C_AUX2]
            if CODE[i, L.C_DATA] >= 0:
                value = np.int64(load32(state + CODE[i, L.C_DATA] + 4 * k))
            join(w, b, 1 << k, value)


@compiled
def own_address(w: int, i: int, lanes: int) -> None:
    """LEPC: the address of an instruction goes to a register pair."""
    state = WS[w, L.W_STATE]
    value = G[L.G_CODEVA] + CODE[i, L.C_AUX]
    for k in range(32):
        if lanes >> k & 1:
            store32(state + CODE[i, L.C_DEST] + 4 * k, np.uint32(value & FULL))
            store32(state + CODE[i, L.C_DEST] + 128 + 4 * k, np.uint32(value >> 32))


@compiled
def space_of(w: int, i: int, mask: u32) -> None:
    """QSPC: whether a generic address lies in the own shared memory (1), in the cluster's (3), which has that of each
    of its CTAs, in local memory (2), or in neither (0)."""
    state = WS[w, L.W_STATE]
    lanes = np.int64(mask)
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
    if kind == K.K_BRA_DIV:
        # BRA.DIV UR: taken, by all that run, unless the guard holds in all lanes of the mask (H200); BRA.CONV UR: if it
        # does.
        wanted = np.int64(load32(state + CODE[i, L.C_AUX])) & WS[w, L.W_ALIVE]
        if (lanes & wanted == wanted) == CODE[i, L.C_AUX2]:
            return jump(w, i, act)
    if kind == K.K_BRA and CODE[i, L.C_AUX]:
        # BRA.U: all that run take it or none does, as the guard holds in all of them; .ANY: in one (H200).
        lanes = act if lanes == act or (lanes and CODE[i, L.C_AUX] == K.BRA_ANY) else np.int64(0)
    WS[w, L.W_PC] = i + 1
    if kind == K.K_EXTENDED:
        G[L.G_XDONE] = 0
        G[L.G_XREAD] = 0
        G[L.G_XAFTER] = 0
    if kind == K.K_ENDCOLLECTIVE:
        end_collective(w)
    elif kind == K.K_BREAK:
        return break_out(w, i, lanes)
    if lanes == 0:
        return 0
    if kind == K.K_BRA:
        target = CODE[i, L.C_TARGET]
        if target < 0 or target >= G[L.G_NINSTR]:
            return -K.F_INSTR
        if lanes != act:
            PCC[i, L.P_DIVERGED] += 1
        return diverge(w, lanes, target, i + 1)
    if kind == K.K_BRA_REG or kind == K.K_CALL:
        bad = jump(w, i, lanes)
        return bad if bad else 1
    if kind == K.K_BSSY:
        join(w, CODE[i, L.C_AUX], lanes, lanes)
    elif kind == K.K_BSYNC:
        return meet(w, i, lanes, t)
    elif kind == K.K_WARPSYNC:
        return warp_sync(w, i, lanes, t)
    elif kind == K.K_YIELD:
        give_way(w, i + 1, t)
        return 1
    elif kind == K.K_EXIT:
        WS[w, L.W_ALIVE] &= ~lanes
        WS[w, L.W_ACT] = act & ~lanes
        settle(w, t, 0)
        if G[L.G_CLUSTER] > 1:
            extension(G[L.G_EXTENSION], K.X_EXIT, w, i, mask, t, G[L.G_TABLES])
        return 1
    elif kind == K.K_BAR:
        return arrive(w, i, mask, t)
    elif kind == K.K_EXTENDED:
        return extension(G[L.G_EXTENSION], CODE[i, L.C_OP], w, i, mask, t, G[L.G_TABLES])
    elif kind == K.K_B2R:
        reduced(w, i, mask)
    elif kind == K.K_BMOV_READ or kind == K.K_BMOV_WRITE:
        move_barrier(w, i, lanes)
    elif kind == K.K_LEPC:
        own_address(w, i, lanes)
    elif kind == K.K_QSPC:
        space_of(w, i, mask)
    elif kind == K.K_TRAP or kind == K.K_ILLEGAL:
        G[L.G_FLANE] = first(mask)
        return -K.F_TRAP if kind == K.K_TRAP else -K.F_INSTR
    elif kind == K.K_CCTL and G[L.G_TIMING]:
        G[L.G_L1STAMP] += 1
        SM[w >> 6, L.M_FRESH] = G[L.G_L1STAMP]
    elif kind == K.K_NANOSLEEP and lanes == act and act != WS[w, L.W_ALIVE]:
        # Others of the warp run while these sleep.
        give_way(w, i + 1, t)
        return 0 if WS[w, L.W_SWITCH] == RESUME else 1
    # NOP, DEPBAR, MEMBAR, LDGDEPBAR: nothing but time.
    return 0
