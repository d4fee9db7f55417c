"""Double precision: DADD DMUL DFMA DSETP. Denormals are always kept; NaN operands pass quieted (see `floats`), without
their -x and |x|."""

from __future__ import annotations

from minicc.sass.instr import Const, Imm, Reg
from minicc.sass.semantics.expr import E, fadd, fma, fmul
from minicc.sass.semantics.float32 import COMPARISONS
from minicc.sass.semantics.floats import F64, compare, is_nan, propagate, rounding, total_key
from minicc.sass.semantics.form import Builder, semantic
from minicc.sass.semantics.integer import set_predicates


def operand(b: Builder, i: int) -> E:
    """f64 operand (register pair, uniform pair, constant, or the high word as immediate) with its sign modifiers."""
    assert isinstance(b.ops[i], Reg | Imm | Const)
    return b.real(i, 64)


@semantic("DADD")
def dadd(b: Builder) -> None:
    x, y = operand(b, 1), operand(b, 2)
    b.set(0, propagate(F64, fadd("f64", x, y, rounding(b)), b.raw(2, 64), b.raw(1, 64)))


@semantic("DMUL")
def dmul(b: Builder) -> None:
    x, y = operand(b, 1), operand(b, 2)
    b.set(0, propagate(F64, fmul("f64", x, y, rounding(b)), b.raw(2, 64), b.raw(1, 64)))


@semantic("DFMA")
def dfma(b: Builder) -> None:
    x, y, z = operand(b, 1), operand(b, 2), operand(b, 3)
    raw = (b.raw(i, 64) for i in (2, 3, 1))
    b.set(0, propagate(F64, fma("f64", x, y, z, rounding(b)), *raw))


@semantic("DSETP")
def dsetp(b: Builder) -> None:
    """MIN and MAX answer "is the first operand the result" (destination 0) and "are both NaN" (destination 1): ptxas
    then selects, and quiets the second operand where destination 1 is set."""
    x, y = operand(b, 2), operand(b, 3)
    if b.has("MIN", "MAX"):
        kx, ky = total_key(F64, x), total_key(F64, y)
        less = kx.sle(ky) if b.has("MIN") else ky.slt(kx)
        nx, ny = is_nan(F64, x), is_nan(F64, y)
        b.set(0, (less | ny) & ~nx & b.pred(4))
        b.set(1, nx & ny & b.pred(4))
        return
    names = [n for n in COMPARISONS if n not in ("F", "T")]
    set_predicates(b, compare(F64, b.one(*names), x, y), 4)
