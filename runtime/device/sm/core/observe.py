"""A record of every issue of one SM, for timelines.

`RECORDING` is a constant of the compiled engine: the ordinary one has no trace of this module. With MINICC_RECORD set
in the environment of a fresh process ("SM,FIRST,CYCLES": issues of that SM from a time on, for so long) another variant
is compiled, once, beside the ordinary one; it writes a row for each issue into a buffer of its own.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from runtime.device.sm.language.jit import RECORDING
from runtime.device.sm.language.lang import compiled, u32
from runtime.device.sm.language.raw import loads64, store64
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CT, PCC, WS, G

ROWS = 1 << 18
"""Issues that are kept."""

O_TIME, O_WARP, O_INSTR, O_CTA, O_ID, O_MASK, O_DONE = range(7)
"""Issue time; row in WS; instruction; CTA of the grid; warp of the CTA; lanes that executed; when its scoreboard clears
(0: none)."""
O_STATES = 7
"""First of the warp-cycles by reason, since the warp's issue before."""
REASONS = len(K.REASONS)
O_COLUMNS = O_STATES + REASONS


@compiled
def _place(w: int, t: int) -> int:
    """Host address of the row for an issue of warp w at `t`; 0 if it is not to be kept."""
    if w >> 6 != G[L.G_WATCH] or t < G[L.G_WATCHFROM] or t >= G[L.G_WATCHEND] or G[L.G_WATCHN] >= ROWS:
        return 0
    return G[L.G_WATCHBUF] + 8 * O_COLUMNS * G[L.G_WATCHN]


@compiled
def remember(w: int, i: int, t: int) -> None:
    """Warp w is about to issue instruction i at `t`: keep the instruction's warp-cycles as they are before this wait is
    booked."""
    at = _place(w, t)
    if at:
        for k in range(REASONS):
            store64(at + 8 * (O_STATES + k), np.uint64(PCC[i, K.R_SELECTED + k]))


@compiled
def observe(w: int, i: int, t: int, mask: u32, done: int) -> None:
    """Note that warp w issued instruction i at `t`, after all that the issue changed has been changed."""
    at = _place(w, t)
    if at == 0:
        return
    G[L.G_WATCHN] += 1
    store64(at, np.uint64(t))
    store64(at + 8, np.uint64(w))
    store64(at + 16, np.uint64(i))
    store64(at + 24, np.uint64(CT[WS[w, L.W_CTA], L.T_LINEAR]))
    store64(at + 32, np.uint64(WS[w, L.W_ID]))
    store64(at + 40, np.uint64(mask))
    store64(at + 48, np.uint64(done))
    for k in range(REASONS):
        here = at + 8 * (O_STATES + k)
        store64(here, np.uint64(PCC[i, K.R_SELECTED + k]) - np.uint64(loads64(here)))


def window() -> tuple[int, int, int]:
    """(SM, first cycle, cycles) that MINICC_RECORD asks for."""
    parts = [int(part) for part in os.environ.get("MINICC_RECORD", "0").split(",") if part.isdigit()]
    sm, first, cycles = [*parts, 0, 0, 0][:3]
    return sm, first, cycles or L.BIG


def prepare(g: Any) -> Any:
    """The buffer of one run, named in its scalars `g`; the caller keeps it alive."""
    sm, first, cycles = window()
    buffer = np.zeros((ROWS, O_COLUMNS), np.int64)
    g[L.G_WATCH], g[L.G_WATCHFROM], g[L.G_WATCHEND] = sm, first, min(first + cycles, L.BIG)
    g[L.G_WATCHBUF], g[L.G_WATCHN] = buffer.ctypes.data, 0
    return buffer


__all__ = ["RECORDING", "observe", "prepare", "remember"]
