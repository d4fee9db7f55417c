"""Typed expressions over one lane's bits: the one language that instruction semantics are written in.

A value is a bit pattern of `width` bits; floats are patterns too, and float operations name their format. Every
lowering (in `runtime.device.sm.execute`: plain Python in `reference`, LLVM in `codegen`) interprets the same nodes:

    const(attr=value)  src(attr=slot number)  lane  active (mask of executing lanes, 32 bits)  round (loop number)
    add sub mul and or xor shl lshr ashr      shift amounts must be below the width
    eq ult ule slt sle -> 1 bit               select(c, a, b)      zext sext trunc
    ctpop ctlz cttz bitreverse                ctlz/cttz of 0 is the width
    fadd fmul (attr=(fmt, rm))  fma           fmt "f32"/"f64"; rm "RN" "RM" "RP" "RZ"; a NaN result has unspecified bits
    fcmp (attr=(fmt, "oeq"/"olt"/"ole"/"uno"))
    fext: f32 -> f64   ftrunc(attr=rm): f64 -> f32   frint(attr=(fmt, rm))
    itof(attr=(fmt, signed, rm))   ftoi(attr=(fmt, signed)): truncating, saturating, NaN -> 0
    table(attr=tuple of ints): element `args[0]`, as `width` bits
    gather(attr=slot number, args=(lane,)): the 32-bit row of that slot (+ optional row) at another lane
    ballot(p): 32-bit mask of executing lanes where p    first(x): x in the lowest executing lane (lane 0 if none)
    reduce(attr="add"/"and"/"or"/"xor"/"umin"/"umax"/"smin"/"smax", x): over the executing lanes
    match(x): mask of executing lanes whose x equals this lane's

`vec` is False for a value that is the same in all lanes; it is then computed once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class E:
    """A node. Compared and hashed by identity; share a node to compute it once."""

    __slots__ = ("args", "attr", "op", "vec", "width")
    vec: bool

    def __init__(self, op: str, width: int, args: tuple[E, ...] = (), attr: Any = None, vec: bool | None = None):
        self.op, self.width, self.args, self.attr = op, width, args, attr
        self.vec = any(a.vec for a in args) if vec is None else vec

    def _coerce(self, other: E | int) -> E:
        if isinstance(other, int):
            return const(other, self.width)
        if other.width != self.width:
            raise TypeError(f"{self.op}: widths {self.width} and {other.width}")
        return other

    def _bin(self, op: str, other: E | int) -> E:
        other = self._coerce(other)
        return fold(op, self, other) or E(op, self.width, (self, other))

    def __add__(self, other: E | int) -> E:
        return self._bin("add", other)

    def __sub__(self, other: E | int) -> E:
        return self._bin("sub", other)

    def __radd__(self, other: int) -> E:
        return self._bin("add", other)

    def __rsub__(self, other: int) -> E:
        return const(other, self.width)._bin("sub", self)

    def __mul__(self, other: E | int) -> E:
        return self._bin("mul", other)

    def __and__(self, other: E | int) -> E:
        return self._bin("and", other)

    def __or__(self, other: E | int) -> E:
        return self._bin("or", other)

    def __xor__(self, other: E | int) -> E:
        return self._bin("xor", other)

    def __invert__(self) -> E:
        return self._bin("xor", -1)

    def __neg__(self) -> E:
        return const(0, self.width)._bin("sub", self)

    def __lshift__(self, amount: int) -> E:
        return self._shift("shl", amount)

    def __rshift__(self, amount: int) -> E:
        return self._shift("lshr", amount)

    def _shift(self, op: str, amount: int) -> E:
        if not 0 <= amount < self.width:
            raise ValueError(f"{op} of {self.width} bits by {amount}")
        return self if amount == 0 else E(op, self.width, (self, const(amount, self.width)))

    def sar(self, amount: int) -> E:
        """Arithmetic right shift by a constant."""
        return self._shift("ashr", amount)

    # Variable shifts. `amount` is taken as unsigned; at or above the width everything is shifted out.
    def shl(self, amount: E) -> E:
        return self._var("shl", amount, const(0, self.width))

    def shr(self, amount: E) -> E:
        return self._var("lshr", amount, const(0, self.width))

    def asr(self, amount: E) -> E:
        return self._var("ashr", amount, self.sar(self.width - 1))

    def _var(self, op: str, amount: E, over: E) -> E:
        amount = amount.fit(self.width)
        if amount.op == "const":
            return over if amount.attr >= self.width else self._shift(op, amount.attr)
        inside = amount.ult(self.width)
        return inside.select(E(op, self.width, (self, amount & (self.width - 1))), over)

    def _cmp(self, op: str, other: E | int) -> E:
        return E(op, 1, (self, self._coerce(other)))

    def eq(self, other: E | int) -> E:
        return self._cmp("eq", other)

    def ne(self, other: E | int) -> E:
        return ~self._cmp("eq", other)

    def ult(self, other: E | int) -> E:
        return self._cmp("ult", other)

    def ule(self, other: E | int) -> E:
        return self._cmp("ule", other)

    def slt(self, other: E | int) -> E:
        return self._cmp("slt", other)

    def sle(self, other: E | int) -> E:
        return self._cmp("sle", other)

    def uge(self, other: E | int) -> E:
        return ~self.ult(other)

    def ugt(self, other: E | int) -> E:
        return ~self.ule(other)

    def sge(self, other: E | int) -> E:
        return ~self.slt(other)

    def sgt(self, other: E | int) -> E:
        return ~self.sle(other)

    def negative(self) -> E:
        """The top bit."""
        return self.slt(0)

    def bit(self, number: int) -> E:
        """Bit `number` as one bit."""
        return (self >> number).trunc(1)

    def bits(self, low: int, count: int) -> E:
        """Bits low..low+count-1, in place 0, same width."""
        return (self >> low) & ((1 << count) - 1)

    def select(self, yes: E | int, no: E | int) -> E:
        """This one-bit value ? yes : no."""
        if isinstance(yes, int):
            assert isinstance(no, E)
            yes = const(yes, no.width)
        no = yes._coerce(no)
        if self.op == "const":
            return yes if self.attr else no
        return yes if yes is no else E("select", yes.width, (self, yes, no))

    def zext(self, width: int) -> E:
        return self._cast("zext", width)

    def sext(self, width: int) -> E:
        return self._cast("sext", width)

    def trunc(self, width: int) -> E:
        return self._cast("trunc", width)

    def fit(self, width: int) -> E:
        """Zero-extended, or, when narrowing, clamped to all ones (for shift amounts)."""
        if width >= self.width:
            return self.zext(width)
        top = (1 << width) - 1
        return self.ult(top).select(self, const(top, self.width)).trunc(width)

    def _cast(self, op: str, width: int) -> E:
        if width == self.width:
            return self
        if (op == "trunc") != (width < self.width):
            raise TypeError(f"{op} from {self.width} to {width}")
        if self.op == "const":
            value = self.attr
            if op == "sext" and value >> (self.width - 1):
                value -= 1 << self.width
            return const(value, width)
        return E(op, width, (self,))

    def popcount(self) -> E:
        return E("ctpop", self.width, (self,))

    def clz(self) -> E:
        return E("ctlz", self.width, (self,))

    def ctz(self) -> E:
        return E("cttz", self.width, (self,))

    def reverse(self) -> E:
        return E("bitreverse", self.width, (self,))

    def umin(self, other: E | int) -> E:
        return self.ult(other).select(self, other)

    def umax(self, other: E | int) -> E:
        other = self._coerce(other)
        return self.ult(other).select(other, self)

    def smin(self, other: E | int) -> E:
        return self.slt(other).select(self, other)

    def smax(self, other: E | int) -> E:
        other = self._coerce(other)
        return self.slt(other).select(other, self)


def const(value: int, width: int = 32) -> E:
    """A constant; `value` is reduced modulo 2^width."""
    return E("const", width, (), value & ((1 << width) - 1), vec=False)


TRUE, FALSE = const(1, 1), const(0, 1)


def fold(op: str, a: E, b: E) -> E | None:
    """Identities that keep the trees small: both constant, or a neutral element."""
    mask = (1 << a.width) - 1
    if a.op == "const" and b.op == "const":
        x, y = a.attr, b.attr
        match op:
            case "add":
                return const(x + y, a.width)
            case "sub":
                return const(x - y, a.width)
            case "mul":
                return const(x * y, a.width)
            case "and":
                return const(x & y, a.width)
            case "or":
                return const(x | y, a.width)
            case "xor":
                return const(x ^ y, a.width)
    if a.op == "const" and op in ("add", "and", "or", "xor", "mul"):
        a, b = b, a
    if b.op == "const":
        y = b.attr
        if y == 0:
            if op in ("add", "sub", "or", "xor"):
                return a
            if op in ("and", "mul"):
                return b
        if y == mask and op == "and":
            return a
        if y == mask and op == "or":
            return b
        if y == 1 and op == "mul":
            return a
    return None


def concat(low: E, high: E) -> E:
    """high:low as one value."""
    width = low.width + high.width
    return low.zext(width) | (high.zext(width) << low.width)


def lane() -> E:
    return E("lane", 32, vec=True)


def active() -> E:
    return E("active", 32, vec=False)


def round_number() -> E:
    return E("round", 32, vec=False)


def ballot(p: E) -> E:
    return E("ballot", 32, (p,), vec=False)


def first(x: E) -> E:
    return E("first", x.width, (x,), vec=False)


def reduce(op: str, x: E) -> E:
    return E("reduce", x.width, (x,), op, vec=False)


def match(x: E) -> E:
    return E("match", 32, (x,), vec=True)


def table(values: Sequence[int], index: E, width: int = 64) -> E:
    """Element `index` (32 bits, must be in range) of a constant table of signed numbers."""
    return E("table", width, (index,), tuple(values))


def fadd(fmt: str, a: E, b: E, rm: str = "RN") -> E:
    return E("fadd", a.width, (a, b), (fmt, rm))


def fmul(fmt: str, a: E, b: E, rm: str = "RN") -> E:
    return E("fmul", a.width, (a, b), (fmt, rm))


def fma(fmt: str, a: E, b: E, c: E, rm: str = "RN") -> E:
    return E("fma", a.width, (a, b, c), (fmt, rm))


def fcmp(fmt: str, predicate: str, a: E, b: E) -> E:
    return E("fcmp", 1, (a, b), (fmt, predicate))


def fext(a: E) -> E:
    return E("fext", 64, (a,))


def ftrunc(a: E, rm: str = "RN") -> E:
    return E("ftrunc", 32, (a,), rm)


def frint(fmt: str, a: E, rm: str) -> E:
    return E("frint", a.width, (a,), (fmt, rm))


def itof(fmt: str, a: E, signed: bool, rm: str = "RN") -> E:
    return E("itof", 32 if fmt == "f32" else 64, (a,), (fmt, signed, rm))


def ftoi(fmt: str, a: E, width: int, signed: bool) -> E:
    return E("ftoi", width, (a,), (fmt, signed))
