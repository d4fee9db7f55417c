"""Uniform registers where what is live in them does not fit: copies by lanes with several operands."""

from __future__ import annotations

import numpy as np

import runtime
from minicc import arch, binary, ptx, ptxas
from minicc.diagnostics import SourceFile
from minicc.ptxas.control.check import check
from minicc.ptxas.options import Options

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


def test_copies_by_lanes_with_other_addresses() -> None:
    """Eight lanes each copy one quarter of 64 bytes: what one copy takes cannot live from block to block beside what 39
    others take."""
    places = [64 * n for n in range(COPIES)]
    loads = "".join(LOAD.format(128 * n) for n in range(COPIES // 2))
    text = HEAD + loads + CHUNKS + "".join(COPY.format(place) for place in places) + END
    image = ptxas.assemble(ptx.parse(SourceFile("k.ptx", text)), arch.get("sm_90"), Options())
    assert not [problem for f in image.functions for problem in check(f.code, arch.get("sm_90"))]
    given = np.arange(16 * COPIES, dtype=np.uint32)
    out = np.zeros_like(given)
    runtime.Device("sm_90", timing=False).load(binary.write_cubin(image))["k"][1, 32](given, out)
    np.testing.assert_array_equal(out, given)
