"""mma of four-bit integers and of single bits by exclusive or: sm_80 has instructions for them, sm_90 has not.

There, four bits: each register of eight elements becomes two of bytes, the low and the high four elements; where a
product sums over k does not matter as long as A and B agree, so products of bytes give the same sums. Bits: the number
of bits of a ^ b is that of a & ~b and that of ~a & b (as ptxas 13.0 has it).
"""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.lower.builder import Builder, imm
from minicc.ptxas.lower.integer import saturated
from minicc.ptxas.lower.types import dotted
from minicc.ptxas.mir import ZERO, MOperand, V
from minicc.record import evolve
from minicc.sass.codec import has
from minicc.sass.instr import Imm, Reg

_NIBBLES = {"s4": True, "u4": False}
_SHAPES = {"m16n8k64": ("16864", 4, 2, 4), "m16n8k32": ("16832", 2, 1, 4), "m8n8k32": ("8832", 1, 1, 2)}
"""Shape -> printed shape, registers of A, B and C."""
_SPARSE = {"m16n8k64": ("16832", 2), "m16n8k128": ("16864", 4)}
"""Shape of a sparse product -> that of the products of bytes, registers of A and of B."""


def nibbles(b: Builder, inst: ptx.Inst, shape: str) -> None:
    """mma.sync.aligned.shape.row.col{.satfinite}.s32.{s4,u4}.{s4,u4}.s32 d, a, b, c"""
    from minicc.ptxas.lower.matrix import group, scatter

    kinds = [_NIBBLES[m] for m in inst.modifiers if m in _NIBBLES]
    if shape not in _SHAPES or len(kinds) != 2 or len(inst.operands) != 4:
        b.unsupported()
    printed, size_a, size_b, size_c = _SHAPES[shape]
    d, left, right, third = inst.operands
    saturate = "SAT" if "satfinite" in inst.modifiers else ""
    x, y, addend = group(b, left, size_a), group(b, right, size_b), group(b, third, size_c)
    four = dotted("IMMA", printed, *("S4" if signed else "U4" for signed in kinds), saturate)
    if _native(b, four):
        scatter(b, d, _product(b, four, x, y, addend, size_c))
        return
    rows = [[_bytes(b, word, part, kinds[0]) for part in (0, 1)] for word in _words(x, size_a)]
    columns = [[_bytes(b, word, part, kinds[1]) for part in (0, 1)] for word in _words(y, size_b)]
    types = ["S8" if signed else "U8" for signed in kinds]
    total: MOperand = addend
    if size_a == 1:
        steps = [("8816", [rows[0][part]], [columns[0][part]]) for part in (0, 1)]
    else:
        # Rows g and g + 8 alternate in A's registers; two of B's make 32 of k.
        steps = [
            ("16832", [upper[0], lower[0], upper[1], lower[1]], column)
            for upper, lower, column in zip(rows[::2], rows[1::2], columns, strict=True)
        ]
    late = bool(saturate) and len(steps) > 1
    if late:  # the whole sum is clamped, not each step
        total, saturate = ZERO, ""
    for printed, first, second in steps:
        op = dotted("IMMA", printed, *types, saturate)
        total = _product(b, op, _together(b, first), _together(b, second), total, size_c)
    assert isinstance(total, V)
    scatter(b, d, _clamped(b, addend, total, size_c) if late else total)


def _native(b: Builder, op: str) -> bool:
    name, *modifiers = op.split(".")
    return has(name, tuple(modifiers), b.arch.sass)


def _product(b: Builder, op: str, x: V | Reg, y: V | Reg, total: MOperand, size: int) -> V:
    """x * y + total."""
    out = b.temp(size)
    x, y = evolve(x, suffix=("ROW",)), evolve(y, suffix=("COL",))
    b.emit(op, (out,), (x, y, total), side=True)
    return out


def sparse(b: Builder, inst: ptx.Inst, shape: str) -> None:
    """mma.sp.sync.aligned.shape.row.col{.satfinite}.s32.{s4,u4}.{s4,u4}.s32 d, a, b, c, metadata, selector

    Metadata choose pairs of elements; so the even ones of all pairs and the odd ones are two sparse products of bytes
    with the same metadata."""
    from minicc.ptxas.lower.matrix import group, scatter

    kinds = [_NIBBLES[m] for m in inst.modifiers if m in _NIBBLES]
    if shape not in _SPARSE or len(kinds) != 2:
        b.unsupported()
    printed, size = _SPARSE[shape]
    d, left, right, third, metadata, selector = inst.operands
    which = b.constant(selector)
    most = 1 if shape == "m16n8k64" else 0
    if which is None or not 0 <= which <= most:
        b.wrong(f"mma.sp: the selector must be a constant from 0 to {most}")
    chosen = b.reg(b.val(metadata))
    op = dotted("IMMA.SP", printed, *("S8" if signed else "U8" for signed in kinds))
    addend: MOperand = group(b, third, 4)
    late = "satfinite" in inst.modifiers
    total: MOperand = ZERO if late else addend
    given = [(_words(group(b, item, size), size), signed) for item, signed in zip((left, right), kinds, strict=True)]
    for part in (0, 1):
        x, y = (_together(b, [_every_other(b, word, part, signed) for word in words]) for words, signed in given)
        out = b.temp(4)
        x, y = evolve(x, suffix=("ROW",)), evolve(y, suffix=("COL",))
        b.emit(op, (out,), (x, y, total, chosen, Imm(which, "uint")), side=True)
        total = out
    assert isinstance(total, V)
    scatter(b, d, _clamped(b, addend, total, 4) if late else total)


def _clamped(b: Builder, addend: MOperand, total: V, size: int) -> V:
    """addend + total with signed saturation, word by word."""
    out = b.temp(size)
    for k, word in enumerate(_words(b.reg(addend), size)):
        saturated(b, V(out.reg, k), word, V(total.reg, k), False)
    return out


def _words(value: V | Reg, count: int) -> list[MOperand]:
    return [V(value.reg, value.part + k) if isinstance(value, V) else ZERO for k in range(count)]


def _together(b: Builder, values: list[V]) -> V:
    if len(values) == 1:
        return values[0]
    out = b.temp(len(values))
    for k, value in enumerate(values):
        b.move(V(out.reg, k), value)
    return out


def _bytes(b: Builder, word: MOperand, part: int, signed: bool) -> V:
    """Four of the eight elements of a register, each in a byte."""
    # Two bytes to the places of halves, then the nibbles of each apart.
    spread = b.new("PRMT", b.reg(word), imm(0x4342 if part else 0x4140), ZERO)
    moved = b.new("SHF.L.U32", spread, imm(4), ZERO)
    low = b.logic(spread, imm(0x000F000F), 0xC0)
    out = b.logic(moved, imm(0x0F000F00), 0xEA, low)  # (moved & mask) | low
    return _extended(b, out) if signed else out


def _every_other(b: Builder, word: MOperand, part: int, signed: bool) -> V:
    """The even elements of a register, or the odd ones, each in a byte."""
    moved = b.new("SHF.R.U32.HI", ZERO, imm(4), b.reg(word)) if part else word
    out = b.logic(moved, imm(0x0F0F0F0F), 0xC0)
    return _extended(b, out) if signed else out


def _extended(b: Builder, nibbles: V) -> V:
    """Bytes below 16 with the sign of their low half."""
    sign = b.logic(nibbles, imm(0x08080808), 0xC0)
    return b.new("IMAD", sign, imm(0x1E), nibbles)


def exclusive(
    b: Builder, printed: str, x: V | Reg, y: V | Reg, total: MOperand, size_a: int, size_b: int, size_c: int
) -> V:
    """Bits of a ^ b, counted and added to `total`."""
    xor = f"BMMA.{printed}.XOR.POPC"
    if _native(b, xor):
        return _product(b, xor, x, y, total, size_c)
    op = f"BMMA.{printed}.AND.POPC"
    total = _product(b, op, x, _inverse(b, y, size_b), total, size_c)
    return _product(b, op, _inverse(b, x, size_a), y, total, size_c)


def _inverse(b: Builder, value: V | Reg, count: int) -> V:
    out = b.temp(count)
    for k, word in enumerate(_words(value, count)):
        b.lop(V(out.reg, k), word, ZERO, ZERO, 0x0F)
    return out
