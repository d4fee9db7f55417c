"""Uniform registers where what is live in them does not fit: copies by lanes with several operands."""

from __future__ import annotations

import numpy as np

import runtime
from minicc import arch, binary, ptx, ptxas
from minicc.analysis.mix import instructions
from minicc.diagnostics import SourceFile
from minicc.ptxas.control.check import check
from minicc.ptxas.options import Options
from minicc.sass.instr import Imm
from minicc.sass.program import Program

COPIES = 40
HEAD = """.version 8.7
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
 .reg .b32 %r<9>; .reg .b64 %rd<9>; .shared .align 16 .b8 s[4096];
 ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
 mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd3, %rd1, %rd3; mov.u32 %r2, s; mad.lo.u32 %r4, %r1, 4, %r2;
"""
LOAD = " ld.global.b32 %r3, [%rd3+{0}]; st.shared.b32 [%r4+{0}], %r3;\n"
CHUNKS = """ fence.proxy.async; bar.sync 0;
 and.b32 %r5, %r1, 24; shl.b32 %r5, %r5, 1; add.u32 %r6, %r2, %r5; cvt.u64.u32 %rd5, %r5; add.s64 %rd6, %rd2, %rd5;
"""
COPY = " cp.async.bulk.global.shared::cta.bulk_group [%rd6+{0}], [%r6+{0}], 16;\n"
END = " cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret; }\n"


PRODUCT = """ .reg .f32 %f<5>; .reg .b64 %d<3>;
 shr.u32 %r7, %r2, 4; mov.b64 %d1, {%r7, 0x40000040}; add.u32 %r8, %r7, 16; mov.b64 %d2, {%r8, 0x40000040};
 wgmma.fence.sync.aligned;
 wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %d1, %d2, 0, 1, 1, 0, 0;
 wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; st.global.f32 [%rd2+4096], %f1;
"""


def assembled(name: str, body: str) -> Program:
    loads = "".join(LOAD.format(128 * n) for n in range(COPIES // 2))
    copies = "".join(COPY.format(64 * n) for n in range(COPIES))
    text = (HEAD + loads + CHUNKS + body + copies + END).replace("sm_90", name)
    return ptxas.assemble(ptx.parse(SourceFile("k.ptx", text)), arch.get(name), Options())


def test_a_register_of_which_a_part_is_constant_stays_whole() -> None:
    """The descriptors of a product have constants above addresses; where uniform registers do not suffice these are not
    made anew without the rest."""
    image = assembled("sm_90a", PRODUCT)
    code = instructions(image.functions[0].code, arch.get("sm_90a"))
    assert sum(Imm(0x40000040, "uint") in inst.operands for inst in code if inst.mnemonic == "UMOV") == 2


def test_copies_by_lanes_with_other_addresses() -> None:
    """Eight lanes each copy one quarter of 64 bytes: what one copy takes cannot live from block to block beside what 39
    others take."""
    image = assembled("sm_90", "")
    assert not [problem for f in image.functions for problem in check(f.code, arch.get("sm_90"))]
    given = np.arange(16 * COPIES, dtype=np.uint32)
    out = np.zeros_like(given)
    runtime.Device("sm_90", timing=False).load(binary.write_cubin(image))["k"][1, 32](given, out)
    np.testing.assert_array_equal(out, given)
