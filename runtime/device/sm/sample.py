"""Sampling a big grid: some stretches of its CTAs run with timing, the others without, and the cycles are estimated.

Asked for by name (`Options.sample`), never done silently. Each of N stretches is ten waves of CTAs, the first at the
beginning of the grid, the last at its end, the others evenly between. All CTAs run, in order, so that results are as
always; those between the stretches run on the untimed machine and leave their lines in L2 (`warming`). What is
measured is the pace at which CTAs begin, from the sixth wave of a stretch on (queues to DRAM are shorter before). The
estimate is the cycles of the first stretch, with its launch and its tail, and the mean pace of the others for every
further CTA. Its error is the 95 % interval of that mean, from the variance among the stretches or, if they are few,
among their waves. Counters of the timed part are scaled; instructions are exact.
"""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime.device.grid import Sampled
from runtime.device.sm.memory import l2
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L

if TYPE_CHECKING:
    from runtime.device.sm.engine import Run

SETTLED = 6
"""Waves until queues to DRAM are as long as they will be."""
WAVES = SETTLED + 4
"""Waves of a stretch: those that settle, and of the others all but the last one's end are measured."""
STUDENT = {2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228}
"""97.5 % points of Student's distribution by degrees of freedom; beyond, `student` has them to 0.003."""
EXACT = (K.R_SELECTED, L.P_THREADS, L.P_ACTIVE, L.P_DIVERGED)
"""Counters that the untimed machine keeps too."""


def stretches(total: int, places: int, count: int) -> list[tuple[int, int]]:
    """First CTA and end of each stretch with timing; all of a grid that would not be much larger."""
    length = WAVES * places
    if count < 1 or total < 2 * count * length:
        return [(0, total)]
    last = total - length
    begins = [last * k // (count - 1) for k in range(count)] if count > 1 else [0]
    return [(begin, begin + length) for begin in begins]


def pace(begins: Any, places: int) -> list[float]:
    """Cycles from one CTA's beginning to the next one's, on the whole device, in the three waves that are measured."""
    times = np.sort(begins)
    marks = [times[min(k * places, len(times) - 1)] for k in range(SETTLED, SETTLED + 4)]
    counts = [min((k + 1) * places, len(times) - 1) - k * places for k in range(SETTLED, SETTLED + 3)]
    return [float(b - a) / n for a, b, n in zip(marks, marks[1:], counts, strict=False)]


def interval(paces: list[list[float]]) -> tuple[float, float]:
    """Mean pace, and half of its 95 % interval: from the stretches behind the first one (the beginning of a grid has L2
    for itself), if there are three of them or more, else from the waves."""
    used = paces[1:] or paces
    means = [statistics.fmean(waves) for waves in used]
    if len(means) < 3:
        means = [pace for waves in used for pace in waves]
    spread = statistics.stdev(means) / math.sqrt(len(means))
    return statistics.fmean(means), spread * student(len(means) - 1)


def student(freedom: int) -> float:
    """The 97.5 % point of Student's distribution (the first terms of its expansion about the normal one's)."""
    return STUDENT.get(freedom, 1.96 + 2.37 / freedom + 2.8 / freedom**2)


def run(timed: Run, untimed: Run, parts: list[tuple[int, int]], overhead: int) -> tuple[Run, int, Sampled]:
    """Run all CTAs. The machine that ended (the untimed one only with a fault), its result as `Run.run` gives it, and
    the estimate."""
    g, t = timed.g, timed.tables
    # Both print into one buffer; L2 is the timed one's.
    untimed.g[L.G_OUT] = g[L.G_OUT]
    for name in ("L2", "MP"):
        untimed.tables[name] = t[name]
    now = 0
    offsets = t["CT"][:, L.T_BEGIN].copy()
    total = int(g[L.G_TOTAL])
    places = timed.sms * timed.residency.ctas
    paces: list[list[float]] = []
    begins = np.zeros(WAVES * places, np.int64)
    g[L.G_BEGINS] = begins.ctypes.data
    first_end = done = 0
    for begin, end in parts:
        if begin > done:
            untimed.g[L.G_WARMING] = now + int(t["MP"][l2.MP_STAMP])
            result = _stretch(untimed, timed, done, begin)
            if result != 1:
                return untimed, result, Sampled(0, total, 0, 0, 0)
            # Uses of lines are times: it goes on behind the last.
            now = int(untimed.g[L.G_WARMING] - t["MP"][l2.MP_STAMP])
        t["CT"][:, L.T_BEGIN] = offsets + now
        t["SC"][:, L.S_NEXT] = 0
        result = _stretch(timed, untimed, begin, end)
        if result != 1:
            return timed, result, Sampled(0, total, 0, 0, 0)
        paces.append(pace(begins, places))
        now = int(g[L.G_LASTEND])
        first_end = first_end or now
        done = end
    if done < total:
        untimed.g[L.G_WARMING] = 0
        result = _stretch(untimed, timed, done, total)
        if result != 1:
            return untimed, result, Sampled(0, total, 0, 0, 0)
    g[L.G_TOTAL] = total
    simulated = sum(end - begin for begin, end in parts)
    cycles = first_end + overhead
    rest = total - parts[0][1]
    mean, half = interval(paces)
    estimate = cycles + round(rest * mean)
    _scale(timed, untimed, total / simulated)
    return timed, 1, Sampled(simulated, total, len(parts), estimate, rest * half / estimate)


def _stretch(machine: Run, other: Run, begin: int, end: int) -> int:
    """Run CTAs `begin` to `end` on a machine that goes on where the other one printed and counted last."""
    g = machine.g
    for column in (L.G_OUTLEN, L.G_INSTR):
        g[column] = max(g[column], other.g[column])
    g[L.G_FIRSTCTA] = g[L.G_NEXTCTA] = g[L.G_DONE] = begin
    g[L.G_TOTAL] = end
    g[L.G_STARTED] = g[L.G_TURN] = g[L.G_STUCK] = g[L.G_FINISHED] = 0
    return machine.run()


def _scale(timed: Run, untimed: Run, factor: float) -> None:
    """Make the counters those of the whole grid."""
    table, other = timed.tables["PCC"], untimed.tables["PCC"]
    exact = [table[:, column] + other[:, column] for column in EXACT]
    table[:] = np.rint(table * factor).astype(np.int64)
    for column, values in zip(EXACT, exact, strict=True):
        table[:, column] = values
    sms = timed.tables["SM"]
    for column in (L.M_WARPCYCLES, L.M_WARPS, L.M_ACTIVE):
        sms[:, column] = np.rint(sms[:, column] * factor).astype(np.int64)
