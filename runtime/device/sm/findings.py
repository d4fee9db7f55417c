"""The tables of a checked run (see `machines.checking`), and what it found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runtime.device.grid import Dim, Finding
from runtime.device.sm.machines.checking import LAST_INSTRUCTION, UNSEEN
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L

if TYPE_CHECKING:
    from runtime.device.sm.engine import Run

ATOMIC_LOOP = 24
"""Instructions from the load of an atomic that takes a loop to its ATOMS.CAST, at most."""


def prepare(run: Run) -> None:
    """Make the tables, once the grid's own are there. All are zeros that take memory where they are used."""
    t, g, code = run.tables, run.g, run.decoded.code
    if run.decoded.count > LAST_INSTRUCTION:
        return
    t["CHECK"] = np.zeros((int(g[L.G_SLOTS]), L.V_COLUMNS), np.int64)
    t["SHADOW"] = np.zeros((int(g[L.G_SLOTS] * g[L.G_SHAREDSTRIDE]) // 4 + 4, L.H_COLUMNS), np.int64)
    t["FOUND"] = np.zeros((L.FINDINGS, L.F_COLUMNS), np.int64)
    t["GUESS"] = guesses = np.zeros(run.decoded.count, np.int64)
    casts = (code[:, L.C_ACCESS] == K.A_ATOM) & (code[:, L.C_OP] == K.OP_CAST) & (code[:, L.C_KIND] == K.K_MEM)
    for cast in np.nonzero(casts)[0]:
        # The old value that it compares with is what its loop loaded.
        before = slice(max(int(cast) - ATOMIC_LOOP, 0), int(cast))
        loads = (code[before, L.C_KIND] == K.K_MEM) & (code[before, L.C_ACCESS] == K.A_LOAD)
        guesses[before] |= loads & (code[before, L.C_DEST] == code[cast, L.C_DATA])
    g[L.G_CHECK] = 1
    if run.decoded.extended or g[L.G_CLUSTER] > 1:
        g[L.G_CHECK] |= UNSEEN
        run.memory.known = None
    g[L.G_RESERVED] = run.arch.abi.shared_reserved
    if run.memory.known is not None:
        g[L.G_KNOWN] = run.memory.known.ctypes.data


def found(run: Run) -> tuple[Finding, ...] | None:
    """What it was, by place; None if nothing was looked for."""
    if not run.g[L.G_CHECK]:
        return None
    entry = run.grid.entry - run.grid.code[0]
    rows = run.tables["FOUND"][: int(run.g[L.G_FOUND])].tolist()

    def dim(number: int, extents: Dim) -> Dim:
        return number % extents[0], number // extents[0] % extents[1], number // (extents[0] * extents[1])

    return tuple(
        Finding(
            K.FINDINGS[kind],
            16 * i - entry,
            dim(block, run.grid.grid),
            dim(thread, run.grid.block),
            address - (0 if kind in (K.FIND_GLOBAL, K.FIND_BARRIER) else run.arch.abi.shared_reserved),
            count,
            None if other < 0 else 16 * other - entry,
            None if other < 0 else dim(before, run.grid.block),
        )
        for kind, i, other, count, block, thread, before, address in sorted(rows)
    )
