"""Special registers: what S2R and CS2R read."""

from __future__ import annotations

import numpy as np

from runtime.device.sm.execute import abi
from runtime.device.sm.language.lang import compiled
from runtime.device.sm.language.raw import store32
from runtime.device.sm.language.vector import ramp, spread
from runtime.device.sm.memory.access import FULL
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CT, WS, G

SPECIAL = abi.SPECIAL_ROW * 128


@compiled
def special(w: int, which: int, clock: int) -> None:
    """Put special register SPECIALS[which] into the SPECIAL rows of the warp's state (low words, high words)."""
    at = WS[w, L.W_STATE] + SPECIAL
    c = WS[w, L.W_CTA]
    slot = w & 15
    sm = w >> 6
    low = 0
    high = 0
    if which == 0:
        ramp(at, np.uint32(0))
    elif which <= 3 or which == 24:
        thread = WS[w, L.W_ID] * 32
        x = thread
        y = 0
        z = 0
        if thread >= G[L.G_BX]:
            row = thread // G[L.G_BX]
            x = thread - row * G[L.G_BX]
            z = row // G[L.G_BY]
            y = row - z * G[L.G_BY]
        if G[L.G_BX] & 31 == 0:
            # A warp is a part of a row of threads.
            if which == 1:
                ramp(at, np.uint32(x))
            elif which == 24:
                ramp(at, np.uint32(x | y << 16 | z << 26))
            else:
                spread(at, np.uint32(y if which == 2 else z))
        else:
            for k in range(32):
                if x == G[L.G_BX]:
                    x = 0
                    y += 1
                    if y == G[L.G_BY]:
                        y = 0
                        z += 1
                value = x | y << 16 | z << 26
                if which == 1:
                    value = x
                elif which == 2:
                    value = y
                elif which == 3:
                    value = z
                store32(at + 4 * k, np.uint32(value & FULL))
                x += 1
    elif which >= 11 and which <= 15:
        for k in range(32):
            bit = 1 << k
            if which == 12:
                bit = bit - 1
            elif which == 13:
                bit = 2 * bit - 1
            elif which == 14:
                bit = FULL & ~(2 * bit - 1)
            elif which == 15:
                bit = FULL & ~(bit - 1)
            store32(at + 4 * k, np.uint32(bit))
    else:
        if which == 4:
            low = CT[c, L.T_X]
        elif which == 5:
            low = CT[c, L.T_Y]
        elif which == 6:
            low = CT[c, L.T_Z]
        elif which == 7:
            low = clock & FULL
            high = clock >> 32
        elif which == 8:
            low = clock >> 32
        elif which == 9:
            time = clock * 1000 // 1980
            low = time & FULL
            high = time >> 32
        elif which == 10:
            low = (clock * 1000 // 1980) >> 32
        elif which == 16:
            low = sm
        elif which == 17:
            low = slot * 4 + (w >> 4 & 3)
        elif which == 18:
            low = G[L.G_SHAREDWIN] >> 32
        elif which == 19:
            low = G[L.G_SHAREDWIN] & FULL
        elif which == 20:
            low = G[L.G_LOCALWIN] >> 32
        elif which == 21:
            low = G[L.G_LOCALWIN] & FULL
        elif which == 23:
            low = G[L.G_THREADS]
        elif which == 25:
            low = CT[c, L.T_RANK]
        spread(at, np.uint32(low & FULL))
    spread(at + 128, np.uint32(high & FULL))
