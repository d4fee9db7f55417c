"""The machine instruction set: one declaration per instruction (`isa`), and everything that reads it.

    from minicc import arch, sass
    sm_90 = arch.get("sm_90")

    instr = sass.decode(word, sm_90, address)      # 128-bit little-endian integer -> Instr
    word = sass.encode(instr, sm_90, address)      # inverse; address matters to branches only
    sass.format(instr)                             # 'IADD3 R5, R4, R5, R0 ;' exactly as nvdisasm prints it
    instr = sass.parse("IADD3 R5, R4, 0x10, RZ")   # one line of text
    fx = sass.effects(instr, sm_90)                # registers read and written, classes, pipe: see `effects`

    sass.make("IADD3", (R(5), R(4), Imm(0x10), R(RZ)))              # form chosen by the operands
    sass.make("ISETP", (P(0), P(PT), R(4), R(5), P(PT)), ("LT", "AND"))
    sass.make("LDG", (R(2), Mem(Reg("R", 4, suffix=("64",)), 16, desc=UR(4))), ("E", "64"))
    sass.make("BRA", (Target(0x120),), guard=Reg("P", 0, inv=True))

An `Instr` of `decode`, `parse` or `make` is *canonical*: it has every operand that its form has, in printed order, also
those that are not printed because they are PT or RZ (the carry-outs of IADD3, the accumulator switch of HMMA ...), so
an operand's position is fixed by mnemonic and form. `encode` and `format` also take an Instr that leaves them out.
`modifiers` are the printed suffixes, without those that only name a special case (IMAD.MOV is IMAD with RZ; `format`
adds MOV, SHL, IADD). `field(instr, "cmp")` gives the suffix that one named modifier field has.
Reuse flags (`Control.reuse`): bit 0, 1, 2 are the sources A, B, C by their place in the instruction, whatever bits hold
them; `Access.slot` of `effects` says it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from minicc.sass.build import make
from minicc.sass.codec import canonical, declared, decode, encode
from minicc.sass.codec import field_value as field
from minicc.sass.effects import Access, Effects, effects
from minicc.sass.instr import (
    PT,
    RZ,
    UPT,
    URZ,
    Const,
    Control,
    Imm,
    Instr,
    Mem,
    Name,
    Operand,
    Reg,
    Target,
)
from minicc.sass.printer import format

if TYPE_CHECKING:
    from minicc.arch import Arch
    from minicc.diagnostics import SourceFile
    from minicc.sass.program import Program


def parse(text: str, family: str = "") -> Instr:
    """The canonical instruction of one line of text; see `parser`."""
    from minicc.sass.parser import parse as run

    return run(text, family)


def disassemble(program: Program, place: str | None = None) -> str:
    """A listing of a whole program that `assemble` reads back to the same bytes."""
    from minicc.sass.listing import disassemble as run

    return run(program, place)


def assemble(source: str | SourceFile, arch: Arch) -> Program:
    """The program of a listing; every error has its place."""
    from minicc.sass.assembler import assemble as run

    return run(source, arch)


def decode_all(code: bytes, arch: Arch) -> Sequence[Instr]:
    """All instructions of a section's code; addresses start at 0."""
    return [
        decode(int.from_bytes(code[at : at + 16], "little"), arch, at)
        for at in range(0, len(code) - len(code) % 16, 16)
    ]


__all__ = [
    "PT", "RZ", "UPT", "URZ", "Access", "Const", "Control", "Effects", "Imm", "Instr", "Mem", "Name", "Operand", "Reg",
    "Target", "assemble", "canonical", "declared", "decode", "decode_all", "disassemble", "effects", "encode", "field",
    "format", "make", "parse",
]  # fmt: skip
