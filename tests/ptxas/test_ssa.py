"""What a loop reads before it writes it: a variable without a value before the second turn keeps the last turn's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import minicc
import runtime
from minicc.binary import write_cubin
from minicc.diagnostics import SourceFile
from minicc.ptxas import Options
from tests.ptxas.conftest import assemble

TURNS, FACTOR = 5, 3
TEXT = """.version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n, .param .u32 m)
{
.shared .align 16 .u32 words[64];
.reg .b64 %rd<9>; .reg .b32 %r<60>; .reg .pred %p<9>; .reg .pred %q<10>;
ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [n]; ld.param.u32 %r1, [m]; mov.u32 %r2, %tid.x;
mul.wide.u32 %rd1, %r2, 4; add.u64 %rd0, %rd0, %rd1; add.u32 %r3, %r2, 40; mov.u32 %r4, 0; mov.u32 %r5, 0;
setp.eq.u32 %p4, %r1, 3; setp.gt.u32 %p5, %r3, 50; mov.u32 %r6, words; shl.b32 %r7, %r2, 2; add.u32 %r7, %r7, %r6;
st.shared.u32 [%r7], %r3; bar.sync 0;
LOOP: mul.lo.u32 %r20, %r4, %r1; xor.b32 %r21, %r20, %r2; setp.ne.u32 %p1, %r4, 0;
TURN
add.u32 %r4, %r4, 1; add.u32 %r6, %r6, 16; setp.lt.u32 %p2, %r4, %r0; @%p2 bra LOOP;
st.global.u32 [%rd0], %r5; ret;
}
"""
SEVERAL_WAYS = TEXT.replace(
    "LOOP:",
    "mov.u32 %r9, 0; and.b32 %r8, %r2, 1; setp.ne.u32 %p0, %r8, 0; @%p0 bra MIDDLE;"
    "LOOP: add.u32 %r9, %r9, %r2; MIDDLE:",
).replace("%r5; ret", "%r5; st.global.u32 [%rd0+128], %r9; ret")
"""The loop is entered at two places, so that neither comes before the other on every way."""
Turn = Callable[[int, int, int, int, int], tuple[int, int]]
"""Lane, turn, lane ^ turn * FACTOR, sum, the variable -> the last two behind the turn."""


def _inplace(lane: int, turn: int, x: int, total: int, kept: int) -> tuple[int, int]:
    return (total * 3 * x + kept if turn else total), 3 * x + lane + 40


def _chains(lane: int, turn: int, x: int, total: int, kept: int) -> tuple[int, int]:
    chosen = kept if turn * FACTOR < lane else lane + 40
    return (total * 5 + chosen if turn else total), x if lane + 40 > 50 else lane + 40


def _compared(lane: int, turn: int, x: int, total: int, kept: int) -> tuple[int, int]:
    return (total + (5 if kept else 9) if turn else total) * 3 + (1 if x < 9 else 2), int(x < 9)


def _bit(lane: int, turn: int, x: int, total: int, kept: int) -> tuple[int, int]:
    return total + (x < 10) + (100 if turn and kept else 0), int(x < 10)


def _guarded(lane: int, turn: int, x: int, total: int, kept: int) -> tuple[int, int]:
    return (total + (3 + (turn if kept else 0) if x < 9 else 0)) * 3 + turn, int(x < 5)


def _loaded(lane: int, turn: int, x: int, total: int, kept: int) -> tuple[int, int]:
    return (total * 3 + kept if turn else total) + 40 + 4 * turn, 41 + 4 * turn


def _renewed(lane: int, turn: int, x: int, total: int, kept: int) -> tuple[int, int]:
    small = [k for k in range(PREDICATES) if turn and kept < 20 + 9 * k]
    total = total + sum(k + 1 for k in small)
    total = total + 11 if x < 9 else total ^ 7
    for _ in small:
        total = total * 3 + (lane * lane + 3) ** 2
    return total & 0xFFFFFFFF, x * 7


PREDICATES = 10
TURNS_OF = {
    "inplace": (
        "mul.lo.u32 %r22, %r21, 3; @%p1 mad.lo.u32 %r5, %r5, %r22, %r50;"
        "add.u32 %r23, %r22, %r3; selp.u32 %r50, %r23, %r22, %p4;",
        _inplace,
    ),
    "chains": (
        "setp.lt.u32 %p6, %r20, %r2; selp.u32 %r25, %r50, %r3, %p6; @%p1 mad.lo.u32 %r5, %r5, 5, %r25;"
        "selp.u32 %r50, %r21, %r3, %p5;",
        _chains,
    ),
    "cse": (
        "setp.lt.u32 %p6, %r21, 9; selp.u32 %r22, 1, 2, %p6; mov.u32 %r23, 0; @%p1 selp.u32 %r23, 5, 9, %p7;"
        "add.u32 %r5, %r5, %r23; mad.lo.u32 %r5, %r5, 3, %r22; setp.lt.u32 %p7, %r21, 9; selp.u32 %r50, 1, 0, %p7;",
        _compared,
    ),
    "bits": (
        "setp.lt.u32 %p6, %r21, 10; @%p6 add.u32 %r5, %r5, 1; and.b32 %r22, %r50, 1; setp.ne.u32 %p7, %r22, 0;"
        "and.pred %p8, %p7, %p1; @%p8 add.u32 %r5, %r5, 100; selp.u32 %r50, 1, 0, %p6;",
        _bit,
    ),
    "predicate": (
        "setp.lt.u32 %p6, %r21, 9; @!%p6 bra ON; @%p7 add.u32 %r5, %r5, %r4; add.u32 %r5, %r5, 3;"
        "ON: setp.lt.u32 %p7, %r21, 5; mad.lo.u32 %r5, %r5, 3, %r4;",
        _guarded,
    ),
    "vectorise": (
        "ld.shared.u32 %r22, [%r6]; @%p1 mad.lo.u32 %r5, %r5, 3, %r50; add.u32 %r5, %r5, %r22;"
        "ld.shared.u32 %r50, [%r6+4];",
        _loaded,
    ),
    "predicate, renew": (
        "".join(f"setp.lt.and.u32 %q{k}, %r50, {20 + 9 * k}, %p1; " for k in range(PREDICATES))
        + "".join(f"@%q{k} add.u32 %r5, %r5, {k + 1}; " for k in range(PREDICATES))
        + "ld.global.u32 %r30, [%rd0]; setp.lt.u32 %p6, %r21, 9; @%p6 bra X; mul.lo.u32 %r50, %r21, 7;"
        "xor.b32 %r5, %r5, 7; bra Y; X: mul.lo.u32 %r50, %r21, 7; add.u32 %r5, %r5, 11;"
        "Y: add.u32 %r31, %r30, %r2; mad.lo.u32 %r31, %r31, %r31, 3; mul.lo.u32 %r31, %r31, %r31;"
        + "".join(f"@%q{k} mad.lo.u32 %r5, %r5, 3, %r31; " for k in range(PREDICATES)),
        _renewed,
    ),
}


@pytest.mark.parametrize("text", [TEXT, SEVERAL_WAYS], ids=["one way in", "several"])
@pytest.mark.parametrize("name", TURNS_OF)
def test_what_the_turn_before_left(name: str, text: str) -> None:
    """Each pass could take what is written once for what it is in all of a turn."""
    body, turn_of = TURNS_OF[name]
    made = assemble(
        text.replace("TURN", body),
        Options(disable=frozenset({"unroll", "ahead", "predicate"}.difference(name.split(", ")))),
    )
    out = np.zeros(64, np.uint32)
    runtime.Device().load(write_cubin(made))["k"][1, 32](out, TURNS, FACTOR)
    for lane in range(32):
        total = kept = 0
        for turn in range(TURNS):
            total, kept = turn_of(lane, turn, lane ^ turn * FACTOR, total, kept)
        assert out[lane] == total & 0xFFFFFFFF


def test_a_variable_without_a_value_before_the_second_turn() -> None:
    """As people write it: nothing is read of it before it has been set."""
    source = """__global__ void k(unsigned *out, unsigned n, unsigned m)
{
    unsigned total = 0, flags, x = threadIdx.x;
    float sum = 0, last;
    bool half = m & 1;
#pragma unroll 1
    for (unsigned i = 0; i < n; i++) {
        unsigned v = x ^ (i * m);
        float scaled = float(v) * 3;
        if (v < 12) total++;
        if (i > 0) {
            total += (flags & 1) * 100 + (flags >> 1 & 1) * 1000;
            sum = sum * scaled + last;
        }
        flags = (v < 12 ? 1 : 0) | (v < 20 ? 2 : 0);
        last = half ? scaled * 0.5f : scaled;
    }
    out[x] = total + unsigned(sum + last);
}
"""
    out = np.zeros(32, np.uint32)
    cubin = minicc.compile(SourceFile("k.k", source), arch="sm_90").cubin
    runtime.Device().load(cubin)["k"][1, 32](out, 3, FACTOR)
    for lane in range(32):
        values = [lane ^ i * FACTOR for i in range(3)]
        total = sum(v < 12 for v in values) + sum((v < 12) * 100 + (v < 20) * 1000 for v in values[:-1])
        halves = [v * 1.5 for v in values]
        added = halves[0] * values[2] * 3 + halves[1] + halves[2]
        assert out[lane] == total + int(added)
