"""The machine instruction as an object: what decode makes, print shows, the assembler parses and encode takes.

An `Instr` is one printed line: guard, mnemonic, modifiers, operands in nvdisasm's order (destinations first), and the
control field (bits 105..125). Fields that print nothing are kept in `hidden`, so that decode then encode is the
identity.
"""

from __future__ import annotations

from typing import Literal

from minicc.record import Record

RegFile = Literal["R", "UR", "P", "UP", "B", "SB", "SR"]
"""GPR (255 = RZ), uniform (63 = URZ), predicate (7 = PT), uniform predicate (7 = UPT), convergence barrier,
scoreboard, special register."""

ImmKind = Literal["int", "uint", "f32", "f64hi", "f16x2", "bf16x2", "f16", "bf16"]

RZ, URZ, PT, UPT = 255, 63, 7, 7


class Reg(Record):
    """A register operand. `index` is the number of the first register; `suffix` holds printed operand suffixes
    without the reuse flag: ("H0_H0",), ("64",), ("U32",). `neg` is `-`, `abs` is `|x|`, `inv` is `~` or `!`."""

    __slots__ = __match_args__ = ("file", "index", "neg", "abs", "inv", "suffix")

    def __init__(
        self,
        file: RegFile,
        index: int,
        neg: bool = False,
        abs: bool = False,
        inv: bool = False,
        suffix: tuple[str, ...] = (),
    ) -> None:
        self.file, self.index, self.neg, self.abs, self.inv, self.suffix = file, index, neg, abs, inv, suffix

    def __eq__(self, other: object) -> bool:
        return self is other or (
            type(other) is Reg
            and self.index == other.index
            and self.file == other.file
            and self.neg == other.neg
            and self.abs == other.abs
            and self.inv == other.inv
            and self.suffix == other.suffix
        )

    def __hash__(self) -> int:
        return hash((self.index, self.neg, self.abs, self.inv, self.suffix))


class Imm(Record):
    """An immediate. `bits` is the raw field (two's complement in `width` bits); `kind` says how it prints.
    "int" signed hex, "uint" unsigned hex, "f32", "f64hi" (high half of a double), "f16x2" prints two numbers,
    "bf16x2" likewise, "f16" and "bf16" print the low half."""

    __slots__ = __match_args__ = ("bits", "kind", "neg", "abs", "inv")

    def __init__(
        self, bits: int, kind: ImmKind = "int", neg: bool = False, abs: bool = False, inv: bool = False
    ) -> None:
        self.bits, self.kind, self.neg, self.abs, self.inv = bits, kind, neg, abs, inv


class Const(Record):
    """A constant-bank operand c[bank][offset]; with `ureg` set, cx[UR][offset]. `base` is the index register of LDC."""

    __slots__ = __match_args__ = ("bank", "offset", "ureg", "base", "neg", "abs", "inv", "suffix")

    def __init__(
        self,
        bank: int,
        offset: int,
        ureg: Reg | None = None,
        base: Reg | None = None,
        neg: bool = False,
        abs: bool = False,
        inv: bool = False,
        suffix: tuple[str, ...] = (),
    ) -> None:
        self.bank, self.offset, self.ureg, self.base, self.neg, self.abs = bank, offset, ureg, base, neg, abs
        self.inv, self.suffix = inv, suffix


class Mem(Record):
    """An address operand [base + ureg + offset], with `desc` the uniform register of a descriptor: desc[UR][...].
    `base.suffix` holds "64", "U32", "X4"/"X8"/"X16" as printed."""

    __slots__ = __match_args__ = ("base", "offset", "ureg", "desc", "desc_offset")

    def __init__(
        self, base: Reg | None, offset: int = 0, ureg: Reg | None = None, desc: Reg | None = None, desc_offset: int = 0
    ) -> None:
        self.base, self.offset, self.ureg, self.desc, self.desc_offset = base, offset, ureg, desc, desc_offset


class Target(Record):
    """A code address. `label` is symbolic until assembled; `address` is the absolute byte offset in the section."""

    __slots__ = __match_args__ = ("address", "label")

    def __init__(self, address: int | None = None, label: str | None = None) -> None:
        self.address, self.label = address, label


class Name(Record):
    """Anything else that prints as a word: gsb0, SR names of S2R are Reg("SR"), 2D, ..."""

    __slots__ = __match_args__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


Operand = Reg | Imm | Const | Mem | Target | Name


class Control(Record):
    """The scheduling field, bits 105..125. `yield_` is True when the instruction lets another warp go (bit 109 = 0).
    `wbar`/`rbar` 7 = none. `wait` is a mask of six. `reuse` is the raw four-bit mask (bit 0 = slot of bits 24..31)."""

    __slots__ = __match_args__ = ("stall", "yield_", "wbar", "rbar", "wait", "reuse")

    def __init__(
        self, stall: int = 1, yield_: bool = False, wbar: int = 7, rbar: int = 7, wait: int = 0, reuse: int = 0
    ) -> None:
        self.stall, self.yield_, self.wbar, self.rbar, self.wait, self.reuse = stall, yield_, wbar, rbar, wait, reuse

    def pack(self) -> int:
        """The 21-bit field, to be placed at bit 105."""
        return (
            self.stall
            | (0 if self.yield_ else 1) << 4
            | self.wbar << 5
            | self.rbar << 8
            | self.wait << 11
            | self.reuse << 17
        )

    @classmethod
    def unpack(cls, field: int) -> Control:
        """Inverse of `pack`."""
        return cls(
            stall=field & 15,
            yield_=not field >> 4 & 1,
            wbar=field >> 5 & 7,
            rbar=field >> 8 & 7,
            wait=field >> 11 & 63,
            reuse=field >> 17 & 15,
        )


ALWAYS = Reg("P", PT)
"""The predicate that is true."""
USUAL = Control()
"""Of an instruction that nothing was said of."""


class Instr(Record):
    """One instruction. `modifiers` are the printed suffixes without dots, in printed order, e.g. ("E", "64").
    `hidden` are (field name, value) pairs of fields that print nothing at this value but differ from the default."""

    __slots__ = __match_args__ = ("mnemonic", "operands", "modifiers", "guard", "control", "hidden")

    def __init__(
        self,
        mnemonic: str,
        operands: tuple[Operand, ...] = (),
        modifiers: tuple[str, ...] = (),
        guard: Reg = ALWAYS,
        control: Control = USUAL,
        hidden: tuple[tuple[str, int], ...] = (),
    ) -> None:
        self.mnemonic, self.operands, self.modifiers, self.guard = mnemonic, operands, modifiers, guard
        self.control, self.hidden = control, hidden
