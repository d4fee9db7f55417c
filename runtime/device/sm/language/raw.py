"""Loads and stores at integer addresses, and small helpers, for the compiled parts of the engine.

Addresses are int64 host addresses; nothing is checked here. Values travel as uint32 or int64/uint64. What is loaded and
stored here is never in a table (see `lang.RAW`).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from runtime.device.sm.language.lang import I64, LLVM, RAW, U32, U64, Macro, Primitive, Value

if TYPE_CHECKING:
    from runtime.device.sm.language.emit import Emitter


def _loader(name: str, bits: int, kind: str) -> Primitive:
    width = int(LLVM[kind][1:])
    wider = f"%v = zext i{bits} %w to i{width}" if width > bits else f"%v = bitcast i{bits} %w to i{width}"
    return Primitive(
        name, f"{kind}(int64)",
        f"%p = inttoptr i64 %0 to ptr\n%w = load i{bits}, ptr %p, align 1{RAW}\n{wider}\nret i{width} %v",
    )  # fmt: skip


def _storer(name: str, bits: int, kind: str) -> Primitive:
    width = int(LLVM[kind][1:])
    less = f"%v = trunc i{width} %1 to i{bits}" if width > bits else f"%v = bitcast i{width} %1 to i{bits}"
    return Primitive(
        name, f"void(int64, {kind})",
        f"%p = inttoptr i64 %0 to ptr\n{less}\nstore i{bits} %v, ptr %p, align 1{RAW}\nret void",
    )  # fmt: skip


load8 = _loader("load8", 8, U64)
load16 = _loader("load16", 16, U64)
load32 = _loader("load32", 32, U32)
load64 = _loader("load64", 64, U64)
loads64 = _loader("loads64", 64, I64)
store8 = _storer("store8", 8, U64)
store16 = _storer("store16", 16, U64)
store32 = _storer("store32", 32, U32)
store64 = _storer("store64", 64, U64)

add_f32 = Primitive(
    "add_f32", "uint64(uint64, uint64)",
    "%a = trunc i64 %0 to i32\n%b = trunc i64 %1 to i32\n%x = bitcast i32 %a to float\n%y = bitcast i32 %b to float\n"
    "%s = fadd float %x, %y\n%r = bitcast float %s to i32\n%v = zext i32 %r to i64\nret i64 %v",
)  # fmt: skip
"""The sum of two binary32, as bits."""
add_f64 = Primitive(
    "add_f64", "uint64(uint64, uint64)",
    "%x = bitcast i64 %0 to double\n%y = bitcast i64 %1 to double\n%s = fadd double %x, %y\n"
    "%r = bitcast double %s to i64\nret i64 %r",
)  # fmt: skip
popcount = Primitive(
    "popcount", "int64(uint32)", "%n = call i32 @llvm.ctpop.i32(i32 %0)\n%v = zext i32 %n to i64\nret i64 %v"
)
"""Number of set bits."""
first = Primitive(
    "first", "int64(uint32)", "%n = call i32 @llvm.cttz.i32(i32 %0, i1 false)\n%v = zext i32 %n to i64\nret i64 %v"
)
"""Index of the lowest set bit (32 if none)."""
highest_bit = Primitive(
    "highest_bit", "int64(int64)", "%n = call i64 @llvm.ctlz.i64(i64 %0, i1 true)\n%v = sub i64 63, %n\nret i64 %v"
)
"""Index of the highest set bit of a positive number."""

choose = Primitive(
    "choose", "int64(bool, int64, int64)", "%v = select i1 %0, i64 %1, i64 %2, !unpredictable !2\nret i64 %v"
)
"""(condition, yes, no): one of two numbers without a branch, where the host would guess wrong."""
over = Primitive(
    "over", "int64(int64, int64)",
    "%a = zext i64 %0 to i128\n%b = zext i64 %1 to i128\n%p = mul i128 %a, %b\n%q = lshr i128 %p, 63\n"
    "%v = trunc i128 %q to i64\nret i64 %v",
)  # fmt: skip
"""(x, reciprocal): x over the d of `reciprocal(d)`, rounded down, where 0 <= x and d * x <= 2**63. A fifth of the time
that the host takes to divide."""


def reciprocal(d: int) -> int:
    """What `over` divides by d with: 2**63 / d, rounded up, as an int64 has it."""
    r = -(-(1 << 63) // d)
    return r - (1 << 64) if r >> 63 else r


clear = Primitive(
    "clear", "void(int64, int64)",
    f"%p = inttoptr i64 %0 to ptr\ncall void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %1, i1 false){RAW}\nret void",
)  # fmt: skip
"""(address, size): zero bytes."""

acquire = Primitive(
    "acquire", "int64(int64)", "%p = inttoptr i64 %0 to ptr\n%v = load atomic i64, ptr %p acquire, align 8\nret i64 %v"
)
"""(address): a word that other threads write; what they did before is seen."""
publish = Primitive(
    "publish", "void(int64, int64)",
    "%p = inttoptr i64 %0 to ptr\nstore atomic i64 %1, ptr %p release, align 8\nret void",
)  # fmt: skip
"""(address, value): write such a word."""
claim = Primitive(
    "claim", "int64(int64, int64, int64)",
    "%p = inttoptr i64 %0 to ptr\n%r = cmpxchg ptr %p, i64 %1, i64 %2 acq_rel acquire\n"
    "%s = extractvalue {i64, i1} %r, 1\n%v = zext i1 %s to i64\nret i64 %v",
)  # fmt: skip
"""(address, old, new): write it if it is `old`; whether it was."""
nap = Primitive("nap", "void(int64)", "%f = inttoptr i64 %0 to ptr\n%r = call i32 %f() nounwind\nret void")
"""(address of sched_yield): let another thread run."""


def _address(emitter: Emitter, arguments: Sequence[ast.expr]) -> Value:
    pointer = emitter.element(emitter.table(arguments[0]), arguments[1])
    return Value(emitter.new(f"ptrtoint ptr {pointer} to i64"), I64)


def _row_length(emitter: Emitter, arguments: Sequence[ast.expr]) -> Value:
    return Value(emitter.row_length(emitter.table(arguments[0])), I64)


address = Macro(_address)
"""(table, index): host address of an element."""
row_length = Macro(_row_length)
"""(table): columns, where they are known at run time only."""
