"""What an instruction takes of its sub-core: register ports, reuse cache, pipe and queue; the booking of its wait."""

from __future__ import annotations

import numpy as np

from runtime.device.sm.language.lang import compiled, seldom
from runtime.device.sm.language.raw import popcount
from runtime.device.sm.language.vector import keep8, same8
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CODE, PCC, SC, WS

EVEN = 0b010101
"""Places (see `C_PORTS`) of the even bank."""


@compiled(inline=True)
def port_reads(w: int, i: int, sc: int) -> int:
    """Registers that instruction i of warp w reads through the ports of the two banks, not counting what the reuse
    cache has: even ones, and odd ones << 32."""
    reads = np.uint32(CODE[i, L.C_PORTS] & ~same8(SC, (sc, L.S_CACHE), CODE, (i, L.C_READ), w * 256))
    return popcount(reads & EVEN) | popcount(reads & EVEN << 1) << 32


@compiled(inline=True)
def port_time(reads: int, sc: int) -> int:
    """The first cycle in which an instruction with these register reads can be dispatched: a bank gives a register a
    cycle; one read can wait a cycle for it, several have to find the bank free (H200: pairs of three-register FFMAs
    that conflict take 2 cycles, 1.5 in turns with those of the other bank or with one read, 1 with those of none, but
    AABB takes 5, and four of one and four of the other 14)."""
    n0 = reads & 0xFFFFFFFF
    n1 = reads >> 32
    a = SC[sc, L.S_BANK0] - (1 if n0 == 1 else 0) if n0 else 0
    b = SC[sc, L.S_BANK1] - (1 if n1 == 1 else 0) if n1 else 0
    return a if a > b else b


@compiled(inline=True)
def read_ports(w: int, i: int, sc: int, t: int, reads: int) -> None:
    """Occupy the register ports for instruction i, issued at `t`, and update the reuse cache."""
    for bank in range(2):
        at = SC[sc, L.S_BANK0 + bank]
        SC[sc, L.S_BANK0 + bank] = (at if at > t else t) + (reads >> 32 * bank & 0xFFFFFFFF)
    keep8(SC, (sc, L.S_CACHE), CODE, (i, L.C_READ), w * 256, CODE[i, L.C_KEEP])


@compiled(inline=True)
def unit_time(unit: int, sc: int) -> int:
    """When the pipe and queue of an instruction (its C_UNIT) can take it."""
    pipe = SC[sc, L.S_PIPE + (unit & 15)]
    room = SC[sc, L.S_ROOM + (unit >> 4)]
    return pipe if pipe > room else room


@compiled(inline=True)
def occupy(pipe: int, sc: int, t: int, interval: int) -> None:
    """An instruction goes into a pipe at `t`: the FMA pipe has two halves, either of which will do for some."""
    busy = t + interval
    if pipe >= K.PIPE_FMA and pipe <= K.PIPE_BOTH:
        heavy = SC[sc, L.S_PIPE + K.PIPE_HEAVY]
        lite = SC[sc, L.S_LITE]
        if pipe == K.PIPE_BOTH or (pipe == K.PIPE_FMA and lite <= t):
            lite = busy
        if pipe != K.PIPE_FMA or lite != busy:
            heavy = busy
        SC[sc, L.S_LITE] = lite
        SC[sc, L.S_PIPE + K.PIPE_HEAVY] = heavy
        SC[sc, L.S_PIPE + K.PIPE_FMA] = lite if lite < heavy else heavy
        SC[sc, L.S_PIPE + K.PIPE_BOTH] = lite if lite > heavy else heavy
    else:
        SC[sc, L.S_PIPE + pipe] = busy


@compiled(inline=True)
def book(w: int, i: int, sc: int, t: int) -> None:
    """Book the cycles since warp w's last issue, and the issue at `t` itself."""
    PCC[i, K.R_SELECTED] += 1
    at = WS[w, L.W_LAST] + 1
    end = min(WS[w, L.W_TSTALL], t)
    if end > at:
        PCC[i, K.R_WAIT] += end - at
        at = end
    if at >= t:
        return
    if seldom(max(WS[w, L.W_TBRANCH], WS[w, L.W_TBLOCK]) > at):
        end = min(WS[w, L.W_TBRANCH], t)
        if end > at:
            PCC[i, K.R_BRANCH] += end - at
            at = end
        end = min(WS[w, L.W_TBLOCK], t)
        if end > at:
            PCC[i, WS[w, L.W_BLOCKKIND]] += end - at
            at = end
    end = min(WS[w, L.W_TFETCH], t)
    if seldom(end > at):
        PCC[i, K.R_NOINST] += end - at
        at = end
    end = min(WS[w, L.W_TSB], t)
    if seldom(end > at):
        PCC[i, K.R_LONG if WS[w, L.W_SBLONG] else K.R_SHORT] += end - at
        at = end
    if at >= t:
        return
    free = min(unit_time(CODE[i, L.C_UNIT], sc), t)
    if free > at:
        queue = CODE[i, L.C_QUEUE]
        span = free - at
        if queue == K.Q_LSU:
            PCC[i, K.R_LG if CODE[i, L.C_LONG] else K.R_MIO] += span
            at = free
        elif queue:
            PCC[i, K.R_MIO] += span
            at = free
        else:
            # While a pipe of interval n is busy with others, one cycle in n it was free and went to another warp.
            interval = CODE[i, L.C_INTERVAL]
            busy = span >> 1 if interval == 2 else span * (interval - 1) // interval
            if busy == 0:
                busy = span
            PCC[i, K.R_MATH] += busy
            at += busy
    # Up to the sub-core's issue before this one others were picked; behind it, ports kept everybody from issuing.
    free = SC[sc, L.S_LATEST] + 1
    if free > at:
        PCC[i, K.R_NOT_SELECTED] += free - at
        at = free
    if t > at:
        PCC[i, K.R_DISPATCH] += t - at


@compiled(inline=True)
def constant_line(bank: int, offset: int) -> int:
    """The number of a line of constants, or -1: not one whose way is modelled."""
    line = offset >> 6
    if bank == 0 and line < L.PARAMETER_LINES:
        return line
    if bank == 3 and line < L.CONST_LINES:
        return line + L.PARAMETER_LINES
    if (bank == 2 or bank == 4) and line < L.OTHER_LINES:
        return line + L.PARAMETER_LINES + L.CONST_LINES + (bank >> 2) * L.OTHER_LINES
    return -1
