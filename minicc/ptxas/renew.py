"""Predicates made again: what guards a load and later its uses is computed twice where predicates are short.

    p = r < h;  @p x = load;  @p s += x      p = r < h;  @p x = load;  q = r < h;  @q s += x

A predicate that lives as long as a load is under way is one of seven, and a row of loads with a condition each would
wait for one another. The second compare comes when the loads do (`dag`), and with it those that it alone takes its
input from. Only what a block's own compares make of values that never change, and only where a block has more such
predicates than there is room for.
"""

from __future__ import annotations

from collections import Counter

import attrs

from minicc.arch.schema import Arch
from minicc.ptxas.mir import Block, MFunction, MInst, V, VReg
from minicc.ptxas.operands import guarded, map_reads, map_writes, reads, writes
from minicc.ptxas.options import Options
from minicc.ptxas.timing import timing

_ROOM = 6
"""Such predicates that a block may have without it, and one for every other compare that would come with others."""
_FAR = 60
"""Expected cycles of a load that is worth it, at least."""
_COMPARES = frozenset({"ISETP", "FSETP", "PLOP3"})


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Make predicates again in every block that has too many."""
    if not any(inst.memory == "load" and guarded(inst) for block in function.blocks for inst in block.insts):
        return
    changes: Counter[int] = Counter()
    homes: dict[int, set[int]] = {}
    for b, block in enumerate(function.blocks):
        for inst in block.insts:
            for w in writes(inst):
                if isinstance(w, V):
                    changes[w.reg.id] += 1
                    homes.setdefault(w.reg.id, set()).add(b)
            for r in reads(inst):
                if isinstance(r, V):
                    homes.setdefault(r.reg.id, set()).add(b)
    for block in function.blocks:
        found = _candidates(block, changes, homes)
        if len(found) > _ROOM + sum(len(c.makers) - 1 for c in found) // 2:
            _renew(function, block, found)


@attrs.frozen
class _Candidate:
    makers: list[MInst]
    """Its compare comes last."""
    loads: list[MInst]
    rest: list[MInst]
    """What is done under the predicate from the first use of a loaded value on."""


def _candidates(block: Block, changes: Counter[int], homes: dict[int, set[int]]) -> list[_Candidate]:
    """Predicates that guard far loads and then what uses them, and nothing else."""
    makers: dict[int, MInst] = {}
    users: dict[int, list[MInst]] = {}
    for inst in block.insts:
        for r in reads(inst):
            if isinstance(r, V) and r.reg.id in makers:
                users[r.reg.id].append(inst)
        d = inst.dsts[0] if inst.dsts else None
        if (
            inst.mnemonic in _COMPARES
            and isinstance(d, V)
            and not guarded(inst)
            and changes[d.reg.id] == len(writes(inst)) == len(homes[d.reg.id])
            and all(not isinstance(r, V) or (changes[r.reg.id] == 1 and r.reg.file in ("R", "P")) for r in reads(inst))
        ):
            makers[d.reg.id] = inst
            users[d.reg.id] = []
    out = []
    for name, maker in makers.items():
        row = users[name]
        if any(not isinstance(i.guard, V) or i.guard.reg.id != name or i.guard != row[0].guard for i in row):
            continue
        loads: list[MInst] = []
        loaded: set[int] = set()
        for at, inst in enumerate(row):
            if any(isinstance(r, V) and r.reg.id in loaded for r in reads(inst)):
                rest = row[at:]
                if not any(i.memory == "load" for i in rest) and all(
                    changes[reg] == 1 and len(homes[reg]) == 1 for reg in loaded
                ):
                    out.append(_Candidate(_chain(maker, makers, users), loads, rest))
                break
            if inst.memory == "load" and timing(inst.mnemonic, inst.modifiers).expect > _FAR:
                loads.append(inst)
                loaded |= {w.reg.id for w in writes(inst) if isinstance(w, V)}
    return out


def _chain(maker: MInst, makers: dict[int, MInst], users: dict[int, list[MInst]]) -> list[MInst]:
    """A compare, after those whose results it alone uses."""
    out = [maker]
    for r in reads(maker):
        if isinstance(r, V) and r.reg.id in makers and len(users[r.reg.id]) == 1:
            out[:0] = _chain(makers[r.reg.id], makers, users)
    return out


def _renew(function: MFunction, block: Block, found: list[_Candidate]) -> None:
    before: dict[MInst, list[MInst]] = {}
    for candidate in found:
        names: dict[int, VReg] = {}

        def renamed(v: V, names: dict[int, VReg] = names) -> V:
            return attrs.evolve(v, reg=names[v.reg.id]) if v.reg.id in names else v

        first = candidate.rest[0]
        before[first] = []
        for maker in candidate.makers:
            old = maker.dsts[0]
            assert isinstance(old, V)
            again = MInst(
                maker.mnemonic, maker.modifiers, maker.dsts, maker.srcs, loc=first.loc, ptx=maker.ptx,
                hidden=maker.hidden,
            )  # fmt: skip
            map_reads(again, renamed)
            names[old.reg.id] = function.new("P", hint=old.reg.hint)
            map_writes(again, renamed)
            before[first].append(again)
            function.renewed[again] = candidate.loads
        for inst in candidate.rest:
            map_reads(inst, renamed)
        for load in candidate.loads:
            for w in writes(load):
                if isinstance(w, V):
                    w.reg.whole = True
    block.insts = [i for inst in block.insts for i in (*before.get(inst, ()), inst)]
