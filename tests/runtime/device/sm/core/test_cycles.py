"""Hand-written instruction streams take the cycles that an H200 takes.

Expected values: hand-built SASS on an H200 (driver 580.159.04, 1980 MHz, 2026-11-20) and micro-benchmarks of the same
machine: slope between N and 3 N copies, second pass of a loop, clock read before and after.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.runtime.device.sm.kit import HEAD, Bench, Line, i

BENCH = Bench()
SHARED = [i("MOV R6, 0x400", 15, yield_=True)]


def cycles_per_copy(
    body: Sequence[Line], setup: Sequence[Line] = (), last: Sequence[Line] = (), warps: int = 1, n: int = 16
) -> float:
    """Cycles that one more copy of `body` costs (the slowest warp's)."""
    times = []
    for copies in (n, 3 * n):
        lines = [*setup, i("MOV R22, 0x2", 15, yield_=True), i("NOP", 15, yield_=True)]
        start = 16 * (len(HEAD) + len(lines))
        lines += [i("CS2R.32 R20, SR_CLOCKLO", 4), *list(body) * copies, *last, i("CS2R.32 R21, SR_CLOCKLO", 8)]
        lines += [
            i("IADD3 R22, R22, -0x1, RZ", 8),
            i("ISETP.NE.AND P0, PT, R22, RZ, PT", 13, yield_=True),
            i(f"@P0 BRA {start:#x}", 5),
            i("IADD3 R4, R21, -R20, RZ", 8),
        ]
        words, outcome = BENCH.words(lines, count=1024, block=32 * warps, shared=8192)
        assert outcome.fault is None
        times.append(int(words[: 32 * warps].max()))
    return (times[1] - times[0]) / (2 * n)


@pytest.mark.parametrize(
    ("text", "stall", "expected"),
    [
        ("NOP", 1, 1),
        ("IADD3 R5, R5, 0x1, RZ", 4, 4),
        ("FFMA R5, R5, R6, R7", 4, 4),
        ("IADD3 R5, R6, 0x1, RZ", 1, 2),
        ("LOP3.LUT R5, R6, R7, RZ, 0x3c, !PT", 1, 2),
        ("IMAD R5, R8, R9, R9", 1, 2),
        ("IMAD.WIDE R6, R8, R9, R10", 1, 4),
        ("FFMA R5, R8, R9, R9", 1, 1),
        ("FFMA R5, R6, R8, R9", 1, 2),
        ("FFMA R5, R6, R8, R10", 1, 3),
        ("HFMA2 R5, R8, R9, R9", 1, 2),
        ("DFMA R6, R8, R8, R8", 1, 2),
        ("DADD R6, R6, R8", 8, 8),
        ("HMMA.16816.F32 R8, R4, R6, R8", 11, 11),
        ("HMMA.16816.F32 R12, R4, R6, R8", 1, 6),
    ],
)
def test_issue_intervals(text: str, stall: int, expected: float) -> None:
    assert cycles_per_copy([i(text, stall)]) == expected


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("FFMA R5, R8, R9, R9", "IMAD R6, R8, R9, R9"), 2),
        (("FFMA R5, R8, R9, R9", "IADD3 R6, R8, R9, R9"), 2),
        (("IMAD R5, R8, R9, R9", "IADD3 R6, R8, R9, R9"), 2),
        (("FFMA R5, R8, R9, R9", "HFMA2 R6, R8, R9, R9"), 4),
        (("HFMA2 R5, R8, R9, R9", "IADD3 R6, R8, R9, R9"), 2),
        # The uniform datapath takes one in two cycles, but for moves; R2UR is of the ALU's pipe.
        (("UIADD3 UR8, UR10, UR11, URZ", "UIADD3 UR9, UR10, UR11, URZ"), 4),
        (("UIADD3 UR8, UR10, UR11, URZ", "UMOV UR9, 0x5"), 2),
        (("UIADD3 UR8, UR10, UR11, URZ", "VOTEU.ANY UR9, UPT, PT"), 2),
        (("UIADD3 UR8, UR10, UR11, URZ", "R2UR UR9, R8"), 2),
        (("UMOV UR9, 0x5", "UMOV UR8, 0x5"), 2),
        (("R2UR UR8, R8", "IADD3 R6, R8, R9, R9"), 4),
    ],
)
def test_pipes_side_by_side(texts: tuple[str, ...], expected: float) -> None:
    assert cycles_per_copy([i(t) for t in texts]) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MUFU.EX2 R5, R5", 17),
        ("POPC R5, R5", 17),
        ("SHFL.BFLY PT, R5, R5, 0x1, 0x1f", 24),
        ("S2R R5, SR_TID.X", 23),
        ("LDC R5, c[0x0][0x210]", 25),
        ("LDS R5, [R6]", 23),
        ("LDG.E R5, desc[UR4][R2.64]", 31),
    ],
)
def test_write_barrier_latency(text: str, expected: float) -> None:
    assert cycles_per_copy([i(text, 2, wbar=0, wait=1)], SHARED) == expected


def test_slices_are_near_and_far() -> None:
    """A hit in L2 takes 280 cycles in the mean, by slice."""
    texts = [f"LDG.E.STRONG.GPU R5, desc[UR4][R2.64+{128 * k:#x}]" for k in range(24)]
    took = [cycles_per_copy([i(text, 2, wbar=0, wait=1)], SHARED) for text in texts]
    assert abs(sum(took) / len(took) - 280) < 20
    assert 20 < max(took) - min(took) <= 60


@pytest.mark.parametrize(("warps", "expected"), [(4, 10), (16, 14)])
def test_branches_that_a_sub_core_takes_meet(warps: int, expected: float) -> None:
    """One warp a sub-core, and four: 10.0 and 14.1 cycles for each branch of a chain (H200)."""
    times = []
    for copies in (16, 48):
        lines = [i("MOV R22, 0x2", 15, yield_=True), i("CS2R.32 R20, SR_CLOCKLO", 4)]
        start = 16 * (len(HEAD) + 1)
        for k in range(copies):
            lines += [i(f"BRA {start + 16 * (2 * k + 3):#x}", 5), i("NOP")]
        lines += [
            i("CS2R.32 R21, SR_CLOCKLO", 8),
            i("IADD3 R22, R22, -0x1, RZ", 8),
            i("ISETP.NE.AND P0, PT, R22, RZ, PT", 13, yield_=True),
            i(f"@P0 BRA {start:#x}", 5),
            i("IADD3 R4, R21, -R20, RZ", 8),
        ]
        words, _ = BENCH.words(lines, count=1024, block=32 * warps)
        times.append(int(words[: 32 * warps].max()))
    assert (times[1] - times[0]) / 32 == pytest.approx(expected, abs=0.6)


def test_asynchronous_copies() -> None:
    """A group of nothing takes 39 cycles (H200: 41), each lane that reads a word that another one reads two more."""
    group = [i("LDGDEPBAR", 2, wbar=0), i("DEPBAR.LE SB0, 0x0", 2)]
    assert cycles_per_copy(group, SHARED) == 39
    assert cycles_per_copy([i("LDGSTS.E [R6], desc[UR4][R2.64]", 2), *group], SHARED) == 39 + 2 * 31


@pytest.mark.parametrize(
    ("text", "control", "expected"),
    [
        ("MUFU.EX2 R5, R6", {"wbar": 0}, 8),
        ("LDS R5, [R6]", {"wbar": 0}, 2),
        ("LDG.E R5, desc[UR4][R2.64]", {"wbar": 0}, 4),
        ("STS [R6], R5", {"rbar": 0}, 4),
        ("STG.E desc[UR4][R2.64], R5", {"rbar": 0}, 6),
        ("SHFL.BFLY PT, R5, R6, 0x1, 0x1f", {"wbar": 0}, 2),
    ],
)
def test_accept_intervals(text: str, control: dict[str, int], expected: float) -> None:
    assert cycles_per_copy([i(text, 1, **control)], SHARED, [i("NOP", 1, wait=1)], n=32) == expected


@pytest.mark.parametrize("stride", [1, 2, 4, 8, 16, 32])
def test_bank_conflicts(stride: int) -> None:
    """H200: LDS 22.93 .. 84.93, ATOMS.ADD 25.98 .. 87.98, ATOMS.CAS 29.98 .. 153.98 for strides of 1 .. 32 words."""
    setup = [
        i(f"IMAD R6, R0, {4 * stride:#x}, RZ", 15, yield_=True),
        i("IADD3 R6, R6, 0x400, RZ", 15, yield_=True),
    ]
    extra = stride - 1
    for text, expected in (
        ("LDS R5, [R6]", 23 + 2 * extra),
        ("ATOMS.ADD R5, [R6], RZ", 26 + 2 * extra),
        ("ATOMS.CAS R5, [R6], RZ, RZ", 30 + 4 * extra),
    ):
        assert cycles_per_copy([i(text, 2, wbar=0, wait=1)], setup) == expected


@pytest.mark.parametrize(("width", "bytes_", "expected"), [(32, 4, 23), (64, 8, 26), (128, 16, 32)])
def test_wide_loads_of_shared_memory(width: int, bytes_: int, expected: float) -> None:
    """H200: two cycles more for each pass over the banks; one sub-core's passes take it two cycles each."""
    setup = [
        i(f"IMAD R6, R0, {bytes_:#x}, RZ", 15, yield_=True),
        i("IADD3 R6, R6, 0x400, RZ", 15, yield_=True),
    ]
    text = f"LDS.{width} R8, [R6]".replace(".32", "")
    passes = bytes_ // 4
    assert cycles_per_copy([i(text, 2, wbar=0, wait=1)], setup) == expected
    assert cycles_per_copy([i(text, 1, wbar=0)], setup, [i("NOP", 1, wait=1)], n=32) == 2 * passes


@pytest.mark.parametrize(
    "text",
    [
        "LDG.E R8, desc[UR4][R2.64]",
        "LDG.E.128 R8, desc[UR4][R2.64]",
        "LDS.64 R8, [R6]",
        "ATOMS.ADD R8, [R6], R5",
    ],
)
def test_loads_of_no_lane(text: str) -> None:
    """H200: their result is there after 22 cycles, their operands are read after 8."""
    assert cycles_per_copy([i("@!PT " + text, 2, wbar=0, wait=1)], SHARED) == 22
    assert cycles_per_copy([i("@!PT " + text, 2, rbar=0, wbar=1, wait=1)], SHARED) == 8


@pytest.mark.parametrize("text", ["STG.E.128 desc[UR4][R2.64], R8", "STS.64 [R6], R8", "STS [R6], R8"])
def test_stores_of_no_lane(text: str) -> None:
    assert cycles_per_copy([i("@!PT " + text, 2, rbar=0, wait=1)], SHARED) == 8


def test_operands_of_loads_are_read_before_the_banks_are_free() -> None:
    """H200: of 16 warps that load 32 words of one bank, each may write to its address register 10 to 16
    cycles later."""
    setup = [
        i("IMAD R6, R0, 0x80, RZ", 15, yield_=True),
        i("LOP3.LUT R6, R6, 0xf80, RZ, 0xc0, !PT", 15, yield_=True),
        i("IADD3 R6, R6, 0x400, RZ", 15, yield_=True),
        i("BAR.SYNC.DEFER_BLOCKING 0x0", 6),
    ]
    lines = [
        *setup,
        i("CS2R.32 R20, SR_CLOCKLO", 4),
        i("LDS R5, [R6]", 2, rbar=0, wbar=1),
        i("CS2R.32 R21, SR_CLOCKLO", 8, wait=1),
        i("IADD3 R4, R21, -R20, RZ", 8),
    ]
    words, outcome = BENCH.words(lines, count=512, block=512, shared=8192)
    assert outcome.fault is None
    assert int(words.max()) < 24


def test_one_word_for_all_lanes() -> None:
    assert cycles_per_copy([i("LDS R5, [R6]", 2, wbar=0, wait=1)], SHARED) == 23
    assert cycles_per_copy([i("ATOMS.ADD R5, [R6], RZ", 2, wbar=0, wait=1)], SHARED) == 88


@pytest.mark.parametrize("warps", [1, 2, 4, 8, 16, 32])
def test_cta_barrier(warps: int) -> None:
    """H200: 13.98, 15.98, 19.98, 27.98, 44, 75.98 cycles."""
    assert cycles_per_copy([i("BAR.SYNC.DEFER_BLOCKING 0x0", 6)], warps=warps) == 12 + 2 * warps


@pytest.mark.parametrize(
    ("stall", "yields", "expected"),
    [(0, True, 33), (1, True, 2), (2, True, 2), (6, True, 6), (15, True, 15), (1, False, 1)],
)
def test_stall_counts(stall: int, yields: bool, expected: int) -> None:
    assert cycles_per_copy([i("NOP", stall, yield_=yields)]) == expected


def test_reuse_cache_saves_a_port() -> None:
    pair = [i("FFMA R5, R6, R8, R10", 1, reuse=1), i("FFMA R7, R6, R12, R14", 1, reuse=1)]
    assert cycles_per_copy(pair) == 4
    plain = [i("FFMA R5, R6, R8, R10", 1), i("FFMA R7, R6, R12, R14", 1)]
    assert cycles_per_copy(plain) == 6


EVENS, ODDS = "FFMA R40, R6, R8, R9", "FFMA R41, R7, R9, R10"
THREE, ONE, EVEN = "FFMA R42, R6, R8, R10", "FFMA R43, R9, R9, R9", "FFMA R44, R8, R8, R8"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([EVENS, ONE], 2),
        ([EVENS, EVENS, ONE, ONE], 5),
        ([EVENS] * 4 + [ONE] * 4, 11),
        ([EVENS, EVEN], 3),
        ([EVENS, EVEN, EVEN], 4),
        ([EVENS, ODDS], 3),
        ([EVENS] * 4 + [ODDS] * 4, 14),
        ([THREE, ONE], 3),
        ([THREE, THREE] + [ONE] * 4, 8),
    ],
)
def test_register_ports(texts: list[str], expected: float) -> None:
    """H200: two registers of one bank, of the other, three, one; alone and with two warps a sub-core, of which the one
    that waits for its registers keeps the other from being dispatched."""
    assert cycles_per_copy([i(text) for text in texts]) == expected
    # In code that L0 holds: else one of the warps of a sub-core begins while the other still waits for lines.
    assert cycles_per_copy([i(text) for text in texts], warps=8, n=8) == expected


def test_first_pass_of_straight_code_waits_for_instructions() -> None:
    """2.2 cycles an instruction on the first pass (H200), one after."""
    lines = [i("CS2R.32 R20, SR_CLOCKLO", 4), *[i("NOP")] * 400, i("CS2R.32 R21, SR_CLOCKLO", 8)]
    words, _ = BENCH.words([*lines, i("IADD3 R4, R21, -R20, RZ", 8)])
    assert 2.0 <= words[0] / 400 <= 2.4


@pytest.mark.parametrize(("guard", "expected"), [("", (65, 65)), ("@!P6 ", (97, 51))])
def test_branches_over_code_that_never_ran(guard: str, expected: tuple[int, int]) -> None:
    """H200, 28 branches one after the other, over 1 or 1.5 KB each: cycles of one, the first time and the second. What
    all lanes branch to is asked for when the branch comes, so that nothing but it in its line waits; the line of a
    guarded one is done first, here 36 cycles, and brings two lines to L0 that push out others."""
    for bytes_ in (1024, 1536):
        lines = [i("ISETP.NE.AND P6, PT, RZ, RZ, PT", 15, yield_=True), i("MOV R22, 0x2", 15, yield_=True)]
        lines += [i("NOP")] * (-(len(HEAD) + len(lines) + 1) % 8)
        start = 16 * (len(HEAD) + len(lines))
        lines += [i("CS2R.32 R20, SR_CLOCKLO", 4)]
        for _ in range(28):
            target = 16 * (len(HEAD) + len(lines)) + bytes_
            work = [i("NOP", 5)] * 6 if guard else []
            lines += [*work, i(f"{guard}BRA {target:#x}", 5), *[i("NOP")] * (bytes_ // 16 - 1 - len(work))]
        lines += [i("CS2R.32 R21, SR_CLOCKLO", 8), i("IADD3 R22, R22, -0x1, RZ", 8)]
        lines += [i("ISETP.NE.AND P0, PT, R22, RZ, PT", 13, yield_=True), i("@P0 IADD3 R5, R21, -R20, RZ", 8)]
        lines += [i(f"@P0 BRA {start:#x}", 5), i("IADD3 R4, R21, -R20, RZ", 8), i("IMAD R4, R5, 0x10000, R4", 8)]
        words, _ = BENCH.words(lines)
        first, again = int(words[0]) >> 16, int(words[0]) & 0xFFFF
        assert first / 28 == pytest.approx(expected[0], rel=0.12)
        if guard:
            assert again / 28 == pytest.approx(expected[1], rel=0.08)


def turns_of_a_loop(loop: Sequence[Line], end: str, lanes: int) -> int:
    """Cycles in which so many lanes have all left a loop (its last instruction branches on P1 to its second, or to its
    first where that reads shared memory again) at one word of shared memory."""
    lines = [
        i("MOV R8, 0x400", 15, yield_=True),
        i("STS [R8], RZ", 15, yield_=True),
        i(f"ISETP.GE.AND P0, PT, R0, {lanes:#x}, PT", 15, yield_=True),
    ]
    for _ in range(2):
        at = 16 * (len(HEAD) + len(lines))
        over = at + 16 * (len(loop) + 3)
        first, *rest = loop
        again = at + 16 * (3 if end == "BSYNC B0" else 4)
        lines += [i("CS2R.32 R20, SR_CLOCKLO", 11), i(f"BSSY B0, {over + 16:#x}", 4), i(f"@P0 BRA {over:#x}", 5)]
        lines += [first, *rest[:-1], i(rest[-1][0].format(again), 5)]
        lines += [i(end, 5), i("CS2R.32 R21, SR_CLOCKLO", 11)]
    words, outcome = BENCH.words([*lines, i("IADD3 R4, R21, -R20, RZ", 8)], shared=8192)
    assert outcome.fault is None
    return int(words[0])


CAST_LOOP = [
    i("LDS R12, [R8]", 2, wbar=1),
    i("FADD R13, R12, 1", 6, wait=2, yield_=True),
    i("ATOMS.CAST.SPIN R13, [R8], R12, R13", 2, wbar=1),
    i("ISETP.EQ.U32.AND P1, PT, R13, 0x1, PT", 13, wait=2, yield_=True),
    i("@!P1 BRA {:#x}", 5),
]
CAS_LOOP = [
    i("LDS R12, [R8]", 2, wbar=2, rbar=1),
    i("VIADD R13, R12, 0x1", 1, wait=4),
    i("YIELD", 5),
    i("ATOMS.CAS R13, [R8], R12, R13", 2, wbar=2),
    i("ISETP.NE.AND P1, PT, R13, R12, PT", 1, wait=4),
    i("IMAD.MOV.U32 R12, RZ, RZ, R13", 12, yield_=True),
    i("@P1 BRA {:#x}", 5),
]


@pytest.mark.parametrize(("few", "many", "expected"), [(2, 4, 95), (4, 16, 95), (16, 32, 91.7)])
def test_a_loop_of_cast_takes_as_long_for_each_lane(few: int, many: int, expected: float) -> None:
    """H200: cycles for each lane that adds to one word, however many others try it with it."""
    took = turns_of_a_loop(CAST_LOOP, "BSYNC B0", many) - turns_of_a_loop(CAST_LOOP, "BSYNC B0", few)
    assert took / (many - few) == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize(("few", "many", "expected"), [(2, 4, 179), (4, 8, 191), (8, 16, 215), (16, 32, 261.9)])
def test_lanes_at_warpsync_look_when_others_yield(few: int, many: int, expected: float) -> None:
    """H200: cycles for each lane in a loop of compare-and-swap that yields, while those that are done wait."""
    took = turns_of_a_loop(CAS_LOOP, "WARPSYNC.ALL", many) - turns_of_a_loop(CAS_LOOP, "WARPSYNC.ALL", few)
    assert took / (many - few) == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("values", [1, 2, 8, 32])
def test_match_takes_one_value_after_the_other(values: int) -> None:
    """H200: 11 cycles more for each other value among the lanes."""
    setup = [i(f"LOP3.LUT R6, R0, {values - 1:#x}, RZ, 0xc0, !PT", 15, yield_=True)]
    body = [i("MATCH.ANY R5, R6", 2, wbar=0), i("NOP", 1, wait=1)]
    one = cycles_per_copy(body, [i("MOV R6, RZ", 15, yield_=True)])
    assert cycles_per_copy(body, setup) - one == 11 * (values - 1)


@pytest.mark.parametrize(("width", "lines", "expected"), [(32, 32, 60), (64, 16, 60), (128, 8, 60), (32, 8, 15)])
def test_a_sub_core_takes_passes_over_l1_one_after_the_other(width: int, lines: int, expected: float) -> None:
    """H200: 1.75 to 1.9 cycles each; wide loads go by halves and quarters of the warp, even if these name one word."""
    setup = [
        i(f"LOP3.LUT R8, R0, {lines - 1:#x}, RZ, 0xc0, !PT", 15, yield_=True),
        i("LDC.64 R6, c[0x0][0x210]", 2, wbar=0),
        i("NOP", 15, yield_=True, wait=1),
        i("IMAD.WIDE.U32 R6, R8, 0x80, R6", 15, yield_=True),
    ]
    suffix = "" if width == 32 else f".{width}"
    load = i(f"LDG.E{suffix} R12, desc[UR4][R6.64]", 2, wbar=1)
    assert cycles_per_copy([load], setup, [i("NOP", 2, wait=2)]) == pytest.approx(expected, rel=0.05)
