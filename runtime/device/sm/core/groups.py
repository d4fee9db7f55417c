"""Groups of lanes of a warp whose threads have their own PCs: which runs, which wait and for what, who goes on when.

A warp runs one group of lanes (W_ACT at W_PC). Other lanes are ready at their own PC (LPC, W_NEXT, W_READY), or
blocked at a convergence barrier (W_BB + b); all wait while the running group is at a CTA barrier. The running group
goes on until it blocks, exits or yields, whatever it waits for; then the group that was left latest runs, and if that
is done, others in turn. Groups meet at barriers, and when they wait for their turn at one place: lanes at a WARPSYNC
whose others are not there make way, and execute it again with whoever has come there when it is their turn. A loop that
waits for lanes of its own warp without YIELD does not end. All of this as on an H200 (hand-built code of one warp, in
which every lane notes the clock: tests/gpu/diverged). LPC int64[warp, 64]: lane PCs, then what lanes wait for at
WARPSYNC: the mask, and above it where they go on behind a collective.
"""

from __future__ import annotations

import numpy as np

from runtime.device.sm.core.barrier import complete
from runtime.device.sm.core.converge import complete_groups, fellows, lacks_yielded, leave
from runtime.device.sm.language.lang import compiled
from runtime.device.sm.language.raw import address, first, load32, popcount
from runtime.device.sm.language.vector import alike
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CODE, CT, LPC, WAKE, WS, G

SYNC, SWITCH, RESUME = 14, 16, 51
"""Cycles from BSYNC or BREAK to the next issue, if the lanes go on; from what ends a group's turn to that of the group
that was left latest; to that of any other, also of the same (H200)."""
WARPSYNC, MASK, FEWER, WAIT, WAIT_ALL, RETURN = 36, 20, 11, 22, 1, 38
"""Cycles from WARPSYNC with a mask in a register to the next issue; more for each further mask; more than SWITCH or
RESUME if its lanes have to wait, also for the whole warp; more until lanes go on that ran a collective of others (H200,
tests/gpu/diverged)."""
MASKS = 0x1FFFFFFFF
"""Masks have a bit more than lanes: all lanes, which no register says."""


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
    if group & ~WS[w, L.W_WSYNC]:
        WS[w, L.W_TRIED] = 0
    WS[w, L.W_WSYNC] &= ~group
    WS[w, L.W_COLLECTIVE] &= ~group
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
    late = 0
    if lane < 32:
        late = yielded
    else:
        others = yielded & ~passed if yielded != passed else yielded
        rotated = others >> WS[w, L.W_TURN] << WS[w, L.W_TURN]
        lane = first(np.uint32(rotated if rotated else others))
        WS[w, L.W_TURN] = (lane + 1) & 31
    rest = run_some(w, lanes & ~late, lane) | late
    WS[w, L.W_READY] = rest
    WS[w, L.W_YIELDED] = yielded & rest
    WS[w, L.W_SWITCH] = RESUME
    if WS[w, L.W_ACT] & WS[w, L.W_RETURNED]:
        WS[w, L.W_SWITCH] += RETURN
        WS[w, L.W_RETURNED] &= rest


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
    settle(w, t, act)


@compiled
def release(w: int) -> int:
    """Free the lanes whose convergence barrier is complete: those lanes."""
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
    return out


@compiled
def settle(w: int, t: int, passed: int) -> None:
    """After lanes blocked, ended or made way (`passed`): free whom that frees, let a ready group run unless all have
    been at a WARPSYNC in vain, note the end of the warp."""
    free = release(w)
    if passed and free:
        stall = CODE[LPC[w, first(np.uint32(free))] - 1, L.C_STALL]
        WS[w, L.W_SWITCH] = RESUME + max(SYNC, stall)
    if WS[w, L.W_ACT]:
        stack(w, free)
    elif free:
        stack(w, run_some(w, free, first(np.uint32(free))))
    elif (WS[w, L.W_NEXT] | WS[w, L.W_READY]) & ~WS[w, L.W_TRIED]:
        next_group(w, passed)
    alive = WS[w, L.W_ALIVE]
    c = WS[w, L.W_CTA]
    if alive == 0:
        WAKE[w] = L.BIG
        CT[c, L.T_LIVE] -= 1
        waits = np.uint32(0xFFFF & ~alike(address(CT, (c, L.T_BARW)), 0))
        while waits:
            b = first(waits)
            waits &= waits - 1
            if CT[c, L.T_BARN + b] == 0:
                complete(c, b, t)
        return
    if WS[w, L.W_ACT] == 0:
        WAKE[w] = L.BIG


@compiled
def meet(w: int, i: int, lanes: int, t: int) -> int:
    """BSYNC: the running `lanes` wait at convergence barrier C_AUX, or go on. Whether another group runs."""
    act = WS[w, L.W_ACT]
    b = CODE[i, L.C_AUX]
    if (WS[w, L.W_NEXT] | WS[w, L.W_READY]) & ~WS[w, L.W_YIELDED] and lacks_yielded(w, b, lanes | WS[w, L.W_BB + b]):
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
    settle(w, t, 0)
    return 1


@compiled
def break_out(w: int, i: int, lanes: int) -> int:
    """BREAK: `lanes` leave convergence barrier C_AUX, and who waited there only for them goes on."""
    act = WS[w, L.W_ACT]
    leave(w, CODE[i, L.C_AUX], lanes, 0)
    free = release(w)
    if popcount(np.uint32(free)) < popcount(np.uint32(act)) and free:
        # The fewer go first.
        park(w, act, i + 1)
        stack(w, run_some(w, free, first(np.uint32(free))))
        return 1
    stack(w, free)
    return 0


@compiled
def wanted(w: int, i: int, k: int) -> int:
    """The mask that lane k has at WARPSYNC; that of ALL is another than that of 32 bits (H200)."""
    if CODE[i, L.C_DATA] >= 0:
        return np.int64(load32(WS[w, L.W_STATE] + CODE[i, L.C_DATA] + 4 * k))
    return CODE[i, L.C_AUX] if CODE[i, L.C_AUX] >= 0 else MASKS


@compiled
def alike_in(w: int, i: int, lanes: int, mask: int) -> int:
    """Those of the `lanes` at WARPSYNC that have this mask."""
    out = 0
    for k in range(32):
        if lanes >> k & 1 and wanted(w, i, k) == mask:
            out |= 1 << k
    return out


@compiled
def waiting_in(w: int, mask: int) -> int:
    """The lanes that wait in a collective of this mask, wherever they are."""
    out = 0
    for k in range(32):
        if WS[w, L.W_COLLECTIVE] >> k & 1 and LPC[w, 32 + k] & MASKS == mask:
            out |= 1 << k
    return out


@compiled
def warp_sync(w: int, i: int, lanes: int, t: int) -> int:
    """WARPSYNC: of the running `lanes` those go on for whose mask all living lanes are among them, with the same mask;
    the others make way, and come here again (H200). EXCLUSIVE, COLLECTIVE: of several masks one at a time, and for a
    collective those count that wait in one, wherever that is. Whether another group runs, or minus the fault."""
    collective = CODE[i, L.C_TARGET] >= 0
    single = collective or CODE[i, L.C_AUX2] != 0
    met = 0
    joined = 0
    cost = 0
    aside = WS[w, L.W_ACT] & ~lanes if single else 0
    todo = lanes
    while todo:
        mask = wanted(w, i, first(np.uint32(todo)))
        these = alike_in(w, i, todo, mask)
        if these & ~mask:
            G[L.G_FLANE] = first(np.uint32(these & ~mask))
            return -K.F_INSTR
        todo &= ~these
        if single and popcount(np.uint32(these)) > popcount(np.uint32(todo)) and todo:
            # The fewer go first.
            cost += FEWER
            park(w, these, i)
            WS[w, L.W_WSYNC] |= these
            lanes = todo
            continue
        if single:
            aside |= todo
            lanes = these
            todo = 0
        if collective:
            joined = waiting_in(w, mask)
        if mask & WS[w, L.W_ALIVE] & ~(these | joined) == 0:
            met |= these
        cost += MASK if todo else 0
    longer = CODE[i, L.C_DATA] >= 0
    if longer:
        WS[w, L.W_SWITCH] = WARPSYNC + cost
    if met and joined:
        draft(w, joined)
    if aside:
        # Lanes of other masks are next, and come here again.
        park(w, aside, i)
        WS[w, L.W_WSYNC] |= aside
    late = lanes & ~met
    if late:
        await_others(w, i, late)
    if WS[w, L.W_ACT]:
        WS[w, L.W_TRIED] = 0
        return 1 if late or single else 0
    settle(w, t, late)
    WS[w, L.W_SWITCH] += (WAIT if longer else WAIT_ALL) + cost
    return 1


@compiled
def await_others(w: int, i: int, lanes: int) -> None:
    """`lanes` make way at WARPSYNC, and execute it again when it is their turn."""
    for k in range(32):
        if lanes >> k & 1:
            LPC[w, k] = i
            LPC[w, 32 + k] = wanted(w, i, k) | CODE[i, L.C_TARGET] << 33
    if WS[w, L.W_YIELDED] == 0:
        WS[w, L.W_TURN] = first(np.uint32(lanes))
    WS[w, L.W_READY] |= lanes
    WS[w, L.W_YIELDED] |= lanes
    WS[w, L.W_WSYNC] |= lanes
    WS[w, L.W_TRIED] |= lanes
    if CODE[i, L.C_TARGET] >= 0:
        WS[w, L.W_COLLECTIVE] |= lanes
    WS[w, L.W_ACT] &= ~lanes


@compiled
def draft(w: int, lanes: int) -> None:
    """All lanes of a collective have come: those that waited in theirs run that of the last with them."""
    WS[w, L.W_READY] = (WS[w, L.W_READY] | WS[w, L.W_NEXT]) & ~lanes
    WS[w, L.W_NEXT] = 0
    WS[w, L.W_YIELDED] &= ~lanes
    WS[w, L.W_WSYNC] &= ~lanes
    WS[w, L.W_COLLECTIVE] &= ~lanes
    WS[w, L.W_DRAFTED] |= lanes
    WS[w, L.W_ACT] |= lanes


@compiled
def end_collective(w: int) -> None:
    """ENDCOLLECTIVE: lanes that only helped go on where their own WARPSYNC says."""
    drafted = WS[w, L.W_DRAFTED] & WS[w, L.W_ACT]
    for k in range(32):
        if drafted >> k & 1:
            LPC[w, k] = LPC[w, 32 + k] >> 33
    WS[w, L.W_DRAFTED] &= ~drafted
    WS[w, L.W_RETURNED] |= drafted
    WS[w, L.W_ACT] &= ~drafted
    WS[w, L.W_READY] |= drafted
