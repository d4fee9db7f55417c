"""Integer arithmetic of 8 to 64 bits: sums, products, carries, absolute values, minima, bit counts, dot products."""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.lower import products
from minicc.ptxas.lower.builder import Builder, Pair, imm, inv, is_reg, neg
from minicc.ptxas.lower.types import bits, dotted, signed, type_of, types_of
from minicc.ptxas.mir import FALSE, TRUE, ZERO, MOperand, V
from minicc.sass.instr import Imm


def extend(b: Builder, x: MOperand, type_: str) -> MOperand:
    """A value of a narrow type extended to 32 bits by its sign; 32-bit values as they are."""
    width = bits(type_)
    if width >= 32:
        return x
    if not isinstance(x, V):
        value = 0 if x == ZERO else getattr(x, "bits", 0)
        value &= (1 << width) - 1
        return imm(value - (1 << width) if signed(type_) and value >> (width - 1) else value)
    out = b.temp()
    if width == 16:
        b.emit("PRMT", (out,), (x, imm(0x9910 if signed(type_) else 0x7710), ZERO))
    else:
        b.emit("PRMT", (out,), (x, imm(0x8880 if signed(type_) else 0x7770), ZERO))
    return out


def operand(b: Builder, item: ptx.Operand, type_: str) -> MOperand:
    """An operand of at most 32 bits, extended."""
    return extend(b, b.val(item, type_), type_)


def wide(dst: V) -> Pair:
    return V(dst.reg, 0), V(dst.reg, 1)


def add(b: Builder, inst: ptx.Inst) -> None:
    """add, sub and their .sat and .cc forms."""
    type_, subtract = type_of(inst), inst.opcode == "sub"
    d, left, right = inst.operands
    if "cc" in inst.modifiers:
        carried(b, inst)
    elif bits(type_) == 64:
        a, c = b.val64(left), b.val64(right)
        if subtract:
            b.sub64(b.dst(d), a, c)
        else:
            b.add64(b.dst(d), a, c)
    elif type_ in ("u16x2", "s16x2"):
        x, y = b.val(left), b.val(right)
        if subtract:
            ones = b.new("VIADD.16x2", b.logic(ZERO, b.reg(y), 0x33), b.reg(imm(0x00010001)))
            b.op("VIADD.16x2", b.dst(d), b.reg(x), ones)
        else:
            b.op("VIADD.16x2", b.dst(d), b.reg(x), b.reg(y))
    elif "sat" in inst.modifiers:
        saturated(b, b.dst(d), b.val(left), b.val(right), subtract)
    else:
        sum32(b, b.dst(d), b.val(left, type_), b.val(right, type_), subtract)


def sum32(b: Builder, dst: MOperand, x: MOperand, y: MOperand, subtract: bool = False) -> None:
    if subtract:
        if not is_reg(y):
            y, subtract = imm(-y.bits), False  # type: ignore[union-attr]
        elif not is_reg(x):
            b.emit("IADD3", (dst,), (neg(y), x, ZERO))
            return
        else:
            b.emit("IADD3", (dst,), (x, neg(y), ZERO))
            return
    x, y = b.swap(x, y)
    b.emit("IADD3", (dst,), (*b.slots(x, y), ZERO))


def saturated(b: Builder, dst: V, x: MOperand, y: MOperand, subtract: bool, carry: MOperand | None = None) -> None:
    """add.sat.s32: the sum overflowed if its sign differs from that of both addends; then the limit of x's side."""
    x, y = b.reg(x), b.reg(y)
    total = b.temp()
    if carry is None:
        sum32(b, total, x, y, subtract)
    else:
        add_with_carry(b, total, x, y, subtract, carry, TRUE)
    # Bit 31 of (x ^ total) & (y ^ total); for a difference y's sign is turned.
    lut = _overflow_table(subtract)
    overflow = b.temp()
    b.lop(overflow, x, y, total, lut)
    p = b.setp("ISETP.LT.AND", overflow, ZERO)
    sign = b.new("SHF.R.S32.HI", ZERO, imm(31), x)
    limit = b.logic(sign, imm(0x7FFFFFFF), 0x3C)
    b.select(dst, limit, total, p)


def _overflow_table(subtract: bool) -> int:
    table = 0
    for index in range(8):
        x, y, t = index >> 2 & 1, index >> 1 & 1, index & 1
        if subtract:
            y ^= 1
        table |= ((x ^ t) & (y ^ t)) << index
    return table


def carry_register(b: Builder) -> V:
    if b.carry is None:
        b.carry = b.fn.new("P", 1, "CC")
    return V(b.carry)


def carried(b: Builder, inst: ptx.Inst) -> None:
    """add.cc, addc, sub.cc, subc. CC holds the carry out of the adder: for subtraction, "no borrow"."""
    type_ = type_of(inst)
    takes, gives = inst.opcode in ("addc", "subc"), "cc" in inst.modifiers
    subtract = inst.opcode.startswith("sub")
    carry = carry_register(b)
    d, left, right = inst.operands
    dst = b.dst(d)
    if "sat" in inst.modifiers:
        saturated(b, dst, b.val(left), b.val(right), subtract, carry)
        return
    halves = 2 if bits(type_) == 64 else 1
    xs: tuple[MOperand, ...] = b.val64(left) if halves == 2 else (b.val(left),)
    ys: tuple[MOperand, ...] = b.val64(right) if halves == 2 else (b.val(right),)
    into: MOperand = carry
    for i in range(halves):
        last = i == halves - 1
        out: MOperand = carry if gives and last else TRUE if last else b.pred()
        add_with_carry(b, V(dst.reg, i), xs[i], ys[i], subtract, into if takes or i else None, out)
        into = out


def add_with_carry(
    b: Builder, dst: MOperand, x: MOperand, y: MOperand, subtract: bool, into: MOperand | None, out: MOperand
) -> None:
    """dst = x ± y (+ carry), carry out to a predicate (PT: none)."""
    dsts = (dst,) if out == TRUE else (dst, out)
    if subtract:
        sources = b.minus(x, y, into is not None)
    else:
        x, y = b.swap(x, y)
        sources = (*b.slots(x, y), ZERO)
    if into is None:
        b.emit("IADD3", dsts, sources)
    else:
        b.emit("IADD3.X", dsts, (*sources, into, FALSE))


def mul(b: Builder, inst: ptx.Inst) -> None:
    """mul and mad of every width: .lo, .hi, .wide; madc and mad.cc."""
    type_ = type_of(inst)
    d, left, right = inst.operands[:3]
    third = inst.operands[3] if len(inst.operands) > 3 else None
    mods = inst.modifiers
    if "cc" in mods or inst.opcode == "madc":
        multiply_carried(b, inst)
    elif "wide" in mods:
        if bits(type_) == 16:
            x, y = operand(b, left, type_), operand(b, right, type_)
            x, y = b.swap(x, y)
            z = b.val(third) if third is not None else ZERO
            b.op("IMAD", b.dst(d), x, y, z)
        else:
            z64 = b.pair(third) if third is not None else ZERO
            wide_product(b, b.dst(d), b.val(left), b.val(right), signed(type_), z64)
    elif bits(type_) == 64:
        dst = b.dst(d)
        added = None if "hi" in mods else third
        out = product64(b, inst, added)
        if third is not None and added is None:
            b.add64(dst, wide(out), b.val64(third))
        else:
            b.move64(dst, *wide(out))
    elif bits(type_) == 16:
        if "hi" in mods:
            x, y = b.swap(operand(b, left, type_), operand(b, right, type_))
            product = b.new("IMAD", x, y, ZERO)
            if third is None:
                b.op("SHF.R.U32.HI", b.dst(d), ZERO, imm(16), product)
            else:
                high = b.new("SHF.R.U32.HI", ZERO, imm(16), product)
                sum32(b, b.dst(d), high, b.val(third))
        else:
            x, y = b.swap(b.val(left, type_), b.val(right, type_))
            b.op("IMAD", b.dst(d), x, y, b.val(third, type_) if third is not None else ZERO)
    elif "hi" in mods:
        x, y = b.swap(b.val(left), b.val(right))
        op = "IMAD.HI" if signed(type_) else "IMAD.HI.U32"
        if third is None:
            b.emit(op, (b.dst(d),), (*b.slots(x, y), ZERO))
        else:
            # The addend of IMAD.HI is 64 bits wide, so mad.hi adds afterwards.
            high = b.temp()
            b.emit(op, (high,), (*b.slots(x, y), ZERO))
            if "sat" in mods:
                saturated(b, b.dst(d), high, b.val(third), False)
            else:
                sum32(b, b.dst(d), high, b.val(third))
    else:
        x, y = b.swap(b.val(left), b.val(right))
        b.op("IMAD", b.dst(d), x, y, b.val(third) if third is not None else ZERO)


def wide_product(b: Builder, dst: MOperand, x: MOperand, y: MOperand, sign: bool, z: MOperand = ZERO) -> None:
    """A pair = x * y + z (z a pair), all 64 bits."""
    x, y = b.swap(x, y)
    sources = (*b.slots(x, y), z)
    b.emit("IMAD.WIDE" if sign else "IMAD.WIDE.U32", (dst,), sources)


def product64(b: Builder, inst: ptx.Inst, addend: ptx.Operand | None = None) -> V:
    """The half of a product of 64 bits that the instruction wants; `addend` is added to a lower one."""
    both, upper = products.halves(b, inst, high64), "hi" in inst.modifiers
    if both is not None:
        return both[upper]
    out, (x, y) = b.temp(2), inst.operands[1:3]
    if upper:
        high64(b, out, b.val64(x), b.val64(y), signed(type_of(inst)))
    else:
        low64(b, out, b.val64(x), b.val64(y), b.pair(addend) if addend is not None else ZERO)
    return out


def low64(b: Builder, out: V, x: Pair, y: Pair, z: MOperand = ZERO) -> None:
    """out = low 64 bits of x * y + z. `out` must not be a source."""
    if x[1] == ZERO and y[1] != ZERO:
        x, y = y, x
    if y[1] == ZERO and x[1] == ZERO:
        wide_product(b, out, x[0], y[0], False, z)
        return
    low = b.temp(2)
    wide_product(b, low, x[0], y[0], False, z)
    high: MOperand = V(low.reg, 1)
    u, v = b.swap(x[1], y[0])
    if y[1] == ZERO:
        b.op("IMAD", V(out.reg, 1), u, v, high)
    else:
        part = b.new("IMAD", u, v, high)
        u, v = b.swap(x[0], y[1])
        b.op("IMAD", V(out.reg, 1), u, v, part)
    b.move(V(out.reg, 0), V(low.reg, 0))


def high64(b: Builder, out: V, x: Pair, y: Pair, sign: bool, low: V | None = None) -> None:
    """out = high 64 bits of the 128-bit product, by four 32-bit products: the two of an upper and a lower word are
    added with a carry, which the product of the upper words takes, as the other carry out of their lower word. If
    `low` is given, it gets the low 64 bits, which are all there."""
    may_be_negative = [top != ZERO and not (isinstance(top, Imm) and top.bits >> 31 == 0) for top in (x[1], y[1])]
    x, y = (b.reg(x[0]), b.reg(x[1])), (b.reg(y[0]), b.reg(y[1]))
    top: MOperand = b.temp()
    if low is None:
        b.emit("IMAD.HI.U32", (top,), (x[0], y[0], ZERO))
    else:
        words = b.temp(2)
        wide_product(b, words, x[0], y[0], False)
        b.move(V(low.reg, 0), V(words.reg, 0))
        top = V(words.reg, 1)
    middle = ZERO if low is None else V(low.reg, 1)
    cross, both, upper = b.temp(2), b.temp(2), b.temp(2)
    carry, into = b.pred(), b.pred()
    wide_product(b, cross, x[1], y[0], False)
    b.emit("IMAD.WIDE.U32", (both, carry), (*b.slots(x[0], y[1]), cross))
    b.emit("IADD3", (middle, into), (*b.slots(top, V(both.reg, 0)), ZERO))
    b.move(V(upper.reg, 0), V(both.reg, 1))
    b.emit("IADD3.X", (V(upper.reg, 1),), (ZERO, ZERO, ZERO, carry, FALSE))
    plain = not sign or not any(may_be_negative)
    total = out if plain else b.temp(2)
    b.emit("IMAD.WIDE.U32.X", (total,), (*b.slots(x[1], y[1]), upper, into))
    if plain:
        return
    # Signed: subtract y where x is negative, and x where y is.
    sides = [side for side, negative in zip(((x, y), (y, x)), may_be_negative, strict=True) if negative]
    for first, second in sides:
        into = out if first is sides[-1][0] else b.temp(2)
        mask = b.new("SHF.R.S32.HI", ZERO, imm(31), first[1])
        part = (b.logic(second[0], mask, 0xC0), b.logic(second[1], mask, 0xC0))
        b.sub64(into, wide(total), part)
        total = into


def multiply_carried(b: Builder, inst: ptx.Inst) -> None:
    """mad.lo.cc, mad.hi.cc, madc.lo(.cc), madc.hi(.cc)."""
    type_ = type_of(inst)
    d, left, right, third = inst.operands
    dst = b.dst(d)
    carry = carry_register(b)
    gives, takes = "cc" in inst.modifiers, inst.opcode == "madc"
    if bits(type_) == 16:
        x, y = operand(b, left, type_), operand(b, right, type_)
        part = b.temp()
        b.op("IMAD", part, *b.swap(x, y), ZERO)
        if "hi" in inst.modifiers:
            part = b.new("SHF.R.U32.HI", ZERO, imm(16), part)
        add_with_carry(b, dst, part, b.val(third, type_), False, carry, TRUE)
        return
    if bits(type_) == 64:
        product = product64(b, inst)
        z = b.val64(third)
        middle = b.pred()
        add_with_carry(b, V(dst.reg, 0), V(product.reg, 0), z[0], False, carry if takes else None, middle)
        add_with_carry(b, V(dst.reg, 1), V(product.reg, 1), z[1], False, middle, carry if gives else TRUE)
        return
    x, y = b.swap(b.val(left), b.val(right))
    part = b.temp()
    if "hi" in inst.modifiers:
        b.emit("IMAD.HI" if signed(type_) else "IMAD.HI.U32", (part,), (*b.slots(x, y), ZERO))
    else:
        b.op("IMAD", part, x, y, ZERO)
    if "sat" in inst.modifiers:
        saturated(b, dst, part, b.val(third), False, carry)
        return
    add_with_carry(b, dst, part, b.val(third), False, carry if takes else None, carry if gives else TRUE)


def mul24(b: Builder, inst: ptx.Inst) -> None:
    """mul24/mad24: 24-bit operands; .lo are the low 32 bits of the 48-bit product, .hi its bits 47..16."""
    type_ = type_of(inst)
    d, left, right = inst.operands[:3]
    shift = "SHF.R.S32.HI" if signed(type_) else "SHF.R.U32.HI"
    x, y = (b.new(shift, ZERO, imm(8), b.new("SHF.L.U32", b.reg(b.val(item)), imm(8), ZERO)) for item in (left, right))
    third = b.val(inst.operands[3]) if len(inst.operands) > 3 else ZERO
    if "hi" in inst.modifiers:
        product = b.temp(2)
        wide_product(b, product, x, y, signed(type_))
        high = b.new("SHF.R.U64", V(product.reg, 0), imm(16), V(product.reg, 1))
        if "sat" in inst.modifiers:
            saturated(b, b.dst(d), high, third, False)
        else:
            sum32(b, b.dst(d), high, third)
    else:
        b.op("IMAD", b.dst(d), x, y, third)


def sad(b: Builder, inst: ptx.Inst) -> None:
    """sad: |a - b| + c."""
    type_ = type_of(inst)
    d, left, right, third = inst.operands
    if bits(type_) == 64:
        x, y = b.val64(left), b.val64(right)
        less = compare64(b, "LT", signed(type_), x, y)
        forward, backward = b.temp(2), b.temp(2)
        b.sub64(forward, x, y)
        b.sub64(backward, y, x)
        part = tuple(b.sel(V(backward.reg, i), V(forward.reg, i), less) for i in (0, 1))
        b.add64(b.dst(d), (part[0], part[1]), b.val64(third))
        return
    x32, y32 = b.reg(operand(b, left, type_)), b.reg(operand(b, right, type_))
    b.emit("VABSDIFF" if signed(type_) else "VABSDIFF.U32", (b.dst(d),), (x32, y32, b.reg(b.val(third))))


def compare64(b: Builder, how: str, sign: bool, x: Pair, y: Pair) -> V:
    """A 64-bit integer compare into a fresh predicate, by its halves."""
    low = b.setp(f"ISETP.{how}.U32.AND", x[0], y[0])
    return b.setp(dotted("ISETP", how, "" if sign else "U32", "AND.EX"), x[1], y[1], TRUE, (low,))


def absolute(b: Builder, inst: ptx.Inst) -> None:
    """abs and neg."""
    type_ = type_of(inst)
    d, source = inst.operands
    if type_ in ("s16x2", "u16x2"):
        b.unsupported()
    if bits(type_) == 64:
        x = b.val64(source)
        x = (b.reg(x[0]), b.reg(x[1]))
        if inst.opcode == "neg":
            b.sub64(b.dst(d), (ZERO, ZERO), x)
            return
        negative = b.setp("ISETP.LT.AND", x[1], ZERO)
        turned = b.temp(2)
        b.sub64(turned, (ZERO, ZERO), x)
        out = b.dst(d)
        low = b.sel(V(turned.reg, 0), x[0], negative)
        b.select(V(out.reg, 1), V(turned.reg, 1), x[1], negative)
        b.move(V(out.reg, 0), low)
    elif inst.opcode == "neg":
        sum32(b, b.dst(d), ZERO, b.val(source, type_), True)
    else:
        b.emit("IABS", (b.dst(d),), (b.reg(operand(b, source, type_)),))


def minimum(b: Builder, inst: ptx.Inst) -> None:
    """min and max."""
    type_ = type_of(inst)
    d, left, right = inst.operands
    which = TRUE if inst.opcode == "min" else FALSE
    if bits(type_) == 64:
        x, y = b.val64(left), b.val64(right)
        x = (b.reg(x[0]), b.reg(x[1]))
        p = compare64(b, "LT", signed(type_), x, y)
        if which == FALSE:
            p = inv(p)  # type: ignore[assignment]
        out = b.dst(d)
        low = b.sel(x[0], y[0], p)
        b.select(V(out.reg, 1), x[1], y[1], p)
        b.move(V(out.reg, 0), low)
        return
    relu = "RELU" if "relu" in inst.modifiers else ""
    if type_ in ("u16x2", "s16x2"):
        op = dotted("VIMNMX", "S16x2" if type_ == "s16x2" else "U16x2", relu)
        x32, y32 = b.reg(b.val(left)), b.reg(b.val(right))
    else:
        op = dotted("VIMNMX", "" if signed(type_) else "U32", relu)
        x32, y32 = b.swap(operand(b, left, type_), operand(b, right, type_))  # type: ignore[assignment]
    b.emit(op, (b.dst(d),), (*b.slots(x32, y32), which))


def popc(b: Builder, inst: ptx.Inst) -> None:
    d, source = inst.operands
    if bits(type_of(inst)) == 64:
        low, high = b.val64(source)
        x, y = b.temp(), b.temp()
        b.emit("POPC", (x,), (b.reg(low),))
        b.emit("POPC", (y,), (b.reg(high),))
        b.op("IADD3", b.dst(d), x, y, ZERO)
    else:
        b.emit("POPC", (b.dst(d),), (b.reg(b.val(source)),))


def clz(b: Builder, inst: ptx.Inst) -> None:
    """Leading zeros: 31 - FLO, where FLO of zero is -1."""
    d, source = inst.operands
    top = b.temp()
    if bits(type_of(inst)) == 64:
        low, high = b.val64(source)
        low, high = b.reg(low), b.reg(high)
        some = b.setp("ISETP.NE.U32.AND", high, ZERO)
        b.emit("FLO.U32", (top,), (b.sel(high, low, some),))
        base = b.sel(b.reg(imm(31)), imm(63), some)
        b.emit("IADD3", (b.dst(d),), (base, neg(top), ZERO))
    else:
        b.emit("FLO.U32", (top,), (b.reg(b.val(source)),))
        b.emit("IADD3", (b.dst(d),), (neg(top), imm(31), ZERO))


def bfind(b: Builder, inst: ptx.Inst) -> None:
    """Position of the most significant bit that differs from the sign; -1 if there is none."""
    type_ = type_of(inst)
    d, source = inst.operands
    amount = "shiftamt" in inst.modifiers
    if bits(type_) == 32:
        op = dotted("FLO", "" if signed(type_) else "U32", "SH" if amount else "")
        b.emit(op, (b.dst(d),), (b.reg(b.val(source)),))
        return
    low, high = b.val64(source)
    low, high = b.reg(low), b.reg(high)
    if signed(type_):
        sign = b.new("SHF.R.S32.HI", ZERO, imm(31), high)
        low, high = b.logic(low, sign, 0x3C), b.logic(high, sign, 0x3C)
    some = b.setp("ISETP.NE.U32.AND", high, ZERO)
    chosen = b.sel(high, low, some)
    position = b.temp()
    b.emit("FLO.U32", (position,), (chosen,))
    found = b.setp("ISETP.NE.AND", position, imm(-1))
    if amount:
        result = b.temp()
        base = b.sel(b.reg(imm(31)), imm(63), some)
        b.emit("IADD3", (result,), (base, neg(position), ZERO))
    else:
        result = b.new("IADD3", position, b.sel(b.reg(imm(32)), ZERO, some), ZERO)
    b.select(b.dst(d), result, imm(-1), found)


def dot(b: Builder, inst: ptx.Inst) -> None:
    """dp4a and dp2a."""
    first, second = types_of(inst)
    d, left, right, third = inst.operands
    x, y, z = (b.reg(b.val(o)) for o in (left, right, third))
    kind = {"u32": "U", "s32": "S"}
    if inst.opcode == "dp4a":
        op = f"IDP.4A.{kind[first]}8.{kind[second]}8"
    else:
        half = "HI" if "hi" in inst.modifiers else "LO"
        op = f"IDP.2A.{half}.{kind[first]}16.{kind[second]}8"
    b.emit(op, (b.dst(d),), (x, y, z))


LOWER = {
    "add": add,
    "sub": add,
    "addc": carried,
    "subc": carried,
    "mul": mul,
    "mad": mul,
    "madc": mul,
    "mul24": mul24,
    "mad24": mul24,
    "sad": sad,
    "abs": absolute,
    "neg": absolute,
    "min": minimum,
    "max": minimum,
    "popc": popc,
    "clz": clz,
    "bfind": bfind,
    "dp4a": dot,
    "dp2a": dot,
}
