"""Bitwise logic, shifts, bit fields and byte permutation.

PTX shift amounts are unsigned and clamp at the width; SHF without .W does the same.
"""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.lower.builder import Builder, Pair, imm, neg, number
from minicc.ptxas.lower.integer import extend, operand
from minicc.ptxas.lower.types import bits, dotted, signed, type_of
from minicc.ptxas.mir import FALSE, TRUE, ZERO, MOperand, V
from minicc.sass.instr import Imm

LUTS = {"and": 0xC0, "or": 0xFC, "xor": 0x3C}
PREDICATE_LUTS = {"and": 0x80, "or": 0xA8, "xor": 0x28}
"""Tables of PLOP3 with PT as third operand."""


def plop(b: Builder, dst: MOperand, x: MOperand, y: MOperand, lut: int) -> None:
    """dst = table(x, y, PT)"""
    b.emit("PLOP3.LUT", (dst, TRUE), (x, y, TRUE, number(lut), number(0)))


def logic(b: Builder, inst: ptx.Inst) -> None:
    """and, or, xor, not."""
    type_ = type_of(inst)
    d, *sources = inst.operands
    if type_ == "pred":
        if inst.opcode == "not":
            p = b.pred_of(sources[0])
            plop(b, b.dst_pred(d), _turn(p), TRUE, 0x80)
        else:
            plop(b, b.dst_pred(d), b.pred_of(sources[0]), b.pred_of(sources[1]), PREDICATE_LUTS[inst.opcode])
        return
    dst = b.dst(d)
    if bits(type_) == 64:
        xs = b.val64(sources[0])
        ys = b.val64(sources[1]) if len(sources) > 1 else (ZERO, ZERO)
        for i in (0, 1):
            _logic32(b, inst.opcode, V(dst.reg, i), xs[i], ys[i])
    else:
        y = b.val(sources[1], type_) if len(sources) > 1 else ZERO
        _logic32(b, inst.opcode, dst, b.val(sources[0], type_), y)


def _turn(p: MOperand) -> MOperand:
    from minicc.ptxas.lower.builder import inv

    return inv(p)


def _logic32(b: Builder, opcode: str, dst: MOperand, x: MOperand, y: MOperand) -> None:
    if opcode == "not":
        b.emit("LOP3.LUT", (dst,), (ZERO, b.reg(x), ZERO, number(0x33), FALSE))
    else:
        b.lop(dst, x, y, ZERO, LUTS[opcode])


def cnot(b: Builder, inst: ptx.Inst) -> None:
    """1 if the operand is zero, else 0."""
    type_ = type_of(inst)
    d, source = inst.operands
    if bits(type_) == 64:
        low, high = b.val64(source)
        p = b.setp("ISETP.EQ.U32.AND", b.logic(low, high, 0xFC), ZERO)
        out = b.dst(d)
        b.select(V(out.reg, 0), imm(1), ZERO, p)
        b.move(V(out.reg, 1), ZERO)
    else:
        wide = type_.replace("b", "u")
        p = b.setp("ISETP.EQ.U32.AND", operand(b, source, wide), ZERO)
        b.select(b.dst(d), imm(1), ZERO, p)


def lop3(b: Builder, inst: ptx.Inst) -> None:
    """lop3.b32 d, a, b, c, table; with .and/.or also a predicate d|p = (result != 0) op q."""
    d, *rest = inst.operands
    x, y, z = (b.val(o) for o in rest[:3])
    table = b.constant(rest[3])
    if table is None:
        b.wrong("lop3: the table must be a constant")
    if isinstance(d, ptx.Pair):
        combine = "or" if "or" in inst.modifiers else "and"
        out = b.temp() if isinstance(d.first, ptx.Symbol) else b.dst(d.first)
        b.lop(out, x, y, z, table & 0xFF)
        how = "ISETP.NE.U32." + combine.upper()
        assert d.second is not None
        b.emit(how, (b.dst_pred(d.second), TRUE), (out, ZERO, b.pred_of(rest[4])))
        return
    b.lop(b.dst(d), x, y, z, table & 0xFF)


def shift(b: Builder, inst: ptx.Inst) -> None:
    """shl and shr."""
    type_ = type_of(inst)
    d, source, amount = inst.operands
    left = inst.opcode == "shl"
    dst = b.dst(d)
    by = b.val(amount)
    known = b.constant(amount)
    if known is not None:
        by = imm(min(known & 0xFFFFFFFF, 64))
    if bits(type_) == 64:
        shift64(b, dst, b.val64(source), by, "L" if left else "R", signed(type_))
        return
    x = b.reg(b.val(source, type_) if left else operand(b, source, type_.replace("b", "u")))
    if known is not None and (known & 0xFFFFFFFF) >= 32:
        if left or not signed(type_):
            b.move(dst, ZERO)
            return
        by = imm(31)
    if left:
        b.emit("SHF.L.U32", (dst,), (x, by, ZERO))
    else:
        b.emit("SHF.R.S32.HI" if signed(type_) else "SHF.R.U32.HI", (dst,), (ZERO, by, x))


def shift64(b: Builder, dst: V, x: Pair, by: MOperand, way: str, sign: bool) -> None:
    """A 64-bit shift. The half that the other one needs is written last."""
    if isinstance(by, Imm) and by.bits >= 32:
        shift64_far(b, dst, x, min(by.bits - 32, 32), way, sign)
        return
    low, high = b.reg(x[0]), b.reg(x[1])
    if way == "L":
        b.emit("SHF.L.U64.HI", (V(dst.reg, 1),), (low, by, high))
        b.emit("SHF.L.U32", (V(dst.reg, 0),), (low, by, ZERO))
    else:
        b.emit("SHF.R.S64" if sign else "SHF.R.U64", (V(dst.reg, 0),), (low, by, high))
        b.emit("SHF.R.S32.HI" if sign else "SHF.R.U32.HI", (V(dst.reg, 1),), (ZERO, by, high))


def shift64_far(b: Builder, dst: V, x: Pair, by: int, way: str, sign: bool) -> None:
    """A 64-bit shift by 32 + `by`: one half, moved or shifted into the other's place; `by` is 32 at most."""
    low, high = V(dst.reg, 0), V(dst.reg, 1)
    if way == "L":
        if by in (0, 32):
            b.move(high, ZERO if by else x[0])
        else:
            b.emit("SHF.L.U32", (high,), (b.reg(x[0]), imm(by), ZERO))
        b.move(low, ZERO)
        return
    if by in (0, 32) and not (by and sign):
        b.move(low, ZERO if by else x[1])
    else:
        b.emit("SHF.R.S32.HI" if sign else "SHF.R.U32.HI", (low,), (ZERO, imm(min(by, 31)), b.reg(x[1])))
    if sign:
        b.emit("SHF.R.S32.HI", (high,), (ZERO, imm(31), b.reg(x[1])))
    else:
        b.move(high, ZERO)


def funnel(b: Builder, inst: ptx.Inst) -> None:
    """shf.{l,r}.{clamp,wrap}.b32 d, low, high, amount."""
    d, low, high, amount = inst.operands
    x, y = b.reg(b.val(low)), b.reg(b.val(high))
    wrap = "W" if "wrap" in inst.modifiers else ""
    if "l" in inst.modifiers:
        op = dotted("SHF.L", wrap, "U32.HI")
    else:
        op = dotted("SHF.R", wrap, "U32")
    by = b.val(amount)
    known = b.constant(amount)
    if known is not None:
        by = imm(known & 31 if wrap else min(known & 0xFFFFFFFF, 32))
    b.emit(op, (b.dst(d),), (x, by, y))


def byte(b: Builder, item: ptx.Operand) -> MOperand:
    """The low byte of an operand, zero-extended: positions and lengths of bit fields."""
    known = b.constant(item)
    if known is not None:
        return imm(known & 0xFF)
    return extend(b, b.val(item), "u8")


def bfe(b: Builder, inst: ptx.Inst) -> None:
    """Bit field extract: a field that reaches past the top is filled by zeros, or by the sign."""
    type_ = type_of(inst)
    d, source, position, length = inst.operands
    at, count = byte(b, position), byte(b, length)
    if bits(type_) == 32:
        x = b.reg(b.val(source))
        op = "SHF.R.S32.HI" if signed(type_) else "SHF.R.U32.HI"
        moved = b.temp()
        b.emit(op, (moved,), (ZERO, at, x))
        b.emit("SGXT" if signed(type_) else "SGXT.U32", (b.dst(d),), (moved, count))
        return
    pair = b.val64(source)
    moved = b.temp(2)
    shift64(b, moved, pair, at, "R", signed(type_))
    # Keep `count` bits: shift up by 64 - count (0 for 64 and more), then down again.
    up = _room(b, count)
    raised, lowered = b.temp(2), b.temp(2)
    shift64(b, raised, (V(moved.reg, 0), V(moved.reg, 1)), up, "L", False)
    shift64(b, lowered, (V(raised.reg, 0), V(raised.reg, 1)), up, "R", signed(type_))
    out = b.dst(d)
    if signed(type_):
        some = b.setp("ISETP.NE.U32.AND", count, ZERO)
        for i in (0, 1):
            b.select(V(out.reg, i), V(lowered.reg, i), ZERO, some)
    else:
        b.move64(out, V(lowered.reg, 0), V(lowered.reg, 1))


def _room(b: Builder, count: MOperand) -> MOperand:
    """max(64 - count, 0)"""
    if isinstance(count, Imm) and 0 < count.bits <= 64:
        return imm(64 - count.bits)
    rest = b.temp()
    b.emit("IADD3", (rest,), (neg(b.reg(count)), imm(64), ZERO))
    out = b.temp()
    b.emit("VIMNMX", (out,), (rest, ZERO, FALSE))
    return out


def bfi(b: Builder, inst: ptx.Inst) -> None:
    """Bit field insert: d = b with `length` bits at `position` taken from a."""
    d, source, base, position, length = inst.operands
    at, count = byte(b, position), byte(b, length)
    if bits(type_of(inst)) == 32:
        mask = b.temp()
        b.emit("BMSK", (mask,), b.slots(at, count))
        moved = b.temp()
        b.emit("SHF.L.U32", (moved,), (b.reg(b.val(source)), at, ZERO))
        b.lop(b.dst(d), moved, mask, b.val(base), 0xE2)
        return
    if isinstance(at, Imm) and isinstance(count, Imm):
        _insert64(b, b.dst(d), b.val64(source), b.val64(base), at.bits, count.bits)
        return
    ones = (imm(-1), imm(-1))
    field, mask64, moved64 = b.temp(2), b.temp(2), b.temp(2)
    shift64(b, field, ones, _room(b, count), "R", False)
    some = b.setp("ISETP.NE.U32.AND", count, ZERO)
    kept = tuple(b.sel(V(field.reg, i), ZERO, some) for i in (0, 1))
    shift64(b, mask64, (kept[0], kept[1]), at, "L", False)
    shift64(b, moved64, b.val64(source), at, "L", False)
    low, high = b.val64(base)
    out = b.dst(d)
    b.lop(V(out.reg, 0), V(moved64.reg, 0), V(mask64.reg, 0), low, 0xE2)
    b.lop(V(out.reg, 1), V(moved64.reg, 1), V(mask64.reg, 1), high, 0xE2)


def _insert64(b: Builder, out: V, source: Pair, base: Pair, at: int, count: int) -> None:
    """A 64-bit field of a known place: each half is the source's, the base's, or bits of both."""
    field = (1 << count) - 1 << at
    moved = b.temp(2)
    shift64(b, moved, source, imm(at), "L", False)
    for half in (0, 1):
        ones = field >> 32 * half & 0xFFFFFFFF
        if ones in (0, 0xFFFFFFFF):
            b.move(V(out.reg, half), V(moved.reg, half) if ones else base[half])
        else:
            b.lop(V(out.reg, half), V(moved.reg, half), imm(ones), base[half], 0xE2)


def mask(b: Builder, inst: ptx.Inst) -> None:
    """bmsk and szext."""
    wrap = "W" if "wrap" in inst.modifiers else ""
    d, first, second = inst.operands
    if inst.opcode == "bmsk":
        op = dotted("BMSK", wrap)
    else:
        op = dotted("SGXT", wrap, "" if signed(type_of(inst)) else "U32")
    b.emit(op, (b.dst(d),), b.slots(b.val(first), b.val(second)))


_PRMT_MODES = {"f4e": "F4E", "b4e": "B4E", "rc8": "RC8", "ecl": "ECL", "ecr": "ECR", "rc16": "RC16"}


def prmt(b: Builder, inst: ptx.Inst) -> None:
    """prmt d, a, b, selector."""
    d, first, second, selector = inst.operands
    mode = next((_PRMT_MODES[m] for m in inst.modifiers if m in _PRMT_MODES), "")
    x, s, y = b.slots(b.val(first), b.val(selector), b.val(second))
    b.emit(dotted("PRMT", mode), (b.dst(d),), (x, s, y))


def brev(b: Builder, inst: ptx.Inst) -> None:
    d, source = inst.operands
    if bits(type_of(inst)) == 64:
        low, high = b.val64(source)
        out = b.dst(d)
        turned = b.temp()
        b.emit("BREV", (turned,), (b.reg(low),))
        b.emit("BREV", (V(out.reg, 0),), (b.reg(high),))
        b.move(V(out.reg, 1), turned)
    else:
        b.emit("BREV", (b.dst(d),), (b.reg(b.val(source)),))


def fns(b: Builder, inst: ptx.Inst) -> None:
    """fns.b32 d, mask, base, offset: the offset-th set bit at or above (below, if negative) base; -1 if there is none.

    The mask is reversed for negative offsets, and the place found by halves: as many bits as are set in the lower one
    are to be passed or not."""
    d, mask_, base, offset = inst.operands
    word, at, count = b.reg(b.val(mask_)), b.reg(b.val(base)), b.reg(b.val(offset))
    down = b.setp("ISETP.LT.AND", count, ZERO)
    zero = b.setp("ISETP.EQ.AND", count, ZERO)
    turned = b.temp()
    b.emit("BREV", (turned,), (word,))
    start = b.sel(b.new("IADD3", neg(at), imm(31), ZERO), at, down)
    above = b.new("SHF.L.U32", b.reg(imm(-1)), start, ZERO)
    only = b.new("SHF.L.U32", b.reg(imm(1)), start, ZERO)
    field = b.logic(b.sel(turned, word, down), b.sel(only, above, zero), 0xC0)
    steps, passed, rest, position = b.temp(), b.temp(), b.temp(), b.temp()
    b.emit("IABS", (steps,), (count,))
    wanted = b.new("VIMNMX", b.new("IADD3", steps, imm(-1), ZERO), ZERO, FALSE)
    there = b.temp()
    b.emit("POPC", (there,), (field,))
    some = b.setp("ISETP.GT.U32.AND", there, wanted)
    b.move(passed, wanted)
    b.move(rest, field)
    b.move(position, ZERO)
    for half in (16, 8, 4, 2, 1):
        lower = b.temp()
        b.emit("POPC", (lower,), (b.logic(rest, imm((1 << half) - 1), 0xC0),))
        beyond = b.setp("ISETP.GE.U32.AND", passed, lower)
        b.emit("IADD3", (passed,), (passed, neg(lower), ZERO), beyond)
        b.emit("SHF.R.U32.HI", (rest,), (ZERO, imm(half), rest), beyond)
        b.emit("IADD3", (position,), (position, imm(half), ZERO), beyond)
    back = b.sel(b.new("IADD3", neg(position), imm(31), ZERO), position, down)
    b.select(b.dst(d), back, imm(-1), some)


LOWER = {
    "and": logic,
    "or": logic,
    "xor": logic,
    "not": logic,
    "cnot": cnot,
    "lop3": lop3,
    "shl": shift,
    "shr": shift,
    "shf": funnel,
    "bfe": bfe,
    "bfi": bfi,
    "bmsk": mask,
    "szext": mask,
    "prmt": prmt,
    "brev": brev,
    "fns": fns,
}
