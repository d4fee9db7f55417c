"""Booleans that were packed into words: who asks for one of them asks for its predicate."""

from __future__ import annotations

import numpy as np

import runtime
from minicc.binary import write_cubin
from minicc.ptxas import Options
from tests.ptxas.conftest import assemble
from tests.ptxas.optimise.test_chains import made

KERNEL = """.version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n, .param .u32 m)
{
.reg .b64 %rd<90>; .reg .b32 %r<90>; .reg .b16 %h<90>; .reg .pred %p<99>;
ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [n]; ld.param.u32 %r1, [m]; mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x;
mul.wide.u32 %rd1, %r2, 4; add.s64 %rd0, %rd0, %rd1;
"""


def packed() -> str:
    """Four compares of the lane with n .. n + 3, as the low bits of %h40 and, below one of 64 bits, of %rd40."""
    body = ""
    for k in range(4):
        ones = "-1" if k % 2 else "1"
        body += f"add.s32 %r{10 + k}, %r2, {k}; setp.lt.s32 %p{k}, %r{10 + k}, %r0; selp.b16 %h{k}, {ones}, 0, %p{k};\n"
        body += f"shl.b16 %h{10 + k}, %h{k}, {k};\n"
    body += "or.b16 %h20, %h10, %h11; and.b16 %h21, %h20, 3; or.b16 %h22, %h12, %h13; and.b16 %h23, %h22, 12;\n"
    body += "or.b16 %h40, %h21, %h23; cvt.u64.u16 %rd39, %h40; shl.b64 %rd40, %rd39, 30;\n"
    return body


def asked(tests: str) -> str:
    return KERNEL + packed() + tests + "st.global.u32 [%rd0], %r80;\nret;\n}\n"


TESTS = """
shr.u16 %h50, %h40, 2; and.b16 %h51, %h50, 1; setp.ne.s16 %p20, %h51, 0; selp.b32 %r60, 1, 0, %p20;
shr.u64 %rd50, %rd40, 31; and.b64 %rd51, %rd50, 1; setp.eq.s64 %p21, %rd51, 0; selp.b32 %r61, 2, 0, %p21;
bfe.u64 %rd52, %rd40, 33, 1; setp.ne.s64 %p22, %rd52, 0; selp.b32 %r62, 4, 0, %p22;
setp.gt.s32 %p30, %r2, %r1; selp.b16 %h60, -1, 0, %p30; and.b16 %h61, %h60, %h50; and.b16 %h62, %h61, 1;
setp.ne.s16 %p23, %h62, 0; selp.b32 %r63, 8, 0, %p23;
xor.b16 %h63, %h60, %h40; and.b16 %h64, %h63, 1; setp.ne.s16 %p24, %h64, 0; selp.b32 %r64, 16, 0, %p24;
not.b16 %h65, %h40; or.b16 %h66, %h65, %h60; and.b16 %h67, %h66, 8; setp.eq.s16 %p25, %h67, 0;
selp.b32 %r65, 32, 0, %p25; prmt.b32 %r70, %r0, %r1, 0x3210;
cvt.u32.u16 %r71, %h40; and.b32 %r72, %r71, 15; setp.ne.s32 %p26, %r72, 0; selp.b32 %r66, 64, 0, %p26;
or.b32 %r80, %r60, %r61; or.b32 %r80, %r80, %r62; or.b32 %r80, %r80, %r63; or.b32 %r80, %r80, %r64;
or.b32 %r80, %r80, %r65; or.b32 %r80, %r80, %r66;
"""


def expected(lane: int, n: int, m: int) -> int:
    p = [lane + k < n for k in range(4)]
    q = lane > m
    return (
        p[2] | (not p[1]) << 1 | p[3] << 2 | (q and p[2]) << 3 | (q != p[0]) << 4 | (p[3] and not q) << 5 | any(p) << 6
    )


def test_each_bit() -> None:
    """Every place in the word, of 16 and 64 bits, inverted, joined with others."""
    for passes in ((), ("bits",)):
        program = assemble(asked(TESTS), Options(disable=frozenset(passes)))
        kernel = runtime.Device("sm_90", timing=False).load(write_cubin(program))["k"]
        for n, m in ((10, 5), (3, 31), (40, 0)):
            out = np.zeros(64, np.uint32)
            kernel[1, 64](out, np.int32(n), np.int32(m))
            assert out.tolist() == [expected(lane, n, m) for lane in range(64)], passes


def test_the_packing_goes() -> None:
    body = packed() + "".join(
        f"shr.u16 %h{50 + k}, %h40, {k}; and.b16 %h{60 + k}, %h{50 + k}, 1; setp.ne.s16 %p{20 + k}, %h{60 + k}, 0;\n"
        f"@%p{20 + k} st.global.u32 [%rd0+{4 * k}], %r2;\n"
        for k in range(4)
    )
    body = ".reg .b16 %h<90>; .reg .b32 %q<9>;\n" + body.replace("%rd39", "%rd2").replace("%rd40", "%rd3")
    counts = made(body)
    assert counts["SEL"] == counts["PRMT"] == counts["PLOP3"] == 0 and counts["ISETP"] == 4
    assert made(body, disable=frozenset({"bits"}))["SEL"] == 4
