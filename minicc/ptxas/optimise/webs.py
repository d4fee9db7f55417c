"""Webs: a register that a block writes several times is as many registers.

    LOP3 t = a ^ b;  LOP3 t = t ^ c;  ST t        LOP3 u = a ^ b;  LOP3 t = u ^ c;  ST t

PTX that people write, and inline assembly above all, uses a register again and again, and passes that ask for the only
definition of one (`ssa`) stand before it. What a block writes and writes again in full is a value of its own there; the
last one, and the one that the block is entered with, keep the register. Parts that an operand names together stay
together.
"""

from __future__ import annotations

from collections import Counter
from functools import partial

from minicc.arch.schema import Arch
from minicc.ptxas.mir import Block, MFunction, V, VReg
from minicc.ptxas.operands import guarded, map_reads, map_writes, reads, writes
from minicc.ptxas.options import Options
from minicc.record import evolve
from minicc.sass.instr import Reg

Value = tuple[int, int, int]
"""(register's id, part, how many values that part has had in the block)."""


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Give each of these values its own register."""
    for block in function.blocks:
        written: Counter[tuple[int, int]] = Counter()
        for inst in block.insts:
            for d in inst.dsts:
                if type(d) is V:
                    written.update(d.parts)
        again = {reg for (reg, _), times in written.items() if times > 1}
        if again := again - _bound(block):
            _Webs(function, block, again).run()


def _bound(block: Block) -> set[int]:
    """Registers that calls take and change, and those of matrices, which are written long after."""
    bound = {v.reg.id for inst in block.insts for v in inst.implicit_reads + inst.implicit_writes}
    return bound | {v.reg.id for inst in block.insts for v in inst.dsts if type(v) is V and v.reg.width > 4}


class _Webs:
    def __init__(self, function: MFunction, block: Block, again: set[int]) -> None:
        self.function, self.block, self.again = function, block, again
        self.joined: dict[Value, Value] = {}
        self.times: dict[tuple[int, int], int] = {}
        """How often each part that the block names has been written."""
        self.names: dict[Value, VReg] = {}

    def run(self) -> None:
        for inst in self.block.insts:
            for v in reads(inst):
                self._together(v)
            for v in writes(inst):
                if isinstance(v, V) and self._ours(v):
                    before = self._values(v)
                    self._write(v)
                    if guarded(inst) or v.reg.fixed is not None:
                        for old, new in zip(before, self._values(v), strict=True):
                            self._join(old, new)
                    self._together(v)
        kept = set()
        for (reg, part), times in self.times.items():
            kept |= {self._root((reg, part, 0)), self._root((reg, part, times))}
        self.times.clear()
        for inst in self.block.insts:
            map_reads(inst, partial(self._named, kept=kept))
            for v in writes(inst):
                if isinstance(v, V) and self._ours(v):
                    self._write(v)
            map_writes(inst, partial(self._named, kept=kept))

    def _ours(self, v: V) -> bool:
        return v.reg.id in self.again

    def _write(self, v: V) -> None:
        for part in v.parts:
            self.times[part] = self.times.get(part, 0) + 1

    def _values(self, v: V) -> list[Value]:
        return [(reg, part, self.times.setdefault((reg, part), 0)) for reg, part in v.parts]

    def _root(self, value: Value) -> Value:
        while value in self.joined:
            value = self.joined[value]
        return value

    def _join(self, one: Value, other: Value) -> None:
        one, other = self._root(one), self._root(other)
        if one != other:
            self.joined[one] = other

    def _together(self, v: V | Reg) -> None:
        """An operand of several parts wants them in one register."""
        if isinstance(v, V) and self._ours(v):
            first, *others = self._values(v)
            for value in others:
                self._join(first, value)

    def _named(self, v: V, kept: set[Value]) -> V:
        if not self._ours(v):
            return v
        root = self._root(self._values(v)[0])
        if root in kept:
            return v
        if root not in self.names:
            old = v.reg
            self.names[root] = new = self.function.new(old.file, old.width, old.hint)
            new.spillable, new.whole, new.align = old.spillable, old.whole, old.align
        return evolve(v, reg=self.names[root])
