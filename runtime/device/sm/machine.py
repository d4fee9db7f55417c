"""All SMs of a grid: the timed machine in quanta, and the untimed one CTA after CTA."""

# mypy: disable-error-code="no-any-return,call-arg,assignment,operator,arg-type,var-annotated"
# numba types these functions by their signatures; mypy would want casts that are not free.

from __future__ import annotations

from typing import Any

from runtime.device.sm import layout as L
from runtime.device.sm.functional import run_cta
from runtime.device.sm.issue import place, run_sm
from runtime.device.sm.jit import compiled

QUANTUM = 1024
"""Cycles an SM runs alone: less than an L2 round trip."""
BUDGET = 1 << 20
"""Warp instructions after which another resident CTA gets a turn, without timing."""


@compiled(
    "int64(int64, int64[::1], int64[:,::1], int64[:,::1], int64[:,::1], int64[:,::1], int64[::1], int64[::1], "
    "int64[:,::1], int64[:,::1], int64[:,::1], int64[:,::1], int64[:,::1], int64[::1], int64[:,::1], int64[:,::1], "
    "int64[:,::1], int64[:,::1], int64[::1], int64[::1], int64[:,::1], int64[:,::1], int64[:,::1], int64[:,::1], "
    "int64[:,::1], int64[:,::1])"
)
def run_timed(
    quanta: int,
    NEXT: Any,
    CODE: Any,
    WS: Any,
    LPC: Any,
    CT: Any,
    WAKE: Any,
    G: Any,
    SC: Any,
    SM: Any,
    IC0: Any,
    IC1: Any,
    IC2: Any,
    FP: Any,
    PCC: Any,
    L1: Any,
    BK: Any,
    L2: Any,
    MP: Any,
    X: Any,
    RES: Any,
    SRC: Any,
    RAW: Any,
    PEND: Any,
    HAZ: Any,
    SBR: Any,
) -> int:
    """Run up to `quanta` quanta; NEXT int64[sm] is when each SM has something to do. 1: the grid is done; 0: not yet;
    2: nothing can ever happen; negative: minus the fault."""
    for _ in range(quanta):
        if G[L.G_DONE] >= G[L.G_TOTAL]:
            return 1
        soonest = L.BIG
        for m in range(G[L.G_SMS]):
            if NEXT[m] < soonest:
                soonest = NEXT[m]
        if soonest >= L.BIG:
            return 2
        end = soonest // QUANTUM * QUANTUM + QUANTUM
        if G[L.G_CYCLELIMIT] and end > G[L.G_CYCLELIMIT]:
            return -L.F_TIMEOUT
        G[L.G_NOW] = end
        # Another SM goes first each time, so that none is always first in the queues of L2.
        count = G[L.G_SMS]
        for k in range(count):
            m = (k + end // QUANTUM) % count
            if NEXT[m] < end:
                after = run_sm(
                    m, NEXT[m], end, CODE, WS, LPC, CT, WAKE, G, SC, SM, IC0, IC1, IC2, FP, PCC, L1, BK, L2, MP, X,
                    RES, SRC, RAW, PEND, HAZ, SBR,
                )  # fmt: skip
                if after < 0:
                    return after
                NEXT[m] = after
    return 0


@compiled(
    "int64(int64, int64[:,::1], int64[:,::1], int64[:,::1], int64[:,::1], int64[::1], int64[::1], int64[:,::1], "
    "int64[:,::1], int64[:,::1], int64[:,::1], int64[:,::1], int64[::1], int64[:,::1])"
)
def run_untimed(
    rounds: int,
    CODE: Any,
    WS: Any,
    LPC: Any,
    CT: Any,
    WAKE: Any,
    G: Any,
    SC: Any,
    SM: Any,
    IC0: Any,
    IC1: Any,
    IC2: Any,
    FP: Any,
    PCC: Any,
) -> int:
    """Run up to `rounds` turns of CTAs. Results as `run_timed`."""
    slots = G[L.G_SLOTS]
    for _ in range(rounds):
        if G[L.G_DONE] >= G[L.G_TOTAL]:
            return 1
        c = G[L.G_TURN]
        G[L.G_TURN] = c + 1 if c + 1 < slots else 0
        if CT[c, L.T_ACTIVE] == 0 and place(c, 0, CODE, WS, CT, WAKE, G, SC, SM) == 0:
            continue
        done = run_cta(c, BUDGET, CODE, WS, LPC, CT, WAKE, G, SC, SM, IC0, IC1, IC2, FP, PCC)
        if done < 0:
            return done
        if done == 2:
            return 2
        if done == 1:
            CT[c, L.T_ACTIVE] = 0
            SM[CT[c, L.T_SM], L.M_LIVE] -= 1
            G[L.G_DONE] += 1
            # The same place again: its state is in the host's caches.
            G[L.G_TURN] = c
    return 0
