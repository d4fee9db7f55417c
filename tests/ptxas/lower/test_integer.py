"""Integer instructions, bit for bit: PTX on the SM model against Python's integers.

Operands are edge values and random ones of random length; every case is one kernel over all its operand tuples.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from minicc.binary import write_cubin
from tests.ptxas.conftest import assemble, mnemonics
from tests.ptxas.lower.harness import Case, run

RNG = random.Random(20240901)
U = {8: "u1", 16: "u2", 32: "u4", 64: "u8"}
Value = Callable[..., int]


def edges(width: int) -> list[int]:
    found = [0, 1, 2, 3, 5, 7, 10, 31, 32, 33, 63, 64, 65, 0x80, 0xFF, 100, -1, -2, 1 << (width - 1),
             (1 << (width - 1)) - 1,
             (1 << (width - 1)) + 1, 1 << width // 2, (1 << width // 2) - 1]  # fmt: skip
    return [x & (1 << width) - 1 for x in found]


def draw(width: int) -> int:
    return RNG.getrandbits(64) >> RNG.randint(64 - width, 63) if RNG.random() < 0.8 else RNG.choice(edges(width))


def tuples(widths: list[int], count: int = 500) -> list[tuple[int, ...]]:
    out = [tuple(draw(w) & (1 << w) - 1 for w in widths) for _ in range(count)]
    if len(widths) == 1:
        out += [(x,) for x in edges(widths[0])]
    if len(widths) == 2:
        out += [(x, y & (1 << widths[1]) - 1) for x in edges(widths[0]) for y in edges(widths[1])]
    return out


def signed(x: int, width: int) -> int:
    x &= (1 << width) - 1
    return x - (1 << width) if x >> (width - 1) else x


def unsigned(x: int, width: int) -> int:
    return x & (1 << width) - 1


VIEW: dict[str, Callable[[int, int], int]] = {"s": signed, "u": unsigned}


def truncated(a: int, b: int) -> int:
    """a / b towards zero."""
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


class Table:
    """Cases, their operands and the expected results."""

    def __init__(self) -> None:
        self.cases: dict[str, Case] = {}
        self.values: dict[str, list[tuple[int, ...]]] = {}
        self.meaning: dict[str, Value] = {}

    def add(self, name: str, text: str, inputs: str, output: str, meaning: Value, values: Any = None) -> None:
        kinds = tuple(inputs.split())
        self.cases[name] = Case(text, kinds, output)
        self.values[name] = values or tuples([8 * np.dtype(t).itemsize for t in kinds])
        self.meaning[name] = meaning

    def check(self) -> None:
        inputs = {
            name: [
                np.array(column, np.uint64).astype(t)
                for column, t in zip(zip(*self.values[name], strict=True), case.inputs, strict=True)
            ]
            for name, case in self.cases.items()
        }
        results = run(self.cases, inputs)
        for name, case in self.cases.items():
            width = 8 * np.dtype(case.output).itemsize
            for operands, got in zip(self.values[name], results[name], strict=True):
                want = self.meaning[name](*operands) & (1 << width) - 1
                assert int(got) == want, (
                    f"{name}: {case.text} of {[hex(x) for x in operands]} gave {int(got):#x}, not {want:#x}"
                )


@pytest.mark.parametrize("b", [16, 32, 64])
def test_arithmetic(b: int) -> None:
    t, k = Table(), U[b]
    t.add("add", f"add.u{b} %d, %a, %b;", f"{k} {k}", k, lambda x, y: x + y)
    t.add("sub", f"sub.u{b} %d, %a, %b;", f"{k} {k}", k, lambda x, y: x - y)
    t.add("addi", f"add.s{b} %d, %a, -7;", k, k, lambda x: x - 7)
    t.add("subi", f"sub.s{b} %d, 100, %a;", k, k, lambda x: 100 - x)
    t.add("mullo", f"mul.lo.u{b} %d, %a, %b;", f"{k} {k}", k, lambda x, y: x * y)
    t.add("madlo", f"mad.lo.u{b} %d, %a, %b, %c;", f"{k} {k} {k}", k, lambda x, y, z: x * y + z)
    t.add("abs", f"abs.s{b} %d, %a;", k, k, lambda x: abs(signed(x, b)))
    t.add("neg", f"neg.s{b} %d, %a;", k, k, lambda x: -x)
    t.add("not", f"not.b{b} %d, %a;", k, k, lambda x: ~x)
    t.add("cnot", f"cnot.b{b} %d, %a;", k, k, lambda x: int(x == 0))
    for op, f in (("and", int.__and__), ("or", int.__or__), ("xor", int.__xor__)):
        t.add(op, f"{op}.b{b} %d, %a, %b;", f"{k} {k}", k, f)
        t.add(op + "i", f"{op}.b{b} %d, %a, 0x1234;", k, k, lambda x, f=f: f(x, 0x1234))
    for s, v in VIEW.items():
        t.add("mulhi" + s, f"mul.hi.{s}{b} %d, %a, %b;", f"{k} {k}", k, lambda x, y, v=v: v(x, b) * v(y, b) >> b)
        t.add(
            "madhi" + s,
            f"mad.hi.{s}{b} %d, %a, %b, %c;",
            f"{k} {k} {k}",
            k,
            lambda x, y, z, v=v: (v(x, b) * v(y, b) >> b) + z,
        )
        t.add("min" + s, f"min.{s}{b} %d, %a, %b;", f"{k} {k}", k, lambda x, y, v=v: min(v(x, b), v(y, b)))
        t.add("max" + s, f"max.{s}{b} %d, %a, %b;", f"{k} {k}", k, lambda x, y, v=v: max(v(x, b), v(y, b)))
        t.add(
            "sad" + s, f"sad.{s}{b} %d, %a, %b, %c;", f"{k} {k} {k}", k, lambda x, y, z, v=v: abs(v(x, b) - v(y, b)) + z
        )
    t.check()


@pytest.mark.parametrize("b", [16, 32, 64])
def test_division(b: int) -> None:
    """Exact for all operands; by zero as the reference compiler's code does it (16 bits: not tested)."""
    t, k = Table(), U[b]
    for s, v in VIEW.items():
        values = [(x, y) for x, y in tuples([b, b], 2500) if y or b > 16]

        def quotient(x: int, y: int, v: Any = v) -> int:
            return truncated(v(x, b), v(y, b)) if y else -1

        def rest(x: int, y: int, v: Any = v) -> int:
            return int(v(x, b) - truncated(v(x, b), v(y, b)) * v(y, b)) if y else -1

        t.add("div" + s, f"div.{s}{b} %d, %a, %b;", f"{k} {k}", k, quotient, values)
        t.add("rem" + s, f"rem.{s}{b} %d, %a, %b;", f"{k} {k}", k, rest, values)
        if b == 32:
            for c in (1, 2, 3, 5, 7, 10, 12, 16, 25, 100, 641, 1000, 65535, 65536, 1000003, 0x7FFFFFFF):
                t.add(f"div{s}{c}", f"div.{s}32 %d, %a, {c};", k, k, lambda x, v=v, c=c: truncated(v(x, 32), c))
                t.add(
                    f"rem{s}{c}",
                    f"rem.{s}32 %d, %a, {c};",
                    k,
                    k,
                    lambda x, v=v, c=c: v(x, 32) - truncated(v(x, 32), c) * c,
                )
    if b == 32:
        for c in (0x80000000, 0xFFFFFFFF, 0x80000001, 0xFFFFFFFE):
            t.add(f"divu{c}", f"div.u32 %d, %a, {c};", k, k, lambda x, c=c: x // c)
    t.check()


def test_magic_numbers() -> None:
    """The multipliers of division by a constant, for small divisors and random large ones, at their worst operands."""
    from minicc.ptxas.lower.division import magic_unsigned

    for divisor in [*range(3, 3000), *(RNG.getrandbits(32) | 3 for _ in range(2000))]:
        if divisor & (divisor - 1) == 0:
            continue
        multiplier, shift, extra = magic_unsigned(divisor, 32)
        full = multiplier + (1 << 32 if extra else 0)
        top = (1 << 32) - 1
        for x in (0, 1, divisor - 1, divisor, top, top // divisor * divisor, top // divisor * divisor - 1):
            assert x * full >> (32 + shift) == x // divisor


@pytest.mark.parametrize("b", [16, 32, 64])
def test_comparisons(b: int) -> None:
    t, k = Table(), U[b]
    compare: dict[str, Callable[[int, int], bool]] = {
        "lt": int.__lt__, "le": int.__le__, "gt": int.__gt__, "ge": int.__ge__, "eq": int.__eq__, "ne": int.__ne__,
    }  # fmt: skip
    for how, f in compare.items():
        for s, v in VIEW.items():
            text = f".reg .pred p, q; setp.{how}.{s}{b} p|q, %a, %b; selp.u32 %d, 1, 0, p; @q add.u32 %d, %d, 2;"
            t.add(how + s, text, f"{k} {k}", "u4", lambda x, y, f=f, v=v: 1 if f(v(x, b), v(y, b)) else 2)
    t.check()


@pytest.mark.parametrize("b", [16, 32, 64])
def test_shifts_clamp(b: int) -> None:
    t, k = Table(), U[b]
    t.add("shl", f"shl.b{b} %d, %a, %b;", f"{k} u4", k, lambda x, n: x << min(n, b))
    t.add("shru", f"shr.u{b} %d, %a, %b;", f"{k} u4", k, lambda x, n: x >> min(n, b))
    t.add("shrs", f"shr.s{b} %d, %a, %b;", f"{k} u4", k, lambda x, n: signed(x, b) >> min(n, b))
    for n in (0, 1, 5, 15, 16, 17, 31, 32, 33, 40, 63, 64, 99):
        t.add(f"shl{n}", f"shl.b{b} %d, %a, {n};", k, k, lambda x, n=n: x << min(n, b))
        t.add(f"shrs{n}", f"shr.s{b} %d, %a, {n};", k, k, lambda x, n=n: signed(x, b) >> min(n, b))
        t.add(f"shru{n}", f"shr.u{b} %d, %a, {n};", k, k, lambda x, n=n: x >> min(n, b))
    t.check()


def find(x: int, b: int, sign: bool, amount: bool) -> int:
    if sign and x >> (b - 1):
        x = ~x & (1 << b) - 1
    if x == 0:
        return -1
    return b - x.bit_length() if amount else x.bit_length() - 1


def extract(x: int, at: int, count: int, b: int, sign: bool) -> int:
    at, count = at & 255, count & 255
    fill = 0 if not sign or count == 0 else x >> min(at + count - 1, b - 1) & 1
    return sum((x >> (at + i) & 1 if i < count and at + i < b else fill) << i for i in range(b))


def insert(x: int, base: int, at: int, count: int, b: int) -> int:
    at, count = at & 255, count & 255
    for i in range(min(count, max(b - at, 0))):
        base = base & ~(1 << at + i) | (x >> i & 1) << at + i
    return base


@pytest.mark.parametrize("b", [32, 64])
def test_bits(b: int) -> None:
    t, k = Table(), U[b]
    t.add("popc", f"popc.b{b} %d, %a;", k, "u4", lambda x: x.bit_count())
    t.add("clz", f"clz.b{b} %d, %a;", k, "u4", lambda x: b - x.bit_length())
    t.add("brev", f"brev.b{b} %d, %a;", k, k, lambda x: int(format(x, f"0{b}b")[::-1], 2))
    places = [(0, 0), (0, 1), (3, 7), (31, 1), (31, 5), (32, 3), (40, 8), (5, 32), (0, 32), (0, 64), (63, 1),
              (63, 3), (64, 2),
              (20, 200), (255, 255), (256, 5), (7, 25)]  # fmt: skip
    fields = [(x, at, count) for x in [*edges(b), *(draw(b) for _ in range(12))] for at, count in places]
    base = int("5a" * (b // 8), 16)
    for s in "us":
        for amount in (False, True):
            name = f"bfind{'.shiftamt' if amount else ''}.{s}{b}"
            t.add(name.replace(".", "_"), f"{name} %d, %a;", k, "u4", lambda x, s=s, a=amount: find(x, b, s == "s", a))
        t.add(
            "bfe" + s,
            f"bfe.{s}{b} %d, %a, %b, %c;",
            f"{k} u4 u4",
            k,
            lambda x, p, n, s=s: extract(x, p, n, b, s == "s"),
            fields,
        )
        t.add("bfei" + s, f"bfe.{s}{b} %d, %a, 5, 11;", k, k, lambda x, s=s: extract(x, 5, 11, b, s == "s"))
    t.add(
        "bfi", f"bfi.b{b} %d, %a, {base:#x}, %b, %c;", f"{k} u4 u4", k, lambda x, p, n: insert(x, base, p, n, b), fields
    )
    for at, count in (place for place in places if place[0] < 256):  # a constant above is refused
        text = f"bfi.b{b} %d, %a, {base:#x}, {at}, {count};"
        t.add(f"bfi_{at}_{count}", text, k, k, lambda x, p=at, n=count: insert(x, base, p, n, b))
    t.check()


def table_of(lut: int, x: int, y: int, z: int) -> int:
    return sum((lut >> ((x >> i & 1) * 4 + (y >> i & 1) * 2 + (z >> i & 1)) & 1) << i for i in range(32))


def permute(x: int, y: int, selector: int, mode: str) -> int:
    data = (x | y << 32).to_bytes(8, "little")
    low = selector & 3
    chosen = {
        "": [selector >> 4 * i & 15 for i in range(4)],
        "f4e": [low + i for i in range(4)],
        "b4e": [(low - i) & 7 for i in range(4)],
        "rc8": [low] * 4,
        "ecl": [max(i, low) for i in range(4)],
        "ecr": [min(i, low) for i in range(4)],
        "rc16": [(selector & 1) * 2, (selector & 1) * 2 + 1] * 2,
    }[mode]
    return sum(((255 if data[c & 7] & 128 else 0) if c & 8 else data[c & 7]) << 8 * i for i, c in enumerate(chosen))


def sign_extend(x: int, n: int, sign: bool, wrap: bool) -> int:
    n = n & 31 if wrap else min(n, 32)
    return 0 if n == 0 else signed(x, n) if sign else unsigned(x, n)


def nth_set(mask: int, base: int, offset: int) -> int:
    """fns.b32: the offset-th set bit from base up (or down)."""
    offset = signed(offset, 32)
    if offset == 0:
        return base if mask >> base & 1 else -1
    order = range(base, 32) if offset > 0 else range(base, -1, -1)
    found = [i for i in order if mask >> i & 1]
    return found[abs(offset) - 1] if abs(offset) <= len(found) else -1


def test_permutations_and_masks() -> None:
    t = Table()
    w3, w2 = "u4 u4 u4", "u4 u4"
    for mode in ("", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
        dot = f".{mode}" if mode else ""
        t.add("prmt" + mode, f"prmt.b32{dot} %d, %a, %b, %c;", w3, "u4", lambda x, y, c, m=mode: permute(x, y, c, m))
    t.add("shfl", "shf.l.wrap.b32 %d, %a, %b, %c;", w3, "u4", lambda x, y, c: (y << 32 | x) << (c & 31) >> 32)
    t.add("shflc", "shf.l.clamp.b32 %d, %a, %b, %c;", w3, "u4", lambda x, y, c: (y << 32 | x) << min(c, 32) >> 32)
    t.add("shfr", "shf.r.wrap.b32 %d, %a, %b, %c;", w3, "u4", lambda x, y, c: (y << 32 | x) >> (c & 31))
    t.add("shfrc", "shf.r.clamp.b32 %d, %a, %b, %c;", w3, "u4", lambda x, y, c: (y << 32 | x) >> min(c, 32))
    t.add("bmsk", "bmsk.clamp.b32 %d, %a, %b;", w2, "u4", lambda x, y: ((1 << min(y, 32)) - 1) << min(x, 32))
    t.add("bmskw", "bmsk.wrap.b32 %d, %a, %b;", w2, "u4", lambda x, y: ((1 << (y & 31)) - 1) << (x & 31))
    for s in "us":
        for wrap in ("clamp", "wrap"):
            name = f"szext.{wrap}.{s}32"
            t.add(
                name.replace(".", "_"),
                f"{name} %d, %a, %b;",
                w2,
                "u4",
                lambda x, n, s=s, w=wrap: sign_extend(x, n, s == "s", w == "wrap"),
            )
    t.add("lop3", "lop3.b32 %d, %a, %b, %c, 0x1b;", w3, "u4", lambda x, y, z: table_of(0x1B, x, y, z))
    t.add("lop3i", "lop3.b32 %d, %a, 0xff00ff00, %b, 0xe8;", w2, "u4", lambda x, z: table_of(0xE8, x, 0xFF00FF00, z))
    t.add(
        "lop3j",
        "lop3.b32 %d, 0xff00ff00, %a, 0x0f0f1234, 0x6a;",
        "u4",
        "u4",
        lambda y: table_of(0x6A, 0xFF00FF00, y, 0x0F0F1234),
    )
    searches = [
        (RNG.getrandbits(32) & RNG.getrandbits(32), b, o & 0xFFFFFFFF)
        for b in (0, 3, 16, 31)
        for o in (-40, -3, -1, 0, 1, 2, 5, 33)
        for _ in range(8)
    ]
    t.add("fns", "fns.b32 %d, %a, %b, %c;", w3, "u4", nth_set, searches)
    t.check()


def test_wide_products_and_chains() -> None:
    t = Table()
    for s, v in VIEW.items():
        t.add("wide32" + s, f"mul.wide.{s}32 %d, %a, %b;", "u4 u4", "u8", lambda x, y, v=v: v(x, 32) * v(y, 32))
        t.add("wide16" + s, f"mul.wide.{s}16 %d, %a, %b;", "u2 u2", "u4", lambda x, y, v=v: v(x, 16) * v(y, 16))
        t.add(
            "madwide32" + s,
            f"mad.wide.{s}32 %d, %a, %b, %c;",
            "u4 u4 u8",
            "u8",
            lambda x, y, z, v=v: v(x, 32) * v(y, 32) + z,
        )
        t.add(
            "madwide16" + s,
            f"mad.wide.{s}16 %d, %a, %b, %c;",
            "u2 u2 u4",
            "u4",
            lambda x, y, z, v=v: v(x, 16) * v(y, 16) + z,
        )
        t.add("mul24" + s, f"mul24.lo.{s}32 %d, %a, %b;", "u4 u4", "u4", lambda x, y, v=v: v(x, 24) * v(y, 24))
        t.add("mul24h" + s, f"mul24.hi.{s}32 %d, %a, %b;", "u4 u4", "u4", lambda x, y, v=v: v(x, 24) * v(y, 24) >> 16)
        t.add(
            "mad24" + s,
            f"mad24.lo.{s}32 %d, %a, %b, %c;",
            "u4 u4 u4",
            "u4",
            lambda x, y, z, v=v: v(x, 24) * v(y, 24) + z,
        )

    def limit(x: int) -> int:
        return max(-(1 << 31), min((1 << 31) - 1, x))

    t.add("addsat", "add.sat.s32 %d, %a, %b;", "u4 u4", "u4", lambda x, y: limit(signed(x, 32) + signed(y, 32)))
    t.add("subsat", "sub.sat.s32 %d, %a, %b;", "u4 u4", "u4", lambda x, y: limit(signed(x, 32) - signed(y, 32)))
    split = ".reg .b32 x, y, z, w, p, q; mov.b64 {x, y}, %a; mov.b64 {z, w}, %b;"
    t.add(
        "addc",
        f"{split} add.cc.u32 x, x, z; addc.u32 y, y, w; mov.b64 %d, {{x, y}};",
        "u8 u8",
        "u8",
        lambda x, y: x + y,
    )
    t.add(
        "subc",
        f"{split} sub.cc.u32 x, x, z; subc.u32 y, y, w; mov.b64 %d, {{x, y}};",
        "u8 u8",
        "u8",
        lambda x, y: x - y,
    )
    both = "mad.lo.cc.u32 p, x, z, 0x87654321; madc.hi.u32 q, x, z, y;"
    t.add("madc", f"{split} {both} mov.b64 %d, {{p, q}};", "u8 u8", "u8",
          lambda x, y: (x & 0xFFFFFFFF) * (y & 0xFFFFFFFF) + 0x87654321 + (x >> 32 << 32))  # fmt: skip
    chain = ".reg .b64 l, h; {0}.cc.u64 l, %a, %b; {0}c.u64 h, 0, 0; xor.b64 %d, l, h;"
    t.add("add128", chain.format("add"), "u8 u8", "u8", lambda x, y: unsigned(x + y, 64) ^ (x + y) >> 64)
    t.add("sub128", chain.format("sub"), "u8 u8", "u8", lambda x, y: unsigned(x - y, 64) ^ unsigned((x - y) >> 64, 64))
    t.check()


def test_both_halves_of_a_product() -> None:
    """Whichever comes first, with addends and carries, of copies, and of factors that change between the two."""
    t = Table()
    start = ".reg .b64 l, h, p; mov.b64 p, %a; "
    end = " xor.b64 %d, l, h;"

    def mixed(low: int, high: int) -> int:
        return unsigned(low, 64) ^ unsigned(high, 64)

    t.add("lo_hi", f"{start} mul.lo.s64 l, p, %b; mul.hi.u64 h, %b, %a; {end}", "u8 u8", "u8",
          lambda x, y: mixed(x * y, x * y >> 64))  # fmt: skip
    t.add("hi_lo", f"{start} mul.hi.u64 h, %a, %b; mul.lo.u64 l, %a, %b; {end}", "u8 u8", "u8",
          lambda x, y: mixed(x * y, x * y >> 64))  # fmt: skip
    t.add("carried", f"{start} mad.lo.cc.u64 l, %a, %b, %a; madc.hi.u64 h, %b, %a, %b; {end}", "u8 u8", "u8",
          lambda x, y: mixed(x * y + x, (x * y + x + (y << 64)) >> 64))  # fmt: skip
    changed = "mul.lo.u64 l, p, %b; add.u64 p, p, 1; mul.hi.u64 h, p, %b;"
    t.add("changed", f"{start} {changed} {end}", "u8 u8", "u8",
          lambda x, y: mixed(x * y, unsigned(x + 1, 64) * y >> 64))  # fmt: skip
    own = "mul.lo.u64 p, p, %b; mul.hi.u64 h, p, %b; mov.b64 l, p;"
    t.add("own", f"{start} {own} {end}", "u8 u8", "u8",
          lambda x, y: mixed(x * y, unsigned(x * y, 64) * y >> 64))  # fmt: skip
    copied = ".reg .b64 q; mov.b64 q, p; mul.lo.u64 l, q, %b; mov.b64 q, %b; mul.hi.u64 h, q, %b;"
    t.add("copied", f"{start} {copied} {end}", "u8 u8", "u8", lambda x, y: mixed(x * y, y * y >> 64))
    t.check()


def test_a_whole_product_takes_four_products_of_words() -> None:
    text = """.version 8.0
.target sm_90
.address_size 64
.entry f(.param .u64 o) {
    .reg .b64 %rd<6>;
    ld.param.u64 %rd5, [o];
    ld.global.v2.u64 {%rd1, %rd2}, [%rd5];
    mul.lo.u64 %rd3, %rd1, %rd2;
    mul.hi.u64 %rd4, %rd2, %rd1;
    st.global.v2.u64 [%rd5], {%rd3, %rd4};
    ret;
}"""
    assert mnemonics(write_cubin(assemble(text))).count("IMAD") == 4
    again = text.replace("    ret;", "    mov.b64 %rd1, %rd4; mov.b64 %rd2, 1;\n    ret;")
    assert mnemonics(write_cubin(assemble(again))).count("IMAD") == 4


def test_dot_products_and_selections() -> None:
    t = Table()
    w3 = "u4 u4 u4"

    def byte(x: int, i: int, s: str) -> int:
        return VIEW[s](x >> 8 * i, 8)

    for sa in "us":
        for sb in "us":
            t.add(f"dp4a{sa}{sb}", f"dp4a.{sa}32.{sb}32 %d, %a, %b, %c;", w3, "u4",
                  lambda x, y, z, sa=sa, sb=sb: z + sum(byte(x, i, sa) * byte(y, i, sb) for i in range(4)))  # fmt: skip
            for high in (0, 1):
                t.add(f"dp2a{sa}{sb}{high}", f"dp2a.{'hi' if high else 'lo'}.{sa}32.{sb}32 %d, %a, %b, %c;", w3, "u4",
                      lambda x, y, z, sa=sa, sb=sb, h=high: z
                      + sum(VIEW[sa](x >> 16 * i, 16) * byte(y, i + 2 * h, sb) for i in (0, 1)))  # fmt: skip
    t.add("slct", "slct.u32.s32 %d, %a, %b, %c;", w3, "u4", lambda x, y, z: x if signed(z, 32) >= 0 else y)
    chain = "setp.lt.u32 p, %a, 50; setp.gt.xor.s32 p, %b, %a, p;"
    t.add("combine", f".reg .pred p; {chain} selp.b32 %d, %a, %b, p;", "u4 u4", "u4",
          lambda x, y: x if (signed(y, 32) > signed(x, 32)) != (x < 50) else y)  # fmt: skip
    logic = (
        ".reg .pred p, q, r; setp.lt.u32 p, %a, %b; setp.lt.s32 q, %a, %b; and.pred r, p, q; selp.u32 %d, 1, 0, r;"
        " or.pred r, p, q; @r add.u32 %d, %d, 2; xor.pred r, p, q; @!r add.u32 %d, %d, 4; not.pred r, p;"
        " @r add.u32 %d, %d, 8;"
    )

    def predicates(x: int, y: int) -> int:
        p, q = int(x < y), int(signed(x, 32) < signed(y, 32))
        return (p & q) + 2 * (p | q) + 4 * (1 - (p ^ q)) + 8 * (1 - p)

    t.add("predicates", logic, "u4 u4", "u4", predicates)
    t.add("set", "set.lt.u32.s32 %d, %a, %b;", "u4 u4", "u4", lambda x, y: -1 if signed(x, 32) < signed(y, 32) else 0)
    t.add("setf", "set.ge.f32.u32 %d, %a, %b;", "u4 u4", "u4", lambda x, y: 0x3F800000 if x >= y else 0)
    t.add("pack4", ".reg .b16 x, y, z, w; mov.b64 {x, y, z, w}, %a; mov.b64 %d, {w, y, x, z};", "u8", "u8",
          lambda x: x >> 48 | (x >> 16 & 0xFFFF) << 16 | (x & 0xFFFF) << 32 | (x >> 32 & 0xFFFF) << 48)  # fmt: skip
    t.add(
        "pack2",
        ".reg .b16 x, y; mov.b32 {x, y}, %a; mov.b32 %d, {y, x};",
        "u4",
        "u4",
        lambda x: x >> 16 | (x & 0xFFFF) << 16,
    )
    t.add(
        "swap",
        ".reg .b32 x, y; mov.b64 {x, y}, %a; mov.b64 %d, {y, x};",
        "u8",
        "u8",
        lambda x: x >> 32 | (x & 0xFFFFFFFF) << 32,
    )
    t.check()


def conversions() -> Iterator[tuple[str, int, str, int]]:
    for st in "us":
        for to in (8, 16, 32, 64):
            for sf in "us":
                for source in (8, 16, 32, 64):
                    yield st, to, sf, source


def test_conversions() -> None:
    t = Table()
    for st, to, sf, source in conversions():
        wide = U[max(to, 32)]
        low, high = (-(1 << (to - 1)), (1 << (to - 1)) - 1) if st == "s" else (0, (1 << to) - 1)
        name = f"{st}{to}.{sf}{source}"
        t.add("cvt_" + name.replace(".", "_"), f"cvt.{name} %d, %a;", U[source], wide,
              lambda x, v=VIEW[sf], n=source, u=VIEW[st], m=to: u(v(x, n), m))  # fmt: skip
        if (sf == st and to >= source) or (sf == "u" and to > source):
            continue  # nothing to saturate: ptxas takes no .sat
        t.add("sat_" + name.replace(".", "_"), f"cvt.sat.{name} %d, %a;", U[source], wide,
              lambda x, v=VIEW[sf], n=source, low=low, high=high: max(low, min(high, v(x, n))))  # fmt: skip
    t.check()


@pytest.mark.parametrize("kind", ["u64", "s64"])
def test_wide_division_by_powers_of_two(kind: str) -> None:
    """div and rem of 64 bits by 2^k, around every boundary."""
    edges = [0, 1, 2, 3, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 63) - 1]
    values = sorted({v + s & (1 << 64) - 1 for e in edges for v in (e, -e) for s in (-1, 0, 1)})
    powers = [0, 1, 5, 31, 32, 33, 47, 62]
    cases = {
        f"{op}{k}": Case(f"{op}.{kind} %d, %a, {1 << k};", ("uint64",), "uint64")
        for op in ("div", "rem")
        for k in powers
    }
    found = run(cases, {name: [np.array(values, np.uint64)] for name in cases})
    for name, out in found.items():
        divisor = 1 << int(name[3:])
        for given, got in zip(values, out, strict=True):
            x = given - (1 << 64) if kind == "s64" and given >> 63 else given
            quotient = abs(x) // divisor * (1 if x >= 0 else -1)
            want = quotient if name.startswith("div") else x - quotient * divisor
            assert int(got) == want & (1 << 64) - 1, (name, x)
