"""f32 arithmetic: sums, products, minima, the approximations around MUFU, and correctly rounded reciprocal, square root
and division.

Scalings around MUFU (which flushes denormals) follow the table of the special-function-unit measurements for sm_90;
they make the .approx forms give the bits that the reference compiler's give.
"""

from __future__ import annotations

import struct

from minicc.ptx import model as ptx
from minicc.ptxas.lower import routine
from minicc.ptxas.lower.builder import Builder, absolute, fimm, imm, inv, neg, number
from minicc.ptxas.lower.types import ROUNDING, dotted
from minicc.ptxas.lower.wanted import asked_for
from minicc.ptxas.mir import FALSE, TRUE, ZERO, MOperand, V
from minicc.sass.instr import Imm

TWO24, TWO_12, TWO12, QUARTER, ONE, HALF = 0x4B800000, 0x39800000, 0x45800000, 0x3E800000, 0x3F800000, 0x3F000000
TINY, HUGE, INV_2PI, M24, M126 = 0x00800000, 0x7E800000, 0x3E22F983, 0xC1C00000, 0xC2FC0000
TWO64, TWO_32, TWO_96 = 0x5F800000, 0x2F800000, 0x0F800000


def modes(inst: ptx.Inst) -> str:
    """FTZ, rounding and SAT as they print."""
    mods = inst.modifiers
    rounding = next((ROUNDING[m] for m in mods if m in ROUNDING), "")
    return dotted("FTZ" if "ftz" in mods else "", rounding, "SAT" if "sat" in mods else "")


def ftz(inst: ptx.Inst) -> str:
    return "FTZ" if "ftz" in inst.modifiers else ""


def value(b: Builder, item: ptx.Operand) -> MOperand:
    return b.val(item, "f32")


def negated(x: MOperand) -> MOperand:
    """-x, also of an immediate."""
    if isinstance(x, Imm):
        return fimm(x.bits ^ 0x80000000)
    return neg(x)


def add(b: Builder, inst: ptx.Inst) -> None:
    """add and sub."""
    if "f32x2" in inst.modifiers:
        b.unsupported()
    d, left, right = inst.operands
    x, y = value(b, left), value(b, right)
    if inst.opcode == "sub":
        y = negated(y)
    x, y = b.swap(x, y)
    b.op(dotted("FADD", modes(inst)), b.dst(d), x, y)


def mul(b: Builder, inst: ptx.Inst) -> None:
    d, left, right = inst.operands
    x, y = b.swap(value(b, left), value(b, right))
    b.op(dotted("FMUL", modes(inst)), b.dst(d), x, y)


def fma(b: Builder, inst: ptx.Inst) -> None:
    """fma, and mad, which is the same since sm_20."""
    d, left, right, third = inst.operands
    x, y = b.swap(value(b, left), value(b, right))
    b.op(dotted("FFMA", modes(inst)), b.dst(d), x, y, value(b, third))


def sign(b: Builder, inst: ptx.Inst) -> None:
    """neg and abs, as a sum with -0."""
    d, source = inst.operands
    x: MOperand = b.reg(value(b, source))
    x = negated(x) if inst.opcode == "neg" else absolute(x)
    b.emit(dotted("FADD", ftz(inst)), (b.dst(d),), (x, neg(ZERO)))


def minimum(b: Builder, inst: ptx.Inst) -> None:
    """min and max; .NaN gives NaN where an operand is one; .xorsign.abs of magnitudes."""
    d, left, right, *more = inst.operands
    mods = inst.modifiers
    if more:
        b.unsupported()
    x, y = value(b, left), value(b, right)
    nan, xorsign = "NAN" if "NaN" in mods else "", "XORSIGN" if "xorsign" in mods else ""
    if xorsign:
        x, y = absolute(b.reg(x)), absolute(b.reg(y))
    x, y = b.swap(x, y)
    which = TRUE if inst.opcode == "min" else FALSE
    b.emit(dotted("FMNMX", ftz(inst), nan, xorsign), (b.dst(d),), (*b.slots(x, y), which))


def mufu(b: Builder, function: str, x: MOperand) -> V:
    out = b.temp()
    b.emit(f"MUFU.{function}", (out,), (x,))
    return out


def choose(b: Builder, p: MOperand, a: int, c: int) -> V:
    """p ? a : c of two f32 constants."""
    out = b.temp()
    b.emit("FSEL", (out,), (b.reg(imm(a)), fimm(c), p))
    return out


def tiny(b: Builder, x: MOperand) -> V:
    """Is |x| below the least normal number?"""
    return b.setp("FSETP.LT.AND", absolute(x), fimm(TINY))


def scaled(b: Builder, p: MOperand, x: MOperand, factor: int) -> V:
    """p ? x * factor : x"""
    product = b.new("FMUL", x, fimm(factor))
    return b.sel(product, x, p)


def approximate(b: Builder, inst: ptx.Inst) -> None:
    """rcp, rsqrt, sqrt, ex2, lg2, sin, cos, tanh .approx; and rcp and sqrt with IEEE rounding."""
    mods, op = inst.modifiers, inst.opcode
    d, source = inst.operands
    out = b.dst(d)
    x = b.reg(value(b, source))
    if op in ("rcp", "sqrt") and "approx" not in mods:
        rounding = next(m for m in mods if m in ROUNDING)
        if op == "rcp":
            invert(b, out, x, rounding, bool(ftz(inst)))
        else:
            square_root(b, out, x, rounding, bool(ftz(inst)))
        return
    if op in ("sin", "cos"):
        b.emit(f"MUFU.{op.upper()}", (out,), (b.new("FMUL.RZ", x, fimm(INV_2PI)),))
        return
    name = {"rcp": "RCP", "rsqrt": "RSQ", "sqrt": "SQRT", "ex2": "EX2", "lg2": "LG2", "tanh": "TANH"}[op]
    if ftz(inst) or op == "tanh":
        b.emit(f"MUFU.{name}", (out,), (x,))
    elif op == "rcp":
        big = b.setp("FSETP.GT.AND", absolute(x), fimm(HUGE))
        small = choose(b, tiny(b, x), TWO24, ONE)
        factor = b.temp()
        b.emit("FSEL", (factor,), (small, fimm(QUARTER), inv(big)))
        b.op("FMUL", out, factor, mufu(b, name, b.new("FMUL", x, factor)))
    elif op == "ex2":
        p = b.setp("FSETP.LT.AND", x, fimm(M126))
        y = mufu(b, name, scaled(b, p, x, HALF))
        b.select(out, b.new("FMUL", y, y), y, p)
    else:
        p = tiny(b, x)
        y = mufu(b, name, scaled(b, p, x, TWO24))
        if op == "lg2":
            b.select(out, b.new("FADD", y, fimm(M24)), y, p)
        else:
            b.select(out, b.new("FMUL", y, fimm(TWO12 if op == "rsqrt" else TWO_12)), y, p)


def square_root(b: Builder, out: V, x: MOperand, rounding: str, flush: bool) -> None:
    """Correctly rounded square root.

    RSQ gives g = x*r ~ sqrt(x) with h = r/2; one step g + h*(x - g*g) rounds correctly for every x of [2^-101, inf)
    (tested over all significands of two binades); else `any_root`."""
    if flush:
        x = b.new("FMUL.FTZ", x, fimm(ONE))
    if rounding != "rn":
        any_root(b, out, x, rounding)
        return
    result = b.temp()
    p = b.setp("ISETP.GT.U32.AND", b.new("IADD3", x, imm(-0x0D000000), ZERO), imm(0x727FFFFF))
    r = mufu(b, "RSQ", x)
    g, h = b.new("FMUL", x, r), b.new("FMUL", r, fimm(HALF))
    b.emit("FFMA", (result,), (b.new("FFMA", neg(g), g, x), h, g))
    slow, done = b.label("sqrt_slow"), b.label("sqrt_done")
    b.jump(slow, asked_for(b, p))
    b.start_cold(slow)
    any_root(b, result, x, rounding)
    b.resume(done)
    b.move(out, result)


def any_root(b: Builder, out: V, x: MOperand, rounding: str) -> None:
    """The root of any operand, without a branch. Small x is scaled by 2^64 first, exactly; no result is denormal.
    Zero, infinity, NaN and negative numbers take what MUFU.SQRT says. Directed roundings correct the nearest result by
    the sign of its exact residual."""
    small = b.setp("FSETP.LT.AND", absolute(x), fimm(TWO_96))
    xs = scaled(b, small, x, TWO64)
    r = mufu(b, "RSQ", xs)
    g, h = b.new("FMUL", xs, r), b.new("FMUL", r, fimm(HALF))
    e = b.new("FFMA", neg(g), g, xs)
    y = b.new("FFMA", e, h, g)
    if rounding != "rn":
        rest = b.new("FFMA", neg(y), y, xs)
        how = "GT" if rounding == "rp" else "LT"
        p = b.setp(f"FSETP.{how}.AND", rest, ZERO)
        y = b.sel(b.new("IADD3", y, imm(1 if rounding == "rp" else -1), ZERO), y, p)
    y = scaled(b, small, y, TWO_32)
    before = b.new("IADD3", x, imm(-1), ZERO)
    special = b.setp("ISETP.GE.U32.AND", before, imm(0x7F7FFFFF))
    b.select(out, mufu(b, "SQRT", xs), y, special)


def div(b: Builder, inst: ptx.Inst) -> None:
    """div.approx, div.full, and div with IEEE rounding."""
    mods = inst.modifiers
    d, left, right = inst.operands
    out = b.dst(d)
    x, divisor = value(b, left), value(b, right)
    y = b.reg(divisor)
    flush = ftz(inst)
    one = isinstance(x, Imm) and x.bits == ONE
    x = b.reg(x)
    if "approx" in mods or "full" in mods:
        # Both are scaled by what the divisor asks for: the second of two divisions by one number has less to do.
        fmul = dotted("FMUL", flush)
        factor = None if flush else choose(b, tiny(b, y), TWO24, ONE)
        if "full" in mods:
            big = b.setp(dotted("FSETP.GT", flush, "AND"), absolute(y), fimm(HUGE))
            scale = b.temp()
            b.emit("FSEL", (scale,), (b.reg(fimm(ONE)) if factor is None else factor, fimm(QUARTER), inv(big)))
            factor = scale
        if factor is not None:
            x, y = b.new(fmul, x, factor), b.new(fmul, y, factor)
        b.op(fmul, out, x, mufu(b, "RCP", y))
        return
    rounding = next((m for m in mods if m in ROUNDING), "rn")
    if one:
        invert(b, out, y, rounding, bool(flush))
    else:
        divide(b, out, x, y, rounding, bool(flush), _known(divisor))


def _known(divisor: MOperand) -> Imm | None:
    """1 / a constant, to nearest, where both are normal and the significand is not all ones: by that Markstein's step
    rounds wrongly."""
    if not isinstance(divisor, Imm) or not TINY <= (size := divisor.bits & 0x7FFFFFFF) <= HUGE:
        return None
    if divisor.bits & 0x7FFFFF == 0x7FFFFF:
        return None
    (of,) = struct.unpack("<f", struct.pack("<I", size))
    (bits,) = struct.unpack("<I", struct.pack("<f", 1 / of))  # two roundings are as good as one to 24 bits
    return fimm(bits | divisor.bits & 0x80000000)


def invert(b: Builder, out: V, x: MOperand, rounding: str, flush: bool) -> None:
    """1 / x, rounded: to nearest by one step on RCP where x and the result are normal, exponents 1 to 252."""
    one = b.reg(imm(ONE))
    if rounding != "rn":
        divide(b, out, one, x, rounding, flush)
        return
    if flush:
        x = b.new("FMUL.FTZ", x, fimm(ONE))
    result = b.temp()
    moved = b.logic(b.new("IADD3", x, imm(0x01800000), ZERO), imm(0x7F800000), 0xC0)
    p = b.setp("ISETP.LE.U32.AND", moved, imm(0x01FFFFFF))
    r = mufu(b, "RCP", x)
    b.emit("FFMA", (result,), (r, b.new("FFMA", neg(x), r, fimm(ONE)), r))
    slow, done = b.label("rcp_slow"), b.label("rcp_done")
    b.jump(slow, asked_for(b, p))
    b.start_cold(slow)
    slow_quotient(b, result, one, x, done)
    b.resume(done)
    if flush:
        b.op("FMUL.FTZ", out, result, fimm(ONE))
    else:
        b.move(out, result)


def divide(
    b: Builder, out: V, x: MOperand, y: MOperand, rounding: str, flush: bool, inverse: Imm | None = None
) -> None:
    """Correctly rounded quotient; `inverse`: 1 / y to nearest, if y is a constant.

    Nearest: Newton's reciprocal and Markstein's residual step where FCHK says that nothing over- or underflows on the
    way; else, and for directed roundings, the quotient of the operands as doubles, rounded once (`precise`)."""
    if flush:
        x, y = b.new("FMUL.FTZ", x, fimm(ONE)), b.new("FMUL.FTZ", y, fimm(ONE))
    result = b.temp()
    if rounding == "rn":
        r: MOperand
        if inverse:
            r = inverse
        else:
            r = mufu(b, "RCP", y)
            r = b.new("FFMA", r, b.new("FFMA", neg(y), r, fimm(ONE)), r)
        q0 = b.new("FFMA", x, r, ZERO)
        rest = b.new("FFMA", neg(y), q0, x)
        b.emit("FFMA", (result,), (rest, r, q0) if inverse else (r, rest, q0))
        check = b.pred()
        b.emit("FCHK", (check,), (x, y))
        slow, done = b.label("div_slow"), b.label("div_done")
        b.jump(slow, asked_for(b, check))
        b.start_cold(slow)
        slow_quotient(b, result, x, y, done)
        b.resume(done)
    else:
        done = b.label("div_done")
        precise(b, result, x, y, rounding, done)
        b.start(done)
    if flush:
        b.op("FMUL.FTZ", out, result, fimm(ONE))
    else:
        b.move(out, result)


def slow_quotient(b: Builder, out: V, x: MOperand, y: MOperand, done: str) -> None:
    """x / y to nearest; the long way of several places is a routine. The caller starts the block `done`."""

    def body(b: Builder, words: list[V]) -> tuple[V]:
        made, end = b.temp(), b.label("div_long_done")
        precise(b, made, words[0], words[1], "rn", end)
        b.start(end)
        return (made,)

    if routine.shared(b, ("div", "rcp"), ("f32",)):
        b.move(out, *routine.call(b, "__division_f32", (x, y), 1, body, registers=16))
    else:
        precise(b, out, x, y, "rn", done)


def precise(b: Builder, out: V, x: MOperand, y: MOperand, rounding: str, done: str) -> None:
    """x / y for any operands, by doubles; the caller starts the block `done`.

    Where an operand is zero, infinite or NaN, x * RCP(y) has the right value, with y replaced by a signed one if y is
    an ordinary number; zeros are common enough to go a way of their own. Else the double quotient is made odd where it
    is inexact, so that rounding it once more to f32 is rounding the exact quotient."""
    from minicc.ptxas.lower.float64 import quotient

    # Magnitude - 1 is at least 0x7f7fffff.
    strange = []
    for v in (x, y):
        magnitude = b.logic(v, imm(0x7FFFFFFF), 0xC0)
        strange.append(b.setp("ISETP.GE.U32.AND", b.new("IADD3", magnitude, imm(-1), ZERO), imm(0x7F7FFFFF)))
    one = b.temp()
    b.lop(one, y, imm(0x80000000), b.reg(imm(ONE)), 0xEA)
    divisor = b.sel(y, one, strange[1])
    b.emit("FMUL", (out,), (x, mufu(b, "RCP", divisor)))
    either = b.pred()
    b.emit("PLOP3.LUT", (either, TRUE), (strange[0], strange[1], TRUE, number(0xA8), number(0)))
    b.jump(done, either)
    xd, yd = b.temp(2), b.temp(2)
    b.emit("F2F.F64.F32", (xd,), (x,))
    b.emit("F2F.F64.F32", (yd,), (y,))
    q = quotient(b, xd, yd)
    rest = b.temp(2)
    b.emit("DFMA", (rest,), (neg(yd), q, xd))
    # Sign of (exact - q): that of the residual times that of y. Step towards zero if q is too large, then set the
    # lowest bit: "round to odd".
    inexact = b.pred()
    b.emit("DSETP.NEU.AND", (inexact, TRUE), (rest, ZERO, TRUE))
    sign_q = V(q.reg, 1)
    disagree = b.temp()
    b.lop(disagree, V(rest.reg, 1), V(yd.reg, 1), sign_q, 0x96)
    over = b.setp("ISETP.LT.AND", disagree, ZERO, inexact)
    odd = b.temp(2)
    lower = b.temp(2)
    b.add64(lower, (V(q.reg, 0), V(q.reg, 1)), (imm(-1), imm(-1)))
    low = b.sel(V(lower.reg, 0), V(q.reg, 0), over)
    b.select(V(odd.reg, 1), V(lower.reg, 1), V(q.reg, 1), over)
    b.select(V(odd.reg, 0), b.logic(low, imm(1), 0xFC), low, inexact)
    b.emit(dotted("F2F.F32.F64", ROUNDING[rounding]), (out,), (odd,))


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
    "div": div,
    **dict.fromkeys(("rcp", "rsqrt", "sqrt", "ex2", "lg2", "sin", "cos", "tanh"), approximate),
}


def branches(inst: ptx.Inst) -> bool:
    """Slow paths make blocks."""
    return inst.opcode in ("div", "rcp", "sqrt") and "approx" not in inst.modifiers and "full" not in inst.modifiers


__all__ = ["LOWER", "branches", "divide"]
