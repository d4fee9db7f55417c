"""Bits that are predicates: what asks for one bit of a word asks for the predicates that the bit was made of.

    SEL t = RZ, 1, p;  SEL u = RZ, -1, q;  SHF.L v = u, 1;  LOP3 w = t | v        (a vector of bits, packed)
    SHF.R x = w, 1;  LOP3 y = x & 1;  ISETP.NE r = y, RZ                          r is q
    LOP3 y = x & s & 1 (s made of p alike);  ISETP.NE r = y, RZ                   PLOP3 r = q & p
    ISETP.NE.EX r = RZ, RZ, q   (high words that are equal)                       r is q

LLVM packs vectors of booleans so (Triton's masks of loads, for one); the packing is dead when nobody asks any more.
"""

from __future__ import annotations

from functools import partial

from minicc.arch.schema import Arch
from minicc.ptxas.mir import FALSE, TRUE, ZERO, MFunction, MInst, MOperand, V
from minicc.ptxas.operands import guarded, map_reads, reads
from minicc.ptxas.optimise import dead
from minicc.ptxas.options import Options
from minicc.ptxas.ssa import Single
from minicc.record import evolve
from minicc.sass.instr import Imm, Reg

_DEPTH = 40
"""Operations that a bit is followed through."""
_AND, _OR, _XOR = 0x80, 0xA8, 0x28
"""Tables of PLOP3, with PT as third operand."""

Value = tuple[tuple[V, ...], int]
"""A function of up to two predicates: these, and its table (bit a + 2 b: what it is where the first is a and the second
b)."""
_NO: Value = ((), 0)
_YES: Value = ((), 1)


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Replace every such test."""
    if any(_packs(inst) for block in function.blocks for inst in block.insts) and _Bits(function).run():
        dead.sweep(function)


def _packs(inst: MInst) -> bool:
    """Whether it makes a word of a predicate alone, or compares the upper halves of pairs that have none."""
    if inst.mnemonic == "SEL":
        return all(isinstance(s, Imm) or s == ZERO for s in inst.srcs[:2])
    return inst.mnemonic == "ISETP" and "EX" in inst.modifiers and inst.srcs[0] == inst.srcs[1] == ZERO


def _asks(inst: MInst) -> bool:
    """Whether it compares a word with zero, or with a word that is known."""
    if inst.mnemonic != "ISETP" or inst.modifiers[0] not in ("NE", "EQ") or guarded(inst):
        return False
    return inst.srcs[1] == ZERO and inst.srcs[2] == TRUE and inst.dsts[1] == TRUE and "AND" in inst.modifiers


class _Bits:
    def __init__(self, function: MFunction) -> None:
        self.function = function
        self.single = Single.of(function)
        self.found: dict[tuple[int, int, int], Value | None] = {}
        """(vreg id, part, bit) -> what it is made of."""
        self.renamed: dict[int, V] = {}
        """Predicates that are others: by id."""

    def run(self) -> bool:
        """Whether something was replaced."""
        joined = False
        for b, block in enumerate(self.function.blocks):
            for at, inst in enumerate(block.insts):
                if _asks(inst) and isinstance(inst.dsts[0], V) and (inst.dsts[0].reg.id, 0) in self.single.table:
                    joined |= self._replace(inst, self._answer(inst, b, at))
        if not self.renamed:
            return joined
        for b, block in enumerate(self.function.blocks):
            for at, inst in enumerate(block.insts):
                if any(type(r) is V and r.reg.id in self.renamed for r in reads(inst)):
                    map_reads(inst, partial(self._named, b=b, at=at))
        return True

    def _answer(self, inst: MInst, b: int, at: int) -> Value | None:
        """The compare as a function of predicates that are there at (b, at)."""
        value: Value | None = _NO
        if "EX" in inst.modifiers:
            value = self._predicate(inst.srcs[3]) if inst.srcs[0] == ZERO else None
        else:
            for bit in range(32):
                one = self._bit(inst.srcs[0], bit, _DEPTH) if value is not None else None
                value = None if one is None else _joined(0b11111100, value, one, _NO)
            if value is not None and inst.modifiers[0] == "EQ":
                value = _inverted(value)
        if value is None or not all(self._there(p, b, at) for p in value[0]):
            return None
        return value

    def _there(self, p: V, b: int, at: int) -> bool:
        made = self.single.table[p.reg.id, 0]
        return self.single.dominates(made.block, made.at, b, at)

    def _replace(self, inst: MInst, value: Value | None) -> bool:
        """Join two predicates in the compare's place; one is taken later."""
        if value is None or not value[0]:
            return False
        predicates, table = value
        d = inst.dsts[0]
        assert isinstance(d, V)
        if len(predicates) == 1:
            self.renamed[d.reg.id] = evolve(predicates[0], inv=table == 1)
            return False
        inputs = [*predicates]
        if table in (0b0110, 0b1001):
            inputs[0] = evolve(inputs[0], inv=table == 0b1001)
            join = _XOR
        else:
            join = _AND if table.bit_count() == 1 else _OR
            one = table if join == _AND else table ^ 0b1111
            row = one.bit_length() - 1
            inputs = [evolve(p, inv=(row >> k & 1 == 0) is (join == _AND)) for k, p in enumerate(inputs)]
        inst.mnemonic, inst.modifiers = "PLOP3", ("LUT",)
        inst.srcs = (*inputs, TRUE, Imm(join, "uint"), Imm(0, "uint"))
        return True

    def _named(self, v: V, b: int, at: int) -> V:
        """The predicate to read for `v` at (b, at)."""
        while v.reg.id in self.renamed:
            own = self.single.table[v.reg.id, 0]
            if not self.single.dominates(own.block, own.at, b, at):
                break
            other = self.renamed[v.reg.id]
            v = evolve(other, inv=other.inv ^ v.inv)
        return v

    def _predicate(self, operand: MOperand) -> Value | None:
        """A predicate source as a function of predicates."""
        if isinstance(operand, Reg):
            return _NO if operand.inv else _YES
        if not isinstance(operand, V) or (operand.reg.id, 0) not in self.single.table:
            return None
        other = self.renamed.get(operand.reg.id)
        turned = operand.inv
        if other is not None:
            turned, operand = turned ^ other.inv, other
        return (evolve(operand, inv=False),), 0b01 if turned else 0b10

    def _bit(self, operand: MOperand, bit: int, depth: int) -> Value | None:
        """One bit of a word."""
        if isinstance(operand, Imm):
            return _YES if operand.bits >> bit & 1 else _NO
        if operand == ZERO:
            return _NO
        if not isinstance(operand, V) or operand.reg.file != "R" or operand.neg or operand.abs or operand.suffix:
            return None
        key = operand.reg.id, operand.part, bit
        if key not in self.found:
            made = self.single.table.get(key[:2])
            value = None
            if made is not None and depth and not made.inst.hidden and len(made.inst.dsts) == 1 and not made.word:
                value = self._made(made.inst, bit, depth - 1)
            self.found[key] = value
        value = self.found[key]
        return _inverted(value) if value is not None and operand.inv else value

    def _made(self, inst: MInst, bit: int, depth: int) -> Value | None:
        s, words = inst.srcs, inst.modifiers
        match inst.mnemonic:
            case "MOV" if not words:
                return self._bit(s[0], bit, depth)
            case "SEL" if len(s) == 3:
                chosen = self._predicate(s[2])
                return _joined(0b11001010, chosen, self._bit(s[0], bit, depth), self._bit(s[1], bit, depth))
            case "LOP3" if len(s) == 5 and isinstance(s[3], Imm) and s[4] == FALSE:
                # A table of LOP3 has its first input as the highest digit of the row.
                return _joined(s[3].bits, *(self._bit(x, bit, depth) for x in s[:3]))
            case "SHF" if s[1] == ZERO or (isinstance(s[1], Imm) and s[1].bits < 32):
                return self._shifted(inst, s[1].bits if isinstance(s[1], Imm) else 0, bit, depth)
            case "SGXT" if words == ("U32",) and isinstance(s[1], Imm):
                return self._bit(s[0], bit, depth) if bit < s[1].bits else _NO
            case "PRMT" if isinstance(s[1], Imm) and not words:
                byte = s[1].bits >> 4 * (bit // 8) & 15
                return self._bit(s[0 if byte & 4 == 0 else 2], byte % 4 * 8 + (7 if byte & 8 else bit % 8), depth)
        return None

    def _shifted(self, inst: MInst, by: int, bit: int, depth: int) -> Value | None:
        low, high = inst.srcs[0], inst.srcs[2]
        match inst.modifiers:
            case ("L", "U32"):
                return self._bit(low, bit - by, depth) if bit >= by else _NO
            case ("L", "U64", "HI"):
                return self._bit(high, bit - by, depth) if bit >= by else self._bit(low, bit + 32 - by, depth)
            case ("R", "U32", "HI"):
                return self._bit(high, bit + by, depth) if bit + by < 32 else _NO
            case ("R", "U64"):
                return self._bit(low, bit + by, depth) if bit + by < 32 else self._bit(high, bit + by - 32, depth)
        return None


def _inverted(value: Value) -> Value:
    return value[0], value[1] ^ (1 << (1 << len(value[0]))) - 1


def _joined(table: int, *values: Value | None) -> Value | None:
    """A LOP3 table of functions of predicates; one that is not known must not matter."""
    predicates = list(dict.fromkeys(p for v in values if v is not None for p in v[0]))
    if len(predicates) > 4:
        return None
    out = 0
    for row in range(1 << len(predicates)):
        place = dict(zip(predicates, ((row >> k) & 1 for k in range(len(predicates))), strict=True))
        index, unknown = 0, [0]
        for v in values:
            index <<= 1
            unknown = [u << 1 for u in unknown]
            if v is None:
                unknown += [u | 1 for u in unknown]
            else:
                index |= v[1] >> sum(place[p] << k for k, p in enumerate(v[0])) & 1
        found = {table >> (index | u) & 1 for u in unknown}
        if len(found) > 1:
            return None
        out |= found.pop() << row
    return _reduced(predicates, out)


def _reduced(predicates: list[V], table: int) -> Value | None:
    """Without the predicates that do not matter; None if more than two do."""
    for k in range(len(predicates) - 1, -1, -1):
        rows = range(1 << len(predicates))
        if all(table >> row & 1 == table >> (row ^ 1 << k) & 1 for row in rows):
            kept = [row for row in rows if not row >> k & 1]
            table = sum((table >> row & 1) << n for n, row in enumerate(kept))
            del predicates[k]
    return (tuple(predicates), table) if len(predicates) <= 2 else None


__all__ = ["run"]
