"""Occupancy against figures of NVIDIA's calculator; mix and banks on assembled code."""

from __future__ import annotations

import pytest

from minicc import arch as archs
from minicc import sass
from minicc.analysis import banks, mix, occupancy
from minicc.record import evolve

ARCH = archs.get("sm_90")


@pytest.mark.parametrize(
    ("registers", "shared", "threads", "blocks", "limiter"),
    [
        # 32 registers: 64 warps fit; 256 threads are 8 warps.
        (32, 0, 256, 8, "registers"),
        # 40 registers take 1280 a warp: 51 warps, 48 in groups of four, 6 blocks of 8.
        (40, 0, 256, 6, "registers"),
        (255, 0, 256, 1, "registers"),
        (16, 0, 32, 32, "blocks"),
        (16, 0, 1024, 2, "warps"),
        # 48 KiB + 1 KiB of the system: 228 KiB hold four.
        (32, 49152, 128, 4, "shared"),
        (32, 232448, 128, 1, "shared"),
        (32, 232449, 128, 0, "shared"),
    ],
)
def test_occupancy(registers: int, shared: int, threads: int, blocks: int, limiter: str) -> None:
    found = occupancy(ARCH, registers, shared, threads)
    assert found.blocks == blocks
    assert found.limits[limiter] == blocks
    assert found.fraction == blocks * -(-threads // 32) / 64


def assembled(*lines: tuple[str, int]) -> bytes:
    out = b""
    for n, (text, reuse) in enumerate(lines):
        instr = sass.parse(text)
        control = sass.Control(stall=1, reuse=reuse)

        out += sass.encode(evolve(instr, control=control), ARCH, 16 * n).to_bytes(16, "little")
    return out


def test_mix_counts() -> None:
    code = assembled(("FFMA R0, R1, R2, R3", 0), ("FFMA R4, R1, R2, R3", 0), ("IADD3 R5, R5, R6, RZ", 0), ("EXIT", 0))
    found = mix(code, ARCH)
    assert found.total == 4
    assert found.mnemonics == {"FFMA": 2, "EXIT": 1, "IADD3": 1}
    assert found.pipes["fma"] == 2
    assert found.stall == 4


def test_bank_conflicts() -> None:
    # Three registers of three: always two of one bank, one cycle too many for FFMA; all odd costs two.
    assert banks(assembled(("FFMA R0, R1, R2, R3", 0)), ARCH).extra == 1
    assert banks(assembled(("FFMA R0, R1, R3, R5", 0)), ARCH).extra == 2
    assert banks(assembled(("FFMA R0, R1, R2, R1", 0)), ARCH).extra == 0
    # IADD3 is half rate and does not notice.
    assert banks(assembled(("IADD3 R0, R1, R2, R3", 0)), ARCH).extra == 0
    # R1 comes from the cache the second time.
    code = assembled(("FFMA R0, R1, R2, R4", 1), ("FFMA R6, R1, R3, R8", 0))
    found = banks(code, ARCH)
    assert found.reused == 1
    assert [c.offset for c in found.conflicts] == [0]
