"""Every form: the LLVM function against the plain-Python reference, over edge-case and random operands."""

from __future__ import annotations

import numpy as np
import pytest

from runtime.device.sm.execute import abi, codegen
from tests.runtime.device.sm.execute import forms
from tests.runtime.device.sm.execute.harness import Machine, bound, expected, staged

F32_EDGES = [
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x807FFFFF, 0x00800000, 0x80800000, 0x00800001,
    0x3F800000, 0xBF800000, 0x3F800001, 0x3F7FFFFF, 0x3F000000, 0x3FC00000, 0x40200000, 0x4B000000, 0x4B000001,
    0x4F000000, 0xCF000000, 0x4F800000, 0x5F000000, 0x5F800000, 0x7E800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000,
    0xFF800000, 0x7FC00000, 0xFFC12345, 0x7F800001, 0xFFFFFFFF,
]  # fmt: skip
F64_EDGES = [
    0, 1 << 63, 1, 0x800FFFFFFFFFFFFF, 0x0010000000000000, 0x8010000000000001, 0x3FF0000000000000,
    0xBFF0000000000000, 0x3FF0000000000001, 0x3FEFFFFFFFFFFFFF, 0x3FE0000000000000, 0x3FF8000000000000,
    0x4330000000000001, 0x41DFFFFFFFC00000, 0x41E0000000000000, 0x41EFFFFFFFE00000, 0x43E0000000000000,
    0xC3E0000000000000, 0x43F0000000000000, 0x47EFFFFFE0000000, 0x47EFFFFFF0000000, 0x36A0000000000000,
    0x3690000000000001, 0x380FFFFFE0000001, 0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF, 0x7FF0000000000000,
    0xFFF0000000000000, 0x7FF8000000000000, 0xFFF8000000012345, 0x7FF0000000000001, 0x40EFFE0000000000,
]  # fmt: skip
F16_EDGES = [
    0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x0400, 0x8401, 0x3C00, 0xBC00, 0x3C01, 0x3BFF, 0x3800, 0x4200, 0x7BFF,
    0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0xFE12, 0x7C01, 0xFFFF, 0x6400, 0x0C00, 0x1400,
]  # fmt: skip


def _fill(kind: str, trial: int, line: str) -> Machine:
    machine = Machine(trial)
    rng = np.random.default_rng(hash_of(line) + trial)
    pairs = np.array(F32_EDGES, dtype=np.uint32)
    if kind == "f32":
        for r in (8, 10, 12):
            if trial == 0:
                machine.set(r, rng.permutation(pairs))
            elif trial == 1:
                machine.set(r, rng.normal(size=32).astype(np.float32).view(np.uint32))
            else:
                machine.set(r, (rng.integers(-3, 4, 32, dtype=np.int64) << 23) + 0x3F800000 + rng.integers(0, 4, 32))
    elif kind == "f64":
        for r in (8, 10, 12):
            if trial == 0:
                machine.set64(r, rng.permutation(np.array(F64_EDGES, dtype=np.uint64)))
            elif trial == 1:
                machine.set64(r, rng.normal(scale=2.0 ** float(rng.integers(0, 70)), size=32).view(np.uint64))
    elif kind == "f16":
        edges = np.array(F16_EDGES, dtype=np.uint32)
        for r in (8, 10, 12):
            if trial == 0:
                machine.set(r, rng.choice(edges, 32) | rng.choice(edges, 32) << 16)
            elif trial == 1:
                bits = rng.normal(size=64).astype(np.float16).view(np.uint16).astype(np.uint32)
                machine.set(r, bits[:32] | bits[32:] << 16)
    elif kind == "int":
        small = np.array([0, 1, 2, 31, 32, 33, 63, 64, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x8000, 0x7FFF, 255, 128, 5])
        for r in (8, 9, 10, 11, 12, 13):
            if trial == 0:
                machine.set(r, rng.choice(small, 32))
            elif trial == 1:
                machine.set(r, rng.integers(0, 70, 32))
        machine.set(14, 77)
    return machine


def hash_of(text: str) -> int:
    """A seed that does not depend on the hash seed."""
    return sum((i + 1) * b for i, b in enumerate(text.encode()))


GROUPS = {
    "int": forms.INTEGER + forms.LOGIC + forms.UNIFORM + forms.CROSS + forms.MEMORY,
    "f32": forms.SINGLE + forms.CONVERT + forms.MUFU,
    "f64": forms.DOUBLE + "\n".join(x for x in forms.lines(forms.CONVERT) if "64" in x) + "\nMUFU.RCP64H R4, R9",
    "f16": forms.HALF + "\n".join(x for x in forms.lines(forms.CONVERT + forms.MUFU) if "F16" in x),
    "random": forms.TENSOR,
}
CASES = [(kind, line) for kind, text in GROUPS.items() for line in forms.lines(text)]


@pytest.mark.parametrize(("kind", "line"), CASES, ids=[f"{k}: {t}" for k, t in CASES])
def test_function_equals_reference(kind: str, line: str) -> None:
    b = bound(line)
    trials = 1 if kind == "random" else 3
    for trial in range(trials):
        machine = _fill(kind, trial, line)
        for mask in (0xFFFFFFFF,) if trial else (0xFFFFFFFF, 0x80F0A55A):
            got, want = staged(b, machine.state, mask), expected(b, machine.state, mask)
            assert got == want, (line, trial, hex(mask))


@pytest.mark.parametrize("without", [("avx512",), ("avx", "fma", "f16c", "bmi", "sse4", "ssse3")], ids=["AVX2", "SSE2"])
def test_an_older_host_computes_the_same(without: tuple[str, ...]) -> None:
    """LLVM goes other ways where the CPU lacks an instruction, some of them wrong in directed rounding."""
    host = codegen.Host(without)
    for kind in ("f32", "f64", "f16"):
        for line in forms.lines(GROUPS[kind]):
            b, machine = bound(line), _fill(kind, 0, line)
            assert staged(b, machine.state, 0xFFFFFFFF, host) == expected(b, machine.state, 0xFFFFFFFF), line


def test_straight_into_registers_merges_by_mask() -> None:
    machine = Machine(5)
    before = machine.get(4)
    p1 = machine.pred(1)
    machine.run("IADD3 R4, P1, R8, R10, R12", mask=0x0000FFFF)
    total = machine.get(8) + machine.get(10) + machine.get(12)
    np.testing.assert_array_equal(machine.get(4)[:16], total[:16])
    np.testing.assert_array_equal(machine.get(4)[16:], before[16:])
    assert machine.pred(1) >> 16 == p1 >> 16


def test_destination_may_overlap_sources() -> None:
    machine = Machine(6)
    a, b, c = machine.get(8).astype(np.uint64), machine.get(9).astype(np.uint64), machine.get64(8)
    machine.run("IMAD.WIDE.U32 R8, R8, R9, R8")
    np.testing.assert_array_equal(machine.get64(8), a * b + c)


def test_writes_to_rz_leave_zero() -> None:
    machine = Machine(7)
    machine.run("IMAD.WIDE R255, R8, R10, R12")
    machine.run("FADD RZ, R8, R10")
    assert not machine.state[abi.RZ_ROW * 32 : abi.DUMP_ROW * 32].any()
