"""Neighbours in shared and constant memory are loaded together where that is aligned, and give the same values."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import runtime
from minicc import sass
from minicc.binary import write_cubin
from minicc.ptxas import Options
from minicc.ptxas.control import check
from minicc.sass.program import Program
from tests.ptxas.conftest import ARCH, assemble

WORDS = 256
TABLE = ", ".join(str((7 * k * k + 3) % 1009) for k in range(WORDS))
TEXT = f""".version 8.8
.target sm_90
.address_size 64
.const .align 8 .u32 before[1];
.const .align 8 .u32 table[{WORDS}] = {{ {TABLE} }};
.visible .entry k(.param .u64 out, .param .u32 n)
{{
.shared .align 16 .u32 shared[{WORDS}];
.reg .b64 %rd<9>; .reg .b32 %r<99>; .reg .pred %p<9>;
ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [n]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4;
add.u64 %rd2, %rd0, %rd1; mov.u32 %r9, 0; mov.u32 %r8, 0; mov.u64 %rd3, table; mov.u64 %rd4, shared;
cvt.u32.u64 %r7, %rd4; shl.b32 %r6, %r1, 2; add.u32 %r5, %r7, %r6; cvt.u32.u64 %r4, %rd3; add.u32 %r4, %r4, %r6;
"""  # fmt: skip


def program(body: str, disabled: frozenset[str] = frozenset()) -> Program:
    """The body behind the copy of the table to shared memory, its sum in %r9 stored."""
    fill = "".join(
        f"add.u32 %r3, %r4, {128 * k}; ld.const.u32 %r2, [%r3]; st.shared.u32 [%r5+{128 * k}], %r2;"
        for k in range(WORDS // 32)
    )
    end = "st.global.u32 [%rd2], %r9; ret; }\n"
    made = assemble(TEXT + fill + "bar.sync 0;\n" + body + end, Options(disable=disabled))
    assert not check.check(made.functions[0].code, ARCH)
    return made


def output(made: Program) -> list[int]:
    out = np.zeros(32, np.uint32)
    runtime.Device().load(write_cubin(made))["k"][1, 32](out, 5)
    return list(map(int, out))


def loop(start: int, step: int, offsets: list[int], space: str) -> str:
    """Words at `offsets` (in words) of what the loop has come to, added up with weights."""
    base = {"const": "%r11", "shared": "%r12"}[space]
    body = f"mov.u32 %r10, {4 * start}; cvt.u32.u64 %r14, %rd3; L: add.u32 %r11, %r14, %r10; add.u32 %r12, %r7, %r10;\n"
    for k, offset in enumerate(offsets):
        body += f"ld.{space}.u32 %r{20 + k}, [{base}+{4 * offset}];\n"
    for k in range(len(offsets)):
        body += f"mad.lo.u32 %r9, %r9, 5, %r{20 + k};\n"
    return body + f"add.u32 %r10, %r10, {4 * step}; add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, %r0; @%p1 bra L;\n"


def wide(made: Program, name: str) -> int:
    """Wide loads in the code."""
    instrs = sass.decode_all(made.functions[0].code, ARCH)
    return sum(i.mnemonic == name and bool({"64", "128"} & {*i.modifiers}) for i in instrs)


def test_constants_of_a_loop() -> None:
    """Eight words of a table, eight a round: four loads; from an odd place, or with an odd step: eight."""
    words = list(range(8))
    assert wide(program(loop(0, 8, words, "const")), "LDC") == 4
    assert wide(program(loop(1, 8, words, "const")), "LDC") == 0
    assert wide(program(loop(0, 7, words, "const")), "LDC") == 0
    assert wide(program(loop(0, 8, words, "const"), frozenset({"vectorise"})), "LDC") == 0
    assert wide(program(loop(0, 8, words, "shared")), "LDS") == 2


@settings(max_examples=20, deadline=None)
@given(
    st.integers(0, 9), st.integers(1, 9), st.lists(st.integers(0, 9), min_size=2, max_size=9),
    st.sampled_from(["const", "shared"]),
)  # fmt: skip
def test_same_values(start: int, step: int, offsets: list[int], space: str) -> None:
    body = loop(start, step, offsets, space)
    assert output(program(body)) == output(program(body, frozenset({"vectorise"})))
