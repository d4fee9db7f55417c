"""The machine instruction as an object: what decode makes, print shows, the assembler parses and encode takes.

An `Instr` is one printed line: guard, mnemonic, modifiers, operands in nvdisasm's order (destinations first), and the
control field (bits 105..125). Fields that print nothing are kept in `hidden`, so that decode then encode is the
identity.
"""

from __future__ import annotations

from typing import Literal

import attrs

RegFile = Literal["R", "UR", "P", "UP", "B", "SB", "SR"]
"""GPR (255 = RZ), uniform (63 = URZ), predicate (7 = PT), uniform predicate (7 = UPT), convergence barrier,
scoreboard, special register."""

ImmKind = Literal["int", "uint", "f32", "f64hi", "f16x2", "bf16x2", "f16", "bf16"]

RZ, URZ, PT, UPT = 255, 63, 7, 7


@attrs.frozen(cache_hash=True)
class Reg:
    """A register operand. `index` is the number of the first register; `suffix` holds printed operand suffixes
    without the reuse flag: ("H0_H0",), ("64",), ("U32",). `neg` is `-`, `abs` is `|x|`, `inv` is `~` or `!`."""

    file: RegFile
    index: int
    neg: bool = False
    abs: bool = False
    inv: bool = False
    suffix: tuple[str, ...] = ()


# Not frozen, though never changed, like the other classes here that every instruction has: four times as fast to make.
@attrs.define(unsafe_hash=True)
class Imm:
    """An immediate. `bits` is the raw field (two's complement in `width` bits); `kind` says how it prints.
    "int" signed hex, "uint" unsigned hex, "f32", "f64hi" (high half of a double), "f16x2" prints two numbers,
    "bf16x2" likewise, "f16" and "bf16" print the low half."""

    bits: int
    kind: ImmKind = "int"
    neg: bool = False
    abs: bool = False
    inv: bool = False


@attrs.frozen
class Const:
    """A constant-bank operand c[bank][offset]; with `ureg` set, cx[UR][offset]. `base` is the index register of LDC."""

    bank: int
    offset: int
    ureg: Reg | None = None
    base: Reg | None = None
    neg: bool = False
    abs: bool = False
    inv: bool = False
    suffix: tuple[str, ...] = ()


@attrs.frozen
class Mem:
    """An address operand [base + ureg + offset], with `desc` the uniform register of a descriptor: desc[UR][...].
    `base.suffix` holds "64", "U32", "X4"/"X8"/"X16" as printed."""

    base: Reg | None
    offset: int = 0
    ureg: Reg | None = None
    desc: Reg | None = None
    desc_offset: int = 0


@attrs.frozen
class Target:
    """A code address. `label` is symbolic until assembled; `address` is the absolute byte offset in the section."""

    address: int | None = None
    label: str | None = None


@attrs.frozen
class Name:
    """Anything else that prints as a word: gsb0, SR names of S2R are Reg("SR"), 2D, ..."""

    text: str


Operand = Reg | Imm | Const | Mem | Target | Name


@attrs.define(unsafe_hash=True)
class Control:
    """The scheduling field, bits 105..125. `yield_` is True when the instruction lets another warp go (bit 109 = 0).
    `wbar`/`rbar` 7 = none. `wait` is a mask of six. `reuse` is the raw four-bit mask (bit 0 = slot of bits 24..31)."""

    stall: int = 1
    yield_: bool = False
    wbar: int = 7
    rbar: int = 7
    wait: int = 0
    reuse: int = 0

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


@attrs.define(unsafe_hash=True)
class Instr:
    """One instruction. `modifiers` are the printed suffixes without dots, in printed order, e.g. ("E", "64").
    `hidden` are (field name, value) pairs of fields that print nothing at this value but differ from the default."""

    mnemonic: str
    operands: tuple[Operand, ...] = ()
    modifiers: tuple[str, ...] = ()
    guard: Reg = Reg("P", PT)
    control: Control = Control()
    hidden: tuple[tuple[str, int], ...] = ()
