"""f64 arithmetic, with correctly rounded division and square root made of DFMA and MUFU's 64H seeds."""

from __future__ import annotations

from minicc.ptx import model as ptx
from minicc.ptxas.lower import routine
from minicc.ptxas.lower.builder import Builder, absolute, fimm, imm, inv, neg
from minicc.ptxas.lower.types import ROUNDING, dotted
from minicc.ptxas.lower.wanted import asked_for
from minicc.ptxas.mir import FALSE, TRUE, ZERO, MOperand, V
from minicc.sass.instr import Imm

EXPONENT = 0x7FF00000


def modes(inst: ptx.Inst) -> str:
    return next((ROUNDING[m] for m in inst.modifiers if m in ROUNDING), "")


def value(b: Builder, item: ptx.Operand) -> MOperand:
    """A double in a register pair, or as an immediate whose low word is zero."""
    known = None
    if isinstance(item, ptx.Float | ptx.Int) or (isinstance(item, ptx.Reg) and item.name in b.constants):
        low, high = b.val64(item, "f64")
        minus = isinstance(item, ptx.Reg) and item.minus
        if low == ZERO and isinstance(high, Imm):
            known = Imm(high.bits ^ (0x80000000 if minus else 0), "f64hi")
        elif minus:
            return neg(b.join(low, high))
    return known if known is not None else b.pair(item, "f64")


def high_immediate(bits: int) -> Imm:
    """A double immediate by its high word."""
    return Imm(bits, "f64hi")


def place(b: Builder, *operands: MOperand) -> list[MOperand]:
    """Operands of a double instruction: one immediate at most, and not first."""
    out: list[MOperand] = []
    used = False
    for position, x in enumerate(operands):
        if isinstance(x, Imm) and x.kind == "f64hi" and (position == 0 or used):
            x = b.join(ZERO, Imm(x.bits))
        elif isinstance(x, Imm):
            used = True
        out.append(x)
    return out


def turned(x: MOperand) -> MOperand:
    if isinstance(x, Imm):
        return Imm(x.bits ^ 0x80000000, x.kind)
    return neg(x)


def add(b: Builder, inst: ptx.Inst) -> None:
    d, left, right = inst.operands
    x, y = value(b, left), value(b, right)
    if inst.opcode == "sub":
        y = turned(y)
    x, y = (y, x) if isinstance(x, Imm) and not isinstance(y, Imm) else (x, y)
    b.emit(dotted("DADD", modes(inst)), (b.dst(d),), place(b, x, y))


def mul(b: Builder, inst: ptx.Inst) -> None:
    d, left, right = inst.operands
    x, y = value(b, left), value(b, right)
    x, y = (y, x) if isinstance(x, Imm) else (x, y)
    b.emit(dotted("DMUL", modes(inst)), (b.dst(d),), place(b, x, y))


def fma(b: Builder, inst: ptx.Inst) -> None:
    d, left, right, third = inst.operands
    x, y, z = value(b, left), value(b, right), value(b, third)
    x, y = (y, x) if isinstance(x, Imm) else (x, y)
    b.emit(dotted("DFMA", modes(inst)), (b.dst(d),), place(b, x, y, z))


def sign(b: Builder, inst: ptx.Inst) -> None:
    """neg and abs: the sign bit alone."""
    d, source = inst.operands
    low, high = b.val64(source, "f64")
    out = b.dst(d)
    if inst.opcode == "neg":
        b.lop(V(out.reg, 1), high, imm(0x80000000), ZERO, 0x3C)
    else:
        b.lop(V(out.reg, 1), high, imm(0x7FFFFFFF), ZERO, 0xC0)
    b.move(V(out.reg, 0), low)


def minimum(b: Builder, inst: ptx.Inst) -> None:
    """min and max: DSETP.MIN says whether the first operand is the result, and in its second predicate whether a NaN is
    to be made quiet."""
    d, left, right = inst.operands
    x, y = b.pair(left, "f64"), b.pair(right, "f64")
    first, quiet = b.pred(), b.pred()
    b.emit(f"DSETP.{inst.opcode.upper()}.AND", (first, quiet), (x, y, TRUE))
    low = b.sel(_part(x, 0), _part(y, 0), first)
    high = b.temp()
    b.emit("FSEL", (high,), (_part(x, 1), _part(y, 1), first))
    made = b.logic(_part(y, 1), imm(0x80000), 0xFC)
    out = b.dst(d)
    b.select(V(out.reg, 1), made, high, quiet)
    b.move(V(out.reg, 0), low)


def _part(x: MOperand, index: int) -> MOperand:
    return V(x.reg, index) if isinstance(x, V) else x


def inverse(b: Builder, y: MOperand, low: MOperand) -> V:
    """1 / y rounded to nearest, for operands whose exponents keep every step in range.

    RCP64H has 20 good bits; 1 + e + e^2 triples them, one more step rounds the reciprocal. `low`, the seed's low word,
    must not be zero: with it the steps are right for a significand of all ones, too, the one that is special."""
    r = b.temp(2)
    b.emit("MUFU.RCP64H", (V(r.reg, 1),), (_part(y, 1),))
    b.move(V(r.reg, 0), low)
    one = high_immediate(0x3FF00000)
    e = _new(b, "DFMA", neg(y), r, one)
    e = _new(b, "DFMA", e, e, e)
    r = _new(b, "DFMA", r, e, r)
    e = _new(b, "DFMA", neg(y), r, one)
    return _new(b, "DFMA", r, e, r)


def quotient(b: Builder, x: MOperand, y: MOperand) -> V:
    """x / y to nearest, for operands whose exponents keep every step in range: Markstein's step on `inverse`."""
    r = inverse(b, y, imm(1))
    q = _new(b, "DMUL", *((r, x) if isinstance(x, Imm) else (x, r)))
    rest = _new(b, "DFMA", neg(y), q, x)
    return _new(b, "DFMA", r, rest, q)


def _new(b: Builder, op: str, *srcs: MOperand) -> V:
    out = b.temp(2)
    b.emit(op, (out,), srcs)
    return out


def div(b: Builder, inst: ptx.Inst) -> None:
    """div.{rn,rz,rm,rp}.f64"""
    d, left, right = inst.operands
    x = value(b, left)
    if isinstance(x, Imm) and x.bits == 0x3FF00000 and modes(inst) == "":
        invert(b, b.dst(d), b.pair(right, "f64"))
        return
    divide(b, b.dst(d), x, b.pair(right, "f64"), modes(inst))


def divide(b: Builder, out: V, x: MOperand, y: MOperand, rounding: str) -> None:
    """Correctly rounded quotient: the fast sequence where exponents allow, long division of the significands where not
    (denormals, results near the ends of the range, infinities, NaN) and for directed roundings."""
    yr = _copy(b, y)
    result = b.temp(2)
    if rounding != "":
        long_division(b, result, _double(b, x), yr, rounding)
        b.move64(out, V(result.reg, 0), V(result.reg, 1))
        return
    x = x if isinstance(x, Imm) else _copy(b, x)
    q = quotient(b, x, yr)
    b.move64(result, V(q.reg, 0), V(q.reg, 1))
    # High words as f32: the quotient above 2^-1022 and no NaN or infinity anywhere (0 * y + q is NaN then), the
    # dividend at least 2^-969, so that its residual is exact. (The bounds that the reference compiler's code has.)
    test = b.new("FFMA", ZERO, V(yr.reg, 1), V(q.reg, 1))
    p = b.setp("FSETP.GT.AND", absolute(test), fimm(0x00100000))
    if isinstance(x, V):
        p = b.setp("FSETP.GEU.AND", absolute(V(x.reg, 1)), fimm(0x03600000), p)
    elif x.bits & 0x7FFFFFFF < 0x03600000:
        p = FALSE  # type: ignore[assignment]
    slow, done = b.label("ddiv_slow"), b.label("ddiv_done")
    b.jump(slow, asked_for(b, inv(p)))
    b.start_cold(slow)
    slow_quotient(b, result, _double(b, x), yr)
    b.resume(done)
    b.move64(out, V(result.reg, 0), V(result.reg, 1))


def invert(b: Builder, out: V, x: MOperand) -> None:
    """1 / x to nearest: `inverse` where x and the result are normal, else by long division."""
    y = _copy(b, x)
    result = b.temp(2)
    # The high word plus 0x300402 keeps its sign, and is at least 0x400402, for exponents 1 to 2044; it is as good a low
    # word of the seed as any.
    low = b.new("IADD3", V(y.reg, 1), imm(0x300402), ZERO)
    r = inverse(b, y, low)
    b.move64(result, V(r.reg, 0), V(r.reg, 1))
    p = b.setp("FSETP.GEU.AND", absolute(low), fimm(0x00400402))
    slow, done = b.label("drcp_slow"), b.label("drcp_done")
    b.jump(slow, asked_for(b, inv(p)))
    b.start_cold(slow)
    slow_quotient(b, result, _double(b, high_immediate(0x3FF00000)), y)
    b.resume(done)
    b.move64(out, V(result.reg, 0), V(result.reg, 1))


def slow_quotient(b: Builder, out: V, x: V, y: V) -> None:
    """The long division of several places is a routine."""

    def body(b: Builder, words: list[V]) -> tuple[V, V]:
        made = b.temp(2)
        long_division(b, made, _copy(b, b.join(*words[:2])), _copy(b, b.join(*words[2:])), "")
        return V(made.reg, 0), V(made.reg, 1)

    if routine.shared(b, ("div", "rcp"), ("f64",)):
        words = [V(v.reg, i) for v in (x, y) for i in (0, 1)]
        b.move64(out, *routine.call(b, "__division_f64", words, 2, body, registers=22))
    else:
        long_division(b, out, x, y, "")


def _double(b: Builder, x: MOperand) -> V:
    """A double in a register pair."""
    return _copy(b, b.join(ZERO, imm(x.bits)) if isinstance(x, Imm) else x)


def _copy(b: Builder, x: MOperand) -> V:
    if isinstance(x, V):
        return x
    out = b.temp(2)
    b.move64(out, ZERO, ZERO)
    return out


def unpack(b: Builder, x: V) -> tuple[V, V]:
    """(significand as a 64-bit integer with bit 52 set, biased exponent, which may be below 1) of a finite nonzero
    double: denormals are normalised."""
    low, high = V(x.reg, 0), V(x.reg, 1)
    exponent = b.logic(b.new("SHF.R.U32.HI", ZERO, imm(20), high), imm(0x7FF), 0xC0)
    top = b.logic(high, imm(0xFFFFF), 0xC0)
    denormal = b.setp("ISETP.EQ.U32.AND", exponent, ZERO)
    # A denormal's leading bit goes to bit 52: shift by 52 - position.
    some = b.setp("ISETP.NE.U32.AND", top, ZERO)
    position = b.temp()
    b.emit("FLO.U32", (position,), (b.sel(top, low, some),))
    base = b.sel(b.reg(imm(20)), imm(52), some)
    shift = b.temp()
    b.emit("IADD3", (shift,), (base, neg(position), ZERO))
    shift = b.sel(shift, ZERO, denormal)
    hidden = b.logic(top, imm(0x100000), 0xFC)
    start = b.sel(top, hidden, denormal)
    significand = b.temp(2)
    b.emit("SHF.L.U64.HI", (V(significand.reg, 1),), (low, shift, start))
    b.emit("SHF.L.U32", (V(significand.reg, 0),), (low, shift, ZERO))
    lifted = b.sel(b.reg(imm(1)), exponent, denormal)
    out = b.temp()
    b.emit("IADD3", (out,), (lifted, neg(shift), ZERO))
    return significand, out


def long_division(b: Builder, out: V, x: V, y: V, rounding: str) -> None:
    """out = x / y for any doubles, bit by bit.

    Significands of 53 bits; the quotient gets 55 bits and a sticky bit for the remainder, then `pack` rounds it once at
    whatever precision the exponent leaves. Zero, infinite and NaN operands need nothing of that."""
    sign = b.logic(b.logic(V(x.reg, 1), V(y.reg, 1), 0x3C), imm(0x80000000), 0xC0)
    special, any_special = special_quotient(b, x, y, sign)
    b.move64(out, V(special.reg, 0), V(special.reg, 1))
    done = b.label("ddiv_long_done")
    b.jump(done, any_special)
    (mx, ex), (my, ey) = unpack(b, x), unpack(b, y)
    # Make the quotient of significands lie in [1, 2): double mx if it is smaller.
    less = b.setp("ISETP.LT.U32.AND", V(mx.reg, 0), V(my.reg, 0))
    less = b.setp("ISETP.LT.U32.AND.EX", V(mx.reg, 1), V(my.reg, 1), TRUE, (less,))
    rest, count, quotient_ = b.temp(2), b.temp(), b.temp(2)
    one = b.sel(b.reg(imm(1)), ZERO, less)
    b.emit("SHF.L.U64.HI", (V(rest.reg, 1),), (V(mx.reg, 0), one, V(mx.reg, 1)))
    b.emit("SHF.L.U32", (V(rest.reg, 0),), (V(mx.reg, 0), one, ZERO))
    exponent = b.temp()
    b.emit("IADD3", (exponent,), (ex, imm(1023), neg(ey)))
    shifted = b.temp()
    b.emit("IADD3", (shifted,), (exponent, neg(one), ZERO))
    b.move64(quotient_, ZERO, ZERO)
    b.move(count, imm(55))
    loop = b.label("ddiv_bit")
    b.start(loop)
    # quotient = quotient * 2 + (rest >= my); rest = (rest - my if so) * 2
    difference, carry, fits = b.temp(2), b.pred(), b.pred()
    b.emit("IADD3", (V(difference.reg, 0), carry), (V(rest.reg, 0), neg(V(my.reg, 0)), ZERO))
    b.emit("IADD3.X", (V(difference.reg, 1), fits), (V(rest.reg, 1), inv(V(my.reg, 1)), ZERO, carry, FALSE))
    low, high = (b.sel(V(difference.reg, i), V(rest.reg, i), fits) for i in (0, 1))
    b.emit("SHF.L.U64.HI", (V(rest.reg, 1),), (low, imm(1), high))
    b.emit("SHF.L.U32", (V(rest.reg, 0),), (low, imm(1), ZERO))
    bit = b.sel(b.reg(imm(1)), ZERO, fits)
    b.emit("SHF.L.U64.HI", (V(quotient_.reg, 1),), (V(quotient_.reg, 0), imm(1), V(quotient_.reg, 1)))
    b.emit("IMAD", (V(quotient_.reg, 0),), (V(quotient_.reg, 0), imm(2), bit))
    b.emit("IADD3", (count,), (count, imm(-1), ZERO))
    more = b.setp("ISETP.NE.AND", count, ZERO)
    b.jump(loop, more)
    # 55 bits: 53 of result, a half bit, one more; the remainder makes the rest sticky.
    remaining = b.logic(V(rest.reg, 0), V(rest.reg, 1), 0xFC)
    sticky = b.sel(b.reg(imm(1)), ZERO, b.setp("ISETP.NE.U32.AND", remaining, ZERO))
    full = b.temp(2)
    b.emit("SHF.L.U64.HI", (V(full.reg, 1),), (V(quotient_.reg, 0), imm(1), V(quotient_.reg, 1)))
    b.emit("IMAD", (V(full.reg, 0),), (V(quotient_.reg, 0), imm(2), sticky))
    packed = pack(b, full, shifted, sign, rounding)
    b.move64(out, V(packed.reg, 0), V(packed.reg, 1))
    b.start(done)


def special_quotient(b: Builder, x: V, y: V, sign: MOperand) -> tuple[V, V]:
    """(result, is it to be used) where an operand is zero, infinite or NaN."""
    mx, my = (b.logic(V(v.reg, 1), imm(0x7FFFFFFF), 0xC0) for v in (x, y))
    zero_x = b.setp("ISETP.EQ.U32.AND", b.logic(mx, V(x.reg, 0), 0xFC), ZERO)
    zero_y = b.setp("ISETP.EQ.U32.AND", b.logic(my, V(y.reg, 0), 0xFC), ZERO)
    big_x = b.setp("ISETP.GE.U32.AND", mx, imm(EXPONENT))
    big_y = b.setp("ISETP.GE.U32.AND", my, imm(EXPONENT))
    nan = b.pred()
    b.emit("DSETP.NAN.AND", (nan, TRUE), (x, y, TRUE))
    both_big = _both(b, big_x, big_y)
    both_zero = _both(b, zero_x, zero_y)
    invalid = _either(b, _either(b, both_big, both_zero), nan)
    infinite = _either(b, big_x, zero_y)
    high = b.sel(b.logic(sign, imm(EXPONENT), 0xFC), sign, infinite)
    # A NaN operand is passed on, quiet, as the sum of both; an invalid operation makes the default NaN.
    total = b.temp(2)
    b.emit("DADD", (total,), (x, y))
    made_high = b.sel(V(total.reg, 1), imm(0xFFF80000), nan)
    made_low = b.sel(V(total.reg, 0), ZERO, nan)
    out = b.temp(2)
    b.select(V(out.reg, 1), made_high, high, invalid)
    b.select(V(out.reg, 0), made_low, ZERO, invalid)
    return out, _either(b, _either(b, zero_x, zero_y), _either(b, big_x, big_y))


def _both(b: Builder, p: MOperand, q: MOperand) -> V:
    return b.both(p, q)


def _either(b: Builder, p: MOperand, q: MOperand) -> V:
    from minicc.ptxas.lower.builder import number

    out = b.pred()
    b.emit("PLOP3.LUT", (out, TRUE), (p, q, TRUE, number(0xA8), number(0)))
    return out


def pack(b: Builder, full: V, exponent: V, sign: MOperand, rounding: str) -> V:
    """A double of sign, biased exponent and 56-bit significand (bit 55 set; bits 2..0 are half, quarter, sticky).

    A biased exponent below 1 shifts the significand down first, keeping what is lost in the sticky bit; above 2046 it
    overflows to infinity or the largest number, as the rounding says."""
    # Denormal: shift right by 1 - exponent (at most 57, which leaves only the sticky bit).
    short = b.temp()
    b.emit("IADD3", (short,), (neg(exponent), imm(1), ZERO))
    shift = _clamp(b, short, 57)
    low = b.temp()
    b.emit("SHF.R.U64", (low,), (V(full.reg, 0), shift, V(full.reg, 1)))
    high = b.new("SHF.R.U32.HI", ZERO, shift, V(full.reg, 1))
    # Lost bits: shift back and compare.
    back_high, back_low = b.temp(), b.temp()
    b.emit("SHF.L.U64.HI", (back_high,), (low, shift, high))
    b.emit("SHF.L.U32", (back_low,), (low, shift, ZERO))
    lost = b.logic(back_low, V(full.reg, 0), 0x3C)
    lost_high = b.logic(back_high, V(full.reg, 1), 0x3C)
    p = b.setp("ISETP.NE.U32.AND", b.logic(lost, lost_high, 0xFC), ZERO)
    low = b.sel(b.logic(low, imm(1), 0xFC), low, p)
    # Round: drop three bits.
    tail = b.logic(low, imm(7), 0xC0)
    main_low = b.temp()
    b.emit("SHF.R.U64", (main_low,), (low, imm(3), high))
    main_high = b.new("SHF.R.U32.HI", ZERO, imm(3), high)
    negative = b.setp("ISETP.LT.AND", sign, ZERO)
    if rounding == "":
        # Up if the tail is above half, or half and the result odd.
        odd = b.logic(main_low, imm(1), 0xC0)
        up = b.setp("ISETP.GT.U32.AND", b.new("IADD3", tail, odd, ZERO), imm(4))
    elif rounding == "RZ":
        up = b.setp("ISETP.NE.U32.AND", ZERO, ZERO)
    else:
        side = negative if rounding == "RM" else inv(negative)
        up = b.setp("ISETP.NE.U32.AND", tail, ZERO, side)
    one = b.sel(b.reg(imm(1)), ZERO, up)
    # The significand has its leading bit at 52 (or none): adding (exponent - 1) << 52 and the rounding carries right.
    normal = b.setp("ISETP.GT.AND", exponent, ZERO)
    field = b.sel(b.new("IADD3", exponent, imm(-1), ZERO), ZERO, normal)
    placed = b.new("SHF.L.U32", field, imm(20), ZERO)
    total = b.temp(2)
    carry = b.pred()
    b.emit("IADD3", (V(total.reg, 0), carry), (main_low, one, ZERO))
    b.emit("IADD3.X", (V(total.reg, 1),), (main_high, placed, ZERO, carry, FALSE))
    # Overflow: exponent field 2047 or more.
    huge = b.setp("ISETP.GE.AND", exponent, imm(2047))
    over = b.setp("ISETP.GE.U32.OR", V(total.reg, 1), imm(EXPONENT), huge)
    if rounding == "":
        limit_high, limit_low = b.reg(imm(EXPONENT)), b.reg(ZERO)
    elif rounding == "RZ":
        limit_high, limit_low = b.reg(imm(0x7FEFFFFF)), b.reg(imm(-1))
    else:
        infinite = negative if rounding == "RM" else inv(negative)
        limit_high = b.sel(b.reg(imm(EXPONENT)), imm(0x7FEFFFFF), infinite)
        limit_low = b.sel(ZERO, imm(-1), infinite)
    out = b.temp(2)
    b.select(V(out.reg, 0), limit_low, V(total.reg, 0), over)
    b.lop(V(out.reg, 1), b.sel(limit_high, V(total.reg, 1), over), sign, ZERO, 0xFC)
    return out


def _clamp(b: Builder, x: MOperand, top: int) -> V:
    """min(max(x, 0), top)"""
    low = b.temp()
    b.emit("VIMNMX", (low,), (x, ZERO, FALSE))
    out = b.temp()
    b.emit("VIMNMX", (out,), (low, imm(top), TRUE))
    return out


def reciprocal(b: Builder, inst: ptx.Inst) -> None:
    """rcp: correctly rounded as 1 / x; .approx.ftz is the seed alone, with a zero low word."""
    d, source = inst.operands
    out = b.dst(d)
    x = b.pair(source, "f64")
    if "approx" in inst.modifiers:
        seed = b.temp()
        b.emit("MUFU.RCP64H", (seed,), (_part(x, 1),))
        b.move64(out, ZERO, seed)
        return
    if modes(inst) == "":
        invert(b, out, x)
    else:
        divide(b, out, high_immediate(0x3FF00000), x, modes(inst))


def rsqrt(b: Builder, inst: ptx.Inst) -> None:
    """rsqrt.approx.f64: the seed and one cubic step; .ftz is the seed alone."""
    d, source = inst.operands
    out = b.dst(d)
    x = _copy(b, b.pair(source, "f64"))
    if "ftz" in inst.modifiers:
        seed = b.temp()
        b.emit("MUFU.RSQ64H", (seed,), (V(x.reg, 1),))
        b.move64(out, ZERO, seed)
        return
    r = b.temp(2)
    b.emit("MUFU.RSQ64H", (V(r.reg, 1),), (V(x.reg, 1),))
    b.move(V(r.reg, 0), ZERO)
    y = cubic(b, x, r)
    result = b.temp(2)
    b.move64(result, V(y.reg, 0), V(y.reg, 1))
    # Normal, finite and above zero, by the high word.
    p = b.setp("ISETP.GE.U32.AND", b.new("IADD3", V(x.reg, 1), imm(-0x00100000), ZERO), imm(0x7FE00000))
    slow, done = b.label("drsqrt_slow"), b.label("drsqrt_done")
    b.jump(slow, asked_for(b, p))
    b.start_cold(slow)
    strange_rsqrt(b, result, x)
    b.resume(done)
    b.move64(out, V(result.reg, 0), V(result.reg, 1))


def cubic(b: Builder, x: V, r: V) -> V:
    """A reciprocal root of 20 good bits made 60: r + r*e*(1/2 + 3/8 e), e = 1 - x r^2."""
    square = _new(b, "DMUL", r, r)
    e = _new(b, "DFMA", neg(x), square, high_immediate(0x3FF00000))
    part = _new(b, "DFMA", e, b.join(ZERO, imm(0x3FD80000)), high_immediate(0x3FE00000))
    return _new(b, "DFMA", part, _new(b, "DMUL", r, e), r)


def strange_rsqrt(b: Builder, out: V, x: V) -> None:
    """rsqrt of any operand."""
    small = b.setp("ISETP.LT.U32.AND", b.logic(V(x.reg, 1), imm(0x7FFFFFFF), 0xC0), imm(0x00100000))
    lifted = _new(b, "DMUL", x, high_immediate(0x43500000))
    xs = _choose(b, lifted, x, small)
    r = b.temp(2)
    b.emit("MUFU.RSQ64H", (V(r.reg, 1),), (V(xs.reg, 1),))
    b.move(V(r.reg, 0), ZERO)
    y = cubic(b, xs, r)
    down = _new(b, "DMUL", y, high_immediate(0x41A00000))
    y = _choose(b, down, y, small)
    # Zero, infinity, NaN and negative numbers: the seed of the operand itself says it.
    seed = b.temp()
    b.emit("MUFU.RSQ64H", (seed,), (V(x.reg, 1),))
    strange = _not_positive(b, x)
    nan = b.pred()
    b.emit("DSETP.NAN.AND", (nan, TRUE), (x, x, TRUE))
    zero = b.setp("ISETP.EQ.U32.AND", b.logic(V(x.reg, 0), b.logic(V(x.reg, 1), imm(0x7FFFFFFF), 0xC0), 0xFC), ZERO)
    minus = b.setp("ISETP.LT.AND", V(x.reg, 1), ZERO, inv(zero))
    high = b.sel(b.reg(imm(0xFFF80000)), seed, minus)
    high = b.sel(b.logic(V(x.reg, 1), imm(0x80000), 0xFC), high, nan)
    low = b.sel(V(x.reg, 0), ZERO, nan)
    b.select(V(out.reg, 0), low, V(y.reg, 0), strange)
    b.select(V(out.reg, 1), high, V(y.reg, 1), strange)


def _choose(b: Builder, x: V, y: V, p: MOperand) -> V:
    out = b.temp(2)
    for i in (0, 1):
        b.select(V(out.reg, i), V(x.reg, i), V(y.reg, i), p)
    return out


def _not_positive(b: Builder, x: V) -> V:
    """Is x not a finite number above zero?"""
    positive = b.pred()
    b.emit("DSETP.GT.AND", (positive, TRUE), (x, ZERO, TRUE))
    finite = b.setp("ISETP.LT.U32.AND", V(x.reg, 1), imm(EXPONENT), positive)
    return inv(finite)  # type: ignore[return-value]


def sqrt(b: Builder, inst: ptx.Inst) -> None:
    """sqrt.{rn,rz,rm,rp}.f64: where exponents allow, g = x*r of the refined seed r and one residual step; else, and for
    directed roundings, `any_sqrt`."""
    d, source = inst.operands
    out = b.dst(d)
    x = _copy(b, b.pair(source, "f64"))
    if modes(inst) != "":
        any_sqrt(b, out, x, modes(inst))
        return
    result = b.temp(2)
    # High words 0x03500000 to 0x7fefffff; the difference serves as the low word of the seed, which must not be zero.
    low = b.new("IADD3", V(x.reg, 1), imm(-0x03500000), ZERO)
    p = b.setp("ISETP.GE.U32.AND", low, imm(0x7CA00000))
    seed = b.temp(2)
    b.emit("MUFU.RSQ64H", (V(seed.reg, 1),), (V(x.reg, 1),))
    b.move(V(seed.reg, 0), low)
    r = cubic(b, x, seed)
    g = _new(b, "DMUL", x, r)
    half = b.temp(2)
    b.emit("IADD3", (V(half.reg, 1),), (V(r.reg, 1), imm(-0x00100000), ZERO))
    b.move(V(half.reg, 0), V(r.reg, 0))
    rest = _new(b, "DFMA", neg(g), g, x)
    y = _new(b, "DFMA", rest, half, g)
    b.move64(result, V(y.reg, 0), V(y.reg, 1))
    slow, done = b.label("dsqrt_slow"), b.label("dsqrt_done")
    b.jump(slow, asked_for(b, p))
    b.start_cold(slow)
    any_sqrt(b, result, x, "")
    b.resume(done)
    b.move64(out, V(result.reg, 0), V(result.reg, 1))


def any_sqrt(b: Builder, out: V, x: V, rounding: str) -> None:
    """The root of any operand, without a branch.

    x (scaled by 2^108 if small) has g = x*r and h = r/2 of the seed; two coupled Newton steps bring both near 60 bits,
    the last residual rounds. A result is never denormal, so scaling back is exact."""
    small = b.setp("ISETP.LT.U32.AND", b.logic(V(x.reg, 1), imm(0x7FFFFFFF), 0xC0), imm(0x10000000))
    lifted = _new(b, "DMUL", x, high_immediate(0x46B00000))
    xs = _choose(b, lifted, x, small)
    r = b.temp(2)
    b.emit("MUFU.RSQ64H", (V(r.reg, 1),), (V(xs.reg, 1),))
    b.move(V(r.reg, 0), ZERO)
    half = high_immediate(0x3FE00000)
    r = cubic(b, xs, r)
    g = _new(b, "DMUL", xs, r)
    h = _new(b, "DMUL", r, half)
    rest = _new(b, "DFMA", neg(g), g, xs)
    y = _new(b, "DFMA", rest, h, g)
    rest = _new(b, "DFMA", neg(y), y, xs)
    y = _new(b, "DFMA", rest, h, y)
    if rounding != "":
        rest = _new(b, "DFMA", neg(y), y, xs)
        p = b.pred()
        b.emit("DSETP.GT.AND" if rounding == "RP" else "DSETP.LT.AND", (p, TRUE), (rest, ZERO, TRUE))
        step = imm(1) if rounding == "RP" else imm(-1)
        moved = b.temp(2)
        b.add64(moved, (V(y.reg, 0), V(y.reg, 1)), (step, ZERO if rounding == "RP" else imm(-1)))
        y = _choose(b, moved, y, p)
    down = _new(b, "DMUL", y, high_immediate(0x3C900000))
    y = _choose(b, down, y, small)
    strange = _not_positive(b, x)
    # Zero and +infinity are their own roots, a NaN stays one, a negative number gives the default NaN.
    zero = b.setp("ISETP.EQ.U32.AND", b.logic(V(x.reg, 0), b.logic(V(x.reg, 1), imm(0x7FFFFFFF), 0xC0), 0xFC), ZERO)
    nan = b.pred()
    b.emit("DSETP.NAN.AND", (nan, TRUE), (x, x, TRUE))
    keep = _either(b, zero, nan)
    minus = b.setp("ISETP.LT.AND", V(x.reg, 1), ZERO, inv(keep))
    quiet = b.logic(V(x.reg, 1), imm(0x80000), 0xFC)
    high = b.sel(quiet, V(x.reg, 1), nan)
    high = b.sel(b.reg(imm(0xFFF80000)), high, minus)
    low = b.sel(ZERO, V(x.reg, 0), minus)
    b.select(V(out.reg, 0), low, V(y.reg, 0), strange)
    b.select(V(out.reg, 1), high, V(y.reg, 1), strange)


LOWER = {
    "add": add,
    "sub": add,
    "mul": mul,
    "fma": fma,
    "mad": fma,
    "neg": sign,
    "abs": sign,
    "min": minimum,
    "max": minimum,
    "rcp": reciprocal,
    "rsqrt": rsqrt,
    "sqrt": sqrt,
    "div": div,
}


def branches(inst: ptx.Inst) -> bool:
    """Slow paths make blocks."""
    if inst.opcode == "rsqrt":
        return "ftz" not in inst.modifiers
    return inst.opcode in ("div", "rcp", "sqrt") and "approx" not in inst.modifiers


__all__ = ["LOWER", "branches", "quotient"]
