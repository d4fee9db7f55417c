"""Atomics through generic addresses: in which windows each is done, against an H200 (driver 580.159.04, 2026-12-01):
one lane, the word is 5 before (the chip's in shared memory was 0), the operand 5 (compare-and-swap: 9 for 5), the
register -1."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from tests.runtime.device.sm.kit import HEAD, LOCAL_WINDOW, SHARED_WINDOW, Bench, assemble, i

BENCH = Bench()
GONE = 2**64 - 1
"""What the register was: it stays where the atomic is not done."""
WORDS = {"ADD": 10, "MIN.S32": 5, "MAX": 5, "AND": 5, "OR": 5, "XOR": 0, "EXCH": 5, "CAS": 9, "INC": 0, "DEC": 4}
PAIRS = {"ADD.64": 10, "MIN.64": 5, "MAX.S64": 5, "AND.64": 5, "OR.64": 5, "XOR.64": 0, "EXCH.64": 5, "CAS.64": 9}
IN_SHARED = {"ADD.64", "EXCH.64", "CAS.64"}
FLOATS = ("ADD.F32.FTZ.RN", "ADD.F64.RN", "ADD.F16x2.RN")
SEEN = (
    [(op, space, (5, GONE), new) for op, new in WORDS.items() for space in ("global", "shared", "local")]
    + [(op, "global", (5, 0), new) for op, new in PAIRS.items()]
    + [(op, "shared", (5, 0) if op in IN_SHARED else None, PAIRS[op]) for op in PAIRS]
    + [(op, "local", None, 0) for op in PAIRS]
    + [(op, space, None, 0) for op in FLOATS for space in ("shared", "local")]
)


@pytest.mark.parametrize(("op", "space", "old", "new"), SEEN)
def test_atomics_in_windows(op: str, space: str, old: tuple[int, int] | None, new: int) -> None:
    out = BENCH.buffer(np.array([5, 0, 0, 0, 0], np.uint64))
    place = {"global": out, "shared": SHARED_WINDOW + 0x400, "local": LOCAL_WINDOW}[space]
    fill = [i("IMAD.MOV.U32 R8, RZ, RZ, 0x5", 6), i("IMAD.MOV.U32 R9, RZ, RZ, RZ", 6)]
    where = [i(f"IMAD.MOV.U32 R{12 + k}, RZ, RZ, {place >> 32 * k & 0xFFFFFFFF:#x}", 6) for k in range(2)]
    last = [i("IMAD.MOV.U32 R10, RZ, RZ, 0x9", 6), i("IMAD.MOV.U32 R11, RZ, RZ, RZ", 6)]
    before = [i(f"IMAD.MOV.U32 R{r}, RZ, RZ, -0x1", 6) for r in (4, 5)]
    swaps = op.startswith("CAS")
    atom = f"ATOM.E.{op}.STRONG.GPU P1, R4, " + ("[R12], R8, R10" if swaps else "desc[UR4][R12.64], R8")
    lines = [*HEAD, *fill, *where, *last, *before, i("ST.E.64 [R12], R8", 4, rbar=0), i("NOP", 2, wait=1)]
    lines += [i(atom, 4, wbar=0, rbar=1), i("NOP", 2, wait=3), i("LD.E.64 R6, [R12]", 4, wbar=0)]
    lines += [i("SEL R14, RZ, 0x1, !P1", 6), i("NOP", 2, wait=1)]
    lines += [i("STG.E.64 desc[UR4][R2.64+0x8], R4", 4), i("STG.E.64 desc[UR4][R2.64+0x10], R6", 4)]
    lines += [i("STG.E desc[UR4][R2.64+0x18], R14", 4), i("EXIT", 5)]
    BENCH.run(assemble(lines), 1, 1, struct.pack("<Q", out), shared=64)
    register, word, done = (int(v) for v in BENCH.array(out, np.uint64, 4)[1:])
    if old is None:
        assert (register, word, done) == (GONE, 5, 0)
    else:
        low, high = old
        assert (register, word, done) == (low | (high << 32) & GONE, new, 1)
