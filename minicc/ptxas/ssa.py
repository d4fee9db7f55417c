"""Which registers behave as in SSA: parts with one definition, and whether it dominates a use.

Lowered PTX is mostly SSA (its registers come from LLVM's), save for what were phis. A part whose only definition is
unguarded and dominates a use can be replaced there by what it was computed from, if that holds for the source too.
"""

from __future__ import annotations

from typing import NamedTuple

from minicc.ptxas.cfg import Cfg
from minicc.ptxas.mir import MFunction, MInst, Part, V
from minicc.ptxas.operands import guarded, parts_written, writes
from minicc.sass.instr import Reg


class Definition(NamedTuple):
    """The only definition of a part: instruction, block, index in it, and which register of the instruction's
    destination operand the part is."""

    inst: MInst
    block: int
    at: int
    word: int


Writer = tuple[MInst, tuple[V | Reg, ...], V | Reg]
"""An instruction, what it writes, its guard."""


def _definitions(writers: list[list[Writer]]) -> dict[Part, Definition]:
    """The only definitions of parts, of the instructions of all blocks."""
    table: dict[Part, Definition] = {}
    several: list[Part] = []
    new = tuple.__new__
    for b, block in enumerate(writers):
        for i, (inst, written, _) in enumerate(block):
            for operand in written:
                if type(operand) is V:
                    for word, part in enumerate(operand.parts):
                        if part in table:
                            several.append(part)
                        else:
                            table[part] = new(Definition, (inst, b, i, word))
            if guarded(inst):
                several += parts_written(inst)
    for part in several:
        table.pop(part, None)
    return table


class Single:
    """Parts with one unguarded definition, and dominance between program points."""

    def __init__(self, table: dict[Part, Definition], nested: list[tuple[int, int]]) -> None:
        self.table, self.nested = table, nested
        """Of the dominator tree, see `graphs.nesting`."""

    @classmethod
    def of(cls, function: MFunction) -> Single:
        """That of a function as it is now. Most passes move nothing and write what was written: they share a table."""
        writers = [[(inst, writes(inst), inst.guard) for inst in block.insts] for block in function.blocks]
        known = function.definitions
        if known is None or known[0] != writers:
            known = function.definitions = writers, _definitions(writers)
        return cls(known[1], Cfg.of(function).nesting())

    def dominates(self, block: int, at: int, other: int, other_at: int) -> bool:
        """Whether point (block, at) is passed before every visit of (other, other_at)."""
        if block == other:
            return at < other_at
        first, last = self.nested[block]
        return first <= self.nested[other][0] <= last
