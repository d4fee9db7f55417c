"""The front end of a sub-core: instruction fetch through three cache levels, and when a warp can go on.

An instruction line is 128 bytes (8 instructions). L0 of a sub-core: IC0 int64[sub-core, line] holds the order number
with which a line last came in (0 never): it is present while fewer than the level's capacity came after it. L1 and L1.5
of an SM have sets of four ways with a tree of three bits that leads to the way to replace: IC1, IC2 int64[sm, 5 * sets]
hold for each set four lines (plus one; 0 none) and the tree; behind IC2's sets, a bit for each line that has ever come.
(An H200 loses half of a loop's lines at 1.1 times a capacity and nearly all at 1.25, as such sets do: in order of age
it would lose all of them at once.) With a line that is asked for come those behind it, and what its line branches to
(C_FOLLOW); other jumps pay the level's latency. FP int64[...] holds capacities in lines or sets and costs in cycles.
"""

from __future__ import annotations

import numpy as np

from runtime.device.sm.language.lang import compiled, seldom
from runtime.device.sm.language.raw import address, choose, first, loads64, store64
from runtime.device.sm.memory.l2 import MP_AT_CONSTANTS, MP_AT_INDEXED, MP_STAMP, take
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CODE, CONST, FP, IC0, IC1, IC2, MP, SC, SM, WS, G

(
    FP_L0,
    FP_L1,
    FP_L15,
    FP_JUMP_L1,
    FP_JUMP_L15,
    FP_JUMP_L2,
    FP_JUMP_DRAM,
    FP_NEXT_L15,
    FP_PREWARMED,
    FP_BATCH,
    FP_AHEAD,
    FP_ASKED,
    FP_COUNT,
) = range(13)
SET = 5
"""Words of a set of L1 or L1.5."""
WAYS = 4
BEGIN, PUSHED, COMES_SHIFT = 16, 32, 6
"""Of a line of constants: it was asked for when its SM began, by all sub-cores at once; it loses its place at
N_UNTIL."""


@compiled(inline=True)
def keep(place: int, line: int) -> int:
    """Whether the set at a host address has a line; it has afterwards."""
    tree = loads64(place + 8 * WAYS)
    way = -1
    for k in range(WAYS):
        if loads64(place + 8 * k) == line + 1:
            way = k
    hit = 1 if way >= 0 else 0
    if way < 0:
        way = 2 + (tree >> 2) if tree & 1 else tree >> 1 & 1
        store64(place + 8 * way, np.uint64(line + 1))
    # The tree leads away from the way used last.
    if way < 2:
        tree = (tree & 4) | 1 | (1 - way) << 1
    else:
        tree = (tree & 2) | (3 - way) << 2
    store64(place + 8 * WAYS, np.uint64(tree))
    return hit


@compiled(inline=True)
def held(place: int, line: int) -> int:
    """Whether the set at a host address has a line."""
    there = 0
    for k in range(WAYS):
        there |= 1 if loads64(place + 8 * k) == line + 1 else 0
    return there


@compiled(rare=True)
def bring(m: int, line: int, last: int, new: int) -> int:
    """SM m is given the lines from `line` to `last`; if not `new`, only those that L1.5 has. How many L1 lacked."""
    lacked = 0
    last = min(last, G[L.G_NINSTR] - 1 >> 3)
    while line <= last:
        ever = SET * FP[FP_L15] + (line >> 6)
        place = address(IC2, (m, line % FP[FP_L15] * SET))
        prewarmed = line < FP[FP_PREWARMED] and not IC2[m, ever] >> (line & 63) & 1
        if not new and not prewarmed and not held(place, line):
            return lacked
        keep(place, line)
        IC2[m, ever] |= 1 << (line & 63)
        lacked += 1 - keep(address(IC1, (m, line % FP[FP_L1] * SET)), line)
        SM[m, L.M_AHEAD] = line
        line += 1
    return lacked


@compiled(rare=True)
def missed(m: int, line: int, t: int) -> int:
    """When SM m has a line that L1 lacks, asked at `t`: with it come those behind it, and from beyond L1.5 the next of
    these are asked for when they have come, one after the other (H200, 253 ways through code that never ran: straight
    on, over 1 to 64 lines, with runs between and turns at a place). An SM is given so many lines as its GPC's are
    served in turns, though they may ask for the same (H200: one line a cycle for all of them; warps that jump over
    eight lines in step take 65 cycles for each in one SM, 96 in all)."""
    ever = SET * FP[FP_L15] + (line >> 6)
    place = address(IC2, (m, line % FP[FP_L15] * SET))
    known = IC2[m, ever] >> (line & 63) & 1
    asked = max(t, SM[m, L.M_CODEPORT] + 15 >> 4)
    if held(place, line) or (not known and line < FP[FP_PREWARMED]):
        t = asked + FP[FP_JUMP_L15]
    else:
        latency = FP[FP_JUMP_L2] if known else FP[FP_JUMP_DRAM]
        behind = line - SM[m, L.M_BATCH]
        there = asked + latency
        if behind >= FP[FP_BATCH] and behind < 2 * FP[FP_BATCH]:
            there = min(there, max(asked, SM[m, L.M_BATCHTIME] + latency + (behind - FP[FP_BATCH]) * FP[FP_ASKED]))
        t = there
        SM[m, L.M_BATCH] = line
        SM[m, L.M_BATCHTIME] = t
        # Lines come to L1.5 in pairs.
        keep(address(IC2, (m, (line & ~1) % FP[FP_L15] * SET)), line & ~1)
        IC2[m, ever] |= 1 << (line & 62)
    SM[m, L.M_CODEPORT] = 16 * asked + bring(m, line, line + FP[FP_BATCH] - 1, 1) * SM[m, L.M_CODELINE]
    SM[m, L.M_COMES] = SM[m, L.M_CAME] = t
    return t


@compiled(inline=False)
def fetch(sc: int, line: int, away: int, pc: int, t: int) -> int:
    """When the sub-core has instruction `line`, `away` lines behind the one before, that a warp turns to at `t` to go
    on at `pc`."""
    m = sc >> 2
    # What another warp has asked for last may still be on its way.
    if SM[m, L.M_LINE] == line and SM[m, L.M_LINETIME] > t:
        t = SM[m, L.M_LINETIME]
        away = 1
    came = IC0[sc, line]
    if came and SC[sc, L.S_L0N] - came < FP[FP_L0]:
        return t
    follow = CODE[pc, L.C_FOLLOW] >> 3
    SC[sc, L.S_L0N] += 1
    IC0[sc, line] = SC[sc, L.S_L0N]
    if follow < 0 and away != 1:
        # The two lines behind come to L0 with it, if they are not there.
        for k in range(1, 3):
            came = IC0[sc, min(line + k, G[L.G_NINSTR] - 1 >> 3)]
            SC[sc, L.S_L0N] += 1 if came == 0 or SC[sc, L.S_L0N] - came >= FP[FP_L0] else 0
    if keep(address(IC1, (m, line % FP[FP_L1] * SET)), line):
        before = SM[m, L.M_AHEAD] - line
        there = t
        if before >= 0 and before < FP[FP_BATCH]:
            there = max(t, SM[m, L.M_COMES] if before < FP[FP_AHEAD] else SM[m, L.M_CAME])
            if before <= FP[FP_AHEAD]:
                lacked = bring(m, SM[m, L.M_AHEAD] + 1, SM[m, L.M_AHEAD] + FP[FP_AHEAD], 0)
                if lacked:
                    asked = max(max(SM[m, L.M_COMES], there), SM[m, L.M_CODEPORT] + 15 >> 4)
                    SM[m, L.M_CAME] = SM[m, L.M_COMES]
                    SM[m, L.M_COMES] = asked + FP[FP_AHEAD] * FP[FP_NEXT_L15]
                    SM[m, L.M_CODEPORT] = 16 * asked + lacked * SM[m, L.M_CODELINE]
        if away < 1 or away > 2:
            there = max(there, t + FP[FP_JUMP_L1])
        t = there
    else:
        t = missed(m, line, t)
    SM[m, L.M_LINE] = line
    SM[m, L.M_LINETIME] = t
    # Where the line ends in a branch by all lanes, what is there comes, too.
    if follow >= 0 and not held(address(IC1, (m, follow % FP[FP_L1] * SET)), follow):
        missed(m, follow, t)
    return t


@compiled(inline=True)
def arm(w: int, t: int) -> int:
    """The first cycle, from `t` on, in which warp w's next instruction passes its own conditions: fetched, scoreboards
    of its wait mask clear. Notes what it waits for."""
    pc = WS[w, L.W_PC]
    line = pc >> 3
    ready = t
    if seldom(line != WS[w, L.W_LINE]):
        ready = fetch(w >> 4, line, line - WS[w, L.W_LINE], pc, t)
        WS[w, L.W_LINE] = line
    WS[w, L.W_TFETCH] = ready
    SC[w >> 4, L.S_UNIT + (w & 15)] = CODE[pc, L.C_UNIT]
    SC[w >> 4, L.S_PC + (w & 15)] = pc
    wait = np.uint32(CODE[pc, L.C_WAIT])
    while seldom(wait):
        k = first(wait)
        wait &= wait - 1
        if WS[w, L.W_SB + k] > ready:
            ready = WS[w, L.W_SB + k]
            WS[w, L.W_SBLONG] = WS[w, L.W_SBL + k]
    WS[w, L.W_TSB] = ready
    return ready


@compiled(inline=True)
def from_gpc(m: int, t: int, miss: int) -> int:
    """When a line of constants that a sub-core of SM m asks for at `t` has come from the cache of its GPC."""
    return take(MP[MP_AT_CONSTANTS] + SM[m, L.M_GPC], t, G[L.G_IMCPORT]) + miss


@compiled(inline=True)
def comes(m: int, line: int) -> int:
    """What SM m has noted of a line of constants in this run (see `layout.N_COMES`), or 0."""
    return max(CONST[m, L.N_COMES + line] - (MP[MP_STAMP] << COMES_SHIFT), 0)


@compiled(inline=True)
def note_line(m: int, line: int, there: int, asked: int) -> None:
    """A line of constants comes to SM m at `there`."""
    CONST[m, L.N_COMES + line] = there + MP[MP_STAMP] << COMES_SHIFT | asked


@compiled(inline=True)
def sooner(m: int, column: int, t: int) -> int:
    """The earliest time of this run that was noted at a place of CONST, with `t`."""
    noted = CONST[m, column] - MP[MP_STAMP]
    if noted > 0 and noted < t:
        return noted
    CONST[m, column] = t + MP[MP_STAMP]
    return t


@compiled(rare=True)
def chunk(m: int, place: int, t: int) -> int:
    """When the GPC of SM m, which asks at `t` for a line of constants of its own or the compiler's, has the 256 bytes
    that the line is of: what another SM of it asked for it has, what other GPCs asked for is in L2 (H200, LDC by one SM
    after the other: 95 cycles, 315 for the first of a GPC, 570 for the first of all; those that ask meanwhile have it
    when that one has)."""
    # SMs run one after another: who asks earlier than who was here before has it no later for that.
    in_l2 = sooner(0, L.N_L2 + (place >> 2), t + G[L.G_IMCDRAM])
    return max(t, sooner(SM[m, L.M_GPC], L.N_GPC + (place >> 2), max(t, in_l2) + G[L.G_IMCCOLD]))


@compiled(inline=True)
def set_of(line: int) -> int:
    """Where in SM the set that a line of constants is in begins: of operands' cache, or of LDC's."""
    other = 1 if line >= L.CONSTANT_LINES else 0
    place = line - other * L.CONSTANT_LINES
    return L.M_CONSTSET + (other * L.CONSTANT_SETS + (place & (L.CONSTANT_SETS - 1))) * (L.CONSTANT_WAYS + 1)


@compiled(inline=True)
def used(m: int, at: int, way: int) -> None:
    """A way of a set of LDC's cache is used: its tree leads away from it."""
    tree = SM[m, at]
    SM[m, at] = choose(way < 2, (tree & 4) | 1 | (1 - way) << 1, (tree & 2) | (3 - way) << 2)


@compiled(inline=True)
def touch(m: int, line: int) -> None:
    """The same for a line of LDC's, if it has its place."""
    at = set_of(line)
    for way in range(L.CONSTANT_WAYS):
        if SM[m, at + 1 + way] == line:
            used(m, at, way)


@compiled(rare=True)
def put(m: int, line: int, t: int) -> int:
    """A line of constants, asked for at `t`, takes a place in its set: of operands' cache that of the line which came
    first, of LDC's an empty one or that which a tree of three bits leads to (so an H200's goes: all but 3 of 2,560
    loads among 24 to 64 lines at random). When it is free: the line there may be under way. LDC's are done with in one
    go: what one of them takes later is there for others until then."""
    at = set_of(line)
    if line < L.CONSTANT_LINES:
        way = SM[m, at] & (L.CONSTANT_WAYS - 1)
        SM[m, at] += 1
        old = SM[m, at + 1 + way] - 1
        if old >= 0:
            CONST[m, L.N_COMES + old] = 0
            SM[m, L.M_CONST + (old >> 6)] &= ~(1 << (old & 63))
        SM[m, at + 1 + way] = line + 1
        return t
    tree = SM[m, at]
    way = choose(tree & 1, 2 + (tree >> 2), tree >> 1 & 1)
    for k in range(L.CONSTANT_WAYS):
        way = way if SM[m, at + L.CONSTANT_WAYS - k] else L.CONSTANT_WAYS - 1 - k
    old = SM[m, at + 1 + way]
    if old:
        if CONST[m, L.N_ASKED + old] <= t:
            # It is under way, and keeps its place until it comes.
            t = max(t, comes(m, old) >> COMES_SHIFT)
        CONST[m, L.N_COMES + old] |= PUSHED
        CONST[m, L.N_UNTIL + old] = max(t, comes(m, old) >> COMES_SHIFT)
        SM[m, L.M_CONST + (old >> 6)] &= ~(1 << (old & 63))
    SM[m, at + 1 + way] = line
    used(m, at, way)
    return t


@compiled(inline=True)
def between(m: int, at: int) -> int:
    """How far apart the lines of a set of LDC's cache were asked for."""
    first_ = L.BIG
    last = 0
    for k in range(L.CONSTANT_WAYS):
        line = SM[m, at + 1 + k]
        first_ = min(first_, CONST[m, L.N_ASKED + line] if line else 0)
        last = max(last, CONST[m, L.N_ASKED + line] if line else L.BIG)
    return last - first_


@compiled(rare=True)
def constant(sc: int, line: int, t: int, now: int) -> int:
    """When a sub-core, asked at `t` (by an instruction that began `now`), has a line of 64 bytes of constants: of bank
    0, from 256 on of others, from CONSTANT_LINES on of bank 0 for LDC, which has a cache of its own. Who asks first
    brings it, and everybody waits for that. Both caches hold 32 lines in sets by their lowest bits (an H200 loses all
    of 3 KB that it goes through in a loop, three lines of 2 KB). What comes from the level behind comes to that 256
    bytes at a time, and to a sub-core one line after the other."""
    m = sc >> 2
    gpc = SM[m, L.M_GPC]
    me = 1 << (sc & 3)
    there = comes(m, line) >> COMES_SHIFT
    asked = comes(m, line) & (1 << COMES_SHIFT) - 1
    if asked & PUSHED and CONST[m, L.N_UNTIL + line] <= t:
        there = 0
    other = 1 if line >= L.CONSTANT_LINES else 0
    place = line - other * L.CONSTANT_LINES
    miss = G[L.G_IMCLDC] if other else G[L.G_IMC]
    if place >= L.PARAMETER_LINES:
        miss += SM[m, L.M_CONSTANTFAR]
    if there == 0:
        if place >= L.PARAMETER_LINES:
            there = chunk(m, place, t) + miss
            if there == t + miss:
                there = max(t, SC[sc, L.S_CONSTANT]) + miss
                SC[sc, L.S_CONSTANT] = there
        else:
            # SMs of a GPC that begin together wait for one another here.
            there = from_gpc(m, t, miss)
            if SM[m, L.M_CONSTANTS] == 0:
                SM[gpc, L.M_ASKING] += 1
                there += G[L.G_IMCFIRST]
                SM[m, L.M_CONSTANTS] = there
            asked = BEGIN if t < SM[m, L.M_CONSTANTS] else 0
        put(m, line, t)
        note_line(m, line, there, asked | me)
        CONST[m, L.N_ASKED + line] = t
    elif there > t and place < L.PARAMETER_LINES and not asked & (BEGIN | me):
        # A sub-core does not know what others have asked for.
        there = max(there, from_gpc(m, t, miss))
        note_line(m, line, there, asked | me)
    elif there > t and place >= L.PARAMETER_LINES and there - t <= miss:
        # Sub-cores and warps do not share what is on its way from the level behind.
        there = t if t > SC[sc, L.S_CONSTANT] else SC[sc, L.S_CONSTANT]
        there += miss
        SC[sc, L.S_CONSTANT] = there
        return there
    all_there = there
    if asked & BEGIN:
        # Each sub-core has it in a turn of its own, in which its GPC answers all SMs, behind what they ask.
        turn = SM[gpc, L.M_ASKING] * G[L.G_IMCPORT] >> 4
        there += (min(SM[m, L.M_LIVE] * G[L.G_WARPS], 4) - 1) * 2 * turn // 3
        all_there = there + 3 * turn
        there += (sc & 3) * turn
    if all_there <= now and not asked & PUSHED:
        SM[m, L.M_CONST + (line >> 6)] |= 1 << (line & 63)
    return there


@compiled(rare=True)
def indexed(m: int, line: int, t: int, now: int) -> int:
    """When an LDC (that began `now`) has a line of constants, from CONSTANT_LINES on, that it looks for at `t` in the
    cache of SM m: 32 lines in sets as those for operands. What the cache lacks it asks its GPC for, a line in
    `constant_fill` cycles; a line on its way has its place and is no later for others; where a set has only such, who
    lacks another one waits (H200, `idc__requests_lookup_miss_tag_...`, 110 launches of 1 to 32 warps)."""
    there = comes(m, line) >> COMES_SHIFT
    pushed = comes(m, line) & PUSHED
    if pushed and CONST[m, L.N_UNTIL + line] <= t:
        there = 0
    if there and there <= t:
        if there <= now and not pushed:
            SM[m, L.M_CONST + (line >> 6)] |= 1 << (line & 63)
        touch(m, line)
        return t
    miss = G[L.G_IMCLDC] + SM[m, L.M_CONSTANTFAR]
    if there:
        later = CONST[m, L.N_ASKED + line] - t
        if later <= 0:
            touch(m, line)
            return there
        if later < between(m, set_of(line)):
            # Another LDC asks for it later: it will find this one's.
            there = min(there, t + miss)
            note_line(m, line, there, pushed)
            CONST[m, L.N_ASKED + line] = t
            touch(m, line)
            return there
    asked = take(MP[MP_AT_INDEXED] + 2 * m + 1, put(m, line, t), G[L.G_IMCFILL])
    there = max(chunk(m, line - L.CONSTANT_LINES, asked) + miss, from_gpc(m, asked, miss))
    note_line(m, line, there, 0)
    CONST[m, L.N_ASKED + line] = t
    return there


@compiled(rare=True)
def uniform_constant(sc: int, line: int, t: int) -> int:
    """The same for ULDC with an index, which finds only the lines that it had last (an H200 takes 63 cycles more for
    each other line, in a loop over 1 KB as over 64 KB; twice that with two warps a sub-core, four times with 16)."""
    slot = -1
    for k in range(L.ULINES):
        if SC[sc, L.S_ULINE + 2 * k] == line + 1:
            if SC[sc, L.S_ULINE + 2 * k + 1] <= t:
                return t
            slot = k
    if slot < 0:
        slot = SC[sc, L.S_ULINES]
        SC[sc, L.S_ULINES] = (slot + 1) & (L.ULINES - 1)
    known = chunk(sc >> 2, line, t) if line >= L.PARAMETER_LINES else t
    there = max(known, SC[sc, L.S_CONSTANT]) + G[L.G_IMC]
    if there > t + 4 * G[L.G_IMC] and known <= t:
        there = t + 4 * G[L.G_IMC]
    SC[sc, L.S_CONSTANT] = there
    if SC[sc, L.S_ULINE + 2 * slot] != line + 1:
        SC[sc, L.S_ULINE + 2 * slot] = line + 1
        SC[sc, L.S_ULINE + 2 * slot + 1] = there
    return there
