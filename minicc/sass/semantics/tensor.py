"""Tensor cores: HMMA (f16, bf16, tf32) and IMMA, dense and sparse; BMMA, DMMA; MOVM.

Arithmetic and fragment layouts as measured on an H200 (sm_90, driver 580.159.04, 2026-11-20). One floating step adds c
and all k products at once: exact products, not normalised; every magnitude truncated to a multiple of 2^(E - 25), E the
largest exponent of a non-zero term (at least the floor); exact sum; one rounding (f32 toward zero, f16 to nearest
even). A zero result is +0 always; NaN is canonical. DMMA is a chain of fused multiply-adds, k ascending.

With e = 32 / element bits: A(row, k) is in lane (row % 8) * 4 + (k / e) % 4, register row / 8 + 2 (k / 4e), element
k % e; B(k, n) in lane 4 n + (k / e) % 4, register k / 4e; C and D(row, col) in lane (row % 8) * 4 + col / 2, register
2 (row / 8) + col % 2 (f16: register row / 8, half col % 2).
"""

from __future__ import annotations

from collections.abc import Callable

import attrs

from minicc.sass.instr import RZ, Reg
from minicc.sass.semantics.expr import E, concat, const, fma, lane, round_number
from minicc.sass.semantics.floats import BF16, F16, F32, F64, Format, is_nan, propagate, rounding
from minicc.sass.semantics.form import KEYED_ZERO, Builder, Slot, semantic

TRUNCATE = 25
"""Places kept below the largest exponent (F of the measurements)."""


def gather(b: Builder, operand: int, source: E, rows: int = 1) -> E:
    """A word of operand `operand` (a run of `rows` registers) at index lane + 32 * register."""
    op = b.ops[operand]
    if not isinstance(op, Reg) or op.file != "R":
        raise b.fail(f"operand {operand} is not a register")
    if op.index == RZ and operand < KEYED_ZERO:
        return const(0)
    leaf = b.leaf(Slot("R", operand, 32 * rows))
    return E("gather", 32, (source,), leaf.attr, vec=True)


@attrs.frozen
class Term:
    """A decoded number: sign (1 bit), integer significand (32 bits, `places` fraction bits), exponent (32, signed), and
    an f32 stand-in that is NaN or infinite as the number is, else -1, 0 or 1."""

    sign: E
    significand: E
    exponent: E
    places: int
    stand_in: E


def decode(fmt: Format, bits: E, kept: int) -> Term:
    """`bits` of `fmt` (f16, bf16 as 16 bits; f32, or tf32 with `kept` < 23 fraction bits)."""
    wide = bits.zext(32) if bits.width < 32 else bits
    drop = fmt.fraction - kept
    if drop:
        wide = wide & ~((1 << drop) - 1)
    field = wide.bits(fmt.fraction, fmt.exponent_bits)
    fraction = wide.bits(drop, kept) if drop else wide & ((1 << kept) - 1)
    significand = fraction | field.eq(0).select(const(0), const(1 << kept))
    exponent = field.umax(1) - fmt.bias
    negative = wide.bit(fmt.width - 1)
    special = field.eq((1 << fmt.exponent_bits) - 1)
    as_f32 = (negative.zext(32) << 31) | special.select(
        fraction << (23 - kept) | 0x7F800000, significand.eq(0).select(const(0), const(F32.one))
    )
    return Term(negative, significand, exponent, kept, as_f32)


def step(a: list[Term], b: list[Term], c: Term, c_places: int, floor: int) -> tuple[E, E, E]:
    """One fused step: (sum in units of 2^(E - 25), 64 bits; E; stand-in result that is NaN or infinite when d is)."""
    products, exponents = [], []
    largest = c.significand.eq(0).select(const(floor), c.exponent).smax(floor)
    stand_in = c.stand_in & c.stand_in.bits(23, 8).eq(255).select(const(-1), const(0))
    for x, y in zip(a, b, strict=True):
        p = x.significand * y.significand
        e = x.exponent + y.exponent
        products.append((p, x.sign ^ y.sign))
        exponents.append(e)
        largest = largest.smax(p.eq(0).select(const(floor), e))
        stand_in = fma("f32", x.stand_in, y.stand_in, stand_in)
    places = a[0].places + b[0].places
    parts: list[E] = []
    for (p, sign), e in zip(products, exponents, strict=True):
        aligned = (p << (TRUNCATE - places)).shr(largest - e)
        parts.append(sign.select(-aligned, aligned))
    # Eight products of at most 2^27 fit in 32 bits.
    total = const(0, 64)
    for at in range(0, len(parts), 8):
        group = parts[at]
        for part in parts[at + 1 : at + 8]:
            group = group + part
        total = total + group.sext(64)
    c_aligned = (c.significand << (TRUNCATE - c_places)).shr(largest - c.exponent)
    total = total + c.sign.select(-c_aligned, c_aligned).sext(64)
    return total, largest, stand_in


def pack(fmt: Format, total: E, largest: E, stand_in: E) -> E:
    """total * 2^(largest - 25), rounded to f32 toward zero or to f16 to nearest even."""
    negative = total.negative()
    m = negative.select(-total, total)
    e64 = largest.sext(64) - TRUNCATE
    top = 63 - m.clz()  # leading bit's number; -1 (no matter) if zero
    last = (top + e64 - fmt.fraction).smax(1 - fmt.bias - fmt.fraction)
    drop = last - e64
    left, right = drop.slt(0).select(-drop, 0), drop.slt(0).select(const(0, 64), drop)
    q = m.shl(left).shr(right)
    if fmt is F16:
        rest = m.shl(left) - q.shl(right)
        half = const(1, 64).shl(right) >> 1
        up = right.ne(0) & (half.ult(rest) | (half.eq(rest) & q.bit(0)))
        q = q + up.zext(64)
    hidden = 1 << fmt.fraction
    # (field << fraction) + q - hidden also carries a rounding overflow into the exponent.
    field = last + fmt.bias + fmt.fraction
    bits = q.ult(hidden).select(q, (field << fmt.fraction) + q - hidden)
    bits = bits.ult(fmt.infinity).select(bits, fmt.infinity)
    bits = (m.eq(0) | q.eq(0)).select(0, bits | negative.select(const(fmt.sign, 64), 0)).trunc(fmt.width)
    special = stand_in.bits(23, 8).eq(255)
    infinite = const(fmt.infinity, fmt.width) | (stand_in >> 31).trunc(1).zext(fmt.width) << (fmt.width - 1)
    out = special.select(infinite, bits)
    return is_nan(F32, stand_in).select(const(fmt.canonical_nan, fmt.width), out)


@attrs.frozen
class Shape:
    """k, registers of A, registers of B."""

    k: int
    a: int
    b: int


HMMA_SHAPES = {
    ("16816", 2): Shape(16, 4, 2),
    ("1688", 2): Shape(8, 2, 1),
    ("1688", 1): Shape(8, 4, 2),
    ("1684", 1): Shape(4, 2, 1),
}


def fragment(b: Builder, shape: Shape, per_word: int, row_half: E, column: E) -> tuple[list[E], list[E]]:
    """Words of row (lane / 4 + 8 row_half) of A and of column `column` of B that this lane's dot product needs."""
    group = lane() & ~3
    a_words, b_words = [], []
    for word in range(shape.k // per_word):
        at, register = word % 4, word // 4
        a_words.append(gather(b, 1, group + at + ((row_half + 2 * register) << 5), shape.a))
        b_words.append(gather(b, 2, (column << 2) + at + (register << 5), shape.b))
    return a_words, b_words


@semantic("HMMA", keyed=(-1,))
def hmma(b: Builder) -> None:
    if b.has("SP"):
        hmma_sparse(b)
        return
    tf32 = b.has("TF32")
    fmt = BF16 if b.has("BF16") else F32 if tf32 else F16
    kept = 10 if tf32 else fmt.fraction
    per_word = 1 if tf32 else 2
    shape = HMMA_SHAPES.get((b.one("16816", "1688", "1684"), per_word))
    if shape is None:
        raise b.fail("shape")

    def elements(words: list[E], operand: int) -> list[Term]:
        out = []
        for w in words:
            for part in range(per_word):
                bits = w if tf32 else (w >> 16 * part).trunc(16)
                if b.flag(operand, "neg"):
                    bits = bits ^ (1 << (bits.width - 1))
                out.append(decode(fmt, bits, kept))
        return out

    def terms(row_half: E, column: E) -> tuple[list[Term], list[Term]]:
        a_words, b_words = fragment(b, shape, per_word, row_half, column)
        return elements(a_words, 1), elements(b_words, 2)

    accumulate(b, terms)


def accumulate(b: Builder, terms: Callable[[E, E], tuple[list[Term], list[Term]]]) -> None:
    """This lane's elements of C plus their dot products; `terms` are those of a row half and a column."""
    half_result = not b.has("F32")
    fmt, floor = (F16, -21) if half_result else (F32, -133)
    r = round_number()

    def dot(row_half: E, column_bit: E, c_bits: E) -> E:
        a_terms, b_terms = terms(row_half, ((lane() & 3) << 1) + column_bit)
        return pack(fmt, *step(a_terms, b_terms, decode(fmt, c_bits, fmt.fraction), fmt.fraction, floor))

    if half_result:
        b.rounds = 2
        word = gather(b, 3, lane() + (r << 5), 2)
        low, high = (dot(r, const(i), (word >> 16 * i).trunc(16)) for i in (0, 1))
        b.set(0, concat(low, high))
        return
    b.rounds = 4
    b.set(0, dot(r >> 1, r & 1, gather(b, 3, lane() + (r << 5), 4)))


IMMA_SHAPES = {
    ("16816", 8): (Shape(16, 2, 1), 4), ("16832", 8): (Shape(32, 4, 2), 4), ("8816", 8): (Shape(16, 1, 1), 2),
    ("16832", 4): (Shape(32, 2, 1), 4), ("16864", 4): (Shape(64, 4, 2), 4), ("8832", 4): (Shape(32, 1, 1), 2),
}  # fmt: skip
"""(shape, element bits) -> fragments, and registers of D. Four bits are sm_80's."""
_INTEGERS = ("U8", "S8", "U4", "S4")


@semantic("IMMA", keyed=(-1,))
def imma(b: Builder) -> None:
    """Exact integer dot products, modulo 2^32, or clamped once with SAT."""
    if b.has("SP"):
        imma_sparse(b)
        return
    kinds = [m for m in b.mods if m in _INTEGERS]
    bits = 4 if kinds and kinds[0][1] == "4" else 8
    name = b.one(*(shape for shape, size in IMMA_SHAPES if size == bits))
    if len(kinds) != 2 or not name:
        raise b.fail()
    shape, b.rounds = IMMA_SHAPES[name, bits]
    r = round_number()
    row_half = r >> 1 if b.rounds == 4 else const(0)
    a_words, b_words = fragment(b, shape, 32 // bits, row_half, ((lane() & 3) << 1) + (r & 1))

    total = const(0)
    for x, y in zip(a_words, b_words, strict=True):
        for i in range(32 // bits):
            total = total + _piece(x, i, kinds[0]) * _piece(y, i, kinds[1])
    _finish_integer(b, total, r)


def _piece(w: E, i: int, kind: str) -> E:
    """The i-th element of a word of "S8", "U4" ..."""
    bits = int(kind[1])
    if bits == 8:
        piece = (w >> 8 * i).trunc(8)
        return piece.sext(32) if kind[0] == "S" else piece.zext(32)
    field = (w >> 4 * i) & 15
    return (field ^ 8) - 8 if kind[0] == "S" else field


def _finish_integer(b: Builder, total: E, r: E) -> None:
    """Adds c and stores, saturating once if asked."""
    c = gather(b, 3, lane() + (r << 5), b.rounds)
    if not b.has("SAT"):
        b.set(0, total + c)
        return
    wide = total.sext(64) + c.sext(64)
    b.set(0, wide.smax(-(1 << 31)).smin((1 << 31) - 1).trunc(32))


BMMA_SHAPES = {"88128": (Shape(128, 1, 1), 2), "168128": (Shape(128, 2, 1), 4), "168256": (Shape(256, 4, 2), 4)}


@semantic("BMMA")
def bmma(b: Builder) -> None:
    """Single bits: population count of a and b, or of a xor b, summed over k, plus c."""
    shape, b.rounds = BMMA_SHAPES[b.one(*BMMA_SHAPES)]
    operation = b.one("AND", "XOR")
    if not operation:
        raise b.fail()
    r = round_number()
    row_half = r >> 1 if b.rounds == 4 else const(0)
    total = const(0)
    for x, y in zip(*fragment(b, shape, 32, row_half, ((lane() & 3) << 1) + (r & 1)), strict=True):
        total = total + (x ^ y if operation == "XOR" else x & y).popcount()
    _finish_integer(b, total, r)


# ---- sparse A: metadata picks, for each compressed element j of a row, the k it stands for


def metadata(b: Builder, bits: int, compressed: int, j: int, row_half: E, selector: int) -> E:
    """The field (in the low bits) of compressed element j, from the last register operand; see the layout facts of the
    measurement."""
    group = lane() & ~3
    if bits == 8:
        where = group + row_half + (2 * selector if compressed == 16 else 2 * (j // 16))
        return gather(b, len(b.ops) - 2, where) >> 2 * (j % 16)
    per_lane = 8 if bits == 16 else 4
    extra = selector if compressed == per_lane else 2 * selector + j // per_lane
    field_bits = 16 // per_lane
    word = gather(b, len(b.ops) - 2, group + extra)
    return word.shr(row_half << 4) >> field_bits * (j % per_lane)


def _half(word: E, which: E) -> E:
    """The 16-bit half `which` (0 or 1) of a word."""
    return word.shr(which << 4).trunc(16)


SPARSE_HMMA = {("16816", 16): (8, 2, 2), ("16832", 16): (16, 4, 4), ("1688", 32): (4, 2, 2), ("16816", 32): (8, 4, 4)}
"""(shape, element bits) -> compressed k, registers of A, registers of B."""


def hmma_sparse(b: Builder) -> None:
    tf32 = b.has("TF32")
    bits = 32 if tf32 else 16
    fmt = BF16 if b.has("BF16") else F32 if tf32 else F16
    kept = 10 if tf32 else fmt.fraction
    compressed, a_registers, b_registers = SPARSE_HMMA[b.one("16816", "16832", "1688"), bits]
    selector = b.value(-1)
    group = lane() & ~3

    def terms(row_half: E, column: E) -> tuple[list[Term], list[Term]]:
        column = column << 2
        a_terms, b_terms = [], []
        for j in range(compressed):
            field = metadata(b, bits, compressed, j, row_half, selector)
            if tf32:
                a_bits = gather(b, 1, group + j % 4 + ((row_half + 2 * (j // 4)) << 5), a_registers)
                halves = []
                for pick in (field, field >> 2):
                    # Elements 2j and 2j + 1, and their halves, as one two-bit choice.
                    at = column + (2 * j) % 4 + (pick >> 1 & 1) + (2 * j // 4 << 5)
                    halves.append(_half(gather(b, 2, at, b_registers), pick & 1))
                b_bits = concat(halves[0], halves[1])
            else:
                word = gather(b, 1, group + j // 2 % 4 + ((row_half + 2 * (j // 8)) << 5), a_registers)
                a_bits = (word >> 16 * (j % 2)).trunc(16)
                # k = 4 (j / 2) + field: word 2 (j / 2) + field / 2 of the column.
                at = column + 2 * (j // 2) % 4 + (field >> 1 & 1) + (j // 4 << 5)
                b_bits = _half(gather(b, 2, at, b_registers), field & 1)
            a_terms.append(decode(fmt, a_bits, kept))
            b_terms.append(decode(fmt, b_bits, kept))
        return a_terms, b_terms

    accumulate(b, terms)


SPARSE_IMMA = {"16832": (16, 2, 2), "16864": (32, 4, 4)}


def imma_sparse(b: Builder) -> None:
    kinds = [m for m in b.mods if m in ("U8", "S8")]
    if len(kinds) != 2:
        raise b.fail()
    compressed, a_registers, b_registers = SPARSE_IMMA[b.one(*SPARSE_IMMA)]
    b.rounds, selector = 4, b.value(-1)
    r = round_number()
    row_half, group = r >> 1, lane() & ~3
    column = (((lane() & 3) << 1) + (r & 1)) << 2
    total = const(0)
    for j in range(compressed):
        field = metadata(b, 8, compressed, j, row_half, selector) & 3
        word = gather(b, 1, group + j // 4 % 4 + ((row_half + 2 * (j // 16)) << 5), a_registers)
        other = gather(b, 2, column + j // 2 % 4 + (j // 8 << 5), b_registers)
        total = total + _piece(word, j % 4, kinds[0]) * _piece(other.shr(field << 3), 0, kinds[1])
    _finish_integer(b, total, r)


DMMA_SHAPES = {"884": (4, 1), "8x8x4": (4, 1), "16x8x4": (4, 2), "16x8x8": (8, 2), "16x8x16": (16, 2)}


@semantic("DMMA")
def dmma(b: Builder) -> None:
    k, halves = DMMA_SHAPES[b.one(*DMMA_SHAPES)]
    if any(b.flag(i, name) for i in (1, 2, 3) for name in ("neg", "abs")):
        raise b.fail("operand modifier")
    b.rounds, b.stride = 2 * halves, 2
    r = round_number()
    row_half = r >> 1
    group, column = lane() & ~3, ((lane() & 3) << 1) + (r & 1)

    def double(operand: int, where: E, registers: int) -> E:
        words = [gather(b, operand, where + (half << 5), registers) for half in (0, 1)]
        return concat(words[0], words[1])

    total = double(3, lane() + (r << 6), 4 * halves)
    for i in range(k):
        x = double(1, group + i % 4 + ((row_half + halves * (i // 4)) << 6), 2 * halves * (k // 4))
        y = double(2, (column << 2) + i % 4 + (i // 4 << 6), 2 * (k // 4))
        total = propagate(F64, fma("f64", x, y, total, rounding(b)), y, total, x)
    b.set(0, total)


@semantic("MOVM")
def movm(b: Builder) -> None:
    """Transposes an 8x8 matrix of 16-bit elements: element (r, c) is in lane 4 r + c / 2, half c % 2."""
    if not b.has("MT88"):
        raise b.fail()
    row, pair = lane() >> 2, lane() & 3
    # This lane's elements (row, 2 pair + j) are the operand's (2 pair + j, row).
    parts = [_half(gather(b, 1, (((pair << 1) + j) << 2) + (row >> 1)), row & 1) for j in (0, 1)]
    b.set(0, concat(parts[0], parts[1]))


__all__ = ["gather"]
