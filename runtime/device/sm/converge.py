"""Convergence barriers: who takes part in which.

Diverged groups of one warp may pass the same BSSY at different times, while part of an earlier group is still blocked
at the BSYNC. So a barrier has up to GROUPS disjoint masks of participants (WS columns W_B + 16 * group + barrier): BSSY
makes the executing lanes one group and takes them out of any other, BSYNC frees a group when all its living lanes are
there, BREAK takes lanes out.

A called function saves a barrier's mask with BMOV.CLEAR, uses the barrier and puts the mask back. Lanes of the caller
that come to the BSYNC meanwhile are in no group: they wait until the mask is back, or nothing else of the warp can run.
"""

# mypy: disable-error-code="no-any-return,call-arg,assignment,operator,arg-type,var-annotated"
# numba types these functions by their signatures; mypy would want casts that are not free.

from __future__ import annotations

from typing import Any

from runtime.device.sm import layout as L
from runtime.device.sm.jit import compiled

GROUPS = L.B_GROUPS


@compiled("void(int64, int64, int64, int64[:,::1])")
def leave(w: int, b: int, lanes: int, WS: Any) -> None:
    """`lanes` take part in barrier b no more."""
    for g in range(GROUPS):
        WS[w, L.W_B + 16 * g + b] &= ~lanes


@compiled("void(int64, int64, int64, int64[:,::1])")
def join(w: int, b: int, lanes: int, WS: Any) -> None:
    """`lanes` become one group of barrier b. A place is free if no living lane is in it; if none is, one whose lanes
    are not waiting is given up, since they may never come."""
    leave(w, b, lanes, WS)
    if lanes == 0:
        return
    alive = WS[w, L.W_ALIVE]
    place = -1
    for g in range(GROUPS):
        if WS[w, L.W_B + 16 * g + b] & alive == 0:
            place = g
            break
    if place < 0:
        place = 0
        for g in range(GROUPS):
            if WS[w, L.W_B + 16 * g + b] & WS[w, L.W_BB + b] == 0:
                place = g
                break
    WS[w, L.W_B + 16 * place + b] = lanes


@compiled("int64(int64, int64, int64, int64[:,::1])")
def participants(w: int, b: int, lane: int, WS: Any) -> int:
    """The group of barrier b that `lane` is in; 0 if none."""
    for g in range(GROUPS):
        mask = WS[w, L.W_B + 16 * g + b]
        if mask >> lane & 1:
            return int(mask)
    return 0


@compiled("int64(int64, int64, int64, int64[:,::1])")
def waiting(w: int, b: int, lanes: int, WS: Any) -> int:
    """Of `lanes`, arrived at BSYNC b, those whose group is not complete, or who are in none."""
    out = lanes
    here = lanes | WS[w, L.W_BB + b]
    for g in range(GROUPS):
        mask = WS[w, L.W_B + 16 * g + b] & WS[w, L.W_ALIVE]
        if mask & ~here == 0:
            out &= ~mask
    return int(out)


@compiled("int64(int64, int64, int64[:,::1])")
def complete_groups(w: int, b: int, WS: Any) -> int:
    """Of the lanes blocked at BSYNC b, those that may go on."""
    blocked = WS[w, L.W_BB + b]
    out = 0
    for g in range(GROUPS):
        mask = WS[w, L.W_B + 16 * g + b] & WS[w, L.W_ALIVE]
        if mask & ~blocked == 0:
            out |= mask
    return out


@compiled("int64(int64, int64[:,::1])")
def strays(w: int, WS: Any) -> int:
    """Nothing of the warp can run: make ready the lanes that are blocked at a BSYNC in no group of it."""
    out = 0
    todo = WS[w, L.W_BLOCKS]
    for b in range(16):
        if todo >> b & 1:
            free = WS[w, L.W_BB + b]
            for g in range(GROUPS):
                free &= ~WS[w, L.W_B + 16 * g + b]
            WS[w, L.W_BB + b] &= ~free
            out |= free
    WS[w, L.W_READY] |= out
    return int(out)
