"""Float semantics against numpy and exact rationals; special functions and tensor cores against measured vectors."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.device.sm.execute import reference_float as fp
from tests.runtime.device.sm.execute.harness import Machine

SHARED = Path(__file__).resolve().parents[6] / "shared" / "reference"
DATA = Path(__file__).parent / "data"
BITS32 = st.lists(
    st.one_of(
        st.integers(0, 0xFFFFFFFF),
        st.floats(width=32).map(lambda x: int(np.float32(x).view(np.uint32))),
        st.builds(lambda e, m: e << 23 | m, st.integers(120, 134), st.integers(0, 7)),
    ),
    min_size=32,
    max_size=32,
)
NAN32 = 0x7FFFFFFF


def as32(bits: list[int]) -> np.ndarray:
    return np.array(bits, dtype=np.uint32).view(np.float32)


def canonical(x: np.ndarray) -> np.ndarray:
    """Bits, NaN canonical."""
    return np.where(np.isnan(x), np.uint32(NAN32), x.view(np.uint32))


@settings(max_examples=100, deadline=None)
@given(a=BITS32, b=BITS32)
def test_add_and_multiply(a: list[int], b: list[int]) -> None:
    machine = Machine()
    machine.set(8, a)
    machine.set(10, b)
    with np.errstate(all="ignore"):
        machine.run("FADD R4, R8, R10")
        np.testing.assert_array_equal(machine.get(4), canonical(as32(a) + as32(b)))
        machine.run("FMUL R4, R8, R10")
        np.testing.assert_array_equal(machine.get(4), canonical(as32(a) * as32(b)))
        machine.run("FSETP.LT.AND P1, PT, R8, R10, PT")
        assert machine.pred(1) == sum(int(v) << i for i, v in enumerate(as32(a) < as32(b)))
        machine.run("FSETP.NEU.AND P1, PT, R8, R10, PT")
        assert machine.pred(1) == sum(int(v) << i for i, v in enumerate(as32(a) != as32(b)))


def exact(bits: int) -> Fraction | None:
    x = float(np.uint32(bits).view(np.float32))
    return Fraction(x) if np.isfinite(x) else None


@settings(max_examples=60, deadline=None)
@given(a=BITS32, b=BITS32, c=BITS32)
def test_fma_is_fused_and_directed(a: list[int], b: list[int], c: list[int]) -> None:
    """The rounded result brackets the exact one as its mode says, and is adjacent to it."""
    machine = Machine()
    for register, values in ((8, a), (10, b), (12, c)):
        machine.set(register, values)
    got = {}
    for mode, text in (("RN", ""), ("RM", ".RM"), ("RP", ".RP"), ("RZ", ".RZ")):
        machine.run(f"FFMA{text} R4, R8, R10, R12")
        got[mode] = [int(x) for x in machine.get(4)]
    for i in range(32):
        x, y, z = exact(a[i]), exact(b[i]), exact(c[i])
        if x is None or y is None or z is None:
            continue
        value = x * y + z
        down, up = (exact(got[m][i]) for m in ("RM", "RP"))
        assert down is None or down <= value
        assert up is None or up >= value
        assert got["RN"][i] in (got["RM"][i], got["RP"][i]) or value == 0
        assert got["RZ"][i] == (got["RM"][i] if value > 0 else got["RP"][i]) or value == 0
        if down is not None and up is not None and down != up:
            assert fp.order("f32", got["RP"][i]) - fp.order("f32", got["RM"][i]) == 1
            nearest = exact(got["RN"][i])
            assert nearest is not None
            assert abs(nearest - value) <= min(abs(down - value), abs(up - value))


@settings(max_examples=60, deadline=None)
@given(
    a=st.lists(st.floats(), min_size=32, max_size=32),
    b=st.lists(st.floats(), min_size=32, max_size=32),
)
def test_double_add_and_multiply(a: list[float], b: list[float]) -> None:
    machine = Machine()
    x, y = np.array(a), np.array(b)
    machine.set64(8, x.view(np.uint64))
    machine.set64(10, y.view(np.uint64))
    with np.errstate(all="ignore"):
        for text, want in (("DADD R4, R8, R10", x + y), ("DMUL R4, R8, R10", x * y)):
            machine.run(text)
            got = machine.get64(4).view(np.float64)
            np.testing.assert_array_equal(got, want)
            kept = ~np.isnan(want)
            np.testing.assert_array_equal(got.view(np.uint64)[kept], want.view(np.uint64)[kept])


def test_conversions_between_formats() -> None:
    """Every f16 to f32 and back; f32 to f16 against numpy's rounding."""
    half = np.arange(65536, dtype=np.uint16)
    machine = Machine()
    for at in range(0, 65536, 32):
        machine.set(10, half[at : at + 32].astype(np.uint32))
        machine.run("HADD2.F32 R4, -RZ, R10.H0_H0")
        want = half[at : at + 32].view(np.float16).astype(np.float32)
        np.testing.assert_array_equal(machine.get(4), canonical(want))
        machine.run("F2FP.F16.F32.PACK_AB R5, RZ, R4")
        back = np.where(np.isnan(want), np.uint16(0x7FFF), half[at : at + 32])
        np.testing.assert_array_equal(machine.get(5), back)
    rng = np.random.default_rng(2)
    for _ in range(200):
        x = (rng.normal(size=32) * 2.0 ** rng.integers(-26, 18, 32)).astype(np.float32)
        machine.set(8, x.view(np.uint32))
        machine.run("F2FP.F16.F32.PACK_AB R4, RZ, R8")
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(machine.get(4), x.astype(np.float16).view(np.uint16))


def test_half_fma_rounds_once() -> None:
    rng = np.random.default_rng(3)
    machine = Machine()
    for _ in range(60):
        bits = rng.integers(0, 0x7C00, (3, 32)).astype(np.uint32) | rng.integers(0, 2, (3, 32)).astype(np.uint32) << 15
        for register, values in zip((8, 10, 12), bits, strict=True):
            machine.set(register, values)
        machine.run("HFMA2 R4, R8.H0_H0, R10.H0_H0, R12.H0_H0")
        want = [fp.fma("f16", *(int(v[i]) for v in bits), "RN") for i in range(32)]
        np.testing.assert_array_equal(machine.get(4) & 0xFFFF, want)
        np.testing.assert_array_equal(machine.get(4) >> 16, want)


def test_factors_from_outside_of_a_tensor() -> None:
    """Every half as one factor, the other, and the addend, beside the same without OOB, on an H200: 0x7ff7 and 0xfff7
    as a factor make +0, also beside a NaN; as the addend they are a NaN."""
    machine = Machine()
    machine.set(8, np.resize([0x7FF77FF7, 0xFFF73C00, 0x7FF63C00, 0x3C00FFF7], 32))
    machine.set(10, np.full(32, 0x40007FFF))
    machine.set(12, np.full(32, 0x7FF73C00))
    for first in ("R8, R10", "R10, R8", "-R8, R10"):
        machine.run(f"HFMA2.OOB R4, {first}, R12")
        assert [f"{int(v):08x}" for v in machine.get(4)[:4]] == ["00000000", "00007fff", "7fff7fff", "7fff0000"], first


INT_TYPES = {"": (np.int32, 32), "U32.": (np.uint32, 32)}


@settings(max_examples=60, deadline=None)
@given(a=BITS32)
def test_float_to_integer(a: list[int]) -> None:
    machine = Machine()
    machine.set(8, a)
    for name, low, high in (("", -(1 << 31), (1 << 31) - 1), ("U32.", 0, (1 << 32) - 1)):
        machine.run(f"F2I.{name}TRUNC.NTZ R4, R8")
        want = []
        for bits in a:
            x = float(np.uint32(bits).view(np.float32))
            value = 0 if x != x else low if x < low else high if x > high else int(x)
            want.append(value & 0xFFFFFFFF)
        assert [int(v) for v in machine.get(4)] == want


def test_integer_to_float() -> None:
    rng = np.random.default_rng(4)
    machine = Machine()
    for scale in (1 << 8, 1 << 25, 1 << 31, 1 << 62):
        x = rng.integers(-scale, scale, 32)
        machine.set64(8, x.view(np.uint64))
        machine.run("I2F.S64 R4, R8")
        np.testing.assert_array_equal(machine.get(4).view(np.float32), x.astype(np.float32))
        machine.run("I2F.F64.S64 R4, R8")
        np.testing.assert_array_equal(machine.get64(4).view(np.float64), x.astype(np.float64))
        low = x.astype(np.int32)
        machine.set(8, low.view(np.uint32))
        machine.run("I2FP.F32.S32 R4, R8")
        np.testing.assert_array_equal(machine.get(4).view(np.float32), low.astype(np.float32))
    # NVIDIA's ptxas makes this of cvt.rn.f64.s64 of 5 << 32 and of -1 << 32: an immediate is the upper word.
    for bits in (0x3FF80000, 5, -1):
        machine.run(f"I2F.F64.S64 R4, {bits & 0xFFFFFFFF:#x}")
        np.testing.assert_array_equal(machine.get64(4).view(np.float64), np.full(32, float(bits << 32)))


MUFU = ("rcp", "rsq", "sqrt", "ex2", "lg2", "sin", "cos", "tanh", "rcp64h", "rsq64h")


def mufu_vectors() -> dict[str, np.ndarray]:
    """All measured vectors where they are at hand, else the committed subset."""
    full = SHARED / "mufu" / "vectors.npz"
    with np.load(full if full.exists() else DATA / "mufu_vectors.npz") as z:
        return {k: z[k] for k in z.files}


@pytest.mark.parametrize("name", MUFU)
def test_mufu_equals_the_chip(name: str) -> None:
    """Golden vectors measured on an H200."""
    vectors = mufu_vectors()
    x, y = vectors[f"{name}_x"], vectors[f"{name}_y"]
    assert len(x) >= 256
    machine = Machine()
    for at in range(0, len(x) - len(x) % 32, 32):
        machine.set(8, x[at : at + 32])
        machine.run(f"MUFU.{name.upper()} R4, R8")
        np.testing.assert_array_equal(machine.get(4), y[at : at + 32])


def tensor_vectors() -> dict[str, np.ndarray]:
    full = SHARED / "tensor" / "vectors.npz"
    with np.load(full if full.exists() else DATA / "tensor_vectors.npz") as z:
        return {k: z[k] for k in z.files if k.startswith("mma.")}


def tensor_forms() -> dict[str, str]:
    """Golden model name -> SASS mnemonic; a sparse one's name ends in its selector."""
    return {k: str(v) for k, v in json.loads((DATA / "tensor_forms.json").read_text()).items()}


@pytest.mark.parametrize("name", sorted(tensor_forms()) if (DATA / "tensor_forms.json").exists() else [])
def test_tensor_equals_the_chip(name: str) -> None:
    """Golden tiles measured on an H200."""
    vectors, text = tensor_vectors(), tensor_forms()[name]
    if f"{name}|A" not in vectors:
        pytest.skip("vectors not in the committed subset")
    at = {"A": 8, "B": 24, "C": 48, "D": 40}
    parts = {k: vectors[f"{name}|{k}"].view(np.uint32) for k in "ABCD"}
    machine = Machine()
    for i in range(len(parts["A"])):
        for k in "ABC":
            for r, column in enumerate(parts[k][i].reshape(32, -1).T):
                machine.set(at[k] + r, column)
        operands = "R40, R8, R24, R48"
        if ".SP." in text:
            machine.set(60, vectors[f"{name}|M"][i].ravel())
            operands += f", R60, 0x{name[-1]}"
        machine.run(f"{text} {operands}")
        want = parts["D"][i].reshape(32, -1)
        got = np.stack([machine.get(40 + r) for r in range(want.shape[1])], axis=1)
        np.testing.assert_array_equal(got, want)
