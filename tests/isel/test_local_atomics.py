"""Atomic operations on local memory, which one thread has for itself: the old value and what is left behind."""

from __future__ import annotations

import pytest

from tests.isel.run_ptx import compile_ir, run_rows

WORD = 1 << 32
OPERATIONS = {
    "xchg": lambda a, b: b, "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "and": lambda a, b: a & b,
    "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "umax": max, "umin": min,
    "max": lambda a, b: max(a, b, key=lambda x: x - ((x >> 31) << 32)),
    "min": lambda a, b: min(a, b, key=lambda x: x - ((x >> 31) << 32)),
    "uinc_wrap": lambda a, b: a + 1 if a < b else 0, "udec_wrap": lambda a, b: b if a == 0 or a > b else a - 1,
}  # fmt: skip
ROWS = [(0, 0), (0, 5), (5, 5), (7, 5), (3, 9), (0x80000000, 1), (1, 0x80000000), (0xFFFFFFFF, 3)]
HEAD = """target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @kernel(ptr %in, ptr %out) {
 %m = alloca [4 x i32]
 %a = load i32, ptr %in
 %p = getelementptr i64, ptr %in, i64 1
 %b = load i32, ptr %p
 %i = and i32 %b, 3
 %c = getelementptr i32, ptr %m, i32 %i
 store i32 %a, ptr %c
"""
TAIL = """
 %n = load i32, ptr %c
 %x = zext i32 %old to i64
 %y = zext i32 %n to i64
 store i64 %x, ptr %out
 %q = getelementptr i64, ptr %out, i64 1
 store i64 %y, ptr %q
 ret void
}
"""


@pytest.mark.parametrize("name", OPERATIONS)
def test_read_modify_write(name: str) -> None:
    module = compile_ir(f"{HEAD} %old = atomicrmw {name} ptr %c, i32 %b seq_cst{TAIL}")
    want = [[a, OPERATIONS[name](a, b) % WORD] for a, b in ROWS]
    assert run_rows(module, [list(row) for row in ROWS], 2) == want


def test_compare_and_swap() -> None:
    swap = " %s = cmpxchg ptr %c, i32 %b, i32 77 monotonic monotonic\n %old = extractvalue {i32, i1} %s, 0"
    module = compile_ir(HEAD + swap + TAIL)
    assert run_rows(module, [list(row) for row in ROWS], 2) == [[a, 77 if a == b else a] for a, b in ROWS]
