"""Video instructions: vadd, vsub, vabsdiff, vmin, vmax, vset on words, and on two halves or four bytes of a word.

There is little for them in the machine (they are calls of small routines in ptxas's code too): every lane is cut out
with its sign, computed in 32 bits, clamped where .sat asks, and put in its place, or added up. PTX ISA, "Scalar Video
Instructions" and "SIMD Video Instructions".
"""

from __future__ import annotations

from collections.abc import Iterable

from minicc.ptx import model as ptx
from minicc.ptxas.lower.builder import Builder, imm, inv, neg
from minicc.ptxas.lower.integer import compare64
from minicc.ptxas.mir import TRUE, ZERO, MOperand, V
from minicc.record import evolve

_LANES = {"2": 16, "4": 8}
_CUTS = {"b0": (0, 8), "b1": (8, 8), "b2": (16, 8), "b3": (24, 8), "h0": (0, 16), "h1": (16, 16)}
_COMPARE = {"eq": "EQ", "ne": "NE", "lt": "LT", "le": "LE", "gt": "GT", "ge": "GE"}


def simd(b: Builder, inst: ptx.Inst) -> None:
    """v{add,sub,avrg,absdiff,min,max,set}{2,4}.dtype.atype.btype{.sat}{.add} d, a, b, c"""
    what, width = inst.opcode[1:-1], _LANES[inst.opcode[-1]]
    mods = inst.modifiers
    types = [m for m in mods if m in ("u32", "s32")]
    compare = next((m for m in mods if m in _COMPARE), "")
    if len(types) != (2 if what == "set" else 3):
        b.unsupported()
    if what == "set":
        types = ["u32", *types]
    d, left, right, *third = inst.operands
    lanes = 32 // width
    words = [b.reg(b.val(_bare(item))) for item in (left, right)]
    first, second = _lanes(left, range(lanes)), _lanes(right, range(lanes, 2 * lanes))
    wanted = set(_lanes(d, range(lanes)))
    old: MOperand = b.reg(b.val(third[0])) if third else ZERO
    values: dict[int, MOperand] = {}
    for lane in sorted(wanted):
        u, v = (
            cut(b, words[n // lanes], n % lanes * width, width, type_ == "s32")
            for n, type_ in ((first[lane], types[1]), (second[lane], types[2]))
        )
        if what == "absdiff":
            values[lane] = b.new("IABS", b.new("IADD3", u, neg(b.reg(v)), ZERO))
        else:
            values[lane] = compute(b, what, u, v, "s32" in types[1:], compare)
        if "sat" in mods:
            values[lane] = clamp(b, values[lane], width, types[0] == "s32")
    if "add" in mods:
        total = old
        for value in values.values():
            total = b.new("IADD3", total, value, ZERO)
    else:
        total = gathered(b, values, lanes, old)
    b.move(b.dst(_bare(d)), total)


def gathered(b: Builder, values: dict[int, MOperand], lanes: int, old: MOperand) -> MOperand:
    """A word of the lowest bits of each lane's value; lanes without one are `old`'s."""
    if len(values) == lanes:
        if lanes == 2:
            return b.new("PRMT", values[0], imm(0x5410), values[1])
        low, high = (b.new("PRMT", values[k], imm(0x40), values[k + 1]) for k in (0, 2))
        return b.new("PRMT", low, imm(0x5410), high)
    size = 4 // lanes
    for lane, value in values.items():
        picked = [4 + k - lane * size if k // size == lane else k for k in range(4)]
        old = b.new("PRMT", old, imm(sum(byte << 4 * k for k, byte in enumerate(picked))), value)
    return old


def _bare(item: ptx.Operand) -> ptx.Operand:
    return evolve(item, part=None) if isinstance(item, ptx.Reg) else item


def _lanes(item: ptx.Operand, default: Iterable[int]) -> list[int]:
    """What a selector names, lowest lane first: `.h32` is halves 2 and 3 of the two operands' four."""
    part = item.part if isinstance(item, ptx.Reg) else None
    return [int(digit) for digit in reversed(part.lstrip(".")[1:])] if part else list(default)


def scalar(b: Builder, inst: ptx.Inst) -> None:
    """v{add,sub,absdiff,min,max,set,shl,shr}.dtype.atype.btype{.sat}{.op2} d{.b0}, a{.b0}, b{.h1}, c. Sums that need
    33 bits wrap to 32 unless clamped, which is done in 64."""
    what, mods = inst.opcode[1:], inst.modifiers
    types = [m for m in mods if m in ("u32", "s32")]
    compare = next((m for m in mods if m in _COMPARE), "")
    second = next((m for m in mods if m in ("add", "min", "max")), "")
    d, left, right, *third = inst.operands
    part = d.part if isinstance(d, ptx.Reg) else None
    if what == "set":
        types = [types[0], *types]
    if len(types) != 3:
        b.unsupported()
    u, v = chosen(b, left, types[1] == "s32"), chosen(b, right, types[2] == "s32")
    saturate, signed = "sat" in mods, types[0] == "s32"
    if saturate or second in ("min", "max"):
        low, high = exact(b, what, u, v, types, "clamp" in mods, saturate, compare)
        if saturate:
            low = clamped64(b, low, high, signed)
            high = b.new("SHF.R.S32.HI", ZERO, imm(31), b.reg(low)) if signed else ZERO
            if part is not None:
                low = narrowed(b, low, _CUTS[part.lstrip(".")][1], signed)
        value = low
    elif what in ("shl", "shr"):
        value = shifted(b, what, u, v, types[1] == "s32", "clamp" in mods)
    elif types[1] != types[2] and what in ("min", "max", "absdiff", "set"):
        value = mixed(b, what, u, v, types[1] == "s32", compare)
    else:
        value = compute(b, what, u, v, "s32" in types[1:], compare)
    if second == "add":
        value = b.new("IADD3", value, b.reg(b.val(third[0])), ZERO)
    elif second:
        other = b.reg(b.val(third[0]))
        upper = b.new("SHF.R.S32.HI", ZERO, imm(31), other) if signed else ZERO
        less = compare64(b, "LT", signed, (b.reg(low), high), (other, upper))
        value = b.sel(low, other, less) if second == "min" else b.sel(other, low, less)
    elif part is not None:
        # Only that part of the result is new; the rest is that of c.
        at, width = _CUTS[part.lstrip(".")]
        mask = ((1 << width) - 1) << at
        placed = b.new("SHF.L.U32", value, imm(at), ZERO) if at else value
        value = b.logic(b.reg(b.val(third[0])), imm(mask), 0xB8, placed)
    b.move(b.dst(_bare(d)), value)


def exact(
    b: Builder, what: str, u: MOperand, v: MOperand, types: list[str], clamped: bool, saturate: bool, compare: str
) -> tuple[MOperand, MOperand]:
    """The result in 64 bits, as far as ptxas 13.0 keeps it: sums not to be clamped have 32, shifts to the left 34."""

    def sign(x: MOperand) -> MOperand:
        return b.new("SHF.R.S32.HI", ZERO, imm(31), b.reg(x))

    left, right = ((x, sign(x) if type_ == "s32" else ZERO) for x, type_ in ((u, types[1]), (v, types[2])))
    if what in ("add", "sub") and not saturate:
        low = compute(b, what, u, v, True, "")
        return low, sign(low)
    if what == "set":
        word = {"lt": "LT", "le": "LE", "gt": "GT", "ge": "GE", "eq": "EQ", "ne": "NE"}[compare]
        return b.sel(imm(1), ZERO, compare64(b, word, True, left, right)), ZERO
    if what in ("min", "max"):
        less = compare64(b, "LT", True, left, right)
        one, other = (left, right) if what == "min" else (right, left)
        return b.sel(one[0], other[0], less), b.sel(one[1], other[1], less)
    if what in ("shl", "shr"):
        amount = b.new("VIMNMX.U32", v, imm(32), TRUE) if clamped else b.logic(v, imm(31), 0xC0)
        if what == "shr":
            kind = "S" if types[1] == "s32" else "U"
            high = b.new(f"SHF.R.{kind}32.HI", ZERO, amount, left[1])
            return b.new("SHF.R.U64", left[0], amount, left[1]), high
        high = b.new("SHF.L.U32", b.new("SHF.L.U64.HI", left[0], amount, left[1]), imm(30), ZERO)
        return b.new("SHF.L.U32", left[0], amount, ZERO), b.new("SHF.R.S32.HI", ZERO, imm(30), high)
    total = b.temp(2)
    (b.add64 if what == "add" else b.sub64)(total, left, right)
    if what == "absdiff":
        turned, out = b.temp(2), b.temp(2)
        b.sub64(turned, (ZERO, ZERO), (V(total.reg, 0), V(total.reg, 1)))
        negative = b.setp("ISETP.LT.AND", V(total.reg, 1), ZERO)
        for k in (0, 1):
            b.select(V(out.reg, k), V(turned.reg, k), V(total.reg, k), negative)
        total = out
    return V(total.reg, 0), V(total.reg, 1)


def mixed(b: Builder, what: str, u: MOperand, v: MOperand, left: bool, compare: str) -> MOperand:
    """min, max, distance or compare of a signed word (`left`: the first) and an unsigned one."""
    s, t = (u, v) if left else (v, u)
    negative = b.setp("ISETP.LT.AND", s, ZERO)
    if what != "set":
        below = b.setp("ISETP.LT.U32.OR", s, t, negative)
        if what == "absdiff":
            one, other = (b.new("IADD3", x, neg(y), ZERO) for x, y in ((t, s), (s, t)))
            return b.sel(one, other, below)
        return b.sel(s, t, below) if what == "min" else b.sel(t, s, below)
    if not left:
        compare = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}.get(compare, compare)
    if compare in ("eq", "ne"):
        p, turned = b.setp("ISETP.EQ.U32.AND", s, t, inv(negative)), compare == "ne"
    else:
        word, turned = ("LT", compare == "ge") if compare in ("lt", "ge") else ("LE", compare == "gt")
        p = b.setp(f"ISETP.{word}.U32.OR", s, t, negative)
    return b.sel(ZERO, imm(1), p) if turned else b.sel(imm(1), ZERO, p)


def shifted(b: Builder, what: str, u: MOperand, v: MOperand, signed: bool, clamped: bool) -> MOperand:
    """a << b or a >> b: amounts over 31 clamp at 32, or wrap."""
    amount = b.reg(v) if clamped else b.logic(v, imm(31), 0xC0)
    if what == "shl":
        return b.new("SHF.L.U32", u, amount, ZERO)
    return b.new(f"SHF.R.{'S' if signed else 'U'}32.HI", ZERO, amount, u)


def narrowed(b: Builder, value: MOperand, width: int, signed: bool) -> MOperand:
    """A word of the result type, clamped to the part of the register that it goes to."""
    high = imm((1 << (width - signed)) - 1)
    if not signed:
        return b.new("VIMNMX.U32", value, high, TRUE)
    return b.new("VIMNMX", b.new("VIMNMX", value, high, TRUE), imm(-(1 << (width - 1))), inv(TRUE))


def clamped64(b: Builder, low: MOperand, high: MOperand, signed: bool) -> MOperand:
    """A signed number of 64 bits, clamped to 32."""
    below = b.setp("ISETP.LT.AND", high, ZERO)
    if signed:
        sign = b.new("SHF.R.S32.HI", ZERO, imm(31), low)
        outside = b.setp("ISETP.NE.AND", high, sign)
        return b.sel(b.sel(imm(0x80000000), imm(0x7FFFFFFF), below), low, outside)
    above = b.setp("ISETP.GT.AND", high, ZERO)
    return b.sel(ZERO, b.sel(imm(0xFFFFFFFF), low, above), below)


def multiply(b: Builder, inst: ptx.Inst) -> None:
    """vmad.dtype.atype.btype{.sat}{.po}{.shr7,.shr15} d, {-}a{.b0}, {-}b{.h1}, {-}c: the product and sum in full, then
    shifted, then clamped or cut."""
    mods = inst.modifiers
    types = [m for m in mods if m in ("u32", "s32")]
    d, left, right, third = inst.operands
    if len(types) != 3:
        b.unsupported()
    minus = [isinstance(o, ptx.Reg) and o.minus for o in (left, right, third)]
    u, v = (chosen(b, _plain(o), t == "s32") for o, t in ((left, types[1]), (right, types[2])))
    c = b.reg(b.val(_plain(third)))
    product = _product(b, u, v, types[1] == "s32", types[2] == "s32")
    signed = "s32" in types[1:] or any(minus)
    addend = (c, b.new("SHF.R.S32.HI", ZERO, imm(31), c) if types[0] == "s32" else ZERO)
    total = b.temp(2)
    halves = (V(product.reg, 0), V(product.reg, 1))
    if minus[0] != minus[1]:
        b.sub64(total, addend, halves)
    elif minus[2]:
        b.sub64(total, halves, addend)
    else:
        b.add64(total, halves, addend)
    low, high = V(total.reg, 0), V(total.reg, 1)
    if "po" in mods:
        more = b.temp(2)
        b.add64(more, (low, high), (imm(1), ZERO))
        low, high = V(more.reg, 0), V(more.reg, 1)
    shift = next((int(m[3:]) for m in mods if m in ("shr7", "shr15")), 0)
    if shift:
        kind = "S" if signed else "U"
        low, high = (
            b.new("SHF.R.U64", low, imm(shift), high),
            b.new(f"SHF.R.{kind}32.HI", ZERO, imm(shift), high),
        )
    if "sat" not in mods:
        b.move(b.dst(d), low)
    elif signed:
        b.move(b.dst(d), clamped64(b, low, high, types[0] == "s32"))
    else:
        p = b.setp("ISETP.NE.U32.AND", high, ZERO)
        b.move(b.dst(d), b.sel(imm(0xFFFFFFFF), low, p))


def _plain(operand: ptx.Operand) -> ptx.Operand:
    return evolve(operand, minus=False) if isinstance(operand, ptx.Reg) else operand


def _product(b: Builder, u: MOperand, v: MOperand, left: bool, right: bool) -> V:
    """All 64 bits of a product of numbers of either sign."""
    out = b.temp(2)
    if left == right:
        b.emit("IMAD.WIDE" if left else "IMAD.WIDE.U32", (out,), (u, v, ZERO))
        return out
    # One is signed: where it is negative, the other was counted 2^32 times too often.
    b.emit("IMAD.WIDE.U32", (out,), (u, v, ZERO))
    sign = b.new("SHF.R.S32.HI", ZERO, imm(31), u if left else v)
    extra = b.logic(sign, v if left else u, 0xC0)
    fixed = b.temp(2)
    b.move(V(fixed.reg, 0), V(out.reg, 0))
    b.emit("IADD3", (V(fixed.reg, 1),), (V(out.reg, 1), neg(extra), ZERO))
    return fixed


def chosen(b: Builder, item: ptx.Operand, signed: bool) -> MOperand:
    """An operand, or the byte or half of it that the instruction names."""
    part = item.part if isinstance(item, ptx.Reg) else None
    if part is None:
        return b.reg(b.val(item))
    assert isinstance(item, ptx.Reg)
    at, width = _CUTS[part.lstrip(".")]
    return cut(b, b.reg(V(b.vreg(item.name))), at, width, signed)


def cut(b: Builder, word: MOperand, at: int, width: int, signed: bool) -> MOperand:
    """Bits at..at+width of a word, extended."""
    byte = at // 8
    last = byte + width // 8 - 1
    fill = last | 8 if signed else 7
    if width == 8:
        selector = byte | fill << 4 | fill << 8 | fill << 12
    else:
        selector = byte | last << 4 | fill << 8 | fill << 12
    if not signed:
        selector = selector & 0xFF if width == 16 else selector & 0xF
        selector |= 0x4400 if width == 16 else 0x4440
    return b.new("PRMT", word, imm(selector), ZERO)


def compute(b: Builder, what: str, u: MOperand, v: MOperand, signed: bool, compare: str) -> MOperand:
    kind = "" if signed else ".U32"
    if what == "add":
        return b.new("IADD3", u, v, ZERO)
    if what == "sub":
        return b.new("IADD3", u, neg(b.reg(v)), ZERO)
    if what == "avrg":
        # Halves go up, and those of negative sums down.
        total = b.new("IADD3", u, v, ZERO)
        if not signed:
            return b.new("SHF.R.U32.HI", ZERO, imm(1), b.new("IADD3", total, imm(1), ZERO))
        negative = b.new("SHF.R.S32.HI", ZERO, imm(31), total)
        return b.new("SHF.R.S32.HI", ZERO, imm(1), b.new("IADD3", total, imm(1), negative))
    if what in ("min", "max"):
        return b.new(f"VIMNMX{kind}", b.reg(u), v, TRUE if what == "min" else inv(TRUE))
    if what == "absdiff":
        p = b.setp(f"ISETP.LT{kind}.AND", u, v)
        return b.sel(b.new("IADD3", v, neg(b.reg(u)), ZERO), b.new("IADD3", u, neg(b.reg(v)), ZERO), p)
    if what == "set" and compare:
        p = b.setp(f"ISETP.{_COMPARE[compare]}{kind}.AND", u, v)
        return b.sel(imm(1), ZERO, p)
    b.unsupported()


def clamp(b: Builder, value: MOperand, width: int, signed: bool) -> MOperand:
    """To what a lane can hold."""
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
    return b.new("VIMNMX", b.new("VIMNMX", value, imm(high), TRUE), imm(low), inv(TRUE))


LOWER = {
    **{f"v{op}{n}": simd for n in _LANES for op in ("add", "sub", "avrg", "absdiff", "min", "max", "set")},
    **{f"v{op}": scalar for op in ("add", "sub", "absdiff", "min", "max", "set", "shl", "shr")},
    "vmad": multiply,
}
