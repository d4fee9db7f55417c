"""In place: a value that is chosen between an operation's result and what was there is changed under a guard.

    FMUL t, x, 0.5;  SEL y, t, x, p                    @p FMUL x, x, 0.5       (y is called x from there on)
    FFMA t, a, b, c;  FFMA x, a, d, e;  SEL y, t, x, p     FFMA x, a, d, e;  @p FFMA x, a, b, c

One instruction and one register less, where the operation is for this choice alone and nothing else asks for the old
value later: scaling before and after MUFU, for one. Late, because x is then written twice.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from minicc.arch.schema import Arch
from minicc.ptxas.mir import Block, MFunction, MInst, V, VReg
from minicc.ptxas.operands import Components, counted, guarded, map_reads, reads, writes
from minicc.ptxas.options import Options
from minicc.ptxas.timing import Distances, Footprint, footprint, timing
from minicc.record import evolve

_PURE = frozenset(
    {"FMUL", "FADD", "FFMA", "IADD3", "LOP3", "SHF", "IMAD", "VIADD", "LEA", "FMNMX", "VIMNMX", "VIMNMX3", "PRMT"}
)


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Change what can be changed in place, in every block."""
    if not any(_choice(inst) for block in function.blocks for inst in block.insts):
        return
    uses, makers = counted(function)
    components, distances = Components(function), Distances(arch)
    renamed: dict[int, VReg] = {}
    for block in function.blocks:
        _block(block, uses, makers, renamed, partial(_Paths, block.insts, components, distances))
    if renamed:
        for block in function.blocks:
            for inst in block.insts:
                _rename(inst, renamed)


def _rename(inst: MInst, renamed: dict[int, VReg]) -> None:
    def change(v: V) -> V:
        reg = v.reg
        while reg.id in renamed:
            reg = renamed[reg.id]
        return v if reg is v.reg else evolve(v, reg=reg)

    if any(isinstance(r, V) and r.reg.id in renamed for r in reads(inst)):
        map_reads(inst, change)


def _whole(operand: object) -> bool:
    return (
        isinstance(operand, V)
        and operand.reg.file == "R"
        and operand.reg.width == 1
        and operand.reg.fixed is None
        and operand.plain
    )


def _choice(inst: MInst) -> bool:
    """Whether it chooses between two whole registers."""
    return (
        inst.mnemonic in ("SEL", "FSEL")
        and not inst.modifiers
        and not guarded(inst)
        and all(map(_whole, (*inst.dsts, *inst.srcs[:2])))
        and isinstance(inst.srcs[2], V)
    )


class _Paths:
    """When the instructions of a block could go at the earliest, and how long it is from there to its end."""

    def __init__(self, insts: list[MInst], components: Components, distances: Distances, at: int) -> None:
        """Those before `at` have gone."""
        self.components, self.distances = components, distances
        self.made: dict[int, tuple[int, Footprint, str]] = {}
        """Key -> when what made it has gone, the maker, and its class, of what has gone so far."""
        self.behind: list[int] = []
        """Cycles from each instruction to the end of the block."""
        wanted: dict[int, dict[str, int]] = {}
        """Key -> reader class -> cycles from the reader to the end."""
        for inst in reversed(insts):
            print_ = footprint(inst, components)
            longest = print_.timing.stall
            for key, producer in print_.writes:
                for reader, cycles in wanted.get(key, {}).items():
                    longest = max(longest, cycles + self._distance(print_, producer, reader))
                if not print_.guarded:
                    wanted.pop(key, None)
            for key, reader in print_.reads:
                row = wanted.setdefault(key, {})
                row[reader] = max(row.get(reader, 0), longest)
            self.behind.append(longest)
        self.behind.reverse()
        self.length = max(len(self.behind), *self.behind)
        for inst in insts[:at]:
            self.take(inst)

    def _distance(self, maker: Footprint, producer: str, reader: str) -> int:
        return maker.timing.expect if maker.timing.variable else self.distances.raw(producer, reader)

    def _earliest(self, print_: Footprint) -> int:
        found = ((*self.made[key], reader) for key, reader in print_.reads if key in self.made)
        return max((at + self._distance(maker, producer, reader) for at, maker, producer, reader in found), default=0)

    def take(self, inst: MInst) -> None:
        """It is the next one."""
        print_ = footprint(inst, self.components)
        at = self._earliest(print_)
        for key, producer in print_.writes:
            self.made[key] = (at, print_, producer)

    def spare(self, inst: MInst, at: int) -> bool:
        """Whether the block takes no longer with `inst` in place of the `at`-th, the next one."""
        return self._earliest(footprint(inst, self.components)) + self.behind[at] <= self.length


def _block(
    block: Block, uses: dict[int, int], makers: dict[int, int], renamed: dict[int, VReg], begun: Callable[[int], _Paths]
) -> None:
    """`renamed` gets the results that are called otherwise from now on; `begun` looks at the ways from an index on."""
    paths: _Paths | None = None
    made: dict[int, list[int]] = {}
    """Register -> where it is written in this block."""
    seen: dict[int, int] = {}
    """Reads so far in this block."""
    early: set[int] = set()
    """What the block reads before it writes it: of a loop, what the turn before has left."""
    gone: set[int] = set()
    for at, inst in enumerate(block.insts):
        if renamed:
            _rename(inst, renamed)
        for r in reads(inst):
            if isinstance(r, V):
                seen[r.reg.id] = seen.get(r.reg.id, 0) + 1
                if r.reg.id not in made:
                    early.add(r.reg.id)
        for w in writes(inst):
            if isinstance(w, V):
                made.setdefault(w.reg.id, []).append(at)
        if not _choice(inst):
            if paths is not None:
                paths.take(inst)
            continue
        y, p = inst.dsts[0], inst.srcs[2]
        assert isinstance(y, V) and isinstance(p, V)
        for t, x, guard in (
            (inst.srcs[0], inst.srcs[1], p),
            (inst.srcs[1], inst.srcs[0], evolve(p, inv=not p.inv)),
        ):
            assert isinstance(t, V) and isinstance(x, V)
            # One definition of t; x is of this block, and this is the last that is asked of it.
            if uses[t.reg.id] != 1 or makers.get(t.reg.id) != 1 or t.reg is x.reg:
                continue
            if t.reg.id not in made or len(made.get(x.reg.id, ())) != makers.get(x.reg.id):
                continue
            if seen[x.reg.id] != uses[x.reg.id] or x.reg.id in early or y.reg.id in early:
                continue
            start = made[t.reg.id][0]
            maker = block.insts[start]
            if not _movable(maker, block.insts[start + 1 : at]):
                continue
            into = x
            if makers[y.reg.id] != 1:
                # y, which others make, too, takes the place of x if x is for this choice alone.
                if uses[x.reg.id] != 1 or makers[x.reg.id] != 1:
                    continue
                if not _idle(y.reg, block.insts[made[x.reg.id][0] : at], maker):
                    continue
                into = y
            changed = MInst(
                maker.mnemonic, maker.modifiers, (into,), maker.srcs, guard, maker.loc, maker.ptx, hidden=maker.hidden
            )
            paths = paths or begun(at)
            if not paths.spare(changed, at):
                continue
            block.insts[at] = changed
            gone.add(start)
            if into is y:
                block.insts[made[x.reg.id][0]].dsts = (y,)
                makers[y.reg.id] += 1
                break
            renamed[y.reg.id] = x.reg
            # Reads of both; those that have moved are counted where they are now.
            uses[x.reg.id] = uses[x.reg.id] - 1 + uses.pop(y.reg.id, 0)
            seen[x.reg.id] -= 1
            made[x.reg.id].append(at)
            makers[x.reg.id] += 1
            break
        if paths is not None:
            paths.take(block.insts[at])
    if gone:
        block.insts = [inst for at, inst in enumerate(block.insts) if at not in gone]


def _idle(y: VReg, insts: list[MInst], last: MInst) -> bool:
    """Whether nobody asks for `y` from the first instruction, which could write it, to where `last` goes."""
    if guarded(insts[0]) or len(insts[0].dsts) != 1 or insts[0].hidden:
        return False
    between = insts[1:]
    return not any(timing(inst.mnemonic, inst.modifiers).flow for inst in between) and not any(
        isinstance(o, V) and o.reg is y for inst in (*between, last) for o in (*reads(inst), *writes(inst))
    )


def _movable(maker: MInst, between: list[MInst]) -> bool:
    """Whether the maker of `t` may come after these."""
    if maker.mnemonic not in _PURE or guarded(maker) or len(writes(maker)) != 1 or not maker.dsts:
        return False
    asked = {r.reg.id for r in reads(maker) if isinstance(r, V)}
    if any(not isinstance(r, V) for r in reads(maker)):
        return False
    for inst in between:
        if timing(inst.mnemonic, inst.modifiers).flow:
            return False
        if any(isinstance(w, V) and w.reg.id in asked for w in writes(inst)):
            return False
    return True


__all__ = ["run"]
