"""What constants and their caches take, as an H200 does: hand-built SASS, clocks around single instructions."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
import pytest

from runtime.device import cwd
from tests.runtime.device.sm.kit import ARCH, Bench, Line, assemble, i

BENCH = Bench()
BANKS = {3: bytes(65536)}
COLD_L2, COLD_DRAM = ARCH.memory.constant_cold
MISS, MISS_LDC = ARCH.memory.constant_miss
FAR = [place[-1] for place in cwd.neighbours(132, ARCH)]
"""Cycles that lines take longer to each SM than to the first."""


def clocks(body: Sequence[Line], grid: int = 1, block: int = 32, apart: int = 0) -> list[int]:
    """Cycles of `body` in each warp, R0 the number of its CTA and R6 of its warp there; CTA k begins `apart` * k
    cycles after the first."""
    warps = block // 32
    lines = [
        i("CS2R.32 R20, SR_CLOCKLO", 2),
        i("LDC.64 R2, c[0x0][0x210]", 2, wbar=0),
        i("ULDC.64 UR4, c[0x0][0x208]", 2),
        i("S2R R0, SR_CTAID.X", 2, wbar=1),
        i("S2R R6, SR_TID.X", 2, wbar=2),
        i("NOP", 2, wait=7),
        i("SHF.R.U32.HI R6, RZ, 0x5, R6", 6),
        i(f"IMAD R7, R0, {apart:#x}, RZ", 6),
        i("IADD3 R7, R7, 0x640, RZ", 6),
        i("CS2R.32 R8, SR_CLOCKLO", 15, yield_=True),
        i("IADD3 R8, R8, -R20, RZ", 6),
        i("ISETP.LT.U32.AND P0, PT, R8, R7, PT", 13, yield_=True),
        i("@P0 BRA 0x90", 5),
        i("CS2R.32 R20, SR_CLOCKLO", 2),
        *body,
        i("CS2R.32 R21, SR_CLOCKLO", 15, yield_=True),
        i("IADD3 R21, R21, -R20, RZ", 6),
        i(f"IMAD R6, R0, {warps:#x}, R6", 6),
        i("IMAD.WIDE.U32 R2, R6, 0x4, R2", 6),
        i("STG.E desc[UR4][R2.64], R21", 4),
        i("EXIT", 5),
    ]
    out = BENCH.buffer(np.zeros(grid * warps, np.uint32))
    outcome = BENCH.run(assemble(lines), grid, block, struct.pack("<Q", out), banks=BANKS)
    assert outcome.fault is None
    return [int(x) for x in BENCH.array(out, np.uint32, grid * warps)]


def use(offset: int, guard: str = "") -> Line:
    return i(f"{guard}IADD3 R10, R10, c[0x3][{offset:#x}], RZ", 6)


def test_first_use_comes_from_dram_and_the_next_line_of_its_chunk_does_not() -> None:
    """H200: 550 to 730 cycles, by where the memory is; 58 for another line of the same 256 bytes."""
    (first,) = clocks([use(0x1000)])
    (both,) = clocks([use(0x1000), use(0x1040)])
    assert first == 8 + MISS + COLD_L2 + COLD_DRAM
    assert both - first == 6 + MISS


def test_an_sm_finds_what_others_of_its_gpc_asked_for() -> None:
    """H200: the first waits for DRAM, the first of another GPC for L2, the others for neither."""
    took = [t - far for t, far in zip(clocks([use(0x1000)], grid=132, apart=1000), FAR, strict=True)]
    assert took[0] == 8 + MISS + COLD_L2 + COLD_DRAM
    assert sorted(took)[-ARCH.memory.gpcs : -1] == [8 + MISS + COLD_L2] * (ARCH.memory.gpcs - 1)
    assert sorted(took)[: -ARCH.memory.gpcs] == [8 + MISS] * (132 - ARCH.memory.gpcs)


def test_who_asks_for_the_same_meanwhile_has_it_when_the_first_has() -> None:
    took = clocks([use(0x1000)], grid=132)
    assert max(t - far for t, far in zip(took, FAR, strict=True)) == 8 + MISS + COLD_L2 + COLD_DRAM


@pytest.mark.parametrize("guard", ["@!PT ", "@P0 "])
def test_who_is_not_executed_does_not_ask(guard: str) -> None:
    """H200: no cycle for the constant, and it is as cold for the next."""
    never = i("ISETP.LT.U32.AND P0, PT, R0, RZ, PT", 13, yield_=True)
    (nobody,) = clocks([never, use(0x1000, guard)])
    (without,) = clocks([never, i("NOP", 6)])
    (then,) = clocks([never, use(0x1000, guard), use(0x1000)])
    assert nobody == without
    assert then - nobody == 6 + MISS + COLD_L2 + COLD_DRAM


def test_warps_that_displace_one_anothers_lines_go_on() -> None:
    """Eight warps, each two lines that all fall to one set of four."""
    body: list[Line] = []
    for warp in range(8):
        body += [
            i(f"ISETP.EQ.AND P1, PT, R6, {warp:#x}, PT", 13, yield_=True),
            i(f"@P1 IADD3 R10, R10, c[0x3][{0x1000 + 1024 * warp:#x}], RZ", 6),
            i(f"@P1 IADD3 R10, R10, c[0x3][{0x3000 + 1024 * warp:#x}], RZ", 6),
        ]
    took = clocks(body, block=256)
    assert max(took) < 4 * (MISS + COLD_L2 + COLD_DRAM)


@pytest.mark.parametrize("places", [2, 8, 32])
def test_ldc_takes_a_turn_for_each_place_be_it_a_byte_of_one_word(places: int) -> None:
    """H200: chains of 256 loads take 33 cycles each if all lanes name one byte, 44, 111 and 375 if 2, 8 and 32."""

    def chain(step: int) -> int:
        body = [
            i("S2R R9, SR_TID.X", 2, wbar=3),
            i(f"LOP3.LUT R9, R9, {places - 1:#x}, RZ, 0xc0, !PT", 6, wait=8),
            i(f"IMAD R9, R9, {step}, RZ", 6),
            *[i("LDC.U8 R10, c[0x3][R9+0x1000]", 2, wbar=3, wait=8) for _ in range(3)],
            i("IADD3 R10, R10, RZ, RZ", 6, wait=8),
        ]
        return clocks(body)[0]

    assert chain(1) - chain(0) == 3 * 11 * (places - 1)
