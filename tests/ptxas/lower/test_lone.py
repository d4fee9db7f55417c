"""Turns for uniform instructions: none where one lane at most comes by, and copies land as often as lanes make them."""

from __future__ import annotations

import numpy as np
import pytest

import runtime
from minicc import arch, binary, ptx, ptxas
from minicc.diagnostics import SourceFile
from minicc.ptxas.options import Options
from minicc.sass import decode

SM = arch.get("sm_90")
TEXT = """.version 8.7
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) BOUNDS {
 .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>; .shared .align 16 .b8 s[1024]; .shared .align 8 .b8 bar[8];
 ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, s; mov.u32 %r3, bar;
 mov.u32 %r9, -1; mov.u32 %r7, 0; mul.wide.u32 %rd3, %r1, 16; add.s64 %rd3, %rd1, %rd3;
 setp.ne.u32 %p1, %r1, 0; @%p1 bra READY;
 mbarrier.init.shared::cta.b64 [%r3], 1;
 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], BYTES;
READY: bar.sync 0; fence.proxy.async;
 CONDITION
 mad.lo.u32 %r4, %r1, 16, %r2;
 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%rd3], 16, [%r3];
DONE: bar.warp.sync -1;
WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p5, [%r3], 0; @!%p5 bra WAIT;
 bar.sync 0; mad.lo.u32 %r4, %r1, 4, %r2; ld.shared.u32 %r5, [%r4]; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd2, %rd2, %rd4;
 st.global.u32 [%rd2], %r5; ret; }
"""
ELECT = "elect.sync %r6|%p2, %r9;"
CASES = {
    "elected": ("", f"{ELECT} @!%p2 bra DONE;", 1),
    "cutlass": ("", f"mov.u32 %r8, 0; mov.u32 %r10, %r8; {ELECT} @%p2 mov.s32 %r10, 1; mov.s32 %r8, %r6;"
                " setp.ne.s32 %p3, %r10, 0; setp.lt.s32 %p4, %r1, 32;"
                " and.pred %p7, %p3, %p4; not.pred %p6, %p7; @%p6 bra DONE;", 1),
    "set_before": ("", f"{ELECT} @%p2 mov.s32 %r7, 1; setp.ne.s32 %p3, %r7, 0; @!%p3 bra DONE;", 1),
    "selected": ("", f"{ELECT} selp.u32 %r11, 1, 0, %p2; setp.eq.s32 %p3, %r11, 0; @%p3 bra DONE;", 1),
    "first_thread": (".reqntid 32", "setp.ne.u32 %p3, %r1, 0; @%p3 bra DONE;", 1),
    "four": ("", "setp.gt.u32 %p3, %r1, 3; @%p3 bra DONE;", 4),
    "not_elected": ("", f"{ELECT} @%p2 bra DONE;", 31),
    "or": ("", f"{ELECT} setp.eq.u32 %p3, %r1, 3; or.pred %p4, %p2, %p3; @!%p4 bra DONE;", 2),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_copies_of_lanes(name: str) -> None:
    bounds, condition, lanes = CASES[name]
    text = TEXT.replace("BOUNDS", bounds).replace("CONDITION", condition).replace("BYTES", str(16 * lanes))
    image = binary.write_cubin(ptxas.assemble(ptx.parse(SourceFile("k.ptx", text)), SM, Options()))
    code = binary.read_cubin(image, "k").functions[0].code
    found = [decode(int.from_bytes(code[k : k + 16], "little"), SM) for k in range(0, len(code), 16)]
    elects = sum(i.mnemonic == "ELECT" for i in found) - ("elect.sync" in condition)
    assert elects == (1 if lanes > 1 or name == "set_before" else 0)
    given, out = np.arange(1, 257, dtype=np.uint32), np.zeros(32, np.uint32)
    runtime.Device("sm_90", timing=False).load(image)["k"][1, 32](given, out)
    first = {"not_elected": 1}.get(name, 0)
    there = {0, 3} if name == "or" else set(range(first, first + lanes))
    expected = np.where([k // 4 in there for k in range(32)], given[:32], 0)
    np.testing.assert_array_equal(out, expected)


PARTS = """.version 8.7
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {
 .reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<9>; .shared .align 8 .b64 bars[64];
 ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, bars; mad.lo.u32 %r2, %r1, 8, %r2;
 mov.u64 %rd2, 0; st.shared.u64 [%r2], %rd2; bar.sync 0;
 shfl.sync.idx.b32 %r3, %r2, 0, PARTS, -1;
 and.b32 %r4, %r1, 15; setp.ne.u32 %p, %r4, 0; @%p bra DONE;
 mbarrier.init.shared.b64 [%r3], 5;
DONE: bar.sync 0; ld.shared.u64 %rd2, [%r2]; setp.ne.u64 %p, %rd2, 0; selp.u32 %r5, 1, 0, %p;
 mul.wide.u32 %rd3, %r1, 4; add.s64 %rd1, %rd1, %rd3; st.global.u32 [%rd1], %r5; ret; }
"""


@pytest.mark.parametrize(("parts", "made"), [(0x101F, [0, 16, 32, 48]), (0x1F, [0, 32])])
def test_a_lane_of_each_part_of_a_warp(parts: int, made: list[int]) -> None:
    """What a shfl takes from the first lane of each half is not one value for the warp: each half's barrier is made."""
    text = PARTS.replace("PARTS", str(parts))
    image = binary.write_cubin(ptxas.assemble(ptx.parse(SourceFile("k.ptx", text)), SM, Options()))
    out = np.zeros(64, np.uint32)
    runtime.Device("sm_90", timing=False).load(image)["k"][1, 64](out)
    assert np.flatnonzero(out).tolist() == made
