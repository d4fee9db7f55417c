"""Random CUDA kernels of C++ as people write it, with conversions that nobody spells: what an expression's type is.

Operands of every type meet as they are (integral promotions, signed with unsigned, bit-fields, enumerations, booleans),
are assigned and passed without casts, and call whichever overload their type means. There are classes with operators
and destructors, templates, lambdas, references, unions, structured bindings, loops over ranges, switches, and gotos;
constexpr functions, of which the compiler's result has to be what runs; bases, whose layout sizeof tells.
What C leaves open is closed by intervals: each expression has one, and where an operation on signed operands could
leave its type they are masked first. The kernel is launched as those of `minicc.fuzz.kernels` are.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs
from hypothesis import strategies as st

from minicc.fuzz.choices import Choices
from minicc.fuzz.kernels import INPUTS, NAME, OUTPUTS, mixed


@attrs.frozen
class Type:
    """An arithmetic type; `rank` orders them as conversions do."""

    name: str
    bits: int
    signed: bool
    rank: int

    @property
    def low(self) -> int:
        return -(1 << self.bits - 1) if self.signed else 0

    @property
    def high(self) -> int:
        return (1 << self.bits - self.signed) - 1


BOOL = Type("bool", 1, False, 0)
CHAR, SCHAR, UCHAR = Type("char", 8, True, 1), Type("signed char", 8, True, 1), Type("unsigned char", 8, False, 1)
SHORT, USHORT = Type("short", 16, True, 2), Type("unsigned short", 16, False, 2)
INT, UINT = Type("int", 32, True, 3), Type("unsigned", 32, False, 3)
LONG, ULONG = Type("long", 64, True, 4), Type("unsigned long", 64, False, 4)
LLONG, ULLONG = Type("long long", 64, True, 5), Type("unsigned long long", 64, False, 5)
FLOAT, DOUBLE = Type("float", 32, True, 6), Type("double", 64, True, 7)
PLAIN = (INT, UCHAR, UINT, SHORT, LLONG, SCHAR, ULLONG, USHORT)
"""One of each width and sign."""
INTEGERS = (*PLAIN, BOOL, CHAR, LONG, ULONG)


def promoted(t: Type) -> Type:
    """[conv.prom]"""
    return INT if t.rank < INT.rank else t


def common(a: Type, b: Type) -> Type:
    """[expr.arith.conv]"""
    other, high = sorted((promoted(a), promoted(b)), key=lambda t: (t.rank, not t.signed))
    if high.rank >= FLOAT.rank or high.signed == other.signed or not high.signed or high.bits > other.bits:
        return high
    return {LONG: ULONG, LLONG: ULLONG}[high]


@attrs.frozen
class Expr:
    """Text, in parentheses where that matters, its type, and what its value lies between."""

    text: str
    type: Type
    low: int
    high: int


@attrs.frozen
class Place:
    """What can be read, and written if not `fixed`; of `width` bits if it is a bit-field."""

    text: str
    type: Type
    fixed: bool = False
    width: int = 0

    @property
    def value(self) -> Expr:
        """As an operand. A bit-field that int holds is one ([conv.prom])."""
        if not self.width:
            return Expr(self.text, self.type, self.type.low, self.type.high)
        field = Type("", self.width, self.type.signed, 0)
        whole = INT if self.width < INT.bits or self.type.signed else UINT
        return Expr(self.text, whole if self.type.rank >= INT.rank else self.type, field.low, field.high)


@attrs.frozen
class Struct:
    """A class: its fields, and the elements of its array `a` of `UCHAR`, if it has one."""

    name: str
    fields: tuple[Place, ...]
    array: int
    base: Struct | None = None
    """Its class's, whose fields are among its own."""


@attrs.frozen
class Lambda:
    """A lambda; one that is not `pure` is no part of an expression, whose order is open."""

    name: str
    parameters: int
    result: Type
    pure: bool


_OVERLOADS = "\n".join(
    f"__device__ constexpr int which({t.name}) {{ return {n + 2}; }}" for n, t in enumerate((*INTEGERS, FLOAT, DOUBLE))
)
_HEAD = f"""{_OVERLOADS}
enum Byte : unsigned char {{ byte0, byte9 = 9, byte200 = 200 }};
enum Plain {{ plain0, plain5 = 5, plainMinus = -3 }};
enum class Scoped : short {{ a = -7, b = 300 }};
enum Truth : bool {{ no, yes }};
struct Conv {{ int v; __device__ constexpr operator int() const {{ return v; }} }};
union Bits {{ unsigned u; float f; unsigned char c[4]; short s[2]; }};
struct Trace {{
    unsigned &to;
    int v;
    __device__ Trace(unsigned &to, int v) : to(to), v(v) {{ to = to * 31 + v; }}
    __device__ Trace(const Trace &o) : to(o.to), v(o.v + 100) {{ to = to * 37 + v; }}
    __device__ ~Trace() {{ to = to * 41 + v; }}
}};
struct Held {{ const Trace &a; Trace &&b; }};
struct Kept {{ int k; Trace t; }};
template <class T> struct Pair {{
    T x, y;
    __device__ constexpr Pair operator+(const Pair &o) const {{ return {{(T)(x ^ o.x), (T)(y | o.y)}}; }}
    __device__ constexpr Pair &operator+=(T k) {{ x ^= k; return *this; }}
    __device__ constexpr T &operator[](int i) {{ return i ? y : x; }}
    __device__ constexpr bool operator<(const Pair &o) const {{ return x < o.x || (x == o.x && y < o.y); }}
    template <class U> __device__ constexpr operator Pair<U>() const {{ return {{(U)x, (U)y}}; }}
}};
template <class A, class B> __device__ constexpr auto joined(A a, B b) {{ return (a & 255) + (b & 255); }}
template <class A> __device__ constexpr int kind(const A &) {{ return 1; }}
template <class A> __device__ constexpr int kind(A *) {{ return 2; }}
template <class A, int N> __device__ constexpr int kind(A (&)[N]) {{ return N; }}
template <class A, class... B> __device__ constexpr unsigned folded(A a, B... b) {{
    return ((unsigned)a + ... + (unsigned)b);
}}
__device__ constexpr inline int whole(double d) {{ return d > -1e6 && d < 1e6 ? (int)d : 7; }}
"""


_NAMED = (("'a'", CHAR, 97), ("'\\xf0'", CHAR, -16), ("true", BOOL, 1), ("byte200", INT, 200), ("plain5", INT, 5),
          ("plainMinus", INT, -3))  # fmt: skip
"""Constants as operands: enumerators are promoted."""
_VALUES: dict[str, Callable[[int, int], int]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
}


class Writer(Choices):
    """Writes one program."""

    def __init__(self, draw: st.DrawFn, floats: bool) -> None:
        super().__init__(draw)
        self.floats = floats
        self.left = self.loops = 0
        self.row = "out[0]"
        self.traces = True
        self.constant = False
        """A constexpr function is being written."""
        self.places: list[Place] = []
        self.arrays: list[tuple[str, Type, int]] = []
        self.lambdas: list[Lambda] = []
        self.structs: list[Struct] = []
        self.objects: list[tuple[str, Struct]] = []

    def type(self) -> Type:
        return self.one((*INTEGERS, FLOAT, DOUBLE) if self.floats else INTEGERS)

    # --- expressions --------------------------------------------------------------------------------------------

    def within(self, e: Expr, most: int) -> Expr:
        """One whose value lies between -most - 1 and most, for integers: `e`, or some of its bits."""
        if e.type.rank >= FLOAT.rank or (-most - 1 <= e.low and e.high <= most):
            return e
        if e.type.rank <= INT.rank and most >= SHORT.high and self.often():
            return Expr(f"(short)({e.text})", SHORT, SHORT.low, SHORT.high)
        mask = 255 if most >= 255 else most
        return Expr(f"({e.text} & {mask})", common(e.type, INT), 0, mask)

    def leaf(self) -> Expr:
        kind = self.number(0, 9)
        if kind == 0:
            value = self.one((0, 1, 2, 7, 100, 255, 4096, 65535, 0x7FFFFFFF))
            suffix, type_ = self.one((("", INT), ("u", UINT), ("ll", LLONG), ("ull", ULLONG), ("l", LONG)))
            return Expr(f"{value}{suffix}", type_, value, value)
        if kind == 1:
            text, type_, value = self.one(_NAMED)
            return Expr(text, type_, value, value)
        if kind == 2 and self.arrays:
            name, type_, size = self.one(self.arrays)
            return Place(f"{name}[{self.index(size)}]", type_).value
        if kind == 4 and self.structs and self.often():
            return Expr(f"sizeof({self.one(self.structs).name})", ULONG, 1, 4096)
        if kind == 3 and self.floats:
            text, type_ = self.one((("1.5f", FLOAT), ("0.25", DOUBLE), ("-3e3f", FLOAT), ("1e10", DOUBLE)))
            return Expr(text, type_, 0, 0)
        return self.one(self.readable()).value

    def readable(self) -> list[Place]:
        fields = [attrs.evolve(f, text=f"{name}.{f.text}") for name, struct in self.objects for f in struct.fields]
        return self.places + fields

    def writable(self) -> list[Place]:
        """What may be written; a word of the trace where there is nothing else."""
        return [place for place in self.readable() if not place.fixed] or [Place(self.row, ULLONG)]

    def index(self, size: int) -> str:
        return str(self.number(0, size - 1)) if self.often() else f"({self.integer(1).text} & {size - 1})"

    def integer(self, depth: int) -> Expr:
        e = self.value(depth)
        return e if e.type.rank < FLOAT.rank else Expr(f"whole({e.text})", INT, -1000000, 1000000)

    def value(self, depth: int) -> Expr:
        if depth <= 0 or not self.number(0, 4):
            return self.leaf()
        makers = (self.binary, self.binary, self.binary, self.compared, self.shifted, self.chosen, self.unary,
                  self.divided, self.asked, self.called, self.cast, self.converted)  # fmt: skip
        return self.one(makers)(depth - 1)

    def binary(self, depth: int) -> Expr:
        op = self.one("+-*&|^")
        a, b = (self.value(depth), self.value(depth)) if op in "+-*" else (self.integer(depth), self.integer(depth))
        type_ = common(a.type, b.type)
        if type_.rank >= FLOAT.rank:
            return Expr(f"({a.text} {op} {b.text})", type_, 0, 0)
        if not type_.signed:
            return Expr(f"({a.text} {op} {b.text})", type_, 0, type_.high)
        if op in "&|^":
            bits = max(max(-e.low - 1, e.high).bit_length() for e in (a, b))
            low = 0 if min(a.low, b.low) >= 0 else -(1 << bits)
            return Expr(f"({a.text} {op} {b.text})", type_, low, (1 << bits) - 1)
        room = (1 << type_.bits - 2) - 1 if op in "+-" else (1 << type_.bits // 2 - 1) - 1
        a, b = self.within(a, room), self.within(b, room)
        type_ = common(a.type, b.type)
        if not type_.signed:
            return Expr(f"({a.text} {op} {b.text})", type_, 0, type_.high)
        corners = [_VALUES[op](x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
        return Expr(f"({a.text} {op} {b.text})", type_, min(corners), max(corners))

    def compared(self, depth: int) -> Expr:
        a, b = self.value(depth), self.value(depth)
        return Expr(f"({a.text} {self.one(('<', '>', '==', '!=', '<=', '>='))} {b.text})", BOOL, 0, 1)

    def converted(self, depth: int) -> Expr:
        """What a class, or an enumeration of bool, becomes beside an operator."""
        a, b = self.integer(depth), self.integer(depth)
        if self.often():
            return Expr(f"((Truth)({a.text} & 1))", BOOL, 0, 1)
        if self.often():
            return Expr(f"(Conv{{(int)({a.text})}} {self.one(('<', '==', '!=', '>='))} {b.text})", BOOL, 0, 1)
        type_ = common(INT, b.type)
        return Expr(f"(Conv{{(int)({a.text})}} {self.one('&|^')} {b.text})", type_, type_.low, type_.high)

    def condition(self, depth: int) -> str:
        match self.number(0, 4):
            case 0:
                return self.value(depth).text
            case 4:
                return f"Conv{{(int)({self.integer(depth).text})}}"
            case 1:
                return f"{self.compared(depth).text} {self.one(('&&', '||'))} {self.value(depth).text}"
        return self.compared(depth).text

    def shifted(self, depth: int) -> Expr:
        a, by = self.integer(depth), self.integer(depth)
        type_ = promoted(a.type)
        amount = f"({by.text} & {type_.bits - 1})"
        if self.often():
            return Expr(f"({a.text} >> {amount})", type_, min(a.low, 0), max(a.high, 0))
        if type_.signed:
            a = Expr(f"({a.text} & 255)", type_, 0, 255)
            amount = f"({by.text} & 15)"
            return Expr(f"({a.text} << {amount})", type_, 0, 255 << 15)
        return Expr(f"({a.text} << {amount})", type_, 0, type_.high)

    def chosen(self, depth: int) -> Expr:
        a, b = self.value(depth), self.value(depth)
        type_ = a.type if a.type is b.type else common(a.type, b.type)
        fits = type_.low <= min(a.low, b.low) and max(a.high, b.high) <= type_.high
        low, high = (min(a.low, b.low), max(a.high, b.high)) if fits else (type_.low, type_.high)
        return Expr(f"({self.condition(depth)} ? {a.text} : {b.text})", type_, low, high)

    def unary(self, depth: int) -> Expr:
        op = self.one("-~!+")
        a = self.value(depth) if op in "-!" else self.integer(depth)
        type_ = promoted(a.type)
        if op == "!":
            return Expr(f"(!{a.text})", BOOL, 0, 1)
        if type_.rank >= FLOAT.rank:
            return Expr(f"(- {a.text})", type_, 0, 0)
        if op == "-" and type_.signed:
            a = self.within(a, type_.high - 1)
            return Expr(f"(- {a.text})", promoted(a.type), *sorted((-a.low, -a.high)))
        low, high = (a.low, a.high) if op == "+" else (~a.high, ~a.low)
        return Expr(f"({op} {a.text})", type_, low if type_.signed else 0, high if type_.signed else type_.high)

    def divided(self, depth: int) -> Expr:
        a, op, by = self.integer(depth), self.one("/%"), self.one(("3", "7u", "10ll", "(char)5", "16", "255ull"))
        type_ = common(a.type, {"3": INT, "7u": UINT, "10ll": LLONG, "(char)5": INT, "16": INT, "255ull": ULLONG}[by])
        if not type_.signed:
            return Expr(f"({a.text} {op} {by})", type_, 0, type_.high)
        edge = max(-a.low, a.high)
        return Expr(f"({a.text} {op} {by})", type_, -edge if a.low < 0 else 0, edge)

    def asked(self, depth: int) -> Expr:
        """What the type of an expression is."""
        a = self.value(depth)
        if self.number(0, 2):
            return Expr(f"which({a.text})", INT, 2, 16)
        return Expr(f"sizeof(+{a.text})", ULONG, 4, 8)

    def called(self, depth: int) -> Expr:
        pure = [f for f in self.lambdas if f.pure]
        if pure and self.often():
            f = self.one(pure)
            return Expr(self.call(f, depth), f.result, f.result.low, f.result.high)
        a, b = self.integer(depth), self.integer(depth)
        if self.often():
            return Expr(f"folded({a.text}, {b.text}, {self.leaf_integer()})", UINT, 0, UINT.high)
        return Expr(f"joined({a.text}, {b.text})", common(a.type, b.type), 0, 510)

    def call(self, f: Lambda, depth: int) -> str:
        return f"{f.name}({', '.join(self.integer(depth).text for _ in range(f.parameters))})"

    def run(self, depth: int) -> list[str]:
        """A call of a lambda that may change what it takes with it."""
        if not self.lambdas:
            return self.function(depth)
        f, name = self.one(self.lambdas), self.name("v")
        line = f"auto {name} = {self.call(f, 1)};"
        self.places.append(Place(name, f.result))
        return [line]

    def leaf_integer(self) -> str:
        return self.integer(0).text

    def cast(self, depth: int) -> Expr:
        type_ = self.type()
        a = self.value(depth)
        if type_.rank < FLOAT.rank and type_ is not BOOL and a.type.rank >= FLOAT.rank:
            a = self.integer(depth)
        if type_.rank >= FLOAT.rank:
            return Expr(f"({type_.name})({a.text})", type_, 0, 0)
        low, high = (a.low, a.high) if type_.low <= a.low and a.high <= type_.high else (type_.low, type_.high)
        return Expr(f"({type_.name})({a.text})", type_, low, high)

    def assigned(self, type_: Type, depth: int) -> str:
        """What is converted to a type without a word."""
        e = self.value(depth) if type_.rank >= FLOAT.rank or type_ is BOOL else self.integer(depth)
        return e.text

    # --- statements ---------------------------------------------------------------------------------------------

    def block(self, depth: int, most: int = 4) -> list[str]:
        """Statements; what they declare ends with them."""
        saved = list(self.places), list(self.arrays), list(self.lambdas), list(self.objects)
        out: list[str] = []
        for _ in range(self.number(1, most)):
            out += self.statement(depth)
        self.places, self.arrays, self.lambdas, self.objects = saved
        return ["    " + line for line in out]

    def statement(self, depth: int) -> list[str]:
        self.left -= 1
        makers: list[Callable[[int], list[str]]] = [
            self.assign, self.compound, self.declare, self.step, self.array, self.bound, self.either, self.object,
            self.sequenced, self.sliced,
        ]  # fmt: skip
        if not self.constant:
            makers += [self.function, self.punned, self.traced, self.run]
        if depth > 0 and self.left > 0:
            makers += [self.branch, self.branch, self.loop, self.loop, self.ranged, self.switch]
            makers += [self.leave] if self.loops else []
        return self.one(makers)(depth)

    def assign(self, depth: int) -> list[str]:
        to = self.one(self.writable())
        return [f"{to.text} = {self.assigned(to.type, 3)};"]

    def compound(self, depth: int) -> list[str]:
        found = [p for p in self.writable() if p.type is not BOOL]
        if not found:
            return self.assign(depth)
        to = self.one(found)
        own = to.value
        if to.type.rank >= FLOAT.rank:
            return [f"{to.text} {self.one('+-*')}= {self.value(2).text};"]
        op = self.one("+-*&|^<>/%")
        if op in "<>":
            shift = self.integer(1).text
            if op == "<" and promoted(own.type).signed:
                return [f"({to.text} &= 127) <<= {shift} & 7;"] if not to.width else []
            return [f"{to.text} {op}{op}= {shift} & {promoted(own.type).bits - 1};"]
        if op in "/%":
            return [f"{to.text} {op}= {self.one(('3', '7u', '10ll', '(char)5'))};"]
        b = self.integer(2)
        if op in "&|^" or not common(own.type, b.type).signed:
            return [f"{to.text} {op}= {b.text};"]
        type_ = common(own.type, b.type)
        edge = max(-own.low, own.high)
        room = type_.high - edge if op != "*" else type_.high // max(edge, 1)
        if room < 1:
            return [f"{to.text} ^= {b.text};"]
        b = self.within(b, min(room, type_.high) - 1)
        return [f"{to.text} {op}= {b.text};"] if common(own.type, b.type).signed else []

    def step(self, depth: int) -> list[str]:
        """x++ and --x, whose value is asked for."""
        found = [p for p in self.writable() if self.steps(p)]
        if not found:
            return self.assign(depth)
        place = self.one(found)
        name, op = self.name("v"), self.one(("++", "--"))
        e = f"{place.text}{op}" if self.often() else f"{op}{place.text}"
        self.places.append(Place(name, UINT))
        return [f"unsigned {name} = {e};"]

    @staticmethod
    def steps(p: Place) -> bool:
        """++ is defined for all that it may hold."""
        wide = p.type.signed and (p.width or p.type.bits) >= 32
        return p.type is not BOOL and p.type.rank < FLOAT.rank and not wide

    def declare(self, depth: int) -> list[str]:
        name = self.name("v")
        if self.number(0, 2) == 0:
            e = self.integer(2)
            self.places.append(Place(name, e.type))
            return [f"auto {name} = {e.text};"]
        type_ = self.type()
        if self.number(0, 3) == 0:
            same = [p for p in self.places if p.type is type_ and not p.width and not p.fixed]
            if same:
                self.places.append(Place(name, type_))
                return [f"{type_.name} &{name} = {self.one(same).text};"]
            line = f"const {type_.name} &{name} = {self.assigned(type_, 2)};"
            self.places.append(Place(name, type_, fixed=True))
            return [line]
        line = f"{type_.name} {name} = {self.assigned(type_, 2)};"
        self.places.append(Place(name, type_))
        return [line]

    def array(self, depth: int) -> list[str]:
        name, type_, size = self.name("a"), self.one(PLAIN), self.one((2, 4, 8))
        values = ", ".join(f"({type_.name})({self.integer(1).text})" for _ in range(self.number(1, size)))
        self.arrays.append((name, type_, size))
        lines = [f"{type_.name} {name}[{size}] = {{{values}}};"]
        if self.often():
            pointer, at = self.name("p"), self.number(0, size - 1)
            self.places.append(Place(f"(*{pointer})", type_))
            lines += [f"{type_.name} *{pointer} = {name} + {at};"]
            if self.often():
                lines += [f"{pointer} = {name} + {self.index(size)};"]
        return lines

    def function(self, depth: int) -> list[str]:
        """A lambda: what it takes with it by value, by reference, changed or not."""
        name, how = self.name("l"), self.number(0, 3)
        count = self.number(0, 2)
        parameters = [self.one(PLAIN) for _ in range(count)]
        saved = list(self.places), list(self.objects), list(self.lambdas)
        own = [Place(self.name("q"), t) for t in parameters]
        head, tail, first = "[=]", "", []
        named = [p for p in self.places if p.text[0] not in "xy"]  # a structured binding is not taken before C++20
        by_value = [Place(p.text, p.type, True) for p in named if p.text.isidentifier()]
        traces, self.traces = self.traces, self.traces and how == 0
        if how == 0:
            head = "[&]"
            kept = named
        elif how == 1:
            kept = by_value
            self.objects = []
        else:
            made = Place(self.name("k"), self.one(PLAIN))
            head, tail = f"[=, {made.text} = ({made.type.name})({self.integer(1).text})]", " mutable"
            kept = [*by_value, made]
            first = [f"{made.text} ^= {self.number(1, 100)};"]
            self.objects = []
        arrays, self.arrays = self.arrays, list(self.arrays) if how == 0 else []
        self.places, self.lambdas = [*kept, *own], []
        loops, self.loops = self.loops, 0
        body = [*first, *self.block(0, 2)]
        result = self.one(INTEGERS)
        body.append(f"return {self.assigned(result, 2)};")
        self.loops, self.arrays, self.traces = loops, arrays, traces
        self.places, self.objects, self.lambdas = saved
        listed = ", ".join(f"{p.type.name} {p.text}" for p in own)
        self.lambdas.append(Lambda(name, count, result, how == 1))
        return [f"auto {name} = {head}({listed}){tail} -> {result.name} {{", *["    " + x for x in body], "};"]

    def punned(self, depth: int) -> list[str]:
        name, start = self.name("u"), self.assigned(UINT, 2)
        self.places += [
            Place(f"{name}.u", UINT),
            Place(f"{name}.s[1]", SHORT),
            Place(f"{name}.c[{self.number(0, 3)}]", UCHAR),
        ]
        return [f"Bits {name};", f"{name}.u = {start};"]

    def bound(self, depth: int) -> list[str]:
        """Structured bindings of pairs, which are converted, added, indexed."""
        x, y, type_, other = self.name("x"), self.name("y"), self.one(PLAIN), self.one(PLAIN)
        pair = self.name("z")
        values = [f"({type_.name})({self.integer(1).text})" for _ in range(4)]
        lines = [f"Pair<{type_.name}> {pair}{{{values[0]}, {values[1]}}};"]
        match self.number(0, 3):
            case 0:
                lines += [f"auto &[{x}, {y}] = {pair};"]
                self.places += [Place(x, type_), Place(y, type_)]
            case 1:
                lines += [f"auto [{x}, {y}] = {pair} + Pair<{type_.name}>{{{values[2]}, {values[3]}}};"]
                self.places += [Place(x, type_), Place(y, type_)]
            case 2:
                lines += [f"auto [{x}, {y}] = (Pair<{other.name}>){pair};"]
                self.places += [Place(x, other), Place(y, other)]
            case 3:
                lines += [f"({pair} += {values[2]})[{self.integer(1).text} & 1] ^= {values[3]};"]
        self.places += [Place(f"{pair}.x", type_), Place(f"{pair}[1]", type_)]
        return lines

    def either(self, depth: int) -> list[str]:
        """(c ? a : b) = ..., commas, and what is assigned assigned to again."""
        a = self.one(self.writable())
        same = [p for p in self.readable() if p.type is a.type]
        b = self.one([p for p in same if not p.fixed] or [a])
        value = self.assigned(a.type, 1)
        match self.number(0, 3):
            case 0:
                return [f"({self.condition(1)} ? {a.text} : {b.text}) = {value};"]
            case 1:
                return [f"{b.text} = ({a.text} = {value}, {self.assigned(b.type, 1)});"]
            case 2 if a.type.rank < FLOAT.rank and a.type is not BOOL:
                changed = self.one(
                    (f"({a.text} = {value})", f"({self.condition(0)}, {a.text})", f"({a.text} ^= {value})")
                )
                return [f"{changed} {self.one('&|^')}= {self.integer(1).text};"]
        name, other = self.name("r"), self.one([p for p in same if not p.width] or [b])
        if a.width or b.width or other.width:
            return [f"({self.condition(1)} ? {b.text} : {a.text}) = {value};"]
        line = f"const {a.type.name} &{name} = {self.condition(1)} ? {a.text} : {other.text};"
        self.places.append(Place(name, a.type, fixed=True))
        return [line]

    def sequenced(self, depth: int) -> list[str]:
        """The right side of an assignment changes what its left side is found by."""
        found = [p for p in self.writable() if self.steps(p)]
        if not found or not self.arrays:
            return self.assign(depth)
        name, _, size = self.one(self.arrays)
        by, place = self.one(found).text, f"{name}[{{}} & {size - 1}]"
        change = self.one((f"{by}++", f"--{by}", f"({by} ^= {self.number(1, 9)})"))
        return [f"{place.format(by)} {self.one(('', '^', '&', '|'))}= {change};"]

    def sliced(self, depth: int) -> list[str]:
        """The base of an object: assigned to, bound to, chosen."""
        pairs = [(d, b) for d in self.objects for b in self.objects if d[1].base is b[1]]
        if not pairs:
            return self.object(depth)
        (derived, _), (base, struct) = self.one(pairs)
        field = self.one(struct.fields)
        value = self.assigned(field.type, 1)
        match self.number(0, 3):
            case 0:
                return [f"static_cast<{struct.name} &>({derived}) = {base};"]
            case 1:
                return [f"({self.condition(1)} ? {derived} : {base}).{field.text} = {value};"]
            case 2:
                return [f"{base} = {derived};"]
        name = self.name("r")
        return [f"{struct.name} &{name} = {self.condition(1)} ? {base} : {derived};", f"{name}.{field.text} = {value};"]

    def traced(self, depth: int) -> list[str]:
        """Objects that tell when they begin and end."""
        if not self.traces:
            return self.assign(depth)
        name = self.name("t")
        match self.number(0, 5):
            case 0:
                return [f"Trace {name}(trace, {self.number(0, 9)});"]
            case 3:
                return [f"Held {name}{{Trace(trace, {self.number(0, 9)}), Trace(trace, 3)}};", f"trace += {name}.a.v;"]
            case 4:
                return [f"const Trace &{name} = Kept{{{self.number(0, 9)}, Trace(trace, 5)}}.t;"]
            case 5:
                return [f"Trace {name} = {self.condition(1)} ? Trace(trace, 1) : Kept{{2, Trace(trace, 2)}}.t;"]
            case 1:
                return [f"Trace {name}(trace, {self.number(0, 9)}), {name}_ = {name};"]
        return [f"if ({self.condition(1)}) Trace(trace, {self.number(0, 9)});"]

    def object(self, depth: int) -> list[str]:
        if not self.structs:
            return self.declare(depth)
        struct, name = self.one(self.structs), self.name("o")
        same = [other for other, of in self.objects if of is struct]
        start = f" = {self.one(same)}" if same and self.often() else "{}"
        self.objects.append((name, struct))
        if struct.array:
            self.arrays.append((f"{name}.a", UCHAR, struct.array))
        lines = [f"{struct.name} {name}{start};"]
        passed = not self.constant and self.often()
        return lines + ([f"{name} = passed({name}, {self.assigned(INT, 1)});"] if passed else [])

    def branch(self, depth: int) -> list[str]:
        out = [f"if ({self.condition(2)}) {{", *self.block(depth - 1)]
        if self.often():
            out += ["} else {", *self.block(depth - 1)]
        return [*out, "}"]

    def inside(self, depth: int) -> list[str]:
        self.loops += 1
        body = self.block(depth - 1)
        self.loops -= 1
        return body

    def loop(self, depth: int) -> list[str]:
        name, type_ = self.name("i"), self.one((INT, UCHAR, SCHAR, USHORT, UINT, LLONG))
        turns = f"({self.integer(1).text} & 7)" if self.often() else str(self.number(1, 5))
        self.places.append(Place(name, type_, fixed=True))
        body = self.inside(depth)
        self.places = [p for p in self.places if p.text != name]
        bound = self.name("n")
        head = f"const auto {bound} = {turns};"
        match self.number(0, 2):
            case 0:
                return [head, f"for ({type_.name} {name} = 0; {name} < {bound}; {name}++) {{", *body, "}"]
            case 1:
                return [head, f"for ({type_.name} {name} = {bound}; {name}-- > 0;) {{", *body, "}"]
        return [head, f"{type_.name} {name} = 0;", "do {", *body, f"}} while (++{name} < {bound});"]

    def ranged(self, depth: int) -> list[str]:
        if not self.arrays:
            return self.loop(depth)
        name, type_, _ = self.one(self.arrays)
        each, how = self.name("e"), self.one(("auto", "auto &", "const auto &", "int", "auto &&"))
        self.places.append(Place(each, INT if how == "int" else type_, fixed="const" in how))
        body = self.inside(depth)
        self.places = [p for p in self.places if p.text != each]
        return [f"for ({how} {each} : {name}) {{", *body, "}"]

    def switch(self, depth: int) -> list[str]:
        on = self.integer(2)
        type_ = promoted(on.type)
        values = [v for v in (0, 1, 2, 3, 5, 97, 200, 255, -1, -16) if type_.signed or v >= 0]
        cases = [values[n] for n in sorted({self.number(0, len(values) - 1) for _ in range(5)})]
        loops, self.loops = self.loops, 0
        out = [f"switch ({on.text}{self.one(('', ' & 3', ' & 255'))}) {{"]
        for value in cases:
            out += [f"case {value}: {{", *self.block(depth - 1, 2), "}" + (" break;" if self.number(0, 3) else "")]
        if self.often():
            out += ["default: {", *self.block(depth - 1, 2), "}"]
        self.loops = loops
        return [*out, "}"]

    def leave(self, depth: int) -> list[str]:
        return [f"if ({self.condition(1)}) {self.one(('break', 'continue'))};"]

    # --- the program --------------------------------------------------------------------------------------------

    def struct(self) -> list[str]:
        base = self.one(self.structs) if self.structs and self.often() else None
        name, fields, lines = self.name("S"), list(base.fields) if base else [], []
        for _ in range(self.number(1, 5)):
            type_ = self.type()
            width = self.number(1, min(type_.bits, 32)) if type_.rank < FLOAT.rank and self.number(0, 2) else 0
            field = self.name("f")
            fields.append(Place(field, type_, width=width))
            lines.append(f"    {type_.name} {field}{f' : {width}' * bool(width)};")
        array = self.one((0, 0, 2, 4))
        lines += [f"    unsigned char a[{array}];"] if array else []
        # What a class is more than data says where derived ones begin.
        assigned = f"__device__ constexpr {name} &operator=(const {name} &) = default;"
        lines += [f"    {self.one(('', '', assigned, 'private: char hidden;'))}"]
        self.structs.append(Struct(name, tuple(fields), array, base))
        self.places, own = [Place("k", INT)], self.objects
        self.objects = [("s", self.structs[-1])]
        body = [line for _ in range(2) for line in self.assign(0)]
        self.objects, self.places = own, []
        return [f"struct {name}{f' : {base.name}' if base else ''} {{", *lines, "};",
                f"__device__ {self.one(('', '__noinline__ '))}{name} passed({name} s, int k) {{",
                *[f"    {x}" for x in body], "    return s;", "}"]  # fmt: skip

    def program(self, size: int) -> str:
        out: list[str] = []
        for _ in range(self.number(0, 3)):
            out += self.struct()
        checks: list[str] = []
        for _ in range(self.number(0, 2)):
            checks += self.compiled(out)
        body = [f"in += threadIdx.x * {INPUTS};", f"out += threadIdx.x * {OUTPUTS};", "unsigned trace = 1;"]
        for at, type_ in enumerate([INT, UINT, *[self.type() for _ in range(self.number(1, 5))]]):
            name = self.name("v")
            wide = f"in[{at}] | (unsigned long long)in[{at + 1}] << 32" if type_.bits == 64 else f"in[{at}]"
            value = f"(int)in[{at}] * 0.125f" if type_.rank >= FLOAT.rank else wide
            body.append(f"{type_.name} {name} = {value};")
            self.places.append(Place(name, type_))
        self.left = size
        for _ in range(self.number(1, 8)):
            body += self.statement(3)
        body += self.results() + checks
        head = f"__global__ void {NAME}(const unsigned *in, unsigned long long *out) {{"
        return "\n".join([_HEAD, *out, f'extern "C" {head}', *[f"    {x}" for x in body], "}"]) + "\n"

    def compiled(self, out: list[str]) -> list[str]:
        """A constexpr function, written to `out`; what the frontend makes of a call with constants is what runs."""
        name, types = self.name("c"), [self.one(PLAIN) for _ in range(self.number(1, 3))]
        parameters = [Place(self.name("q"), t) for t in types]
        self.places, self.row, self.constant, self.left = list(parameters), "word", True, 8
        body = [line for _ in range(self.number(1, 6)) for line in self.statement(2)]
        result = self.one(INTEGERS)
        body.append(f"return (unsigned long long){self.assigned(result, 2)} ^ word;")
        self.places, self.objects, self.arrays, self.row, self.constant = [], [], [], "out[0]", False
        listed = ", ".join(f"{p.type.name} {p.text}" for p in parameters)
        out += [f"__device__ constexpr unsigned long long {name}({listed}) {{", "    unsigned long long word = 1;",
                *[f"    {x}" for x in body], "}"]  # fmt: skip
        values = [(self.number(t.low, t.high) if self.often() else self.number(0, 9)) for t in types]
        known = [f"({t.name}){hex(v % (1 << t.bits))}" for t, v in zip(types, values, strict=True)]
        run = ", ".join(f"({t.name})(in[7] * 0ull + {v})" for t, v in zip(types, known, strict=True))
        return [f"if ({name}({', '.join(known)}) != {name}({run})) __trap();"]

    def results(self) -> list[str]:
        """All that is alive at the end, written to the row."""
        values = [(place.text, place.type) for place in [*self.readable(), Place("trace", UINT)]]
        values += [(f"{name}[{i}]", type_) for name, type_, size in self.arrays for i in range(size)]
        return mixed([(text, type_.name) for text, type_ in values])


@st.composite
def kernels(draw: st.DrawFn, floats: bool | None = None, size: int = 12) -> str:
    """The text of a `.cu` file with one kernel, as `minicc.fuzz.kernels.kernels`."""
    return Writer(draw, draw(st.booleans()) if floats is None else floats).program(size)
