"""The front end of a sub-core: instruction fetch through three cache levels, and when a warp can go on.

An instruction line is 128 bytes (8 instructions). IC0 int64[sub-core, line], IC1 and IC2 int64[sm, line] hold the order
number with which a line last came in (0 never): a line is present while fewer than the level's capacity came after it.
Straight-line code is prefetched, so only its bandwidth shows; a jump pays the level's latency. FP int64[...] holds
capacities in lines and costs in cycles.
"""

# mypy: disable-error-code="no-any-return,call-arg,assignment,operator,arg-type,var-annotated"
# `lang` types these functions by their signatures; mypy would want casts that are not free.

from __future__ import annotations

from typing import Any

from runtime.device.sm import layout as L
from runtime.device.sm.jit import compiled

(
    FP_L0,
    FP_L1,
    FP_L15,
    FP_JUMP_L1,
    FP_JUMP_L15,
    FP_JUMP_L2,
    FP_NEXT_L15,
    FP_NEXT_L2,
    FP_PREWARMED,
    FP_COUNT,
) = range(10)


@compiled("int64(int64, int64, int64, int64, int64, int64[:,::1])", forceinline=True)
def streamed(sc: int, sequential: int, t: int, rate: int, latency: int, SC: Any) -> int:
    """When a line that a sub-core lacks comes at `t` or later: the next one follows the one before it at a rate."""
    there = t + latency
    if sequential:
        there = SC[sc, L.S_STREAM] + rate
        if there < t:
            there = t
    SC[sc, L.S_STREAM] = there
    return there


@compiled(
    "int64(int64, int64, int64, int64, int64[:,::1], int64[:,::1], int64[:,::1], int64[:,::1], int64[:,::1], "
    "int64[::1])"
)
def fetch(sc: int, line: int, sequential: int, t: int, SC: Any, SM: Any, IC0: Any, IC1: Any, IC2: Any, FP: Any) -> int:
    """When the sub-core has instruction `line` that a warp turns to at `t`."""
    came = IC0[sc, line]
    if came and SC[sc, L.S_L0N] - came < FP[FP_L0]:
        return t
    SC[sc, L.S_L0N] += 1
    IC0[sc, line] = SC[sc, L.S_L0N]
    m = sc >> 2
    came = IC1[m, line]
    if came and SM[m, L.M_L1N] - came < FP[FP_L1]:
        return t if sequential else t + FP[FP_JUMP_L1]
    SM[m, L.M_L1N] += 1
    IC1[m, line] = SM[m, L.M_L1N]
    came = IC2[m, line]
    if (came and SM[m, L.M_L15N] - came < FP[FP_L15]) or (not came and line < FP[FP_PREWARMED]):
        if not came:
            SM[m, L.M_L15N] += 1
            IC2[m, line] = SM[m, L.M_L15N]
        return streamed(sc, sequential, t, FP[FP_NEXT_L15], FP[FP_JUMP_L15], SC)
    SM[m, L.M_L15N] += 1
    IC2[m, line] = SM[m, L.M_L15N]
    return streamed(sc, sequential, t, FP[FP_NEXT_L2], FP[FP_JUMP_L2], SC)


@compiled(
    "int64(int64, int64, int64[:,::1], int64[:,::1], int64[:,::1], int64[:,::1], int64[:,::1], int64[:,::1], "
    "int64[:,::1], int64[::1])"
)
def arm(w: int, t: int, CODE: Any, WS: Any, SC: Any, SM: Any, IC0: Any, IC1: Any, IC2: Any, FP: Any) -> int:
    """The first cycle, from `t` on, in which warp w's next instruction passes its own conditions: fetched, scoreboards
    of its wait mask clear. Notes what it waits for."""
    pc = WS[w, L.W_PC]
    line = pc >> 3
    ready = t
    if line != WS[w, L.W_LINE]:
        ready = fetch(w >> 4, line, 1 if line == WS[w, L.W_LINE] + 1 else 0, t, SC, SM, IC0, IC1, IC2, FP)
        WS[w, L.W_LINE] = line
    WS[w, L.W_TFETCH] = ready
    SC[w >> 4, L.S_UNIT + (w & 15)] = CODE[pc, L.C_UNIT]
    wait = CODE[pc, L.C_WAIT]
    if wait:
        for k in range(6):
            if wait >> k & 1 and WS[w, L.W_SB + k] > ready:
                ready = WS[w, L.W_SB + k]
                WS[w, L.W_SBLONG] = WS[w, L.W_SBL + k]
    WS[w, L.W_TSB] = ready
    return ready


@compiled("int64(int64, int64, int64, int64[::1], int64[:,::1])")
def constant(m: int, line: int, t: int, G: Any, SM: Any) -> int:
    """When SM m, asked at `t`, has a line of 64 bytes of constants: of bank 0, from 256 on of bank 3, from 512 on the
    same for LDC, which has a cache of its own. The first who asks brings it, and everybody waits for that."""
    there = SM[m, L.M_CONSTAT + line]
    if there == 0:
        there = t + G[L.G_IMC]
        if SM[m, L.M_CONSTANTS] == 0:
            SM[m, L.M_CONSTANTS] = 1
            there += G[L.G_IMCFIRST]
        if line & 256:
            # From memory 256 bytes at a time.
            cold = 1
            for k in range(line & ~3, (line & ~3) + 4):
                if SM[m, L.M_CONSTAT + k] or SM[m, L.M_CONSTAT + (k ^ 512)]:
                    cold = 0
            if cold:
                there = t + G[L.G_IMCCOLD]
        SM[m, L.M_CONSTAT + line] = there
    if there <= t:
        SM[m, L.M_CONST + (line >> 6)] |= 1 << (line & 63)
    return there
