"""Addresses: a constant that is added to a base goes into the memory instructions that use the sum.

    IADD3 t, p = b, 0x40, RZ;  IADD3.X u = c, RZ, RZ, p;  LDG d, [t.64]     LDG d, [b.64+0x40]
    LOP3 t = b | 0x40 (where b has no such bit);          LDS d, [t]        LDS d, [b+0x40]
    VIADD t, b, 0x40;                                     LDC d, c[3][t]    LDC d, c[3][b+0x40]
    LOP3 t = b & 0xff (where b has no other bit)                            MOV t, b

nvcc and LLVM's own selection write such offsets into PTX; others (Triton) write the sum, once an access. Only sums that
nothing but addresses use are taken apart, and only where the base still has its value.
"""

from __future__ import annotations

from minicc.arch.schema import Arch
from minicc.numbers import signed
from minicc.ptxas.mir import FALSE, ZERO, MFunction, MInst, MOperand, Part, V, VConst, VMem
from minicc.ptxas.operands import guarded, parts_written
from minicc.ptxas.optimise.known import ALL, Known, permuted, table_bits
from minicc.ptxas.options import Options
from minicc.ptxas.ssa import Definition, Single
from minicc.record import evolve
from minicc.sass.instr import Imm

_WIDE = ("LDG", "STG", "LD", "ST", "LDS", "STS", "LDL", "STL", "LDSM", "STSM", "ATOMS", "ATOM", "ATOMG", "RED", "REDG")
_LIMITS = {
    **dict.fromkeys(_WIDE, (24,)),
    "LDGSTS": (20, 12),
    "LDC": (16,),
}
"""Bits of the signed offset of each address operand."""
_CHAIN = 8
"""Sums of sums looked through."""


class _Folder:
    def __init__(self, function: MFunction) -> None:
        self.function = function
        self.single = Single.of(function)
        self.known = Known(self.single)
        self.others: set[Part] = set()
        """Parts that something other than an address operand reads."""
        self.last: dict[Part, int] = {}
        """Where each part was last written in the block at hand."""

    def _uses(self, inst: MInst) -> None:
        others = self.others
        for operand in inst.srcs:
            if type(operand) is V:
                others.update(operand.parts)
            elif isinstance(operand, VMem | VConst) and isinstance(operand.base, V) and inst.mnemonic not in _LIMITS:
                others.update(operand.base.parts)
        for v in inst.implicit_reads:
            others.update(v.parts)

    def _any(self) -> bool:
        """Whether some address is a sum."""
        for block in self.function.blocks:
            for inst in block.insts:
                if inst.mnemonic in _LIMITS:
                    for s in inst.srcs:
                        if isinstance(s, VMem | VConst) and isinstance(s.base, V):
                            found = self.single.table.get((s.base.reg.id, s.base.part))
                            if found is not None and found.inst.mnemonic in ("IADD3", "VIADD", "LOP3"):
                                return True
        return False

    def run(self) -> None:
        if not self._any():
            return
        for block in self.function.blocks:
            for inst in block.insts:
                self._uses(inst)
        for b, block in enumerate(self.function.blocks):
            self.last.clear()
            for at, inst in enumerate(block.insts):
                limits = _LIMITS.get(inst.mnemonic)
                if limits is not None:
                    places = [n for n, s in enumerate(inst.srcs) if isinstance(s, VMem | VConst)]
                    for n, bits in zip(places, limits, strict=False):
                        self._fold(inst, n, bits, b, at)
                for part in parts_written(inst):
                    self.last[part] = at

    def _fold(self, inst: MInst, n: int, bits: int, b: int, at: int) -> None:
        """Take the n-th source's base apart as far as it goes."""
        for _ in range(_CHAIN):
            where = inst.srcs[n]
            assert isinstance(where, VMem | VConst)
            base = where.base
            if not isinstance(base, V) or base.reg.fixed is not None or base.count > 2:
                return
            found = self._pair(base, b, at) if base.count == 2 else self._word(base, b, at)
            if found is None:
                return
            below, offset = found
            total = where.offset + offset
            if not -1 << bits - 1 <= total < 1 << bits - 1:
                return
            new = evolve(where, base=evolve(base, reg=below.reg, part=below.part), offset=total)
            inst.srcs = (*inst.srcs[:n], new, *inst.srcs[n + 1 :])

    def _sum(self, part: Part, b: int, at: int) -> Definition | None:
        """The only definition of a part that nothing but addresses use, if it reaches (b, at)."""
        found = self.single.table.get(part)
        if found is None or part in self.others or guarded(found.inst):
            return None
        return found if self.single.dominates(found.block, found.at, b, at) else None

    def _same(self, v: V, found: Definition, b: int) -> bool:
        """Whether a part has in block b the value that a definition has read."""
        if v.reg.fixed is not None or not v.plain:
            return False
        part = (v.reg.id, v.part)
        origin = self.single.table.get(part)
        if origin is not None and self.single.dominates(origin.block, origin.at, found.block, found.at):
            return True
        return found.block == b and self.last.get(part, -1) < found.at

    def _word(self, base: V, b: int, at: int) -> tuple[V, int] | None:
        """(register, constant) that make a 32-bit base."""
        found = self._sum((base.reg.id, base.part), b, at)
        if found is None or found.inst.modifiers or len(found.inst.dsts) != 1:
            return None
        inst = found.inst
        if inst.mnemonic == "LOP3":
            split = self._joined(inst)
        elif inst.mnemonic in ("IADD3", "VIADD"):
            split = self._added(inst)
        else:
            return None
        if split is None or not self._same(split[0], found, b):
            return None
        return split[0], signed(split[1], 32)

    def _added(self, inst: MInst) -> tuple[V, int] | None:
        """A register plus a constant."""
        rest = [s for s in inst.srcs if s != ZERO]
        constants = [s for s in rest if isinstance(s, Imm)]
        registers = [s for s in rest if isinstance(s, V) and s.reg.file == "R"]
        if len(rest) != 2:
            return None
        if len(registers) == 2:
            gone = [s for s in registers if self.known.of(s)[0] == ALL]
            if len(gone) == 1:
                return registers[1 - registers.index(gone[0])], 0
        if len(constants) != 1 or len(registers) != 1:
            return None
        return registers[0], constants[0].bits & ALL

    def _joined(self, inst: MInst) -> tuple[V, int] | None:
        """A register with some zero bits set (or turned)."""
        if len(inst.srcs) != 5 or inst.srcs[4] != FALSE or not isinstance(inst.srcs[3], Imm):
            return None
        inputs = [(n, s) for n, s in enumerate(inst.srcs[:3]) if s != ZERO]
        constants = [(n, s) for n, s in inputs if isinstance(s, Imm)]
        registers = [(n, s) for n, s in inputs if isinstance(s, V) and s.reg.file == "R"]
        if len(inputs) != 2 or len(constants) != 1 or len(registers) != 1:
            return None
        (c, constant), (r, register) = constants[0], registers[0]
        for row in range(8):
            bits = [row >> 2 - k & 1 for k in range(3)]
            zeroed = any(bits[k] for k in range(3) if k not in (c, r))
            if not zeroed and not (bits[c] and bits[r]) and inst.srcs[3].bits >> row & 1 != bits[c] | bits[r]:
                return None
        value = constant.bits & ALL
        return (register, value) if self.known.of(register)[0] & value == value else None

    def _pair(self, base: V, b: int, at: int) -> tuple[V, int] | None:
        """(pair, constant) that make a 64-bit base."""
        low, high = (self._sum((base.reg.id, base.part + k), b, at) for k in (0, 1))
        if low is None or high is None or low.word or high.word:
            return None
        one, two = low.inst, high.inst
        if one.mnemonic != "IADD3" or one.modifiers or len(one.dsts) != 2 or not isinstance(one.dsts[1], V):
            return None
        if two.mnemonic != "IADD3" or two.modifiers != ("X",) or len(two.srcs) != 5 or len(two.dsts) != 1:
            return None
        if two.srcs[3] != one.dsts[1] or two.srcs[4] != FALSE or two.srcs[2] != ZERO or one.srcs[2] != ZERO:
            return None
        carry = one.dsts[1]
        if self.single.table.get((carry.reg.id, 0)) is None:
            return None
        for n in (0, 1):
            x, y, c, d = one.srcs[n], two.srcs[n], one.srcs[1 - n], two.srcs[1 - n]
            if not isinstance(x, V) or not isinstance(y, V) or x.reg is not y.reg:
                # The constant of the high half may stand in the other place.
                y, d = two.srcs[1 - n], two.srcs[n]
            if not isinstance(x, V) or not isinstance(y, V) or x.reg is not y.reg:
                continue
            if x.part % 2 or y.part != x.part + 1 or not (self._same(x, low, b) and self._same(y, high, b)):
                continue
            value, upper = self._value(c), self._value(d)
            if value is None or upper is None:
                continue
            total = signed(upper << 32 | value, 64)
            if -1 << 31 <= total < 1 << 31:
                return x, total
        return None

    def _value(self, operand: MOperand) -> int | None:
        """The constant that a word is."""
        zeros, ones = self.known.of(operand)
        return ones if zeros | ones == ALL else None


def _simplify(folder: _Folder) -> None:
    """Logic with a constant that changes or leaves nothing becomes a move; so do extensions of what is wide already."""
    for block in folder.function.blocks:
        for inst in block.insts:
            if inst.mnemonic == "PRMT" and not inst.hidden and _extends(inst, folder.known):
                inst.mnemonic, inst.modifiers, inst.srcs = "MOV", (), (inst.srcs[0],)
            if inst.mnemonic != "LOP3" or len(inst.srcs) != 5 or len(inst.dsts) != 1 or inst.hidden:
                continue
            table = inst.srcs[3]
            if inst.srcs[4] != FALSE or not isinstance(table, Imm):
                continue
            if not any(isinstance(s, Imm) for s in inst.srcs[:3]):
                continue
            inputs = [folder.known.of(s) for s in inst.srcs[:3]]
            zeros, ones = table_bits(table.bits, inputs)
            if zeros | ones == ALL:
                inst.mnemonic, inst.modifiers, inst.srcs = "MOV", (), (Imm(ones) if ones else ZERO,)
                continue
            for n, source in enumerate(inst.srcs[:3]):
                plain = isinstance(source, V) and not source.inv and source.reg.file == "R"
                if plain and _passes(table.bits, inputs, n):
                    inst.mnemonic, inst.modifiers, inst.srcs = "MOV", (), (source,)
                    break


def _extends(inst: MInst, known: Known) -> bool:
    """Whether a PRMT keeps the low bytes of its first source where they are, and makes the others what they are."""
    source, selector, other = inst.srcs[:3]
    if inst.modifiers or not isinstance(source, V) or source.inv or not isinstance(selector, Imm) or other != ZERO:
        return False
    bits = known.of(source)
    zeros, ones = permuted(selector.bits, bits, (ALL, 0))
    moved = [byte for byte in range(4) if selector.bits >> 4 * byte & 15 != byte]
    return all((zeros & bits[0] | ones & bits[1]) >> 8 * byte & 0xFF == 0xFF for byte in moved)


def _passes(table: int, inputs: list[tuple[int, int]], n: int) -> bool:
    """Whether the result is the n-th input in every bit."""
    for row in range(8):
        if table >> row & 1 == row >> 2 - n & 1:
            continue
        possible = ALL
        for k, (zeros, ones) in enumerate(inputs):
            possible &= ~zeros if row >> 2 - k & 1 else ~ones
        if possible:
            return False
    return True


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Simplify logic, then fold."""
    folder = _Folder(function)
    _simplify(folder)
    folder.run()


__all__ = ["run"]
