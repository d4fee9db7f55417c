"""Too small a stall count, or a forgotten barrier, reads the old value, and is reported."""

from __future__ import annotations

import pytest

from runtime.device.sm.code.decode import decode
from runtime.device.sm.execute import abi
from tests.runtime.device.sm.kit import ARCH, HEAD, Bench, Line, assemble, i

BENCH = Bench()


def settle(text: str) -> Line:
    return i(text, 15, yield_=True)


# (setup, producer, consumer, minimum safe distance on an H200, R4 if late, R4 if early)
FIXED = [
    (["MOV R5, 0x5"], "MOV R5, 0x7", "IADD3 R4, R5, 0x10, RZ", 4, 0x17, 0x15),
    (["MOV R5, 0x5"], "MOV R5, 0x7", "IMAD R4, R5, 0x2, RZ", 5, 14, 10),
    (["MOV R5, 0x5"], "IMAD.MOV.U32 R5, RZ, RZ, 0x7", "IADD3 R4, R5, 0x10, RZ", 5, 0x17, 0x15),
    (["MOV R5, 0x5"], "IMAD.MOV.U32 R5, RZ, RZ, 0x7", "IMAD R4, R5, 0x2, RZ", 4, 14, 10),
    (
        ["MOV R4, 0x1", "ISETP.EQ.AND P0, PT, RZ, 0x1, PT"],
        "ISETP.EQ.AND P0, PT, RZ, RZ, PT",
        "@P0 MOV R4, 0x9",
        13,
        9,
        1,
    ),
    (
        ["MOV R6, 0x3", "ISETP.EQ.AND P0, PT, RZ, 0x1, PT"],
        "ISETP.EQ.AND P0, PT, RZ, RZ, PT",
        "SEL R4, RZ, 0x9, P0",
        4,
        0,
        9,
    ),
]


@pytest.mark.parametrize("mode", ["hardware", "report"])
@pytest.mark.parametrize("case", FIXED, ids=lambda c: f"{c[1].split()[0]}-{c[2].split()[-6:][0]}-{c[3]}")
def test_fixed_latency(case: tuple[list[str], str, str, int, int, int], mode: str) -> None:
    setup, producer, consumer, safe, late, early = case
    for distance in range(max(1, safe - 3), safe + 2):
        # The pair lies within one instruction line, so that no fetch comes between.
        lines = [settle(t) for t in setup]
        lines += [i("NOP")] * (8 - len(HEAD) - len(lines))
        first = min(distance, 11)
        lines.append(i(producer, first))
        lines += [i("NOP", 1)] * (distance - first)
        lines += [settle(consumer), settle("NOP")]
        words, outcome = BENCH.words(lines, hazards=mode)
        wanted = late if distance >= safe else early
        assert words[0] == wanted, (distance, safe)
        assert bool(outcome.hazards) == (distance < safe and mode == "report")
        if outcome.hazards:
            assert outcome.hazards[0].consumer - outcome.hazards[0].producer == 16 * (1 + distance - first)
            assert outcome.hazards[0].early >= safe - distance - 1


def test_switched_off() -> None:
    lines = [settle("MOV R5, 0x5"), i("MOV R5, 0x7", 2), settle("IADD3 R4, R5, 0x10, RZ")]
    words, outcome = BENCH.words(lines, hazards="off")
    assert words[0] == 0x17
    assert not outcome.hazards
    words, _ = BENCH.words(lines, timing=False)
    assert words[0] == 0x17


@pytest.mark.parametrize("waits", [True, False])
def test_forgotten_barrier(waits: bool) -> None:
    lines = [
        settle("MOV R5, 0x5"),
        i("S2R R5, SR_LANEID", 2, wbar=0),
        i("IADD3 R4, R5, 0x64, RZ", 15, yield_=True, wait=1 if waits else 0),
        i("NOP", 15, yield_=True, wait=1),
    ]
    words, outcome = BENCH.words(lines)
    assert list(words) == [lane + 100 for lane in range(32)] if waits else set(words) == {105}
    assert bool(outcome.hazards) == (not waits)
    if outcome.hazards:
        assert outcome.hazards[0].register == "R5"
        assert outcome.hazards[0].early > 10


def test_barrier_is_not_seen_one_cycle_later() -> None:
    lines = [
        settle("MOV R5, 0x5"),
        i("S2R R5, SR_LANEID", 1, wbar=0),
        i("IADD3 R4, R5, 0x64, RZ", 15, yield_=True, wait=1),
        i("NOP", 15, yield_=True, wait=1),
    ]
    words, outcome = BENCH.words(lines)
    assert set(words) == {105}
    assert outcome.hazards


def test_write_after_late_result() -> None:
    """A load that arrives after a later write of its register overwrites it."""
    lines = [
        i("S2R R4, SR_LANEID", 2, wbar=0),
        i("MOV R4, 0x9", 6),
        i("NOP", 15, yield_=True, wait=1),
    ]
    words, _ = BENCH.words(lines)
    assert list(words) == list(range(32))


@pytest.mark.parametrize("mode", ["hardware", "report"])
def test_one_unit_answers_in_order(mode: str) -> None:
    """ptxas loads a register anew while a wider load of it is under way; on an H200 the second one's value stays."""
    lines = [
        settle("MOV R8, 0x11"),
        settle("MOV R9, 0x22"),
        settle("MOV R10, RZ"),
        settle("STS.64 [R10], R8"),
        i("LDS.64 R4, [R10]", 4, wbar=0),
        i("LDS R4, [R10+0x4]", 4, wbar=1),
        i("NOP", 15, yield_=True, wait=3),
    ]
    words, outcome = BENCH.words(lines, hazards=mode, shared=1024)
    assert set(words) == {0x22} and not outcome.hazards


# What each of these makes of UR8 = 0xbad, UR9 = 0x1000, and of UR8 = 5: on an H200 when UMOV comes 1 or 2 cycles later.
UNIFORM = [
    ("UIADD3 UR10, UR8, UR9, URZ", 0x1BAD, 0x1005),
    ("ULOP3.LUT UR10, UR9, UR8, URZ, 0xfc, !UPT", 0x1BAD, 0x1005),
    ("USHF.L.U32 UR10, UR8, 0x1, URZ", 0x175A, 0xA),
    ("UIMAD UR10, UR9, UR9, UR8", 0x1000BAD, 0x1000005),
    ("USEL UR10, UR8, UR9, UPT", 0xBAD, 5),
    ("UPRMT UR10, UR8, 0x3210, URZ", 0xBAD, 5),
    ("UPOPC UR10, UR8", 8, 2),
    ("UMOV UR10, UR8", 0xBAD, 0xBAD),
]


@pytest.mark.parametrize("distance", [1, 2, 3])
@pytest.mark.parametrize("case", UNIFORM, ids=lambda c: c[0].split()[0])
@pytest.mark.parametrize("writer", ["UMOV UR8, 0x5", "UIADD3 UR8, URZ, 0x5, URZ"])
def test_operand_overwritten(case: tuple[str, int, int], writer: str, distance: int) -> None:
    reader, right, wrong = case
    lines = [settle("UMOV UR8, 0xbad"), settle("UMOV UR9, 0x1000"), settle("NOP")]
    lines += [i(reader, distance), settle(writer), settle("NOP"), settle("MOV R4, UR10")]
    words, outcome = BENCH.words(lines, hazards="report")
    early = wrong != right and writer.startswith("UMOV") and distance < 3
    assert words[0] == (wrong if early else right)
    assert bool(outcome.hazards) == early
    if early:
        (hazard,) = outcome.hazards
        assert hazard.kind == "war" and hazard.register == "UR8" and 1 <= hazard.early <= 3 - distance
        assert hazard.producer == hazard.consumer + 16
    assert BENCH.words(lines, hazards="hardware")[0][0] == words[0]


def test_operand_overwritten_by_the_one_after_next() -> None:
    """The destination is a source as well; an instruction between them takes part of the time."""
    lines = [settle("UMOV UR8, 0xbad"), settle("UMOV UR10, 0x1000"), settle("NOP")]
    lines += [i("UIADD3 UR10, UR10, UR8, URZ", 1), i("IADD3 R6, RZ, RZ, RZ", 1), settle("UMOV UR8, 0x5")]
    words, _ = BENCH.words([*lines, settle("NOP"), settle("MOV R4, UR10")], hazards="hardware")
    assert words[0] == 0x1005


@pytest.mark.parametrize("distance", [1, 2, 5, 6])
@pytest.mark.parametrize("writer", ["UMOV UR10, 0x5", "ULDC UR10, c[0x0][0x0]"])
def test_a_younger_result_that_is_there_first_is_replaced(writer: str, distance: int) -> None:
    """H200: UMOV and ULDC need 6 cycles behind the uniform datapath."""
    lines = [settle("UMOV UR8, 0xbad"), settle("ULDC UR9, c[0x0][0x4]"), i("NOP", 15, yield_=True)]
    lines += [i("UIADD3 UR10, UR8, 0x1, URZ", distance), settle(writer)]
    words, outcome = BENCH.words([*lines, settle("NOP"), settle("MOV R4, UR10")], hazards="report")
    younger = 5 if "UMOV" in writer else 32
    assert words[0] == (0xBAE if distance < 6 else younger)
    assert [(h.kind, h.register) for h in outcome.hazards] == ([("waw", "UR10")] if distance < 6 else [])
    assert "replaced" in "".join(h.text for h in outcome.hazards) or distance == 6


@pytest.mark.parametrize("distance", [1, 2])
def test_a_uniform_predicate_overwritten(distance: int) -> None:
    lines = [settle("UMOV UR8, 0xbad"), settle("UISETP.NE.U32.AND UP1, UPT, URZ, URZ, UPT"), settle("NOP")]
    lines += [i("USEL UR10, UR8, URZ, UP1", distance), settle("VOTEU.ANY UR9, UP1, PT"), settle("NOP")]
    words, outcome = BENCH.words([*lines, settle("MOV R4, UR10")], hazards="report")
    # H200: wrong at 1, right at 2.
    assert words[0] == (0xBAD if distance == 1 else 0)
    assert [h.kind for h in outcome.hazards] == (["war"] if distance == 1 else [])


@pytest.mark.parametrize(
    "text",
    [
        "ATOM.E.ADD.64.STRONG.GPU PT, RZ, [R2], R6",
        "LDG.E.64 RZ, [R2]",
        "LDG.E.128 RZ, [R2]",
        "LDS.128 RZ, [R6]",
        "IMAD.WIDE RZ, R6, R7, R8",
        "DADD RZ, R6, R8",
    ],
)
def test_results_for_rz_go_nowhere(text: str) -> None:
    """Nor does the rest of a pair that begins there: it would lie behind the warp's registers."""
    words = decode(assemble([i(text), i("EXIT", 5)]), 0, ARCH, True).res[:, 0]
    assert (words < abi.r_row(255)).all()
