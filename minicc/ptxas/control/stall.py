"""Stall counts: how many cycles after each instruction the next one may issue.

Within a block the issue cycle of each instruction is the earliest that every fixed-latency result it reads allows.
Across blocks: `_entry_needs` tells how soon after the start of a block (and of what follows it) each register is read
or written, and a block that ends with a result still on its way stalls its last instruction until the nearest of
those is safe. Waiting on a scoreboard only makes instructions later, so it is never counted on.
Stores that are to issue together (`near`) wait together, before the first of them.
"""

from __future__ import annotations

from minicc.ptxas.cfg import Cfg
from minicc.ptxas.control import near
from minicc.ptxas.control.scoreboard import LEAVES, NONE, Marks
from minicc.ptxas.mir import MFunction, MInst
from minicc.ptxas.timing import Distances, Footprint, timing

LIMIT = 15
ALL = -1
"""Key of `Needs` that stands for every register: other code begins there."""
FETCH = 4
"""Cycles from a CALL or RET to the first instruction that it leads to, at the very least: their own least stall is 5
(`timing`)."""
Needs = dict[int, dict[tuple[bool, str], int]]
"""key -> (is a write, class) -> least number of cycles after the block's start."""


def assign(
    function: MFunction, cfg: Cfg, prints: list[list[Footprint]], marks: list[list[Marks]], distances: Distances
) -> list[list[int]]:
    """Stall counts per instruction; adds NOPs (and their footprints and marks) where more than 15 cycles are needed."""
    leaves = [[inst.mnemonic in LEAVES for inst in block.insts] for block in function.blocks]
    cycles = []
    for b, print_ in enumerate(prints):
        at = _issue(print_, marks[b], leaves[b], distances, {})
        floors = near.floors(near.pairs(function.blocks[b].insts), at)
        if floors:
            at = _issue(print_, marks[b], leaves[b], distances, floors)
        cycles.append(at)
    first = [next((n for n, inst in enumerate(block.insts) if inst.mnemonic == "BRA"), -1) for block in function.blocks]
    lengths = [at[n + 1] if n >= 0 else at[-1] for n, at in zip(first, cycles, strict=True)]
    entries = _entry_needs(cfg, prints, leaves, cycles, lengths, distances)
    stalls: list[list[int]] = []
    for b, block in enumerate(prints):
        at = cycles[b]
        counts = [at[i + 1] - at[i] for i in range(len(block))]
        if block:
            n = first[b]
            if 0 <= n < len(block) - 1:  # a branch behind it: who takes the first one does not wait for the second
                early = _deficit(cfg, b, block[: n + 1], at[: n + 2], entries, distances)
                counts[n] += early
                counts[-1] += max(_deficit(cfg, b, block, at, entries, distances) - early, 0)
            else:
                counts[-1] += _deficit(cfg, b, block, at, entries, distances)
            if marks[b][-1].wbar != NONE or marks[b][-1].rbar != NONE:
                counts[-1] = max(counts[-1], distances.setup)
        stalls.append(counts)
    for b in range(len(prints)):
        _split(function.blocks[b].insts, prints[b], marks[b], stalls[b])
    return stalls


def _issue(
    prints: list[Footprint], marks: list[Marks], leaves: list[bool], distances: Distances, floors: dict[int, int]
) -> list[int]:
    """Earliest issue cycles of a block on its own, and its length as a last entry. Where other code follows (`leaves`),
    every result has landed; none of `floors` issues before the cycle there."""
    out: list[int] = []
    writers: dict[int, list[tuple[str, int]]] = {}
    uniform_reads: dict[int, tuple[str, int]] = {}
    now = 0
    horizon = distances.longest
    for i, print_ in enumerate(prints):
        if i:
            least = prints[i - 1].timing.stall
            before = marks[i - 1]
            if least < distances.setup and marks[i].wait:
                bars = (1 << before.wbar if before.wbar != NONE else 0) | (
                    1 << before.rbar if before.rbar != NONE else 0
                )
                if bars & marks[i].wait:
                    least = distances.setup
            now += least
        earliest = max(now, floors.get(i, 0))
        for key, reader in print_.reads:
            for producer, when in writers.get(key, ()):
                if when + horizon > earliest:
                    earliest = max(earliest, when + distances.raw(producer, reader))
        if leaves[i]:
            for rows in writers.values():
                for producer, when in rows:
                    if when + horizon > earliest:
                        earliest = max(earliest, when + distances.landed(producer) - FETCH)
        for key, producer in print_.writes:
            for first, when in writers.get(key, ()):
                if when + horizon > earliest:
                    earliest = max(earliest, when + distances.waw(first, producer))
            if key in uniform_reads:
                reader, when = uniform_reads[key]
                earliest = max(earliest, when + distances.war(reader, producer))
        now = earliest
        out.append(now)
        for key, reader in print_.reads:
            if 256 <= key < 320:
                uniform_reads[key] = (reader, now)
        for key, producer in print_.writes:
            if print_.timing.variable:
                if not print_.guarded:
                    writers.pop(key, None)
            elif print_.guarded and key in writers:
                writers[key] = [w for w in writers[key] if w[1] + horizon > now] + [(producer, now)]
            else:
                writers[key] = [(producer, now)]
    out.append(now + (prints[-1].timing.stall if prints else 0))
    return out


def _entry_needs(
    cfg: Cfg,
    prints: list[list[Footprint]],
    leaves: list[list[bool]],
    cycles: list[list[int]],
    lengths: list[int],
    distances: Distances,
) -> list[Needs]:
    """`lengths`: cycles to the earliest way out of each block."""
    horizon = distances.longest
    own: list[Needs] = []
    killed: list[set[int]] = []
    for b, block in enumerate(prints):
        needs: Needs = {}
        dead: set[int] = set()
        for i, print_ in enumerate(block):
            at = cycles[b][i]
            if at >= horizon:
                break
            if leaves[b][i]:
                needs.setdefault(ALL, {}).setdefault((False, ""), at)
            for is_write, pairs in ((False, print_.reads), (True, print_.writes)):
                for key, cls in pairs:
                    if key not in dead:
                        row = needs.setdefault(key, {})
                        row[(is_write, cls)] = min(row.get((is_write, cls), at), at)
            if not print_.guarded:
                dead.update(key for key, _ in print_.writes)
        own.append(needs)
        killed.append(dead)
    work = True
    while work:
        work = False
        for b in reversed(cfg.rpo):
            length = lengths[b]
            if length >= horizon:
                continue
            mine = own[b]
            for s in cfg.succs[b]:
                for key, rows in list(own[s].items()):
                    if key in killed[b]:
                        continue
                    for role, at in list(rows.items()):
                        when = at + length
                        if when < horizon:
                            row = mine.setdefault(key, {})
                            if when < row.get(role, horizon):
                                row[role] = when
                                work = True
    return own


def _deficit(
    cfg: Cfg, b: int, block: list[Footprint], at: list[int], entries: list[Needs], distances: Distances
) -> int:
    """Cycles to add after the block's last instruction."""
    length = at[-1]
    horizon = distances.longest
    pending: list[tuple[int, str, int]] = []
    uniform: list[tuple[int, str, int]] = []
    dead: set[int] = set()
    for i in range(len(block) - 1, -1, -1):
        age = length - at[i]
        if age >= horizon:
            break
        print_ = block[i]
        if not print_.timing.variable:
            pending.extend((key, cls, age) for key, cls in print_.writes if key not in dead)
        if not print_.guarded:
            dead.update(key for key, _ in print_.writes)
        uniform.extend((key, cls, age) for key, cls in print_.reads if 256 <= key < 320)
    most = 0
    for s in cfg.succs[b]:
        needs = entries[s]
        for key, producer, age in pending:
            for offset in needs.get(ALL, {}).values():
                most = max(most, distances.landed(producer) - FETCH - age - offset)
            for (is_write, cls), offset in needs.get(key, {}).items():
                distance = distances.waw(producer, cls) if is_write else distances.raw(producer, cls)
                most = max(most, distance - age - offset)
        for key, reader, age in uniform:
            for (is_write, cls), offset in needs.get(key, {}).items():
                if is_write:
                    most = max(most, distances.war(reader, cls) - age - offset)
    return most


def _split(insts: list[MInst], prints: list[Footprint], marks: list[Marks], stalls: list[int]) -> None:
    """Spread a stall over 15 onto NOPs: after the instruction, or before it if it is the block's last."""
    i = 0
    while i < len(insts):
        if stalls[i] > LIMIT:
            rest = stalls[i] - LIMIT
            stalls[i] = LIMIT
            last = i == len(insts) - 1
            where = i if last else i + 1
            insts.insert(where, MInst("NOP", loc=insts[i].loc))
            prints.insert(where, Footprint(timing("NOP", ()), [], [], False))
            marks.insert(where, Marks())
            stalls.insert(where, rest)
            if last:
                i += 1
        i += 1
