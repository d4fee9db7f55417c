"""mbarriers: 64-bit objects in shared memory that count arrivals and bytes, and who waits for them.

The word, as an H200 showed it (2026-11-21): bits 1..20 the arrivals expected in each phase and 43..62 those still to
come in this one, both as 2^20 less the number; 21..41 the bytes still to come, negative; 63 the phase. The chip keeps
it out of the way of ordinary loads until it is invalidated; here they see it. Of an arrival's state only the upper
register is written.

A copy's bytes arrive after a time: until then they are an event of the SM that has the barrier (G_EVENTS: int64[sm,
EVENTS, 5]: time, host address of the barrier, arrivals, bytes, row of the CTA), which whoever looks at a barrier
applies first. A warp whose TRYWAIT fails sleeps until an arrival completes the phase or the next event of the barrier
is due.
"""

from __future__ import annotations

import numpy as np

from runtime.device.sm.core.cta import warp_of
from runtime.device.sm.language.lang import compiled
from runtime.device.sm.language.raw import load64, loads64, store64
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CT, SC, SM, WAKE, WS, G

EVENTS = 512
"""Events that an SM can have; the earliest comes early if there are more."""
EVENT = 40
"""Bytes of one."""
ONE = 1 << 20
COUNT = ONE - 1
BYTES = (1 << 21) - 1
SEEN = 14
"""Cycles from the arrival that completes a phase until who slept there issues again."""


@compiled
def count(host: int, arrivals: int, bytes_: int, leave: int) -> int:
    """Apply arrivals (with `leave`, of threads that will not arrive again) and a change of the bytes that are to come.
    1 if that completes the phase."""
    word = np.int64(load64(host))
    expected = -(word >> 1) & COUNT
    pending = -(word >> 43) & COUNT
    left = ((word >> 21 & BYTES) - bytes_) & BYTES
    phase = word >> 63 & 1
    pending = (pending - arrivals) & COUNT
    if leave:
        expected = (expected - arrivals) & COUNT
    done = 0
    if pending == 0 and left == 0:
        phase ^= 1
        pending = expected
        done = 1
    word = (word & 1) | (-expected & COUNT) << 1 | left << 21 | (-pending & COUNT) << 43 | phase << 63
    store64(host, np.uint64(word))
    return done


@compiled
def rouse(w: int, t: int, kind: int) -> None:
    """Sleeping warp w, perhaps of another SM, issues again at `t`; what it slept for is booked as `kind`."""
    if not G[L.G_TIMING]:
        WAKE[w] = 0
        return
    sc = w >> 4
    if SC[sc, L.S_LATEST] >= t:
        t = SC[sc, L.S_LATEST] + 1
    WAKE[w] = t
    WS[w, L.W_TBLOCK] = t
    WS[w, L.W_BLOCKKIND] = kind
    if t < SC[sc, L.S_NEXT]:
        SC[sc, L.S_NEXT] = t
    if SM[sc >> 2, L.M_WAKE] == 0 or t < SM[sc >> 2, L.M_WAKE]:
        SM[sc >> 2, L.M_WAKE] = t


@compiled
def arrive(host: int, c: int, arrivals: int, bytes_: int, leave: int, t: int) -> None:
    """`count` at `t` on a barrier of CTA c; if the phase is complete, wake who waits for it."""
    if count(host, arrivals, bytes_, leave):
        for n in range(G[L.G_WARPS]):
            w = warp_of(c, n)
            if WS[w, L.W_WAITAT] == host:
                WS[w, L.W_WAITAT] = 0
                rouse(w, t + SEEN, K.R_LONG)


@compiled
def settle_events(m: int, t: int) -> None:
    """Apply the events of SM m that are due at `t`, in the order of their times."""
    base = G[L.G_EVENTS] + m * EVENTS * EVENT
    while True:
        n = SM[m, L.M_EVENTS]
        best = -1
        when = t + 1
        for k in range(n):
            at = loads64(base + k * EVENT)
            if at < when:
                when = at
                best = k
        if best < 0:
            return
        place = base + best * EVENT
        host = loads64(place + 8)
        arrivals = loads64(place + 16)
        bytes_ = loads64(place + 24)
        c = loads64(place + 32)
        # The later ones keep their order.
        for k in range(best * EVENT, (n - 1) * EVENT, 8):
            store64(base + k, load64(base + k + EVENT))
        SM[m, L.M_EVENTS] = n - 1
        arrive(host, c, arrivals, bytes_, 0, when)


@compiled
def post(when: int, host: int, c: int, arrivals: int, bytes_: int) -> None:
    """A barrier of CTA c will learn at `when` of arrivals and bytes; without timing, at once."""
    if not G[L.G_TIMING]:
        arrive(host, c, arrivals, bytes_, 0, 0)
        return
    m = CT[c, L.T_SM]
    if SM[m, L.M_EVENTS] == EVENTS:
        settle_events(m, next_event(m, 0))
    place = G[L.G_EVENTS] + (m * EVENTS + SM[m, L.M_EVENTS]) * EVENT
    store64(place, np.uint64(when))
    store64(place + 8, np.uint64(host))
    store64(place + 16, np.uint64(arrivals))
    store64(place + 24, np.uint64(bytes_))
    store64(place + 32, np.uint64(c))
    SM[m, L.M_EVENTS] += 1
    for n in range(G[L.G_WARPS]):
        w = warp_of(c, n)
        if WS[w, L.W_WAITAT] == host and when < WAKE[w]:
            rouse(w, when, K.R_LONG)


@compiled
def next_event(m: int, host: int) -> int:
    """When the first event of SM m is due, of one barrier or (0) of any; BIG if there is none."""
    base = G[L.G_EVENTS] + m * EVENTS * EVENT
    when = L.BIG
    for k in range(SM[m, L.M_EVENTS]):
        at = loads64(base + k * EVENT)
        if at < when and (host == 0 or loads64(base + k * EVENT + 8) == host):
            when = at
    return when
