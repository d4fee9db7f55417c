"""Counting loops of one block: what a round adds to its registers, and which compare of them ends the loop.

    loop: LDG v, [a]; s = s + v; a = a + 4; i = i + 1; p = i < n; @p BRA loop       counters a (4) and i (1), p of i + 1

Each word that the body has written is known as one that a register held before the round plus a constant, or not at
all; pairs are followed through the carry that joins their halves.
"""

from __future__ import annotations

from collections.abc import Mapping

from minicc.ptxas.cfg import is_plain, target_of
from minicc.ptxas.mir import FALSE, TRUE, ZERO, Block, MFunction, MInst, MOperand, Part, V
from minicc.ptxas.operands import EXCHANGED, OPPOSITE, guarded, parts, parts_written, writes
from minicc.record import NamedTuple
from minicc.sass.instr import Const, Imm

ALL = 0xFFFFFFFF
_ORDERED = ("atomic", "fence", "barrier")
_FARTHEST = 1 << 24
"""Largest step of a counter."""


class Unfit(Exception):
    """This loop stays as it is."""


class Sum(NamedTuple):
    """A word of what a register held before the round plus a constant: of one register, or of two from `low` on (then
    the constant is of 64 bits, and `high` says which word this is)."""

    low: Part
    constant: int
    wide: bool = False
    high: bool = False


class Counted:
    """A loop of one block that a compare of a counter ends. Raises `Unfit`; nothing is changed."""

    def __init__(self, function: MFunction, block: Block) -> None:
        self.function, self.block = function, block
        self.body, self.branch, self.exit = self._ends()
        self.apart = self.branch in function.splitting
        """Whether lanes may leave at different rounds."""
        self.defs: dict[Part, int] = {}
        """How often each part is written."""
        self._check()
        self.sums = self._evaluate()
        self.counters = self._counters()
        self.compare = self._compare()

    def _ends(self) -> tuple[list[MInst], MInst, str]:
        """The instructions before the branches, the branch back, and where the loop leads."""
        insts, label = self.block.insts, self.block.label
        others = [s for s in self.block.succs if s != label]
        at = len(insts)
        while at and insts[at - 1].mnemonic == "BRA":
            at -= 1
        ends = insts[at:]
        if len(others) != 1 or not ends or len(ends) > 2 or (len(ends) == 2 and not is_plain(ends[1])):
            raise Unfit
        branch = ends[0]
        guard = branch.guard
        if not isinstance(guard, V) or guard.reg.file != "P" or len(branch.srcs) != 1 or target_of(branch) != label:
            raise Unfit
        return insts[:at], branch, others[0]

    def _check(self) -> None:
        """Nothing in the body forbids rounds that overlap."""
        stores, constant = False, True
        for inst in self.body:
            if inst.implicit_reads or inst.implicit_writes or inst.hidden or inst.memory in _ORDERED:
                raise Unfit
            if inst.memory == "store":
                stores |= inst.space != "shared"
            elif inst.side_effect and (inst.mnemonic != "SHFL" or self.apart):
                raise Unfit
            elif inst.memory == "load":
                constant &= "CONSTANT" in inst.modifiers or inst.mnemonic not in ("LDG", "LD")
            for w in writes(inst):
                if not isinstance(w, V) or w.reg.fixed is not None or w.reg.file not in ("R", "P"):
                    raise Unfit
                for part in parts(w):
                    self.defs[part] = self.defs.get(part, 0) + 1
        if stores and not constant:
            raise Unfit

    def _evaluate(self) -> list[dict[Part, Sum | None]]:
        """What is known of the parts that have been written, before each instruction and at the end."""
        now: dict[Part, Sum | None] = {}
        carries: dict[int, tuple[Part, int]] = {}
        """Predicate -> (the low word it was carried from, the constant added there)."""
        out = []
        for inst in self.body:
            out.append(dict(now))
            found = None if guarded(inst) else self._sum(inst, now, carries)
            for n, w in enumerate(inst.dsts):
                if isinstance(w, V) and w.reg.file == "P":
                    carries.pop(w.reg.id, None)
                for part in parts(w):
                    now[part] = found[0] if found is not None and n == 0 else None
            if found is not None and found[1] is not None and isinstance(inst.dsts[1], V):
                carries[inst.dsts[1].reg.id] = found[1]
        out.append(now)
        return out

    def _sum(
        self, inst: MInst, now: Mapping[Part, Sum | None], carries: Mapping[int, tuple[Part, int]]
    ) -> tuple[Sum, tuple[Part, int] | None] | None:
        """What the instruction's first result is, and what its carry stands for."""

        def of(v: V) -> Sum | None:
            part = (v.reg.id, v.part)
            return now.get(part) if part in now else Sum(part, 0)

        if inst.mnemonic == "MOV" and not inst.modifiers and len(inst.srcs) == 1:
            source = inst.srcs[0]
            found = of(source) if _plain(source) and isinstance(source, V) else None
            return None if found is None else (found, None)
        if inst.mnemonic != "IADD3":
            return None
        registers = [s for s in inst.srcs[:3] if isinstance(s, V)]
        constants = [s.bits & ALL for s in inst.srcs[:3] if isinstance(s, Imm)]
        idle = sum(s == ZERO for s in inst.srcs[:3])
        if len(registers) != 1 or not _plain(registers[0]) or len(registers) + len(constants) + idle != 3:
            return None
        part = (registers[0].reg.id, registers[0].part)
        before, constant = of(registers[0]), sum(constants) & ALL
        if before is None:
            return None
        if not inst.modifiers and len(inst.dsts) == 1:
            return None if before.wide else (before._replace(constant=before.constant + constant & ALL), None)
        if before != Sum(part, 0):
            return None
        if not inst.modifiers and len(inst.dsts) == 2 and len(constants) <= 1 and part[1] % 2 == 0:
            return Sum(part, constant, wide=True), (part, constant)
        if inst.modifiers == ("X",) and len(inst.srcs) == 5 and inst.srcs[4] == FALSE and len(inst.dsts) == 1:
            carry = inst.srcs[3]
            low = carries.get(carry.reg.id) if isinstance(carry, V) and not carry.inv else None
            if low is not None and part == (low[0][0], low[0][1] + 1):
                return Sum(low[0], (constant << 32) + low[1], wide=True, high=True), None
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
                if high is not None and high.high and high.low == (reg, 0) and high.constant & ALL == found.constant:
                    out[reg] = 2, high.constant & (1 << 64) - 1
        return out

    def _compare(self) -> MInst:
        """The compare that ends the loop. Sets `x` and `y`, which it compares, `kind`, how it does for the way back,
        and `step`, what a round adds to the counter of `x`."""
        guard = self.branch.guard
        assert isinstance(guard, V)
        makers = [(at, i) for at, i in enumerate(self.body) if any(p == (guard.reg.id, 0) for p in parts_written(i))]
        if len(makers) != 1:
            raise Unfit
        at, inst = makers[0]
        kind, *rest = inst.modifiers
        if inst.mnemonic != "ISETP" or guarded(inst) or "AND" not in rest or inst.srcs[2] != TRUE:
            raise Unfit
        if inst.dsts != (V(guard.reg), TRUE):
            raise Unfit
        x, y = inst.srcs[:2]
        turned = OPPOSITE.get(kind, "") if guard.inv else kind
        if "EX" in rest:
            if turned != "NE":
                raise Unfit
            self.x, self.y = self._pairs(inst, at)
        else:
            found = self._counter(x, at)
            if found is None:
                x, y, turned = y, x, EXCHANGED.get(turned, "")
                found = self._counter(x, at)
            if found is None or not self._still(y):
                raise Unfit
            self.x, self.y = found, (y,)
        words, step = self.counters[self.x.low[0]]
        step -= step >> 32 * words - 1 << 32 * words
        if not step or abs(step) > _FARTHEST or turned not in {"NE", *(("LT", "LE") if step > 0 else ("GT", "GE"))}:
            raise Unfit
        self.kind, self.step = turned, step
        return inst

    def _pairs(self, inst: MInst, at: int) -> tuple[Sum, tuple[MOperand, ...]]:
        """The counter, and what it is compared with, of a compare of 64 bits whose upper half is `inst`."""
        below = inst.srcs[3]
        lows = [(n, i) for n, i in enumerate(self.body[:at]) if isinstance(below, V) and i.dsts[:1] == (V(below.reg),)]
        if len(lows) != 1 or not isinstance(below, V) or below.inv or self.defs[below.reg.id, 0] != 1:
            raise Unfit
        place, low = lows[0]
        fits = low.mnemonic == "ISETP" and "AND" in low.modifiers and low.modifiers[0] == inst.modifiers[0]
        if not fits or guarded(low) or low.dsts[1:] != (TRUE,) or low.srcs[2:] != (TRUE,):
            raise Unfit
        for n in (0, 1):
            x, top, bound = low.srcs[n], inst.srcs[n], (low.srcs[1 - n], inst.srcs[1 - n])
            if not (_plain(x) and _plain(top) and all(map(self._still, bound))):
                continue
            assert isinstance(x, V) and isinstance(top, V)
            found, above = self._value(x, place), self._value(top, at)
            if found is None or above is None or self.counters.get(found.low[0], (0, 0))[0] != 2:
                continue
            if not found.wide and found.low == (found.low[0], 0) and not found.constant:
                if above == Sum((found.low[0], 1), 0):
                    return found._replace(wide=True), bound
            elif found.wide and (found.high, above.high, above.low) == (False, True, found.low):
                if above.constant & ALL != found.constant:
                    raise Unfit
                return found._replace(constant=above.constant), bound
        raise Unfit

    def _value(self, v: V, at: int) -> Sum | None:
        """What is known of a word before the instruction at a place."""
        part = (v.reg.id, v.part)
        return self.sums[at].get(part, Sum(part, 0))

    def _counter(self, x: MOperand, at: int) -> Sum | None:
        """What a word is there, if that is what a counter of one word held before the round plus a constant."""
        found = self._value(x, at) if isinstance(x, V) and _plain(x) else None
        if found is None or found.wide or self.counters.get(found.low[0], (0, 0))[0] != 1:
            return None
        return found

    def _still(self, y: MOperand) -> bool:
        """Whether an operand is the same in all rounds."""
        if isinstance(y, V):
            return _plain(y) and (y.reg.id, y.part) not in self.defs
        return isinstance(y, Imm) or y == ZERO or (isinstance(y, Const) and y.base is None and y.ureg is None)


def _plain(operand: MOperand) -> bool:
    """A whole register of 32 bits as it is."""
    return (
        isinstance(operand, V)
        and operand.count == 1
        and operand.plain
        and operand.reg.file == "R"
        and operand.reg.fixed is None
    )
