"""Floating instructions, bit for bit: PTX on the SM model against exact rationals, in every rounding mode."""

from __future__ import annotations

import itertools
import math
import random
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import runtime
from minicc.binary import write_cubin
from tests.ptxas.conftest import assemble
from tests.ptxas.lower import ieee
from tests.ptxas.lower.harness import Case, run

RNG = random.Random(77)
U = {8: "u1", 16: "u2", 32: "u4", 64: "u8"}
MODES = ("rn", "rz", "rm", "rp")


def bits_of(x: float, width: int) -> int:
    return int.from_bytes(struct.pack("<f" if width == 32 else "<d", x), "little")


def edges(width: int) -> list[int]:
    """Zeros, denormals, the ends of the range, NaN, simple numbers, and random ones with extreme exponents."""
    p, _, _, inf = ieee.FORMATS[width]
    hidden = 1 << (p - 1)
    out = [0, 1, 2, 3, hidden - 1, hidden, hidden + 1, inf - 1, inf - 2, inf, inf + 1, inf | hidden >> 1]
    out += [bits_of(v, width) for v in (1.0, 2.0, 3.0, 0.5, 1.5, 1 / 3, 10.0, 7.0, 0.1, math.pi)]
    one = bits_of(1.0, width)
    out += [one - 1, one + 1]
    for k in (1, 2, 20, 30, 60, 100, 120, 125, 126, *((200, 500, 800, 1000, 1020, 1021, 1022) if width == 64 else ())):
        out += [k << (p - 1) | RNG.getrandbits(p - 1), ((inf >> (p - 1)) - k) << (p - 1) | RNG.getrandbits(p - 1)]
    return out + [x | 1 << (width - 1) for x in out]


def draw(width: int) -> int:
    p, _, _, inf = ieee.FORMATS[width]
    kind = RNG.random()
    if kind < 0.3:
        return RNG.getrandbits(width)
    if kind < 0.8:
        exponent = (inf >> (p - 1)) // 2 + RNG.randint(-8, 8)
        return exponent << (p - 1) | RNG.getrandbits(p - 1) | RNG.getrandbits(1) << (width - 1)
    return RNG.getrandbits(p - 1) >> RNG.randint(0, p - 1)


def singles(width: int, count: int = 1500) -> list[tuple[int, ...]]:
    return [(x,) for x in [*edges(width), *(draw(width) for _ in range(count))]]


def doubles(width: int, count: int = 1500) -> list[tuple[int, ...]]:
    some = edges(width)
    return [(x, y) for x in some for y in some] + [(draw(width), draw(width)) for _ in range(count)]


class Table:
    """Cases with their operands and meanings; a meaning of None stands for any NaN of the output's width."""

    def __init__(self) -> None:
        self.rows: dict[str, tuple[Case, list[tuple[int, ...]], Callable[..., int | None], ieee.Format]] = {}

    def add(
        self, name: str, text: str, inputs: str, output: str, values: list[tuple[int, ...]],
        meaning: Callable[..., int | None], form: ieee.Format = 0,
    ) -> None:  # fmt: skip
        self.rows[name] = (Case(text, tuple(inputs.split()), output), values, meaning, form)

    def check(self) -> None:
        inputs = {
            name: [np.array(c, t) for c, t in zip(zip(*values, strict=True), case.inputs, strict=True)]
            for name, (case, values, _, _) in self.rows.items()
        }
        results = run({name: row[0] for name, row in self.rows.items()}, inputs)
        for name, (case, values, meaning, form) in self.rows.items():
            for operands, got in zip(values, results[name], strict=True):
                want = meaning(*operands)
                good = ieee.is_nan(int(got), form) if want is None else int(got) == want
                shown = "NaN" if want is None else hex(want)
                assert good, f"{name}: {case.text} of {[hex(x) for x in operands]} gave {int(got):#x}, not {shown}"


@pytest.mark.parametrize("w", [32, 64])
def test_ieee_operations(w: int) -> None:
    """Division, reciprocal, square root, sums and products: correctly rounded for all classes of operands."""
    t, k, one = Table(), U[w], bits_of(1.0, w)
    pairs, ones = doubles(w), singles(w)
    for m in MODES:
        t.add(
            f"div{m}", f"div.{m}.f{w} %d, %a, %b;", f"{k} {k}", k, pairs, lambda a, b, m=m: ieee.quotient(a, b, w, m), w
        )
        t.add(f"rcp{m}", f"rcp.{m}.f{w} %d, %a;", k, k, ones, lambda a, m=m: ieee.quotient(one, a, w, m), w)
        t.add(f"sqrt{m}", f"sqrt.{m}.f{w} %d, %a;", k, k, ones, lambda a, m=m: ieee.root(a, w, m), w)
        for op in ("add", "sub", "mul"):
            text = f"{op}.{m}.f{w} %d, %a, %b;"
            t.add(op + m, text, f"{k} {k}", k, pairs[::5], lambda a, b, m=m, op=op: ieee.combined(a, b, w, op, m), w)
    # The reciprocal of a constant is known, but Markstein's step needs a better one of a significand of all ones.
    for c in (0x40C90FDB, 0x3FFFFFFF, 0xC0400000, 0x00800001, 0x7E800000, 0x7E800001) if w == 32 else ():
        text = f"div.rn.f32 %d, %a, 0f{c:08X};"
        t.add(f"by_{c:x}", text, k, k, ones, lambda a, c=c: ieee.quotient(a, c, 32, "rn"), 32)
    t.check()


def least(a: int, b: int, w: int, how: str) -> int | None:
    if ieee.is_nan(a, w):
        return None if ieee.is_nan(b, w) else b
    if ieee.is_nan(b, w):
        return a
    x, y = ieee.to_float(a, w), ieee.to_float(b, w)
    if x == y:
        return a | b if how == "min" else a & b
    return a if (x < y) == (how == "min") else b


def ordered(a: int, b: int, w: int, how: str) -> bool:
    x, y = ieee.to_float(a, w), ieee.to_float(b, w)
    loose = math.isnan(x) or math.isnan(y)
    if how in ("num", "nan"):
        return loose == (how == "nan")
    result = {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[how[:2]]
    return result or loose if len(how) == 3 else result and not loose


@pytest.mark.parametrize("w", [32, 64])
def test_signs_minima_comparisons(w: int) -> None:
    t, k, top = Table(), U[w], 1 << (w - 1)
    pairs, ones = doubles(w, 400)[::3], singles(w, 300)
    inf, hidden = ieee.FORMATS[w][3], 1 << (ieee.FORMATS[w][0] - 1)
    t.add("neg", f"neg.f{w} %d, %a;", k, k, ones, lambda a: None if ieee.is_nan(a, w) else a ^ top, w)
    t.add("abs", f"abs.f{w} %d, %a;", k, k, ones, lambda a: None if ieee.is_nan(a, w) else a & ~top, w)
    t.add("copysign", f"copysign.f{w} %d, %a, %b;", f"{k} {k}", k, pairs, lambda a, b: a & top | b & ~top)
    for how in ("min", "max"):
        t.add(how, f"{how}.f{w} %d, %a, %b;", f"{k} {k}", k, pairs, lambda a, b, how=how: least(a, b, w, how), w)
    classes: dict[str, Callable[[int], bool]] = {
        "finite": lambda m: m < inf,
        "infinite": lambda m: m == inf,
        "number": lambda m: m <= inf,
        "notanumber": lambda m: m > inf,
        "normal": lambda m: m == 0 or hidden <= m < inf,  # zeros count (PTX ISA, testp)
        "subnormal": lambda m: 0 < m < hidden,
    }
    for name, test in classes.items():
        text = f".reg .pred p; testp.{name}.f{w} p, %a; selp.u32 %d, 1, 0, p;"
        t.add(name, text, k, "u4", ones, lambda a, test=test: int(test(a & ~top)))
    for how in ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"):
        text = f".reg .pred p, q; setp.{how}.f{w} p|q, %a, %b; selp.u32 %d, 1, 0, p; @q add.u32 %d, %d, 2;"
        t.add(how, text, f"{k} {k}", "u4", pairs, lambda a, b, how=how: 1 if ordered(a, b, w, how) else 2)
    t.check()


WHOLE: dict[str, Callable[[Fraction], int]] = {"rni": round, "rzi": int, "rmi": math.floor, "rpi": math.ceil}


@pytest.mark.parametrize("w", [32, 64])
def test_integer_conversions(w: int) -> None:
    t, k = Table(), U[w]
    near = [0.5, 1.5, 2.5, -0.5, -1.5, 254.5, 255.5, 256.5, -128.5, 127.5, 32767.5, 65535.5, 2147483647.5, 2.0**31,
            2.0**32,
            -(2.0**31), 2.0**63, -(2.0**63), 2.0**64, 1e10, -1e10]  # fmt: skip
    values = singles(w, 300) + [(bits_of(x, w),) for x in [*near, *(RNG.uniform(-300, 300) for _ in range(100))]]
    for s in "us":
        for b in (8, 16, 32, 64):
            low, high = (-(1 << (b - 1)), (1 << (b - 1)) - 1) if s == "s" else (0, (1 << b) - 1)
            for m, whole in WHOLE.items():

                def clamped(a: int, low: int = low, high: int = high, b: int = b, whole: Any = whole) -> int:
                    if ieee.is_nan(a, w):
                        return 0 if b < 64 and w == 32 else -1
                    if ieee.is_inf(a, w):
                        value = low if ieee.sign(a, w) else high
                    else:
                        value = max(low, min(high, whole(ieee.exact(a, w))))
                    return value & (1 << max(b, 32)) - 1

                real = [v for v in values if not ieee.is_nan(v[0], w)]
                t.add(f"to_{s}{b}{m}", f"cvt.{m}.{s}{b}.f{w} %d, %a;", k, U[max(b, 32)], real, clamped)
        for b in (16, 32, 64):
            ints = [(RNG.getrandbits(b) >> RNG.randint(0, b - 1),) for _ in range(300)]
            ints += [(x,) for x in (0, 1, (1 << b) - 1, 1 << (b - 1), (1 << (b - 1)) - 1)]
            for m in MODES:

                def number(a: int, s: str = s, b: int = b, m: str = m) -> int:
                    return ieee.rounded(Fraction(a - (1 << b) if s == "s" and a >> (b - 1) else a), w, m)

                t.add(f"from_{s}{b}{m}", f"cvt.{m}.f{w}.{s}{b} %d, %a;", U[b], k, ints, number)
    for m, whole in WHOLE.items():

        def integral(a: int, whole: Any = whole) -> int | None:
            if ieee.is_nan(a, w) or ieee.is_inf(a, w):
                return None if ieee.is_nan(a, w) else a
            return ieee.rounded(Fraction(whole(ieee.exact(a, w))), w, "rn", ieee.sign(a, w))

        t.add(f"whole{m}", f"cvt.{m}.f{w}.f{w} %d, %a;", k, k, values, integral, w)
    t.check()


def narrowed(a: int, source: ieee.Format, target: ieee.Format, mode: str) -> int | None:
    if ieee.is_nan(a, source):
        return None
    s = ieee.sign(a, source)
    if ieee.is_inf(a, source):
        return ieee.FORMATS[target][3] | s << (ieee.width_of(target) - 1)
    return ieee.rounded(ieee.exact(a, source), target, mode, s)


def test_float_conversions() -> None:
    t = Table()
    wide = singles(64, 300) + [(bits_of(RNG.uniform(-1, 1) * 2.0 ** RNG.randint(-160, 130), 64),) for _ in range(800)]
    single = singles(32, 300) + [(bits_of(RNG.uniform(-1, 1) * 2.0 ** RNG.randint(-30, 18), 32),) for _ in range(800)]
    halves = [(x,) for x in range(0, 65536, 29)]
    for m in MODES:
        t.add(f"f32_f64{m}", f"cvt.{m}.f32.f64 %d, %a;", "u8", "u4", wide, lambda a, m=m: narrowed(a, 64, 32, m), 32)
    for m in ("rn", "rz"):
        t.add(f"f16_f32{m}", f"cvt.{m}.f16.f32 %d, %a;", "u4", "u2", single, lambda a, m=m: narrowed(a, 32, 16, m), 16)
        t.add(
            f"bf16_f32{m}",
            f"cvt.{m}.bf16.f32 %d, %a;",
            "u4",
            "u2",
            single,
            lambda a, m=m: narrowed(a, 32, "bf", m),
            "bf",
        )
    t.add("f64_f32", "cvt.f64.f32 %d, %a;", "u4", "u8", single, lambda a: narrowed(a, 32, 64, "rn"), 64)
    t.add("f32_f16", "cvt.f32.f16 %d, %a;", "u2", "u4", halves, lambda a: narrowed(a, 16, 32, "rn"), 32)
    for b, kind, m in itertools.product((8, 16), "us", ("rn", "rm")):
        words = [(x,) for x in range(0, 1 << b, 1 if b == 8 else 251)]
        sign = 1 << b if kind == "s" else 0
        text = f"cvt.{m}.f32.{kind}{b} %d, %a;"
        t.add(
            f"f32_{kind}{b}{m}", text, U[b], "u4", words,
            lambda a, b=b, sign=sign: bits_of(float(a - (a >> b - 1) * sign), 32), 32,
        )  # fmt: skip
    t.add("f32_bf16", "cvt.f32.bf16 %d, %a;", "u2", "u4", halves, lambda a: a << 16)

    def saturated(a: int) -> int:
        x = ieee.to_float(a, 32)
        return 0 if math.isnan(x) or x <= 0 else 0x3F800000 if x >= 1 else a

    t.add("sat", "cvt.sat.f32.f32 %d, %a;", "u4", "u4", single, saturated)
    t.check()


@pytest.mark.parametrize(("kind", "form"), [("f16", 16), ("bf16", "bf")])
def test_halves(kind: str, form: ieee.Format) -> None:
    t = Table()
    pairs = [(RNG.getrandbits(16), RNG.getrandbits(16)) for _ in range(1500)]
    for op in ("add", "sub", "mul"):
        text = f"{op}.rn.{kind} %d, %a, %b;"
        t.add(op, text, "u2 u2", "u2", pairs, lambda a, b, op=op: ieee.combined(a, b, form, op, "rn"), form)
    t.check()


def test_square_root_over_all_significands() -> None:
    """sqrt.rn.f32 of every significand of two binades: the Newton step rounds correctly everywhere."""
    from minicc import binary
    from tests.ptxas.lower.harness import assemble, device, module

    count = 1 << 20
    case = {"s": Case("sqrt.rn.f32 %d, %a;", ("u4",), "u4"), "r": Case("rcp.rn.f32 %d, %a;", ("u4",), "u4")}
    loaded: Any = device().load(binary.write_cubin(assemble(module(case))))
    start = int(np.random.default_rng(5).integers(0, 16))
    x = (np.arange(count, dtype=np.uint32) * 16 + np.uint32(start + 0x3F000000)).astype(np.uint32)
    out = np.zeros(count, np.uint32)
    loaded["s"][(count // 128,), (128,)](x, out, np.uint32(count))
    # A float's root in double arithmetic, rounded again, is the correctly rounded one (53 >= 2 * 24 + 2).
    want = np.sqrt(x.view(np.float32).astype(np.float64)).astype(np.float32)
    assert np.array_equal(out, want.view(np.uint32))
    loaded["r"][(count // 128,), (128,)](x, out, np.uint32(count))
    want = (1.0 / x.view(np.float32).astype(np.float64)).astype(np.float32)
    assert np.array_equal(out, want.view(np.uint32))


@pytest.mark.parametrize("constant", [-3.0, 2.5, -0.0])
def test_signs_of_what_magnitudes_are_compared_of(constant: float) -> None:
    """.xorsign.abs asks for the signs of a constant and of what was negated."""
    text = f""".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x) {{
.reg .f32 %f<6>; .reg .b32 %r; .reg .b64 %at, %o;
ld.param.u64 %at, [x]; mov.u32 %r, %tid.x; mul.wide.u32 %o, %r, 4; add.s64 %at, %at, %o;
ld.global.f32 %f0, [%at]; mov.f32 %f1, 0f{bits_of(constant, 32):08X}; neg.f32 %f2, %f0;
min.xorsign.abs.f32 %f3, %f0, %f1; max.xorsign.abs.f32 %f4, %f2, %f1;
st.global.f32 [%at+16], %f3; st.global.f32 [%at+32], %f4; ret;
}}
"""
    x = np.array([1.5, -4.0, 0.5, -0.25, *[0.0] * 8], np.float32)
    runtime.Device().load(write_cubin(assemble(text)))["k"][1, 4](x)
    first, other = x[:4], np.float32(constant)
    for words, signs, choose in ((x[4:8], first, np.minimum), (x[8:], -first, np.maximum)):
        want = np.copysign(choose(abs(first), abs(other)), np.where(np.signbit(signs) ^ np.signbit(other), -1, 1))
        np.testing.assert_array_equal(words.view(np.uint32), want.astype(np.float32).view(np.uint32))
