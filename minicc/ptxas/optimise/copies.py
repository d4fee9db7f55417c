"""Copy and constant propagation: uses of a copied register read the original; constants, RZ and launch parameters
move into operand slots that take them. Halves are read where they are, not where PRMT moved them.

Global for registers with one definition (see `ssa`), and within a block for the others. The copies themselves are left
for dead code elimination.
"""

from __future__ import annotations

from functools import cache
from operator import is_not

from minicc.arch.schema import Arch
from minicc.ptxas.mir import FALSE, GMMA, TRUE, ZERO, MFunction, MInst, MOperand, Part, V, VMem
from minicc.ptxas.operands import EXCHANGED, guarded, map_operand, parts_read, writes
from minicc.ptxas.options import Options
from minicc.ptxas.ssa import Definition, Single
from minicc.record import evolve
from minicc.sass.instr import RZ, URZ, Const, Imm, Reg

_SLOTS: dict[str, tuple[int, ...]] = {
    "IADD3": (1,), "VIADD": (1,), "IMAD": (1, 2), "FFMA": (1, 2), "FADD": (1,), "FMUL": (1,), "LOP3": (1,), "SHF": (1,),
    "ISETP": (1,), "FSET": (1,), "FSETP": (1,), "SEL": (1,), "FSEL": (1,), "LEA": (1,), "PRMT": (1, 2), "FMNMX": (1,),
    "VIMNMX": (1,), "MOV": (0,), "IABS": (0,), "HADD2": (1,), "HMUL2": (1,), "HFMA2": (1, 2), "HMNMX2": (1,),
    "IDP": (1,),
}  # fmt: skip
"""Source positions that may hold an immediate or a constant-bank operand, one of them at a time."""
_FLOAT = frozenset({"FFMA", "FADD", "FMUL", "FSET", "FSETP", "FSEL", "FMNMX"})
_HALF = frozenset({"HADD2", "HMUL2", "HFMA2", "HMNMX2"})
"""Those of two halves, which take an immediate of two."""
_LANES = _HALF | {"HSET2", "HSETP2"}
"""Those whose registers have suffixes that pick a half."""
_TAKEN = {0x10: (0, "H0_H0"), 0x32: (0, "H1_H1"), 0x54: (2, "H0_H0"), 0x76: (2, "H1_H1")}
"""Source and half that two bytes of PRMT's selector name."""
_COMMUTES = frozenset({"IADD3", "FADD", "FMUL", "IMAD", "FFMA", *_HALF})
"""Whose sources 0 and 1 may be exchanged (with their signs)."""
_TURNED = frozenset({"ISETP", "SEL", "IDP"})
"""For which that takes the reverse compare, or predicate, or signs of the bytes (see `_turn`)."""
_PRODUCTS = frozenset({"HMMA", "IMMA", "DMMA", "BMMA"})
_UPPER = frozenset({"X", "EX"})
"""Words of those that take a carry, or what the compare of the lower words gave."""
_ADDEND = 2
"""Of the sources of a matrix product: if all its words are zero, it is RZ."""


def copied(inst: MInst, word: int) -> MOperand | None:
    """What register `word` of the destination is a copy of."""
    if guarded(inst) or inst.hidden:
        return None
    if inst.mnemonic in ("MOV", "UMOV") and not inst.modifiers and len(inst.srcs) == 1:
        source = inst.srcs[0]
        if isinstance(source, V):
            return source if source.plain else None
        return source if isinstance(source, Imm | Const | Reg) else None
    if inst.mnemonic == "LDC" and inst.modifiers in ((), ("64",)):
        source = inst.srcs[0]
        if isinstance(source, Const) and source.base is None and source.ureg is None:
            return evolve(source, offset=source.offset + 4 * word)
    return None


def _results(inst: MInst) -> list[tuple[V, MOperand | None]]:
    """What an instruction makes that is a copy or a constant, for the block that it stands in."""
    first = inst.dsts[0] if inst.dsts else None
    if not isinstance(first, V):
        return []
    if inst.mnemonic in ("MOV", "UMOV"):
        return [(first, copied(inst, 0))]
    if guarded(inst) or inst.hidden:
        return []
    if inst.mnemonic == "IADD3" and not inst.modifiers and len(inst.dsts) > 1:
        # A sum of one number has no carry: the lower words of what was shifted by 32 and more.
        rest = [s for s in inst.srcs if s != ZERO]
        if len(rest) > 1 or not all(isinstance(s, V) and s.plain for s in rest):
            return []
        carries = [(carry, FALSE) for carry in inst.dsts[1:] if isinstance(carry, V)]
        return [(first, rest[0] if rest else ZERO), *carries]
    if inst.mnemonic == "ISETP" and inst.modifiers[1:] == ("U32", "AND") and inst.srcs == (ZERO, ZERO, TRUE):
        return [(first, TRUE if inst.modifiers[0] in ("EQ", "LE", "GE") else FALSE)]
    return []


class _Propagation:
    def __init__(self, function: MFunction) -> None:
        self.function = function
        self.single = Single.of(function)
        self.facts: dict[Part, tuple[MOperand, Definition]] = {}
        for part, definition in self.single.table.items():
            source = copied(definition.inst, definition.word)
            if source is None:
                continue
            if isinstance(source, V):
                if source.count != 1 and definition.word >= source.count:
                    continue
                origin = self.single.table.get((source.reg.id, source.part))
                if origin is None or not self.single.dominates(
                    origin.block, origin.at, definition.block, definition.at
                ):
                    continue
            elif isinstance(source, Reg) and source != ZERO:
                continue
            self.facts[part] = (source, definition)
        self.local: dict[Part, MOperand] = {}
        self.holders: dict[int, list[Part]] = {}
        """Parts that were made copies of a register in this block, by its id; some may have been written since."""

    def run(self) -> None:
        for b, block in enumerate(self.function.blocks):
            self.local.clear()
            self.holders.clear()
            for at, inst in enumerate(block.insts):
                self._inst(inst, b, at)
                if self.local or self.holders:
                    for operand in writes(inst):
                        if type(operand) is V:
                            self._forget(operand)
                for made, source in _results(inst):
                    part = (made.reg.id, made.part)
                    if isinstance(source, V) and source.reg.id != made.reg.id and source.count == 1:
                        self.local[part] = source
                        self.holders.setdefault(source.reg.id, []).append(part)
                    elif source in (ZERO, TRUE, FALSE) or isinstance(source, Imm):
                        self.local[part] = source

    def _forget(self, written: V) -> None:
        name = written.reg.id
        for part in written.parts:
            self.local.pop(part, None)
        for p in self.holders.pop(name, ()):
            held = self.local.get(p)
            if isinstance(held, V) and held.reg.id == name:
                del self.local[p]

    def _origin(self, part: Part, b: int, at: int) -> MOperand | None:
        """What a part may be replaced by at a point, as far back as can be followed."""
        result: MOperand | None = None
        for _ in range(16):
            source = self.local.get(part)
            if source is None:
                fact = self.facts.get(part)
                if fact is None or not self.single.dominates(fact[1].block, fact[1].at, b, at):
                    return result
                source = fact[0]
            result = source
            if not isinstance(source, V):
                return result
            part = (source.reg.id, source.part)
        return result

    def _inst(self, inst: MInst, b: int, at: int) -> None:
        facts, local = self.facts, self.local
        if inst.mnemonic in GMMA:  # what is under way is known by its own registers
            return
        for part in parts_read(inst):
            if part in facts or part in local:
                self._rewrite(inst, b, at)
                break
        if inst.mnemonic in _LANES:
            sources = tuple(self._whole(s, b, at) if type(s) is V and s.suffix else s for s in inst.srcs)
            if any(map(is_not, sources, inst.srcs)):
                inst.srcs = sources
        _simplify(inst)

    def _whole(self, half: V, b: int, at: int) -> V:
        """A half that PRMT took from a register, read where it was."""
        table = self.single.table
        taken = table.get((half.reg.id, half.part))
        if taken is None or taken.inst.mnemonic != "PRMT" or half.suffix not in (("H0_H0",), ("H1_H1",)):
            return half
        selector = taken.inst.srcs[1]
        if not isinstance(selector, Imm) or taken.inst.modifiers:
            return half
        place, name = _TAKEN.get(selector.bits >> 8 * (half.suffix == ("H1_H1",)) & 0xFF, (1, ""))
        source = taken.inst.srcs[place]
        if not isinstance(source, V) or not source.plain or source.count > 1 or source.reg.file != "R":
            return half
        origin = table.get((source.reg.id, source.part))
        if origin is None or not self.single.dominates(origin.block, origin.at, taken.block, taken.at):
            return half
        if not self.single.dominates(taken.block, taken.at, b, at):
            return half
        return evolve(half, reg=source.reg, part=source.part, suffix=(name,))

    def _rewrite(self, inst: MInst, b: int, at: int) -> None:
        def plain(v: V) -> MOperand:
            """Replace a register by a register. One that must be a certain physical one stays."""
            if v.reg.fixed is not None:
                return v
            first = self._origin((v.reg.id, v.part), b, at)
            if not isinstance(first, V) or first.reg.file != v.reg.file:
                return v
            if v.count == 1:
                return evolve(v, reg=first.reg, part=first.part)
            if first.part % v.count:
                return v
            for word in range(1, v.count):
                other = self._origin((v.reg.id, v.part + word), b, at)
                if not isinstance(other, V) or other.reg is not first.reg or other.part != first.part + word:
                    return v
            return evolve(v, reg=first.reg, part=first.part)

        if isinstance(inst.guard, V):
            guard = plain(inst.guard)
            assert isinstance(guard, V)
            inst.guard = guard
        sources = list(inst.srcs)
        for n, source in enumerate(sources):
            if isinstance(source, V):
                sources[n] = plain(source)
            elif not isinstance(source, Imm | Const | Reg):
                sources[n] = map_operand(source, plain)
        for n, source in enumerate(sources):
            if n == _ADDEND and inst.mnemonic in _PRODUCTS and isinstance(source, V) and source.count > 1:
                if all(_zero(self._origin(part, b, at)) for part in source.parts):
                    sources[n] = ZERO
            elif isinstance(source, V) and source.reg.file == "P" and _UPPER.intersection(inst.modifiers):
                value = self._origin((source.reg.id, source.part), b, at)
                if isinstance(value, Reg):
                    sources[n] = evolve(value, inv=value.inv != source.inv)
            elif (
                isinstance(source, V)
                and source.count == 1
                and source.reg.file == "R"
                and (not source.suffix or inst.mnemonic in _HALF)
            ):
                value = self._origin((source.reg.id, source.part), b, at)
                if value is not None and not isinstance(value, V):
                    _place(inst, sources, n, value)
        if any(map(is_not, sources, inst.srcs)):
            inst.srcs = tuple(sources)


def _simplify(inst: MInst) -> None:
    """Turn an instruction that only copies or is constant into a MOV."""
    if _UPPER.intersection(inst.modifiers):
        _drop_lower(inst)
    if len(inst.dsts) != 1:
        return
    value: MOperand | None = None
    if inst.mnemonic == "IADD3" and not inst.modifiers and len(inst.srcs) == 3:
        rest = [s for s in inst.srcs if type(s) is not Reg or s != ZERO]
        if len(rest) <= 1:
            value = rest[0] if rest else ZERO
    elif inst.mnemonic == "IMAD" and not inst.modifiers and ZERO in inst.srcs[:2]:
        value = inst.srcs[2]  # the upper half of a product with a number without a sign
    elif inst.mnemonic == "LOP3" and len(inst.srcs) == 5 and inst.srcs[4] == FALSE:
        value = _logic(inst.srcs[:3], inst.srcs[3])
    elif inst.mnemonic == "SEL" and inst.srcs[0] == inst.srcs[1]:
        value = inst.srcs[0]
    if value is None or (isinstance(value, V | Reg | Const) and (value.neg or value.abs or value.inv)):
        return
    if isinstance(value, V | Reg) and value.file != "R":
        return
    inst.mnemonic, inst.modifiers, inst.srcs = "MOV", (), (value,)


def _drop_lower(inst: MInst) -> None:
    """The upper words of a sum without a carry, or of a compare whose lower words are known, go without them."""
    if inst.mnemonic == "IADD3" and inst.srcs[3:] == (FALSE, FALSE) and len(inst.dsts) == 1:
        if not any(isinstance(s, V | Reg | Const) and s.inv for s in inst.srcs[:3]):
            inst.modifiers, inst.srcs = (), inst.srcs[:3]
    elif inst.mnemonic == "ISETP" and inst.srcs[3:] in ((TRUE,), (FALSE,)):
        lower = inst.srcs[3] == TRUE
        test, *rest = inst.modifiers
        if test != ("NE" if lower else "EQ"):
            test = {"LT": "LE", "GT": "GE"}.get(test, test) if lower else {"LE": "LT", "GE": "GT"}.get(test, test)
            inst.modifiers, inst.srcs = (test, *(word for word in rest if word != "EX")), inst.srcs[:3]


def _logic(sources: tuple[MOperand, ...], table: MOperand) -> MOperand | None:
    """The constant or source that a LOP3 gives whatever the others are."""
    if not isinstance(table, Imm):
        return None
    zeros = 0
    for k, source in enumerate(sources):
        if type(source) is Reg and source == ZERO:
            zeros |= 1 << k
    found = _of_table(zeros, table.bits)
    if found is None or found >= 3:
        return None if found is None else Imm(0xFFFFFFFF)
    return ZERO if found < 0 else sources[found]


@cache
def _of_table(zeros: int, table: int) -> int | None:
    """What a LOP3 table comes to with the sources of a mask known to be zero: -1 for zero, 0 to 2 for a source, 3 for
    all ones; None for anything else."""
    rows = [row for row in range(8) if not any(zeros >> k & 1 and row >> 2 - k & 1 for k in range(3))]
    results = [table >> row & 1 for row in rows]
    if not any(results):
        return -1
    if all(results):
        return 3
    return next((k for k in range(3) if [row >> 2 - k & 1 for row in rows] == results), None)


def _zero(value: MOperand | None) -> bool:
    return value == ZERO or (isinstance(value, Imm) and value.bits == 0)


def _place(inst: MInst, sources: list[MOperand], n: int, value: MOperand) -> None:
    """Put a constant for source `n`, if the instruction takes it there (or in the place it commutes with)."""
    old = sources[n]
    assert isinstance(old, V)
    if old.inv and "X" in inst.modifiers and (_zero(value) or isinstance(value, Imm)):
        # The upper word of a difference: all bits of the constant are turned.
        old = evolve(old, inv=False)
        value = Imm(0xFFFFFFFF ^ (value.bits if isinstance(value, Imm) else 0))
    zero = _zero(value) and not (inst.mnemonic in _HALF and old.neg)
    slots = _SLOTS.get(inst.mnemonic)
    if zero and old.neg and inst.mnemonic not in _FLOAT and len(inst.dsts) > 1:
        return  # a - 0 carries, a + 0 does not
    if zero and (slots is not None or inst.memory == "store") and not old.inv:
        if inst.mnemonic not in ("MOV", "LEA", "IABS", "PRMT", "SHF") or n == 0 or inst.mnemonic == "PRMT":
            sources[n] = Reg("R", RZ, neg=old.neg and inst.mnemonic in _FLOAT, abs=False)
        return
    if inst.mnemonic == "ATOMS":
        _count(inst, sources, n, value)
        return
    if slots is None or not isinstance(value, Imm | Const) or "WIDE" in inst.modifiers:
        return
    if inst.mnemonic in _HALF and (isinstance(value, Const) or "F32" in inst.modifiers):
        return
    if inst.mnemonic == "IDP" and isinstance(value, Imm):
        return
    if "X" in inst.modifiers and (inst.mnemonic != "IADD3" or old.inv or old.neg):
        return
    if inst.mnemonic == "IMAD" and ("MOV" in inst.modifiers or "HI" in inst.modifiers):
        return
    if any(
        isinstance(s, Imm | Const) or (isinstance(s, V | Reg) and s.file == "UR") for s in sources[: max(slots) + 1]
    ):
        return
    to = n
    if to not in slots:
        swaps = n == 0 and (inst.mnemonic in _COMMUTES or inst.mnemonic in _TURNED) and "2A" not in inst.modifiers
        if not swaps and not (n == 2 and inst.mnemonic == "IADD3" and len(sources) >= 3):
            return
        to = 1
        if not isinstance(sources[1], V | Reg):
            return
    new = _constant(inst, old, value)
    if new is None:
        return
    if to != n:
        sources[n] = sources[to]
        if inst.mnemonic in _TURNED:
            _turn(inst, sources)
    sources[to] = new


def _turn(inst: MInst, sources: list[MOperand]) -> None:
    """What an exchange of sources 0 and 1 asks for: a > b is b < a, and what p chooses first !p chooses second."""
    if inst.mnemonic == "ISETP":
        inst.modifiers = (EXCHANGED[inst.modifiers[0]], *inst.modifiers[1:])
    elif inst.mnemonic == "IDP":
        width, first, second = inst.modifiers
        inst.modifiers = (width, second, first)
    else:
        chosen = sources[2]
        assert isinstance(chosen, V | Reg)
        sources[2] = evolve(chosen, inv=not chosen.inv)


def _count(inst: MInst, sources: list[MOperand], n: int, value: MOperand) -> None:
    """Adding one without asking for the old value: lanes that name the same word are counted first."""
    place = sources[0]
    if n == 1 and value == Imm(1) and inst.modifiers == ("ADD",) and inst.dsts == (ZERO,) and isinstance(place, VMem):
        inst.modifiers = ("POPC", "INC", "32")
        sources[:] = [evolve(place, ureg=Reg("UR", URZ))]


def _constant(inst: MInst, old: V, value: Imm | Const) -> MOperand | None:
    """The constant with the signs that the register had."""
    if isinstance(value, Const):
        return evolve(value, neg=old.neg, abs=old.abs, inv=old.inv)
    bits = value.bits & 0xFFFFFFFF
    if old.abs and "XORSIGN" in inst.modifiers and bits & 0x80008000:
        return None  # the sign counts for that of the result
    if inst.mnemonic in _HALF:
        if old.suffix:
            half = bits >> 16 if old.suffix == ("H1_H1",) else bits & 0xFFFF
            bits = half << 16 | half
        bits = (bits & 0x7FFF7FFF if old.abs else bits) ^ (0x80008000 if old.neg else 0)
        return Imm(bits, "bf16x2" if "BF16_V2" in inst.modifiers else "f16x2")
    if inst.mnemonic in _FLOAT:
        if old.abs:
            bits &= 0x7FFFFFFF
        if old.neg:
            bits ^= 0x80000000
        return Imm(bits, "f32")
    if old.abs or (old.neg and len(inst.dsts) > 1):
        return None
    if old.inv:
        bits ^= 0xFFFFFFFF
    if old.neg:
        bits = -bits & 0xFFFFFFFF
    return Imm(bits)


def run(function: MFunction, arch: Arch, options: Options) -> None:
    """Propagate copies and constants once over the function."""
    _Propagation(function).run()
