"""Results that are not in their registers yet, operands that are not read yet.

An instruction whose result some reader might want too early (`prove` finds them) writes it to a staging buffer. Each
later instruction of the warp calls `commit` first: what is due by then goes to the registers, and a read that is not
due sees the old value and is noted. PEND int64[warp * DEPTH, 4]: instruction, issue time, lanes, arrival (-1: by
class).
RES int64[row, 4]: word offset in the state, staging row, file (0 R, 1 P, 2 one word), producer class. SRC int64[row,
2]: word offset,
reader class. RAW int64[class, class or reader class] distances: to a write, to a read; the last column is the largest.
HAZ int64[row, 6]: producer, consumer, word offset, cycles early, count, kind (`layout.HAZARDS`).

The uniform datapath reads two cycles later than UMOV writes (H200): an instruction whose operand can still be
overwritten is staged, too, and is worked out again when a UMOV behind it has done so (`overtake`).
"""

from __future__ import annotations

import numpy as np

from runtime.device.sm.language.invoke import invoke
from runtime.device.sm.language.lang import compiled, u32
from runtime.device.sm.language.raw import load32, row_length, store32
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CODE, HAZ, PEND, RAW, RES, SRC, WS, G

DEPTH = 16
"""Staged results a warp can have in flight; more force the oldest out."""
BUFFER = 1024
"""Bytes of one staging buffer."""


@compiled
def write_back(w: int, entry: int, state: int) -> None:
    """Put the results of one staged instruction into the registers."""
    row = w * DEPTH + entry
    i = PEND[row, 0]
    mask = np.uint32(PEND[row, 2])
    buffer = G[L.G_PENDBUF] + row * BUFFER
    for r in range(CODE[i, L.C_RES], CODE[i, L.C_RES] + CODE[i, L.C_NRES]):
        place = state + 4 * RES[r, 0]
        source = buffer + 128 * RES[r, 1]
        if RES[r, 2] == 0:
            for k in range(32):
                if (mask >> np.uint32(k)) & np.uint32(1):
                    store32(place + 4 * k, load32(source + 4 * k))
        elif RES[r, 2] == 1:
            store32(place, (load32(place) & ~mask) | (load32(source) & mask))
        else:
            store32(place, load32(source))


@compiled(rare=True)
def note(producer: int, consumer: int, word: int, early: int, kind: int) -> None:
    """Count one hazard."""
    n = G[L.G_NHAZ]
    for k in range(n):
        if HAZ[k, 0] == producer and HAZ[k, 1] == consumer and HAZ[k, 2] == word and HAZ[k, 5] == kind:
            HAZ[k, 4] += 1
            if early > HAZ[k, 3]:
                HAZ[k, 3] = early
            return
    if n < L.HAZARD_ROWS:
        HAZ[n, 0] = producer
        HAZ[n, 1] = consumer
        HAZ[n, 2] = word
        HAZ[n, 3] = early
        HAZ[n, 4] = 1
        HAZ[n, 5] = kind
        G[L.G_NHAZ] = n + 1


@compiled
def in_order(older: int, younger: int) -> bool:
    """Whether one unit answers both, in the order of issue (`LDS.128 R8; LDS R10`: R10 is the second one's)."""
    space = CODE[older, L.C_SPACE]
    if space == K.SPACE_GLOBAL:
        return False
    return CODE[younger, L.C_SPACE] == space and CODE[younger, L.C_QUEUE] == CODE[older, L.C_QUEUE]


@compiled
def commit(w: int, i: int, t: int) -> None:
    """Before instruction i of warp w issues at `t`: write back what is due."""
    count = WS[w, L.W_PENDING]
    state = WS[w, L.W_STATE]
    kept = 0
    top = row_length(RAW) - 1
    for e in range(count):
        row = w * DEPTH + e
        producer = PEND[row, 0]
        age = t - PEND[row, 1]
        kind = CODE[producer, L.C_CLASS]
        due = age >= RAW[kind, top] if kind >= 0 else t >= PEND[row, 3]
        if not due:
            for r in range(CODE[producer, L.C_RES], CODE[producer, L.C_RES] + CODE[producer, L.C_NRES]):
                word = RES[r, 0]
                for s in range(CODE[i, L.C_SRC], CODE[i, L.C_SRC] + CODE[i, L.C_NSRC]):
                    if SRC[s, 0] == word:
                        early = RAW[RES[r, 3], SRC[s, 1]] - age if kind >= 0 else PEND[row, 3] - t
                        if early <= 0:
                            due = True
                        else:
                            note(producer, i, word, early, K.H_RAW)
                if kind >= 0:
                    for s in range(CODE[i, L.C_RES], CODE[i, L.C_RES] + CODE[i, L.C_NRES]):
                        if RES[s, 0] == word:
                            # The younger result may be there first; then the older one comes over it.
                            early = RAW[RES[r, 3], RES[s, 3]] - age if RES[s, 3] >= 0 else 0
                            if early <= 0:
                                due = True
                            else:
                                note(i, producer, word, early, K.H_WAW)
                elif in_order(producer, i):
                    for s in range(CODE[i, L.C_RES], CODE[i, L.C_RES] + CODE[i, L.C_NRES]):
                        if RES[s, 0] == word:
                            due = True
        if due:
            write_back(w, e, state)
        else:
            if kept != e:
                to = w * DEPTH + kept
                for c in range(4):
                    PEND[to, c] = PEND[row, c]
                a = G[L.G_PENDBUF] + row * BUFFER
                b = G[L.G_PENDBUF] + to * BUFFER
                for k in range(0, BUFFER, 4):
                    store32(b + k, load32(a + k))
            kept += 1
    WS[w, L.W_PENDING] = kept


@compiled
def stage(w: int, i: int, t: int, mask: u32, arrive: int) -> int:
    """Open a staging buffer for instruction i that issues at `t`; its host address. A full table pushes out the
    oldest."""
    count = WS[w, L.W_PENDING]
    if count == DEPTH:
        write_back(w, 0, WS[w, L.W_STATE])
        for e in range(1, DEPTH):
            row = w * DEPTH + e
            for c in range(4):
                PEND[row - 1, c] = PEND[row, c]
            a = G[L.G_PENDBUF] + row * BUFFER
            for k in range(0, BUFFER, 4):
                store32(a - BUFFER + k, load32(a + k))
        count = DEPTH - 1
    row = w * DEPTH + count
    PEND[row, 0] = i
    PEND[row, 1] = t
    PEND[row, 2] = np.int64(mask)
    PEND[row, 3] = arrive
    WS[w, L.W_PENDING] = count + 1
    return G[L.G_PENDBUF] + row * BUFFER


@compiled
def overtake(w: int, i: int, t: int) -> None:
    """Instruction i of warp w has written at `t` what instructions before it may not have read yet: those read it."""
    state = WS[w, L.W_STATE]
    for row in range(w * DEPTH, w * DEPTH + WS[w, L.W_PENDING]):
        reader = PEND[row, 0]
        early = CODE[reader, L.C_LATE] - (t - PEND[row, 1])
        if early <= 0 or reader == i:
            continue
        for r in range(CODE[i, L.C_RES], CODE[i, L.C_RES] + CODE[i, L.C_NRES]):
            for s in range(CODE[reader, L.C_SRC], CODE[reader, L.C_SRC] + CODE[reader, L.C_NSRC]):
                if SRC[s, 0] == RES[r, 0]:
                    note(i, reader, RES[r, 0], early, K.H_WAR)
                    mask = np.uint32(PEND[row, 2])
                    buffer = G[L.G_PENDBUF] + row * BUFFER
                    invoke(CODE[reader, L.C_FN], state, CODE[reader, L.C_OPERANDS], mask, buffer, G[L.G_STAGE])
