"""Predicates made again: what guards loads and later what is done with them is computed for each where predicates are
short.

    p = r < h;  @p x = load;  y = p ? f(x) : 0      p = r < h;  @p x = load;  q = r < h;  y = q ? f(x) : 0

A predicate that lives as long as a load is under way is one of seven, and a row of loads with a condition each would
wait for one another. Its uses are taken together by the time they can be made at; for those that come later a compare
is made again when what else they take comes (`dag`), and with it those that it takes its input from. Only what a
block's own compares make of values that never change, and only where a block has more such predicates than there is
room for. Where so many are asked for behind a branch, too, they are made again there (what columns of a row are stored,
after a reciprocal whose long way is a branch), with the sums of one register that they compare.
"""

from __future__ import annotations

from collections import Counter
from functools import partial

from minicc.arch.schema import Arch
from minicc.graphs import dominates
from minicc.ptxas.cfg import Cfg
from minicc.ptxas.mir import Block, MFunction, MInst, V, VReg
from minicc.ptxas.operands import guarded, map_reads, map_writes, reads, renamed, writes
from minicc.ptxas.options import Options
from minicc.ptxas.ssa import early
from minicc.ptxas.timing import timing

_ROOM = 6
"""Such predicates that a block may have without it, and one for every other compare that would come with others."""
_FAR = 60
"""Cycles between uses that are worth it, at least."""
_OTHERS = 12
"""Uses of such predicates between two of one: rather than live beside those, it is made again."""
_FIXED = 4
"""Cycles of an operation of fixed latency."""
_DEPTH = 6
"""Operations between a load and what is done under the predicate, that are looked through."""
_COMPARES = frozenset({"ISETP", "FSETP", "PLOP3"})


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Make predicates again in every block that has too many."""
    if all(sum([i.mnemonic in _COMPARES for i in block.insts]) <= _ROOM for block in function.blocks):
        return
    changes, homes = _places(function)
    if _behind(function, changes, homes):
        changes, homes = _places(function)
    for block in function.blocks:
        found = _candidates(block, changes, homes)
        if len(found) > _ROOM + sum(len(c.makers) - 1 for c in found) // 2:
            _renew(function, block, found)


def _places(function: MFunction) -> tuple[Counter[int], dict[int, set[int]]]:
    """How often each register is written, and the numbers of the blocks that read or write it. What is written once
    but read before that, in a loop, changes, too."""
    changes: Counter[int] = Counter(reg for reg, _ in early(function))
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
    return changes, homes


def _behind(function: MFunction, changes: Counter[int], homes: dict[int, set[int]]) -> bool:
    """Make predicates again in other blocks than their own, where more live on into those than there is room for;
    whether there are such."""
    found: dict[int, tuple[int, list[MInst]]] = {}
    """Predicate -> its block, and what makes it."""
    sums: dict[int, MInst] = {}
    for b, block in enumerate(function.blocks):
        for inst in block.insts:
            if len(writes(inst)) != 1 or guarded(inst) or not (inst.dsts and isinstance(inst.dsts[0], V)):
                continue
            reg = inst.dsts[0].reg
            read = [r for r in reads(inst) if isinstance(r, V)]
            if changes[reg.id] != 1 or any(changes[r.reg.id] > 1 or r.reg.file != "R" for r in read):
                continue
            if inst.mnemonic == "IADD3" and len(read) == 1:
                sums[reg.id] = inst
            elif inst.mnemonic in _COMPARES and len(homes[reg.id]) > 1:
                found[reg.id] = b, [*(sums[r.reg.id] for r in read if r.reg.id in sums), inst]
    if len(found) <= _ROOM:
        return False
    renewed = False
    idom = Cfg.of(function).dominators()
    for b, block in enumerate(function.blocks):
        wanted = {r.reg.id for inst in block.insts for r in reads(inst) if isinstance(r, V) and r.reg.id in found}
        near = {
            home for home in {found[reg][0] for reg in wanted} - {b}
            if block.loop_depth <= function.blocks[home].loop_depth and dominates(idom, home, b)
        }  # fmt: skip
        wanted = {reg for reg in wanted if found[reg][0] in near}
        if len(wanted) <= _ROOM:
            continue
        renewed = True
        names: dict[int, VReg] = {}
        out: list[MInst] = []
        for inst in block.insts:
            for r in reads(inst):
                if isinstance(r, V) and r.reg.id in wanted and r.reg.id not in names:
                    out += _copies(function, found[r.reg.id][1], names, inst)
            map_reads(inst, partial(renamed, names))
            out.append(inst)
        block.insts = out
    return renewed


class _Candidate:
    def __init__(self, makers: list[MInst], later: list[list[MInst]], under: list[VReg]) -> None:
        self.makers = makers
        """Its compare comes last."""
        self.later = later
        """Its uses, those that can come about together, but for the first ones; in the block's order."""
        self.under = under
        """What is written and read under it alone, and nowhere else."""


def _times(insts: list[MInst]) -> list[int]:
    """When each instruction could be made at the earliest."""
    ready: dict[int, int] = {}
    floor = last = 0
    out: list[int] = []
    for inst in insts:
        facts = timing(inst.mnemonic, inst.modifiers)
        at = max([ready.get(r.reg.id, 0) for r in reads(inst) if isinstance(r, V)], default=0)
        if inst.memory:
            at = max(at, floor)
            if inst.memory in ("fence", "barrier"):
                at = floor = max(at, last)
            elif inst.memory != "load":
                last = max(last, at)
        out.append(at)
        for w in writes(inst):
            if isinstance(w, V):
                ready[w.reg.id] = max(at + (facts.expect or _FIXED), ready.get(w.reg.id, 0) if guarded(inst) else 0)
    return out


def _candidates(block: Block, changes: Counter[int], homes: dict[int, set[int]]) -> list[_Candidate]:
    """Predicates that are used at several times."""
    makers: dict[int, MInst] = {}
    users: dict[int, list[int]] = {}
    for at, inst in enumerate(block.insts):
        for r in reads(inst):
            if isinstance(r, V) and r.reg.id in makers:
                users[r.reg.id].append(at)
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
    if len(makers) <= _ROOM:
        return []
    times = _times(block.insts)
    readers = Counter(
        r.reg.id for inst in block.insts for r in reads(inst)
        if isinstance(r, V) and changes[r.reg.id] == len(homes[r.reg.id]) == 1
    )  # fmt: skip
    """How often what is written once is read, and here alone."""
    asking = sorted({at for found in users.values() for at in found if block.insts[at].mnemonic not in _COMPARES})
    place = {at: n for n, at in enumerate(asking)}
    """Where each use stands among all but those by compares."""
    out = []
    for name, maker in makers.items():
        order = sorted(users[name], key=lambda at: (times[at], at))
        parts: list[list[int]] = []
        for at in order:
            last = parts[-1][-1] if parts else at
            apart = at in place and last in place and abs(place[at] - place[last]) > _OTHERS
            if not parts or times[at] > times[last] + _FAR or apart:
                parts.append([])
            parts[-1].append(at)
        row = [block.insts[at] for at in order]
        under = {inst.guard for inst in row if guarded(inst) and writes(inst)}
        if len(parts) > 1 and len(under) <= 1:
            later = [[block.insts[at] for at in sorted(part)] for part in parts[1:]]
            private = _private([inst for inst in row if inst.guard in under], readers)
            out.append(_Candidate(_chain(maker, makers, users), later, private))
    return out


def _private(row: list[MInst], readers: Counter[int]) -> list[VReg]:
    """The registers that only these instructions write and read."""
    read = Counter(r.reg.id for inst in row for r in reads(inst) if isinstance(r, V))
    return [
        w.reg for inst in row for w in writes(inst)
        if isinstance(w, V) and w.reg.id in readers and read[w.reg.id] == readers[w.reg.id]
    ]  # fmt: skip


def _chain(maker: MInst, makers: dict[int, MInst], users: dict[int, list[int]]) -> list[MInst]:
    """A compare, after those whose results it alone uses."""
    out = [maker]
    for r in reads(maker):
        if isinstance(r, V) and r.reg.id in makers and len(users[r.reg.id]) == 1:
            out[:0] = _chain(makers[r.reg.id], makers, users)
    return out


def _sources(inst: MInst, made: dict[int, MInst], depth: int = _DEPTH) -> list[MInst]:
    """The instructions whose latency the inputs of `inst` come with."""
    out: list[MInst] = []
    for r in reads(inst):
        maker = made.get(r.reg.id) if isinstance(r, V) and r.reg.file == "R" else None
        if maker is not None and timing(maker.mnemonic, maker.modifiers).variable:
            out.append(maker)
        elif maker is not None and depth:
            out += _sources(maker, made, depth - 1)
    return out


def _renew(function: MFunction, block: Block, found: list[_Candidate]) -> None:
    before: dict[MInst, list[MInst]] = {}
    wanted: dict[MInst, list[tuple[_Candidate, list[MInst]]]] = {}
    for candidate in found:
        for part in candidate.later:
            wanted.setdefault(part[0], []).append((candidate, part))
        for reg in candidate.under:
            reg.whole = True
    made: dict[int, MInst] = {}
    for inst in block.insts:
        for candidate, part in wanted.get(inst, ()):
            _again(function, candidate, part, before, _sources(inst, made))
        for w in writes(inst):
            if isinstance(w, V):
                made[w.reg.id] = inst
    block.insts = [i for inst in block.insts for i in (*before.get(inst, ()), inst)]


def _again(
    function: MFunction, candidate: _Candidate, part: list[MInst], before: dict[MInst, list[MInst]], after: list[MInst]
) -> None:
    """The candidate's compares once more, for a part of its uses, when what `after` makes has come."""
    names: dict[int, VReg] = {}
    row = _copies(function, candidate.makers, names, part[0])
    before.setdefault(part[0], []).extend(row)
    for again in row:
        function.renewed[again] = after
    for inst in part:
        map_reads(inst, partial(renamed, names))


def _copies(function: MFunction, makers: list[MInst], names: dict[int, VReg], user: MInst) -> list[MInst]:
    """The same instructions once more for a user; `names` gets their results."""
    row: list[MInst] = []
    for maker in makers:
        old = maker.dsts[0]
        assert isinstance(old, V)
        again = MInst(
            maker.mnemonic, maker.modifiers, maker.dsts, maker.srcs, loc=user.loc, ptx=maker.ptx, hidden=maker.hidden
        )
        map_reads(again, partial(renamed, names))
        names[old.reg.id] = function.new(old.reg.file, hint=old.reg.hint)
        map_writes(again, partial(renamed, names))
        row.append(again)
    return row
