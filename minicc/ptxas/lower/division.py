"""Integer division and remainder, exact for every operand.

32 bits: an estimate q of x/y comes from MUFU.RCP of y rounded up to f32, made integer; q may be too small by 2 at most,
never too large, so two conditional corrections make it exact. 64 bits: a reciprocal estimate of 2^64/y by Newton steps
in fixed point, then the same two corrections. Signed forms divide magnitudes. Division by zero gives all ones (of 64
bits, the remainder is the dividend), as the reference compiler's code does. 16 bits use the 32-bit form.
"""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.lower import routine
from minicc.ptxas.lower.builder import Builder, Pair, imm, inv, neg
from minicc.ptxas.lower.integer import high64, low64, operand, wide
from minicc.ptxas.lower.types import bits, signed, type_of
from minicc.ptxas.mir import FALSE, ZERO, MOperand, V


def divide(b: Builder, inst: ptx.Inst) -> None:
    """div and rem."""
    type_ = type_of(inst)
    d, left, right = inst.operands
    remainder = inst.opcode == "rem"
    if bits(type_) == 64:
        known = b.constant(right)
        power = known.bit_length() - 1 if known is not None and known > 0 and not known & (known - 1) else -1
        if 0 <= power < (63 if signed(type_) else 64):
            shifted(b, b.dst(d), b.val64(left), power, signed(type_), remainder)
            return
        long_form(b, b.dst(d), b.val64(left), b.val64(right), signed(type_), remainder, _bypassed(b, inst))
        return
    known = b.constant(right)
    x = operand(b, left, type_)
    out = b.dst(d)
    if known is not None and by_constant(b, out, b.reg(x), known, type_, remainder):
        return
    short_form(b, out, b.reg(x), b.reg(operand(b, right, type_)), signed(type_), remainder)


def shifted(b: Builder, out: V, x: Pair, power: int, sign: bool, remainder: bool) -> None:
    """64 bits by 2^power. A negative dividend is first raised by 2^power - 1, so that the shift rounds toward zero."""
    low, high = b.reg(x[0]), b.reg(x[1])
    raised: Pair = (low, high)
    if sign and power:
        ones = b.new("SHF.R.S32.HI", ZERO, imm(31), high)
        lower = ones if power >= 32 else b.new("SHF.R.U32.HI", ZERO, imm(32 - power), ones)
        upper = b.new("SHF.R.U32.HI", ZERO, imm(64 - power), ones) if power > 32 else ZERO
        total = b.temp(2)
        b.add64(total, (low, high), (lower, upper))
        raised = V(total.reg, 0), V(total.reg, 1)
    if remainder:
        mask = (1 << power) - 1
        if not sign:
            b.move64(out, b.logic(low, imm(mask), 0xC0), b.logic(high, imm(mask >> 32), 0xC0))
            return
        kept = b.logic(raised[0], imm(~mask), 0xC0), b.logic(raised[1], imm(~mask >> 32), 0xC0)
        b.sub64(out, (low, high), kept)
        return
    top = "SHF.R.S32.HI" if sign else "SHF.R.U32.HI"
    if power >= 32:
        fill: MOperand = b.new("SHF.R.S32.HI", ZERO, imm(31), raised[1]) if sign else ZERO
        first = b.new(top, ZERO, imm(power - 32), raised[1]) if power > 32 else raised[1]
        b.move64(out, first, fill)
    elif power:
        first = b.new("SHF.R.S64" if sign else "SHF.R.U64", raised[0], imm(power), raised[1])
        b.move64(out, first, b.new(top, ZERO, imm(power), raised[1]))
    else:
        b.move64(out, low, high)


def magic_unsigned(divisor: int, width: int) -> tuple[int, int, bool]:
    """(multiplier, shift, needs an add) with x // divisor == (x * multiplier) >> (width + shift) for all x of `width`
    bits; with the add flag the multiplier has width + 1 bits and its top bit is left out."""
    shift = max(0, (divisor - 1).bit_length())
    multiplier = -(-(1 << (width + shift)) // divisor)
    while shift > 0:
        smaller = -(-(1 << (width + shift - 1)) // divisor)
        if smaller * divisor - (1 << (width + shift - 1)) > 1 << (shift - 1):
            break
        multiplier, shift = smaller, shift - 1
    return multiplier & (1 << width) - 1, shift, multiplier >> width != 0


def by_constant(b: Builder, out: V, x: MOperand, divisor: int, type_: str, remainder: bool) -> bool:
    """x / constant by a multiplication; False if the constant has no such form here."""
    width = bits(type_)
    divisor &= (1 << width) - 1
    if signed(type_) and divisor >> (width - 1):
        divisor -= 1 << width
    if divisor <= 1:
        return False
    quotient = b.temp()
    if signed(type_) and divisor & (divisor - 1) == 0:
        # Round towards zero: add divisor - 1 to a negative dividend before shifting.
        power = divisor.bit_length() - 1
        sign = b.new("SHF.R.S32.HI", ZERO, imm(31), x)
        bias = b.new("SHF.R.U32.HI", ZERO, imm(32 - power), sign)
        b.emit("SHF.R.S32.HI", (quotient,), (ZERO, imm(power), b.new("IADD3", x, bias, ZERO)))
    elif signed(type_):
        # ceil(2^(32+s) / d) with s so large that the error stays below 1/2^31.
        shift = (divisor - 1).bit_length() - 1
        multiplier = -(-(1 << (32 + shift)) // divisor)
        high = b.temp()
        low_form = multiplier & 0xFFFFFFFF
        b.emit("IMAD.HI", (high,), (x, imm(low_form), ZERO))
        if multiplier >> 31:
            high = b.new("IADD3", high, x, ZERO)
        moved = b.new("SHF.R.S32.HI", ZERO, imm(shift), high)
        sign = b.new("SHF.R.U32.HI", ZERO, imm(31), x)
        b.emit("IADD3", (quotient,), (moved, sign, ZERO))
    elif divisor & (divisor - 1) == 0:
        b.emit("SHF.R.U32.HI", (quotient,), (ZERO, imm(divisor.bit_length() - 1), x))
    else:
        multiplier, shift, extra = magic_unsigned(divisor, 32)
        high = b.temp()
        b.emit("IMAD.HI.U32", (high,), (x, imm(multiplier), ZERO))
        if extra:
            # (x + high) >> shift in 33 bits: ((x - high) / 2 + high) >> (shift - 1)
            less = b.temp()
            b.emit("IADD3", (less,), (x, neg(high), ZERO))
            half = b.new("SHF.R.U32.HI", ZERO, imm(1), less)
            total = b.new("IADD3", half, high, ZERO)
            b.emit("SHF.R.U32.HI", (quotient,), (ZERO, imm(shift - 1), total))
        else:
            b.emit("SHF.R.U32.HI", (quotient,), (ZERO, imm(shift), high))
    if remainder:
        b.emit("IMAD", (out,), (quotient, imm(-divisor), x))
    else:
        b.move(out, quotient)
    return True


def short_form(b: Builder, out: V, x: MOperand, y: MOperand, sign: bool, remainder: bool) -> None:
    """32 bits. Quotient and remainder by zero are all ones, of 64 bits too."""
    if sign:
        ax, ay = b.temp(), b.temp()
        b.emit("IABS", (ax,), (x,))
        b.emit("IABS", (ay,), (y,))
    else:
        ax, ay = x, y  # type: ignore[assignment]
    # r = floor(2^32 / y) nearly, from below: RCP of y rounded up, its result lowered by 2 units in the last place
    # (RCP is within one), times 2^32.
    f = b.temp()
    b.emit("I2F.U32.RP", (f,), (ay,))
    g = b.temp()
    b.emit("MUFU.RCP", (g,), (f,))
    scaled = b.new("IADD3", g, imm(0x0FFFFFFE), ZERO)
    r0 = b.temp()
    b.emit("F2I.FTZ.U32.TRUNC.NTZ", (r0,), (scaled,))
    # One Newton step in fixed point: r = r0 + hi(r0 * (2^32 - r0*y)).
    minus = b.temp()
    b.emit("IADD3", (minus,), (neg(r0), ZERO, ZERO))
    error = b.new("IMAD", minus, ay, ZERO)
    zero_r = b.temp(2)
    b.move64(zero_r, ZERO, r0)
    r = b.temp()
    b.emit("IMAD.HI.U32", (r,), (r0, error, zero_r))
    q = b.temp()
    b.emit("IMAD.HI.U32", (q,), (r, ax, ZERO))
    less = b.temp()
    b.emit("IADD3", (less,), (neg(ay), ZERO, ZERO))
    rest, last = b.new("IMAD", q, less, ax), q
    for final in (False, True):
        p = b.setp("ISETP.GE.U32.AND", rest, ay)
        if remainder or not final:
            b.emit("IADD3", (rest,), (rest, neg(ay), ZERO), guard=p)
        if not remainder:
            b.emit("IADD3", (last,), (last, imm(1), ZERO), guard=p)
    result = rest if remainder else last
    if sign:
        negative = b.setp("ISETP.LT.AND", x if remainder else b.logic(x, y, 0x3C), ZERO)
        b.emit("IADD3", (result,), (neg(result), ZERO, ZERO), guard=negative)
    none = b.setp("ISETP.EQ.U32.AND", y, ZERO)
    b.lop(result, y, ZERO, ZERO, 0x0F, guard=none)
    b.move(out, result)


def _bypassed(b: Builder, inst: ptx.Inst) -> bool:
    """Whether the same is done with the lower words of the operands elsewhere: LLVM asks first whether they fit."""
    lower: dict[object, object] = {}
    """Registers that hold the lower word of others, into those."""
    for other in b.flat.statements:
        if not isinstance(other, ptx.Inst) or other.modifiers not in (("u32", "u64"), ("u32",)):
            continue
        if other.opcode == "cvt":
            lower[other.operands[0]] = other.operands[1]
        elif other.opcode == inst.opcode and tuple(lower.get(o, o) for o in other.operands[1:]) == inst.operands[1:]:
            return True
    return False


def long_form(b: Builder, out: V, x: Pair, y: Pair, sign: bool, remainder: bool, bypassed: bool) -> None:
    """64 bits. In one place operands that both fit in 32 bits take the short form; it is a routine without it what
    stands in several, or comes about only where they do not fit (`bypassed`): nothing of it is made ahead then."""
    x, y = (b.reg(x[0]), b.reg(x[1])), (b.reg(y[0]), b.reg(y[1]))

    def body(b: Builder, words: list[V]) -> tuple[V, V]:
        x, y, made = (words[0], words[1]), (words[2], words[3]), b.temp(2)
        found = _long(b, *magnitudes(b, x, y, sign))[remainder]
        turn(b, made, found, x, y, sign, remainder)
        return V(made.reg, 0), V(made.reg, 1)

    if bypassed or routine.shared(b, ("div", "rem"), ("s64", "u64")):
        name = f"__{'remainder' if remainder else 'division'}_{'s' if sign else 'u'}64"
        b.move64(out, *routine.call(b, name, (*x, *y), 2, body, registers=22))
        return
    ax, ay = magnitudes(b, x, y, sign)
    result, low = b.temp(2), b.temp()
    small = b.setp("ISETP.EQ.U32.AND", b.logic(ax[1], ay[1], 0xFC), ZERO)
    large, done = b.label("div64_long"), b.label("div64_done")
    b.jump(large, inv(small))
    short_form(b, low, ax[0], ay[0], False, remainder)
    none = b.setp("ISETP.EQ.U32.AND", ay[0], ZERO)
    b.move(V(result.reg, 0), low)
    b.select(V(result.reg, 1), imm(-1), ZERO, none)
    b.start_cold(large)
    found = _long(b, ax, ay)[remainder]
    b.move64(result, *wide(found))
    b.resume(done)
    turn(b, out, result, x, y, sign, remainder)


def turn(b: Builder, out: V, result: V, x: Pair, y: Pair, sign: bool, remainder: bool) -> None:
    """out = the result for magnitudes, with the sign that it has for x and y."""
    if not sign:
        b.move64(out, V(result.reg, 0), V(result.reg, 1))
        return
    deciding = x[1] if remainder else b.logic(x[1], y[1], 0x3C)
    negative = b.setp("ISETP.LT.AND", deciding, ZERO)
    # Division by zero keeps its all ones.
    negative = b.setp("ISETP.NE.U32.AND", b.logic(y[0], y[1], 0xFC), ZERO, negative)
    turned = b.temp(2)
    b.sub64(turned, (ZERO, ZERO), wide(result))
    for i in (0, 1):
        b.select(V(out.reg, i), V(turned.reg, i), V(result.reg, i), negative)


def magnitudes(b: Builder, x: Pair, y: Pair, sign: bool) -> tuple[Pair, Pair]:
    return (magnitude(b, x), magnitude(b, y)) if sign else (x, y)


def magnitude(b: Builder, x: Pair) -> Pair:
    """|x| of a signed pair."""
    negative = b.setp("ISETP.LT.AND", x[1], ZERO)
    turned = b.temp(2)
    b.sub64(turned, (ZERO, ZERO), x)
    return b.sel(V(turned.reg, 0), x[0], negative), b.sel(V(turned.reg, 1), x[1], negative)


def _long(b: Builder, x: Pair, y: Pair) -> tuple[V, V]:
    """(quotient, rest) of unsigned 64-bit operands.

    r0 = RCP(y as f32, rounded up), lowered, is 2^64/y to 20 bits from below; each fixed-point step
    r += hi(r * (2^64 - r*y)) doubles that and stays below; after two, q = hi(x * r) is short by 2 at most."""
    ypair = b.join(y[0], y[1])
    f, g = b.temp(), b.temp()
    b.emit("I2F.U64.RP", (f,), (ypair,))
    b.emit("MUFU.RCP", (g,), (f,))
    scaled = b.new("IADD3", g, imm(0x1FFFFFFE), ZERO)
    r = b.temp(2)
    b.emit("F2I.U64.TRUNC", (r,), (scaled,))
    for _ in range(2):
        product = b.temp(2)
        low64(b, product, wide(r), y)
        error = b.temp(2)
        b.sub64(error, (ZERO, ZERO), wide(product))
        step = b.temp(2)
        high64(b, step, wide(r), wide(error), False)
        better = b.temp(2)
        b.add64(better, wide(r), wide(step))
        r = better
    q = b.temp(2)
    high64(b, q, x, wide(r), False)
    product = b.temp(2)
    low64(b, product, wide(q), y)
    left = b.temp(2)
    b.sub64(left, x, wide(product))
    for _ in range(2):
        lower = b.temp(2)
        carry, fits = b.pred(), b.pred()
        b.emit("IADD3", (V(lower.reg, 0), carry), (V(left.reg, 0), neg(y[0]), ZERO))
        b.emit("IADD3.X", (V(lower.reg, 1), fits), (V(left.reg, 1), inv(y[1]), ZERO, carry, FALSE))
        after = b.temp(2)
        more = b.temp(2)
        one = b.sel(b.reg(imm(1)), ZERO, fits)
        b.add64(more, wide(q), (one, ZERO))
        for i in (0, 1):
            b.select(V(after.reg, i), V(lower.reg, i), V(left.reg, i), fits)
        left, q = after, more
    none = b.setp("ISETP.EQ.U32.AND", b.logic(y[0], y[1], 0xFC), ZERO)
    quotient, rest = b.temp(2), b.temp(2)
    for i in (0, 1):
        b.select(V(quotient.reg, i), imm(-1), V(q.reg, i), none)
        b.select(V(rest.reg, i), imm(-1), V(left.reg, i), none)
    return quotient, rest


LOWER = {"div": divide, "rem": divide}


def branches(inst: ptx.Inst) -> bool:
    """The 64-bit form has a short cut."""
    return bits(type_of(inst)) == 64


__all__ = ["LOWER", "branches", "magic_unsigned"]
