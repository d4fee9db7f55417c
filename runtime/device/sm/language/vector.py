"""Questions about 32 lane addresses or 16 wake times, as vector code, and prefetch; for the compiled parts.

Lanes of an instruction are 32 i64 at a host address; `mask` has a bit per lane that takes part. All of it is portable
LLVM vector code; with 512-bit vectors each function is some ten instructions.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from runtime.device.sm.language.lang import I64, RAW, Macro, Primitive, Value

if TYPE_CHECKING:
    from runtime.device.sm.language.emit import Emitter

_NEVER = 1 << 60
"""layout.BIG"""


def _splat(name: str, source: str, n: int, kind: str = "i64") -> str:
    """%name = a vector of n copies of a scalar."""
    whole = f"<{n} x {kind}>"
    return (
        f"%{name}.one = insertelement {whole} poison, {kind} {source}, i64 0\n"
        f"%{name} = shufflevector {whole} %{name}.one, {whole} poison, <{n} x i32> zeroinitializer\n"
    )


def _load(name: str, address: str, n: int, kind: str = "i64", metadata: str = RAW) -> str:
    """%name = n elements at an address. Without metadata: of a table, perhaps."""
    return (
        f"%{name}.p = inttoptr i64 {address} to ptr\n%{name} = load <{n} x {kind}>, ptr %{name}.p, align 4{metadata}\n"
    )


def _store(address: str, value: str, n: int, kind: str) -> str:
    return f"%out = inttoptr i64 {address} to ptr\nstore <{n} x {kind}> {value}, ptr %out, align 4{RAW}\nret void"


prefetch = Primitive(
    "prefetch", "void(int64)",
    "%p = inttoptr i64 %0 to ptr\ncall void @llvm.prefetch.p0(ptr %p, i32 0, i32 3, i32 1)\nret void",
)  # fmt: skip
"""Ask the host's caches for the line at an address; any address may be given."""
due = Primitive(
    "due", "int64(int64, int64)",
    _load("v", "%0", 16, metadata="") + _splat("now", "%1", 16)
    + "%c = icmp sle <16 x i64> %v, %now\n%b = bitcast <16 x i1> %c to i16\n%r = zext i16 %b to i64\nret i64 %r",
)  # fmt: skip
"""(times, now): which of 16 times at a host address have come: a bit each."""
next_due = Primitive(
    "next_due", "int64(int64, int64)",
    _load("v", "%0", 16, metadata="") + _splat("now", "%1", 16)
    + "%c = icmp sgt <16 x i64> %v, %now\n"
    + f"%k = select <16 x i1> %c, <16 x i64> %v, <16 x i64> splat (i64 {_NEVER})\n"
    + "%r = call i64 @llvm.vector.reduce.smin.v16i64(<16 x i64> %k)\nret i64 %r",
)  # fmt: skip
"""(times, now): the first of 16 times at a host address that is after `now`."""
alike = Primitive(
    "alike", "int64(int64, int64)",
    _load("v", "%0", 16, metadata="") + _splat("x", "%1", 16)
    + "%c = icmp eq <16 x i64> %v, %x\n%b = bitcast <16 x i1> %c to i16\n%r = zext i16 %b to i64\nret i64 %r",
)  # fmt: skip
"""(numbers, one): which of 16 numbers at a host address are equal to one: a bit each."""


def _eight(emitter: Emitter, table: ast.expr, index: ast.expr) -> tuple[str, str, str]:
    """Eight elements of a table from one on: their vector, their place, the metadata of accesses to them."""
    known = emitter.table(table)
    pointer, access = emitter.element(known, index), emitter.program.access(known)
    return emitter.new(f"load <8 x i64>, ptr {pointer}, align 8{access}"), pointer, access


def _copies(emitter: Emitter, node: ast.expr) -> str:
    """A vector of eight times a number."""
    number = emitter.cast(emitter.value(node), I64)
    one = emitter.new(f"insertelement <8 x i64> poison, i64 {number}, i64 0")
    return emitter.new(f"shufflevector <8 x i64> {one}, <8 x i64> poison, <8 x i32> zeroinitializer")


def _same8(emitter: Emitter, arguments: Sequence[ast.expr]) -> Value:
    have, _, _ = _eight(emitter, arguments[0], arguments[1])
    wanted, _, _ = _eight(emitter, arguments[2], arguments[3])
    wanted = emitter.new(f"or <8 x i64> {wanted}, {_copies(emitter, arguments[4])}")
    bits = emitter.new(f"bitcast <8 x i1> {emitter.new(f'icmp eq <8 x i64> {have}, {wanted}')} to i8")
    return Value(emitter.new(f"zext i8 {bits} to i64"), I64)


def _keep8(emitter: Emitter, arguments: Sequence[ast.expr]) -> Value:
    have, place, access = _eight(emitter, arguments[0], arguments[1])
    given, _, _ = _eight(emitter, arguments[2], arguments[3])
    named = emitter.new(f"or <8 x i64> {given}, {_copies(emitter, arguments[4])}")
    keep = emitter.new(f"trunc i64 {emitter.cast(emitter.value(arguments[5]), I64)} to i8")
    keep = emitter.new(f"bitcast i8 {keep} to <8 x i1>")
    named = emitter.new(f"select <8 x i1> {keep}, <8 x i64> {named}, <8 x i64> splat (i64 -1)")
    taken = emitter.new(f"icmp sge <8 x i64> {given}, zeroinitializer")
    named = emitter.new(f"select <8 x i1> {taken}, <8 x i64> {named}, <8 x i64> {have}")
    emitter.line(f"store <8 x i64> {named}, ptr {place}, align 8{access}")
    return emitter.constant(0)


same8 = Macro(_same8)
"""(table, index, table, index, more): which of eight elements of the first table, from an index on, equal those of the
second with `more` ORed to them: a bit each."""
keep8 = Macro(_keep8)
"""(table, index, table, index, more, keep): eight elements of the first table become those of the second with `more`
ORed to them, or -1 where `keep` has no bit; where the second has a negative one they stay."""


find8 = Primitive(
    "find8", "int64(int64, int64)",
    "%x32 = trunc i64 %1 to i32\n" + _load("v", "%0", 8, "i32", "") + _splat("x", "%x32", 8, "i32")
    + "%c = icmp eq <8 x i32> %v, %x\n%b = bitcast <8 x i1> %c to i8\n%r = zext i8 %b to i64\nret i64 %r",
)  # fmt: skip
"""(tags, wanted): which of 8 u32 tags at a host address equal `wanted`: a bit each."""
find16 = Primitive(
    "find16", "int64(int64, int64, int64)",
    "%x32 = trunc i64 %1 to i32\n%f32 = trunc i64 %2 to i32\n%uses = add i64 %0, 64\n"
    + _load("v", "%0", 16, "i32", "") + _load("u", "%uses", 16, "i32", "")
    + _splat("x", "%x32", 16, "i32") + _splat("f", "%f32", 16, "i32")
    + "%e = icmp eq <16 x i32> %v, %x\n%g = icmp uge <16 x i32> %u, %f\n%c = and <16 x i1> %e, %g\n"
    + "%b = bitcast <16 x i1> %c to i16\n%r = zext i16 %b to i64\nret i64 %r",
)  # fmt: skip
"""(tags, wanted, floor): which of 16 u32 tags at a host address equal `wanted`, and were last used, as as many u32
behind them say, at `floor` or later: a bit each."""
least16 = Primitive(
    "least16", "int64(int64, int64)",
    "%f32 = trunc i64 %1 to i32\n" + _load("v", "%0", 16, "i32", "") + _splat("low", "%f32", 16, "i32")
    + "%g = icmp ugt <16 x i32> %v, %low\n%m = select <16 x i1> %g, <16 x i32> %v, <16 x i32> %low\n"
    + "%s = call i32 @llvm.vector.reduce.umin.v16i32(<16 x i32> %m)\n" + _splat("all", "%s", 16, "i32")
    + "%c = icmp eq <16 x i32> %m, %all\n%b = bitcast <16 x i1> %c to i16\n%z = zext i16 %b to i64\n"
    + "%r = call i64 @llvm.cttz.i64(i64 %z, i1 true)\nret i64 %r",
)  # fmt: skip
"""(values, floor): the place of the least (the first, of several) of 16 u32 at a host address, where those below
`floor` count as `floor`."""
latest = Primitive(
    "latest", "int64(int64, int64)",
    _load("v", "%0", 4, "i32", "") + "%k = trunc i64 %1 to i4\n%w = bitcast i4 %k to <4 x i1>\n"
    + "%m = select <4 x i1> %w, <4 x i32> %v, <4 x i32> zeroinitializer\n"
    + "%l = call i32 @llvm.vector.reduce.umax.v4i32(<4 x i32> %m)\n%r = zext i32 %l to i64\nret i64 %r",
)  # fmt: skip
"""(times, wanted): the latest of four u32 times at a host address, of those wanted (a bit each)."""
set_times = Primitive(
    "set_times", "void(int64, int64, int64)",
    "%t = trunc i64 %2 to i32\n" + _splat("x", "%t", 4, "i32") + "%out = inttoptr i64 %0 to ptr\n"
    + "%k = trunc i64 %1 to i4\n%w = bitcast i4 %k to <4 x i1>\n"
    + "call void @llvm.masked.store.v4i32.p0(<4 x i32> %x, ptr %out, i32 4, <4 x i1> %w)\nret void",
)  # fmt: skip
"""(times, which, time): set those of four u32 times."""


def _against(name: str, back: int) -> Primitive:
    """Lanes beside those `back` before them; the first ones beside themselves, which says nothing of them."""
    places = ", ".join(f"i32 {max(k - back, k % back)}" for k in range(32))
    return Primitive(
        name, "uint32(int64, int64)",
        _load("v", "%0", 32) + _splat("s", "%1", 32)
        + f"%b = shufflevector <32 x i64> %v, <32 x i64> poison, <32 x i32> <{places}>\n%x = add <32 x i64> %b, %s\n"
        + "%c = icmp eq <32 x i64> %v, %x\n%m = bitcast <32 x i1> %c to i32\n"
        + f"%r = and i32 %m, {(1 << 32) - (1 << back)}\nret i32 %r",
    )  # fmt: skip


after_last, after_two, after_half = _against("after_last", 1), _against("after_two", 2), _against("after_half", 16)
"""(lanes, step): which lanes have the address of the lane before them (two before them, 16 before them) plus `step`: a
bit each."""

moved = Primitive(
    "moved", "uint32(int64, int64)",
    _load("v", "%0", 32) + _splat("s", "%1", 32) + "%h = lshr <32 x i64> %v, %s\n"
    + "%b = shufflevector <32 x i64> %h, <32 x i64> poison, <32 x i32> <"
    + ", ".join(f"i32 {max(k - 1, 0)}" for k in range(32)) + ">\n"
    + "%c = icmp ne <32 x i64> %h, %b\n%r = bitcast <32 x i1> %c to i32\nret i32 %r",
)  # fmt: skip
"""(lanes, shift): which lanes have another `address >> shift` than the lane before them: a bit each."""


def _extreme(name: str, reduce: str, other: int) -> Primitive:
    return Primitive(
        name, "int64(int64, uint32)",
        _load("v", "%0", 32) + "%c = bitcast i32 %1 to <32 x i1>\n"
        + f"%k = select <32 x i1> %c, <32 x i64> %v, <32 x i64> splat (i64 {other})\n"
        + f"%r = call i64 @llvm.vector.reduce.{reduce}.v32i64(<32 x i64> %k)\nret i64 %r",
    )  # fmt: skip


lowest = _extreme("lowest", "smin", (1 << 63) - 1)
"""(lanes, mask): the least address of the lanes."""
highest = _extreme("highest", "smax", -(1 << 63))
"""(lanes, mask): the greatest address of the lanes."""
any_bits = _extreme("any_bits", "or", 0)
"""(lanes, mask): all addresses of the lanes ORed together."""
lanes_at = Primitive(
    "lanes_at", "uint32(int64, int64, int64)",
    _load("v", "%0", 32) + _splat("s", "%1", 32) + _splat("x", "%2", 32)
    + "%h = lshr <32 x i64> %v, %s\n%c = icmp eq <32 x i64> %h, %x\n%r = bitcast <32 x i1> %c to i32\nret i32 %r",
)  # fmt: skip
"""(lanes, shift, value): which lanes have `address >> shift == value`: a bit each."""
touched = Primitive(
    "touched", "uint32(int64, uint32, int64, int64)",
    _load("v", "%0", 32) + _splat("s", "%2", 32)
    + "%h = lshr <32 x i64> %v, %s\n%n = trunc <32 x i64> %h to <32 x i32>\n%k = and <32 x i32> %n, splat (i32 31)\n"
    + "%w = trunc i64 %3 to i32\n" + _splat("ones", "%w", 32, "i32")
    + "%b = shl <32 x i32> %ones, %k\n%c = bitcast i32 %1 to <32 x i1>\n"
    + "%m = select <32 x i1> %c, <32 x i32> %b, <32 x i32> zeroinitializer\n"
    + "%r = call i32 @llvm.vector.reduce.or.v32i32(<32 x i32> %m)\nret i32 %r",
)  # fmt: skip
"""(lanes, mask, shift, ones): `ones << (address >> shift & 31)` of the lanes of `mask`, ORed together (a bit per bank
of a 32-bank memory)."""


def _copier(name: str, count: int, out: bool) -> Primitive:
    """Memory word w of lane k is element k * count + w; row w holds lane k at w * 32 + k."""
    n = 32 * count
    order = [w * 32 + k for k in range(32) for w in range(count)]
    if not out:
        order = [k * count + w for w in range(count) for k in range(32)]
    places = ", ".join(f"i32 {k}" for k in order)
    value = "%s" if count > 1 else "%v"
    shuffle = f"%s = shufflevector <{n} x i32> %v, <{n} x i32> poison, <{n} x i32> <{places}>\n" if count > 1 else ""
    text = _load("v", "%1", n, "i32") + shuffle + _store("%0", value, n, "i32")
    return Primitive(name, "void(int64, int64)", text)


copy_words = _copier("copy_words", 1, False)
"""(target, source): 32 words."""
rows_from_pairs, rows_from_quads = _copier("rows_from_pairs", 2, False), _copier("rows_from_quads", 4, False)
"""(rows, memory): 32 lanes have 2 or 4 consecutive words each; as many rows of 32 words."""
pairs_from_rows, quads_from_rows = _copier("pairs_from_rows", 2, True), _copier("quads_from_rows", 4, True)
"""(memory, rows): the other way."""
add_all = Primitive(
    "add_all", "void(int64, int64, int64)",
    _load("v", "%1", 32) + _splat("d", "%2", 32) + "%s = add <32 x i64> %v, %d\n" + _store("%0", "%s", 32, "i64"),
)  # fmt: skip
"""(target, source, delta): 32 i64 at `target` = those at `source` plus `delta`."""
copy8 = Primitive("copy8", "void(int64, int64)", _load("v", "%1", 8, "i32") + _store("%0", "%v", 8, "i32"))
"""(target, source): eight words."""
spread8 = Primitive("spread8", "void(int64, uint32)", _splat("v", "%1", 8, "i32") + _store("%0", "%v", 8, "i32"))
"""(row, value): a u32 into eight words of a row."""
spread = Primitive("spread", "void(int64, uint32)", _splat("v", "%1", 32, "i32") + _store("%0", "%v", 32, "i32"))
"""(row, value): a u32 into all 32 words of a row."""
ramp = Primitive(
    "ramp", "void(int64, uint32)",
    _splat("v", "%1", 32, "i32") + "%s = add <32 x i32> %v, <" + ", ".join(f"i32 {k}" for k in range(32)) + ">\n"
    + _store("%0", "%s", 32, "i32"),
)  # fmt: skip
"""(row, value): `value` plus the number of the lane into the 32 words of a row."""
clear_tally = Primitive("clear_tally", "void(int64)", _store("%0", "zeroinitializer", 32, "i8"))
"""(tally): set 32 counters of a byte each, at a host address, to 0."""
count = Primitive(
    "count", "void(int64, uint32)",
    _load("v", "%0", 32, "i8") + "%c = bitcast i32 %1 to <32 x i1>\n%o = zext <32 x i1> %c to <32 x i8>\n"
    + "%s = add <32 x i8> %v, %o\n" + _store("%0", "%s", 32, "i8"),
)  # fmt: skip
"""(tally, marks): add bit b of `marks` (u32) to counter b."""
largest = Primitive(
    "largest", "int64(int64)",
    _load("v", "%0", 32, "i8") + "%m = call i8 @llvm.vector.reduce.umax.v32i8(<32 x i8> %v)\n"
    + "%r = zext i8 %m to i64\nret i64 %r",
)  # fmt: skip
"""(tally): the largest of 32 counters."""
most = Primitive(
    "most", "int64(uint64, uint64)",
    "%a = insertelement <2 x i64> poison, i64 %0, i64 0\n%b = insertelement <2 x i64> %a, i64 %1, i64 1\n"
    + "%v = bitcast <2 x i64> %b to <16 x i8>\n%m = call i8 @llvm.vector.reduce.umax.v16i8(<16 x i8> %v)\n"
    + "%r = zext i8 %m to i64\nret i64 %r",
)  # fmt: skip
"""(first, second): the largest of the 16 counters of a byte each in two numbers."""
