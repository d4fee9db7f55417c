"""Divergence, convergence barriers, CTA barriers, and kernels that go wrong."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from runtime.device.grid import Options
from runtime.device.sm.code.decode import decode
from tests.gpu.diverged.pieces import stuck
from tests.runtime.device.sm.kit import ARCH, HEAD, Bench, Line, assemble, i, tail

BENCH = Bench()
TIMING = pytest.mark.parametrize("timing", [True, False])


@TIMING
def test_if_else_reconverges(timing: bool) -> None:
    at = len(HEAD)
    lines = [
        i("LOP3.LUT R5, R0, 0x1, RZ, 0xc0, !PT", 6),
        i("ISETP.NE.AND P0, PT, R5, RZ, PT", 13, yield_=True),
        i(f"BSSY B0, {16 * (at + 8):#x}", 2),
        i(f"@P0 BRA {16 * (at + 6):#x}", 5),
        i("MOV R4, 0x64", 6),
        i(f"BRA {16 * (at + 7):#x}", 5),
        i("MOV R4, 0xc8", 6),
        i("BSYNC B0", 5),
        i("VOTE.ANY R6, PT, PT", 6),
        i("LOP3.LUT R4, R4, R6, RZ, 0x3c, !PT", 6),
    ]
    words, outcome = BENCH.words(lines, timing=timing)
    assert outcome.fault is None
    assert [int(w) ^ 0xFFFFFFFF for w in words] == [200 if lane % 2 else 100 for lane in range(32)]
    counters = outcome.per_pc[16 * (at + 3)]
    assert counters["thread_inst_executed"] == 32
    assert counters["thread_inst_executed_pred_on"] == 16
    assert counters["divergent_branches"] == 1


@TIMING
@pytest.mark.parametrize("there", [32, 20])
@pytest.mark.parametrize("kind", ["U", "U.ANY"])
def test_a_uniform_branch_is_taken_by_all_or_none(kind: str, there: int, timing: bool) -> None:
    """Where the guard holds in all that run, or in one, as an H200 has it for whole warps and the first 20 lanes.
    (NVIDIA's code passes by what no lane needs so, and turns in loops of a warp.)"""
    at = len(HEAD)
    lines = [
        i(f"ISETP.GE.AND P1, PT, R0, {there:#x}, PT", 13, yield_=True),
        i("@P1 EXIT", 5),
        i("MOV R4, 0x64", 6),
        i("MOV R6, 0x1", 6),
        i("SHF.L.U32 R6, R6, R0, RZ", 6),
        i("LOP3.LUT P0, RZ, R6, MASK, RZ, 0xc0, !PT", 13, yield_=True),
        i(f"@P0 BRA.{kind} {16 * (at + 8):#x}", 5),
        i("MOV R4, 0xc8", 6),
    ]
    for holds in (0, 0xFFFFFFFF, 1, 0xFFFFFFFE, 0xFFFF, 0xFFFF0000, (1 << 20) - 1, 0xFFF00000):
        program = [(text.replace("MASK", f"{holds:#x}"), control) for text, control in lines]
        words, outcome = BENCH.words(program, timing=timing)
        assert outcome.fault is None
        run = (1 << there) - 1
        taken = holds & run != 0 if kind == "U.ANY" else holds & run == run
        assert set(map(int, words[:there])) == {100 if taken else 200}


@TIMING
def test_loop_with_lane_dependent_trip_count(timing: bool) -> None:
    at = len(HEAD)
    lines = [
        i("MOV R4, RZ", 6),
        i("MOV R5, R0", 6),
        i(f"BSSY B1, {16 * (at + 7):#x}", 2),
        i("IADD3 R4, R4, R5, RZ", 6),
        i("ISETP.GT.AND P0, PT, R5, RZ, PT", 13, yield_=True),
        i("@P0 IADD3 R5, R5, -0x1, RZ", 6),
        i(f"@P0 BRA {16 * (at + 3):#x}", 5),
        i("BSYNC B1", 5),
    ]
    words, outcome = BENCH.words(lines, timing=timing)
    assert outcome.fault is None
    assert list(words) == [n * (n + 1) // 2 for n in range(32)]
    # In each turn but the last one lane leaves, so that many run.
    counters = outcome.per_pc[16 * (at + 6)]
    assert counters["inst_executed"] == 32
    assert counters["thread_inst_executed"] == sum(range(1, 33))
    assert counters["thread_inst_executed_pred_on"] == sum(range(32))
    assert counters["divergent_branches"] == 31
    if timing:
        assert outcome.stalls["branch_resolving"] > 0


def spinning(wait: str) -> list[Line]:
    """Lane 0 spins on a word that lane 1 of the same warp writes only after the branch, with `wait` in the loop."""
    at = len(HEAD)
    return [
        i("ISETP.NE.AND P0, PT, R0, RZ, PT", 13, yield_=True),
        i(f"@P0 BRA {16 * (at + 8):#x}", 5),
        i("LDG.E.STRONG.GPU R5, desc[UR4][R2.64+0x4]", 2, wbar=0),
        i(wait, 5),
        i("ISETP.EQ.AND P1, PT, R5, RZ, PT", 13, yield_=True, wait=1),
        i(f"@P1 BRA {16 * (at + 2):#x}", 5),
        i("MOV R4, 0x7", 6),
        i(f"BRA {16 * (at + 9):#x}", 5),
        i("MOV R4, 0x5", 6),
    ]


@TIMING
@pytest.mark.parametrize("wait", ["YIELD", "NANOSLEEP 0x64"])
def test_lanes_that_yield_do_not_starve_the_others(timing: bool, wait: str) -> None:
    words, outcome = BENCH.words(spinning(wait), timing=timing, instruction_limit=100000)
    assert outcome.fault is None
    assert list(words) == [7] + [5] * 31


@TIMING
def test_lanes_that_spin_starve_the_others(timing: bool) -> None:
    """As on an H200, where 3,000 turns of such a loop go by before another lane of the warp gets on."""
    _, outcome = BENCH.words(spinning("NOP"), timing=timing, instruction_limit=100000)
    assert outcome.fault is not None
    assert outcome.fault.kind == "timeout"


@TIMING
@pytest.mark.parametrize("together", [32, 4])
def test_bra_conv_is_for_a_warp_of_which_no_lane_is_elsewhere(timing: bool, together: int) -> None:
    """As nvcc has it around collectives whose result nobody reads."""
    at = len(HEAD)
    lines = [
        i("UMOV UR6, 0xffffffff", 12),
        i("MOV R4, 0x1", 6),
        i(f"ISETP.GE.AND P0, PT, R0, {together:#x}, PT", 13, yield_=True),
        i(f"BSSY B0, {16 * (at + 8):#x}", 2),
        i(f"@P0 BRA {16 * (at + 7):#x}", 5),
        i(f"BRA.CONV UR6, {16 * (at + 7):#x}", 5),
        i("MOV R4, 0x2", 6),
        i("BSYNC B0", 5),
    ]
    words, outcome = BENCH.words(lines, timing=timing)
    assert outcome.fault is None
    assert list(words) == ([1] * 32 if together == 32 else [2] * 4 + [1] * 28)


# What an H200 did with hand-built code of one warp (tests/gpu/diverged/pieces.py): who runs at the same time, in order.
ORDERS = {
    # The fewer lanes of a branch go first; of as many on both sides, those that fall through.
    "halves": (0xFFFF, ["@P0 BRA T", "note 10", "BRA J", "T: note 20", "J: note 30"],
               [(10, 0xFFFF0000), (30, 0xFFFF0000), (20, 0xFFFF), (30, 0xFFFF)]),
    "few taken": (0x1, ["@P0 BRA T", "note 10", "BRA J", "T: note 20", "J: note 30"],
                  [(20, 1), (30, 1), (10, 0xFFFFFFFE), (30, 0xFFFFFFFE)]),
    "barrier": (0x1, ["BSSY B0, E", "@P0 BRA T", "note 10", "BRA J", "T: note 20", "J: BSYNC B0", "E: note 30"],
                [(20, 1), (10, 0xFFFFFFFE), (30, 0xFFFFFFFF)]),
    # Lanes that yielded are not waited for.
    "yield before a barrier": (0xFFFF, ["BSSY B0, E", "@P0 BRA T", "note 10", "YIELD", "note 11", "BRA J",
                                        "T: note 20", "YIELD", "note 21", "J: BSYNC B0", "E: note 30"],
                               [(10, 0xFFFF0000), (20, 0xFFFF), (11, 0xFFFF0000), (30, 0xFFFF0000), (21, 0xFFFF),
                                (30, 0xFFFF)]),
    # One group waits to be next; what waits besides meets where it is at one place.
    "leaving a loop": (0xFFF00000, ["ISETP.GT.AND P1, PT, R0, 0x1b, PT", "ISETP.EQ.AND P2, PT, R0, 0x1f, PT",
                                    "@!P0 BRA X", "note 10", "@!P1 BRA X", "note 11", "@!P2 BRA X", "note 12",
                                    "X: note 20"],
                       [(10, 0xFFF00000), (11, 0xF0000000), (12, 0x80000000), (20, 0x80000000), (20, 0x70000000),
                        (20, 0x0FFFFFFF)]),
    "broken out": (0xFFFFFFFE, ["BSSY B0, E", "@P0 BRA T", "note 10", "BRA J", "T: note 20", "BREAK B0", "note 21",
                                "BRA O", "J: BSYNC B0", "E: note 30", "O: NOP"],
                   [(10, 1), (20, 0xFFFFFFFE), (30, 1), (21, 0xFFFFFFFE)]),
    # All lanes of a collective execute it where the last of them came to it; then each goes on behind its own.
    "collective of all": (0xFFFF, ["@P0 BRA T", "note 10", "WARPSYNC.COLLECTIVE.ALL A", "note 11", "ENDCOLLECTIVE",
                                   "A: note 12", "BRA J", "T: note 20", "WARPSYNC.COLLECTIVE.ALL B", "note 21",
                                   "ENDCOLLECTIVE", "B: note 22", "J: NOP"],
                          [(10, 0xFFFF0000), (20, 0xFFFF), (21, 0xFFFFFFFF), (22, 0xFFFF), (12, 0xFFFF0000)]),
    "collective of a mask": (0xFFFF, ["MOV R5, 0xff0000ff", "LOP3.LUT R7, R0, 0xf, RZ, 0xc0, !PT", "@P0 BRA T",
                                      "ISETP.GT.AND P1, PT, R7, 0x7, PT", "@!P1 BRA J", "note 10",
                                      "WARPSYNC.COLLECTIVE R5, A", "note 11", "ENDCOLLECTIVE", "A: BRA J",
                                      "T: ISETP.GT.AND P1, PT, R7, 0x7, PT", "@P1 BRA J",
                                      "WARPSYNC.COLLECTIVE R5, B", "note 21", "ENDCOLLECTIVE", "B: NOP", "J: NOP"],
                             [(10, 0xFF000000), (21, 0xFF0000FF)]),
    # BSYNC does not wait for lanes at WARPSYNC.
    "WARPSYNC without the others": (0xFFFF, ["BSSY B0, E", "@P0 BRA T", "note 10", "BRA J", "T: note 20",
                                             "WARPSYNC.ALL", "note 21", "J: BSYNC B0", "E: note 30"],
                                    [(10, 0xFFFF0000), (20, 0xFFFF), (30, 0xFFFF0000), (21, 0xFFFF), (30, 0xFFFF)]),
    "collective without the others": (0xFFFF, ["BSSY B0, E", "@P0 BRA T", "note 10", "BRA J", "T: note 20",
                                               "WARPSYNC.COLLECTIVE.ALL B", "note 21", "ENDCOLLECTIVE", "B: NOP",
                                               "J: BSYNC B0", "E: note 30"],
                                      [(10, 0xFFFF0000), (20, 0xFFFF), (30, 0xFFFF0000), (21, 0xFFFF), (30, 0xFFFF)]),
    "collective of those that are left": (0xFF, ["@P0 BRA T", "note 10", "EXIT", "T: note 20",
                                                 "WARPSYNC.COLLECTIVE.ALL B", "note 21", "ENDCOLLECTIVE", "B: note 22"],
                                          [(20, 0xFF), (10, 0xFFFFFF00), (21, 0xFF), (22, 0xFF)]),
    # Some of those that a collective waits for meet in one of their own first.
    "collective of some": (0xF0000000, ["MOV R5, 0xfffffff", "ISETP.GT.AND P1, PT, R0, 0xd, PT", "@P0 BRA C",
                                        "@!P1 BRA A", "note 10", "WARPSYNC.COLLECTIVE R5, X", "note 11",
                                        "ENDCOLLECTIVE", "X: note 12", "WARPSYNC.COLLECTIVE.ALL J", "note 13",
                                        "ENDCOLLECTIVE", "BRA J", "A: note 20", "WARPSYNC.COLLECTIVE R5, Y", "note 21",
                                        "ENDCOLLECTIVE", "Y: note 22", "WARPSYNC.COLLECTIVE.ALL J", "note 23",
                                        "ENDCOLLECTIVE", "BRA J", "C: note 30", "WARPSYNC.COLLECTIVE.ALL J", "note 31",
                                        "ENDCOLLECTIVE", "J: NOP"],
                           [(30, 0xF0000000), (10, 0x0FFFC000), (20, 0x3FFF), (21, 0x0FFFFFFF), (22, 0x3FFF),
                            (12, 0x0FFFC000), (13, 0xFFFFFFFF)]),
    # Behind it only those go on at once that came last, also where the others waited at the same place.
    "collective at one place": (0xFF, ["MOV R5, 0xffffff00", "ISETP.EQ.AND P1, PT, R0, 0x8, PT", "BSSY B0, E",
                                       "@P0 BRA J", "note 10", "BSSY B1, C", "@!P1 BRA M", "note 11", "YIELD",
                                       "note 12", "YIELD", "note 13", "M: WARPSYNC.COLLECTIVE R5, C", "NOP",
                                       "ENDCOLLECTIVE", "C: note 20", "J: BSYNC B0", "E: note 30"],
                                [(10, 0xFFFFFF00), (11, 0x100), (30, 0xFF), (12, 0x100), (13, 0x100), (20, 0x100),
                                 (30, 0x100), (20, 0xFFFFFE00), (30, 0xFFFFFE00)]),
    # Of two collectives that an EXIT completes, the one of the lanes behind those that ended; then the other.
    "collectives that an EXIT completes": (0x1FFC00, ["MOV R5, 0xffe003ff", "MOV R7, 0xfffffc00",
                                                      "ISETP.GT.AND P1, PT, R0, 0x14, PT", "BSSY B0, E", "@P0 BRA T",
                                                      "@P1 BRA X", "note 10", "WARPSYNC.COLLECTIVE R5, A", "note 11",
                                                      "ENDCOLLECTIVE", "A: note 12", "BRA J", "T: note 20",
                                                      "WARPSYNC.COLLECTIVE R7, B", "note 21", "ENDCOLLECTIVE",
                                                      "B: note 22", "BRA J", "X: note 30", "YIELD", "YIELD", "EXIT",
                                                      "J: BSYNC B0", "E: note 40"],
                                           [(20, 0x1FFC00), (10, 0x3FF), (30, 0xFFE00000), (11, 0x3FF), (12, 0x3FF),
                                            (40, 0x3FF), (21, 0x1FFC00), (22, 0x1FFC00), (40, 0x1FFC00)]),
    # At a BSYNC that lacks only lanes that yielded, lanes yield to those that did not.
    "barriers in turn": (0x0F0F0F0F, ["ISETP.EQ.AND P1, PT, R0, 0x4, PT", "BSSY B0, E", "@P0 BRA J", "note 10",
                                      "BSSY B1, F", "@!P1 BRA M", "note 11", "YIELD", "note 12", "YIELD", "note 13",
                                      "M: BSYNC B1", "F: note 20", "J: BSYNC B0", "E: note 30"],
                         [(10, 0xF0F0F0F0), (11, 0x10), (30, 0x0F0F0F0F), (12, 0x10), (20, 0xF0F0F0E0),
                          (30, 0xF0F0F0E0), (13, 0x10), (20, 0x10), (30, 0x10)]),
    # Lanes that yielded at one place go on together.
    "yield at one place": (0xAAAAAAAA, ["@P0 BRA J", "note 10", "J: YIELD", "note 30"],
                           [(10, 0x55555555), (30, 0xFFFFFFFF)]),
}  # fmt: skip


@pytest.mark.parametrize("name", ORDERS)
def test_order_of_diverged_lanes(name: str) -> None:
    mask, text, expected = ORDERS[name]
    waits, found = stuck(BENCH, (mask, text))
    assert not waits
    assert [(number, lanes) for number, lanes, _ in found] == expected


@TIMING
def test_deadlock_is_told(timing: bool) -> None:
    """One warp waits for two."""
    _, outcome = BENCH.words([i("BAR.SYNC.DEFER_BLOCKING 0x1, 0x40", 6)], timing=timing)
    assert outcome.fault is not None
    assert outcome.fault.kind == "deadlock"


@TIMING
def test_the_first_lanes_at_a_cta_barrier_count_for_their_warp(timing: bool) -> None:
    """As on an H200. Of two warps the half that falls through goes first, and leaves a word to the other warp's; then
    the other halves meet at another place. A barrier of which no lane's guard is true is none."""
    at = len(HEAD)
    lines = [
        i("SHF.L.U32 R7, R0, 0x2, RZ", 6),
        i("LOP3.LUT R8, R7, 0x80, RZ, 0x3c, !PT", 6),
        i("LOP3.LUT R6, R0, 0x10, RZ, 0xc0, !PT", 6),
        i("ISETP.NE.AND P0, PT, R6, RZ, PT", 13, yield_=True),
        i(f"@P0 BRA {16 * (at + 10):#x}", 5),
        i("STS [R7], R0", 15, yield_=True),
        i("@P0 BAR.SYNC.DEFER_BLOCKING 0x3", 6),
        i("BAR.SYNC.DEFER_BLOCKING 0x0", 6),
        i("LDS R4, [R8]", 2, wbar=2),
        i(f"BRA {16 * (at + 13):#x}", 5, wait=4),
        i("STS [R7], R7", 15, yield_=True),
        i("BAR.SYNC.DEFER_BLOCKING 0x0", 6),
        i("LDS R4, [R8]", 2, wbar=2),
        i("NOP", 15, yield_=True, wait=4),
    ]
    words, outcome = BENCH.words(lines, count=64, block=64, shared=256, timing=timing)
    assert outcome.fault is None
    assert list(words) == [(t ^ 32) * (4 if t & 16 else 1) for t in range(64)]


# H200: the first two hang, the others are illegal instructions.
APART = {
    "two WARPSYNC": ("WARPSYNC.ALL", "WARPSYNC.ALL", "deadlock"),
    "WARPSYNC and a collective": ("WARPSYNC.ALL", "WARPSYNC.COLLECTIVE.ALL 0x1000", "deadlock"),
    "a mask without the lane": ("NOP", "WARPSYNC.COLLECTIVE R6, 0x1000", "illegal_instruction"),
    "a mask without the lane, no collective": ("NOP", "WARPSYNC R6", "illegal_instruction"),
}


@TIMING
@pytest.mark.parametrize("name", APART)
def test_lanes_that_do_not_meet(name: str, timing: bool) -> None:
    first, second, fault = APART[name]
    at = len(HEAD)
    lines = [
        i("ISETP.GT.AND P0, PT, R0, 0xf, PT", 13, yield_=True),
        i("MOV R6, 0xff", 6),
        i(f"@P0 BRA {16 * (at + 5):#x}", 5),
        i(first, 5),
        i(f"BRA {16 * (at + 6):#x}", 5),
        i(second, 5),
        i("NOP", 5),
    ]
    _, outcome = BENCH.words(lines, timing=timing)
    assert outcome.fault is not None
    assert outcome.fault.kind == fault


@TIMING
def test_exclusive_warpsync(timing: bool) -> None:
    """Lanes with different masks run one mask at a time up to the BSYNC."""
    at = len(HEAD)
    lines = [
        i("LOP3.LUT R5, R0, 0x18, RZ, 0xc0, !PT", 6),
        i("MOV R6, 0xff", 6),
        i("SHF.L.U32 R6, R6, R5, RZ", 6),
        i(f"BSSY B0, {16 * (at + 7):#x}", 2),
        i("WARPSYNC.EXCLUSIVE R6", 5),
        i("VOTE.ANY R4, PT, PT", 6),
        i("BSYNC B0", 5),
    ]
    words, outcome = BENCH.words(lines, timing=timing)
    assert outcome.fault is None
    assert list(words) == [0xFF << (lane & 24) for lane in range(32)]


def test_a_scoreboard_that_nothing_clears() -> None:
    """BMOV to a convergence barrier has no result: on an H200 too, who waits for its write barrier waits for ever."""
    lines = [i("BMOV.32 B6, R0", 5, wbar=0), i("NOP", 2, wait=1)]
    _, outcome = BENCH.words(lines)
    assert outcome.fault is not None
    assert outcome.fault.kind == "deadlock"
    assert "scoreboard" in outcome.fault.message
    assert outcome.fault.pc == 16 * (len(HEAD) + 1)


def test_a_trap_names_its_thread() -> None:
    lines = [i("ISETP.EQ.AND P0, PT, R0, 0x2, PT", 13, yield_=True), i("@P0 BPT.TRAP 0x1", 5)]
    for timing in (True, False):
        _, outcome = BENCH.words(lines, timing=timing)
        assert outcome.fault is not None
        assert (outcome.fault.kind, outcome.fault.thread) == ("trap", (2, 0, 0))


def test_what_never_ends_can_be_interrupted() -> None:
    """Python has its turn, and with it a user's Ctrl-C, every million instructions or so."""
    told: list[int] = []
    lines = [i(f"BRA {16 * len(HEAD):#x}", 5)]
    BENCH.words(lines, timing=False, runaway_limit=20_000_000, progress=lambda *at: told.append(at[-1]))
    assert len(told) >= 10


def test_one_warp_gets_less_than_many_before_it_counts_as_endless() -> None:
    limits = [Options(check=check).runaway(warps) for warps in (1, 8448) for check in (True, False)]
    assert sorted(limits) == limits and len(set(limits)) == 4
    assert Options(runaway_limit=7).runaway(1) == 7


@TIMING
def test_runaway_is_ended(timing: bool) -> None:
    lines = [i(f"BRA {16 * len(HEAD):#x}", 5)]
    _, outcome = BENCH.words(lines, timing=timing, instruction_limit=50000)
    assert outcome.fault is not None
    assert outcome.fault.kind == "timeout"
    _, outcome = BENCH.words(lines, timing=timing, runaway_limit=20000)
    assert outcome.fault is not None
    assert outcome.fault.kind == "timeout"
    assert "no block ended in the last 20000 warp instructions" in outcome.fault.message
    if timing:
        _, outcome = BENCH.words(lines, cycle_limit=5000)
        assert outcome.fault is not None
        assert outcome.fault.kind == "timeout"


def test_code_that_ends_in_a_jump_out_of_it() -> None:
    """Damaged images have a BSYNC as their last instruction, or branches past it, while a load is under way."""
    for last in (i("BSYNC B0", 5), i("@P0 BRA 0x100", 5)):
        data = assemble([i("LDC R2, c[0x0][0x210]", 1, wbar=0), last])
        assert len(decode(data, 0, ARCH, True).code) >= 2


@TIMING
def test_bad_addresses(timing: bool) -> None:
    """One element past the end, misaligned, null, beyond shared memory: named with thread, PC and address; and the
    device goes on working."""
    bench = Bench()
    good = bench.buffer(np.zeros(32, np.uint32))
    cases = [
        ("LDG.E R4, desc[UR4][R2.64+0x4]", good, 32, "illegal_address", 31, good + 128),
        ("LDG.E R4, desc[UR4][R2.64+0x2]", good, 32, "misaligned_address", 0, good + 2),
        ("LDG.E R4, desc[UR4][R2.64]", 0, 32, "illegal_address", 0, 0),
        ("STG.E desc[UR4][R2.64+-0x4], R0", good, 32, "illegal_address", 0, good - 4),
        ("LDS R4, [R0+0x2000]", good, 32, "illegal_address", 0, 0x2000),
        ("LDL R4, [R0+0x4000]", good, 32, "illegal_address", 0, 0x4000),
    ]
    for text, address, block, kind, thread, where in cases:
        code = assemble([*HEAD, i(text, 2, wbar=0), *tail()])
        outcome = bench.run(code, 1, block, struct.pack("<Q", address), timing=timing, name="k")
        fault = outcome.fault
        assert fault is not None, text
        assert (fault.kind, fault.thread, fault.address) == (kind, (thread, 0, 0), where), text
        assert fault.pc == 16 * len(HEAD)
        assert "k" in fault.message
    code = assemble([*HEAD, i("MOV R4, 0x3", 6), *tail()])
    assert bench.run(code, 1, 32, struct.pack("<Q", good), timing=timing).fault is None
    assert set(bench.array(good, np.uint32, 32)) == {3}


@TIMING
def test_block_and_thread_of_a_fault(timing: bool) -> None:
    bench = Bench()
    data = bench.buffer(np.zeros(8, np.uint32))
    lines = [
        i("LDC.64 R2, c[0x0][0x210]", 2, wbar=0),
        i("S2R R5, SR_CTAID.Y", 2, wbar=1),
        i("S2R R6, SR_TID.Y", 2, wbar=2),
        i("S2R R7, SR_TID.X", 2, wbar=3),
        i("ULDC.64 UR4, c[0x0][0x208]", 2),
        i("ISETP.EQ.AND P0, PT, R5, 0x2, PT", 13, yield_=True, wait=15),
        i("ISETP.EQ.AND P0, PT, R6, 0x3, P0", 13, yield_=True),
        i("ISETP.EQ.AND P0, PT, R7, 0x5, P0", 13, yield_=True),
        i("@P0 STG.E desc[UR4][R2.64+0x100], R0", 5),
        i("EXIT", 5),
    ]
    outcome = bench.run(assemble(lines), (2, 3), (8, 8), struct.pack("<Q", data), timing=timing)
    assert outcome.fault is not None
    assert outcome.fault.block[1] == 2
    assert outcome.fault.thread == (5, 3, 0)


def test_a_branch_through_uniform_registers_takes_all() -> None:
    """NVIDIA's ptxas has BRXU for brx.idx of what is the same in all lanes."""
    lines = [i("MOV R4, 0x64", 6), i("UMOV UR6, 0x10", 6), i("UMOV UR7, 0x0", 12, yield_=True), i("BRXU UR6 0x0", 5)]
    words, outcome = BENCH.words([*lines, i("MOV R4, 0xc8", 6), i("NOP")], timing=False)
    assert outcome.fault is None
    assert set(words) == {100}


@TIMING
def test_illegal_and_trap(timing: bool) -> None:
    code = assemble(HEAD) + (0xFFF).to_bytes(16, "little") + assemble(tail())
    outcome = BENCH.run(code, 1, 32, bytes(8), timing=timing)
    assert outcome.fault is not None
    assert (outcome.fault.kind, outcome.fault.pc) == ("illegal_instruction", 16 * len(HEAD))
    _, outcome = BENCH.words([i("BPT.TRAP 0x1", 5)], timing=timing)
    assert outcome.fault is not None
    assert outcome.fault.kind == "trap"
    # Running off the end of the code.
    outcome = BENCH.run(assemble([i("NOP")]), 1, 32, bytes(8), timing=timing)
    assert outcome.fault is not None
    assert outcome.fault.kind == "illegal_instruction"


def test_launches_that_do_not_fit() -> None:
    code = assemble([i("EXIT", 5)])
    for block, options in ((1025, {}), (1024, {"registers": 255}), (32, {"shared": ARCH.occupancy.shared_per_sm})):
        outcome = BENCH.run(code, 1, block, bytes(8), **options)
        assert outcome.fault is not None
        assert outcome.fault.kind == "invalid_launch"
