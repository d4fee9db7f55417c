"""Several rounds of a counting loop made as one block (see `unroll`)."""

from __future__ import annotations

from collections.abc import Mapping

from minicc.arch.schema import Arch
from minicc.ptxas.cfg import Cfg
from minicc.ptxas.mir import FALSE, TRUE, ZERO, Block, MFunction, MInst, MOperand, Part, V, VMem, VReg
from minicc.ptxas.operands import guarded, map_operand, parts, parts_read, parts_written, reads, writes
from minicc.ptxas.optimise.counting import ALL, Counted, Unfit
from minicc.record import evolve
from minicc.sass.instr import Const, Imm, Reg, Target

_ROUNDS = (4, 2)
_APART = 48
"""Instructions of a body that lanes may leave at different times."""
_IN_FLIGHT, _NESTED = 32, 8
"""Registers that the loads of all rounds fill, at most; the same in a loop in a loop, whose turns are few: room for
warps gains more there (a pooling over 3 x 3 places 0.80 on the model, four others 0.97 to 0.99)."""
_ABREAST, _SHARED = 1024, 16
"""What a round adds to the counter where threads make the loop's turns abreast, each a block's size after the last: few
are left for a thread then, and so many registers are loaded into at most (32 loads of bytes by blocks of 1,024 threads
took 48 registers, an SM had room for one block: 1.22 of nvcc's cycles on an H200)."""
_STEPS = ("IADD3", "LEA", "IMAD")
"""What adds to a register, or a pair, a number that is the same in all rounds."""
_SHORT = 44
"""Instructions of a body that is short; those of a longer one (what LLVM has unrolled by eight: NVIDIA's compilers come
to sixteen) have limits of their own."""
_LONG, _INNER = (112, 256, 32), (64, 128, 16)
"""Instructions of a longer body, of what it is made into, and registers that are then loaded into, at most; the same
in a loop in a loop, whose turns are few (kmeans_assign 1.05 with as much)."""
_WAITING, _WAITED = 2, 448
"""Registers that a round loads into and no more, so that it waits as a whole for them: the instructions that its rounds
are made into then (SipHash, a word a round, 1.64 of nvcc's cycles on the model to 1.01)."""


class _Clash(Exception):
    """A register cannot have another name in each round."""

    def __init__(self, reg: int) -> None:
        super().__init__(reg)
        self.reg = reg


def inner(function: MFunction, arch: Arch) -> set[str]:
    """Labels of the blocks in a loop in a loop. Loops that go on by what the grid's size makes do not count: most
    threads make one turn of them (rows of an integral image 1.21 to 0.99 of nvcc's cycles on an H200, a convolution
    1.11 to 0.79)."""
    if all(block.loop_depth < 2 for block in function.blocks):
        return set()
    sizes = {Const(0, arch.abi.grid_dim + 4 * axis) for axis in range(3)}
    made: set[Part] = set()
    """What is made of the grid's size outside of loops."""
    striding: set[int] = set()
    """Places of the blocks that add that, or what they make of the size, to a register."""
    for n, block in enumerate(function.blocks):
        for inst in block.insts:
            if not sizes.isdisjoint(inst.srcs) or not made.isdisjoint(parts_read(inst)):
                written = parts_written(inst)
                if inst.mnemonic in _STEPS and not set(written).isdisjoint(parts_read(inst)):
                    striding.add(n)
                elif not block.loop_depth:
                    made.update(written)
    depths = [block.loop_depth for block in function.blocks]
    for _, body in sorted(Cfg.of(function).loops() if striding else (), key=lambda loop: len(loop[1])):
        if not striding.isdisjoint(body):
            striding -= body  # they are of this loop, not of those around it
            for n in body if len(body) > 1 else ():
                depths[n] -= 1
    return {block.label for block, depth in zip(function.blocks, depths, strict=True) if depth > 1}


class Rounds(Counted):
    """A counting loop, how many of its rounds are made together, and the blocks for that. Raises `Unfit`; nothing is
    changed before `unrolled`."""

    def __init__(self, function: MFunction, block: Block, homes: Mapping[int, set[str]], inner: bool) -> None:
        super().__init__(function, block)
        self.under_way = _NESTED if inner else _IN_FLIGHT
        self.homes = homes
        """Labels of the blocks that read each register."""
        self.long = _INNER if inner else _LONG
        if len(self.body) > (_APART if self.apart else self.long[0]):
            raise Unfit
        self.carried: set[int] = set()
        """Registers that a round may read as the one before left them."""
        self.private = self._private()
        self.rounds = self._rounds()

    def _private(self) -> set[int]:
        """Registers that are written, and then read, under one predicate alone, which does not change in between."""
        guards: dict[int, set[V | Reg]] = {}
        for inst in self.body:
            for r in reads(inst):
                if isinstance(r, V) and r is not inst.guard:
                    guards.setdefault(r.reg.id, {TRUE}).add(inst.guard)
            for w in writes(inst):
                if isinstance(w, V):
                    for found in guards.values() if w.reg.file == "P" else ():
                        if any(isinstance(g, V) and g.reg is w.reg for g in found):
                            found.add(TRUE)
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
                carried.update(p for p in parts(r) if p in self.defs and p not in seen and p[0] not in self.counters)
            if guarded(inst):
                carried.update(p for p in parts_written(inst) if p not in seen and p[0] not in self.private)
            seen.update(parts_written(inst))
        self.carried.update(reg for reg, _ in carried)
        if self.apart and isinstance(self.branch.guard, V) and self.branch.guard.reg.id in self.carried:
            raise Unfit  # `unrolled` sets it before the first round
        chased = self._chased(carried)
        loaded = exchanged = 0
        for inst in self.body:
            if inst.mnemonic == "LDG" and not any(p in chased for r in _address(inst) for p in parts(r)):
                loaded += sum(w.count for w in inst.dsts if isinstance(w, V))
            if inst.mnemonic == "SHFL" and not any(p in chased for r in reads(inst) for p in parts(r)):
                exchanged = 1  # each waits for the one before, in the same register
            if any(p in chased for r in reads(inst) for p in parts(r)):
                chased.update(parts_written(inst))
        loaded += exchanged
        long = len(self.body) > _SHORT
        _, made, under_way = self.long if long else (0, 0, self.under_way)
        if loaded <= _WAITING and long and self.long is _LONG:
            made = _WAITED
        if any(min(step, (1 << 32 * words) - step) >= _ABREAST for words, step in self.counters.values()):
            under_way = min(under_way, _SHARED)
        for rounds in _ROUNDS:
            if long and rounds * len(self.body) > made:
                continue
            if loaded and rounds * loaded <= under_way:
                return rounds
        raise Unfit

    def _chased(self, carried: set[Part]) -> set[Part]:
        """Those that are not just sums of what the round before left and of what is the same in all rounds."""
        sums: set[Part] = set()
        for inst in self.body:
            made = parts_written(inst)
            known = all(
                p not in self.defs or p in made or p in sums or p[0] in self.counters
                for r in reads(inst) for p in parts(r)
            )  # fmt: skip
            if known and inst.mnemonic in _STEPS and not guarded(inst) and all(self.defs[p] == 1 for p in made):
                sums.update(made)
        return carried - sums

    def unrolled(self) -> list[Block]:
        """The blocks to put before the loop: the entry, the rounds together, and what leads to the rest."""
        guard, label = self.branch.guard, self.block.label
        assert isinstance(guard, V)
        entry, many, rest = (Block(f"{label}_{name}") for name in ("entry", "rounds", "rest"))
        many.insts = self._together(self.rounds)
        entry.loop_depth = rest.loop_depth = max(self.block.loop_depth - 1, 0)
        many.loop_depth = self.block.loop_depth
        x = self._added(entry.insts, self.x.constant)
        some = self._far(entry.insts, x, self.rounds - 2, self._holds(entry.insts, x))
        x = self._added(many.insts, self.x.constant - self.step)
        more = self._far(many.insts, x, self.rounds - 1, guard)
        many.insts.append(_jump(many.label, more))
        rest.insts.append(_jump(self.exit, evolve(guard, inv=not guard.inv)))
        many.succs, rest.succs = [many.label, rest.label], [self.exit, label]
        none = evolve(some, inv=True)
        if not self.apart:
            few = self._few() if self.rounds > 2 else []
            after = few[0].label if few else label
            rest.succs = [self.exit, after]
            entry.insts.append(_jump(after, none))
            entry.succs = [after, many.label]
            return [entry, many, rest, *few]
        # Lanes that have made their rounds wait for the others, to make what is left together.
        meeting = Block(f"{label}_meeting", [], [rest.label], rest.loop_depth)
        barrier = V(self.function.new("B"))
        kind = "NE" if guard.inv else "EQ"
        holds = MInst("ISETP", (kind, "U32", "AND"), (V(guard.reg), TRUE), (ZERO, ZERO, TRUE), loc=self.branch.loc)
        mark = MInst("BSSY", (), (barrier,), (Target(label=rest.label),), side_effect=True, loc=self.branch.loc)
        entry.insts += [holds, mark, _jump(meeting.label, none)]
        meeting.insts.append(MInst("BSYNC", (), (), (barrier,), side_effect=True, loc=self.branch.loc))
        entry.succs, many.succs = [meeting.label, many.label], [many.label, meeting.label]
        return [entry, many, meeting, rest]

    def _few(self) -> list[Block]:
        """Two rounds together, where one or more are left: whether there are two, and they."""
        label, guard = self.block.label, self.branch.guard
        assert isinstance(guard, V)
        ask, two = Block(f"{label}_few", [], [label, f"{label}_two"]), Block(f"{label}_two", [], [self.exit, label])
        ask.loop_depth = two.loop_depth = max(self.block.loop_depth - 1, 0)
        x = self._added(ask.insts, self.x.constant)
        both = self._far(ask.insts, x, 0, self._holds(ask.insts, x))
        ask.insts.append(_jump(label, evolve(both, inv=True)))
        two.insts = self._together(2)
        two.insts.append(_jump(self.exit, evolve(guard, inv=not guard.inv)))
        return [ask, two]

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
        low, high, loc = Imm(constant & ALL), Imm(constant >> 32 & ALL), self.branch.loc
        if out.width == 1:
            insts.append(MInst("IADD3", (), (V(out),), (V(before), low, ZERO), loc=loc))
            return
        carry = V(self.function.new("P"))
        insts.append(MInst("IADD3", (), (V(out), carry), (V(before), low, ZERO), loc=loc))
        sources = (V(before, 1), high if high.bits else ZERO, ZERO, carry, FALSE)
        insts.append(MInst("IADD3", ("X",), (V(out, 1),), sources, loc=loc))

    def _holds(self, insts: list[MInst], x: V) -> V | Reg:
        """Whether the loop goes on after a round that compares `x`; of no interest for an inequality."""
        if self.kind == "NE":
            return TRUE
        out = V(self.function.new("P"))
        modifiers = (self.kind, *self.compare.modifiers[1:])
        insts.append(MInst("ISETP", modifiers, (out, TRUE), (x, *self.y, TRUE), loc=self.branch.loc))
        return out

    def _far(self, insts: list[MInst], x: V, rounds: int, holds: V | Reg) -> V:
        """Whether so many more rounds follow that compare as well as `x` does; `holds` says that."""
        loc = self.branch.loc
        idle = self.step < 0 and all(y == ZERO or (isinstance(y, Imm) and not y.bits) for y in self.y)
        left = x if idle else V(self.function.new("R", x.reg.width))
        if not idle:
            bound = self.function.new("R", x.reg.width)
            for part, y in enumerate(self.y):
                insts.append(MInst("MOV", (), (V(bound, part),), (y,), loc=loc))
            more, less = (bound, x.reg) if self.step > 0 else (x.reg, bound)
            if x.reg.width == 1:
                insts.append(MInst("IADD3", (), (left,), (V(more), V(less, neg=True), ZERO), loc=loc))
            else:
                carry = V(self.function.new("P"))
                insts.append(MInst("IADD3", (), (left, carry), (V(more), V(less, neg=True), ZERO), loc=loc))
                sources = (V(more, 1), V(less, 1, inv=True), ZERO, carry, FALSE)
                insts.append(MInst("IADD3", ("X",), (V(left.reg, 1),), sources, loc=loc))
        kind = "GE" if self.kind in ("LE", "GE") else "GT"
        far, out = Imm(rounds * abs(self.step), "uint"), V(self.function.new("P"))
        if x.reg.width == 1:
            insts.append(MInst("ISETP", (kind, "U32", "AND"), (out, TRUE), (left, far, holds), loc=loc))
            return out
        low = V(self.function.new("P"))
        insts.append(MInst("ISETP", (kind, "U32", "AND"), (low, TRUE), (left, far, TRUE), loc=loc))
        upper = (V(left.reg, 1), ZERO, holds, low)
        insts.append(MInst("ISETP", (kind, "U32", "AND", "EX"), (out, TRUE), upper, loc=loc))
        return out

    def _advance(self, insts: list[MInst], rounds: int, into: dict[int, VReg] | None = None) -> None:
        """Add what so many rounds add to the counters, in registers of their own if told."""
        for reg, (_, constant) in self.counters.items():
            before = self.function.vregs[reg]
            self._sum_into(insts, into[reg] if into is not None else before, before, constant * rounds)

    def _together(self, rounds: int) -> list[MInst]:
        """So many rounds, one after the other, and what they add to the counters."""
        kept: set[int] = set()
        while True:
            try:
                out = self._renamed(rounds, kept)
                self._advance(out, rounds)
                return out
            except _Clash as clash:
                if clash.reg in self.counters or clash.reg in kept:
                    raise Unfit from clash
                kept.add(clash.reg)

    def _renamed(self, rounds: int, kept: set[int]) -> list[MInst]:
        """The rounds with a register of its own for what each writes, but for `kept`; the last one's results are where
        the loop leaves them, save for the counters."""
        out: list[MInst] = []
        names: dict[Part, VReg] = {}
        steady = self._steady() if rounds > 1 else {}
        first: dict[int, VReg] = {}
        """Registers of the first round for what is steady."""

        def read(v: V) -> V:
            found = {names.get(part) for part in parts(v)}
            if len(found) > 1:
                raise _Clash(v.reg.id)
            (reg,) = found
            return v if reg is None else evolve(v, reg=reg)

        for n in range(rounds):
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
                        if n < rounds - 1 or not self._leaves(to):
                            to = own.setdefault(d.reg.id, own.get(d.reg.id) or self._new(d.reg))
                        partial = guarded(inst) and d.reg.id not in self.private
                        if partial and any(names.get(part, d.reg) is not to for part in parts(d)):
                            raise _Clash(d.reg.id)
                        for part in parts(d):
                            names[part] = to
                        d = evolve(d, reg=to)
                    dsts.append(d)
                copy = MInst(inst.mnemonic, inst.modifiers, tuple(dsts), srcs, guard, inst.loc, inst.ptx)
                if id(inst) in steady and isinstance(dsts[0], V) and dsts[0].reg.id not in kept:
                    start = first.setdefault(id(inst), dsts[0].reg)
                    if n:
                        more = Imm(steady[id(inst)] * n & ALL)
                        copy.mnemonic, copy.modifiers, copy.srcs = "IADD3", (), (V(start), more, ZERO)
                copy.side_effect, copy.memory, copy.space = inst.side_effect, inst.memory, inst.space
                out.append(copy)
        return out

    def _steady(self) -> dict[int, int]:
        """What a round adds to words that are sums and products of counters and of what is the same in all rounds: by
        the instruction that makes them, where they are addresses of 32 bits. Each round then has the first one's, plus
        a constant that goes into the access, and its loads are known to be apart from what the round before stores
        (without such stores they need not be moved)."""
        if all(inst.memory != "store" or inst.space != "shared" for inst in self.body):
            return {}
        bases = {
            s.base.reg.id for inst in self.body for s in inst.srcs
            if isinstance(s, VMem) and isinstance(s.base, V) and s.base.count == 1
        }  # fmt: skip
        if not bases:
            return {}
        known = {(reg, 0): constant for reg, (words, constant) in self.counters.items() if words == 1}
        out: dict[int, int] = {}

        def step(operand: MOperand) -> int | None:
            if not isinstance(operand, V):
                return 0 if isinstance(operand, Imm | Const) or operand == ZERO else None
            part = (operand.reg.id, operand.part)
            found = known.get(part, None if part in self.defs else 0)
            if operand.count != 1 or operand.abs or operand.inv or found is None:
                return None
            return -found if operand.neg else found

        for inst in self.body:
            d = inst.dsts[0] if len(inst.dsts) == 1 else None
            if not isinstance(d, V) or d.count != 1 or guarded(inst) or self.defs.get((d.reg.id, d.part)) != 1:
                continue
            if (d.reg.id, d.part) in known:
                continue
            steps = [step(s) for s in inst.srcs]
            match inst.mnemonic, inst.modifiers, inst.srcs:
                case "MOV", (), (_,):
                    terms = [(steps[0], 1)]
                case "IADD3", (), (_, _, _):
                    terms = [(s, 1) for s in steps]
                case "SHF", ("L", "U32"), (_, Imm() as by, _):
                    terms = [(steps[0], 1 << (by.bits & 31))]
                case "LEA", (), (_, _, Imm() as by):
                    terms = [(steps[0], 1 << (by.bits & 31)), (steps[1], 1)]
                case "IMAD", (), (_, Imm() as factor, _):
                    terms = [(steps[0], factor.bits), (steps[2], 1)]
                case _:
                    continue
            if any(s is None for s, _ in terms):
                continue
            known[d.reg.id, d.part] = sum((s or 0) * by for s, by in terms)
            if d.reg.id in bases and d.reg.width == 1:
                out[id(inst)] = known[d.reg.id, d.part] & ALL
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


def _jump(label: str, guard: V) -> MInst:
    return MInst("BRA", (), (), (Target(label=label),), guard, side_effect=True)


def _address(inst: MInst) -> list[V]:
    """The registers of a load's address."""
    return [s.base for s in inst.srcs if isinstance(s, VMem) and isinstance(s.base, V)]
