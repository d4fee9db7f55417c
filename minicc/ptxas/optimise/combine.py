"""Combining: two instructions become one where the first's result has no other use.

    IMAD.WIDE t, a, b, RZ;  64-bit add d, t, c      IMAD.WIDE d, a, b, c   (also when t has several such uses)
    IADD3 t, a, b, RZ;      IADD3 d, t, c, RZ       IADD3 d, a, b, c
    SHF.L.U32 t, a, n, RZ;  IADD3 d, t, c, RZ       LEA d, a, c, n
    SHF.R t, RZ, n, a;      IADD3 d, t, c, RZ       LEA.HI d, a, c, RZ, 32 - n   (signed: LEA.HI.SX32)
    SHF.L.W.HI t, a, n, b;  IADD3 d, t, c, RZ       LEA.HI d, a, c, b, n   (a rotation and an addition, of hashes)
    SHF.L.U32 t, a, n, RZ;  SHF.R.U32.HI u, RZ, 32 - n, b;  LOP3 d, t | u   SHF.L.W.HI d, b, n, a   (also ^ and +)
    64-bit t = a << n;      64-bit add d, t, c      LEA d, p, a, c, n; LEA.HI.X d, a, c, a, n, p  (any number of sums)
    sign s of a;            64-bit add d, (a, s), c IADD3 d, p, a, c; LEA.HI.X.SX32 d, a, c, 1, p
    IMAD t, a, b, RZ;       IADD3 d, t, c, RZ       IMAD d, a, b, c
    IADD3 t, a, b, RZ;      VIMNMX d, t, c, p       VIADDMNMX d, a, b, c, p   (an index that is kept inside)
    VIMNMX t, a, b, p;      VIMNMX d, t, c, p       VIMNMX3 d, a, b, c, p
    LOP3 t, ...;            LOP3 d, t, ...          LOP3 of at most three inputs in all
    FADD t, -x, -RZ;        FFMA d, t, b, c         FFMA d, -x, b, c   (also of several uses)
    FADD t, |x|, -RZ;       FSETP p, t, b           FSETP p, |x|, b
    FSETP p, a, b;          SEL d, 1.0, RZ, p       FSET.BF d, a, b

Only where every operand of the first still has its value at the second (see `Combiner.holds`). Sums of shifted or
extended values wait until counters and the parts of addresses have been looked for (`sums`), which are known by IADD3.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from minicc.arch.schema import Arch
from minicc.ptxas.mir import FALSE, TRUE, ZERO, MFunction, MInst, MOperand, Part, V
from minicc.ptxas.operands import OPPOSITE_OF_FLOATS, guarded, parts, parts_used, parts_written, reads, writes
from minicc.ptxas.options import Options
from minicc.ptxas.ssa import Definition, Single
from minicc.record import evolve
from minicc.sass.instr import Const, Imm, Reg

_DOWN: dict[tuple[str, ...], tuple[tuple[str, ...], tuple[MOperand, ...]]] = {
    ("R", "U32", "HI"): (("HI",), (ZERO,)),
    ("R", "S32", "HI"): (("HI", "SX32"), ()),
}
"""Shifts to the right: the form of LEA that shifts and adds, and its source for the upper half."""
_LOWER = ("R", "U32", "HI")
_SIGNED = frozenset({"FADD", "FFMA", "FMNMX", "FMUL", "FSET", "FSETP", "MUFU"})
"""What takes the sign of a source in the operand: minus and the magnitude (FFMA that of its first alone, as far as
NVIDIA's code shows)."""
_ONE = Imm(0x3F800000)
_LIMITS = frozenset({"VIMNMX", "VIMNMX3", "VIADDMNMX"})
_NEAR = 48
"""Instructions looked through for a change of an operand that has several definitions."""


def _plain(operand: MOperand) -> bool:
    return isinstance(operand, V) and operand.plain


def _magnitude(operand: MOperand) -> bool:
    return isinstance(operand, V) and operand.abs


def _addend(operand: MOperand) -> bool:
    return _plain(operand) or operand == ZERO or isinstance(operand, Const | Imm)


def _sum(low: MInst, high: MInst) -> bool:
    """Whether two neighbours are the halves of a sum of 64 bits."""
    if low.mnemonic != "IADD3" or high.mnemonic != "IADD3" or low.modifiers or high.modifiers != ("X",):
        return False
    if len(low.dsts) != 2 or len(high.dsts) != 1 or guarded(low) or guarded(high) or len(high.srcs) != 5:
        return False
    return high.srcs[3] == low.dsts[1] and high.srcs[2] == low.srcs[2] == ZERO


class Combiner:
    def __init__(self, function: MFunction, sums: bool) -> None:
        self.function, self.sums = function, sums
        self.single = Single.of(function)
        self.uses = parts_used(function)
        self.due: dict[int, dict[int, int]] = {}
        logic = [inst.srcs[:3] for block in function.blocks for inst in block.insts if inst.mnemonic == "LOP3"]
        self.logic = Counter([part for sources in logic for operand in sources for part in parts(operand)])
        """How many of the uses are by logic of three."""
        halves = [inst.srcs[:2] for block in function.blocks for low, high in pairwise(block.insts) if _sum(low, high)
                  for inst in (low, high)]  # fmt: skip
        self.summed = Counter([part for sources in halves for operand in sources for part in parts(operand)])
        """How many of the uses are by sums of 64 bits."""

    def run(self) -> None:
        for b, block in enumerate(self.function.blocks):
            for at, inst in enumerate(block.insts):
                if inst.mnemonic == "IADD3" and not guarded(inst) and not inst.modifiers:
                    if len(inst.dsts) == 1:
                        self._add(inst, b, at)
                    elif len(inst.dsts) == 2:
                        self._wide(inst, b, at)
                elif inst.mnemonic == "LOP3" and not guarded(inst):
                    self._logic(inst, b, at)
                elif inst.mnemonic == "VIMNMX" and not guarded(inst) and len(inst.dsts) == 1:
                    self._limited(inst, b, at)
                elif inst.mnemonic == "SEL" and not guarded(inst):
                    self._counted(inst, b, at)
                elif inst.mnemonic in _SIGNED:
                    self._signed(inst, b, at)

    def maker(self, operand: MOperand, mnemonic: str, b: int, at: int, uses: int = 1) -> Definition | None:
        """The only definition of an operand, by that mnemonic, if all its uses are the one in hand and its operands
        still hold."""
        if not isinstance(operand, V) or operand.abs or operand.inv:
            return None
        name = (operand.reg.id, operand.part)
        found = self.single.table.get(name)
        if found is None or found.inst.mnemonic != mnemonic or self.uses.get(name) != uses:
            return None
        return found if self.holds(found, b, at) else None

    def holds(self, found: Definition, b: int, at: int) -> bool:
        """Whether every register that the definition reads has the same value at point (b, at)."""
        if not self.single.dominates(found.block, found.at, b, at):
            return False
        several = set()
        for operand in reads(found.inst):
            if isinstance(operand, Reg):
                return False
            for part in operand.parts:
                origin = self.single.table.get(part)
                if origin is None or not self.single.dominates(origin.block, origin.at, found.block, found.at):
                    several.add(operand.reg.id)
        if not several:
            return True
        if found.block != b or at - found.at > _NEAR:
            return False
        between = self.function.blocks[b].insts[found.at + 1 : at]
        return not any(isinstance(w, V) and w.reg.id in several for inst in between for w in writes(inst))

    def _limited(self, inst: MInst, b: int, at: int) -> None:
        """The smaller or larger of a sum and something else; of two sums the one before which more such choices are
        made, or which is made later, since what waits for that (rows of edit distances 1.30 of nvcc's cycles to 1.04
        and 1.08 to 0.96 on the model)."""
        if inst.modifiers not in ((), ("U32",), ("RELU",)):
            return
        sums = []
        for n in (0, 1):
            t, other = inst.srcs[n], inst.srcs[1 - n]
            found = self.maker(t, "IADD3", b, at) if _plain(t) and (other == ZERO or _plain(other)) else None
            if found is None or len(found.inst.dsts) != 1 or found.inst.modifiers or found.inst.srcs[2:] != (ZERO,):
                continue
            x, y = found.inst.srcs[:2]
            if not _plain(x):
                x, y = y, x
            if _plain(x) and (isinstance(y, V | Imm) or y == ZERO):
                sums.append((found.block == b, found.at, x, y, other))
        if sums:
            due = self._due(b) if len(sums) > 1 else {}
            *_, x, y, other = max(sums, key=lambda made: (made[0], due.get(made[1], 0) if made[0] else 0, made[1]))
            self.replace(inst, "VIADDMNMX", inst.modifiers, (x, y, other, inst.srcs[2]))
        else:
            self._least(inst, b, at)

    def _due(self, b: int) -> dict[int, int]:
        """How many choices of smaller or larger values of the block, one after the other, come before each instruction,
        by index."""
        if b not in self.due:
            made: dict[Part, int] = {}
            found = self.due[b] = {}
            for at, inst in enumerate(self.function.blocks[b].insts):
                steps = max((made.get(part, 0) for operand in reads(inst) for part in parts(operand)), default=0)
                found[at] = steps
                made.update(dict.fromkeys(parts_written(inst), steps + (inst.mnemonic in _LIMITS)))
        return self.due[b]

    def _least(self, inst: MInst, b: int, at: int) -> None:
        """The smallest or largest of three; of two that are made of two each, the one that is made later."""
        best: tuple[tuple[bool, int], list[MOperand]] | None = None
        for t, other in (inst.srcs[:2], inst.srcs[1::-1]):
            made = self.maker(t, "VIMNMX", b, at)
            if made is None or guarded(made.inst) or len(made.inst.dsts) != 1:
                continue
            if made.inst.modifiers == inst.modifiers and made.inst.srcs[2] == inst.srcs[2]:
                when = made.block == b, made.at
                if best is None or when > best[0]:
                    best = when, [*made.inst.srcs[:2], other]
        if best is not None:
            registers = [s for s in best[1] if _plain(s)]
            rest = [s for s in best[1] if not _plain(s)]
            if len(rest) < 2 and all(isinstance(s, Imm) or s == ZERO for s in rest):
                x, y, z = (registers[0], *rest, *registers[1:])
                self.replace(inst, "VIMNMX3", inst.modifiers, (x, y, z, inst.srcs[2]))

    def _add(self, inst: MInst, b: int, at: int) -> None:
        """32-bit add of two with one of them combinable."""
        if len(inst.srcs) != 3 or inst.srcs[2] != ZERO or self._funnel(inst, b, at):
            return
        for n in (0, 1):
            t, other = inst.srcs[n], inst.srcs[1 - n]
            if not _plain(t) or t == other:
                continue
            found = self.maker(t, "IADD3", b, at)
            if found is not None and len(found.inst.dsts) == 1 and not found.inst.modifiers:
                sources = found.inst.srcs
                if len(sources) == 3 and sources[2] == ZERO and self.fits(sources[0], sources[1], other):
                    self.replace(inst, "IADD3", (), self.sorted(sources[0], sources[1], other))
                    return
            found = self.maker(t, "SHF", b, at)
            if found is not None and self._shifted_word(inst, found.inst, other):
                return
            found = self.maker(t, "IMAD", b, at)
            if found is not None and not set(found.inst.modifiers) - {"U32"} and isinstance(other, V):
                a, m, zero = found.inst.srcs[:3]
                if zero == ZERO and len(found.inst.srcs) == 3 and len(found.inst.dsts) == 1 and not other.abs:
                    self.replace(inst, "IMAD", found.inst.modifiers, (a, m, other))
                    return

    def _funnel(self, inst: MInst, b: int, at: int) -> bool:
        """Two words that are shifted apart by a word's width, together: a rotation, if they are the same."""
        for left, right in (inst.srcs[:2], inst.srcs[1::-1]):
            if not _plain(left) or not _plain(right):
                return False
            high, low = (self.maker(t, "SHF", b, at) for t in (left, right))
            if high is None or low is None or high.inst.modifiers != ("L", "U32") or low.inst.modifiers != _LOWER:
                continue
            (first, count, zero), (none, rest, last) = high.inst.srcs[:3], low.inst.srcs[:3]
            whole = (
                isinstance(count, Imm) and isinstance(rest, Imm) and rest.bits == 32 - count.bits and 0 < rest.bits < 32
            )
            if whole and zero == none == ZERO and _plain(first) and _plain(last):
                self.replace(inst, "SHF", ("L", "W", "U32", "HI"), (last, count, first))
                return True
        return False

    def _shifted_word(self, inst: MInst, shift: MInst, other: MOperand) -> bool:
        """A sum of a word and one that was shifted: to the left, to the right, or out of two words."""
        form, (first, count, last) = shift.modifiers, shift.srcs[:3]
        if not isinstance(count, Imm) or not 0 < count.bits < 32:
            return False
        addend = isinstance(other, V) and not (other.abs or other.inv)
        if form == ("L", "U32") and _plain(first) and last == ZERO and not isinstance(other, Reg):
            self.replace(inst, "LEA", (), (first, other, Imm(count.bits)))
        elif form == ("L", "W", "U32", "HI") and _plain(first) and _plain(last) and addend:
            self.replace(inst, "LEA", ("HI",), (first, other, last, count))
        elif form in _DOWN and first == ZERO and _plain(last) and addend:
            words, more = _DOWN[form]
            self.replace(inst, "LEA", words, (last, other, *more, Imm(32 - count.bits)))
        else:
            return False
        return True

    @staticmethod
    def fits(*operands: MOperand) -> bool:
        """At most one of three is not a general register."""
        odd = sum(1 for o in operands if not (isinstance(o, V | Reg) and o.file == "R"))
        return odd <= 1 and all(isinstance(o, V | Reg | Imm | Const) for o in operands)

    @staticmethod
    def sorted(*operands: MOperand) -> tuple[MOperand, ...]:
        """The one that is not a general register in the middle, where it may be."""
        regs = [o for o in operands if isinstance(o, V | Reg) and o.file == "R"]
        odd = [o for o in operands if not (isinstance(o, V | Reg) and o.file == "R")]
        return (regs[0], odd[0], regs[1]) if odd else tuple(regs)

    def replace(self, inst: MInst, mnemonic: str, modifiers: tuple[str, ...], sources: tuple[MOperand, ...]) -> None:
        for operand in sources:
            self.uses.update(parts(operand))
        for operand in inst.srcs:
            self.uses.subtract(parts(operand))
            if inst.mnemonic == mnemonic == "LOP3":
                self.logic.subtract(parts(operand))
        inst.mnemonic, inst.modifiers, inst.srcs = mnemonic, modifiers, sources

    def _wide(self, low: MInst, b: int, at: int) -> None:
        """The low half of a 64-bit add of a product, or of a value that was shifted or extended."""
        insts = self.function.blocks[b].insts
        carry = low.dsts[1]
        if not isinstance(carry, V) or at + 1 >= len(insts) or self.uses.get((carry.reg.id, 0)) != 1:
            return
        high = insts[at + 1]
        if not _sum(low, high):
            return
        if self.sums and (self._shifted(low, high, b, at) or self._extended(low, high, b, at)):
            return
        d, e = low.dsts[0], high.dsts[0]
        if not (isinstance(d, V) and isinstance(e, V) and d.reg is e.reg and d.part % 2 == 0 and e.part == d.part + 1):
            return
        for n in (0, 1):
            t, th, c, ch = low.srcs[n], high.srcs[n], low.srcs[1 - n], high.srcs[1 - n]
            if not (_plain(t) and _plain(th) and _plain(c) and _plain(ch)):
                continue
            assert isinstance(t, V) and isinstance(th, V) and isinstance(c, V) and isinstance(ch, V)
            if (
                t.reg is not th.reg
                or th.part != t.part + 1
                or c.reg is not ch.reg
                or ch.part != c.part + 1
                or c.part % 2
            ):
                continue
            product = self._product(t, th, b, at) if d.reg is not c.reg else None
            if product is None:
                continue
            modifiers, x, m = product
            insts[at] = evolve(low, mnemonic="NOP", dsts=(), srcs=(), modifiers=())
            insts[at + 1] = evolve(
                low, mnemonic="IMAD", modifiers=modifiers, dsts=(V(d.reg, d.part, 2),),
                srcs=(x, m, V(c.reg, c.part, 2)),
            )  # fmt: skip
            return

    def _shifted(self, low: MInst, high: MInst, b: int, at: int) -> bool:
        """A sum of a pair that was shifted left, of which nothing but sums is made."""
        carry = low.dsts[1]
        for n in (0, 1):
            t, th, c, ch = low.srcs[n], high.srcs[n], low.srcs[1 - n], high.srcs[1 - n]
            if not (_plain(t) and _plain(th) and _addend(c) and _addend(ch)):
                continue
            assert isinstance(t, V) and isinstance(th, V)
            if any(self.uses.get(name) != self.summed.get(name) for v in (t, th) for name in parts(v)):
                continue
            found, upper = self.near(t, b, at), self.near(th, b, at + 1)  # the upper sum is made after the lower one
            if (
                found is None
                or upper is None
                or found.modifiers != ("L", "U32")
                or upper.modifiers != ("L", "U64", "HI")
            ):
                continue
            a, count, zero = found.srcs[:3]
            below, by, above = upper.srcs[:3]
            if zero != ZERO or count != by or not isinstance(count, Imm) or not 0 < count.bits < 32:
                continue
            if a == below and _plain(a) and (_plain(above) or above == ZERO):
                self.replace(low, "LEA", (), (a, c, count))
                self.replace(high, "LEA", ("HI", "X"), (a, ch, above, count, carry))
                return True
        return False

    def _extended(self, low: MInst, high: MInst, b: int, at: int) -> bool:
        """A sum of a word with its sign above it."""
        carry = low.dsts[1]
        for n in (0, 1):
            t, th, ch = low.srcs[n], high.srcs[n], high.srcs[1 - n]
            if not (_plain(t) and _plain(th) and _addend(low.srcs[1 - n]) and _addend(ch)):
                continue
            found = self.near(th, b, at + 1)
            if found is None or found.modifiers != ("R", "S32", "HI") or found.srcs[:2] != (ZERO, Imm(31)):
                continue
            if self._origin(found.srcs[2]) == self._origin(t):
                self.replace(high, "LEA", ("HI", "X", "SX32"), (t, ch, Imm(1), carry))
                return True
        return False

    def near(self, operand: MOperand, b: int, at: int) -> MInst | None:
        """The shift that alone makes an operand, in a loop no further out, if its own operands still hold."""
        found = self.single.table.get((operand.reg.id, operand.part)) if isinstance(operand, V) else None
        if found is None or found.inst.mnemonic != "SHF" or not self.holds(found, b, at):
            return None
        blocks = self.function.blocks
        return found.inst if blocks[found.block].loop_depth >= blocks[b].loop_depth else None

    def _product(self, t: V, th: V, b: int, at: int) -> tuple[tuple[str, ...], MOperand, MOperand] | None:
        """(modifiers of IMAD, factor, factor) if the pair is a wide product at point (b, at): an IMAD.WIDE, or a
        32-bit value that was extended and shifted left."""
        found = self.single.table.get((t.reg.id, t.part))
        upper = self.single.table.get((th.reg.id, th.part))
        if found is None or upper is None or found.word:
            return None
        product, high = found.inst, upper.inst
        if product.mnemonic == "IMAD" and "WIDE" in product.modifiers:
            if len(product.srcs) == 3 and product.srcs[2] == ZERO and self.holds(found, b, at):
                return product.modifiers, product.srcs[0], product.srcs[1]
            return None
        if product.modifiers != ("L", "U32") or high.modifiers != ("L", "U64", "HI"):
            return None
        x, count, zero = product.srcs[:3]
        if not isinstance(count, Imm) or not 0 < count.bits < 31 or zero != ZERO or high.srcs[1] != count:
            return None
        x, y, top = self._origin(x), self._origin(high.srcs[0]), self._origin(high.srcs[2])
        if not isinstance(x, V) or x != y or not _plain(x):
            return None
        where = self.single.table.get((x.reg.id, x.part))
        if where is None or not self.single.dominates(where.block, where.at, b, at):
            return None
        factor = Imm(1 << count.bits)
        if top == ZERO:
            return ("WIDE", "U32"), x, factor
        sign = self.single.table.get((top.reg.id, top.part)) if isinstance(top, V) else None
        if sign is None or sign.inst.mnemonic != "SHF" or sign.inst.modifiers != ("R", "S32", "HI"):
            return None
        by = sign.inst.srcs[1]
        if isinstance(by, Imm) and by.bits == 31 and self._origin(sign.inst.srcs[2]) == x:
            return ("WIDE",), x, factor
        return None

    def _origin(self, operand: MOperand) -> MOperand:
        """What a register with one definition is a copy of, as far back as registers with one definition go."""
        for _ in range(8):
            if not isinstance(operand, V) or not _plain(operand) or operand.count != 1:
                return operand
            found = self.single.table.get((operand.reg.id, operand.part))
            if found is None or found.inst.mnemonic != "MOV" or found.inst.modifiers:
                return operand
            source = found.inst.srcs[0]
            if isinstance(source, V) and (source.reg.id, source.part) not in self.single.table:
                return operand
            operand = source
        return operand

    def _signed(self, inst: MInst, b: int, at: int) -> None:
        """A source that is another with its sign changed or gone: the operand says so."""
        if "XORSIGN" in inst.modifiers:
            return  # it takes signs as registers have them
        for n, t in enumerate(inst.srcs):
            if not isinstance(t, V) or t.reg.file != "R" or t.suffix:
                continue
            found = self.single.table.get((t.reg.id, t.part))
            if found is None or found.inst.mnemonic != "FADD" or len(found.inst.srcs) != 2:
                continue
            x, zero = found.inst.srcs
            flushed = found.inst.modifiers == ("FTZ",) and "FTZ" in inst.modifiers
            if not (flushed or not found.inst.modifiers) or zero != evolve(ZERO, neg=True):
                continue
            if not isinstance(x, V) or not (x.neg or x.abs) or x.suffix or not self.holds(found, b, at):
                continue
            signed = evolve(x, neg=t.neg if t.abs else t.neg != x.neg, abs=t.abs or x.abs)
            if signed.abs and inst.mnemonic == "FFMA" and (n == 2 or (n == 1 and _magnitude(inst.srcs[0]))):
                continue
            sources = list(inst.srcs)
            sources[n] = signed
            if n == 1 and inst.mnemonic in ("FFMA", "FMUL"):
                if not isinstance(sources[0], V):
                    continue
                sources[0], sources[1] = sources[1], sources[0]
                other = sources[1]
                if isinstance(other, V) and other.neg:
                    if other.abs:
                        continue
                    sources[0], sources[1] = evolve(signed, neg=not signed.neg), evolve(other, neg=False)
            self.replace(inst, inst.mnemonic, inst.modifiers, tuple(sources))
            return

    def _counted(self, inst: MInst, b: int, at: int) -> None:
        """One or zero, as two floats compare."""
        holds = inst.srcs[2]
        if not isinstance(holds, V) or inst.srcs[:2] not in ((_ONE, ZERO), (ZERO, _ONE)):
            return
        found = self.maker(evolve(holds, inv=False), "FSETP", b, at)
        if found is None or found.inst.dsts[1:] != (TRUE,) or found.inst.srcs[2:] != (TRUE,):
            return
        kind, *more = found.inst.modifiers
        turned = kind if (inst.srcs[0] == _ONE) != holds.inv else OPPOSITE_OF_FLOATS.get(kind)
        if turned is not None and "AND" in more:
            self.replace(inst, "FSET", ("BF", turned, *more), found.inst.srcs)

    def _masked(self, t: MOperand, b: int, at: int) -> Definition | None:
        """The definition of an operand by logic with a constant that nothing but logic uses: each of these can take its
        register as well, and waits for one operation less."""
        found = self.single.table.get((t.reg.id, t.part)) if isinstance(t, V) else None
        if not isinstance(t, V) or found is None or found.inst.mnemonic != "LOP3":
            return None
        name = (t.reg.id, t.part)
        if self.logic.get(name) != self.uses.get(name):
            return None
        inputs = [s for s in found.inst.srcs[:3] if s != ZERO]
        if len(inputs) != 2 or not any(isinstance(s, Imm) for s in inputs):
            return None
        return found if self.holds(found, b, at) else None

    def _logic(self, outer: MInst, b: int, at: int) -> None:
        if len(outer.srcs) != 5 or len(outer.dsts) != 1 or outer.srcs[4] != FALSE:
            return
        third, lut = outer.srcs[2:4]
        # Of the two words no bit is set in both, so it does not matter what the table has for that.
        if third == ZERO and isinstance(lut, Imm) and lut.bits & 0b10101 == 0b10100 and self._funnel(outer, b, at):
            return
        for n in range(3):
            t = outer.srcs[n]
            if not _plain(t) or outer.srcs[:3].count(t) != 1:
                continue
            found = self.maker(t, "LOP3", b, at) or self._masked(t, b, at)
            if found is None or len(found.inst.srcs) != 5 or len(found.inst.dsts) != 1:
                continue
            if found.inst.srcs[4] != FALSE:
                continue
            merged = _merge(outer, n, found.inst)
            if merged is not None:
                self.replace(outer, "LOP3", outer.modifiers, merged)
                return


def _merge(outer: MInst, n: int, inner: MInst) -> tuple[MOperand, ...] | None:
    """Sources of a LOP3 that is `outer` with its n-th source computed by `inner`; None if that takes four inputs."""
    inputs: list[MOperand] = []
    for operand in (*outer.srcs[:n], *outer.srcs[n + 1 : 3], *inner.srcs[:3]):
        if operand == ZERO:
            continue
        if not (_plain(operand) and isinstance(operand, V) and operand.reg.file == "R") and not isinstance(
            operand, Imm | Const
        ):
            return None
        if operand not in inputs:
            inputs.append(operand)
    odd = [o for o in inputs if isinstance(o, Imm | Const)]
    regs = [o for o in inputs if not isinstance(o, Imm | Const)]
    if len(inputs) > 3 or len(odd) > 1 or not regs:
        return None
    slots: list[MOperand] = [regs[0], ZERO, ZERO]
    rest = regs[1:]
    if odd:
        slots[1] = odd[0]
    elif rest:
        slots[1] = rest.pop(0)
    if rest:
        slots[2] = rest.pop(0)
    if rest:
        return None
    lut_out, lut_in = outer.srcs[3], inner.srcs[3]
    if not isinstance(lut_out, Imm) or not isinstance(lut_in, Imm):
        return None
    lut = 0
    for row in range(8):
        bits = {id_: row >> 2 - k & 1 for k, id_ in enumerate(slots) if id_ != ZERO}

        def value(operand: MOperand, bits: dict[MOperand, int] = bits) -> int:
            return 0 if operand == ZERO else bits[operand]

        a, m, c = (value(o) for o in inner.srcs[:3])
        t = lut_in.bits >> (a << 2 | m << 1 | c) & 1
        x, y, z = (t if k == n else value(o) for k, o in enumerate(outer.srcs[:3]))
        lut |= (lut_out.bits >> (x << 2 | y << 1 | z) & 1) << row
    return (*slots, Imm(lut, "uint"), outer.srcs[4])


def run(function: MFunction, arch: Arch, options: Options, sums: bool = True) -> None:
    """Combine, then drop the NOPs that stand for what went."""
    Combiner(function, sums).run()
    for block in function.blocks:
        block.insts = [i for i in block.insts if i.mnemonic != "NOP" or i.hidden or i.memory]
