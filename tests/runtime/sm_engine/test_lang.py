"""The engine's language: compiled functions compute what Python computes, in 64 bits."""

from __future__ import annotations

import ctypes

import llvmlite.binding as llvm
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.device.sm import jit
from runtime.device.sm import layout as L
from runtime.device.sm.lang import FUNCTIONS, Function, Program, compiled
from runtime.device.sm.raw import address, first, load32, loads64, popcount, store64
from runtime.device.sm.table import SBR, G, addresses
from runtime.device.sm.vector import find16, least16

FIVE = 5
YES, NO = True, False


@compiled(entry=True)
def arithmetic(a: int, b: int, which: int) -> int:
    if which == 0:
        return a + b * 3 - (a ^ b)
    if which == 1:
        return a // b if b else -1
    if which == 2:
        return a % b if b else -1
    if which == 3:
        return a // 8 + a % 16
    if which == 4:
        return (a << (b & 63)) | (a >> (b & 63))
    if which == 5:
        return ~a & -b
    if which == 6:
        return max(a, b) - min(a, b)
    return a % 7 + a // 7


@compiled(entry=True)
def unsigned(a: int, b: int) -> int:
    word = np.uint32(a)
    wide = np.uint64(b)
    total = 0
    if word > np.uint32(b):
        total += 1
    if wide >= np.uint64(a):
        total += 2
    total += np.int64(wide >> np.uint64(60)) * 4
    total += np.int64(~word & np.uint32(255)) * 64
    return total + np.int64(np.uint32(word + np.uint32(b)) >> np.uint32(31)) * 32768


@compiled(entry=True)
def flow(n: int, limit: int) -> int:
    """Loops, breaks, short circuits, values that depend on conditions; a variable that is a truth value at first."""
    found = False
    total = 0
    for k in range(n):
        if k == limit or (k > 3 and not k & 1):
            continue
        for step in (1, 2, FIVE):
            if step == 2 and k % 5 == 0:
                break
            total += step * (k if k < 9 else -k)
        if total > 1000:
            found = 7  # type: ignore[assignment]
            break
    while True:
        total -= 13
        if total < 100:
            break
    for k in range(n, 0):
        total += k
    for k in range(0, limit, 3):
        total += k
    if NO:
        total += not_there  # type: ignore[name-defined]  # noqa: F821
    elif YES:
        total ^= 1
    return total + found


@compiled(entry=True)
def tables(w: int) -> int:
    SBR[w, 3] = SBR[w, 2] = G[0]
    SBR[w, 4] += w
    store64(G[1], np.uint64(SBR[w, 4]))
    a = address(SBR, (w, 0))
    bits = find16(a, G[0])
    return first(np.uint32(bits)) + 16 * popcount(np.uint32(bits)) + 256 * least16(a, -5) + 4096 * load32(G[1])


@compiled(entry=True)
def wrong(a: int) -> int:
    return a < 3 < 4


@pytest.fixture(scope="module", autouse=True)
def built():
    """All functions above, compiled as the machines are."""
    functions: list[Function] = [arithmetic, unsigned, flow, tables]
    jit._target()
    data = jit.optimised(Program(functions).text())
    engine = llvm.create_mcjit_compiler(
        llvm.parse_assembly(""), llvm.Target.from_default_triple().create_target_machine()
    )
    engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(data))
    engine.finalize_object()
    for function in functions:
        kinds = [ctypes.c_int64] * (len(function.parameters) + 1)
        function.call = ctypes.CFUNCTYPE(ctypes.c_int64, *kinds)(engine.get_function_address(function.name))
    yield
    del engine


def wrap(value: int) -> int:
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


NUMBERS = st.one_of(st.integers(-100, 100), st.integers(-(1 << 63) + 1, (1 << 63) - 1))


@given(NUMBERS, NUMBERS, st.integers(0, 7))
def test_integers_are_python_s_in_64_bits(a, b, which):
    assert arithmetic(a, b, which, 0) == wrap(arithmetic.python(a, b, which))


@given(NUMBERS, NUMBERS)
def test_unsigned_kinds(a, b):
    m32, m64 = (1 << 32) - 1, (1 << 64) - 1
    expected = (a & m32 > b & m32) + 2 * (b & m64 >= a & m64) + 4 * ((b & m64) >> 60)
    expected += 64 * (~a & 255) + 32768 * ((a + b & m32) >> 31)
    assert unsigned(a, b, 0) == expected


@given(st.integers(-20, 60), st.integers(-3, 70))
def test_loops_and_conditions(n, limit):
    assert flow(n, limit, 0) == flow.python(n, limit)


@given(st.lists(st.integers(-9, 9), min_size=17, max_size=17), st.integers(0, 2))
def test_tables_and_primitives(numbers, w):
    rows = np.zeros((3, 6 * 17), np.int64)
    rows[w, :17] = numbers
    word = np.zeros(1, np.int64)
    g = np.array([4, word.ctypes.data], np.int64)
    listed = addresses({"G": g, "SBR": rows})
    result = tables(w, listed.ctypes.data)
    row = [*numbers[:2], 4, 4, numbers[4] + w, *numbers[5:16]]
    assert list(rows[w, :16]) == row and word[0] == row[4]
    marks = [k for k, x in enumerate(row) if x == 4]
    low = [max(x, -5) for x in row]
    assert result == marks[0] + 16 * len(marks) + 256 * low.index(min(low)) + 4096 * (row[4] & 0xFFFFFFFF)


def test_what_is_not_in_the_language_is_named():
    with pytest.raises(TypeError, match=r"test_lang.wrong, line \d+: a chain of comparisons"):
        Program([wrong]).text()


def test_every_function_of_the_engine_is_reached_by_a_machine():
    reached = "".join(jit.program(machine) for machine in jit.MACHINES)
    lost = [f.name for f in FUNCTIONS if f'"{f.name}"' not in reached and f.module != "test_lang"]
    assert set(lost) <= {"observe._place", "observe.observe", "observe.remember"}, lost
    assert L.BIG  # the tables' columns are constants of that code
    assert loads64.name in reached
