"""An instruction word taken apart: every one of its 128 bits once, under the name that its declaration gives it.

    parts(word, arch)    [Part(mask=0xfff, name='opcode', value=0x221, meaning='FADD'), ...], by lowest bit

For people (`minicc objdump --fields`, docs/walk.md): the codec reads the same declarations without making these.
"""

from __future__ import annotations

from collections.abc import Iterator

from minicc.arch import Arch
from minicc.record import NamedTuple
from minicc.sass.codec import decode, form_of
from minicc.sass.form import Form
from minicc.sass.instr import Control, Instr, Reg
from minicc.sass.operand import RegCodec, register_text

ALL = (1 << 128) - 1
OPCODE, GUARD = 0xFFF, 0x7 << 12
NONE = 7
"""A barrier's number that means none."""


class Part(NamedTuple):
    """A field: the bits that it owns, its name ("-" for bits that no field owns), and what it holds in this word."""

    mask: int
    name: str
    value: int
    meaning: str

    @property
    def bits(self) -> str:
        """As the declarations write them: "24..31", or "40..53,72"."""
        return ",".join(f"{low}..{high}" if low < high else f"{low}" for low, high in _runs(self.mask))


Claim = tuple[int, str, str]
"""Mask, name, meaning."""


def parts(word: int, arch: Arch, address: int = 0) -> list[Part]:
    """The fields of a word. `CompileError` if it is no instruction."""
    instr = decode(word, arch, address)
    plan = form_of(instr, arch.sass)
    assert plan is not None  # it was decoded from one
    claims = [*_operation(plan.form, instr, word), *_operands(plan.form, instr), *_control(instr.control)]
    rest = ALL & ~sum(mask for mask, _, _ in claims)
    claims += [(_span(low, high), "-", "") for low, high in _runs(rest)]
    return [Part(mask, name, _gather(word, mask), meaning) for mask, name, meaning in sorted(claims, key=_lowest)]


def table(word: int, arch: Arch, address: int = 0) -> list[str]:
    """The fields as lines of text."""
    rows = [(part.bits, part.name, f"{part.value:#x}", part.meaning) for part in parts(word, arch, address)]
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    return [f"{b:<{widths[0]}}  {n:<{widths[1]}}  {v:>{widths[2]}}  {text}".rstrip() for b, n, v, text in rows]


def _operation(form: Form, instr: Instr, word: int) -> Iterator[Claim]:
    yield OPCODE, "opcode", instr.mnemonic
    if form.fixed & ~OPCODE:
        yield form.fixed & ~OPCODE, "form", "tells it from others of its opcode"
    guard = instr.guard
    yield GUARD, "guard", register_text(Reg(guard.file, guard.index))
    yield 1 << 15, "guard !", "complemented" if guard.inv else ""
    for name, field in form.fields.items():
        yield field.bits.mask, name, "".join("." + s for s in field.prints.get(field.bits.get(word), ()))
    for name, where, _ in form.hidden:
        yield where.mask, name, ""


def _operands(form: Form, instr: Instr) -> Iterator[Claim]:
    owned = sum(field.bits.mask for field in form.fields.values())
    for codec, operand in zip(form.operands, instr.operands, strict=True):
        mask = codec.mask & ~owned
        if isinstance(codec, RegCodec) and isinstance(operand, Reg):
            other = "!" if operand.file in ("P", "UP") else "~"
            signs = (("-", codec.neg, operand.neg), ("||", codec.abs, operand.abs), (other, codec.inv, operand.inv))
            for sign, bit, there in signs:
                if bit is not None and mask >> bit & 1:
                    mask &= ~(1 << bit)
                    yield 1 << bit, f"{codec.name} {sign}", "set" if there else ""
        if mask:
            yield mask, codec.name, codec.text(operand)


def _control(control: Control) -> Iterator[Claim]:
    """The scheduling field: `Control.pack` at bit 105."""
    waits = [f"SB{k}" for k in range(6) if control.wait >> k & 1]
    slots = [name for k, name in enumerate("ABC") if control.reuse >> k & 1]
    yield _span(105, 108), "stall", f"{control.stall} cycles to this warp's next issue"
    yield _span(109, 109), "no yield", "" if control.yield_ else "set"
    yield _span(110, 112), "write barrier", "none" if control.wbar == NONE else f"SB{control.wbar}"
    yield _span(113, 115), "read barrier", "none" if control.rbar == NONE else f"SB{control.rbar}"
    yield _span(116, 121), "wait", f"for {' '.join(waits)}" if waits else ""
    yield _span(122, 125), "reuse", " ".join(slots)


def _lowest(claim: Claim) -> int:
    return claim[0] & -claim[0]


def _span(low: int, high: int) -> int:
    return (1 << high + 1) - (1 << low)


def _runs(mask: int) -> Iterator[tuple[int, int]]:
    """First and last bit of each stretch of ones."""
    while mask:
        low = (mask & -mask).bit_length() - 1
        ones = ~(mask >> low)
        high = low + (ones & -ones).bit_length() - 2
        yield low, high
        mask &= ~_span(low, high)


def _gather(word: int, mask: int) -> int:
    """The bits of `word` under `mask`, pushed together."""
    value = shift = 0
    for low, high in _runs(mask):
        value |= (word >> low & (1 << high - low + 1) - 1) << shift
        shift += high - low + 1
    return value
