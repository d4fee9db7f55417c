"""Sums of three: an addition of 64 bits takes a third addend, with two carries.

    IADD3 t, p = a, b, RZ;  IADD3.X u = A, B, RZ, p        IADD3 d, p, q = a, c, b
    IADD3 d, p = t, c, RZ;  IADD3.X e = u, C, RZ, p        IADD3.X e = A, C, B, p, q
    IADD3.X t = A, B, RZ, p;  IADD3 e = t, C, RZ           IADD3.X e = A, C, B, p      (words put above a sum)
    SEL t = RZ, 1, !p;        IADD3 e = t, c, RZ           IADD3.X e = c, RZ, RZ, p    (and of two: what is counted)

Only where nothing else takes the first sum, it is made in a loop no further out, and its addends still have their
values at the second (`Combiner.holds`). Hashes are sums of three to five words of 64 bits.
"""

from __future__ import annotations

from minicc.arch.schema import Arch
from minicc.ptxas.mir import FALSE, ZERO, MFunction, MInst, MOperand, V
from minicc.ptxas.operands import guarded, parts
from minicc.ptxas.optimise.combine import Combiner
from minicc.ptxas.options import Options
from minicc.ptxas.ssa import Definition
from minicc.record import evolve
from minicc.sass.instr import Imm

_TOP = ("X",)
_ONE = Imm(1)


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Take sums of two together."""
    if any(inst.modifiers == _TOP or inst.mnemonic == "SEL" for block in function.blocks for inst in block.insts):
        _Sums(function, sums=True).run()


class _Sums(Combiner):
    def run(self) -> None:
        for b, block in enumerate(self.function.blocks):
            for at, inst in enumerate(block.insts):
                if inst.mnemonic == "IADD3" and not inst.modifiers and len(inst.dsts) == 1 and not guarded(inst):
                    self._above(inst, b, at)
                    self._counted_in(inst, b, at)
        for b, block in enumerate(self.function.blocks):
            takers = {part: (at, i) for at, i in enumerate(block.insts) if _upper(i) for part in parts(i.srcs[3])}
            for at, inst in enumerate(block.insts):
                if _lower(inst):
                    carry = inst.dsts[1]
                    assert isinstance(carry, V)
                    taker = takers.get((carry.reg.id, 0))
                    if taker is not None and self.uses[carry.reg.id, 0] == 1:
                        self._third(inst, taker[1], b, at, taker[0])

    def _inner(self, operand: MOperand, b: int, at: int) -> Definition | None:
        """The sum that makes an operand for this use alone, in a loop no further out."""
        if not isinstance(operand, V) or operand.neg or operand.suffix or operand.reg.file != "R":
            return None
        found = self.maker(operand, "IADD3", b, at)
        blocks = self.function.blocks
        return found if found and blocks[found.block].loop_depth >= blocks[b].loop_depth else None

    def _above(self, inst: MInst, b: int, at: int) -> None:
        """Upper words, and something added to them."""
        if len(inst.srcs) != 3 or inst.srcs[2] != ZERO:
            return
        for n in (0, 1):
            found = self._inner(inst.srcs[n], b, at)
            if found is None or not _upper(found.inst):
                continue
            terms = (*found.inst.srcs[:2], inst.srcs[1 - n])
            if all(_addend(s) for s in terms) and self.fits(*terms):
                self.replace(inst, "IADD3", _TOP, (*_ordered(*terms), *found.inst.srcs[3:]))
                return

    def _counted_in(self, inst: MInst, b: int, at: int) -> None:
        """Ones that predicates choose, as carries."""
        if inst.modifiers:
            return
        carries: list[MOperand] = []
        rest: list[MOperand] = []
        for operand in inst.srcs:
            found = self.maker(operand, "SEL", b, at) if _addend(operand) and len(carries) < 2 else None
            carry = _chosen(found.inst) if found else None
            (rest if carry is None else carries).append(operand if carry is None else carry)
        if carries and all(map(_addend, rest)):
            zeros = [ZERO] * (3 - len(rest))
            self.replace(inst, "IADD3", _TOP, (*_ordered(*rest, *zeros), *carries, *[FALSE] * (2 - len(carries))))

    def _third(self, low: MInst, high: MInst, b: int, at: int, high_at: int) -> None:
        for n in (0, 1):
            for m in (0, 1):
                one, two = self._inner(low.srcs[n], b, at), self._inner(high.srcs[m], b, high_at)
                if one is None or two is None or not _lower(one.inst) or not _upper(two.inst):
                    continue
                if two.inst.srcs[3] != one.inst.dsts[1]:
                    continue
                lows = (*one.inst.srcs[:2], low.srcs[1 - n])
                highs = (*two.inst.srcs[:2], high.srcs[1 - m])
                if all(_addend(s) for s in lows + highs) and self.fits(*lows) and self.fits(*highs):
                    second = V(self.function.new("P"))
                    self.replace(low, "IADD3", (), _ordered(*lows))
                    self.replace(high, "IADD3", _TOP, (*_ordered(*highs), high.srcs[3], second))
                    low.dsts = (*low.dsts, second)
                    return


def _lower(inst: MInst) -> bool:
    """Whether it is the lower words' sum of two, with a carry."""
    if inst.mnemonic != "IADD3" or inst.modifiers or len(inst.dsts) != 2 or guarded(inst):
        return False
    return len(inst.srcs) == 3 and inst.srcs[2] == ZERO and isinstance(inst.dsts[1], V)


def _upper(inst: MInst) -> bool:
    """Whether it is the upper words' sum of two and of one carry."""
    if inst.mnemonic != "IADD3" or inst.modifiers != _TOP or len(inst.dsts) != 1 or guarded(inst):
        return False
    return len(inst.srcs) == 5 and inst.srcs[2] == ZERO and inst.srcs[4] == FALSE and isinstance(inst.srcs[3], V)


def _chosen(inst: MInst) -> MOperand | None:
    """The predicate, as it is read, that chooses one rather than zero."""
    if guarded(inst) or inst.modifiers or len(inst.srcs) != 3 or not isinstance(inst.srcs[2], V):
        return None
    predicate = inst.srcs[2]
    if inst.srcs[:2] == (_ONE, ZERO):
        return predicate
    return evolve(predicate, inv=not predicate.inv) if inst.srcs[:2] == (ZERO, _ONE) else None


def _addend(operand: MOperand) -> bool:
    """Nothing whose sign or bits are turned: those count for carries otherwise."""
    return not (getattr(operand, "neg", False) or getattr(operand, "inv", False) or getattr(operand, "abs", False))


def _ordered(*operands: MOperand) -> tuple[MOperand, ...]:
    """Zero last, so that a sum of two can go to another pipe (`balance`)."""
    return Combiner.sorted(*sorted(operands, key=lambda o: o == ZERO))
