"""Unrolling: rounds of a short loop with loads are made together, so that their loads are under way together.

    loop: LDG v, [a]             entry: p = i < n; @p and n - i > 2: go on, else go to rest
          s = s + v; a = a + 4   four:  LDG v0, [a]; LDG v1, [a+4]; LDG v2, [a+8]; LDG v3, [a+12]
          i = i + 1; p = i < n          s = s + v0; s = s + v1; ...; a = a + 16; i = i + 4
          @p BRA loop         ->        p = i < n; @p and n - i > 3 BRA four
                                 rest:  @!p BRA out
                                 loop:  (as it was, for what is left)

The loop is one block that a compare of a counter ends. What is counted is known as its value before the round plus a
constant; the rounds of `four` need no compare of their own, since as many as it makes remain (a difference without a
sign is exact where p holds, and where p is an inequality it says more than is needed). Loops that PTX marks
`.pragma "nounroll"` stay, as do those whose addresses come from the round before, or whose stores might be loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import attrs

from minicc.arch.schema import Arch
from minicc.ptxas import dead
from minicc.ptxas.cfg import is_plain, target_of
from minicc.ptxas.mir import Block, MFunction, MInst, MOperand, V, VMem, VReg
from minicc.ptxas.operands import guarded, map_operand, reads, writes
from minicc.ptxas.options import Options
from minicc.sass.instr import PT, RZ, Const, Imm, Reg, Target

Part = tuple[int, int]
"""(vreg id, part)"""
Names = Mapping[Part, VReg]

_ROUNDS = (4, 2)
_LONGEST, _APART = 44, 32
"""Instructions of a body, and of one that lanes may leave at different times."""
_IN_FLIGHT = 32
"""Registers that the loads of all rounds fill, at most."""
_ALL = 0xFFFFFFFF
_TRUE, _FALSE, _ZERO = Reg("P", PT), Reg("P", PT, inv=True), Reg("R", RZ)
_ORDERED = ("atomic", "fence", "barrier")
_TURNED = {"LT": "GE", "GE": "LT", "LE": "GT", "GT": "LE", "NE": "EQ", "EQ": "NE"}
_SWAPPED = {"LT": "GT", "GT": "LT", "LE": "GE", "GE": "LE", "NE": "NE", "EQ": "EQ"}


class _Unfit(Exception):
    """This loop stays as it is."""


class _Sum(NamedTuple):
    """A word of what a register held before the round plus a constant: of one register, or of two from `low` on (then
    the constant is of 64 bits, and `high` says which word this is)."""

    low: Part
    constant: int
    wide: bool = False
    high: bool = False


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Unroll every loop that is worth it."""
    loops = [
        b for b in function.blocks
        if b.label in b.succs and b.label not in function.rolled and len(b.insts) <= 2 * _LONGEST
        and any(i.mnemonic == "LDG" for i in b.insts)
    ]  # fmt: skip
    if not loops:
        return
    made: dict[str, list[Block]] = {}
    homes: dict[int, set[str]] = {}
    for block in function.blocks:
        for inst in block.insts:
            for r in reads(inst):
                if isinstance(r, V):
                    homes.setdefault(r.reg.id, set()).add(block.label)
    for block in loops:
        dead.drop_overwritten(block)
        try:
            made[block.label] = _Loop(function, block, homes).unrolled()
        except _Unfit:
            continue
    if not made:
        return
    for block in function.blocks:
        if block.label in made:
            continue
        for label in block.succs:
            if label in made:
                entry = made[label][0].label
                block.succs = [entry if s == label else s for s in block.succs]
                for inst in block.insts:
                    if inst.mnemonic == "BRA" and target_of(inst) == label:
                        inst.srcs = tuple(Target(label=entry) if isinstance(s, Target) else s for s in inst.srcs)
    function.blocks = [b for block in function.blocks for b in (*made.get(block.label, ()), block)]
    dead.sweep(function)


class _Loop:
    """A loop of one block. Raises `_Unfit`; nothing is changed before `unrolled`."""

    def __init__(self, function: MFunction, block: Block, homes: Mapping[int, set[str]]) -> None:
        self.function, self.block, self.homes = function, block, homes
        self.body, self.branch, self.exit = self._ends()
        self.defs: dict[Part, int] = {}
        """How often each part is written."""
        apart = self.branch in function.splitting
        if len(self.body) > (_APART if apart else _LONGEST):
            raise _Unfit
        self._check()
        self.sums = self._evaluate()
        self.counters = self._counters()
        self.compare = self._compare()
        if apart and self.kind != "NE":
            raise _Unfit
        self.carried: set[int] = set()
        """Registers that a round may read as the one before left them."""
        self.private = self._private()
        self.rounds = self._rounds()

    def _ends(self) -> tuple[list[MInst], MInst, str]:
        """The instructions before the branches, the branch back, and where the loop leads."""
        insts, label = self.block.insts, self.block.label
        others = [s for s in self.block.succs if s != label]
        at = len(insts)
        while at and insts[at - 1].mnemonic == "BRA":
            at -= 1
        ends = insts[at:]
        if len(others) != 1 or not ends or len(ends) > 2 or (len(ends) == 2 and not is_plain(ends[1])):
            raise _Unfit
        branch = ends[0]
        guard = branch.guard
        if not isinstance(guard, V) or guard.reg.file != "P" or len(branch.srcs) != 1 or target_of(branch) != label:
            raise _Unfit
        return insts[:at], branch, others[0]

    def _check(self) -> None:
        """Nothing in the body forbids rounds that overlap."""
        stores, constant = False, True
        for inst in self.body:
            if inst.implicit_reads or inst.implicit_writes or inst.hidden or inst.memory in _ORDERED:
                raise _Unfit
            if inst.memory == "store":
                stores |= inst.space != "shared"
            elif inst.side_effect:
                raise _Unfit
            elif inst.memory == "load":
                constant &= "CONSTANT" in inst.modifiers or inst.mnemonic not in ("LDG", "LD")
            for w in writes(inst):
                if not isinstance(w, V) or w.reg.fixed is not None or w.reg.file not in ("R", "P"):
                    raise _Unfit
                for part in _parts(w):
                    self.defs[part] = self.defs.get(part, 0) + 1
        if stores and not constant:
            raise _Unfit

    def _evaluate(self) -> list[dict[Part, _Sum | None]]:
        """What is known of the parts that have been written, before each instruction and at the end."""
        now: dict[Part, _Sum | None] = {}
        carries: dict[int, tuple[_Sum, int]] = {}
        """Predicate -> (the low word it was carried from, the constant added there)."""
        out = []
        for inst in self.body:
            out.append(dict(now))
            found = None if guarded(inst) else self._sum(inst, now, carries)
            for n, w in enumerate(inst.dsts):
                if isinstance(w, V) and w.reg.file == "P":
                    carries.pop(w.reg.id, None)
                for part in _parts(w):
                    now[part] = found[0] if found is not None and n == 0 else None
            if found is not None and found[1] is not None and isinstance(inst.dsts[1], V):
                carries[inst.dsts[1].reg.id] = found[1]
        out.append(now)
        return out

    def _sum(
        self, inst: MInst, now: Mapping[Part, _Sum | None], carries: Mapping[int, tuple[_Sum, int]]
    ) -> tuple[_Sum, tuple[_Sum, int] | None] | None:
        """What the instruction's first result is, and what its carry stands for."""

        def of(v: V) -> _Sum | None:
            part = (v.reg.id, v.part)
            return now.get(part) if part in now else _Sum(part, 0)

        if inst.mnemonic == "MOV" and not inst.modifiers and len(inst.srcs) == 1:
            source = inst.srcs[0]
            found = of(source) if _plain(source) and isinstance(source, V) else None
            return None if found is None else (found, None)
        if inst.mnemonic != "IADD3":
            return None
        registers = [s for s in inst.srcs[:3] if isinstance(s, V)]
        constants = [s.bits & _ALL for s in inst.srcs[:3] if isinstance(s, Imm)]
        idle = sum(s == _ZERO for s in inst.srcs[:3])
        if len(registers) != 1 or not _plain(registers[0]) or len(registers) + len(constants) + idle != 3:
            return None
        before, constant = of(registers[0]), sum(constants) & _ALL
        if before is None:
            return None
        if not inst.modifiers and len(inst.dsts) == 1:
            return None if before.wide else (before._replace(constant=before.constant + constant & _ALL), None)
        if not inst.modifiers and len(inst.dsts) == 2 and len(constants) <= 1:
            low, part = before.low, (registers[0].reg.id, registers[0].part)
            if before.high or (not before.wide and before != _Sum(part, 0)) or low[1] % 2:
                return None
            total = before.constant + constant
            return _Sum(low, total & _ALL, wide=True), (before, constant)
        if inst.modifiers == ("X",) and len(inst.srcs) == 5 and inst.srcs[4] == _FALSE and len(inst.dsts) == 1:
            carry = inst.srcs[3]
            made = carries.get(carry.reg.id) if isinstance(carry, V) and not carry.inv else None
            if made is None:
                return None
            low = made[0].low
            first = before == _Sum((low[0], low[1] + 1), 0) and made[0].constant == 0
            if not first:
                return None
            return _Sum(low, (constant << 32) + made[1], wide=True, high=True), None
        return None

    def _counters(self) -> dict[int, tuple[int, int]]:
        """Registers that a round adds a constant to: id -> (words, constant)."""
        end, out = self.sums[-1], {}
        for (reg, part), found in end.items():
            if part or found is None or found.low != (reg, 0) or found.high:
                continue
            if not found.wide and self.function.vregs[reg].width == 1:
                out[reg] = 1, found.constant
            elif found.wide and self.function.vregs[reg].width == 2:
                high = end.get((reg, 1))
                if high is not None and high.high and high.low == (reg, 0) and high.constant & _ALL == found.constant:
                    out[reg] = 2, high.constant & (1 << 64) - 1
        return out

    def _compare(self) -> MInst:
        """The compare that ends the loop; what it compares with what, how for the way back, and by how much the former
        changes in a round."""
        guard = self.branch.guard
        assert isinstance(guard, V)
        makers = [(at, i) for at, i in enumerate(self.body) if any(p == (guard.reg.id, 0) for p in _written(i))]
        if len(makers) != 1:
            raise _Unfit
        at, inst = makers[0]
        kind, *rest = inst.modifiers
        if inst.mnemonic != "ISETP" or guarded(inst) or "AND" not in rest or inst.srcs[2] != _TRUE:
            raise _Unfit
        if inst.dsts != (V(guard.reg), _TRUE):
            raise _Unfit
        x, y = inst.srcs[:2]
        turned = _TURNED.get(kind, "") if guard.inv else kind
        if "EX" in rest:
            if turned != "NE":
                raise _Unfit
            self.x, self.y = self._pairs(inst, at)
        else:
            if not self._counter(x, at):
                x, y, turned = y, x, _SWAPPED.get(turned, "")
            if not self._counter(x, at) or not self._still(y):
                raise _Unfit
            assert isinstance(x, V)
            self.x, self.y = self._value(x, at), (y,)
        words, step = self.counters[self.x.low[0]]
        step -= step >> 32 * words - 1 << 32 * words
        if not step or abs(step) > 1 << 24 or turned not in {"NE", *(("LT", "LE") if step > 0 else ("GT", "GE"))}:
            raise _Unfit
        self.kind, self.step = turned, step
        return inst

    def _pairs(self, inst: MInst, at: int) -> tuple[_Sum, tuple[MOperand, ...]]:
        """The counter, and what it is compared with, of a compare of 64 bits whose upper half is `inst`."""
        below = inst.srcs[3]
        lows = [(n, i) for n, i in enumerate(self.body[:at]) if isinstance(below, V) and i.dsts[:1] == (V(below.reg),)]
        if len(lows) != 1 or not isinstance(below, V) or below.inv or self.defs[below.reg.id, 0] != 1:
            raise _Unfit
        place, low = lows[0]
        fits = low.mnemonic == "ISETP" and "AND" in low.modifiers and low.modifiers[0] == inst.modifiers[0]
        if not fits or guarded(low) or low.dsts[1:] != (_TRUE,) or low.srcs[2:] != (_TRUE,):
            raise _Unfit
        for n in (0, 1):
            x, top, bound = low.srcs[n], inst.srcs[n], (low.srcs[1 - n], inst.srcs[1 - n])
            if not (_plain(x) and _plain(top) and all(map(self._still, bound))):
                continue
            assert isinstance(x, V) and isinstance(top, V)
            found, above = self._value(x, place), self._value(top, at)
            if found is None or above is None or self.counters.get(found.low[0], (0, 0))[0] != 2:
                continue
            if not found.wide and found.low == (found.low[0], 0) and not found.constant:
                if above == _Sum((found.low[0], 1), 0):
                    return found._replace(wide=True), bound
            elif found.wide and (found.high, above.high, above.low) == (False, True, found.low):
                if above.constant & _ALL != found.constant:
                    raise _Unfit
                return found._replace(constant=above.constant), bound
        raise _Unfit

    def _value(self, v: V, at: int) -> Any:
        """What is known of a word before the instruction at a place."""
        part = (v.reg.id, v.part)
        return self.sums[at].get(part, _Sum(part, 0))

    def _counter(self, x: MOperand, at: int) -> bool:
        """Whether a word is what a counter held before the round plus a constant."""
        if not isinstance(x, V) or not _plain(x):
            return False
        part = (x.reg.id, x.part)
        found = self.sums[at].get(part, _Sum(part, 0))
        return found is not None and not found.wide and self.counters.get(found.low[0], (0, 0))[0] == 1

    def _still(self, y: MOperand) -> bool:
        """Whether an operand is the same in all rounds."""
        if isinstance(y, V):
            return _plain(y) and (y.reg.id, y.part) not in self.defs
        return isinstance(y, Imm) or y == _ZERO or (isinstance(y, Const) and y.base is None and y.ureg is None)

    def _private(self) -> set[int]:
        """Registers that are written, and then read, under one predicate alone."""
        guards: dict[int, set[V | Reg]] = {}
        for inst in self.body:
            for r in reads(inst):
                if isinstance(r, V) and r is not inst.guard:
                    guards.setdefault(r.reg.id, {_TRUE}).add(inst.guard)
            for w in writes(inst):
                if isinstance(w, V):
                    guards.setdefault(w.reg.id, set()).add(inst.guard)
        return {
            reg for reg, found in guards.items()
            if len(found) == 1 and self.homes.get(reg, set()) <= {self.block.label}
            and all(isinstance(g, V) and self.defs.get((g.reg.id, 0)) == 1 for g in found)
        }  # fmt: skip

    def _rounds(self) -> int:
        """How many rounds are made together."""
        carried: set[Part] = set()
        """Parts that hang on the round before otherwise than by counting."""
        seen: set[Part] = set()
        for inst in self.body:
            for r in reads(inst):
                carried.update(p for p in _parts(r) if p in self.defs and p not in seen and p[0] not in self.counters)
            if guarded(inst):
                carried.update(p for p in _written(inst) if p not in seen and p[0] not in self.private)
            seen.update(_written(inst))
        self.carried.update(reg for reg, _ in carried)
        loaded = 0
        for inst in self.body:
            if inst.mnemonic == "LDG" and not any(p in carried for r in _address(inst) for p in _parts(r)):
                loaded += sum(w.count for w in inst.dsts if isinstance(w, V))
            if any(p in carried for r in reads(inst) for p in _parts(r)):
                carried.update(_written(inst))
        for rounds in _ROUNDS:
            if loaded and rounds * loaded <= _IN_FLIGHT:
                return rounds
        raise _Unfit

    def unrolled(self) -> list[Block]:
        """The blocks to put before the loop: the entry, the rounds together, and what leads to the rest."""
        guard, label = self.branch.guard, self.block.label
        assert isinstance(guard, V)
        entry, many, rest = (Block(f"{label}_{name}") for name in ("entry", "rounds", "rest"))
        many.insts = self._copies()
        entry.loop_depth = rest.loop_depth = max(self.block.loop_depth - 1, 0)
        many.loop_depth = self.block.loop_depth
        x = self._added(entry.insts, self.x.constant)
        some = self._far(entry.insts, x, self.rounds - 2, self._holds(entry.insts, x))
        self._advance(many.insts)
        x = self._added(many.insts, self.x.constant - self.step)
        more = self._far(many.insts, x, self.rounds - 1, guard)
        many.insts.append(_jump(many.label, more))
        rest.insts.append(_jump(self.exit, attrs.evolve(guard, inv=not guard.inv)))
        many.succs, rest.succs = [many.label, rest.label], [self.exit, label]
        none = attrs.evolve(some, inv=True)
        if self.branch not in self.function.splitting:
            entry.insts.append(_jump(label, none))
            entry.succs = [label, many.label]
            return [entry, many, rest]
        # Lanes that have made their rounds wait for the others, to make what is left together.
        meeting = Block(f"{label}_meeting", [], [rest.label], rest.loop_depth)
        barrier = V(self.function.new("B"))
        kind = "NE" if guard.inv else "EQ"
        holds = MInst("ISETP", (kind, "U32", "AND"), (V(guard.reg), _TRUE), (_ZERO, _ZERO, _TRUE), loc=self.branch.loc)
        mark = MInst("BSSY", (), (barrier,), (Target(label=rest.label),), side_effect=True, loc=self.branch.loc)
        entry.insts += [holds, mark, _jump(meeting.label, none)]
        meeting.insts.append(MInst("BSYNC", (), (), (barrier,), side_effect=True, loc=self.branch.loc))
        entry.succs, many.succs = [meeting.label, many.label], [many.label, meeting.label]
        return [entry, many, meeting, rest]

    def _added(self, insts: list[MInst], constant: int) -> V:
        """The counter plus a constant."""
        counter = self.function.vregs[self.x.low[0]]
        if not constant:
            return V(counter)
        out = self.function.new("R", counter.width)
        self._sum_into(insts, out, counter, constant)
        return V(out)

    def _sum_into(self, insts: list[MInst], out: VReg, before: VReg, constant: int) -> None:
        """A register, or a pair, plus a constant."""
        low, high, loc = Imm(constant & _ALL), Imm(constant >> 32 & _ALL), self.branch.loc
        if out.width == 1:
            insts.append(MInst("IADD3", (), (V(out),), (V(before), low, _ZERO), loc=loc))
            return
        carry = V(self.function.new("P"))
        insts.append(MInst("IADD3", (), (V(out), carry), (V(before), low, _ZERO), loc=loc))
        sources = (V(before, 1), high if high.bits else _ZERO, _ZERO, carry, _FALSE)
        insts.append(MInst("IADD3", ("X",), (V(out, 1),), sources, loc=loc))

    def _holds(self, insts: list[MInst], x: V) -> V | Reg:
        """Whether the loop goes on after a round that compares `x`; of no interest for an inequality."""
        if self.kind == "NE":
            return _TRUE
        out = V(self.function.new("P"))
        modifiers = (self.kind, *self.compare.modifiers[1:])
        insts.append(MInst("ISETP", modifiers, (out, _TRUE), (x, *self.y, _TRUE), loc=self.branch.loc))
        return out

    def _far(self, insts: list[MInst], x: V, rounds: int, holds: V | Reg) -> V:
        """Whether so many more rounds follow that compare as well as `x` does; `holds` says that."""
        loc = self.branch.loc
        idle = self.step < 0 and all(y == _ZERO or (isinstance(y, Imm) and not y.bits) for y in self.y)
        left = x if idle else V(self.function.new("R", x.reg.width))
        if not idle:
            bound = self.function.new("R", x.reg.width)
            for part, y in enumerate(self.y):
                insts.append(MInst("MOV", (), (V(bound, part),), (y,), loc=loc))
            more, less = (bound, x.reg) if self.step > 0 else (x.reg, bound)
            if x.reg.width == 1:
                insts.append(MInst("IADD3", (), (left,), (V(more), V(less, neg=True), _ZERO), loc=loc))
            else:
                carry = V(self.function.new("P"))
                insts.append(MInst("IADD3", (), (left, carry), (V(more), V(less, neg=True), _ZERO), loc=loc))
                sources = (V(more, 1), V(less, 1, inv=True), _ZERO, carry, _FALSE)
                insts.append(MInst("IADD3", ("X",), (V(left.reg, 1),), sources, loc=loc))
        kind = "GE" if self.kind in ("LE", "GE") else "GT"
        far, out = Imm(rounds * abs(self.step), "uint"), V(self.function.new("P"))
        if x.reg.width == 1:
            insts.append(MInst("ISETP", (kind, "U32", "AND"), (out, _TRUE), (left, far, holds), loc=loc))
            return out
        low = V(self.function.new("P"))
        insts.append(MInst("ISETP", (kind, "U32", "AND"), (low, _TRUE), (left, far, _TRUE), loc=loc))
        upper = (V(left.reg, 1), _ZERO, holds, low)
        insts.append(MInst("ISETP", (kind, "U32", "AND", "EX"), (out, _TRUE), upper, loc=loc))
        return out

    def _advance(self, insts: list[MInst], rounds: int = 0, into: dict[int, VReg] | None = None) -> None:
        """Add what so many rounds (all of them by default) add to the counters, in registers of their own if told."""
        for reg, (_, constant) in self.counters.items():
            before = self.function.vregs[reg]
            self._sum_into(insts, into[reg] if into is not None else before, before, constant * (rounds or self.rounds))

    def _copies(self) -> list[MInst]:
        """The rounds, one after the other."""
        kept: set[int] = set()
        while True:
            try:
                return self._renamed(kept)
            except _Clash as clash:
                if clash.reg in self.counters or clash.reg in kept:
                    raise _Unfit from clash
                kept.add(clash.reg)

    def _renamed(self, kept: set[int]) -> list[MInst]:
        """The rounds with a register of its own for what each writes, but for `kept`; the last one's results are where
        the loop leaves them, save for the counters."""
        out: list[MInst] = []
        names: dict[Part, VReg] = {}

        def read(v: V) -> V:
            found = {names.get(part) for part in _parts(v)}
            if len(found) > 1:
                raise _Clash(v.reg.id)
            (reg,) = found
            return v if reg is None else attrs.evolve(v, reg=reg)

        for n in range(self.rounds):
            own: dict[int, VReg] = {}
            if n:
                own = {reg: self._new(self.function.vregs[reg]) for reg in self.counters}
                self._advance(out, n, own)
                names.update({(reg, part): new for reg, new in own.items() for part in range(new.width)})
                own = {}
            for inst in self.body:
                srcs, guard = tuple(map_operand(s, read) for s in inst.srcs), inst.guard
                guard = read(guard) if isinstance(guard, V) else guard
                dsts = []
                for d in inst.dsts:
                    if isinstance(d, V) and d.reg.id not in kept:
                        to = d.reg
                        if n < self.rounds - 1 or not self._leaves(to):
                            to = own.setdefault(d.reg.id, own.get(d.reg.id) or self._new(d.reg))
                        partial = guarded(inst) and d.reg.id not in self.private
                        if partial and any(names.get(part, d.reg) is not to for part in _parts(d)):
                            raise _Clash(d.reg.id)
                        for part in _parts(d):
                            names[part] = to
                        d = attrs.evolve(d, reg=to)
                    dsts.append(d)
                copy = MInst(inst.mnemonic, inst.modifiers, tuple(dsts), srcs, guard, inst.loc, inst.ptx)
                copy.side_effect, copy.memory, copy.space = inst.side_effect, inst.memory, inst.space
                out.append(copy)
        return out

    def _leaves(self, reg: VReg) -> bool:
        """Whether the last round must leave its result in this very register."""
        if reg.id in self.counters:
            return False
        guard = self.branch.guard
        asked = isinstance(guard, V) and guard.reg is reg
        return asked or reg.id in self.carried or bool(self.homes.get(reg.id, set()) - {self.block.label})

    def _new(self, reg: VReg) -> VReg:
        new = self.function.new(reg.file, reg.width, reg.hint)
        new.spillable, new.whole, new.align = reg.spillable, reg.whole, reg.align
        return new


class _Clash(Exception):
    """A register cannot have another name in each round."""

    def __init__(self, reg: int) -> None:
        super().__init__(reg)
        self.reg = reg


def _jump(label: str, guard: V) -> MInst:
    return MInst("BRA", (), (), (Target(label=label),), guard, side_effect=True)


def _plain(operand: MOperand) -> bool:
    """A whole register of 32 bits as it is."""
    return (
        isinstance(operand, V)
        and operand.count == 1
        and not (operand.neg or operand.abs or operand.inv or operand.suffix)
        and operand.reg.file == "R"
        and operand.reg.fixed is None
    )


def _parts(operand: MOperand) -> list[Part]:
    if not isinstance(operand, V):
        return []
    return [(operand.reg.id, part) for part in range(operand.part, operand.part + operand.count)]


def _written(inst: MInst) -> list[Part]:
    return [part for w in writes(inst) for part in _parts(w)]


def _address(inst: MInst) -> list[V]:
    """The registers of a load's address."""
    return [s.base for s in inst.srcs if isinstance(s, VMem) and isinstance(s.base, V)]
