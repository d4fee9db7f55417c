"""Common subexpressions: a pure instruction that repeats one that dominates it becomes a copy of its result.

Operands are compared by value: a register that was found to be a copy stands for what it copies, and a pair for the two
values that were moved into it. So the second of two divisions by one number is found to repeat its reciprocal. A
compare that is repeated says the same, so what hangs on it repeats, too, and often nobody asks it any more: predicates
are few, and most must not live on. A load repeats one of the same address where nothing between them, in one block,
writes memory or waits for others that do (Inductor asks four times for what a thread's four elements share).
"""

from __future__ import annotations

from minicc.arch.schema import Arch
from minicc.ptxas.mir import TRUE, ZERO, Block, MFunction, MInst, MOperand, Part, V, VMem
from minicc.ptxas.operands import guarded, map_reads, parts, reads
from minicc.ptxas.options import Options
from minicc.ptxas.ssa import Single
from minicc.ptxas.timing import timing
from minicc.record import evolve
from minicc.sass.instr import Imm, Reg

_MOST_KEPT = 2
"""Predicates that live on because a compare was not repeated."""
_PURE = frozenset({
    "IADD3", "IMAD", "VIADD", "LOP3", "SHF", "LEA", "SEL", "FSEL", "PRMT", "IABS", "SGXT", "BMSK", "FADD", "FMUL",
    "FFMA", "DADD", "DMUL", "DFMA", "ISETP", "FSET", "FSETP", "DSETP", "PLOP3", "FMNMX", "VIMNMX", "VIMNMX3", "I2FP",
    "F2FP", "I2F", "F2I", "F2F", "FRND", "MUFU", "POPC", "FLO", "BREV", "S2R", "LDC", "HADD2", "HMUL2", "HFMA2", "ULDC",
})  # fmt: skip
_LOADS = frozenset({"LDG", "LDS", "LDL", "LD"})


def is_pure(inst: MInst) -> bool:
    """Whether it only computes, or loads."""
    if (inst.mnemonic not in _PURE and inst.mnemonic not in _LOADS) or guarded(inst) or inst.side_effect:
        return False
    if inst.memory and inst.memory != "load":
        return False
    return all(type(d) is V or (type(d) is Reg and d.index in (255, 63, 7)) for d in inst.dsts)


def run(function: MFunction, arch: Arch, options: Options, *, compares: bool = True) -> None:
    """Replace repeated computations by MOVs (for copy propagation to take away); `compares`: predicates, too."""
    finder = _Finder(Single.of(function), compares)
    for b, block in enumerate(function.blocks):
        finder.block(b, block)
    renamed = finder.renamed
    if renamed:
        for block in function.blocks:
            for inst in block.insts:
                map_reads(inst, lambda v: evolve(v, reg=renamed[v.reg.id].reg) if v.reg.id in renamed else v)


class _Finder:
    """What has been computed so far, block after block."""

    def __init__(self, single: Single, compares: bool) -> None:
        self.single, self.table, self.compares = single, single.table, compares
        self.seen: dict[object, tuple[MInst, int, int]] = {}
        """What computed a value first, where; whether it will do is asked when it comes again, which few do."""
        self.values: dict[Part, V | Reg | Imm] = {}
        """What parts with one definition are copies of: a part with one definition, RZ, or a constant."""
        self.renamed: dict[int, V] = {}
        self.kept: set[int] = set()
        self.here: dict[MInst, MInst] = {}
        """The first in this block of the compares that repeat one of another block, by that."""
        self.changes = 0
        """Instructions so far behind which memory may be another, and blocks."""

    def block(self, b: int, block: Block) -> None:
        out: list[MInst] = []
        self.here = {}
        self.changes += 1
        for at, inst in enumerate(block.insts):
            out.append(inst)
            if inst.memory not in ("", "load") or inst.side_effect or timing(inst.mnemonic, inst.modifiers).flow:
                self.changes += 1
            if inst.mnemonic == "MOV":
                self._move(inst, b, at)
            elif is_pure(inst):
                before = self._before(inst, b, at)
                if before is not None:
                    self._replace(out, before, b)
        block.insts = out

    def _move(self, inst: MInst, b: int, at: int) -> None:
        """Note what a MOV makes its register hold."""
        to, source = inst.dsts[0], inst.srcs[0]
        known = source == ZERO or type(source) is Imm
        if not known and (source != _plain(source) or not all(self._stable(r, b, at) for r in reads(inst))):
            return
        if type(to) is V and to.count == 1 and (to.reg.id, to.part) in self.table:
            self.values[to.reg.id, to.part] = _held(source, self.values)

    def _before(self, inst: MInst, b: int, at: int) -> tuple[MInst, int, int] | None:
        """The instruction that an instruction repeats, where its result is there and still what it was."""
        shape = tuple([d.count if type(d) is V else -1 for d in inst.dsts])
        since = self.changes if inst.mnemonic in _LOADS else 0
        key = (inst.mnemonic, inst.modifiers, tuple([self._place(s) for s in inst.srcs]), inst.hidden, shape, since)
        before = self.seen.setdefault(key, (inst, b, at))
        if before[0] is inst or not self._keeps(inst, b, at):
            return None
        if not (self.single.dominates(*before[1:], b, at) and self._keeps(*before)):
            self.seen[key] = (inst, b, at)
            return None
        return before

    def _replace(self, out: list[MInst], before: tuple[MInst, int, int], b: int) -> None:
        """Make the last instruction of `out` copies of what `before` made, or note that it is the same."""
        inst, values = out[-1], self.values
        copies = _copies(inst, before[0])
        if copies is not None:
            out[-1:] = copies
            for copy in copies:
                to = copy.dsts[0]
                assert isinstance(to, V)
                values[to.reg.id, to.part] = _held(copy.srcs[0], values)
        elif self.compares and self._stands(inst, before, b):
            out.pop()
        elif inst.mnemonic.endswith("SETP"):
            for to, source in zip(inst.dsts, before[0].dsts, strict=True):
                if type(to) is V and type(source) is V:
                    values[to.reg.id, to.part] = _held(source, values)

    def _stands(self, inst: MInst, before: tuple[MInst, int, int], b: int) -> bool:
        """Let a compare of this block stand for a later one: the one that is repeated, or the first to repeat it here
        (a row of remainders asks for each whether the divisor is zero, as one before the loop did)."""
        nearest = before[0] if before[1] == b else self.here.setdefault(before[0], inst)
        return nearest is not inst and _same_predicate(inst, nearest, self.renamed, self.kept)

    def _keeps(self, inst: MInst, b: int, at: int) -> bool:
        """Whether what it reads and what it makes stay as they are."""
        made = all(part in self.table for d in inst.dsts for part in parts(d))
        return made and all(self._stable(r, b, at) for r in reads(inst))

    def _stable(self, operand: V | Reg, b: int, at: int) -> bool:
        if isinstance(operand, Reg):
            return operand.file == "SR"
        for part in operand.parts:
            found = self.table.get(part)
            if found is None:
                return False
            if (found.at >= at) if found.block == b else not self.single.dominates(found.block, found.at, b, at):
                return False
        return True

    def _place(self, operand: MOperand) -> object:
        """An operand, the address of a load named by what it holds."""
        if type(operand) is not VMem or operand.base is None:
            return self._valued(operand)
        return self._valued(operand.base), evolve(operand, base=None)

    def _valued(self, operand: MOperand) -> object:
        """The operand, its registers named by what they hold."""
        if type(operand) is not V:
            return operand
        number = operand.reg.id
        if number in self.renamed:
            number = self.renamed[number].reg.id
        if operand.count == 1:
            place = self._copied((number, operand.part))
        else:
            place = tuple([self._copied((number, operand.part + w)) for w in range(operand.count)])
        return place if operand.plain else (place, operand.neg, operand.abs, operand.inv, operand.suffix)

    def _copied(self, part: Part) -> object:
        """What the part is a copy of, as something to compare: a part, or a constant by itself."""
        found = self.values.get(part)
        if found is None:
            return part
        return (found.reg.id, found.part) if type(found) is V else (found,)


def _plain(operand: MOperand) -> V | None:
    """The one register that an operand is, without modifiers of it and free to be any."""
    return V(operand.reg, operand.part) if type(operand) is V and operand.reg.fixed is None else None


def _held(source: MOperand, values: dict[Part, V | Reg | Imm]) -> V | Reg | Imm:
    """What a MOV of this makes a register hold."""
    assert isinstance(source, V | Reg | Imm)
    return values.get((source.reg.id, source.part), source) if type(source) is V else source


def _same_predicate(inst: MInst, before: MInst, renamed: dict[int, V], kept: set[int]) -> bool:
    """Let a compare of the same block stand for a later one; few, since they live on in one of seven predicates."""
    to, source = inst.dsts[0], before.dsts[0]
    if inst.mnemonic not in ("ISETP", "FSETP") or not isinstance(to, V) or not isinstance(source, V):
        return False
    if inst.dsts[1] != TRUE or before.dsts[1] != TRUE:
        return False
    if source.reg.id not in kept and len(kept) == _MOST_KEPT:
        return False
    kept.add(source.reg.id)
    renamed[to.reg.id] = source
    return True


def _copies(inst: MInst, before: MInst) -> list[MInst] | None:
    """Moves from the first results to the second ones; None if a predicate is among them (there is no cheap copy)."""
    out = []
    for to, source in zip(inst.dsts, before.dsts, strict=True):
        if not isinstance(to, V):
            continue
        if not isinstance(source, V):
            return None
        if to.reg.file == "P":
            return None
        move = {"R": "MOV", "UR": "UMOV"}.get(to.reg.file)
        if move is None:
            return None
        for word in range(to.count):
            out.append(
                MInst(move, (), (V(to.reg, to.part + word),), (V(source.reg, source.part + word),), loc=inst.loc)
            )
    return out
