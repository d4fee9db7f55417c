"""Groups of lanes of a warp whose threads have their own PCs: which runs, which wait and for what, who goes on when.

A warp runs one group of lanes (W_ACT at W_PC). Other lanes are ready at their own PC (LPC, W_NEXT, W_READY), or
blocked at a convergence barrier (W_BB + b) or at WARPSYNC; all wait while the running group is at a CTA barrier. The
running group goes on until it blocks, exits or yields, whatever it waits for; then the group that was left latest
runs, and if that is done, others in turn. Groups meet at barriers, and when they wait for their turn at one place; a
loop that waits for lanes of its own warp without YIELD does not end. All of this as on an H200 (hand-built code of one
warp, in which every lane notes the clock). LPC int64[warp, 64]: lane PCs, then what lanes wait for at WARPSYNC: the
mask, and above it where they go on behind a collective.
"""

from __future__ import annotations

import numpy as np

from runtime.device.sm.core.barrier import complete
from runtime.device.sm.core.converge import complete_groups, fellows, lacks_yielded, leave
from runtime.device.sm.language.lang import compiled
from runtime.device.sm.language.raw import address, first, highest_bit, load32, popcount
from runtime.device.sm.language.vector import alike
from runtime.device.sm.memory.access import FULL
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CODE, CT, LPC, WAKE, WS, G

SYNC, SWITCH, RESUME, LOOK = 14, 16, 51, 53
"""Cycles from BSYNC or BREAK to the next issue, if the lanes go on; from what ends a group's turn to that of the group
that was left latest; to that of any other, also of the same; more, if lanes that yield have only such beside them as
wait at WARPSYNC, which look whether they can go on (H200)."""


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
    if WS[w, L.W_ACT] == act and WS[w, L.W_WSYNC] & ~WS[w, L.W_COLLECTIVE]:
        WS[w, L.W_SWITCH] += LOOK


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
    settle(w, t, 0, 0, 0)
    return 1


@compiled
def break_out(w: int, i: int, lanes: int) -> int:
    """BREAK: `lanes` leave convergence barrier C_AUX, and who waited there only for them goes on."""
    act = WS[w, L.W_ACT]
    leave(w, CODE[i, L.C_AUX], lanes, 0)
    free = release(w, 0, 0)
    if popcount(np.uint32(free)) < popcount(np.uint32(act)) and free:
        # The fewer go first.
        park(w, act, i + 1)
        stack(w, run_some(w, free, first(np.uint32(free))))
        return 1
    stack(w, free)
    return 0


@compiled
def warp_sync(w: int, i: int, lanes: int, t: int) -> int:
    """WARPSYNC: `lanes` wait for those of their masks, or go on. Whether another group runs, or minus the fault."""
    act = WS[w, L.W_ACT]
    state = WS[w, L.W_STATE]
    leader = first(np.uint32(lanes))
    wanted = FULL
    if CODE[i, L.C_DATA] >= 0:
        wanted = np.int64(load32(state + CODE[i, L.C_DATA] + 4 * leader))
    elif CODE[i, L.C_AUX] >= 0:
        wanted = CODE[i, L.C_AUX]
    collective = CODE[i, L.C_TARGET]
    rest = 0
    if CODE[i, L.C_DATA] >= 0 and CODE[i, L.C_AUX2] == 0 and collective < 0:
        for k in range(32):
            if lanes >> k & 1 and not np.int64(load32(state + CODE[i, L.C_DATA] + 4 * k)) >> k & 1:
                G[L.G_FLANE] = k
                return -K.F_INSTR
    if CODE[i, L.C_AUX2] or collective >= 0:
        # EXCLUSIVE, COLLECTIVE: the lanes of one mask go on by themselves; others come here again when those block.
        if collective >= 0 and not wanted >> leader & 1:
            G[L.G_FLANE] = leader
            return -K.F_INSTR
        wanted |= 1 << leader
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


@compiled
def end_collective(w: int) -> None:
    """ENDCOLLECTIVE: lanes that only helped go on where their own WARPSYNC says."""
    drafted = WS[w, L.W_DRAFTED] & WS[w, L.W_ACT]
    for k in range(32):
        if drafted >> k & 1:
            LPC[w, k] = LPC[w, 32 + k] >> 32
    WS[w, L.W_DRAFTED] &= ~drafted
    WS[w, L.W_ACT] &= ~drafted
    stack(w, drafted)
