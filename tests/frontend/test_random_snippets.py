"""Random C++ through the frontend and the SM model, against the rules of ISO C++ as Python follows them: arithmetic of
mixed types and bit-fields, and when objects begin and end."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from contextlib import suppress

import attrs
import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import minicc
import runtime
from minicc.diagnostics import SourceFile

SOME = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
ROWS = 32
"""Threads of a launch, each with inputs of its own."""


class Undefined(Exception):
    """C++ does not say what this row gives."""


def launched(source: str, words: int) -> list[list[int]]:
    image = minicc.compile(SourceFile("k.cu", source), arch="sm_90", options="-w -std=c++17").cubin
    result = np.zeros((ROWS, words), np.uint64)
    runtime.Device("sm_90", timing=False).load(image)["kernel"][1, ROWS](INPUTS, result)
    return result.tolist()


INPUTS = np.random.default_rng(1).integers(0, 1 << 32, (ROWS, 8), np.uint32)
INPUTS[:8] &= 15  # Small values meet fewer overflows.

# -- arithmetic


@attrs.frozen
class Int:
    name: str
    bits: int
    signed: bool

    def fit(self, value: int) -> int:
        if self.name == "bool":
            return int(value != 0)
        value &= (1 << self.bits) - 1
        return value - (1 << self.bits) if self.signed and value >> self.bits - 1 else value

    def arithmetic(self, value: int) -> int:
        """The result of an operation: signed ones do not overflow."""
        if self.signed and self.fit(value) != value:
            raise Undefined
        return self.fit(value)


INT, UNSIGNED, LONG, ULONG = (
    Int("int", 32, True),
    Int("unsigned", 32, False),
    Int("long", 64, True),
    Int("size_t", 64, False),
)
TYPES = [
    INT, UNSIGNED, LONG, ULONG, Int("bool", 1, False), Int("char", 8, True), Int("unsigned char", 8, False),
    Int("short", 16, True), Int("unsigned short", 16, False), Int("char16_t", 16, False), Int("char32_t", 32, False),
]  # fmt: skip


def promoted(t: Int) -> Int:
    """[conv.prom]; a bit-field's type is as wide as it is."""
    if t.bits < 32 or (t.bits == 32 and t.signed):
        return INT
    return UNSIGNED if t.bits == 32 else LONG if t.signed else ULONG


def common(a: Int, b: Int) -> Int:
    """[expr.arith.conv], where the wider of two types has room for the other."""
    a, b = promoted(a), promoted(b)
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return b if a.signed else a


@attrs.frozen
class Value:
    """An expression: its text, its type, and what it is for a row of inputs."""

    text: str
    type: Int
    of: Callable[[list[int]], int] = attrs.field(eq=False)


@st.composite
def leaves(draw: st.DrawFn) -> Value:
    t = draw(st.sampled_from(TYPES))
    k = draw(st.integers(0, 7))
    if draw(st.booleans()):
        value = t.fit(k * 37)
        return Value(f"({t.name}){value}", t, lambda row: value)
    return Value(f"({t.name})in[{k}]", t, lambda row: t.fit(row[k]))


def _odd(e: Value) -> Value:
    """Something to divide by: a thread that divides by zero may do anything."""
    p = promoted(e.type)
    return Value(f"({e.text} | 1)", p, lambda row: p.fit(e.of(row)) | 1)


def _quotient(op: str, x: int, y: int) -> int:
    q = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    return q if op == "/" else x - q * y


OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y, "&": lambda x, y: x & y,
    "|": lambda x, y: x | y, "^": lambda x, y: x ^ y, "/": lambda x, y: _quotient("/", x, y),
    "%": lambda x, y: _quotient("%", x, y),
}  # fmt: skip
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "<": lambda x, y: x < y, "<=": lambda x, y: x <= y, "==": lambda x, y: x == y, "!=": lambda x, y: x != y,
}  # fmt: skip
BOOL = TYPES[4]


@st.composite
def combined(draw: st.DrawFn, inner: st.SearchStrategy[Value]) -> Value:
    a, b = draw(inner), draw(inner)
    t, p = common(a.type, b.type), promoted(a.type)
    kind = draw(st.sampled_from(["binary", "binary", "compare", "cast", "shift", "unary", "choose", "logic", "comma"]))
    if kind == "binary":
        op = draw(st.sampled_from(sorted(OPERATIONS)))
        f = OPERATIONS[op]
        if op in "/%":
            b = _odd(b)
        return Value(f"({a.text} {op} {b.text})", t, lambda row: t.arithmetic(f(t.fit(a.of(row)), t.fit(b.of(row)))))
    if kind == "compare":
        op = draw(st.sampled_from(sorted(COMPARISONS)))
        g = COMPARISONS[op]
        return Value(f"({a.text} {op} {b.text})", BOOL, lambda row: int(g(t.fit(a.of(row)), t.fit(b.of(row)))))
    if kind == "cast":
        to = draw(st.sampled_from(TYPES))
        return Value(f"static_cast<{to.name}>({a.text})", to, lambda row: to.fit(a.of(row)))
    if kind == "shift":
        n = draw(st.integers(0, p.bits - 1))
        if draw(st.booleans()):
            return Value(f"({a.text} >> {n})", p, lambda row: p.fit(a.of(row)) >> n)
        return Value(f"({a.text} << {n})", p, lambda row: p.fit(p.fit(a.of(row)) << n))
    if kind == "unary":
        if draw(st.booleans()):
            return Value(f"(-{a.text})", p, lambda row: p.arithmetic(-p.fit(a.of(row))))
        return Value(f"(~{a.text})", p, lambda row: p.fit(~p.fit(a.of(row))))
    if kind == "choose":
        c, r = draw(inner), t if a.type != b.type else a.type
        return Value(f"({c.text} ? {a.text} : {b.text})", r, lambda row: r.fit(a.of(row) if c.of(row) else b.of(row)))
    if kind == "logic":
        return Value(f"({a.text} && {b.text})", BOOL, lambda row: int(bool(a.of(row) and b.of(row))))

    def second(row: list[int]) -> int:
        a.of(row)
        return b.of(row)

    return Value(f"({a.text}, {b.text})", b.type, second)


EXPRESSIONS = st.recursive(leaves(), combined, max_leaves=8)


@st.composite
def bit_fields(draw: st.DrawFn) -> Int:
    t = draw(st.sampled_from([t for t in TYPES if not t.name.startswith("char")]))
    return Int(t.name, draw(st.integers(1, t.bits)), t.signed)


def fitted(t: Int, e: Value) -> Value:
    """What a bit-field of type `t` has after `e` was stored."""
    return Value("", t, lambda row: t.fit(e.of(row)))


def read(e: Value, row: list[int]) -> int | None:
    try:
        return e.of(row)
    except Undefined:
        return None


@SOME
@given(
    st.lists(EXPRESSIONS, min_size=3, max_size=6),
    st.lists(st.tuples(bit_fields(), EXPRESSIONS), min_size=1, max_size=5),
)
def test_arithmetic(values: list[Value], stored: list[tuple[Int, Value]]) -> None:
    """What an expression is and of what type; what a bit-field keeps of it, and how that is promoted."""
    fields = " ".join(f"{t.name} f{k} : {t.bits};" for k, (t, _) in enumerate(stored))
    # Types as promotion leaves them: a template's parameter is not of a bit-field's width.
    lines = [f"o[{2 * k}] = {e.text}; o[{2 * k + 1}] = kind(+{e.text});" for k, e in enumerate(values)]
    base = 2 * len(values)
    lines += [f"s.f{k} = {e.text};" for k, (_, e) in enumerate(stored)]
    lines += [f"o[{base + 2 * k}] = s.f{k}; o[{base + 2 * k + 1}] = kind(+s.f{k});" for k in range(len(stored))]
    words = base + 2 * len(stored)
    source = (
        "template <class T> __device__ int kind(T) { return 2 * sizeof(T) + (T(-1) < T(1)); }\n"
        f"struct S {{ {fields} }};\n"
        "__global__ void kernel(const unsigned (*inputs)[8], size_t *outputs) {\n"
        f"const unsigned *in = inputs[threadIdx.x]; size_t *o = outputs + {words} * threadIdx.x; S s;\n"
        + "\n".join(lines) + "\n}\n"
    )  # fmt: skip
    expected = [(e, e.type) for e in values] + [(fitted(t, e), t) for t, e in stored]
    for row, got in zip(INPUTS.tolist(), launched(source, words), strict=True):
        if any(read(e, row) is None for e, _ in expected):
            continue  # An undefined operation leaves nothing of its thread defined.
        for k, (e, t) in enumerate(expected):
            assert got[2 * k] == ULONG.fit(e.of(row)), e.text
            assert got[2 * k + 1] == 2 * promoted(t).bits // 8 + promoted(t).signed, e.text


# -- objects' lives

PRIME, STEP = 1099511628211, 0x9E37


@attrs.define
class Run:
    """One thread: what it has noted."""

    row: list[int]
    notes: int = 0

    def put(self, value: int) -> None:
        self.notes = ULONG.fit((self.notes ^ value) * PRIME + STEP)


class Break(Exception):
    pass


class Continue(Exception):
    pass


class Return(Exception):
    pass


@attrs.frozen
class Statement:
    text: str
    run: Callable[[Run], list[int]] = attrs.field(eq=False)
    """Carry it out; the objects that it leaves behind in its block."""


def block(items: list[Statement]) -> Statement:
    def run(r: Run) -> list[int]:
        alive: list[int] = []
        try:
            for item in items:
                alive += item.run(r)
        finally:
            for number in reversed(alive):
                r.put(500 + number)
        return []

    return Statement("{ " + " ".join(i.text for i in items) + " }", run)


@st.composite
def simple_statements(draw: st.DrawFn, looping: bool) -> Statement:
    n = draw(st.integers(1, 9))
    kind = draw(st.sampled_from(["object", "object", "temporary", "sum", "static", "leave"]))
    name = "v@"  # numbered in the whole program

    def begin(r: Run) -> list[int]:
        r.put(100 + n)
        return [n]

    if kind == "object":
        return Statement(f"C {name}({n});", begin)
    if kind == "static":  # A reference makes the temporary live as long as itself.
        return Statement(f"const C &{name} = C({n});", begin)
    if kind == "temporary":

        def once(r: Run) -> list[int]:
            for value in (100 + n, 600 + n, 500 + n):
                r.put(value)
            return []

        return Statement(f"C({n}).use();", once)
    if kind == "sum":

        def both(r: Run) -> list[int]:
            for value in (100 + n, 600 + n, 100 + n + 1, 600 + n + 1, 500 + n + 1, 500 + n):
                r.put(value)
            return []

        return Statement(f"C({n}).use(), C({n + 1}).use();", both)
    bit = draw(st.integers(0, 4))
    word, error = draw(st.sampled_from([("break", Break), ("continue", Continue)] if looping else [("return", Return)]))

    def leave(r: Run) -> list[int]:
        if r.row[n - 1 & 7] >> bit & 1:
            raise error
        return []

    return Statement(f"if (in[{n - 1 & 7}] >> {bit} & 1) {word};", leave)


@st.composite
def nested(draw: st.DrawFn, depth: int, looping: bool) -> Statement:
    kind = draw(st.sampled_from(["simple", "simple", "block", "if", "loop"])) if depth else "simple"
    if kind == "simple":
        return draw(simple_statements(looping))
    n, times = draw(st.integers(0, 7)), draw(st.integers(1, 3))
    body = block(draw(st.lists(nested(depth - 1, looping or kind == "loop"), min_size=1, max_size=4)))
    if kind == "block":
        return body
    if kind == "if":
        # The condition's object ends behind the whole statement.
        def choose(r: Run) -> list[int]:
            r.put(100 + r.row[n] % 4)
            try:
                if r.row[n] % 4:
                    body.run(r)
            finally:
                r.put(500 + r.row[n] % 4)
            return []

        return Statement(f"if (C c = C(in[{n}] % 4)) {body.text}", choose)

    def repeat(r: Run) -> list[int]:
        for _ in range(times):
            try:
                body.run(r)
            except Continue:
                pass
            except Break:
                break
        return []

    return Statement(f"for (int i = 0; i < {times}; ++i) {body.text}", repeat)


@SOME
@given(st.lists(nested(3, False), min_size=1, max_size=5))
def test_lives(items: list[Statement]) -> None:
    """Objects end in the reverse order, however their blocks are left; temporaries with their full expression."""
    body, numbers = block(items), itertools.count()
    source = (
        f"__device__ void put(size_t *o, int v) {{ *o = (*o ^ v) * {PRIME}ull + {STEP}; }}\n"
        "__device__ size_t *here;\n"
        "struct C { int v; __device__ C(int v) : v(v) { put(here + threadIdx.x, 100 + v); }\n"
        "__device__ ~C() { put(here + threadIdx.x, 500 + v); }\n"
        "__device__ void use() const { put(here + threadIdx.x, 600 + v); }\n"
        "__device__ explicit operator bool() const { return v; } };\n"
        f"__device__ void run(const unsigned *in) {re.sub('@', lambda _: str(next(numbers)), body.text)}\n"
        "__global__ void kernel(const unsigned (*inputs)[8], size_t *o) { here = o; run(inputs[threadIdx.x]); }\n"
    )
    for row, got in zip(INPUTS.tolist(), launched(source, 1), strict=True):
        thread = Run(row)
        with suppress(Return):
            body.run(thread)
        assert got == [thread.notes]
