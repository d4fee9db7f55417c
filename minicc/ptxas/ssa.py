"""Which registers behave as in SSA: parts with one definition, and whether it dominates a use.

Lowered PTX is mostly SSA (its registers come from LLVM's), save for what were phis. A part whose only definition is
unguarded and dominates a use can be replaced there by what it was computed from, if that holds for the source too.
What a loop reads before it writes it, such as a variable that has no value before the second turn, is none of them: a
use may ask for what the turn before wrote.
"""

from __future__ import annotations

from typing import NamedTuple

from minicc.graphs import cycles
from minicc.ptxas.cfg import Cfg
from minicc.ptxas.mir import MFunction, MInst, Part, V
from minicc.ptxas.operands import guarded, parts_read, parts_written, writes
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
            for part in early(function, known[1]):
                known[1].pop(part, None)
        return cls(known[1], Cfg.of(function).nesting())

    def dominates(self, block: int, at: int, other: int, other_at: int) -> bool:
        """Whether point (block, at) is passed before every visit of (other, other_at)."""
        if block == other:
            return at < other_at
        first, last = self.nested[block]
        return first <= self.nested[other][0] <= last


def early(function: MFunction, table: dict[Part, Definition] | None = None) -> frozenset[Part]:
    """Parts that a loop, with one entry or several, writes in one place, and reads where that has not come before on
    every way. They are looked for again where one of several definitions may have gone; `table`: the only ones, if they
    are known."""
    if function.early is None:
        cfg = Cfg.of(function)
        inside = cycles(cfg.succs)
        if table is None and inside:
            table = _definitions([[(i, writes(i), i.guard) for i in block.insts] for block in function.blocks])
        made = {part: found for part, found in (table or {}).items() if found.block in inside}
        single = Single(made, cfg.nesting())
        function.early = frozenset(
            part
            for b, block in enumerate(function.blocks if made else ())
            for at, inst in enumerate(block.insts)
            for part in parts_read(inst)
            if (found := made.get(part)) is not None and not single.dominates(found.block, found.at, b, at)
        )
    return function.early
