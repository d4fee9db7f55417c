"""Bits: LOP3, PLOP3, SHF, PRMT, POPC, FLO, BREV, SGXT, BMSK, selects and moves, predicates in registers, and the
uniform twins of all these."""

from __future__ import annotations

from minicc.sass.instr import Reg
from minicc.sass.semantics.expr import FALSE, TRUE, E, concat, const
from minicc.sass.semantics.form import Builder, Result, ResultFile, Slot, SlotKind, Unsupported, semantic
from minicc.sass.semantics.integer import split_preds


def lut3(lut: int, a: E, b: E, c: E) -> E:
    """Bit i of `lut` is the result for a,b,c = the bits of i, a highest."""
    simple = {0x00: const(0, a.width), 0xFF: const(-1, a.width), 0xF0: a, 0xCC: b, 0xAA: c}
    if lut in simple:
        return simple[lut]
    # Shannon on a: each half is a function of b and c.
    high, low = _lut2(lut >> 4, b, c), _lut2(lut & 15, b, c)
    if lut >> 4 == lut & 15:
        return high
    if lut >> 4 == ~lut & 15:
        return a ^ low
    return (a & high) | (~a & low)


def _lut2(lut: int, b: E, c: E) -> E:
    zero, ones = const(0, b.width), const(-1, b.width)
    table = (
        zero, ~(b | c), ~b & c, ~b, b & ~c, ~c, b ^ c, ~(b & c),
        b & c, ~(b ^ c), c, ~b | c, b, b | ~c, b | c, ones,
    )  # fmt: skip
    return table[lut]


@semantic("LOP3", "ULOP3", keyed=(-2,))
def lop3(b: Builder) -> None:
    """Any function of three; the predicate destination is (result != 0) or P (PAND: and P)."""
    first = 1 if isinstance(o := b.ops[0], Reg) and o.file in ("P", "UP") else 0
    result = lut3(b.value(-2), b.integer(first + 1), b.integer(first + 2), b.integer(first + 3))
    b.set(first, result)
    if first:
        p = b.pred(len(b.ops) - 1)
        b.set(0, result.ne(0) & p if b.has("PAND") else result.ne(0) | p)


@semantic("PLOP3", "UPLOP3", keyed=(-1, -2))
def plop3(b: Builder) -> None:
    """Two functions of the same three predicates: the first lookup table is destination 0's."""
    x, y, z = b.pred(2), b.pred(3), b.pred(4)
    b.set(0, lut3(b.value(5), x, y, z))
    b.set(1, lut3(b.value(6), x, y, z))


@semantic("SHF", "USHF")
def shf(b: Builder) -> None:
    """Funnel shift of hi:lo (operands lo, amount, hi); the amount is clamped to, or with W wrapped at, 32 or 64."""
    kind = b.one("U32", "S32", "U64", "S64")
    bits = int(kind[1:])
    wide, amount = concat(b.integer(1), b.integer(3)), b.integer(2)
    amount = amount & (bits - 1) if b.has("W") else amount.umin(bits)
    amount = amount.zext(64)
    if b.has("L"):
        shifted = wide.shl(amount)
    else:
        shifted = wide.asr(amount) if kind[0] == "S" else wide.shr(amount)
    b.set(0, (shifted >> 32).trunc(32) if b.has("HI") else shifted.trunc(32))


def _prmt_byte(pool: E, index: E) -> E:
    """Byte `index` (0..7, 32 bits wide) of a 64-bit pool, in 32 bits."""
    return (pool.shr(((index & 7) << 3).zext(64)).trunc(32)) & 0xFF


@semantic("PRMT", "UPRMT", keyed=(2,))
def prmt(b: Builder) -> None:
    """Bytes of c:a picked by the nibbles of the selector (bit 3 copies the sign); or one of the fixed modes."""
    pool, sel = concat(b.integer(1), b.integer(3)), b.integer(2)
    if getattr(b.ops[2], "bits", None) is not None:
        sel = const(b.value(2), 32)
    mode = b.one("F4E", "B4E", "RC8", "ECL", "ECR", "RC16")
    s = sel & 3
    out = const(0, 32)
    for i in range(4):
        index = {
            "": sel >> 4 * i if i else sel,
            "F4E": s + i,
            "B4E": s - i,
            "RC8": s,
            "ECL": s.umax(i),
            "ECR": s.umin(i),
            "RC16": ((s & 1) << 1) + (i & 1),
        }[mode]
        byte = _prmt_byte(pool, index & 7)
        if not mode:
            replicate = (index & 8).ne(0)
            byte = replicate.select((byte & 0x80).ne(0).select(const(0xFF), const(0)), byte)
        out = out | (byte << 8 * i)
    b.set(0, out)


@semantic("POPC", "UPOPC")
def popc(b: Builder) -> None:
    b.set(0, b.integer(1).popcount())


@semantic("FLO", "UFLO")
def flo(b: Builder) -> None:
    """Number of the highest set bit (signed: highest bit unlike the sign), -1 if none; SH gives 31 minus it."""
    outs, sources, _ = split_preds(b)
    x = b.integer(sources[0])
    if not b.has("U32"):
        x = x.negative().select(~x, x)
    none = x.eq(0)
    count = x.clz()
    b.set(0, none.select(const(-1), count if b.has("SH") else 31 - count))
    for out in outs:
        b.set(out, ~none)


@semantic("BREV", "UBREV")
def brev(b: Builder) -> None:
    b.set(0, b.integer(1).reverse())


@semantic("SGXT", "USGXT")
def sgxt(b: Builder) -> None:
    """Extension from the low n bits, by sign or (U32) by zero; n is clamped to 32, or with W taken modulo 32."""
    x, n = b.integer(1), b.integer(2)
    n = n & 31 if b.has("W") else n.umin(32)
    up = 32 - n
    left = x.shl(up)
    b.set(0, left.shr(up) if b.has("U32") else n.eq(0).select(const(0), left.asr(up)))


@semantic("BMSK", "UBMSK")
def bmsk(b: Builder) -> None:
    """`width` ones from bit `position`; both clamped at 32, or with W taken modulo 32."""
    position, width = b.integer(1), b.integer(2)
    if b.has("W"):
        position, width = position & 31, width & 31
    ones = const(1).shl(width) - 1
    b.set(0, width.uge(32).select(const(-1), ones).shl(position))


@semantic("MOV", "UMOV", keyed=(2,))
def mov(b: Builder) -> None:
    if len(b.ops) > 2 and getattr(b.ops[2], "bits", 15) != 15:
        raise b.fail("byte mask")
    b.set(0, b.integer(1))


@semantic("SEL", "USEL")
def sel(b: Builder) -> None:
    b.set(0, b.pred(3).select(b.integer(1), b.integer(2)))


@semantic("P2R", "UP2UR")
def p2r(b: Builder) -> None:
    """Byte n of the source, its bits under the mask replaced by the predicates (bit 7: zero)."""
    kind: SlotKind = "PR" if b.instr.mnemonic == "P2R" else "UPR"
    bits = const(0)
    for i in range(7):
        leaf = b.leaf(Slot(kind, 1, 1, part=str(i)))
        bits = bits | leaf.zext(32) << i
    at = 8 * int(b.one("B1", "B2", "B3", default="B0")[1])
    mask = (b.integer(3) & 0xFF) << at
    b.set(0, (b.integer(2) & ~mask) | (bits << at & mask))


@semantic("R2P", "UR2UP", keyed=(-1,))
def r2p(b: Builder) -> None:
    """Predicates under the mask are set from a byte of the source."""
    file: ResultFile = "P" if b.instr.mnemonic == "R2P" else "UP"
    suffix = b.suffix(1)
    at = 8 * int(suffix[0][1]) if suffix else 0
    mask = b.value(2) if len(b.ops) > 2 else 0xFF
    x = b.raw(1)
    for i in range(7):
        if mask >> i & 1:
            b.results.append(Result(file, 0, i, x.bit(at + i)))


__all__ = ["FALSE", "TRUE", "Unsupported", "lut3"]
