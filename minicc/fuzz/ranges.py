"""Integers of a known range, and memory that they index: what random kernels over memory are written with.

Signed sums here cannot overflow and indices cannot leave their array, though the compiler cannot know: the values of
the launch's arguments are chosen with the text.
"""

from __future__ import annotations

from minicc.fuzz.kernels import (
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    SHORT,
    UCHAR,
    UINT,
    ULONG,
    USHORT,
    Type,
    Writer,
)
from minicc.record import NamedTuple

ELEMENTS = (INT, UINT, FLOAT, UCHAR, SHORT, ULONG, DOUBLE, CHAR, USHORT, LONG)
_WIDE = (
    ("wide({}, {}, {})", (ULONG, ULONG, UINT), ULONG),
    ("halves({}, {}, {})", (USHORT, USHORT, UINT), USHORT),
    ("chosen({}, {}, {})", (UINT, UINT, UINT), UINT),
)
"""Functions of `PRELUDE`, as `kernels._BUILTINS` has them."""
PRELUDE = {
    "put1(": """template <class T> __device__ __forceinline__ void put1(T *__restrict__ a, const T *b, T c)
{ *a = b[3] < b[0] ? b[0] : c; }""",
    "put2(": """template <class T> __device__ __forceinline__ void put2(T *__restrict__ a, const T *__restrict__ b, T c)
{ T x = b[0]; a[0] = x > c ? x : c; }""",
    "put3(": """template <class T> __device__ void put3(T *__restrict__ a, const T *b, T c)
{ if (c > b[0]) *a = b[0]; }""",
    "wide(": """__device__ unsigned long long wide(unsigned long long a, unsigned long long b, unsigned k) {
    unsigned __int128 x = (unsigned __int128)a * b + ((unsigned __int128)b << 64);
    x >>= k & 127u;
    x = k & 128u ? x / (b | 1u) : x ^ (x << (k & 63u));
    return (unsigned long long)x ^ (unsigned long long)(x >> 64);
}""",
    "halves(": """__device__ unsigned short halves(unsigned short a, unsigned short b, unsigned k) {
    __half x = __ushort_as_half(a), y = __ushort_as_half(b);
    __half z = k & 1u ? __hadd(x, y) : k & 2u ? __hmul(x, y) : k & 4u ? __hfma(x, y, x) : __hmax(x, y);
    return __hisnan(z) ? 99 : __half_as_ushort(z);
}""",
    "chosen(": """__device__ __noinline__ unsigned chosen0(unsigned a, unsigned b) { return a * 3u ^ b; }
__device__ __noinline__ unsigned chosen1(unsigned a, unsigned b) { return a < b ? chosen0(b, a) : a - b; }
__device__ unsigned chosen2(unsigned a, unsigned b) { return a > 9u ? chosen2(a >> 2, b + a) + 1u : b; }
__device__ unsigned (*choices[4])(unsigned, unsigned) = {chosen0, chosen1, chosen2, chosen0};
__device__ unsigned chosen(unsigned k, unsigned a, unsigned b) { return choices[k & 3u](a, b); }""",
}
"""What a kernel that has such a name begins with."""


class Range(NamedTuple):
    """An integer whose value is known to lie in low ... high."""

    text: str
    type: Type
    low: int
    high: int


class Slice(NamedTuple):
    """Memory of which elements 0 ... size - 1 belong to the thread, or -size ... size - 1 to nobody who writes."""

    before: str
    after: str
    type: Type
    size: int

    def at(self, index: object) -> str:
        return f"{self.before}{index}{self.after}"

    @property
    def plain(self) -> str:
        """The pointer, if elements are found by that alone."""
        return self.before[:-1] if self.before[-1] == "[" and self.after == "]" else ""


def most(type_: Type) -> int:
    return (1 << type_.bits - (type_.kind == "s")) - 1


def fits(low: int, high: int, type_: Type) -> bool:
    return (-(1 << type_.bits - 1) if type_.kind == "s" else 0) <= low and high <= most(type_)


def common(a: Type, b: Type) -> Type:
    """C's type of an operation."""
    a, b = (INT if x.bits < 32 else x for x in (a, b))
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return a if a.kind == "u" else b


class Ranged(Writer):
    """Writes numbers and accesses."""

    ranges: list[Range]
    slices: list[Slice]
    tables: list[Slice]
    """Memory that nobody writes."""

    def ranged(self, low: int, high: int) -> str:
        """An integer expression whose value is low ... high, often of a sum of counters and arguments."""
        for _ in range(4):
            made = self.affine()
            least, largest = low - made.low, high - made.high
            if least > largest:
                continue
            near = least <= 4 and largest >= -4
            by = self.number(max(least, -4), min(largest, 4)) if near else least
            if by == 0:
                return made.text
            if made.type.kind == "s" or by > 0 or made.low + by >= 0:
                return f"({made.text} {'-' if by < 0 else '+'} {abs(by)})"
        made, width = self.affine(), high - low + 1
        if self.often() and width & (width - 1) == 0:
            text = f"((int)({made.text} & {width - 1}))"
        elif made.low >= 0 and self.often():
            text = f"((int)({made.text} % {width}))"
        else:
            text = f"((int)((unsigned){made.text} % {width}u))"
        return text if low == 0 else f"({text} {'-' if low < 0 else '+'} {abs(low)})"

    def affine(self) -> Range:
        """A sum or product of known numbers that does not leave its type."""
        made = self.term()
        for _ in range(self.number(0, 2)):
            other, op = self.term(), self.one("+-+*")
            ends = [_apply(op, a, b) for a in made[2:] for b in other[2:]]
            type_ = common(made.type, other.type)
            if all(fits(*both, type_) for both in ((min(ends), max(ends)), made[2:], other[2:])):
                made = Range(f"({made.text} {op} {other.text})", type_, min(ends), max(ends))
        return made

    def term(self) -> Range:
        if not self.ranges or self.number(0, 7) == 0:
            value = self.one((0, 1, 2, 3, 5, 8, 17))
            return Range(str(value), INT, value, value)
        text, type_, low, high = found = self.one(self.ranges[-6:] if self.often() else self.ranges)
        kind = self.number(0, 7)
        if kind == 0:
            to = self.one((INT, UINT, LONG, SHORT, ULONG))
            if fits(low, high, to):
                return Range(f"({to.name}){text}", INT if to.bits < 32 else to, low, high)
        if kind == 1:
            by = self.one((2, 3, 4, 7, -1, -2, 16))
            least, largest = min(low * by, high * by), max(low * by, high * by)
            if fits(least, largest, type_) and type_.bits >= 32 and (by > 0 or type_.kind == "s"):
                return Range(f"({text} * {by})", type_, least, largest)
        if kind == 2 and low >= 0:
            by = self.one((1, 2, 3))
            return Range(f"({text} >> {by})", type_, low >> by, high >> by)
        if kind == 3 and low >= 0:
            by = self.one((2, 3, 4, 5))
            return Range(f"({text} % {by})", type_, 0, min(by - 1, high))
        return found

    def narrow(self) -> Range:
        """A number that memory or arithmetic gives, of a few bits."""
        mask = self.one((1, 3, 7, 15, 31))
        return Range(f"(int)({self.value(UINT, 2)} & {mask}u)", INT, 0, mask)

    def condition(self, depth: int) -> str:
        if self.number(0, 2) or not self.ranges:
            return super().condition(depth)
        op = self.one(("<", ">", "==", "!=", "<=", ">="))
        a, b = self.affine(), self.affine()
        if common(a.type, b.type).kind == "u" and (a.low < 0 or b.low < 0):
            return f"((long long){a.text} {op} (long long){b.text})"
        return f"({a.text} {op} {b.text})"

    def builtin(self, type_: Type, depth: int) -> str:
        found = [row for row in _WIDE if row[2] is type_]
        if not found or self.number(0, 3):
            return super().builtin(type_, depth)
        text, operands, _ = self.one(found)
        return f"({text.format(*[self.value(operand, depth - 2) for operand in operands])})"

    def element(self, type_: Type, depth: int) -> str:
        found = [s for s in self.slices + self.tables if s.type is type_]
        return self.access(self.one(found)) if found and self.number(0, 3) else super().element(type_, depth)

    def access(self, of: Slice) -> str:
        return of.at(self.ranged(self.least(of), of.size - 1))

    def least(self, of: Slice) -> int:
        """The first element."""
        return -of.size if of in self.tables else 0

    def plus(self, type_: Type, a: str, b: str) -> str:
        """Some operation on two values of a type."""
        if type_.kind == "f":
            return f"{a} {self.one('++-*')} {b}"
        wide = "unsigned long long" if type_.bits == 64 else "unsigned"
        return f"({type_.name})(({wide}){a} {self.one('+-*^&|')} ({wide}){b})"


def _apply(op: str, a: int, b: int) -> int:
    return a + b if op == "+" else a - b if op == "-" else a * b
