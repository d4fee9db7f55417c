"""Warpgroup multiplies begin for all four warps when the first of them comes to one.

As on an H200 (driver 580.159.04, 2026-11-22): warp w of a group waits a while between WARPGROUP.ARRIVE and a multiply
that begins at zero, and then looks at its accumulators. Those of warps 1 to 3 have been written if warp 0 went first,
and none if it came last."""

from __future__ import annotations

import numpy as np
import pytest

from tests.runtime.device.sm.kit import HEAD, Bench, Line, i

ROUNDS = 200


def look(last: bool, accumulator: str) -> list[Line]:
    """R4: what an accumulator held when the warp came to its multiply; warp 0 comes first, or last."""
    rank = [i("SHF.R.U32.HI R5, RZ, 0x5, R0", 6), *([i("IADD3 R5, -R5, 0x3, RZ", 6)] if last else [])]
    begun = [*rank, i(f"IMAD R5, R5, {ROUNDS:#x}, RZ", 6), i("MOV R24, 0x1234", 6), i("WARPGROUP.ARRIVE", 6)]
    top = 16 * (len(HEAD) + len(begun))
    return [
        *begun,
        i("ISETP.GT.AND P0, PT, R5, RZ, PT", 13, yield_=True),
        i("IADD3 R5, R5, -0x1, RZ", 6),
        i(f"@P0 BRA {top:#x}", 5),
        i("MOV R4, R24", 6),
        i(f"HGMMA.64x64x16.F32 R24, gdesc[UR8], {accumulator}, gsb0", 4),
        i("WARPGROUP.DEPBAR.LE gsb0, 0x0", 6),
    ]


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("accumulator", ["RZ, !UPT", "R24"])
def test_accumulators_that_begin_at_zero_are_written_with_the_first_warp(last: bool, accumulator: str) -> None:
    words, outcome = Bench().words(look(last, accumulator), 128, 128, timing=True, shared=4096)
    assert outcome.fault is None
    kept = np.asarray(words).reshape(4, 32) == 0x1234
    assert kept[0].all()
    assert kept[1:].all() if last or accumulator == "R24" else not kept[1:].any()
