"""Stores and reductions on their way from an SM to L2: what is held back and joined, packets, sums of floats."""

from __future__ import annotations

import numpy as np

from runtime.device.sm.language.lang import compiled, u32
from runtime.device.sm.language.raw import address, loads64
from runtime.device.sm.language.vector import prefetch
from runtime.device.sm.memory.l1 import forget
from runtime.device.sm.memory.l2 import (
    AHEAD,
    BK_WRITTEN,
    BW_UP,
    DEVICE,
    LAST,
    MP_ATOM_AGAIN,
    MP_ATOM_LINE,
    MP_ATOM_PASS,
    MP_ATOM_SECTOR,
    MP_ATOM_SLOW,
    MP_ATOM_SUM,
    MP_EPOCH,
    MP_FAR,
    MP_NEAR,
    MP_SEND_ASK,
    MP_SEND_ATOM,
    MP_SEND_JOIN,
    MP_SEND_PART,
    MP_SEND_SECTOR,
    MP_SENT,
    Q_SUMS,
    held_at,
    l2_ahead,
    l2_home,
    l2_set,
    l2_slice,
    l2_write,
    sector_count,
    take,
)
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import BK, MP, PCC, QUEUE, SC, SM, X

IDLE = 12
"""Cycles without a store after which an SM lets go of the lines that it holds back for more stores to them."""
WHOLE = 10
"""Cycles for which it holds a line that was stored to in all its words."""
HELD = 32
"""As soon as it holds so many lines, it lets go of all (H200: eight warps that store to 28 lines in turns send each
once, of 32 lines each eight times)."""
STAYS, LEAVES = 11, 16
"""Cycles from the last store to a line until it leaves, and, beside one for each of its sectors, until it is gone."""
LINE = 128
BYTES, INDEX = 4, 12
"""Where in what an SM notes of a line it holds the bytes that were stored to begin, and the number of the store."""
SENT = 4005
"""Where in X a store leaves the time at which it has left the SM."""
SENDS = 4050
"""Where in X a store leaves how many lines it sends: the others join what is held."""
MANY = 8
"""Lines of a store from which on the host is asked early for what each of them is noted in."""
QUEUED = 512
"""Cycles of a slice's work that may wait for it before a reduction that waits holds up what its SM sends behind it
(H200: one SM whose warps add to four slices in turn has all four busy, though each warp begins at the first)."""
LATE = 4011
"""Where in X a store leaves which of its lines it came too late for (see `late`), in bits."""
MARKED = 62
"""How many lines of a store have a bit of their own there; those behind share one, and keep what they have in L1."""
PACKETS = 4012
"""Where in X a reduction keeps the packets of each line."""


@compiled(rare=True)
def let_go(m: int) -> None:
    """SM m has no room for another line: those that it holds leave."""
    SM[m, L.M_LET] = SM[m, L.M_GONE]
    SM[m, L.M_GONE] = SM[m, L.M_FULL] = SM[m, L.M_STORED]
    SM[m, L.M_HELD] = 0


@compiled(rare=True)
def lose(m: int) -> None:
    """A line is stored to that SM m has just had no room for: it and those that left with it are not in its L1 any
    more."""
    for place in range(L.M_STORE, L.M_STORE + L.NOTED * L.STORES, L.NOTED):
        line = SM[m, place] - 1
        brought = SM[m, place + 1] >> INDEX
        if brought > SM[m, L.M_LET] and brought <= SM[m, L.M_GONE] and line >> DEVICE & 1:
            forget(m, line, 15)
    SM[m, L.M_LET] = SM[m, L.M_GONE]


@compiled(inline=True)
def late(sc: int, slot: int, t: int, local: bool) -> int:
    """Whether a store of sub-core sc at `t` finds its line, noted at `slot`, on its way out of the SM: then L1 has no
    more of the line than what it stores itself (H200, 968 rows of stores, of words, halves and bytes, by 1 to 8 warps:
    up to 10 cycles after the last store to the line it joins that; then what waits goes, a sector a cycle. With one
    other line of its sub-core's in between, be it at once, it does not join either; with two it comes too late only if
    the line is of more than a sector, with three the line is gone. In local memory two lines are as one there)."""
    last = SM[sc >> 2, slot + 5]
    away = t - (last >> 32)
    takes = last & 1023
    if away > takes:
        return 0
    between = SC[sc, L.S_TURN] - (last >> 12) & 0xFFFFF
    if last >> 10 & 3 != sc & 3:
        between = 0
    if local:
        between >>= 1
    if between == 0:
        return 1 if away >= STAYS else 0
    return 1 if between == 1 or (between == 2 and takes > LEAVES + 1) else 0


@compiled(inline=True)
def note(sc: int, slot: int, line: int, t: int, sectors: int) -> None:
    """Sub-core sc stores to so many sectors of a line, noted at `slot`: what `late` asks for."""
    m = sc >> 2
    if SC[sc, L.S_LINE] != line + 1:
        SC[sc, L.S_LINE] = line + 1
        SC[sc, L.S_TURN] += 1
    SM[m, L.M_DRAINED] = max(SM[m, L.M_DRAINED], t + LEAVES) + sectors
    takes = min(SM[m, L.M_DRAINED] - t, 1023)
    SM[m, slot + 5] = t << 32 | (SC[sc, L.S_TURN] & 0xFFFFF) << 12 | (sc & 3) << 10 | takes


@compiled(rare=True)
def lose_parts(m: int, lines: int, lanes: int, mask: u32, width: int, local: bool) -> None:
    """Of those lines in X that a store of SM m came too late for (X[LATE]) L1 has only the sectors that it wrote in
    all their words."""
    for k in range(min(lines, MARKED)):
        if X[LATE] >> k & 1:
            line = X[2 * k]
            stored = 0
            for lane in range(32):
                if mask >> np.uint32(lane) & np.uint32(1):
                    a = loads64(lanes + 8 * lane)
                    there = line - (a >> 7)
                    if there == 0 or (local and there > 0 and there < width >> 2):
                        stored += min(width, 4 if local else 16) << 12 * (a >> 5 & 3)
            whole = 0
            for s in range(4):
                whole |= (1 if (stored >> 12 * s & 4095) >= 32 else 0) << s
            forget(m, line, ~whole & 15 if width < 4 else ~X[2 * k + 1] & 15)


@compiled(rare=True)
def summed(m: int, line: int, need: int, units: int) -> int:
    """What packets of SM m that add floats to one sector of a line take its slice, in sixteenths of a cycle each, on
    top of what others do: one waits for the one before if that was to the same sector, be it to another word (H200:
    65,536 to one word, or to two of a sector in turn, 3.5 cycles each; of two, four, eight sectors in turn 2.6, 2.0,
    1.6). Packets of different SMs that wait come by turns, so how often the one before was to another sector goes by
    what other SMs have asked the slice for latest (Q_SUMS)."""
    slice_ = l2_slice(line, l2_home(line))
    mine = (line << 4 | need) * 0x9E3779B1 >> 16 & 0xFF00 | m + 1 & 255
    asked = QUEUE[slice_, Q_SUMS]
    # The latest of each of four SMs, this one's first.
    asked = (asked if (asked ^ mine) & 255 else asked >> 16 & (1 << 48) - 1) << 16 | mine
    QUEUE[slice_, Q_SUMS] = asked
    same = 0
    others = 0
    for k in range(1, 4):
        other = asked >> 16 * k & 0xFFFF
        if other:
            others += 1
            if (other ^ mine) >> 8 == 0:
                same += 1
    return units * same // others if others else units


@compiled
def write_lines(
    lines: int,
    sc: int,
    t: int,
    atomic: int,
    answer: int,
    part: int,
    share: int,
    weight: int,
    issued: int,
    local: bool,
    i: int,
) -> int:
    """A store by sub-core sc of the lines in X, issued at `issued`, or with `atomic` not -1 a reduction, whose packets
    for each line are X[PACKETS + k]; `atomic` & 1: one that is slow on several words of a sector; & 2: of floats;
    `answer`: whether it has one. `part` 1: not of whole sectors, 3: of lanes that name the same places, 5: the same
    byte; `share`: the bytes of a sector that it is of; `weight`: of how many lines a line that it brings takes the
    place. The time at which L2 has taken all of it; X[SENT] when the SM has sent it, X[LATE] which lines it came too
    late for."""
    done = t
    X[SENT] = t
    X[SENDS] = 0
    X[LATE] = 0
    m = sc >> 2
    if atomic < 0 and t > SM[m, L.M_HOLDS]:
        SM[m, L.M_GONE] = SM[m, L.M_LET] = SM[m, L.M_STORED]
        SM[m, L.M_HELD] = 0
    if lines >= MANY:
        rooms = address(SM, (m, L.M_SENT + SM[m, L.M_SENTS]))
        for k in range(0, lines, 8):
            prefetch(rooms + 8 * k)
        for k in range(lines):
            prefetch(address(SM, (m, held_at(X[2 * k]))))
    for k in range(min(lines, AHEAD)):
        l2_ahead(l2_set(X[2 * k]), l2_home(X[2 * k]))
    for k in range(lines):
        if k + AHEAD < lines:
            following = X[2 * (k + AHEAD)]
            l2_ahead(l2_set(following), l2_home(following))
        need = X[2 * k + 1]
        slot = held_at(X[2 * k])
        more = 0
        more_bytes = 0
        if atomic < 0:
            # Stores to a line that is held, or waits for L2 to take it, leave the SM as one.
            held = SM[m, slot + 1] >> INDEX > SM[m, L.M_GONE] and t <= SM[m, slot + 2]
            waits = SM[m, slot + 1] >> INDEX > SM[m, L.M_FULL] and t <= SM[m, slot + 4]
            more_bytes = min(sector_count(need) * share, LINE)
            if part and SM[m, slot] == X[2 * k] + 1 and late(sc, slot, issued, local):
                X[LATE] |= 1 << min(k, MARKED)
            note(sc, slot, X[2 * k], issued, sector_count(need))
            if SM[m, slot] == X[2 * k] + 1 and (held or waits):
                there = SM[m, slot + 1] >> BYTES & 255
                if held and there < LINE and there + more_bytes >= LINE:
                    # Now all of it is stored to: it is held on, but makes room.
                    SM[m, L.M_HELD] = max(SM[m, L.M_HELD] - weight, 0)
                need &= ~SM[m, slot + 1]
                SM[m, slot + 1] = (SM[m, slot + 1] | need) + (min(there + more_bytes, LINE) - there << BYTES)
                if need == 0:
                    take(BW_UP + m, t, MP[MP_SEND_JOIN])
                    if SM[m, slot + 3] > done:
                        done = SM[m, slot + 3]
                    continue
                more = 1
            else:
                if SM[m, slot] == X[2 * k] + 1 and SM[m, slot + 1] >> INDEX > SM[m, L.M_LET]:
                    lose(m)
                SM[m, L.M_STORED] += 1
                SM[m, slot] = X[2 * k] + 1
                SM[m, slot + 1] = need | min(more_bytes, LINE) << BYTES | SM[m, L.M_STORED] << INDEX
                SM[m, slot + 2] = t + WHOLE
                if more_bytes < LINE:
                    SM[m, slot + 2] = LAST << 20
                    SM[m, L.M_HELD] += weight
                    if SM[m, L.M_HELD] >= HELD:
                        let_go(m)
        elif SM[m, slot] == X[2 * k] + 1:
            SM[m, slot] = 0
        X[SENDS] += 1
        sectors = sector_count(need)
        how = 1 + part
        count = 1
        if atomic >= 0:
            count = X[PACKETS + k]
            units = count * (MP[MP_SEND_ASK] if answer else MP[MP_SEND_ATOM])
            how = MP[MP_ATOM_LINE] + (count - sectors) * MP[MP_ATOM_AGAIN] + sectors * MP[MP_ATOM_SECTOR]
            if atomic & 1:
                how = count * MP[MP_ATOM_SLOW]
            elif count > sectors or sectors == 1:
                # One word after another.
                where = l2_slice(X[2 * k], l2_home(X[2 * k]))
                last = X[2 * k] << 4 | need | MP[MP_EPOCH]
                if BK[BK_WRITTEN, where] == last:
                    how = count * MP[MP_ATOM_AGAIN]
                BK[BK_WRITTEN, where] = last
            if atomic & 2 and sectors == 1:
                how += count * summed(m, X[2 * k], need, MP[MP_ATOM_SUM] - MP[MP_ATOM_AGAIN])
            how = (5 if answer else 3) + 16 * how
            PCC[i, L.P_L2] += count
            PCC[i, L.P_L2HIT] += count
        else:
            units = sectors * MP[MP_SEND_SECTOR]
            if more == 0 and (part or sectors < 4):
                units += MP[MP_SEND_PART]
            how += (16 if more else 0) + (more_bytes << 8)
        PCC[i, L.P_ASKED] += sectors if atomic < 0 else count
        # So many packets can be on their way.
        place_ = SM[m, L.M_SENTS]
        room = SM[m, L.M_SENT + place_]
        asked = take(BW_UP + m, max(t, room), units)
        if atomic < 0 and room > t:
            # It waits among the lines that are held, if there is a place for it.
            X[SENT] = max(X[SENT], SM[m, L.M_LEAVES + (SM[m, L.M_LEAVE] & 31)])
        elif asked > X[SENT]:
            X[SENT] = asked
        if atomic < 0:
            SM[m, L.M_LEAVES + (SM[m, L.M_LEAVE] & 31)] = asked
            SM[m, L.M_LEAVE] += 1
        SM[m, slot + 4] = asked
        if atomic < 0 and asked + WHOLE > SM[m, slot + 2]:
            # More can join while it waits for its turn.
            SM[m, slot + 2] = asked + WHOLE
        if atomic >= 0 and l2_home(X[2 * k]) != SM[m, L.M_SIDE]:
            # It comes by the slice of its SM's half.
            asked = take(l2_slice(X[2 * k], SM[m, L.M_SIDE]), asked, count * MP[MP_ATOM_PASS])
            PCC[i, L.P_L2] += count
            PCC[i, L.P_L2HIT] += count
        in_order = atomic >= 0 and not answer
        if in_order:
            # One that its slice does not take yet holds up those behind it.
            asked = max(asked, SM[m, L.M_ARRIVED])
        taken = l2_write(m, asked, X[2 * k], need, how, i)
        if in_order:
            SM[m, L.M_ARRIVED] = taken - QUEUED
        for _ in range(count if atomic >= 0 else sectors):
            SM[m, L.M_SENT + place_] = taken
            place_ = place_ + 1 if place_ + 1 < MP[MP_SENT] else 0
        SM[m, L.M_SENTS] = place_
        if l2_home(X[2 * k]) != SM[m, L.M_SIDE]:
            taken += MP[MP_FAR] - MP[MP_NEAR]
        if answer:
            # Its last packet's.
            taken += (how >> 4) - MP[MP_ATOM_LINE] - MP[MP_ATOM_SECTOR] >> 4
        SM[m, slot + 3] = taken
        if taken > done:
            done = taken
    if atomic < 0:
        last = max(t + lines, X[SENT])
        if last + IDLE > SM[m, L.M_HOLDS]:
            SM[m, L.M_HOLDS] = last + IDLE
    return done
