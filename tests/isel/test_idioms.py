"""What people write in place of an instruction: the selected PTX has the instruction, and the model its value.

Each idiom is one kernel: thread i reads word i of each operand and writes the result. `wanted` is what the PTX must
contain (opcodes, "!" before what it must not); the values are checked against the Python of the same meaning.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import numpy as np
import pytest

import minicc
import runtime
from minicc.diagnostics import SourceFile
from minicc.driver import Compiled

THREADS = 64
_TYPES = {"u": ("unsigned", 32, False), "i": ("int", 32, True), "U": ("unsigned long long", 64, False),
          "I": ("long long", 64, True)}  # fmt: skip


def s(value: int, bits: int = 32) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def b(x: int, i: int) -> int:
    return x >> 8 * i & 255


def cut(x: int, y: int) -> int:
    """Division to zero."""
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def low(x: int) -> int:
    """Place of the lowest one, -1 of 0."""
    return (x & -x).bit_length() - 1


def f(x: int) -> float:
    """The number that bits are."""
    return float(np.uint32(x).view(np.float32))


def w(x: float) -> int:
    return int(np.float32(x).view(np.uint32))


def clamp(x: int, least: int, most: int) -> int:
    return max(least, min(x, most))


_X, _BITS = "__uint_as_float(a)", "__float_as_uint"
# name, result and operands, body, what the PTX must have, meaning
IDIOMS: list[tuple[str, str, str, str, Callable[..., int]]] = [
    ("byte1", "uu", "(a >> 8) & 0xff", "prmt|bfe !shr", lambda a: b(a, 1)),
    ("byte2_signed", "iu", "(signed char)(a >> 16)", "prmt|bfe !shr", lambda a: s(b(a, 2), 8)),
    ("highest", "iu", "31 - __clz(a)", "bfind.u32 !clz", lambda a: a.bit_length() - 1),
    ("highest_of_some", "iu", "31 ^ __clz(a | 1)", "bfind.u32 !clz !xor", lambda a: (a | 1).bit_length() - 1),
    ("highest64", "iU", "63 - __clzll(a)", "bfind.u64 !clz", lambda a: a.bit_length() - 1),
    ("at_most", "uu", f"{_BITS}({_X} < 1.5f ? {_X} : 1.5f)", "min !setp !selp", lambda a: a if f(a) < 1.5 else w(1.5)),
    ("at_least", "uu", f"{_BITS}(!({_X} >= 2.0f) ? 2.0f : {_X})", "max !setp", lambda a: a if f(a) >= 2 else w(2.0)),
    ("positive", "uu", f"{_BITS}({_X} > 0.0f ? {_X} : 0.0f)", "max !setp", lambda a: a if f(a) > 0 else 0),
    ("nan_stays", "uu", f"{_BITS}({_X} >= 2.0f ? 2.0f : {_X})", "setp selp !min", lambda a: w(2.0) if f(a) >= 2 else a),
    ("sign_of_zero", "uu", f"{_BITS}({_X} >= 0.0f ? {_X} : 0.0f)", "setp selp !max", lambda a: a if f(a) >= 0 else 0),
    ("there_and_back", "uu", "(int)(float)(a & 0xffffff)", "and !cvt", lambda a: a & 0xFFFFFF),
    ("less_pair", "Uuu", "-(((unsigned long long)a << 32) | b)", "neg !shl !sub", lambda a, b: -(a << 32 | b)),
    ("one_less_pair", "Uuu", "-(((unsigned long long)a << 32) | b) + 1", "sub !neg !shl",
     lambda a, b: 1 - (a << 32 | b)),
    ("flag_less_pair", "Uuuu", "-(((unsigned long long)a << 32) | b) + (c == 0)", "sub !neg !shl",
     lambda a, b, c: (c == 0) - (a << 32 | b)),
    ("mixed", "Iiu", "(long long)a * (b & 0xffff)", "mul.wide.s32 !mul.lo.s64", lambda a, b: a * (b & 65535)),
    ("mixed_index", "Iui", "(long long)((const char *)0 + (int)(a & 255) * (b >> 8))", "mul.wide.s32 !mul.lo.s64",
     lambda a, b: (a & 255) * (b >> 8)),
    ("no_sign", "ui", "(unsigned)(double)(a | 1 << 31)", "cvt", lambda a: 0),
    ("not_back", "iu", "(int)(double)a", "cvt", lambda a: min(a, (1 << 31) - 1)),
    ("byte3", "uu", "a >> 24", "shr", lambda a: a >> 24),
    ("half1_signed", "iu", "(short)(a >> 16)", "shr.s32", lambda a: s(a >> 16, 16)),
    ("field", "uu", "(a >> 7) & 0x3ff", "bfe.u32", lambda a: a >> 7 & 0x3FF),
    ("field_signed", "ii", "(int)((unsigned)a << 11) >> 20", "shl shr.s32", lambda a: s(a << 11) >> 20),
    ("signed12", "iu", "(int)(a << 20) >> 20", "bfe.s32", lambda a: s(a, 12)),
    ("one_of_two", "UUUu", "(c & 1) ? min(a, b) : max(b, a)", "selp !min !max",
     lambda a, b, c: min(a, b) if c & 1 else max(a, b)),
    ("other_of_two", "IIIu", "(c & 1) ? max(a, b) : min(a, b)", "selp !min !max",
     lambda a, b, c: max(a, b) if c & 1 else min(a, b)),
    ("some_below", "uuuuu", "a < d || b < d || c < d", "min.u32 !setp.lt.or.u32",
     lambda a, c, e, g: int(min(a, c, e) < g)),
    ("all_above", "uiiii", "a > d && b > d && c > d", "min.s32", lambda a, c, e, g: int(min(a, c, e) > g)),
    ("all_at_most", "uiii", "a <= c && c >= b", "max.s32", lambda a, c, e: int(max(a, c) <= e)),
    ("not_all_below", "uuuu", "a >= c || b >= c", "max.u32", lambda a, c, e: int(max(a, c) >= e)),
    ("insert4", "uuu", "(a & 0xfffffff0u) | (b & 15)", "bfi", lambda a, c: a & ~15 | c & 15),
    ("insert_byte", "uuu", "(a & 0xffff00ffu) | ((b & 0xff) << 8)", "prmt !shl",
     lambda a, c: a & ~0xFF00 | (c & 255) << 8),
    ("rotate7", "uu", "(a << 7) | (a >> 25)", "shf.l.wrap !or", lambda a: a << 7 | a >> 25),
    ("rotate", "uuu", "(a << (b & 31)) | (a >> ((32 - b) & 31))", "shf.l.wrap",
     lambda a, n: (a << n % 32) | (a >> -n % 32)),
    ("rotate64", "UU", "(a >> 13) | (a << 51)", "shf !shr.u64 !or", lambda a: a >> 13 | a << 51),
    ("rotate64_32", "UU", "(a >> 32) | (a << 32)", "!shf !shr !shl", lambda a: a >> 32 | a << 32),
    ("rotate64_by", "UUu", "(a << (b & 63)) | (a >> ((64 - b) & 63))", "shl.b64 shr.u64",
     lambda a, n: (a << n % 64) | (a >> -n % 64)),
    ("funnel_left", "uuuu", "(unsigned)((((unsigned long long)a << 32 | b) << (c & 31)) >> 32)", "shf|shl.b64",
     lambda a, c, n: (a << 32 | c) << n % 32 >> 32),
    ("funnel9", "uuu", "(a << 23) | (b >> 9)", "shf !or", lambda a, c: a << 23 | c >> 9),
    ("swap_bytes", "uu", "(a >> 24) | ((a >> 8) & 0xff00) | ((a << 8) & 0xff0000) | (a << 24)", "prmt !shl !shr",
     lambda a: int.from_bytes(a.to_bytes(4, "little"), "big")),
    ("swap_halves", "uu", "(a >> 16) | (a << 16)", "shf|prmt !or", lambda a: a >> 16 | a << 16),
    ("bytes_of_4", "uuuuu", "(a & 255) | ((b & 255) << 8) | ((c & 255) << 16) | (d << 24)", "prmt !shl !or !lop3",
     lambda a, c, d, e: b(a, 0) | b(c, 0) << 8 | b(d, 0) << 16 | e << 24),
    ("bytes_mixed", "uuu", "((a >> 8) & 0xff00) | (b & 0xff) | ((b >> 8) & 0xff0000) | (a << 24)",
     "prmt !shl !shr !lop3",
     lambda a, c: a >> 8 & 0xFF00 | c & 255 | c >> 8 & 0xFF0000 | a << 24),
    ("pack_halves", "uuu", "(a & 0xffff) | (b << 16)", "prmt !shl !or", lambda a, c: a & 0xFFFF | c << 16),
    ("pack_words", "Uuu", "(unsigned long long)a << 32 | b", "!shl !or", lambda a, c: a << 32 | c),
    ("high_word", "uU", "a >> 32", "!shr", lambda a: a >> 32),
    ("interleave", "uuu", "(a & 0x00ff00ff) | ((b << 8) & 0xff00ff00)", "prmt !shl",
     lambda a, c: a & 0xFF00FF | c << 8 & 0xFF00FF00),
    ("mux", "uuuu", "(a & b) | (~a & c)", "lop3 !and !not", lambda a, c, d: a & c | ~a & d),
    ("majority", "uuuu", "(a & b) | (a & c) | (b & c)", "lop3 !and !or", lambda a, c, d: a & c | a & d | c & d),
    ("xor3", "uuuu", "a ^ b ^ c", "lop3 !xor", lambda a, c, d: a ^ c ^ d),
    ("keccak", "uuuu", "a ^ (~b & c)", "lop3 !xor !and", lambda a, c, d: a ^ (~c & d)),
    ("and_not", "uuu", "a & ~b", "lop3 !not", lambda a, c: a & ~c),
    ("popcount_mask", "iuu", "__popc(a & ~b)", "popc.b32", lambda a, c: (a & ~c).bit_count()),
    ("parity", "iu", "__popc(a) & 1", "popc.b32", lambda a: a.bit_count() & 1),
    ("find_first", "iu", "__ffs(a)", "bfind.shiftamt !selp", lambda a: low(a) + 1),
    ("trailing", "iu", "__ffs(a) - 1", "bfind.shiftamt !selp", lambda a: low(a)),
    ("trailing64", "iU", "__ffsll(a)", "popc.b64 !brev", lambda a: low(a) + 1),
    ("log2", "iu", "31 - __clz(a)", "clz|bfind", lambda a: a.bit_length() - 1),
    ("lowest_bit", "uu", "a & -a", "and|lop3", lambda a: a & -a),
    ("is_power", "iu", "a != 0 && (a & (a - 1)) == 0", "popc|setp", lambda a: int(a.bit_count() == 1)),
    ("set_bit", "uuu", "a | 1u << (b & 31)", "shl", lambda a, n: a | 1 << n % 32),
    ("test_bit", "uuu", "(a >> (b & 31)) & 1", "shr", lambda a, n: a >> n % 32 & 1),
    ("add_saturated", "iii", "__saturate(a, b)", "add.sat|add.s64|min.s64|add.s32",
     lambda a, c: clamp(a + c, -(2**31), 2**31 - 1)),
    ("add_saturated_u", "uuu", "a + b < a ? 0xffffffffu : a + b", "add", lambda a, c: min(a + c, 2**32 - 1)),
    ("sub_saturated_u", "uuu", "a > b ? a - b : 0", "max.u32 sub", lambda a, c: max(a - c, 0)),
    ("distance", "uuuu", "(a > b ? a - b : b - a) + c", "sad.u32 !selp !setp", lambda a, c, d: abs(a - c) + d),
    ("distance_signed", "iiii", "abs((a >> 1) - (b >> 1)) + c", "sad.s32 !abs",
     lambda a, c, d: abs((a >> 1) - (c >> 1)) + d),
    ("distance_bytes", "iuu", "abs((int)(a & 255) - (int)(b & 255))", "sad !abs", lambda a, c: abs(b(a, 0) - b(c, 0))),
    ("ring", "uuu", "a >= b ? a - b : a", "min.u32 sub !setp !selp", lambda a, c: a - c if a >= c else a),
    ("ring_of", "uuu", "(a & 255) + b < 200 ? (a & 255) + b : (a & 255) + b - 200", "min.u32 !setp !selp",
     lambda a, c: (x := (a & 255) + c & 0xFFFFFFFF) - (0 if x < 200 else 200)),
    ("ring_signed", "iii", "a >= b ? a - b : a", "setp !min", lambda a, c: s(a - c) if a >= c else a),
    ("min3", "iiii", "min(min(a, b), c)", "min.s32 !setp", lambda a, c, d: min(a, c, d)),
    ("clamp", "iiii", "max(b, min(a, c))", "max.s32 min.s32 !setp", lambda a, c, d: max(c, min(a, d))),
    ("clamp_byte", "ii", "a < 0 ? 0 : a > 255 ? 255 : a", "min.relu !max !setp", lambda a: clamp(a, 0, 255)),
    ("relu", "iii", "max(min(a, b), 0)", "min.relu !max", lambda a, c: max(min(a, c), 0)),
    ("sign", "ii", "(a > 0) - (a < 0)", "setp|max|min", lambda a: (a > 0) - (a < 0)),
    ("mul_high", "iii", "(int)(((long long)a * b) >> 32)", "mul.hi.s32|mul.wide.s32 !shr", lambda a, c: a * c >> 32),
    ("mul_high_u", "uuu", "(unsigned)(((unsigned long long)a * b) >> 32)", "mul.hi.u32|mul.wide.u32 !shr",
     lambda a, c: a * c >> 32),
    ("mul_high64", "UUU", "(unsigned long long)(((unsigned __int128)a * b) >> 64)", "mul.hi.u64",
     lambda a, c: a * c >> 64),
    ("mul_add_wide", "IiiI", "(long long)a * b + c", "mul.wide.s32 !mul.lo.s64", lambda a, c, d: a * c + d),
    ("mul_add_wide_u", "UuuU", "(unsigned long long)a * b + c", "mul.wide.u32 !mul.lo.s64", lambda a, c, d: a * c + d),
    ("fixed_point", "iii", "(int)(((long long)a * b) >> 16)", "mul.wide.s32", lambda a, c: a * c >> 16),
    ("mul_add", "iiii", "a * b + c", "mad.lo !mul", lambda a, c, d: a * c + d),
    ("shift_add", "iii", "a * 8 + b", "shl|mad", lambda a, c: a * 8 + c),
    ("mul_high64_signed", "III", "(long long)(((__int128)a * b) >> 64)", "mul.hi.s64 !mul.hi.u64 !mul.lo",
     lambda a, c: a * c >> 64),
    ("mul_wide64", "III", "(long long)((__int128)a * b) ^ (long long)((__int128)a * b >> 64)",
     "mul.hi.s64 mul.lo.s64 !mad", lambda a, c: s(a * c, 64) ^ a * c >> 64),
    ("mul_high_twice", "Uuu", "2 * ((unsigned long long)__umulhi(a, b) << 32 | a * b)", "mul.wide.u32 !mul.hi",
     lambda a, c: a * c * 2),
    ("power_below", "ii", "a / 64 * 64", "and !shl", lambda a: cut(a, 64) * 64),
    ("two_bytes", "uuu", "(a & 0xff) | ((b & 0xff) << 8)", "prmt !shl", lambda a, c: a & 255 | (c & 255) << 8),
    ("not_both", "uuuu", "(a ^ b) & ~c", "lop3 !xor !not !and", lambda a, c, d: (a ^ c) & ~d & 0xFFFFFFFF),
    ("divide3", "ii", "a / 3", "mul.hi.s32 !div", lambda a: cut(a, 3)),
    ("remainder10", "uu", "a % 10", "mul.hi.u32 !rem", lambda a: a % 10),
    ("multiple7", "iu", "a % 7 == 0", "mul.lo setp !mul.hi !rem", lambda a: int(a % 7 == 0)),
    ("divide16", "ii", "a / 16", "shr.s32 !div", lambda a: cut(a, 16)),
    ("divide64", "II", "a / 10", "mul.hi.s64 !div", lambda a: cut(a, 10)),
    ("dot_signed", "iiii", "(signed char)a * (signed char)b + (signed char)(a >> 8) * (signed char)(b >> 8) + "
     "(signed char)(a >> 16) * (signed char)(b >> 16) + (a >> 24) * (b >> 24) + c", "dp4a.s32.s32 !mul !mad",
     lambda a, c, d: sum(s(b(a, i), 8) * s(b(c, i), 8) for i in range(4)) + d),
    ("dot_mixed", "iuuu", "(a & 255) * (signed char)b + ((a >> 8) & 255) * (signed char)(b >> 8) + "
     "((a >> 16) & 255) * (signed char)(b >> 16) + (a >> 24) * (signed char)(b >> 24) + c",
     "dp4a.u32.s32|dp4a.s32.u32 !mad",
     lambda a, c, d: sum(b(a, i) * s(b(c, i), 8) for i in range(4)) + d),
    ("dot_turned", "uuu", "(a & 255) * (b >> 24) + ((a >> 8) & 255) * ((b >> 16) & 255) + "
     "((a >> 16) & 255) * ((b >> 8) & 255) + (a >> 24) * (b & 255)", "dp4a.u32.u32 prmt !mad",
     lambda a, c: sum(b(a, i) * b(c, 3 - i) for i in range(4))),
    ("range", "ii", "a >= 10 && a < 20", "add setp !and", lambda a: int(10 <= a < 20)),
    ("three_way", "iiii", "a > b && b > c && c > 7", "setp", lambda a, c, d: int(a > c > d > 7)),
    ("average_up", "uuu", "((a & 255) + (b & 255) + 1) >> 1", "shr", lambda a, c: (b(a, 0) + b(c, 0) + 1) // 2),
    ("swap64", "UU", "((a & 255) << 56) | ((a >> 8 & 255) << 48) | ((a >> 16 & 255) << 40) | ((a >> 24 & 255) << 32) | "
     "((a >> 32 & 255) << 24) | ((a >> 40 & 255) << 16) | ((a >> 48 & 255) << 8) | (a >> 56)", "prmt !shl !shr",
     lambda a: int.from_bytes(a.to_bytes(8, "little"), "big")),
]  # fmt: skip
BY_NAME = {row[0]: row for row in IDIOMS}


def source() -> str:
    """One kernel an idiom."""
    out = ["__device__ int __saturate(int a, int b) { long long s = (long long)a + b;"
           " return s > 2147483647 ? 2147483647 : s < -2147483647 - 1 ? -2147483647 - 1 : (int)s; }"]  # fmt: skip
    for name, types, body, _, _ in IDIOMS:
        result, *operands = (_TYPES[t][0] for t in types)
        names = "abcd"[: len(operands)]
        params = ", ".join(f"const {t} *{n}_" for t, n in zip(operands, names, strict=True))
        loads = " ".join(f"{t} {n} = {n}_[threadIdx.x];" for t, n in zip(operands, names, strict=True))
        out.append(
            f'extern "C" __global__ void {name}({result} *out, {params}) {{ {loads} out[threadIdx.x] = {body}; }}'
        )
    return "\n".join(out)


def operand(rnd: random.Random, bits: int) -> int:
    """A word: any, small, nearly all ones, one bit, none."""
    ones = (1 << bits) - 1 - rnd.getrandbits(3)
    return (rnd.getrandbits(bits), rnd.getrandbits(6), ones, 1 << rnd.randrange(bits), 0)[rnd.randrange(5)]


@pytest.fixture(scope="module")
def compiled() -> Compiled:
    return minicc.compile(SourceFile("idioms.cu", source()), arch="sm_90")


@pytest.fixture(scope="module")
def bodies(compiled: Compiled) -> dict[str, str]:
    """PTX of each kernel, without what every kernel has."""
    text = compiled.ptx
    found = dict(re.findall(r"\.entry (\w+)\((?:.*?)\{\n(.*?)\n\}", text, re.S))
    usual = re.compile(r"\s(ld\.|st\.|cvta|\.reg|ret|mov\.u32\s+%r\d+, %tid|mul\.wide\.u32\s+\S+ %r\d+, [48];)")
    addresses = re.compile(r"add\.s64\s+(%rd\d+), %rd\d+, %rd\d+;(?=.*\[\1\])", re.S)
    return {
        name: "\n".join(line for line in addresses.sub("", body).split("\n") if not usual.search(line))
        for name, body in found.items()
    }


@pytest.mark.parametrize("name", BY_NAME)
def test_selected(bodies: dict[str, str], name: str) -> None:
    wanted = BY_NAME[name][3]
    opcodes = re.findall(r"^\s+(?:@\S+\s+)?([a-z][\w.]*)", bodies[name], re.M)
    for word in wanted.split():
        choices = word.lstrip("!").split("|")
        present = any(op == c or op.startswith(c + ".") or op.endswith("." + c) for op in opcodes for c in choices)
        assert present != word.startswith("!"), f"{word} in\n{bodies[name]}"


@pytest.mark.parametrize("name", BY_NAME)
def test_value(compiled: Compiled, name: str) -> None:
    _, types, _, _, meaning = BY_NAME[name]
    rnd = random.Random(name)
    columns = []
    for t in types[1:]:
        bits = _TYPES[t][1]
        columns.append([operand(rnd, bits) for _ in range(THREADS)])
    width = {"32": np.uint32, "64": np.uint64}
    arrays = [np.array(c, width[str(_TYPES[t][1])]) for c, t in zip(columns, types[1:], strict=True)]
    out = np.zeros(THREADS, width[str(_TYPES[types[0]][1])])
    runtime.Device("sm_90").load(compiled.cubin)[name][1, THREADS](out, *arrays)
    size = _TYPES[types[0]][1]
    for i in range(THREADS):
        operands = [s(c[i], _TYPES[t][1]) if _TYPES[t][2] else c[i] for c, t in zip(columns, types[1:], strict=True)]
        assert int(out[i]) == meaning(*operands) & (1 << size) - 1, (name, operands)
