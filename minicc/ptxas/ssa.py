"""Which registers behave as in SSA: parts with one definition, and whether it dominates a use.

Lowered PTX is mostly SSA (its registers come from LLVM's), save for what were phis. A part whose only definition is
unguarded and dominates a use can be replaced there by what it was computed from, if that holds for the source too.
Registers that hold arguments and results of calls have other values before; they are none of these.
What a loop reads before it writes it, such as a variable that has no value before the second turn, is none of them: a
use may ask for what the turn before wrote.
"""

from __future__ import annotations

from minicc.graphs import cycles
from minicc.ptxas.cfg import Cfg
from minicc.ptxas.mir import MFunction, MInst, Part, V
from minicc.ptxas.operands import guarded, parts_read, parts_written, writes
from minicc.record import NamedTuple
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


class _Known(NamedTuple):
    """What a function's definitions were when they were last looked at."""

    writers: list[list[Writer]]
    """Of all blocks: what the rest was found of."""
    table: dict[Part, Definition]
    several: set[Part]
    """Parts with several definitions, or one under a guard."""
    early: frozenset[Part]


def _definitions(writers: list[list[Writer]]) -> tuple[dict[Part, Definition], set[Part]]:
    """The only definitions of parts, of the instructions of all blocks, and the parts that have none such."""
    table: dict[Part, Definition] = {}
    several: set[Part] = set()
    new = tuple.__new__
    for b, block in enumerate(writers):
        for i, (inst, written, _) in enumerate(block):
            for operand in written:
                if type(operand) is V and operand.reg.fixed is None:
                    for word, part in enumerate(operand.parts):
                        if part in table:
                            several.add(part)
                        else:
                            table[part] = new(Definition, (inst, b, i, word))
            if guarded(inst):
                several.update(parts_written(inst))
    for part in several:
        table.pop(part, None)
    return table, several


class Single:
    """Parts with one unguarded definition, and dominance between program points."""

    def __init__(self, table: dict[Part, Definition], nested: list[tuple[int, int]]) -> None:
        self.table, self.nested = table, nested
        """Of the dominator tree, see `graphs.nesting`."""

    @classmethod
    def of(cls, function: MFunction) -> Single:
        """That of a function as it is now."""
        return cls(_known(function).table, Cfg.of(function).nesting())

    def dominates(self, block: int, at: int, other: int, other_at: int) -> bool:
        """Whether point (block, at) is passed before every visit of (other, other_at)."""
        if block == other:
            return at < other_at
        first, last = self.nested[block]
        return first <= self.nested[other][0] <= last


def early(function: MFunction) -> frozenset[Part]:
    """Parts that a loop, with one entry or several, writes in one place, and reads where that has not come before on
    every way."""
    return _known(function).early


def _known(function: MFunction) -> _Known:
    """Most passes move nothing and write what was written: they share a table. None makes a part that loops read early,
    save that of several definitions one is left: then they are looked for again."""
    writers = [[(inst, writes(inst), inst.guard) for inst in block.insts] for block in function.blocks]
    known: _Known | None = function.definitions
    if known is None or known.writers != writers:
        table, several = _definitions(writers)
        found = known.early if known and known.several.isdisjoint(table) else _early(function, table)
        for part in found:
            table.pop(part, None)
        known = function.definitions = _Known(writers, table, several, found)
    return known


def _early(function: MFunction, table: dict[Part, Definition]) -> frozenset[Part]:
    """See `early`; `table`: the only definitions."""
    cfg = Cfg.of(function)
    inside = cycles(cfg.succs)
    made = {part: found for part, found in table.items() if found.block in inside}
    single = Single(made, cfg.nesting())
    return frozenset(
        part
        for b, block in enumerate(function.blocks if made else ())
        for at, inst in enumerate(block.insts)
        for part in parts_read(inst)
        if (found := made.get(part)) is not None and not single.dominates(found.block, found.at, b, at)
    )
