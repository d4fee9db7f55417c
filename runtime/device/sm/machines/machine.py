"""The timed machine: all SMs of a grid, in quanta."""

from __future__ import annotations

import numpy as np

from runtime.device.sm.core.cta import place
from runtime.device.sm.core.issue import run_sm
from runtime.device.sm.language.extend import extension
from runtime.device.sm.language.lang import compiled
from runtime.device.sm.language.raw import address, publish
from runtime.device.sm.machines.threads import AHEAD, HORIZON, OFFERED, ORDER, help_out, in_order, take_back
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CT, NEXT, SM, TURN, G

BEGIN, FINE, LAST = 1024, 32, 256
"""The first cycles of a run, in which all SMs ask for the same code and constants, are run in steps of FINE, those
in which the last two waves of CTAs are handed out in steps of LAST: else one SM takes what others are ready for."""


@compiled
def start() -> None:
    """Place the first CTAs: breadth first over the SMs."""
    if G[L.G_CLUSTER] > 1:
        extension(G[L.G_EXTENSION], K.X_PLACE, 0, 0, np.uint32(0), -1, G[L.G_TABLES])
        for c in range(G[L.G_SMS] * G[L.G_CTAS]):
            if CT[c, L.T_ACTIVE] and CT[c, L.T_BEGIN] < NEXT[CT[c, L.T_SM]]:
                NEXT[CT[c, L.T_SM]] = CT[c, L.T_BEGIN]
        return
    for slot in range(G[L.G_CTAS]):
        for m in range(G[L.G_SMS]):
            c = m * G[L.G_CTAS] + slot
            if not place(c, CT[c, L.T_BEGIN]):
                return
            if CT[c, L.T_BEGIN] < NEXT[m]:
                NEXT[m] = CT[c, L.T_BEGIN]


@compiled(entry=True)
def run_timed(quanta: int) -> int:
    """Run up to `quanta` quanta; NEXT int64[sm] is when each SM has something to do. 1: a grid is done; 0: not yet;
    2: nothing happens until G_UNTIL (never, where nothing more comes); negative: minus the fault."""
    if G[L.G_AHEAD]:
        return help_out()
    if G[L.G_STARTED] == 0:
        G[L.G_STARTED] = 1
        start()
    for _ in range(quanta):
        if G[L.G_FINISHED]:
            return 1
        soonest = L.BIG
        for m in range(G[L.G_SMS]):
            if SM[m, L.M_WAKE]:
                if SM[m, L.M_WAKE] < NEXT[m]:
                    NEXT[m] = SM[m, L.M_WAKE]
                SM[m, L.M_WAKE] = 0
            if NEXT[m] < soonest:
                soonest = NEXT[m]
        if soonest >= G[L.G_UNTIL]:
            return 2
        quantum = G[L.G_QUANTUM]
        left = G[L.G_TOTAL] - G[L.G_NEXTCTA]
        if soonest < BEGIN:
            quantum = FINE
        elif left > 0 and left < 2 * G[L.G_SLOTS]:
            quantum = min(quantum, LAST)
        end = soonest // quantum * quantum + quantum
        if G[L.G_CYCLELIMIT] and end > G[L.G_CYCLELIMIT]:
            return -K.F_TIMEOUT
        G[L.G_NOW] = end
        number = end // quantum
        if G[L.G_HELPERS]:
            publish(address(TURN, (G[L.G_SMS], ORDER)), number)
            publish(address(TURN, (G[L.G_SMS], HORIZON)), end + AHEAD)
        for k in range(G[L.G_SMS]):
            m = in_order(number, k)
            if NEXT[m] < end:
                turn = take_back(m, end) if G[L.G_HELPERS] else 1
                if turn < 0:
                    return turn
                if turn:
                    after = run_sm(m, NEXT[m], end)
                    if after < 0:
                        return after
                    NEXT[m] = after
                    if G[L.G_HELPERS]:
                        publish(address(TURN, (m, 0)), OFFERED)
    return 0
