"""Timing of the memory system beyond the load/store unit: L1, the ports to L2, L2 in two partitions, DRAM.

Everything is decided when a request is made: caches keep, for each sector, the time at which it is (or will be) there;
bandwidth is a row of time buckets that requests fill, so that SMs may be simulated one after another within a quantum
without queueing behind each other's later requests. No data lives here.

Tables: L1T, L1U int64[sm, line slots] tag and last use; L1R int64[sm, 4 * line slots] time each sector is there (0
not);
L2T, L2V, L2U int64[partition, line slots] tag; valid (bits 0..3) and dirty (bits 4..7) sectors with, above them, the
time
until which the line's latest fill is under way; last use;
BK int64[resource, 3, NB] buckets: number, units taken, next bucket to look at. MP int64[...] parameters.
"""

# mypy: disable-error-code="no-any-return,call-arg,assignment,operator,arg-type,var-annotated"
# numba types these functions by their signatures; mypy would want casts that are not free.

from __future__ import annotations

from typing import Any

from runtime.device.sm import layout as L
from runtime.device.sm.jit import compiled

NB = L.BUCKETS
BUCKET_SHIFT = 5
"""Buckets are 32 cycles wide; their ring spans 131072 cycles."""

# MP: parameters, all int64.
(
    MP_L1_HIT,
    MP_NEAR,
    MP_FAR,
    MP_DRAM,
    MP_L2_WAYS,
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
    MP_COUNT,
) = range(17)

# Rows of BK.
BK_L2, BK_DRAM, BK_PORTS = 0, 1, 2
"""BK_PORTS + 2 * sm is the SM's port from L2, + 1 its port to L2."""


@compiled("int64(int64[:,:,::1], int64, int64, int64, int64)")
def take(BK: Any, resource: int, t: int, units: int, capacity: int) -> int:
    """Take `units` of a resource of `capacity` units a bucket, not before `t`; the time at which they are served."""
    start = t >> BUCKET_SHIFT
    b = start
    while True:
        k = b & (NB - 1)
        if BK[resource, 0, k] != b:
            BK[resource, 0, k] = b
            BK[resource, 1, k] = 0
            BK[resource, 2, k] = b + 1
        if BK[resource, 1, k] < capacity:
            break
        b = BK[resource, 2, k]
    if b != start:
        BK[resource, 2, start & (NB - 1)] = b
    k = b & (NB - 1)
    used = BK[resource, 1, k]
    BK[resource, 1, k] = used + units
    served = (b << BUCKET_SHIFT) + ((used << BUCKET_SHIFT) // capacity)
    return served if served > t else t


@compiled("int64(int64[:,::1], int64[:,::1], int64[:,::1], int64[::1], int64, int64, int64)")
def l2_find(L2T: Any, L2V: Any, L2U: Any, MP: Any, partition: int, line: int, stamp: int) -> int:
    """Slot of `line` in the partition, or -1 - (slot to use instead)."""
    ways = MP[MP_L2_WAYS]
    first = ((line ^ (line >> 13) ^ (line >> 21)) % MP[MP_L2_SETS]) * ways
    oldest = first
    for w in range(first, first + ways):
        if L2T[partition, w] == line:
            L2U[partition, w] = stamp
            return w
        if L2U[partition, w] < L2U[partition, oldest]:
            oldest = w
    return -1 - oldest


@compiled(
    "int64(int64[:,:,::1], int64[:,::1], int64[:,::1], int64[:,::1], int64[::1], int64, int64, int64, int64, int64, "
    "int64[:,::1], int64)"
)
def l2_access(
    BK: Any, L2T: Any, L2V: Any, L2U: Any, MP: Any, m: int, t: int, line: int, need: int, write: int, PCC: Any, i: int
) -> int:
    """One request of SM m for the sectors `need` (bits) of a 128-byte line at `t` (arrival in L2's terms: when an L1
    hit would have been served). The time at which a reader has the data; for a write, when L2 accepted it."""
    sectors = (need & 1) + (need >> 1 & 1) + (need >> 2 & 1) + (need >> 3 & 1)
    PCC[i, L.P_L2] += sectors
    served = take(BK, BK_L2, t, sectors * (MP[MP_COST_WRITE] if write else MP[MP_COST_READ]), MP[MP_CAP_L2])
    home = (line ^ (line >> 3) ^ (line >> 7) ^ (line >> 12)) & 1
    near = m & 1
    stamp = served
    where = home if write else near
    slot = l2_find(L2T, L2V, L2U, MP, where, line, stamp)
    missing = need
    pending = 0
    if slot >= 0:
        missing = need & ~L2V[where, slot]
        pending = L2V[where, slot] >> 8
    else:
        slot = -1 - slot
        dirty = L2V[where, slot] >> 4 & 15
        if dirty:
            count = (dirty & 1) + (dirty >> 1 & 1) + (dirty >> 2 & 1) + (dirty >> 3 & 1)
            take(BK, BK_DRAM, served, count * 32, MP[MP_CAP_DRAM])
        L2T[where, slot] = line
        L2V[where, slot] = 0
        L2U[where, slot] = stamp
    if write:
        # A written sector needs no fill: it counts as a hit.
        L2V[where, slot] |= need | need << 4
        PCC[i, L.P_L2HIT] += sectors
        return served
    L2V[where, slot] |= need
    late = served + MP[MP_NEAR]
    if pending > late:
        # Its fill, asked for by someone else, is still on the way.
        late = pending
    hits = sectors - ((missing & 1) + (missing >> 1 & 1) + (missing >> 2 & 1) + (missing >> 3 & 1))
    if missing:
        other = 0
        if home != near:
            other = l2_find(L2T, L2V, L2U, MP, home, line, stamp)
            found = 0
            if other >= 0:
                found = missing & L2V[home, other]
                pending = L2V[home, other] >> 8
            else:
                other = -1 - other
                dirty = L2V[home, other] >> 4 & 15
                if dirty:
                    count = (dirty & 1) + (dirty >> 1 & 1) + (dirty >> 2 & 1) + (dirty >> 3 & 1)
                    take(BK, BK_DRAM, served, count * 32, MP[MP_CAP_DRAM])
                L2T[home, other] = line
                L2V[home, other] = 0
                L2U[home, other] = stamp
            L2V[home, other] |= missing
            if found:
                late = served + MP[MP_FAR]
                if pending > late:
                    late = pending
                hits += (found & 1) + (found >> 1 & 1) + (found >> 2 & 1) + (found >> 3 & 1)
            missing &= ~found
        if missing:
            count = (missing & 1) + (missing >> 1 & 1) + (missing >> 2 & 1) + (missing >> 3 & 1)
            PCC[i, L.P_DRAM] += count
            late = take(BK, BK_DRAM, served, count * 32, MP[MP_CAP_DRAM]) + MP[MP_DRAM]
            if home != near and late > L2V[home, other] >> 8:
                L2V[home, other] = (L2V[home, other] & 255) | late << 8
        if late > L2V[where, slot] >> 8:
            L2V[where, slot] = (L2V[where, slot] & 255) | late << 8
    PCC[i, L.P_L2HIT] += hits
    return late


@compiled(
    "int64(int64[::1], int64, int64, int64, int64, int64, int64[::1], int64[:,::1], int64[:,::1], int64[:,::1], "
    "int64[:,:,::1], int64[:,::1], int64[:,::1], int64[:,::1], int64[::1], int64[:,::1], int64[:,::1], int64)"
)
def read_lines(
    X: Any,
    lines: int,
    m: int,
    t: int,
    latency: int,
    bypass: int,
    G: Any,
    L1T: Any,
    L1U: Any,
    L1R: Any,
    BK: Any,
    L2T: Any,
    L2V: Any,
    L2U: Any,
    MP: Any,
    SM: Any,
    PCC: Any,
    i: int,
) -> int:
    """A load by SM m of the lines in X[0 : 2 * lines] (line number, sector bits) that the unit took at `t`; an L1 hit
    is served at `t + latency`. The time at which all of it is there."""
    done = t + latency
    sets = G[L.G_L1SETS]
    ways = G[L.G_L1WAYS]
    epoch = SM[m, L.M_EPOCH] << 48
    for k in range(lines):
        line = X[2 * k]
        need = X[2 * k + 1]
        tag = line | epoch
        slot = -1
        missing = need
        if not bypass:
            first = (line % sets) * ways
            slot = first
            hit = False
            for w in range(first, first + ways):
                if L1T[m, w] == tag:
                    slot = w
                    hit = True
                    break
                if L1U[m, w] < L1U[m, slot]:
                    slot = w
            G[L.G_L1STAMP] += 1
            L1U[m, slot] = G[L.G_L1STAMP]
            if hit:
                for s in range(4):
                    if need >> s & 1:
                        there = L1R[m, 4 * slot + s]
                        if there:
                            missing &= ~(1 << s)
                            PCC[i, L.P_L1HIT] += 1
                            if there > done:
                                done = there
            else:
                L1T[m, slot] = tag
                for s in range(4):
                    L1R[m, 4 * slot + s] = 0
        if missing:
            sectors = (missing & 1) + (missing >> 1 & 1) + (missing >> 2 & 1) + (missing >> 3 & 1)
            asked = take(BK, BK_PORTS + 2 * m + 1, t, 8, MP[MP_CAP_PORT])
            there = l2_access(BK, L2T, L2V, L2U, MP, m, asked + latency, line, missing, 0, PCC, i)
            there = take(BK, BK_PORTS + 2 * m, there, sectors * 8, MP[MP_CAP_PORT])
            if not bypass:
                for s in range(4):
                    if missing >> s & 1:
                        L1R[m, 4 * slot + s] = there
            if there > done:
                done = there
    return done


@compiled(
    "int64(int64[::1], int64, int64, int64, int64, int64[:,:,::1], int64[:,::1], int64[:,::1], int64[:,::1], "
    "int64[::1], "
    "int64[:,::1], int64)"
)
def write_lines(
    X: Any, lines: int, m: int, t: int, atomic: int, BK: Any, L2T: Any, L2V: Any, L2U: Any, MP: Any, PCC: Any, i: int
) -> int:
    """A store (or, with `atomic` = lanes that hit one word at most, a reduction) of the lines in X. The time at which
    L2 has taken all of it."""
    done = t
    for k in range(lines):
        need = X[2 * k + 1]
        sectors = (need & 1) + (need >> 1 & 1) + (need >> 2 & 1) + (need >> 3 & 1)
        asked = take(BK, BK_PORTS + 2 * m + 1, t, sectors * (36 if atomic else 8), MP[MP_CAP_PORT])
        taken = l2_access(BK, L2T, L2V, L2U, MP, m, asked, X[2 * k], need, 1, PCC, i)
        if atomic:
            # One slice works on all lanes that name one word; other words of the sector go along.
            slice_ = (X[2 * k] ^ (X[2 * k] >> 5) ^ (X[2 * k] >> 11)) % MP[MP_SLICES]
            resource = BK_PORTS + 2 * MP[MP_SMS] + slice_
            taken = take(BK, resource, taken, sectors * 4 + (atomic - 1) * MP[MP_COST_ATOM], 512)
        if taken > done:
            done = taken
    return done
