"""Exchanges to which lanes of a mask come at two places, the PTX of each kind: bar.warp.sync, elect, redux, match of 64
bits, with the mask in a register."""

from __future__ import annotations

import numpy as np
import pytest

import runtime
from minicc import arch, binary, ptx, ptxas
from minicc.diagnostics import SourceFile
from minicc.ptxas.options import Options
from minicc.sass import decode
from minicc.sass.instr import Imm, Reg

TEXT = """.version 8.7
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 mask) {
 .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<5>; .shared .align 4 .b8 s[128];
 ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;
 add.s64 %rd1, %rd1, %rd2; mov.u32 %r2, s; mad.lo.u32 %r3, %r1, 4, %r2; mad.lo.u32 %r8, %r1, 7, 3;
 MASK
 and.b32 %r5, %r1, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra ODD;
 EXCHANGE
 add.u32 %r4, %r4, 1000; bra END;
ODD:
 EXCHANGE
 add.u32 %r4, %r4, 2000; st.global.u32 [%rd1], %r4;
END: mov.u32 %r11, %r1; @%p1 bra DONE;
AGAIN: st.global.u32 [%rd1], %r4; add.u32 %r11, %r11, 7; setp.lt.u32 %p3, %r11, 40; @%p3 bra AGAIN;
DONE: ret; }
"""
LOADED = "ld.param.u32 %r10, [mask]; or.b32 %r9, %r10, %r1;"
LANES = np.arange(32, dtype=np.uint32)
VALUES = LANES * 7 + 3
TURNED = VALUES[LANES ^ 1]
KINDS = {
    "bar": ("st.shared.u32 [%r3], %r8; bar.warp.sync %r9; xor.b32 %r6, %r3, 4; ld.shared.u32 %r4, [%r6];", TURNED),
    "shfl": ("shfl.sync.bfly.b32 %r4, %r8, 1, 31, %r9;", TURNED),
    "match": ("cvt.u64.u32 %rd3, %r8; and.b64 %rd3, %rd3, 8; match.any.sync.b64 %r4, %rd3, %r9;", None),
    "match of zero": ("match.any.sync.b64 %r4, 0, %r9;", np.uint32(0xFFFFFFFF)),
    "redux": ("redux.sync.add.u32 %r4, %r8, %r9;", np.uint32(VALUES.sum())),
    "elect": ("elect.sync %r6|%p2, %r9; selp.u32 %r4, 1, 0, %p2;", (LANES == 0).astype(np.uint32)),
}  # fmt: skip


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_lanes_meet_at_two_places(kind: str, known: bool) -> None:
    """`known`: the mask is a constant, else the lanes have it in a register."""
    exchange, expected = KINDS[kind]
    text = TEXT.replace("EXCHANGE", exchange).replace("MASK", "mov.u32 %r9, -1;" if known else LOADED)
    image = binary.write_cubin(ptxas.assemble(ptx.parse(SourceFile("k.ptx", text)), arch.get("sm_90"), Options()))
    out = np.zeros(32, np.uint32)
    launch = runtime.Device("sm_90", hazards="report").load(image)["k"][1, 32](out, np.uint32(0xFFFFFFFF))
    assert not launch.hazards
    if expected is None:
        alike = (VALUES & 8)[:, None] == (VALUES & 8)
        expected = (alike * (1 << LANES)).sum(axis=1).astype(np.uint32)
    np.testing.assert_array_equal(out, expected + np.where(LANES & 1, 2000, 1000).astype(np.uint32))


def test_all_masks_are_in_one_register() -> None:
    """Also before barriers of the whole warp: an H200 looks at it in lanes that wait in another collective."""
    exchange = "shfl.sync.bfly.b32 %r4, %r8, 1, 31, %r9; barrier.sync 0; match.any.sync.b32 %r6, %r1, %r9;"
    text = TEXT.replace("EXCHANGE", exchange).replace("MASK", LOADED)
    program = ptxas.assemble(ptx.parse(SourceFile("k.ptx", text)), arch.get("sm_90"), Options())
    code = program.functions[0].code
    found = [decode(int.from_bytes(code[k : k + 16], "little"), arch.get("sm_90")) for k in range(0, len(code), 16)]
    masks = {str(i.operands[1]) for i in found if i.mnemonic == "WARPSYNC" and i.modifiers == ("COLLECTIVE",)}
    of_all = [i for i in found if i.mnemonic == "WARPSYNC" and i.modifiers == ("COLLECTIVE", "ALL")]
    set_ = [i for i in found if i.mnemonic == "MOV" and i.operands[:2] == (Reg("R", 15), Imm(0xFFFFFFFF, "uint"))]
    assert masks == {str(Reg("R", 15))}
    assert len(of_all) == len(set_) == 2
