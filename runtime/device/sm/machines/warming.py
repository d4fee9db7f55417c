"""What CTAs that run without timing leave in L2, so that those that are simulated behind them find it (see `sample`).

Only tags, uses and sectors: no time passes and no bandwidth is taken. Uses are numbered by accesses, from the end of
the stretch before on.
"""

from __future__ import annotations

from runtime.device.sm.language.lang import compiled, u32
from runtime.device.sm.language.raw import first, loads64
from runtime.device.sm.memory.access import survey
from runtime.device.sm.memory.l2 import PART, STATES, l2_find, l2_home, l2_set, tag_of
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CODE, L2, G, X

TALLY = 2048
"""Byte offset in the scratch area of the counters of bank conflicts."""


@compiled
def found(partition: int, at: int, tag: int, stamp: int) -> int:
    """The place of a line's state in the set at `at`; if it was not there it is now, without sectors."""
    slot = l2_find(partition, at, tag, stamp)
    if slot < 0:
        slot = -1 - slot
        L2[partition, at + slot] = tag
        L2[partition, at + 16 + slot] = stamp
        L2[partition, at + STATES + 2 * slot] = 0
        L2[partition, at + STATES + 2 * slot + 1] = 0
    return at + STATES + 2 * slot


@compiled
def touch(m: int, line: int, need: int, write: int, stamp: int) -> None:
    """SM m reads or writes these sectors of a line."""
    home = l2_home(line)
    where = home if write else m & 1
    tag = tag_of(line)
    at = l2_set(line)
    place = found(where, at, tag, stamp)
    if write:
        L2[where, place] = (L2[where, place] | need | need << 4) & ~(need << PART)
        return
    missing = need & ~L2[where, place]
    # DRAM gives 64 bytes at a time.
    whole = missing | (missing & 5) << 1 | missing >> 1 & 5
    L2[where, place] |= need | need << 8 | whole
    if missing and home != where:
        place = found(home, at, tag, stamp)
        L2[home, place] |= missing << 8 | whole


@compiled
def access(w: int, i: int, mask: u32, consecutive: int) -> None:
    """Memory instruction i of warp w was executed: its lane addresses are in the scratch area."""
    space = CODE[i, L.C_SPACE]
    kind = CODE[i, L.C_ACCESS]
    lanes = G[L.G_SCRATCH]
    if kind == K.A_LDGSTS:
        lanes += 256
    elif space == K.SPACE_GENERIC:
        a = loads64(lanes + 8 * first(mask)) >> 24
        if (G[L.G_SHAREDWIN] and a == G[L.G_SHAREDWIN] >> 24) or (G[L.G_LOCALWIN] and a == G[L.G_LOCALWIN] >> 24):
            return
    elif space != K.SPACE_GLOBAL:
        return
    width = CODE[i, L.C_WIDTH]
    write = 0 if kind == K.A_LOAD or kind == K.A_LDGSTS else 1
    G[L.G_WARMING] += 1
    if consecutive == 1 and kind != K.A_LDGSTS:
        at = loads64(lanes)
        end = at + 32 * width
        while at < end:
            line = at >> 7
            last = min(end - 1, at | 127)
            touch(w >> 6, line, (2 << (last >> 5 & 3)) - (1 << (at >> 5 & 3)), write, G[L.G_WARMING])
            at = last + 1
        return
    for k in range(survey(width, lanes, mask, G[L.G_SCRATCH] + TALLY)):
        touch(w >> 6, X[2 * k], X[2 * k + 1], write, G[L.G_WARMING])
