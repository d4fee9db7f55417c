"""mma.sp of 8-bit floats: two sparse products of halves, as `matrix.eight` makes two dense ones.

Of each register's four elements the first two are from an even chunk of four along k, the last two from an odd one; so
the product of the lower halves has the even chunks, which one lane of two holds of B, and that of the upper halves the
odd ones. The lanes exchange halves of B; each chunk's four bits of metadata go to the lanes that the two products read.
PTX ISA, "Matrix Fragments for sparse mma.m16n8k64" and ".m16n8k32". Sums of halves are not for sm_90.
"""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.lower.builder import Builder, imm
from minicc.ptxas.lower.matrix import group, scatter, two_products
from minicc.ptxas.mir import TRUE, ZERO, MOperand, V
from minicc.sass.instr import Imm, Name

_FOURS = 0x1C1F
"""SHFL's bounds for lanes that exchange within groups of four."""
_TWOS = 0x1E1F
_EVENS = 0x0F0F0F0F


def multiply(b: Builder, inst: ptx.Inst, shape: str) -> None:
    """mma.sp.sync.aligned.m16n8k64.row.col.f32.atype.btype.f32 d, a, b, c, metadata, 0"""
    kinds = [m for m in inst.modifiers if m in ("e4m3", "e5m2")]
    if shape != "m16n8k64" or len(kinds) != 2 or "f16" in inst.modifiers:
        b.unsupported()
    d, left, right, third, metadata, selector = inst.operands
    if b.constant(selector) != 0:
        b.wrong("mma.sp: the selector must be 0")
    lane = b.temp()
    b.emit("S2R", (lane,), (Name("SR_LANEID"),))
    exchanged = _exchanged(b, lane, group(b, right, 4))
    packed = [(group(b, left, 4), 4, kinds[0]), (exchanged, 4, kinds[1])]
    chosen: list[tuple[MOperand, ...]] = [(word, Imm(0, "uint")) for word in _metadata(b, lane, b.reg(b.val(metadata)))]
    scatter(b, d, two_products(b, "HMMA.SP.16832.F32", packed, third, chosen))


def _exchanged(b: Builder, lane: V, words: MOperand) -> V:
    """B's registers: an even lane gets the lower halves of its own and its neighbour's, an odd one the upper halves
    of its neighbour's and its own."""
    odd = b.logic(lane, imm(1), 0xC0)
    selector = b.new("IADD3", b.new("IMAD", odd, imm(0x3276 - 0x5410), ZERO), imm(0x5410), ZERO)
    out = b.temp(4)
    for k in range(4):
        own = V(words.reg, words.part + k) if isinstance(words, V) else ZERO
        other = b.temp()
        b.emit("SHFL.BFLY", (TRUE, other), (own, imm(1), imm(_TWOS)), side=True)
        b.emit("PRMT", (V(out.reg, k),), (own, selector, other))
    return out


def _metadata(b: Builder, lane: V, word: MOperand) -> tuple[V, V]:
    """For the even chunks and the odd ones: what the first two lanes of four give to a product of halves. Lanes 0 and 1
    have the first eight chunks of rows g and g + 8, lanes 2 and 3 the others; lane 0 must have eight chunks of both
    rows, lane 1 the other eight."""
    parts = []
    for shift in (0, 4):
        chunks = b.logic(b.new("SHF.R.U32.HI", ZERO, imm(shift), word) if shift else word, imm(_EVENS), 0xC0)
        parts.append(b.logic(chunks, b.new("SHF.R.U32.HI", ZERO, imm(4), chunks), 0xFC))
    packed = b.new("PRMT", parts[0], imm(0x6420), parts[1])  # the even chunks, above them the odd ones
    first = b.new("IMAD", b.logic(lane, imm(1), 0xC0), imm(2), ZERO)
    rows = []
    for source in (first, b.new("IADD3", first, imm(1), ZERO)):
        out = b.temp()
        b.emit("SHFL.IDX", (TRUE, out), (packed, source, imm(_FOURS)), side=True)
        rows.append(out)
    return b.new("PRMT", rows[0], imm(0x5410), rows[1]), b.new("PRMT", rows[0], imm(0x7632), rows[1])
