"""Convergence barriers: who takes part in which.

Diverged groups of one warp may pass the same BSSY at different times, while part of an earlier group is still blocked
at the BSYNC; a called function saves a barrier with BMOV.CLEAR, uses it and puts it back. So each lane has its own
value of each barrier: the mask of lanes to meet. Lanes with the same mask share an entry, members << 32 | mask, of the
columns D_B + 16 * group + barrier. BSSY gives the executing lanes the mask of just them; BSYNC frees the members of an
entry when every living lane of its mask is a member and there, has yielded, or waits at WARPSYNC; BREAK takes
lanes out of masks. A BSYNC without a mask, because it never had one or because others went on without these lanes,
holds nobody.
"""

from __future__ import annotations

from runtime.device.sm.language.lang import compiled
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import DIV, WS

FULL = 0xFFFFFFFF


@compiled
def leave(w: int, b: int, lanes: int, still: int) -> None:
    """`lanes` have no mask of barrier b any more. `still` 1: the others of their masks wait for them all the same."""
    for g in range(WS[w, L.W_MASKS]):
        entry = DIV[w, L.D_B + 16 * g + b]
        members = entry >> 32 & FULL
        if members & lanes:
            mask = entry & FULL
            if still == 0:
                mask &= ~(members & lanes)
            members &= ~lanes
            DIV[w, L.D_B + 16 * g + b] = members << 32 | mask if members else 0


@compiled
def join(w: int, b: int, lanes: int, mask: int) -> None:
    """`lanes` get `mask` as their value of barrier b. There is a place: one with no living lane in it, or a new one."""
    leave(w, b, lanes, 0)
    mask &= FULL
    if lanes & mask == 0:
        return
    alive = WS[w, L.W_ALIVE]
    groups = WS[w, L.W_MASKS]
    place = -1
    for g in range(groups):
        entry = DIV[w, L.D_B + 16 * g + b]
        if entry and entry & FULL == mask:
            DIV[w, L.D_B + 16 * g + b] = entry | lanes << 32
            return
        if place < 0 and (entry >> 32 & FULL) & alive == 0:
            place = g
    if place < 0:
        place = groups  # never more than lanes
        WS[w, L.W_MASKS] = groups + 1
        for other in range(16):
            DIV[w, L.D_B + 16 * place + other] = 0
    DIV[w, L.D_B + 16 * place + b] = lanes << 32 | mask


@compiled
def participants(w: int, b: int, lane: int) -> int:
    """The value of barrier b in `lane`; 0 if it has none."""
    for g in range(WS[w, L.W_MASKS]):
        entry = DIV[w, L.D_B + 16 * g + b]
        if (entry >> 32 & FULL) >> lane & 1:
            return entry & FULL
    return 0


@compiled
def fellows(w: int, b: int, lane: int) -> int:
    """The lanes that have the same value of barrier b as `lane`, and not that of a call further in or out."""
    for g in range(WS[w, L.W_MASKS]):
        members = DIV[w, L.D_B + 16 * g + b] >> 32 & FULL
        if members >> lane & 1:
            return members
    return 0


@compiled
def lacks_yielded(w: int, b: int, here: int) -> int:
    """Whether some of the lanes `here` at BSYNC b lack nobody but lanes that yielded."""
    alive = WS[w, L.W_ALIVE]
    for g in range(WS[w, L.W_MASKS]):
        entry = DIV[w, L.D_B + 16 * g + b]
        members = entry >> 32 & here
        lacks = entry & alive & ~members & FULL
        if members and lacks and lacks & ~WS[w, L.W_YIELDED] == 0:
            return 1
    return 0


@compiled
def complete_groups(w: int, b: int, here: int) -> int:
    """Of the lanes `here` at BSYNC b, those that may go on. They have met: their entries are gone."""
    out = here
    alive = WS[w, L.W_ALIVE]
    for g in range(WS[w, L.W_MASKS]):
        entry = DIV[w, L.D_B + 16 * g + b]
        members = entry >> 32 & FULL
        if members & here:
            missing = entry & alive & ~(members & here | WS[w, L.W_YIELDED]) & FULL
            if missing:
                out &= ~members
            else:
                DIV[w, L.D_B + 16 * g + b] = 0
    return out
