"""Semantic forms: what one instruction does, without its register numbers.

A `Form` is shared by all instructions with the same mnemonic, modifiers, operand kinds and operand modifiers. Its
expressions read numbered slots; `Form.slots` says which operand (and which 32-bit row of it) a slot is, so that binding
an instruction is a walk over two short lists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import attrs

from minicc.arch import Arch
from minicc.sass.instr import PT, RZ, URZ, Const, Imm, Instr, Mem, Name, Operand, Reg, Target
from minicc.sass.semantics.expr import FALSE, TRUE, E, concat, const

KEYED_ZERO = 4
"""RZ and URZ in the first operands are part of the form: writes are dropped and reads are the constant zero."""


class Unsupported(Exception):
    """The instruction has no semantics here; the text says which form."""


SlotKind = Literal["R", "U", "K", "P", "UP", "SPECIAL", "PR", "UPR"]
Space = Literal["global", "shared", "local", "generic", "constant"]
ResultFile = Literal["R", "P", "UR", "UP", "ADDRESS"]


@attrs.frozen
class Slot:
    """Source slot: operand number `operand` (-1: none, as for SPECIAL), read as `kind`, `width` 32 or 64 (1 for
    predicates), starting `row` registers after the operand's own. `part` is "" or, for a Mem operand, "base"/"ureg"/
    "desc"/"offset"; for PR the predicate's number."""

    kind: SlotKind
    operand: int
    width: int = 32
    row: int = 0
    part: str = ""


@attrs.frozen(eq=False)
class Result:
    """Result row: `value` goes to register `row` after operand `operand`'s own (for PR: predicate number `row`)."""

    file: ResultFile
    operand: int
    row: int
    value: E


@attrs.frozen
class Access:
    """What a memory instruction moves, once its execute function has made the 32 lane addresses.

    `op`: "load" "store" "atomic" "reduce" "matrix_load" "matrix_store" "copy" (global to shared, LDGSTS).
    `width` is bytes per lane; `signed` sign-extends narrow loads. `data`, `compare`, `dest`, `predicate` are operand
    numbers (-1 none): the register stored or combined, the comparand of CAS, where loaded values go, the predicate
    destination. `atomic` is the operation ("ADD" "MIN" "MAX" "INC" "DEC" "AND" "OR" "XOR" "EXCH" "CAS" "CAST"
    "SAFEADD") and `type` its type ("U32" "S32" "U64" "S64" "F16x2" "BF16x2" "F32" "F64" "U128" ...; ".FTZ" appended).
    A "copy" has two addresses: row 0 of the results is the shared one, row 1 the global one; `guard` is the operand
    number of its predicate (-1 none)."""

    space: Space
    op: str
    width: int
    signed: bool = False
    data: int = -1
    compare: int = -1
    dest: int = -1
    predicate: int = -1
    guard: int = -1
    atomic: str = ""
    type: str = ""
    bank: int = -1
    matrices: int = 0
    transposed: bool = False
    zero_fill: bool = False


@attrs.frozen(eq=False)
class Form:
    """One semantic form. `rounds` > 1: the `results` values are evaluated once per round number r; result k of round r
    is row `k * rounds + r` and goes `stride * r` registers further. `special`: the engine must supply a special
    register's value (the binder says which)."""

    key: str
    slots: tuple[Slot, ...]
    results: tuple[Result, ...]
    rounds: int = 1
    special: bool = False
    access: Access | None = None
    stride: int = 1


class Builder:
    """What a semantic function gets: operands as expressions, and where to put results."""

    def __init__(self, instr: Instr, arch: Arch):
        self.instr, self.arch = instr, arch
        self.ops = instr.operands
        self.mods = instr.modifiers
        self.slots: list[Slot] = []
        self.results: list[Result] = []
        self.rounds = 1
        self.stride = 1
        self.access: Access | None = None
        self._leaves: dict[Slot, E] = {}

    # -- modifiers
    def has(self, *names: str) -> bool:
        """Whether any of the modifiers is present."""
        return any(n in self.mods for n in names)

    def one(self, *names: str, default: str = "") -> str:
        """The one modifier among `names` that is present, or `default`."""
        for m in self.mods:
            if m in names:
                return m
        return default

    def fail(self, why: str = "form") -> Unsupported:
        return Unsupported(f"no semantics for {'.'.join((self.instr.mnemonic, *self.mods))}: {why}")

    # -- operands
    def leaf(self, slot: Slot) -> E:
        """The expression that reads `slot`; one per distinct slot."""
        found = self._leaves.get(slot)
        if found is None:
            vec = slot.kind in ("R", "P", "SPECIAL", "PR")
            found = E("src", slot.width, (), len(self.slots), vec=vec)
            self.slots.append(slot)
            self._leaves[slot] = found
        return found

    def is_reg(self, i: int, file: str) -> bool:
        """Whether operand i exists and is a register of `file`."""
        return -len(self.ops) <= i < len(self.ops) and isinstance(o := self.ops[i], Reg) and o.file == file

    def raw(self, i: int, width: int = 32, row: int = 0) -> E:
        """Operand i without its modifiers. An integer immediate read as 64 bits is sign-extended by the binder."""
        op = self.ops[i]
        if isinstance(op, Reg):
            if i < KEYED_ZERO and op.index == (RZ if op.file == "R" else URZ):
                return const(0, width)
            if op.file == "R":
                return self.leaf(Slot("R", i, width, row))
            if op.file == "UR":
                return self.leaf(Slot("U", i, width, row))
            raise self.fail(f"operand {i} is {op.file}")
        if isinstance(op, Imm | Const):
            if isinstance(op, Const) and (op.ureg is not None or op.base is not None):
                raise self.fail("indexed constant operand")
            if row:
                return (self.leaf(Slot("K", i, 64)) >> 32).trunc(32)
            return self.leaf(Slot("K", i, width))
        raise self.fail(f"operand {i} is {type(op).__name__}")

    def integer(self, i: int, width: int = 32) -> E:
        """Integer operand with `-`, `~`, `|x|` applied."""
        op, value = self.ops[i], self.raw(i, width)
        if getattr(op, "abs", False):
            value = value.negative().select(-value, value)
        if getattr(op, "inv", False):
            value = ~value
        return -value if getattr(op, "neg", False) else value

    def flag(self, i: int, name: str) -> bool:
        """Operand modifier "neg", "abs" or "inv" of operand i."""
        return bool(getattr(self.ops[i], name, False))

    def suffix(self, i: int) -> tuple[str, ...]:
        return getattr(self.ops[i], "suffix", ())

    def real(self, i: int, width: int = 32) -> E:
        """Float operand: |x|, then -x, on the sign bit."""
        value = self.raw(i, width)
        return sign_modifiers(value, self.flag(i, "neg"), self.flag(i, "abs"))

    def pred(self, i: int) -> E:
        """Predicate operand (P or UP), with `!`, or the sign of a word."""
        op = self.ops[i]
        if "SIGN" in self.suffix(i):
            return self.raw(i).negative()
        if not isinstance(op, Reg) or op.file not in ("P", "UP"):
            raise self.fail(f"operand {i} is not a predicate")
        if op.index == PT:
            return FALSE if op.inv else TRUE
        value = self.leaf(Slot(op.file, i, 1))
        return ~value if op.inv else value

    def value(self, i: int) -> int:
        """The value of an immediate that the form is specialised on (declared with `keyed`)."""
        op = self.ops[i]
        if not isinstance(op, Imm):
            raise self.fail(f"operand {i} is not an immediate")
        return op.bits

    # -- results
    def set(self, i: int, value: E) -> None:
        """Operand i (register or predicate) becomes `value`; a 64-bit value takes two registers."""
        op = self.ops[i]
        if not isinstance(op, Reg):
            raise self.fail(f"operand {i} cannot be written")
        if op.file in ("P", "UP"):
            if op.index != PT:
                self.results.append(Result(op.file, i, 0, value))
        elif op.file in ("R", "UR"):
            if op.index == (RZ if op.file == "R" else URZ):
                return
            for row in range(value.width // 32):
                self.results.append(
                    Result(op.file, i, row, value if value.width == 32 else (value >> 32 * row).trunc(32))
                )
        else:
            raise self.fail(f"cannot write {op.file}")


def sign_modifiers(value: E, neg: bool, abs_: bool) -> E:
    """|x| then -x on the sign bit of a float of any width."""
    top = 1 << (value.width - 1)
    if abs_:
        value = value & (top - 1)
    return value ^ top if neg else value


Semantic = Callable[[Builder], None]
SEMANTICS: dict[str, tuple[Semantic, tuple[int, ...]]] = {}


def semantic(*mnemonics: str, keyed: tuple[int, ...] = ()) -> Callable[[Semantic], Semantic]:
    """Declares the semantics of mnemonics. `keyed`: operand numbers (negative: from the end) whose immediate values
    are part of the form, because specialised code is much better."""

    def register(function: Semantic) -> Semantic:
        for m in mnemonics:
            assert m not in SEMANTICS, m
            SEMANTICS[m] = function, keyed
        return function

    return register


def _flags(op: Any) -> str:
    return ("-" if op.neg else "") + ("|" if op.abs else "") + ("~" if op.inv else "")


def _address_part(reg: Reg | None) -> str:
    """A register of an address: file, whether it is the zero register, suffixes."""
    if reg is None:
        return "-"
    null = "Z" if reg.index == (RZ if reg.file == "R" else URZ) else ""
    return ".".join((reg.file + null, *reg.suffix))


def _signature(i: int, op: Operand, keyed: bool) -> str:
    match op:
        case Reg(file=("P" | "UP") as file, index=index, inv=inv):
            return (file + ("T" if index == PT else "")) + ("!" if inv else "")
        case Reg(file="SR", index=index):
            return "SRZ" if index == 255 else "SR"
        case Reg(file=file, index=index, suffix=suffix):
            null = "Z" if i < KEYED_ZERO and index == (RZ if file == "R" else URZ) else ""
            return ".".join((_flags(op) + file + null, *suffix))
        case Imm(bits=bits, kind=kind):
            return _flags(op) + (f"={bits:#x}" if keyed else f"K{kind}")
        case Const(ureg=ureg, base=base, suffix=suffix):
            indexed = (_address_part(base) if base else "") + ("+" + _address_part(ureg) if ureg else "")
            return ".".join((_flags(op) + "K" + (f"[{indexed}]" if indexed else ""), *suffix))
        case Mem(base=base, ureg=ureg, desc=desc):
            return "M" + _address_part(base) + ("+" + _address_part(ureg) if ureg else "") + ("d" if desc else "")
        case Target():
            return "T"
        case Name(text=text):
            return text


def form_key(instr: Instr, keyed: tuple[int, ...] = ()) -> str:
    """The key of the instruction's form, e.g. "IADD3.X R,P,R,~R,RZ,P,PT!"."""
    n = len(instr.operands)
    places = {k % n for k in keyed if -n <= k < n}
    parts = [_signature(i, op, i in places) for i, op in enumerate(instr.operands)]
    return ".".join((instr.mnemonic, *instr.modifiers)) + " " + ",".join(parts)


__all__ = [
    "SEMANTICS",
    "Access",
    "Builder",
    "Form",
    "Result",
    "Slot",
    "Unsupported",
    "concat",
    "const",
    "form_key",
    "semantic",
    "sign_modifiers",
]
