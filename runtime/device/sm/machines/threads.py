"""SMs in several threads, with the cycles and bits of one.

What SMs share is device memory, L2 and what is behind it, and the distributor of CTAs. One thread, the machine's own,
serves these: window after window, SM after SM, as if it were alone. Between two instructions that ask for them
(`shares`) an SM meets nobody, so it does not matter when the host simulates it. So the machine's own thread offers each
SM whose turn is over, and helpers run it ahead, up to the next such instruction, where it parks until its turn comes.
An SM that no helper has taken by then is run by the machine's own thread. What is simulated never hangs on who did it.

TURN int64[sm + 1, 8]: who has the SM (MINE, OFFERED, TAKEN, FAULTED), then the fault and the scalars that describe it;
in the last row how far SMs may be run ahead, the order of the window, and whether helpers are to end. NEXT is never
later than what an SM does next, also while it is being run.

Helpers have scalars, counters and scratch areas of their own, which are added up at the end. A kernel that faults has
the counters of SMs that were run ahead of the fault, too. Kernels of the extension (clusters, copies, wgmma, textures,
malloc) and several grids on one machine have one thread.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime.device.sm.code.decode import copied
from runtime.device.sm.core.issue import run_sm
from runtime.device.sm.language import jit
from runtime.device.sm.language.lang import compiled
from runtime.device.sm.language.raw import acquire, address, claim, nap, publish
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import NEXT, TURN, G, addresses
from runtime.device.sm.tables.workspace import SCRATCH_BYTES, aligned

if TYPE_CHECKING:
    from runtime.device.sm.engine import Run

MINE, OFFERED, TAKEN, FAULTED = range(4)
HORIZON, ORDER, OVER = range(3)
"""Columns of TURN's last row."""
AHEAD = 1024
"""Cycles behind the window under way up to which SMs are run ahead."""
STEP = 127
"""A helper tells after so many cycles how far it is, less one."""
SPIN, IDLE = 64, 4096
"""Looks at a word before another thread gets the host's core; for an SM, before a helper sleeps."""
PATIENCE, SLEEP = 4e-3, 100e-6
"""Seconds before helpers begin (most launches have ended by then), and for which a helper without work sleeps."""


@compiled(inline=True)
def in_order(number: int, k: int) -> int:
    """The SM that is the k-th of a window. Another one goes first each time, and every other time in the other
    direction, so that none is always first in the queues of L2."""
    count = G[L.G_SMS]
    return (number * 53 + (k if number & 1 else count - 1 - k)) % count


@compiled
def take_back(m: int, end: int) -> int:
    """The turn of SM m has come: 1 if it has something to do before `end`, 0, or minus the fault that it ran into."""
    place = address(TURN, (m, 0))
    looks = 0
    while True:
        who = acquire(place)
        if acquire(address(NEXT, m)) >= end:
            return 0
        if who == MINE:
            return 1
        if who == OFFERED:
            claim(place, OFFERED, MINE)
        elif who == FAULTED:
            G[L.G_FWARP] = TURN[m, 2]
            G[L.G_FPC] = TURN[m, 3]
            G[L.G_FLANE] = TURN[m, 4]
            G[L.G_FADDR] = TURN[m, 5]
            return TURN[m, 1]
        else:
            looks += 1
            if looks > SPIN:
                nap(G[L.G_NAP])


@compiled
def help_out() -> int:
    """A helper: run SMs ahead, those first whose turn comes last, until there is nothing to do for a while."""
    last = G[L.G_SMS]
    looks = 0
    while looks < IDLE and acquire(address(TURN, (last, OVER))) == 0:
        horizon = acquire(address(TURN, (last, HORIZON)))
        number = acquire(address(TURN, (last, ORDER)))
        looks += 1
        for k in range(last):
            m = in_order(number, last - 1 - k)
            place = address(TURN, (m, 0))
            if NEXT[m] < horizon and acquire(place) == OFFERED and claim(place, OFFERED, TAKEN):
                looks = 0
                G[L.G_PARKED] = 0
                after = NEXT[m]
                while after >= 0 and after < horizon and G[L.G_PARKED] == 0:
                    # Who waits for this SM sees how far it is.
                    publish(address(NEXT, m), after)
                    after = run_sm(m, after, min((after | STEP) + 1, horizon))
                if after < 0:
                    TURN[m, 1] = after
                    TURN[m, 2] = G[L.G_FWARP]
                    TURN[m, 3] = G[L.G_FPC]
                    TURN[m, 4] = G[L.G_FLANE]
                    TURN[m, 5] = G[L.G_FADDR]
                    NEXT[m] = G[L.G_PARKED]
                    publish(place, FAULTED)
                else:
                    NEXT[m] = after
                    publish(place, MINE if G[L.G_PARKED] else OFFERED)
                break
        if looks > SPIN:
            nap(G[L.G_NAP])
    return 0


@contextlib.contextmanager
def helpers(run: Run) -> Iterator[Callable[[], None]]:
    """While a machine runs, its helpers, if it has any: what is yielded is to be called now and then, and has them
    begin when the run has taken long enough."""
    g, options = run.g, run.options
    count = min(options.cores, run.sms) - 1
    alone = g[L.G_EXTENSION] or g[L.G_CLUSTER] > 1 or options.instruction_limit or jit.RECORDING
    if count < 1 or alone or not options.timing:
        yield lambda: None
        return
    turn = run.tables["TURN"] = aligned((run.sms + 1, 8), np.int64)
    g[L.G_NAP] = ctypes.cast(ctypes.CDLL(None).sched_yield, ctypes.c_void_p).value
    own: list[dict[str, Any]] = []
    threads: list[threading.Thread] = []
    began = time.perf_counter()

    def look() -> None:
        if not threads and time.perf_counter() - began > PATIENCE:
            g[L.G_HELPERS] = count
            own.extend(_own(run) for _ in range(count))
            for tables in own:
                threads.append(threading.Thread(target=_help, args=(addresses(tables), turn[-1]), daemon=True))
                threads[-1].start()

    try:
        yield look
    finally:
        turn[-1, OVER] = 1
        for thread in threads:
            thread.join()
        g[L.G_HELPERS] = 0
        for tables in own:
            run.tables["PCC"] += tables["PCC"]
            g[L.G_INSTR] += tables["G"][L.G_INSTR]
            _add_hazards(run.tables, tables)


def _own(run: Run) -> dict[str, Any]:
    """The tables of a helper: those of the machine, but for scalars, counters and scratch areas."""
    t = run.tables
    own = {name: np.zeros_like(t[name]) for name in ("PCC", "X", "HAZ")}
    own["CODE"] = code = copied(t["CODE"])
    code[shares(code), L.C_CLINE] = L.SHARED_LINE
    scratch = aligned((SCRATCH_BYTES,), np.uint8)
    g = t["G"].copy()
    g[[L.G_INSTR, L.G_NHAZ, L.G_INSTRLIMIT]] = 0
    g[L.G_AHEAD], g[L.G_SCRATCH] = 1, scratch.ctypes.data
    return {**t, **own, "G": g, "scratch": scratch}


def shares(code: Any) -> Any:
    """Which instructions touch what SMs share: memory beyond the SM, constants by address, the distributor (which hears
    of an EXIT), the driver (whose functions code calls by address, too); and what faults in any case."""
    kind, indirect = code[:, L.C_KIND], code[:, L.C_DATA] >= 0
    private = (code[:, L.C_SPACE] == K.SPACE_SHARED) & (code[:, L.C_ACCESS] != K.A_LDGSTS)
    calls = (kind == K.K_CALL) & indirect | np.isin(kind, (K.K_CALL, K.K_BRA_REG)) & (code[:, L.C_AUX] > 0)
    others = np.isin(kind, (K.K_EXIT, K.K_CCTL, K.K_TRAP, K.K_ILLEGAL))
    return (kind == K.K_MEM) & ~private | calls | others


def _help(tables: Any, control: Any) -> None:
    while not control[OVER]:
        jit.call("timed", 0, tables.ctypes.data)
        time.sleep(SLEEP)


def _add_hazards(tables: dict[str, Any], others: dict[str, Any]) -> None:
    """Add the hazards that a helper has found to those of the machine."""
    table, g = tables["HAZ"], tables["G"]
    known = {(p, c, word, kind): k for k, (p, c, word, _, _, kind) in enumerate(table[: g[L.G_NHAZ]].tolist())}
    for row in others["HAZ"][: others["G"][L.G_NHAZ]]:
        p, c, word, early, count, kind = row.tolist()
        k = known.setdefault((p, c, word, kind), len(known))
        if k < L.HAZARD_ROWS and k == g[L.G_NHAZ]:
            table[k] = row
            g[L.G_NHAZ] += 1
        elif k < L.HAZARD_ROWS:
            table[k, 3:5] = max(table[k, 3], early), table[k, 4] + count
