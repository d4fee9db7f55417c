"""Integer and bit semantics against independent Python models."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.runtime.device.sm.execute.harness import Machine

M32, M64 = 0xFFFFFFFF, (1 << 64) - 1
WORDS = st.lists(
    st.one_of(st.integers(0, M32), st.sampled_from([0, 1, 31, 32, 33, 63, 64, M32, 1 << 31, (1 << 31) - 1])),
    min_size=32,
    max_size=32,
)


def s32(x: int) -> int:
    return x - (1 << 32) if x >> 31 else x


def s64(x: int) -> int:
    return x - (1 << 64) if x >> 63 else x


Model = Callable[[int, int, int, int], int]
"""(R8, R10, R12 value, R13 value) -> R4 (or R5:R4)."""


def funnel(left: bool, high: bool, bits: int, wrap: bool, signed: bool) -> Model:
    def model(a: int, n: int, c: int, _: int) -> int:
        amount = n % bits if wrap else min(n, bits)
        wide = c << 32 | a
        shifted = wide << amount if left else (s64(wide) if signed else wide) >> amount
        return shifted >> 32 & M32 if high else shifted & M32

    return model


def permute(a: int, sel: int, c: int, _: int) -> int:
    pool = (c << 32 | a).to_bytes(8, "little")
    out = 0
    for i in range(4):
        nibble = sel >> 4 * i & 15
        byte = pool[nibble & 7]
        if nibble & 8:
            byte = 0xFF if byte & 0x80 else 0
        out |= byte << 8 * i
    return out


def dot4(signed_a: bool, signed_b: bool) -> Model:
    def part(x: int, i: int, signed: bool) -> int:
        byte = x >> 8 * i & 255
        return byte - 256 if signed and byte >> 7 else byte

    return lambda a, b, c, _: c + sum(part(a, i, signed_a) * part(b, i, signed_b) for i in range(4))


def extend(a: int, n: int, signed: bool) -> int:
    n = min(n, 32)
    low = a & ((1 << n) - 1)
    return low - (1 << n) if signed and n and low >> (n - 1) else low


MODELS: dict[str, tuple[int, Model]] = {
    "IADD3 R4, R8, -R10, R12": (32, lambda a, b, c, _: a - b + c),
    "IMAD R4, R8, R10, -R12": (32, lambda a, b, c, _: a * b - c),
    "IMAD.WIDE R4, R8, R10, R12": (64, lambda a, b, c, d: s32(a) * s32(b) + (d << 32 | c)),
    "IMAD.WIDE.U32 R4, R8, R10, R12": (64, lambda a, b, c, d: a * b + (d << 32 | c)),
    "IMAD.HI R4, R8, R10, R12": (32, lambda a, b, c, d: s32(a) * s32(b) + (d << 32 | c) >> 32),
    "IMAD.HI.U32 R4, R8, R10, R12": (32, lambda a, b, c, d: a * b + (d << 32 | c) >> 32),
    "IMAD.WIDE R4, R8, 0xfffffff8, R12": (64, lambda a, b, c, d: s32(a) * -8 + (d << 32 | c)),
    "LEA R4, R8, R10, 0x3": (32, lambda a, b, c, _: (a << 3) + b),
    "LEA.HI R4, R8, R10, R12, 0x3": (32, lambda a, b, c, _: ((c << 32 | a) << 3 >> 32 & M32) + b),
    "LEA.HI.SX32 R4, R8, R10, 0x1e": (32, lambda a, b, c, _: (s32(a) << 30 >> 32) + b),
    "VIADD R4, R8, -R10": (32, lambda a, b, c, _: a - b),
    "VIADD.16x2 R4, R8, R10": (32, lambda a, b, c, _: (a + b & 0xFFFF) | ((a >> 16) + (b >> 16) & 0xFFFF) << 16),
    "IABS R4, R8": (32, lambda a, b, c, _: abs(s32(a))),
    "VIMNMX R4, R8, R10, PT": (32, lambda a, b, c, _: min(s32(a), s32(b))),
    "VIMNMX.U32 R4, R8, R10, !PT": (32, lambda a, b, c, _: max(a, b)),
    "VIMNMX3 R4, R8, R10, R12, !PT": (32, lambda a, b, c, _: max(s32(a), s32(b), s32(c))),
    "VIADDMNMX R4, R8, R10, R12, PT": (32, lambda a, b, c, _: min(s32(a + b & M32), s32(c))),
    "IDP.4A.S8.U8 R4, R8, R10, R12": (32, dot4(True, False)),
    "IDP.4A.U8.S8 R4, R8, R10, R12": (32, dot4(False, True)),
    "VABSDIFF R4, R8, R10, R12": (32, lambda a, b, c, _: abs(s32(a) - s32(b)) + c),
    "I2I.S8.S32.SAT R4, R8": (32, lambda a, b, c, _: min(max(s32(a), -128), 127)),
    "I2I.U16.S32.SAT R4, R8": (32, lambda a, b, c, _: min(max(s32(a), 0), 65535)),
    "LOP3.LUT R4, R8, R10, R12, 0xe8, !PT": (32, lambda a, b, c, _: a & b | a & c | b & c),
    "LOP3.LUT R4, R8, R10, R12, 0x96, !PT": (32, lambda a, b, c, _: a ^ b ^ c),
    "LOP3.LUT R4, R8, R10, R12, 0xe4, !PT": (32, lambda a, b, c, _: (b & ~c) | (a & c)),
    "SHF.L.U32 R4, R8, R10, RZ": (32, lambda a, b, c, _: a << b if b < 32 else 0),
    "SHF.R.S32.HI R4, RZ, R10, R12": (32, lambda a, b, c, _: s32(c) >> min(b, 32)),
    "SHF.R.U32.HI R4, RZ, R10, R12": (32, lambda a, b, c, _: c >> min(b, 32)),
    "SHF.L.W.U32.HI R4, R8, R10, R12": (32, funnel(True, True, 32, True, False)),
    "SHF.R.W.U32 R4, R8, R10, R12": (32, funnel(False, False, 32, True, False)),
    "SHF.L.U64.HI R4, R8, R10, R12": (32, funnel(True, True, 64, False, False)),
    "SHF.R.U64 R4, R8, R10, R12": (32, funnel(False, False, 64, False, False)),
    "SHF.R.S64 R4, R8, R10, R12": (32, funnel(False, False, 64, False, True)),
    "PRMT R4, R8, R10, R12": (32, permute),
    "POPC R4, R8": (32, lambda a, b, c, _: a.bit_count()),
    "FLO.U32 R4, R8": (32, lambda a, b, c, _: a.bit_length() - 1),
    "FLO R4, R8": (32, lambda a, b, c, _: (a if a < 1 << 31 else ~a & M32).bit_length() - 1),
    "FLO.U32.SH R4, R8": (32, lambda a, b, c, _: 32 - a.bit_length() if a else -1),
    "BREV R4, R8": (32, lambda a, b, c, _: int(format(a, "032b")[::-1], 2)),
    "SGXT R4, R8, R10": (32, lambda a, b, c, _: extend(a, b, True)),
    "SGXT.U32 R4, R8, R10": (32, lambda a, b, c, _: extend(a, b, False)),
    "BMSK R4, R8, R10": (32, lambda a, b, c, _: 0 if a > 31 else ((1 << min(b, 32)) - 1) << a),
}


@pytest.mark.parametrize("text", MODELS)
@settings(max_examples=25, deadline=None)
@given(a=WORDS, b=WORDS, c=WORDS, d=WORDS)
def test_integer_model(text: str, a: list[int], b: list[int], c: list[int], d: list[int]) -> None:
    width, model = MODELS[text]
    machine = Machine()
    for register, values in ((8, a), (10, b), (12, c), (13, d)):
        machine.set(register, values)
    machine.run(text)
    got = machine.get64(4) if width == 64 else machine.get(4)
    assert [int(x) for x in got] == [model(*v) & ((1 << width) - 1) for v in zip(a, b, c, d, strict=True)]


@settings(max_examples=40, deadline=None)
@given(a=WORDS, b=WORDS, c=WORDS, d=WORDS)
def test_64_bit_sequences(a: list[int], b: list[int], c: list[int], d: list[int]) -> None:
    """Add, subtract and compare of 64 bits, as compilers write them."""
    machine = Machine()
    x = np.array(a, dtype=np.uint64) | np.array(b, dtype=np.uint64) << np.uint64(32)
    y = np.array(c, dtype=np.uint64) | np.array(d, dtype=np.uint64) << np.uint64(32)
    machine.set64(8, x)
    machine.set64(10, y)
    machine.run("IADD3 R4, P1, R8, R10, RZ")
    machine.run("IADD3.X R5, R9, R11, RZ, P1, !PT")
    np.testing.assert_array_equal(machine.get64(4), x + y)
    machine.run("IADD3 R4, P1, R8, -R10, RZ")
    machine.run("IADD3.X R5, R9, ~R11, RZ, P1, !PT")
    np.testing.assert_array_equal(machine.get64(4), x - y)
    machine.run("LEA R4, P1, R8, R10, 0x3")
    machine.run("LEA.HI.X R5, R8, R11, R9, 0x3, P1")
    np.testing.assert_array_equal(machine.get64(4), (x << np.uint64(3)) + y)
    for name, want in (("LT", x < y), ("GE", x >= y), ("LE", x <= y), ("GT", x > y), ("EQ", x == y), ("NE", x != y)):
        machine.run(f"ISETP.{name}.U32.AND P1, PT, R8, R10, PT")
        machine.run(f"ISETP.{name}.U32.AND.EX P2, PT, R9, R11, PT, P1")
        assert machine.pred(2) == sum(int(v) << i for i, v in enumerate(want)), name
    machine.run("IMAD.WIDE.U32 R4, P1, R8, R10, RZ")
    machine.run("IMAD.WIDE.U32 R20, R8, R11, RZ")
    want = np.array([p * q for p, q in zip(a, c, strict=True)], dtype=np.uint64)
    np.testing.assert_array_equal(machine.get64(4), want)


@pytest.mark.parametrize("mode", ["IDX", "UP", "DOWN", "BFLY"])
@pytest.mark.parametrize("width", [32, 16, 8, 2])
def test_shuffle(mode: str, width: int) -> None:
    """As __shfl_*_sync define it, with the c operand that the compiler passes for a width."""
    machine = Machine(3)
    values = machine.get(8)
    for argument in (0, 1, 3, 7, 15, 31):
        machine.set(10, argument)
        clamp = (32 - width) << 8 | (0 if mode == "UP" else 31)
        machine.set(12, clamp)
        machine.run(f"SHFL.{mode} P1, R4, R8, R10, R12")
        want, inside = [], 0
        for lane in range(32):
            low = lane // width * width
            source = {
                "IDX": low + argument % width,
                "UP": lane - argument,
                "DOWN": lane + argument,
                "BFLY": lane ^ argument,
            }[mode]
            ok = source >= low if mode == "UP" else source < low + width
            want.append(values[source if ok else lane])
            inside |= int(ok) << lane
        np.testing.assert_array_equal(machine.get(4), want)
        assert machine.pred(1) == inside


def test_votes_matches_and_reductions() -> None:
    machine, mask = Machine(4), 0x00FF0F33
    machine.set(8, np.arange(32) % 3)
    lanes = [i for i in range(32) if mask >> i & 1]
    p3 = machine.pred(3)
    machine.run("VOTE.ANY R4, P1, P3", mask)
    assert {int(machine.get(4)[i]) for i in lanes} == {p3 & mask}
    assert machine.pred(1) & mask == (mask if p3 & mask else 0)
    machine.run("MATCH.ANY R4, R8", mask)
    assert all(int(machine.get(4)[i]) == sum(1 << j for j in lanes if j % 3 == i % 3) for i in lanes)
    machine.set(9, np.arange(32) - 20)
    machine.run("REDUX.MIN.S32 UR4, R9", mask)
    machine.run("REDUX.SUM UR5, R9", mask)
    machine.run("R2UR UR6, R9", mask)
    from runtime.device.sm.execute import abi

    assert machine.state[abi.UR + 4] == (min(lanes) - 20) & M32
    assert machine.state[abi.UR + 5] == sum(i - 20 for i in lanes) & M32
    assert machine.state[abi.UR + 6] == (min(lanes) - 20) & M32
    machine.run("R2UR P1, UR7, R8", mask)
    assert machine.state[abi.UR + 7] == min(lanes) % 3
    assert machine.pred(1) & mask == sum(1 << i for i in lanes if i % 3 != min(lanes) % 3)
    differ = machine.pred(1) & mask
    machine.run("R2UR.OR P1, UR6, R9", mask)  # of a second word: one of both is another
    assert machine.pred(1) & mask == mask & ~(1 << min(lanes))
    machine.run("R2UR P1, UR7, R8", mask)
    machine.set(10, np.full(32, 7))
    machine.run("R2UR.OR P1, UR6, R10", mask)
    assert machine.pred(1) & mask == differ
