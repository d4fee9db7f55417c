"""Predication: a short body that a forward branch jumps over runs under the inverted guard instead.

    head: ... BSSY B; @P BRA join          head: ... @!P body
    body: ...                        ->    join: ...
    join: BSYNC B; ...

So does a body that jumps past the other side of a condition around it, to where that joins, too. The branch, and the
barrier if it served this branch alone, go away. Results that are used in the body only are computed unguarded, as long
as that cannot fault. A guarded instruction waits for the predicate as long as a branch does, so a short body costs no
more than its issue slots. Where it waits for global memory and stores what comes of it, the branch is nothing beside
that, and warps none of whose lanes need the body pass it by: unless they would then wait for the others at a barrier.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from minicc.arch.schema import Arch
from minicc.ptxas.cfg import is_plain, target_of
from minicc.ptxas.mir import TRUE, Block, MFunction, MInst, Part, V, VReg
from minicc.ptxas.operands import (
    OPPOSITE,
    guarded,
    is_far,
    map_reads,
    map_writes,
    parts_read,
    parts_written,
    reads,
    writes,
)
from minicc.ptxas.options import Options
from minicc.ptxas.ssa import early
from minicc.ptxas.timing import timing
from minicc.record import evolve
from minicc.sass.instr import Imm

_LONGEST = 12
"""Instructions of a body."""
_SELDOM = 24
"""Those of a body in a loop that loads from far memory and is skipped where two integers are equal, such as two of an
n-body's indices: seldom by a whole warp, and the loads of several turns are under way together then."""
_AWAITED = 32
"""Those of a body that loads from far memory and that a barrier follows: no warp gains by passing it, unless none needs
it. Then what slow units compute is long, as the reduction of a sine's large argument is."""
_BOTH, _BOTH_FAR = 8, 16
"""Instructions of the two sides of a diamond, and of one whose sides both load from far memory: they wait together."""
_BOTH_QUICK, _BOTH_NEAR = 16, 12
"""Those of sides that only compute, on fast pipes, or also load from shared memory: to part and to meet again costs a
warp as much as the longer one."""
_BOTH_ONE_SLOW = 24
"""Those of sides of which each only computes, with one slow operation at most: an online softmax, which scales either
its sum or the new term by an exponential, 1.255 to 1.172 of nvcc's cycles on the model with 20, another 1.10 to 0.98
with 24."""
_SIDES = 4
"""How many blocks further on the second side, or where a body joins, may stand: after those of other cases."""
_ONWARD = 4
"""Blocks in a row in which the barrier after a body may stand: one for each border of a tile that is loaded with it."""
_CHANGES = 4
"""Instructions of a body that stores what comes of a load from global memory."""
_STEP = 8
"""Instructions of a step of a sum by halves, which few of a block's warps make, between two barriers: all others would
issue what is longer."""
_SLOW = frozenset({"xu", "fp64"})
_NEVER = frozenset("BSSY BAR CALL LEPC NANOSLEEP DEPBAR LDGDEPBAR SHFL VOTE MATCH REDUX BMOV".split())


def _simple(inst: MInst) -> bool:
    """Whether it may run under a guard just as well."""
    return not (
        timing(inst.mnemonic, inst.modifiers).flow
        or inst.mnemonic in _NEVER
        or inst.memory in ("fence", "barrier")
        or (inst.side_effect and inst.memory not in ("store", "atomic"))
        or any(not isinstance(w, V) or w.reg.file not in ("R", "P") for w in writes(inst))
    )


def _loads(body: list[MInst]) -> bool:
    """Whether something is loaded from far memory."""
    return any(map(is_far, body))


def _changes(body: list[MInst]) -> bool:
    """Whether something is stored that hangs on what was loaded from far memory."""
    loaded: set[int] = set()
    for inst in body:
        if is_far(inst) or any(isinstance(r, V) and r.reg.id in loaded for r in reads(inst)):
            if inst.memory in ("store", "atomic"):
                return True
            loaded.update(w.reg.id for w in writes(inst) if isinstance(w, V))
    return False


def _compared(insts: list[MInst], guard: V) -> str:
    """The relation of two values, neither of them a constant, that makes a branch's guard true."""
    for inst in reversed(insts):
        if any(isinstance(w, V) and w.reg is guard.reg for w in writes(inst)):
            alone = inst.mnemonic == "ISETP" and not guarded(inst) and len(inst.srcs) == 3 and inst.srcs[2] == TRUE
            alone = alone and all(isinstance(s, V) for s in inst.srcs[:2])
            word = inst.modifiers[0] if alone and inst.dsts[1] == TRUE else ""
            return OPPOSITE.get(word, "") if guard.inv else word
    return ""


def _seldom(head: Block, body: list[MInst], guard: V) -> bool:
    """Whether a body of a loop that waits for far memory is skipped seldom by a whole warp."""
    return _loads(body) and head.loop_depth > 0 and _compared(head.insts, guard) == "EQ"


def _some(insts: list[MInst], guard: V) -> bool:
    """Whether a branch's guard tells a number of the thread's from a constant."""
    for inst in reversed(insts):
        if any(isinstance(w, V) and w.reg is guard.reg for w in writes(inst)):
            return inst.mnemonic == "ISETP" and not guarded(inst) and isinstance(inst.srcs[1], Imm)
    return False


def _twice(body: list[MInst]) -> bool:
    """Whether the body loads under a condition of its own: the pair with the larger key, in a step by halves, which
    only the first threads make."""
    return any(guarded(inst) and inst.memory == "load" for inst in body)


def _narrowed(
    body: list[MInst], outer: V, private: set[int], implies: Callable[[V, V], bool]
) -> dict[int, MInst] | None:
    """For a body with guarded instructions: the compares that must take `outer` as their input for those guards to be
    false where the body is skipped (those that imply it are), by index. None if that is not enough."""
    out: dict[int, MInst] = {}
    false: set[int] = set()  # predicates that are false where the body is skipped
    true: set[int] = set()
    inverted = {i.guard.reg.id for i in body if isinstance(i.guard, V) and i.guard.inv}
    for at, inst in enumerate(body):
        if guarded(inst):
            guard = inst.guard
            if not isinstance(guard, V):
                return None
            if guard.reg.id not in (true if guard.inv else false) and not implies(guard, outer):
                return None
            if any(isinstance(w, V) and w.reg.file == "P" for w in writes(inst)):
                return None
        for w in writes(inst):
            if isinstance(w, V) and w.reg.file == "P":
                false.discard(w.reg.id)
                true.discard(w.reg.id)
        if inst.mnemonic not in ("ISETP", "FSETP") or "EX" in inst.modifiers:
            continue
        chained = inst.srcs[2]
        first, second = inst.dsts
        if second != TRUE or not isinstance(first, V) or first.reg.id not in private or guarded(inst):
            continue
        if "AND" not in inst.modifiers:
            if "OR" in inst.modifiers and isinstance(chained, V) and not chained.inv and chained.reg.id in true:
                true.add(first.reg.id)
        elif chained == TRUE and first.reg.id in inverted:
            words = tuple("OR" if m == "AND" else m for m in inst.modifiers)
            skipped = evolve(outer, inv=not outer.inv)
            out[at] = evolve(inst, modifiers=words, srcs=(*inst.srcs[:2], skipped, *inst.srcs[3:]))
            true.add(first.reg.id)
        elif chained == TRUE:
            out[at] = evolve(inst, srcs=(*inst.srcs[:2], outer, *inst.srcs[3:]))
            false.add(first.reg.id)
        elif isinstance(chained, V) and not chained.inv and chained.reg.id in false:
            false.add(first.reg.id)
    return out


def _movable(side: list[MInst]) -> dict[tuple[object, ...], MInst]:
    """What a side computes of nothing else in it, into what it has not read before: it may come before the branch."""
    made = Counter(part for inst in side for part in parts_written(inst))
    out: dict[tuple[object, ...], MInst] = {}
    read: set[Part] = set()
    first: set[Part] = set()
    for inst in side:
        read.update(parts_read(inst))
        own = parts_written(inst)
        alone = inst.dsts and all(made[part] == 1 and part not in read for part in own)
        still = all(not made[part] or part in first for part in parts_read(inst))
        if alone and still and not (inst.memory or inst.side_effect or guarded(inst)):
            out[inst.mnemonic, inst.modifiers, inst.dsts, inst.srcs, inst.hidden] = inst
            first.update(own)
    return out


def _computed_in_both(one: list[MInst], other: list[MInst]) -> list[tuple[MInst, MInst]]:
    """What both sides of a diamond compute to the same place, such as the sign of an index that is used after it, too;
    in order."""
    out: list[tuple[MInst, MInst]] = []
    there = _movable(other)
    lost: set[Part] = set()
    for key, mine in _movable(one).items():
        if key in there and lost.isdisjoint(parts_read(mine)):
            out.append((mine, there[key]))
        else:
            lost.update(parts_written(mine))
    return out


class _Converter:
    """Tables over the function, kept up to date, so that cost is linear."""

    def __init__(self, function: MFunction) -> None:
        self.blocks = function.blocks
        self.early = early(function)
        self.mentions: dict[int, int] = {}
        self.named: dict[str, int] = {}
        self.preds: dict[str, set[str]] = {}
        self.written: Counter[Part] = Counter()
        """How often each part is written."""
        self.compares: dict[int, MInst] = {}
        """What makes a predicate that nothing else makes, in the turn in which it is asked."""
        for block in function.blocks:
            for succ in block.succs:
                self.preds.setdefault(succ, set()).add(block.label)
            for inst in block.insts:
                self.written.update(parts_written(inst))
                first = inst.dsts[0] if inst.mnemonic == "ISETP" and not guarded(inst) else None
                if isinstance(first, V) and inst.dsts[1] == TRUE and inst.srcs[2] == TRUE:
                    self.compares[first.reg.id] = inst
                target = target_of(inst)
                if target is not None:
                    self.named[target] = self.named.get(target, 0) + 1
                for operand in (*reads(inst), *writes(inst)):
                    if isinstance(operand, V):
                        self.mentions[operand.reg.id] = self.mentions.get(operand.reg.id, 0) + 1
        self.compares = {
            reg: inst
            for reg, inst in self.compares.items()
            if self.written[reg, 0] == 1 and self.early.isdisjoint(((reg, 0), *parts_read(inst)))
        }

    def convert(self, at: int) -> bool:
        """Convert a branch, a body, and where they join: the blocks at and at + 1, and the next, or one further on if
        the body jumps there past what other branches around it go to."""
        head, body = self.blocks[at : at + 2]
        if not head.insts or not body.insts:
            return False
        branch = head.insts[-1]
        guard, target = branch.guard, target_of(branch)
        if branch.mnemonic != "BRA" or len(branch.srcs) != 1 or not isinstance(guard, V) or guard.reg.file != "P":
            return False
        if body.succs != [target] or len(body.insts) > _AWAITED:
            return False
        after = self._place(at + 2, target)
        if not after:
            return False
        join, jumps = self.blocks[after], after > at + 2
        insts = body.insts[:-1] if jumps else body.insts
        if not insts or (jumps and not is_plain(body.insts[-1])):
            return False
        if len(insts) > _LONGEST and not (
            (len(insts) <= _SELDOM and _seldom(head, insts, guard)) or self._awaited(at, after)
        ):
            return False
        if not self._fit(insts, guard):
            return False
        if len(insts) > _CHANGES and _changes(insts) and not self._met(after):
            return False
        step = len(insts) > _STEP and _some(head.insts, guard)
        half = _twice(insts) and _compared(head.insts, guard) in ("GE", "LE")
        if (step or half) and not _loads(insts) and self._met(after):
            return False
        if self.preds.get(body.label) != {head.label} or self.named.get(body.label):
            return False
        opposite = evolve(guard, inv=not guard.inv)
        private = self._private(body)
        if not self._narrow(insts, opposite, private):
            return False
        barrier = None if jumps else self._barrier(head, body, join)
        if barrier is not None:
            head.insts.remove(barrier[0])
            join.insts.remove(barrier[1])
            self._unname(barrier[0])
        head.insts.remove(branch)
        self._unname(branch)
        self._take(head, insts, opposite, private)
        head.insts += body.insts[-1:] if jumps else []
        head.succs = [join.label]
        self.preds[join.label].discard(body.label)
        del self.blocks[at + 1]
        return True

    def join(self, at: int) -> None:
        """Join a block to what alone follows it: what comes after a body may be part of a body around it."""
        head = self.blocks[at]
        while at + 1 < len(self.blocks):
            after = self.blocks[at + 1]
            alone = head.succs == [after.label] and self.preds.get(after.label) == {head.label}
            if not alone or self.named.get(after.label) or (head.insts and head.insts[-1].mnemonic == "BRA"):
                return
            head.insts += after.insts
            head.succs = after.succs
            for label in after.succs:
                self.preds[label].discard(after.label)
                self.preds[label].add(head.label)
            del self.blocks[at + 1]

    def _place(self, first: int, label: str | None) -> int:
        """Where the block of that name is, if it is one of the next few; else 0."""
        few = range(first, min(first + _SIDES, len(self.blocks)))
        return next((k for k in few if self.blocks[k].label == label), 0)

    def _awaited(self, at: int, after: int) -> bool:
        """Whether the body after the block loads from far memory, and a barrier follows."""
        body = self.blocks[at + 1]
        slow = any(timing(inst.mnemonic, inst.modifiers).pipe in _SLOW for inst in body.insts)
        return _loads(body.insts) and not slow and self._met(after)

    def _met(self, at: int) -> bool:
        """Whether a barrier stands in the block, or in the next few if only they follow."""
        for _ in range(_ONWARD):
            block = self.blocks[at]
            if any(inst.mnemonic == "BAR" for inst in block.insts):
                return True
            if len(block.succs) != 1 or not (at := self._place(at + 1, block.succs[0])):
                return False
        return False

    def _fit(self, insts: list[MInst], guard: V) -> bool:
        """Whether the instructions of a side may run under the guard."""
        return all(_simple(i) for i in insts) and not any(
            isinstance(w, V) and w.reg is guard.reg for i in insts for w in writes(i)
        )

    def _narrow(self, insts: list[MInst], guard: V, private: set[int]) -> bool:
        """Make the guards in a side false where it is skipped, and say whether that could be done."""
        if not any(guarded(i) for i in insts):
            return True
        narrowed = _narrowed(insts, guard, private, self._implies)
        if narrowed is None:
            return False
        for place, inst in narrowed.items():
            insts[place] = inst
        self.mentions[guard.reg.id] += len(narrowed)
        return True

    def _implies(self, guard: V, outer: V) -> bool:
        """Whether a number below the one limit is below the other: the turns of a loop that was written out."""
        one, other = (self.compares.get(v.reg.id) for v in (guard, outer))
        if one is None or other is None or guard.inv or outer.inv or one.modifiers != other.modifiers:
            return False
        (x, low), (y, high) = one.srcs[:2], other.srcs[:2]
        if x != y or not isinstance(x, V) or not x.plain or not isinstance(low, Imm) or not isinstance(high, Imm):
            return False
        still = all(self.written.get(part) == 1 for part in x.parts)
        return still and one.modifiers == ("LT", "U32", "AND") and low.bits <= high.bits

    def _take(self, head: Block, insts: list[MInst], guard: V, private: set[int]) -> None:
        """Append a side to the head, under the guard where that is needed."""
        for inst in insts:
            alone = inst.dsts and all(isinstance(w, V) and w.reg.id in private for w in writes(inst))
            if not guarded(inst) and (not alone or inst.memory):
                inst.guard = guard
                self.mentions[guard.reg.id] += 1
            head.insts.append(inst)

    def diamond(self, at: int) -> bool:
        """Convert a branch, two sides, and where they join: blocks at to at + 3, or with others around the second side
        that go there, too (the last test of several); or two sides that both jump to one place, or end (leaves
        of a tree of tests)."""
        head, first = self.blocks[at : at + 2]
        if not head.insts or not first.insts:
            return False
        after = self._place(at + 2, target_of(head.insts[-1]))
        if not 0 < after < len(self.blocks) - 1:
            return False
        second, join = self.blocks[after : after + 2]
        goal = first.succs
        if len(goal) > 1 or second.succs != goal:
            return False
        branch, jump = head.insts[-1], first.insts[-1]
        guard = branch.guard
        if branch.mnemonic != "BRA" or len(branch.srcs) != 1 or not isinstance(guard, V) or guard.reg.file != "P":
            return False
        if target_of(branch) != second.label or jump.mnemonic != ("BRA" if goal else "EXIT") or not is_plain(jump):
            return False
        one, other = first.insts[:-1], second.insts
        away = bool(other) and other[-1].mnemonic == jump.mnemonic and is_plain(other[-1])
        if not away and goal != [join.label]:
            return False
        other = other[:-1] if away else other
        longest = _BOTH_FAR if _loads(one) and _loads(other) else self._longest(one, other)
        both = _computed_in_both(one, other)
        if len(one) + len(other) - 2 * len(both) > longest or self.preds.get(second.label) != {head.label} or (
            self.preds.get(first.label) != {head.label} or self.named.get(first.label) or self.named[second.label] > 1
        ):  # fmt: skip
            return False
        if not (self._fit(one, guard) and self._fit(other, guard)):
            return False
        privates = [self._private(Block("", side)) for side in (one, other)]
        outer = evolve(guard, inv=not guard.inv), guard
        if not all(map(self._narrow, (one, other), outer, privates)):
            return False
        near = after == at + 2 and not away
        if near and (barrier := self._barrier(head, first, join, second)):
            head.insts.remove(barrier[0])
            join.insts.remove(barrier[1])
            self._unname(barrier[0])
        for inst in (branch, *((jump,) if near else ()), *second.insts[len(other) :]):
            self._unname(inst)
        head.insts.pop()
        for mine, twin in both:
            head.insts.append(mine)
            one.remove(mine)
            other.remove(twin)
            self._forget(twin)
        while one and other and self._same(one[0], other[0], privates):
            head.insts.append(one.pop(0))
            del other[0]
        self._take(head, one, outer[0], privates[0])
        self._take(head, other, outer[1], privates[1])
        head.insts += [] if near else [jump]
        head.succs = goal
        for label in goal:
            self.preds[label] -= {first.label, second.label}
            self.preds[label].add(head.label)
        del self.blocks[after], self.blocks[at + 1]
        return True

    def _longest(self, *sides: list[MInst]) -> int:
        """How many instructions the sides of a diamond may have."""
        pipes = [[timing(inst.mnemonic, inst.modifiers).pipe for inst in side] for side in sides]
        memory = {inst.memory and (inst.memory, inst.space) for side in sides for inst in side} - {""}
        if any(pipe in _SLOW for side in pipes for pipe in side):
            one = not memory and all("fp64" not in side and side.count("xu") <= 1 for side in pipes)
            return _BOTH_ONE_SLOW if one else _BOTH
        return _BOTH_QUICK if not memory else _BOTH_NEAR if memory == {("load", "shared")} else _BOTH

    def _same(self, a: MInst, b: MInst, privates: list[set[int]]) -> bool:
        """Whether both sides begin with the same computation; if so, the second's result is named as the first's."""
        if (a.mnemonic, a.modifiers, a.srcs, a.hidden, len(a.dsts)) != (b.mnemonic, b.modifiers, b.srcs, b.hidden, 1):
            return False
        x, y = a.dsts[0], b.dsts[0]
        if a.memory not in ("", "load") or a.side_effect or guarded(a) or guarded(b):
            return False
        if not isinstance(x, V) or not isinstance(y, V):
            return False
        if x == y:
            return True
        if x.reg.id not in privates[0] or y.reg.id not in privates[1] or (x.part, x.count) != (y.part, y.count):
            return False
        return x.count == x.reg.width == y.reg.width and self._rename(y.reg, x.reg, privates)

    def _rename(self, old: VReg, new: VReg, privates: list[set[int]]) -> bool:
        """Both are private to their sides; the name is now of both."""
        for block in self.blocks:
            for inst in block.insts:
                map_reads(inst, lambda v: evolve(v, reg=new) if v.reg is old else v)
                map_writes(inst, lambda v: evolve(v, reg=new) if v.reg is old else v)
        for private in privates:
            private.discard(old.id)
            private.discard(new.id)
        return True

    def _forget(self, inst: MInst) -> None:
        """An instruction that is made once for two."""
        self.written.subtract(parts_written(inst))
        for operand in (*reads(inst), *writes(inst)):
            if isinstance(operand, V):
                self.mentions[operand.reg.id] -= 1

    def _unname(self, inst: MInst) -> None:
        target = target_of(inst)
        if target is not None:
            self.named[target] -= 1
        if isinstance(inst.guard, V):
            self.mentions[inst.guard.reg.id] -= 1

    def _barrier(
        self, head: Block, body: Block, join: Block, second: Block | None = None
    ) -> tuple[MInst, MInst] | None:
        """BSSY of the head and BSYNC of the join, if nobody else comes to that BSYNC."""
        if not join.insts or join.insts[0].mnemonic != "BSYNC":
            return None
        if self.preds.get(join.label) != {(second or head).label, body.label}:
            return None
        name = join.insts[0].srcs[0]
        for inst in head.insts:
            if inst.mnemonic == "BSSY" and isinstance(name, V) and inst.dsts == (V(name.reg),):
                return (inst, join.insts[0]) if self.mentions.get(name.reg.id) == 2 else None
        return None

    def _private(self, body: Block) -> set[int]:
        """Registers that only the body touches, and writes before it reads them."""
        inside: dict[int, int] = {}
        written: set[int] = set()
        early: set[int] = set()
        for inst in body.insts:
            for operand in reads(inst):
                if isinstance(operand, V):
                    inside[operand.reg.id] = inside.get(operand.reg.id, 0) + 1
                    if operand.reg.id not in written:
                        early.add(operand.reg.id)
            for operand in writes(inst):
                if isinstance(operand, V):
                    inside[operand.reg.id] = inside.get(operand.reg.id, 0) + 1
                    written.add(operand.reg.id)
        return {name for name in written - early if self.mentions[name] == inside[name]}


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Convert until nothing changes, from the last block to the first, so that inner bodies go first."""
    convert(function, lambda head: True)


def convert(function: MFunction, fits: Callable[[Block], bool]) -> None:
    """The same where the block with the branch is one that `fits`."""
    if not any(
        guarded(block.insts[-1]) and block.insts[-1].mnemonic == "BRA" for block in function.blocks if block.insts
    ):
        return
    converter = _Converter(function)
    at = len(function.blocks) - 3
    while at >= 0:
        if fits(function.blocks[at]) and (
            (at + 2 < len(function.blocks) and converter.convert(at))
            or (at + 3 < len(function.blocks) and converter.diamond(at))
        ):
            converter.join(at)
            at = min(at + 1, len(function.blocks) - 3)
            function.converted = True
        else:
            at -= 1
