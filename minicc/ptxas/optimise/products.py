"""Products: both words of a product are one multiplication.

    IMAD.HI.U32 h, a, b, RZ;  IMAD l, a, b, RZ     IMAD.WIDE.U32 t, a, b, RZ;  MOV h, t.1;  MOV l, t.0

Random numbers by counters and hashes take both, which C++ has as two operations; a word that LLVM computes beside the
whole product is taken from that. In a block, where nothing writes the factors between.
"""

from __future__ import annotations

from minicc.arch.schema import Arch
from minicc.ptxas.mir import ZERO, MFunction, MInst, MOperand, Part, V
from minicc.ptxas.operands import guarded, parts, parts_written
from minicc.ptxas.optimise.copies import copied
from minicc.ptxas.options import Options
from minicc.ptxas.ssa import Definition, Single
from minicc.record import NamedTuple
from minicc.sass.instr import Const, Imm

_WORDS = {
    (): "low",
    ("U32",): "low",
    ("HI",): "high",
    ("HI", "U32"): "high",
    ("WIDE",): "both",
    ("WIDE", "U32"): "both",
}


class _Product(NamedTuple):
    """Words of a product: index in the block, instruction, which words."""

    at: int
    inst: MInst
    words: str


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Take the words of every product together."""
    table: dict[Part, Definition] = {}
    for b, block in enumerate(function.blocks):
        if any(i.mnemonic == "IMAD" and _WORDS.get(i.modifiers) in ("high", "both") for i in block.insts):
            table = table or Single.of(function).table
            _Words(function, b, table).run()


class _Words:
    """The products of one block; `table` is of the function as it was, of which blocks before have other instructions
    for the same words."""

    def __init__(self, function: MFunction, b: int, table: dict[Part, Definition]) -> None:
        self.function, self.b, self.block, self.table = function, b, function.blocks[b], table
        self.code: dict[int, list[MInst]] = {}
        """What stands in place of the instruction at an index."""

    def run(self) -> None:
        seen: dict[frozenset[MOperand], list[_Product]] = {}
        """Products of two factors as they are now."""
        factors: dict[Part, set[frozenset[MOperand]]] = {}
        for at, inst in enumerate(self.block.insts):
            product = _product(at, inst)
            if product is not None:
                key = frozenset(map(self._factor, inst.srcs[:2]))
                known = seen.setdefault(key, [])
                other = next((p for p in known if self._joins(p, product)), None)
                if other is None:
                    known.append(product)
                    for part in (p for factor in inst.srcs[:2] for p in parts(factor)):
                        factors.setdefault(part, set()).add(key)
                else:
                    known.remove(other)
                    known.append(self._join(other, product))
            for part in parts_written(inst):
                for key in factors.pop(part, ()):
                    seen.pop(key, None)
        if self.code:
            insts = enumerate(self.block.insts)
            self.block.insts = [new for at, inst in insts for new in self.code.get(at, (inst,))]

    def _factor(self, factor: MOperand) -> MOperand:
        """A factor, or the constant that its register alone is."""
        found = self.table.get((factor.reg.id, factor.part)) if isinstance(factor, V) else None
        value = copied(found.inst, found.word) if found is not None else None
        return value if isinstance(value, Imm | Const) else factor

    def _joins(self, one: _Product, other: _Product) -> bool:
        """Whether one multiplication makes the words of both where the first stands."""
        uppers = [p for p in (one, other) if p.words != "low"]
        if one.words == other.words or len({"U32" in p.inst.modifiers for p in uppers}) != 1:
            return False
        made = (self.table.get(part) for factor in uppers[0].inst.srcs[:2] for part in parts(factor))
        return not any(found is not None and found.block == self.b and found.at > one.at for found in made)

    def _join(self, first: _Product, second: _Product) -> _Product:
        """Make both words where the first product stands, and copy those that either makes."""
        code = self.code
        upper = next(p.inst for p in (first, second) if p.words != "low")
        made = code[first.at][0] if first.at in code else None
        if made is None:
            modifiers = ("WIDE", "U32") if "U32" in upper.modifiers else ("WIDE",)
            pair = V(self.function.new("R", 2), 0, 2)
            made = MInst("IMAD", modifiers, (pair,), upper.srcs, loc=first.inst.loc, ptx=first.inst.ptx)
            code[first.at] = [made, *_copies(made, first)]
        code[second.at] = _copies(made, second)
        return _Product(first.at, made, "both")


def _product(at: int, inst: MInst) -> _Product | None:
    """An instruction as words of a product of two plain words."""
    words = _WORDS.get(inst.modifiers) if inst.mnemonic == "IMAD" else None
    if words is None or guarded(inst) or inst.hidden or len(inst.srcs) != 3 or inst.srcs[2] != ZERO:
        return None
    if len(inst.dsts) != 1 or not isinstance(inst.dsts[0], V) or not all(map(_plain, inst.srcs[:2])):
        return None
    return _Product(at, inst, words)


def _plain(factor: MOperand) -> bool:
    if isinstance(factor, V):
        return factor.reg.file == "R" and factor.plain
    return isinstance(factor, Imm) or (isinstance(factor, Const) and factor.base is None and factor.ureg is None)


def _copies(made: MInst, product: _Product) -> list[MInst]:
    """The words that a product made, from those of the one that makes both."""
    pair, to = made.dsts[0], product.inst.dsts[0]
    assert isinstance(pair, V) and isinstance(to, V)
    words = {"low": (0,), "high": (1,), "both": (0, 1)}[product.words]
    return [
        MInst("MOV", (), (V(to.reg, to.part + n),), (V(pair.reg, word),), loc=product.inst.loc, ptx=product.inst.ptx)
        for n, word in enumerate(words)
    ]  # fmt: skip
