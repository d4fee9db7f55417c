"""The engine's language: compiled functions compute what Python computes, in 64 bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.device.sm.language import jit
from runtime.device.sm.language.lang import FUNCTIONS, Program, compiled
from runtime.device.sm.language.lang import seldom as hint
from runtime.device.sm.language.raw import address, choose, load32, loads64, over, reciprocal, store64
from runtime.device.sm.language.vector import find8, find16, latest, least16, set_times
from runtime.device.sm.tables import layout as L
from runtime.device.sm.tables.table import L2, SBR, G, addresses
from tests.runtime.device.sm.kit import loaded

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
def guessed(a: int, b: int) -> int:
    """Conditions with a hint, alone, in a chain and negated; a choice without a branch."""
    total = choose((a > b) & (a > 0), a, b)
    if hint(a > b):
        total += 1
    elif hint(a == 3) or not hint(b):
        total += 2
    while hint(total > 1000) and total & 1 == 0:
        total >>= 1
    return total


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
    return load32(G[1])


@compiled(entry=True)
def narrow(at: int, floor: int) -> int:
    L2[0, at] -= 1
    L2[1, 2] = -2
    a = address(L2, (0, 0))
    bits = find16(a, L2[0, at], floor)
    set_times(address(L2, (1, 4)), 6, L2[1, 2])
    return bits + (least16(a + 64, floor) << 16) + (find8(a, L2[0, at]) << 20) + (latest(a, 11) << 28)


@compiled(entry=True)
def quotient(a: int, b: int) -> int:
    return over(a, b)


@compiled(entry=True)
def wrong(a: int) -> int:
    return a < 3 < 4


def mixed(a: int, b: int) -> int:
    for k in range(9):
        c = a
        a = b
        b = (c * 31 + k) % 1009
    return a - b


seldom = compiled(rare=True)(mixed)


@compiled(entry=True)
def aside(a: int, b: int) -> int:
    """Much is alive where `seldom` is called."""
    c = a + b
    d = a - b
    e = a * 3
    f = b * 5
    g = a ^ b
    h = a & b
    for k in range(20):
        if (c + k) % 7 == 3:
            h += seldom(c, k)
        c += d & 63
        d += e ^ k
        e = (e + f) & 1023
        f = (f + g) & 511
        g = (g + h) & 255
    return c + 2 * d + 3 * e + 5 * f + 7 * g + 11 * h


@pytest.fixture(scope="module", autouse=True)
def built():
    """All functions above, compiled as the machines are."""
    with loaded([arithmetic, unsigned, guessed, flow, tables, narrow, quotient, aside]):
        yield


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


@given(st.integers(-5, 5000), st.integers(-5, 5000))
def test_hints_change_nothing(a, b):
    total = a if a > b and a > 0 else b
    total += 1 if a > b else 2 if a == 3 or not b else 0
    while total > 1000 and total & 1 == 0:
        total >>= 1
    assert guessed(a, b, 0) == total


@given(st.integers(-20, 60), st.integers(-3, 70))
def test_loops_and_conditions(n, limit):
    assert flow(n, limit, 0) == flow.python(n, limit)


@pytest.mark.parametrize("a", range(-3, 40, 5))
def test_a_rare_function_leaves_what_is_alive_alone(monkeypatch, a):
    found = [aside(a, b, 0) for b in range(50)]
    monkeypatch.setitem(globals(), "seldom", mixed)
    assert found == [aside.python(a, b) for b in range(50)]


@given(st.lists(st.integers(-9, 9), min_size=17, max_size=17), st.integers(0, 2))
def test_tables_and_primitives(numbers, w):
    rows = np.zeros((3, *SBR.rows), np.int64)
    rows[w, :17] = numbers
    word = np.zeros(1, np.int64)
    g = np.array([4, word.ctypes.data], np.int64)
    listed = addresses({"G": g, "SBR": rows})
    result = tables(w, listed.ctypes.data)
    row = [*numbers[:2], 4, 4, numbers[4] + w, *numbers[5:16]]
    assert list(rows[w, :16]) == row and word[0] == row[4]
    assert result == row[4] & 0xFFFFFFFF


@given(st.integers(1, 1 << 14) | st.sampled_from([1 << k for k in range(20)]), st.data())
def test_quotients_by_a_reciprocal(d, data):
    most = min((1 << 63) // d, (1 << 63) - 1)
    whole = data.draw(st.integers(0, most // d))
    for a in (whole * d, min(whole * d + d - 1, most), max(whole * d - 1, 0)):
        assert quotient(a, reciprocal(d), 0) == a // d


SMALL = st.integers(0, 5) | st.integers((1 << 32) - 3, (1 << 32) - 1)


@given(st.lists(SMALL, min_size=32, max_size=32), st.integers(0, 15), SMALL)
def test_tables_of_32_bits(numbers, at, floor):
    table = np.array([numbers, range(32)], np.uint32)
    result = narrow(at, floor, addresses({"L2": table}).ctypes.data)
    numbers[at] = numbers[at] - 1 & 0xFFFFFFFF
    tags, uses = numbers[:16], numbers[16:]
    assert table[0].tolist() == numbers
    assert table[1].tolist() == [0, 1, (1 << 32) - 2, 3, 4, (1 << 32) - 2, (1 << 32) - 2, *range(7, 32)]
    found = sum(1 << k for k in range(16) if tags[k] == tags[at] and uses[k] >= floor)
    counted = [max(x, floor) for x in uses]
    same = sum(1 << k for k in range(8) if numbers[k] == numbers[at])
    late = max(numbers[k] for k in (0, 1, 3))
    assert result == found + (counted.index(min(counted)) << 16) + (same << 20) + (late << 28)


def test_what_is_not_in_the_language_is_named():
    with pytest.raises(TypeError, match=r"test_lang.wrong, line \d+: a chain of comparisons"):
        Program([wrong]).text()


def test_every_function_of_the_engine_is_reached_by_a_machine():
    reached = "".join(jit.program(machine) for machine in jit.MACHINES)
    lost = [f.name for f in FUNCTIONS if f'"{f.name}"' not in reached and not f.module.startswith("test_")]
    assert set(lost) <= {"observe._place", "observe.observe", "observe.remember"}, lost
    assert L.BIG  # the tables' columns are constants of that code
    assert loads64.name in reached
