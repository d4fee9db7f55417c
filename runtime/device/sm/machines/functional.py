"""Running CTAs without timing: each warp goes on until it blocks, ends, or has had its turn."""

from __future__ import annotations

import numpy as np

from runtime.device.sm.core.control import control
from runtime.device.sm.core.cta import place, warp_of
from runtime.device.sm.core.groups import next_group
from runtime.device.sm.core.special import special
from runtime.device.sm.execute import abi
from runtime.device.sm.language.invoke import invoke
from runtime.device.sm.language.lang import compiled, seldom
from runtime.device.sm.language.raw import load32, popcount
from runtime.device.sm.machines.checking import arriving, begin, check, freed, synchronise
from runtime.device.sm.machines.warming import access
from runtime.device.sm.memory.memop import memory_op
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import CODE, CT, PCC, SM, WAKE, WS, G

TURN = 4096
"""Instructions a warp runs before the next one of the CTA gets a turn."""
BUDGET = 1 << 20
"""Warp instructions after which another resident CTA gets a turn, without timing."""


@compiled
def run_warp(w: int, turn: int) -> int:
    """Run warp w for up to `turn` instructions. The number issued, or minus the fault (its PC in G)."""
    state = WS[w, L.W_STATE]
    count = 0
    pc = WS[w, L.W_PC]
    act = WS[w, L.W_ACT]
    limit = G[L.G_NINSTR]
    while count < turn:
        if pc < 0 or pc >= limit:
            G[L.G_FPC] = pc * 16
            return -K.F_INSTR
        count += 1
        mask = np.uint32(act) & (load32(state + CODE[pc, L.C_GUARD]) ^ np.uint32(CODE[pc, L.C_GINV]))
        kind = CODE[pc, L.C_KIND]
        PCC[pc, K.R_SELECTED] += 1
        PCC[pc, L.P_ACTIVE] += popcount(np.uint32(act))
        PCC[pc, L.P_THREADS] += popcount(mask)
        if kind <= K.K_SPECIAL:
            if mask:
                if kind == K.K_EXEC:
                    operands = CODE[pc, L.C_OPERANDS]
                    invoke(CODE[pc, L.C_FN], state, operands, mask, state, operands + abi.DST_OFFSET)
                elif kind == K.K_MEM:
                    bad = memory_op(w, pc, mask, state + CODE[pc, L.C_DEST])
                    if bad < 0:
                        G[L.G_FPC] = pc * 16
                        return bad
                    if G[L.G_WARMING]:
                        access(w, pc, mask, bad)
                    if seldom(G[L.G_CHECK]):
                        check(w, pc, mask)
                else:
                    special(w, CODE[pc, L.C_AUX], G[L.G_INSTR] + count)
                    operands = CODE[pc, L.C_OPERANDS]
                    invoke(CODE[pc, L.C_FN], state, operands, mask, state, operands + abi.DST_OFFSET)
            pc += 1
            continue
        WS[w, L.W_PC] = pc
        WS[w, L.W_ACT] = act
        if seldom(G[L.G_CHECK]):
            if kind == K.K_BAR:
                arriving(w, pc, mask)
            if kind == K.K_EXTENDED:
                synchronise(w)
        bad = control(w, pc, mask, 0)
        if bad < 0:
            G[L.G_FPC] = pc * 16
            return bad
        if seldom(G[L.G_CHECK]) and (kind == K.K_BAR or kind == K.K_EXIT):
            freed(w)
        pc = WS[w, L.W_PC]
        act = WS[w, L.W_ACT]
        if bad:
            if WAKE[w] == L.BIG:
                return count
            if act == 0:
                return count
    WS[w, L.W_PC] = pc
    return count


@compiled
def run_cta(c: int, budget: int) -> int:
    """Run resident CTA c until it is done (1), has used up `budget` instructions (0), nothing in it can run (2), or
    faults (negative, with the warp in G)."""
    used = 0
    warps = G[L.G_WARPS]
    if seldom(G[L.G_CHECK]):
        begin(c)
    while CT[c, L.T_LIVE] > 0:
        progress = False
        for n in range(warps):
            w = warp_of(c, n)
            if WAKE[w] == L.BIG:
                continue
            if WS[w, L.W_ACT] == 0:
                next_group(w, 0)
                if WS[w, L.W_ACT] == 0:
                    continue
            progress = True
            done = run_warp(w, TURN)
            if done < 0:
                G[L.G_FWARP] = w
                return done
            used += done
            G[L.G_INSTR] += done
            if G[L.G_INSTRLIMIT] and G[L.G_INSTR] > G[L.G_INSTRLIMIT]:
                G[L.G_FWARP] = w
                G[L.G_FPC] = WS[w, L.W_PC] * 16
                return -K.F_TIMEOUT
        if not progress:
            return 2
        if used > budget:
            return 0
    return 1


@compiled(entry=True)
def run_untimed(rounds: int) -> int:
    """Run up to `rounds` turns of CTAs. 1: the grid is done; 0: not yet; 2: nothing can ever happen; negative:
    minus the fault."""
    slots = G[L.G_SLOTS]
    for _ in range(rounds):
        if G[L.G_DONE] >= G[L.G_TOTAL]:
            return 1
        c = G[L.G_TURN]
        G[L.G_TURN] = c + 1 if c + 1 < slots else 0
        if CT[c, L.T_ACTIVE] == 0 and place(c, 0) == 0:
            G[L.G_STUCK] += 1
            if G[L.G_STUCK] > slots:
                return 2
            continue
        before = G[L.G_INSTR]
        done = run_cta(c, BUDGET)
        if done < 0:
            return done
        if done == 2:
            # CTAs of a cluster wait for one another.
            G[L.G_STUCK] = G[L.G_STUCK] + 1 if G[L.G_INSTR] == before else 0
            if G[L.G_CLUSTER] == 1 or G[L.G_STUCK] > slots:
                return 2
            continue
        G[L.G_STUCK] = 0
        if done == 1:
            CT[c, L.T_ACTIVE] = 0
            SM[CT[c, L.T_SM], L.M_LIVE] -= 1
            G[L.G_DONE] += 1
            # The same place again: its state is in the host's caches.
            G[L.G_TURN] = c
    return 0
