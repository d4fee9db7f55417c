"""Known bits: which bits of a register are zero, and which are one, on every way to it.

Asked for one register at a time and answered by a short look back over definitions (`ssa.Single`); what depends on
a register with several definitions is not known. Cost: each register is looked at once from each distance.
"""

from __future__ import annotations

from minicc.ptxas.mir import MInst, MOperand, Part, V
from minicc.ptxas.ssa import Single
from minicc.sass.instr import RZ, Imm, Name, Reg

ALL = 0xFFFFFFFF
_NOTHING = (0, 0)
_DEPTH = 12
_RANGES = {"SR_TID.X": 1023, "SR_TID.Y": 1023, "SR_TID.Z": 63, "SR_LANEID": 31}
"""Largest values of special registers, where PTX bounds them."""
_LOADED = {"U8": 0xFF, "U16": 0xFFFF}
"""Largest values of words that narrow loads fill."""

Bits = tuple[int, int]
"""(mask of bits that are zero, mask of bits that are one)"""


def table_bits(table: int, inputs: list[Bits]) -> Bits:
    """What a LOP3 table makes of known bits."""
    may = [0, 0]
    for row in range(8):
        possible = ALL
        for k, (zeros, ones) in enumerate(inputs):
            possible &= ~zeros if row >> 2 - k & 1 else ~ones
        may[table >> row & 1] |= possible
    return ALL & ~may[1], ALL & ~may[0]


def permuted(selector: int, low: Bits, high: Bits) -> Bits:
    """What a PRMT makes of known bits: of each nibble three bits name one of eight bytes, the fourth its sign."""
    zeros = ones = 0
    for byte in range(4):
        nibble = selector >> 4 * byte
        z, o = (word >> 8 * (nibble & 3) & 0xFF for word in (high if nibble & 4 else low))
        if nibble & 8:
            z, o = 0xFF * (z >> 7), 0xFF * (o >> 7)
        zeros, ones = zeros | z << 8 * byte, ones | o << 8 * byte
    return zeros, ones


class Known:
    """Answers for one function, as `single` knows it."""

    def __init__(self, single: Single) -> None:
        self.single = single
        self.found: dict[Part, Bits] = {}
        self.vain: dict[Part, int] = {}
        """How far was looked back from what nothing is known of."""

    def of(self, operand: MOperand, depth: int = _DEPTH) -> Bits:
        """Known bits of a 32-bit source operand."""
        if isinstance(operand, Imm):
            return ALL & ~operand.bits, operand.bits & ALL
        if isinstance(operand, Reg):
            if operand.file != "R" or operand.index != RZ:
                return _NOTHING
            return (0, ALL) if operand.inv else (ALL, 0)
        if not isinstance(operand, V) or operand.reg.file != "R" or operand.neg or operand.abs or operand.suffix:
            return _NOTHING
        zeros, ones = self._part((operand.reg.id, operand.part), depth)
        return (ones, zeros) if operand.inv else (zeros, ones)

    def _part(self, part: Part, depth: int) -> Bits:
        known = self.found.get(part)
        if known is not None:
            return known
        definition = self.single.table.get(part)
        if definition is None or depth <= self.vain.get(part, 0):
            return _NOTHING
        answer = _NOTHING
        if len(definition.inst.dsts) == 1 and not definition.word:
            answer = self._made(definition.inst, depth - 1)
        if depth == _DEPTH or answer != _NOTHING:
            self.found[part] = answer
        else:
            self.vain[part] = depth
        return answer

    def _made(self, inst: MInst, depth: int) -> Bits:
        s, mnemonic, words = inst.srcs, inst.mnemonic, inst.modifiers
        if inst.hidden:
            return _NOTHING
        if mnemonic == "MOV" and not words:
            return self.of(s[0], depth)
        if inst.memory == "load":
            return next((ALL & ~most for word, most in _LOADED.items() if word in words), 0), 0
        if mnemonic == "PRMT" and len(s) == 3 and isinstance(s[1], Imm):
            return permuted(s[1].bits, self.of(s[0], depth), self.of(s[2], depth))
        if mnemonic == "S2R":
            return ALL & ~_largest(s[0]), 0
        if mnemonic == "LOP3" and len(s) == 5 and isinstance(s[3], Imm):
            return table_bits(s[3].bits, [self.of(x, depth) for x in s[:3]])
        if mnemonic == "SEL" and len(s) == 3:
            (z, o), (y, p) = self.of(s[0], depth), self.of(s[1], depth)
            return z & y, o & p
        if mnemonic == "SHF" and isinstance(s[1], Imm) and s[1].bits < 32:
            n = s[1].bits
            if words == ("L", "U32"):
                z, o = self.of(s[0], depth)
                return (z << n | (1 << n) - 1) & ALL, o << n & ALL
            if words == ("R", "U32", "HI"):
                z, o = self.of(s[2], depth)
                return z >> n | ALL & ~(ALL >> n), o >> n
        if mnemonic == "SGXT" and words == ("U32",) and isinstance(s[1], Imm) and s[1].bits < 32:
            z, o = self.of(s[0], depth)
            mask = (1 << s[1].bits) - 1
            return z & mask | ALL & ~mask, o & mask
        if mnemonic in ("IADD3", "VIADD") and not words:
            return self._sum([self._magnitude(x, depth) for x in s])
        if mnemonic == "IMAD" and not set(words) - {"U32"} and len(s) == 3:
            (a, i), (b, j), (c, k) = (self._magnitude(x, depth) for x in s)
            return self._sum([(a * b, min(32, i + j)), (c, k)])
        if mnemonic == "LEA" and not words and len(s) == 3 and isinstance(s[2], Imm) and s[2].bits < 32:
            (a, i), n = self._magnitude(s[0], depth), s[2].bits
            return self._sum([(a << n, min(32, i + n)), self._magnitude(s[1], depth)])
        return _NOTHING

    def _magnitude(self, operand: MOperand, depth: int) -> tuple[int, int]:
        """(largest value, low zero bits)"""
        if isinstance(operand, V) and operand.neg and not operand.abs and not operand.inv:
            zeros, _ = self._part((operand.reg.id, operand.part), depth) if operand.reg.file == "R" else _NOTHING
            return (0 if zeros == ALL else ALL, _low(zeros))
        zeros, _ = self.of(operand, depth)
        return ALL & ~zeros, _low(zeros)

    @staticmethod
    def _sum(terms: list[tuple[int, int]]) -> Bits:
        """Known bits of a sum of terms of a largest value and low zero bits each."""
        most, low = sum(t[0] for t in terms), min(t[1] for t in terms)
        zeros = (1 << low) - 1
        if most <= ALL:
            zeros |= ALL & ~((1 << most.bit_length()) - 1)
        return zeros & ALL, 0


def _low(zeros: int) -> int:
    """Number of low bits that are zero."""
    return 32 if zeros == ALL else ((~zeros & ALL) & -(~zeros & ALL)).bit_length() - 1


def _largest(operand: MOperand) -> int:
    return _RANGES.get(operand.text, ALL) if isinstance(operand, Name) else ALL


__all__ = ["ALL", "Bits", "Known", "permuted", "table_bits"]
