"""Meaning of expressions: random ones run on this machine and agree with C's rules computed in Python."""

from __future__ import annotations

import ctypes
import math
import struct
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .host import Compiled

# name: (size, signed, rank, ctypes)
INTEGERS: dict[str, tuple[int, bool, int, Any]] = {
    "signed char": (1, True, 1, ctypes.c_int8), "unsigned char": (1, False, 1, ctypes.c_uint8),
    "short": (2, True, 2, ctypes.c_int16), "unsigned short": (2, False, 2, ctypes.c_uint16),
    "int": (4, True, 3, ctypes.c_int32), "unsigned int": (4, False, 3, ctypes.c_uint32),
    "long": (8, True, 4, ctypes.c_int64), "unsigned long": (8, False, 4, ctypes.c_uint64),
    "long long": (8, True, 5, ctypes.c_int64), "unsigned long long": (8, False, 5, ctypes.c_uint64),
}  # fmt: skip


def wrap(value: int, t: str) -> int:
    size, signed, _, _ = INTEGERS[t]
    value &= (1 << 8 * size) - 1
    return value - (1 << 8 * size) if signed and value >> (8 * size - 1) else value


def promote(t: str) -> str:
    return "int" if INTEGERS[t][0] < 4 else t


def common(a: str, b: str) -> str:
    a, b = promote(a), promote(b)
    (sa, ga, ra, _), (sb, gb, rb, _) = INTEGERS[a], INTEGERS[b]  # noqa: F841
    if ga == gb:
        return a if ra >= rb else b
    u, s = (b, a) if ga else (a, b)
    if INTEGERS[u][2] >= INTEGERS[s][2]:
        return u
    if INTEGERS[s][0] > INTEGERS[u][0]:
        return s
    return "unsigned " + s


class Undefined(Exception):
    """C gives the expression no value."""


Node = tuple[Any, ...]


def nodes(depth: int) -> st.SearchStrategy[Node]:
    leaf = st.one_of(
        st.tuples(st.just("var"), st.integers(0, 3)),
        st.tuples(st.just("lit"), st.integers(0, 1 << 31), st.sampled_from(["", "u", "ll", "ull"])),
    )
    if depth == 0:
        return leaf
    sub = nodes(depth - 1)
    return st.one_of(
        leaf,
        st.tuples(st.just("bin"), st.sampled_from(["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"]), sub, sub),
        st.tuples(st.just("cmp"), st.sampled_from(["<", ">", "<=", ">=", "==", "!="]), sub, sub),
        st.tuples(st.just("log"), st.sampled_from(["&&", "||"]), sub, sub),
        st.tuples(st.just("un"), st.sampled_from(["-", "~", "!", "+"]), sub),
        st.tuples(st.just("cast"), st.sampled_from(sorted(INTEGERS)), sub),
        st.tuples(st.just("cond"), sub, sub, sub),
    )


def text(n: Node) -> str:
    match n:
        case ("var", i):
            return f"v{i}"
        case ("lit", value, suffix):
            return f"{value}{suffix}"
        case ("bin" | "cmp" | "log", op, a, b):
            return f"({text(a)} {op} {text(b)})"
        case ("un", op, a):
            return f"({op}{text(a)})"
        case ("cast", t, a):
            return f"(({t}){text(a)})"
        case (_, c, a, b):
            return f"({text(c)} ? {text(a)} : {text(b)})"
    raise AssertionError


def kind(n: Node, types: list[str]) -> str:
    """Static type."""
    match n:
        case ("var", i):
            return types[i]
        case ("lit", value, suffix):
            return {
                "": "int" if value < 1 << 31 else "long",
                "u": "unsigned int",
                "ll": "long long",
                "ull": "unsigned long long",
            }[suffix]
        case ("bin", "<<" | ">>", a, _):
            return promote(kind(a, types))
        case ("bin", _, a, b):
            return common(kind(a, types), kind(b, types))
        case ("un", op, a):
            return "int" if op == "!" else promote(kind(a, types))
        case ("cast", t, _):
            return str(t)
        case ("cond", _, a, b):
            ta, tb = kind(a, types), kind(b, types)
            return ta if ta == tb else common(ta, tb)
    return "int"


def evaluate(n: Node, types: list[str], values: list[int]) -> int:
    t = kind(n, types)
    match n:
        case ("var", i):
            return values[i]
        case ("lit", value, _):
            return int(value)
        case ("bin", op, a, b):
            x, y = evaluate(a, types, values), evaluate(b, types, values)
            if op in ("<<", ">>"):
                if not 0 <= y < 8 * INTEGERS[t][0]:
                    raise Undefined
                return wrap(x << y if op == "<<" else x >> y, t)
            x, y = wrap(x, t), wrap(y, t)
            if op in "/%":
                if y == 0:
                    raise Undefined
                q = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
                exact = q if op == "/" else x - q * y
                if wrap(q, t) != q:
                    raise Undefined
            else:
                exact = {"+": x + y, "-": x - y, "*": x * y, "&": x & y, "|": x | y, "^": x ^ y}[op]
            if INTEGERS[t][1] and wrap(exact, t) != exact:
                raise Undefined
            return wrap(exact, t)
        case ("cmp", op, a, b):
            c = common(kind(a, types), kind(b, types))
            x, y = wrap(evaluate(a, types, values), c), wrap(evaluate(b, types, values), c)
            return int({"<": x < y, ">": x > y, "<=": x <= y, ">=": x >= y, "==": x == y, "!=": x != y}[op])
        case ("log", op, a, b):
            left = evaluate(a, types, values) != 0
            if op == "&&":
                return int(left and evaluate(b, types, values) != 0)
            return int(left or evaluate(b, types, values) != 0)
        case ("un", op, a):
            x = evaluate(a, types, values)
            if op == "!":
                return int(x == 0)
            exact = {"-": -x, "~": ~x, "+": x}[op]
            if op == "-" and INTEGERS[t][1] and wrap(exact, t) != exact:
                raise Undefined
            return wrap(exact, t)
        case ("cast", _, a):
            return wrap(evaluate(a, types, values), t)
        case (_, c, a, b):
            return wrap(evaluate(a if evaluate(c, types, values) else b, types, values), t)
    raise AssertionError


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_integer_expressions(data: st.DataObject) -> None:
    """Eight expressions a compilation, since compiling costs more than running."""
    types = [data.draw(st.sampled_from(sorted(INTEGERS))) for _ in range(4)]
    trees = data.draw(st.lists(nodes(4), min_size=8, max_size=8))
    params = ", ".join(f"{t} v{i}" for i, t in enumerate(types))
    body = "".join(
        f'extern "C" __device__ long long f{k}({params}) {{ return (long long)({text(tree)}); }}\n'
        for k, tree in enumerate(trees)
    )
    compiled = Compiled(body, optimise=data.draw(st.booleans()))
    for k, tree in enumerate(trees):
        f = compiled.function(f"f{k}", ctypes.c_int64, *[INTEGERS[t][3] for t in types])
        for _ in range(4):
            values = [
                wrap(data.draw(st.one_of(st.integers(-3, 70), st.integers(-(1 << 63), (1 << 64) - 1))), t)
                for t in types
            ]
            try:
                want = wrap(evaluate(tree, types, values), "long long")
            except Undefined:
                continue
            assert f(*values) == want, (text(tree), types, values)


def single(x: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", x))[0])
    except OverflowError:
        return math.copysign(math.inf, x)


@settings(max_examples=40, deadline=None)
@given(
    st.floats(width=32, allow_nan=False), st.floats(width=32, allow_nan=False), st.integers(-(1 << 31), (1 << 31) - 1)
)
def test_float_arithmetic(a: float, b: float, n: int) -> None:
    f = floats()
    assert same(f("add", a, b, n), single(a + b))
    assert same(f("mul", a, b, n), single(a * b))
    assert same(f("mixed", a, b, n), single(a + single(float(n))))
    assert same(f("wide", a, b, n), a * 2.5 + n if math.isfinite(a) else a * 2.5 + n)  # noqa: RUF034
    assert f("less", a, b, n) == float((a < b) + 2 * (a == b) + 4 * (a != b) + 8 * (a >= b))
    if b and math.isfinite(a / b):
        assert same(f("div", a, b, n), single(a / b))


def same(x: float, y: float) -> bool:
    return x == y or (math.isnan(x) and math.isnan(y))


_floats: list[Any] = []


def floats() -> Any:
    if not _floats:
        source = """extern "C" {
        __device__ double add(float a, float b, int n) { return a + b; }
        __device__ double mul(float a, float b, int n) { return a * b; }
        __device__ double div(float a, float b, int n) { return a / b; }
        __device__ double mixed(float a, float b, int n) { return a + n; }
        __device__ double wide(float a, float b, int n) { return a * 2.5 + n; }
        __device__ double less(float a, float b, int n) { return (a < b) + 2 * (a == b) + 4 * (a != b) + 8 * (a >= b); }
        }"""
        _floats.append(Compiled(source, fmad=False))
    compiled = _floats[0]
    return lambda name, *args: compiled.function(name, ctypes.c_double, ctypes.c_float, ctypes.c_float, ctypes.c_int)(
        *args
    )


PROGRAMS: dict[str, tuple[str, list[tuple[int, int]]]] = {
    "switch falls through": ("int r = 0; switch (n) { case 1: r += 1; case 2: r += 10; break; case 5 ... 9: r = 7; break; default: r = -1; case 30: r *= 2; } return r;",  # noqa: E501
                             [(1, 11), (2, 10), (7, 7), (3, -2), (30, 0)]),
    "goto and labels": ("int i = 0, s = 0; top: s += i; if (++i < n) goto top; return s;", [(5, 10), (0, 0)]),
    "do, continue, break": ("int s = 0; do { if (n % 2) continue; if (n < -4) break; s += n; } while (--n > -9); return s;", [(6, 2 * 6 - 6), (3, -4)]),  # noqa: E501
    "nested loops": ("int s = 0; for (int i = 0; i < n; i++) for (int j = i; j--;) { if (j == 2) continue; s += i * j; } return s;",  # noqa: E501
                     [(4, sum(i * j for i in range(4) for j in range(i) if j != 2)), (7, sum(i * j for i in range(7) for j in range(i) if j != 2))]),  # noqa: E501
    "compound assignment": ("unsigned char c = 250; c += n; short s = n; s <<= 9; s /= 3; long long l = n; l *= -7; l %= 5; return c + s + (int)l;",  # noqa: E501
                            [(10, 4 + 5120 // 3 + 0), (3, 253 + 512 - 1)]),
    "increments": ("int a[4] = {1, 2, 3, 4}; int *p = a; int s = *p++ + *++p * n--; s += (*p)-- + a[2] + n; return s;", [(2, 1 + 6 + 3 + 2 + 1), (0, 1 + 0 + 3 + 2 - 1)]),  # noqa: E501
    "struct copies": ("struct P { int x; short y[3]; }; P a = {n, {1, 2, 3}}, b; b = a; b.y[1] = 9; P c[2] = {a, b}; return c[0].y[1] * 100 + c[1].y[1] + c[1].x;", [(5, 214)]),  # noqa: E501
    "bit-fields": ("struct B { int a : 3; unsigned b : 5; int c : 10; } v = {0, 0, 0}; v.a = n; v.b = n; v.c = -n; v.b += 30; return v.a * 10000 + v.b * 1000 + v.c;",  # noqa: E501
                   [(3, 30000 + 1000 - 3), (5, -30000 + 3000 - 5)]),
    "union": ("union { float f; unsigned u; } v; v.f = n; return v.u >> 20;", [(1, 0x3F8), (-2, 0xC00)]),
    "references": ("int a = n, b = 2; int &r = n > 3 ? a : b; r = 50; auto &q = r; q++; return a * 100 + b;", [(5, 5102), (1, 151)]),  # noqa: E501
    "shadowing": ("int x = n; { int x = 3; n += x; } for (int x = 0; x < 2; x++) n += x; return x * 1000 + n;", [(1, 1005)]),  # noqa: E501
    "comma, conditional": ("int a = 1; int b = (a += n, a > 3 ? a++, a * 2 : -a); return b * 10 + a;", [(5, 14 * 10 + 7), (1, -18)]),  # noqa: E501
    "short circuit": ("int k = 0; if (n && ++k) k += 10; if (n || ++k) k += 100; return k;", [(0, 101), (4, 111)]),
    "char arithmetic": ("char c = 127; c++; unsigned char u = c; return c * 1000 + u;", [(0, -128000 + 128)]),
    "two-dimensional": ("int m[3][4]; for (int i = 0; i < 12; i++) m[i / 4][i % 4] = i * n; int (*r)[4] = m + 1; return r[1][2] + (*r)[0] + *(*m + 3);", [(2, 20 + 8 + 6)]),  # noqa: E501
    "const table": ("const int t[12] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8}; return t[n];", [(0, 3), (5, 9), (11, 8)]),
    "sizeof": ("struct S { char a; double b; float4 c; char d[3]; }; return sizeof(S) + alignof(S) * 100 + sizeof(n) * 10000;", [(0, 48 + 1600 + 40000)]),  # noqa: E501
    "lazy else": ("if (n > 0) if (n > 5) return 1; else return 2; return 3;", [(9, 1), (3, 2), (-1, 3)]),
    "64-bit": ("unsigned long long x = 0x123456789abcdefull * (unsigned)n; return (int)(x >> 33) ^ (int)x;", [(3, ((0x123456789ABCDEF * 3) >> 33 ^ (0x123456789ABCDEF * 3)) & 0xFFFFFFFF)]),  # noqa: E501
    "zero-initialised": ("int a[20] = {1}; float4 f = {}; struct { int x, y; } s = {}; return a[n] + (int)f.w + s.y;", [(0, 1), (7, 0)]),  # noqa: E501
}  # fmt: skip


@pytest.mark.parametrize("optimise", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_statements(name: str, optimise: bool) -> None:
    body, cases = PROGRAMS[name]
    f = Compiled(f'extern "C" __device__ int f(int n) {{ {body} }}', optimise).function("f", ctypes.c_int, ctypes.c_int)
    for n, want in cases:
        assert f(n) == ctypes.c_int32(want).value, (name, n)


def test_objects() -> None:
    source = """
    struct C { float re, im; __device__ C(float r = 1.f, float i = 0.f) : re(r), im(i) {}
      __device__ C operator*(const C &o) const { return C(re * o.re - im * o.im, re * o.im + im * o.re); }
      __device__ C &operator+=(const C &o) { re += o.re; im += o.im; return *this; } };
    template <typename T, int N> struct V { T d[N]; __device__ T &operator[](int i) { return d[i]; }
      template <typename F> __device__ T fold(F f) const { T s = d[0]; for (int i = 1; i < N; i++) s = f(s, d[i]); return s; } };
    struct Max { __device__ int operator()(int a, int b) const { return a > b ? a : b; } };
    template <int N> __device__ int power(int x) { return x * power<N - 1>(x); }
    template <> __device__ int power<0>(int x) { return 1; }
    extern "C" __device__ int f(int n) {
      C z(1.f, 2.f), w; z = z * z; w += z;
      V<int, 4> v = {{3, n, 7, 2}}; v[0] = 5;
      return (int)(w.re * 10 + w.im) + v.fold(Max()) * 1000 + power<3>(n) * 100000; }
    """  # noqa: E501
    f = Compiled(source).function("f", ctypes.c_int, ctypes.c_int)
    assert f(2) == (-2 * 10 + 4) + 7000 + 800000
    assert f(9) == -16 + 9000 + 72900000
