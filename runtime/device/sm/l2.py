"""Timing of the memory system beyond the load/store unit: L1, the ports to L2, L2 in two partitions, DRAM.

Everything is decided when a request is made: caches keep, for each sector, the time at which it is (or will be) there;
bandwidth is a row of time buckets that requests fill, so that SMs may be simulated one after another within a quantum
without queueing behind each other's later requests. No data lives here.

A set of a cache is one piece of memory, so that the host's caches have it together:
L1 int64[sm, 48 * sets]: of a set, 8 tags, 8 last uses, 4 times for each of 8 lines at which a sector is there (0 not).
L2 int64[partition, 48 * sets]: of a set, 16 tags, 16 last uses, and for each of 16 lines valid (bits 0..3) and dirty
(bits 4..7) sectors with, above them, the time until which the line's latest fill is under way.
BK int64[resource, NB]: a bucket of 32 cycles in a word: units taken (24 bits), buckets to skip to the next that may
have room (20 bits), turn of the ring.
MP int64[...] parameters; MP_EPOCH (in place) and MP_STAMP tell a run's tags and last uses from those of the run before
(see `workspace`).
"""

# mypy: disable-error-code="no-any-return,call-arg,assignment,operator,arg-type,var-annotated"
# numba types these functions by their signatures; mypy would want casts that are not free.

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.device.sm import layout as L
from runtime.device.sm.jit import compiled
from runtime.device.sm.raw import first
from runtime.device.sm.table import address
from runtime.device.sm.vector import find8, find16, least8, least16, prefetch

NB_SHIFT = 12
NB = L.BUCKETS
assert NB == 1 << NB_SHIFT
BUCKET_SHIFT = 5
"""Buckets are 32 cycles wide; their ring spans 131072 cycles."""
UNITS, SKIP = (1 << 24) - 1, (1 << 20) - 1
SET = 48
"""Words of a set."""
L1_WAYS, L2_WAYS = 8, 16
MISSES = 4100
"""Where in X a load keeps the lines that miss: line, sectors, place in L1 (with the way above it)."""

# MP: parameters, all int64.
(
    MP_L1_HIT,
    MP_NEAR,
    MP_FAR,
    MP_DRAM,
    MP_L2_SETS,
    MP_CAP_L2,
    MP_CAP_DRAM,
    MP_CAP_PORT,
    MP_COST_READ,
    MP_COST_WRITE,
    MP_SLACK,
    MP_ATOM,
    MP_SMS,
    MP_COST_ATOM,
    MP_SLICES,
    MP_EPOCH,
    MP_STAMP,
    MP_COUNT,
) = range(18)

# Rows of BK; the first word of the first is the turn of the ring at which this run begins.
BK_TURN, BK_L2, BK_DRAM, BK_PORTS = range(4)
"""BK_PORTS + 2 * sm is the SM's port from L2, + 1 its port to L2."""


@compiled("int64(int64)", forceinline=True)
def sector_count(bits: int) -> int:
    """How many of four sector bits are set."""
    return (bits & 1) + (bits >> 1 & 1) + (bits >> 2 & 1) + (bits >> 3 & 1)


@compiled("int64(int64[:,::1], int64, int64, int64, int64)", forceinline=True)
def take(BK: Any, resource: int, t: int, units: int, capacity: int) -> int:
    """Take `units` of a resource of `capacity` units a bucket, not before `t`; the time at which they are served."""
    start = t >> BUCKET_SHIFT
    b = start
    word = 0
    zero = BK[BK_TURN, 0]
    while True:
        word = BK[resource, b & (NB - 1)]
        turn = (b >> NB_SHIFT) + zero
        if word >> 44 != turn:
            word = turn << 44
        if word & UNITS < capacity:
            break
        b += (word >> 24 & SKIP) + 1
    if b != start:
        k = start & (NB - 1)
        BK[resource, k] = (BK[resource, k] & ~(SKIP << 24)) | (b - start - 1) << 24
    used = word & UNITS
    BK[resource, b & (NB - 1)] = word + units
    served = (b << BUCKET_SHIFT) + ((used << BUCKET_SHIFT) // capacity)
    return served if served > t else t


@compiled("int64(int64, int64[::1])", forceinline=True)
def l2_set(line: int, MP: Any) -> int:
    """Where the set of a line begins in a partition."""
    return SET * ((line ^ (line >> 13) ^ (line >> 21)) % MP[MP_L2_SETS])


@compiled("int64(int64[:,::1], int64, int64, int64, int64)", forceinline=True)
def l2_find(L2: Any, partition: int, at: int, tag: int, stamp: int) -> int:
    """Way of the line of this tag in the set at `at` of the partition, or -1 - (way to use instead)."""
    tags = address(L2, (partition, at))
    hits = find16(tags, tag)
    if hits:
        way = first(np.uint32(hits))
        L2[partition, at + 16 + way] = stamp
        return way
    return -1 - least16(tags + 128)


@compiled("int64(int64)", forceinline=True)
def l2_home(line: int) -> int:
    """The partition that has a line's memory."""
    return (line ^ (line >> 3) ^ (line >> 7) ^ (line >> 12)) & 1


@compiled("int64(int64[:,::1], int64[:,::1], int64[::1], int64, int64, int64, int64, int64)")
def l2_replace(BK: Any, L2: Any, MP: Any, partition: int, at: int, way: int, tag: int, t: int) -> int:
    """Give a way of the set at `at` to the line of this tag; what was dirty there goes to DRAM. The way."""
    dirty = L2[partition, at + 32 + way] >> 4 & 15
    if dirty and L2[partition, at + way] >> 48 == tag >> 48:
        take(BK, BK_DRAM, t, sector_count(dirty) * 32, MP[MP_CAP_DRAM])
    L2[partition, at + way] = tag
    L2[partition, at + 16 + way] = t + MP[MP_STAMP]
    L2[partition, at + 32 + way] = 0
    return way


@compiled("int64(int64[:,::1], int64[:,::1], int64[::1], int64, int64, int64, int64, int64, int64[:,::1], int64)")
def l2_access(BK: Any, L2: Any, MP: Any, m: int, t: int, line: int, need: int, write: int, PCC: Any, i: int) -> int:
    """One request of SM m for the sectors `need` (bits) of a 128-byte line at `t` (arrival in L2's terms: when an L1
    hit would have been served). The time at which a reader has the data; for a write, when L2 accepted it."""
    sectors = sector_count(need)
    PCC[i, L.P_L2] += sectors
    served = take(BK, BK_L2, t, sectors * (MP[MP_COST_WRITE] if write else MP[MP_COST_READ]), MP[MP_CAP_L2])
    home = l2_home(line)
    near = m & 1
    tag = line | MP[MP_EPOCH]
    stamp = served + MP[MP_STAMP]
    where = home if write else near
    at = l2_set(line, MP)
    slot = l2_find(L2, where, at, tag, stamp)
    missing = need
    pending = 0
    if slot >= 0:
        state = L2[where, at + 32 + slot]
        missing = need & ~state
        pending = state >> 8
    else:
        slot = l2_replace(BK, L2, MP, where, at, -1 - slot, tag, served)
    place = at + 32 + slot
    if write:
        # A written sector needs no fill: it counts as a hit.
        L2[where, place] |= need | need << 4
        PCC[i, L.P_L2HIT] += sectors
        return served
    L2[where, place] |= need
    late = served + MP[MP_NEAR]
    if pending > late:
        # Its fill, asked for by someone else, is still on the way.
        late = pending
    hits = sectors - sector_count(missing)
    if missing:
        other = 0
        if home != near:
            other = l2_find(L2, home, at, tag, stamp)
            found = 0
            if other >= 0:
                state = L2[home, at + 32 + other]
                found = missing & state
                pending = state >> 8
            else:
                other = l2_replace(BK, L2, MP, home, at, -1 - other, tag, served)
            other += at + 32
            L2[home, other] |= missing
            if found:
                late = served + MP[MP_FAR]
                if pending > late:
                    late = pending
                hits += sector_count(found)
            missing &= ~found
        if missing:
            count = sector_count(missing)
            PCC[i, L.P_DRAM] += count
            late = take(BK, BK_DRAM, served, count * 32, MP[MP_CAP_DRAM]) + MP[MP_DRAM]
            if home != near and late > L2[home, other] >> 8:
                L2[home, other] = (L2[home, other] & 255) | late << 8
        if late > L2[where, place] >> 8:
            L2[where, place] = (L2[where, place] & 255) | late << 8
    PCC[i, L.P_L2HIT] += hits
    return late


@compiled("void(int64, int64, int64[:,::1], int64[::1])", forceinline=True)
def l2_ahead(line: int, partition: int, L2: Any, MP: Any) -> None:
    """Have the host fetch the set of a line; changes nothing."""
    tags = address(L2, (partition, l2_set(line, MP)))
    for piece in range(6):
        prefetch(tags + 64 * piece)


@compiled(
    "int64(int64[::1], int64, int64, int64, int64, int64, int64[::1], int64[:,::1], int64[:,::1], int64[:,::1], "
    "int64[::1], int64[:,::1], int64[:,::1], int64)"
)
def read_lines(
    X: Any, lines: int, m: int, t: int, latency: int, bypass: int, G: Any, L1: Any, BK: Any, L2: Any, MP: Any, SM: Any,
    PCC: Any, i: int,
) -> int:  # fmt: skip
    """A load by SM m of the lines in X[0 : 2 * lines] (line number, sector bits) that the unit took at `t`; an L1 hit
    is served at `t + latency`. The time at which all of it is there. First all lines are looked up in L1, so that the
    host can fetch the sets of L2 for those that miss."""
    done = t + latency
    sets = G[L.G_L1SETS]
    epoch = SM[m, L.M_EPOCH] << 48
    if not bypass and lines > 1:
        for k in range(lines):
            tags = address(L1, (m, SET * (X[2 * k] % sets)))
            prefetch(tags)
            prefetch(tags + 64)
    misses = 0
    for k in range(lines):
        line = X[2 * k]
        missing = X[2 * k + 1]
        place = -1
        if not bypass:
            at = SET * (line % sets)
            tags = address(L1, (m, at))
            hits = find8(tags, line | epoch)
            way = first(np.uint32(hits)) if hits else least8(tags + 64)
            G[L.G_L1STAMP] += 1
            L1[m, at + 8 + way] = G[L.G_L1STAMP]
            place = at + 16 + 4 * way
            if hits:
                for s in range(4):
                    if missing >> s & 1:
                        there = L1[m, place + s]
                        if there:
                            missing &= ~(1 << s)
                            PCC[i, L.P_L1HIT] += 1
                            if there > done:
                                done = there
            else:
                L1[m, at + way] = line | epoch
                for s in range(4):
                    L1[m, place + s] = 0
            place += way << 32
        if missing:
            n = MISSES + 3 * misses
            X[n] = line
            X[n + 1] = missing
            X[n + 2] = place
            misses += 1
            home = l2_home(line)
            l2_ahead(line, m & 1, L2, MP)
            if home != m & 1:
                l2_ahead(line, home, L2, MP)
    for k in range(misses):
        line = X[MISSES + 3 * k]
        missing = X[MISSES + 3 * k + 1]
        asked = take(BK, BK_PORTS + 2 * m + 1, t, 8, MP[MP_CAP_PORT])
        there = l2_access(BK, L2, MP, m, asked + latency, line, missing, 0, PCC, i)
        there = take(BK, BK_PORTS + 2 * m, there, sector_count(missing) * 8, MP[MP_CAP_PORT])
        if not bypass:
            place = X[MISSES + 3 * k + 2] & 0xFFFFFFFF
            way = X[MISSES + 3 * k + 2] >> 32
            # Unless a later line of the same load has taken the place.
            if L1[m, place - 16 - 3 * way] == line | epoch:
                for s in range(4):
                    if missing >> s & 1:
                        L1[m, place + s] = there
        if there > done:
            done = there
    return done


@compiled("int64(int64[::1], int64, int64, int64, int64, int64[:,::1], int64[:,::1], int64[::1], int64[:,::1], int64)")
def write_lines(X: Any, lines: int, m: int, t: int, atomic: int, BK: Any, L2: Any, MP: Any, PCC: Any, i: int) -> int:
    """A store (or, with `atomic` = lanes that hit one word at most, a reduction) of the lines in X. The time at which
    L2 has taken all of it."""
    done = t
    for k in range(lines):
        l2_ahead(X[2 * k], l2_home(X[2 * k]), L2, MP)
    for k in range(lines):
        need = X[2 * k + 1]
        sectors = sector_count(need)
        asked = take(BK, BK_PORTS + 2 * m + 1, t, sectors * (36 if atomic else 8), MP[MP_CAP_PORT])
        taken = l2_access(BK, L2, MP, m, asked, X[2 * k], need, 1, PCC, i)
        if atomic:
            # One slice works on all lanes that name one word; other words of the sector go along.
            slice_ = (X[2 * k] ^ (X[2 * k] >> 5) ^ (X[2 * k] >> 11)) % MP[MP_SLICES]
            resource = BK_PORTS + 2 * MP[MP_SMS] + slice_
            taken = take(BK, resource, taken, sectors * 4 + (atomic - 1) * MP[MP_COST_ATOM], 512)
        if taken > done:
            done = taken
    return done
