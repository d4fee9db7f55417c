"""Timing of loads: L1 and its banks, places for lines under way, SMs that ask for the same lines.

A set of L1 is three of the host's cache lines, of which most loads need the first: L1 uint32[sm, 48 * sets], of a set
8 tags; its ways from the one used last to the one used longest ago, four bits each, as differences from 0, 1, ... 7;
what `M_FRESH` of the SM was when the set was last looked at (if it is another now, no sector is there); which sectors
are there or on their way, four bits a way; when the last of them comes; then, for each of 8 lines, when each of its 4
sectors comes.
"""

from __future__ import annotations

import numpy as np

from runtime.device.sm.language.lang import compiled
from runtime.device.sm.language.raw import address, first
from runtime.device.sm.language.vector import find8, latest, prefetch, set_times
from runtime.device.sm.memory.l2 import (
    AHEAD,
    BK_ASKED,
    BK_COMES,
    BW_UP,
    LAST,
    MP_ASK,
    MP_AT_DOWN,
    MP_AT_LATE,
    MP_EPOCH,
    MP_RECEIVE,
    MP_RECEIVE_LINE,
    MP_ROOM,
    NEAR_BIT,
    WAITED,
    l2_ahead,
    l2_home,
    l2_read,
    l2_set,
    rest,
    sector_count,
    tag_of,
    take,
    until,
)
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import BK, L1, MP, PCC, SM, G, X

SET = 48
"""Words of a set."""
ORDER, FRESH, THERE, COMING, TIMES = 8, 9, 10, 11, 16
"""Where in a set its parts begin, behind the tags."""
WAYS = 8
ONES, NUMBERS = 0x11111111, 0x76543210
"""Four bits for each way: 1, and the number of the way."""
MISSES = 4100
"""Where in X a load keeps the lines that miss: line, sectors (above them its partition of L2), set of L1 (with the way
above it), set of L2."""
SETS = 5000
"""Where in X a load keeps the sets of L1 of its lines."""
MISSED = 4006
"""Where in X a load leaves how many those are."""
SHARED = 128
JOINED = 3
"""Requests of 8 SMs for the same sectors, of which so many join another that waits (H200: of 132 SMs that read the
same words once, 3.8 make one request of L2, and so of 2048 warps). The latest lines asked for are known."""
SCATTERED = 8
"""Lines of a load from which on it counts as one that is not coalesced."""


@compiled(inline=True)
def l1_set(line: int) -> int:
    """Where the set of a line begins: rows of a matrix do not all meet in a few sets, nor do lines of local memory,
    whatever half of L2 they are in."""
    line &= ~(1 << NEAR_BIT)
    return SET * rest(line ^ ((line >> 5 ^ line >> 10 ^ line >> 15) & 31), G[L.G_L1SETS], G[L.G_L1OVER])


@compiled(inline=True)
def way_of(m: int, at: int, line: int) -> int:
    """The way that has a line in the set at `at`, with some of its sectors; or -1."""
    hits = find8(address(L1, (m, at)), tag_of(line))
    return first(np.uint32(hits)) if hits and L1[m, at + FRESH] == SM[m, L.M_FRESH] else -1


@compiled(inline=True)
def use(m: int, at: int, line: int) -> int:
    """The way of a line in the set at `at`, which is used now; if the line was not there, that used longest ago."""
    if L1[m, at + FRESH] != SM[m, L.M_FRESH]:
        L1[m, at + FRESH] = SM[m, L.M_FRESH]
        L1[m, at + THERE] = 0
        L1[m, at + COMING] = 0
    order = L1[m, at + ORDER] ^ NUMBERS
    hits = find8(address(L1, (m, at)), tag_of(line))
    way = order >> 28
    below = 28
    if hits:
        way = first(np.uint32(hits))
        # The lowest four bits that are those of the way.
        other = order ^ way * ONES
        below = first(np.uint32((other - ONES) & ~other & 8 * ONES)) - 3
    else:
        L1[m, at + way] = tag_of(line)
        L1[m, at + THERE] &= ~(15 << 4 * way)
    newer = order & (1 << below) - 1
    L1[m, at + ORDER] = (order >> below + 4 << below + 4 | newer << 4 | way) ^ NUMBERS
    return way


@compiled(inline=True)
def fill(m: int, at: int, way: int, sectors: int, t: int) -> None:
    """Sectors of the line in a way of the set at `at` come at `t`."""
    L1[m, at + THERE] |= sectors << 4 * way
    L1[m, at + COMING] = max(L1[m, at + COMING], min(t, LAST))
    set_times(address(L1, (m, at + TIMES + 4 * way)), sectors, until(t))


@compiled(inline=True)
def forget(m: int, line: int, sectors: int) -> None:
    """These sectors of a line are not in L1 any more."""
    at = l1_set(line)
    way = way_of(m, at, line)
    if way >= 0:
        L1[m, at + THERE] &= ~(sectors << 4 * way)


@compiled(inline=True)
def find_sets(lines: int, m: int) -> None:
    """The sets of L1 of the lines in X, in X[SETS + k]; the host fetches what says which lines they hold."""
    for k in range(lines):
        at = l1_set(X[2 * k])
        X[SETS + k] = at
        prefetch(address(L1, (m, at)))


@compiled
def keep_lines(lines: int, m: int, t: int, words: bool, i: int) -> None:
    """What a store of the lines in X leaves in L1: all of it, if it is of whole words (H200: loads of it hit, in local
    and global memory, also where nothing was loaded before, though each store goes on to L2); bytes and halves only in
    sectors that are there (an array that was stored byte by byte misses once a sector, one of words nowhere). Of a
    sector all counts as there. Its sectors of a line of which some are there are hits, as ncu counts stores'."""
    for k in range(lines):
        at = X[SETS + k]
        if words:
            way = use(m, at, X[2 * k])
            if L1[m, at + THERE] >> 4 * way & 15:
                PCC[i, L.P_L1HIT] += sector_count(X[2 * k + 1])
            fill(m, at, way, X[2 * k + 1], t)
        else:
            way = way_of(m, at, X[2 * k])
            if way >= 0 and L1[m, at + THERE] >> 4 * way & 15:
                PCC[i, L.P_L1HIT] += sector_count(X[2 * k + 1])


@compiled
def under_way(lines: int, m: int, t: int) -> int:
    """When, from `t` on, no sector of the lines in X is on its way to L1: a store waits for it, and what is behind that
    in its sub-core's queue (H200: a load and at once a store to its place take up to twice as long as to another), but
    not the load/store unit (sums in memory whose next word is loaded before this one is stored)."""
    for k in range(lines):
        at = X[SETS + k]
        if L1[m, at + COMING] > t:
            way = way_of(m, at, X[2 * k])
            if way >= 0:
                there = L1[m, at + THERE] >> 4 * way & X[2 * k + 1]
                t = max(t, latest(address(L1, (m, at + TIMES + 4 * way)), there))
    return t


@compiled(inline=True)
def joined(m: int, t: int, line: int, need: int, bypass: int) -> int:
    """When the sectors of a line are there that SM m asks for at `t`, if another of its group has asked for them and
    waits; 0: nobody has. (SMs run one after another, so that the other may have asked a little later.)"""
    place = SM[m, L.M_GROUP] * SHARED + (line & (SHARED - 1))
    other = BK[BK_ASKED, place] ^ MP[MP_EPOCH] ^ line
    if bypass > 1 or other & ~(15 << 44) or (other >> 44 == m & 15 and not bypass):
        return 0
    word = BK[BK_COMES, place]
    asked = word >> 24
    took = word >> 6 & 0x1FFFF
    if need & ~word & 15 or word >> 4 & 3 == JOINED or asked + took <= t or t + took <= asked:
        return 0
    BK[BK_COMES, place] = word + 16
    # Who asked later and waited for what others had asked for had it no later for that.
    return t + took if asked > t and not word >> 23 & 1 else asked + took


@compiled(inline=True)
def miss_ahead(m: int, n: int) -> None:
    """Have the host fetch what the miss at X[n] of SM m will look at in L2."""
    home = X[n + 1] >> 4
    l2_ahead(X[n + 3], SM[m, L.M_SIDE])
    if home != SM[m, L.M_SIDE]:
        l2_ahead(X[n + 3], home)


@compiled
def read_lines(lines: int, m: int, t: int, latency: int, bypass: int, i: int) -> int:
    """A load by SM m of the lines in X[0 : 2 * lines] (line number, sector bits) that the unit took at `t`; an L1 hit
    is served at `t + latency`. The time at which all of it is there. First all lines are looked up in L1, so that the
    host can fetch the sets of L2 for those that miss."""
    done = t + latency
    rooms = address(SM, (m, L.M_ROOM + SM[m, L.M_ROOMS]))
    for k in range(0, lines, 8):
        prefetch(rooms + 8 * k)
    if not bypass:
        find_sets(lines, m)
        if lines >= SCATTERED:
            # No branch hangs on what the host waits for here, so it waits for all of it at once.
            for k in range(lines):
                at = X[SETS + k]
                way = first(np.uint32(find8(address(L1, (m, at)), tag_of(X[2 * k])))) & (WAYS - 1)
                prefetch(address(L1, (m, at + TIMES + 4 * way)))
    misses = 0
    for k in range(lines):
        line = X[2 * k]
        missing = X[2 * k + 1]
        place = -1
        if not bypass:
            at = X[SETS + k]
            way = use(m, at, line)
            place = at | way << 32
            there = L1[m, at + THERE] >> 4 * way & missing
            if there:
                missing ^= there
                PCC[i, L.P_L1HIT] += sector_count(there)
                if L1[m, at + COMING] > done:
                    done = max(done, latest(address(L1, (m, at + TIMES + 4 * way)), there))
            if missing:
                prefetch(address(L1, (m, at + TIMES + 4 * way)))
        if missing:
            home = l2_home(line)
            n = MISSES + 4 * misses
            X[n] = line
            X[n + 1] = missing | home << 4
            X[n + 2] = place
            X[n + 3] = l2_set(line)
            misses += 1
            if misses <= AHEAD:
                miss_ahead(m, n)
    X[MISSED] = misses
    for k in range(misses):
        n = MISSES + 4 * k
        if k + AHEAD < misses:
            miss_ahead(m, n + 4 * AHEAD)
        line = X[n]
        missing = X[n + 1] & 15
        # A line waits for one of the places that the SM has for lines under way.
        place_ = SM[m, L.M_ROOMS]
        asked = t
        if SM[m, L.M_ROOM + place_] > asked + latency:
            asked = SM[m, L.M_ROOM + place_] - latency
        asked = take(BW_UP + m, asked, MP[MP_ASK])
        there = joined(m, asked, line, missing, bypass)
        if there == 0:
            PCC[i, L.P_ASKED] += sector_count(missing)
            there = l2_read(m, asked + latency, line, missing, X[n + 1] >> 4, X[n + 3], lines >= SCATTERED, i)
            place = SM[m, L.M_GROUP] * SHARED + (line & (SHARED - 1))
            BK[BK_ASKED, place] = line | (m & 15) << 44 | MP[MP_EPOCH]
            BK[BK_COMES, place] = asked << 24 | X[WAITED] << 23 | (there - asked & 0x1FFFF) << 6 | missing
        took = max(sector_count(missing) * MP[MP_RECEIVE], MP[MP_RECEIVE_LINE])
        there = take(MP[MP_AT_DOWN] + SM[m, L.M_TPC], there, took)
        SM[m, L.M_ROOM + place_] = there
        SM[m, L.M_ROOMS] = place_ + 1 if place_ + 1 < MP[MP_ROOM] else 0
        if not bypass:
            at = X[n + 2] & 0xFFFFFFFF
            way = X[n + 2] >> 32
            # Unless a later line of the same load has taken the place.
            if L1[m, at + way] == tag_of(line):
                fill(m, at, way, missing, there)
            SM[m, L.M_COMING] = max(SM[m, L.M_COMING], there)
        if there > done:
            done = there
    return done


@compiled(inline=True)
def late_passes(m: int, done: int, passes: int) -> int:
    """When a load has its words whose data were not in L1 and are there at `done`: only then it passes over L1's banks,
    after others that waited (H200: loads of 32 lines whose words lie in one bank, which wait for the same miss, are
    answered 33 cycles apart, 16 in a row 500 cycles after the first)."""
    return take(MP[MP_AT_LATE] + m, done - passes, 16 * passes) + passes
