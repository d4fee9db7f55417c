"""Registers that an instruction may name: what an H200 said of 244 cubins, where it ended others as illegal."""

from __future__ import annotations

import pytest

from tests.runtime.device.sm.kit import Bench, i

BENCH = Bench()
TIMING = pytest.mark.parametrize("timing", [True, False])
LAST = {5: 13, 8: 13, 14: 13, 15: 13, 16: 13, 17: 14, 18: 15, 20: 17, 24: 21, 32: 29, 33: 30, 40: 37, 64: 61, 128: 125,
        255: 252}  # fmt: skip
"""The last register of kernels with so many."""


@TIMING
@pytest.mark.parametrize("registers", LAST)
def test_two_less_than_the_kernel_has(registers: int, timing: bool) -> None:
    last = LAST[registers]
    words, outcome = BENCH.words(
        [i(f"MOV R{last}, 0x7", 6), i(f"MOV R4, R{last}", 6)], registers=registers, timing=timing
    )
    assert outcome.fault is None and set(words) == {7}
    for line in (f"MOV R{last + 1}, 0x7", f"MOV R4, R{last + 1}", f"@!PT MOV R{last + 1}, 0x7"):
        _, outcome = BENCH.words([i(line, 6)], registers=registers, timing=timing)
        assert outcome.fault is not None and outcome.fault.kind == "illegal_instruction"
        assert f"R{last + 1}" in outcome.fault.message


@TIMING
@pytest.mark.parametrize(
    ("line", "good"),
    [
        ("IMAD.WIDE R9, R0, 0x4, R2", False),
        ("IMAD.WIDE R8, R0, 0x4, R2", True),
        ("IMAD.WIDE R6, R0, 0x4, R9", False),
        ("@!PT IMAD.WIDE R9, R0, 0x4, R2", False),
        ("LDC.64 R9, c[0x0][0x210]", False),
        ("LDC R9, c[0x0][0x210]", True),
        ("CS2R R9, SR_CLOCKLO", False),
        ("DADD R6, R9, R9", False),
        ("DADD R6, R8, R8", True),
        ("LDS.128 R6, [RZ]", False),
        ("LDS.128 R8, [RZ]", True),
    ],
)
def test_pairs_and_quads_begin_at_their_multiples(line: str, good: bool, timing: bool) -> None:
    _, outcome = BENCH.words([i(line, 15, wbar=0), i("NOP", 15, wait=1)], timing=timing, shared=64)
    assert (outcome.fault is None) == good
    assert good or (outcome.fault is not None and "cannot begin" in outcome.fault.message)
