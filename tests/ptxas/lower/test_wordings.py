"""Wordings of modules that compilers do not emit: what a hand writes runs as NVIDIA's ptxas has it."""

from __future__ import annotations

import numpy as np
import pytest

import runtime
from minicc import arch, binary, ptx, ptxas
from minicc.diagnostics import CompileError, SourceFile
from minicc.ptxas.options import Options

HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"
STATICS = """.global .b32 tab[2] = {7, 8};
.visible .entry k(.param .u64 out) {
  .reg .b64 %d<4>; .reg .b32 %r<9>;
  .global .b32 other[4] = {1, 2, 3, 4};
  .const .u32 c = 5;
  ld.param.u64 %d1, [out];
  ld.global.u32 %r1, [other+8];
  { .global .u32 tab[1] = {77}; ld.global.u32 %r2, [tab]; mov.u64 %d3, tab; st.global.u32 [%d3], 78; }
  ld.global.u32 %r3, [tab];
  ld.const.u32 %r4, [c];
  st.global.v4.u32 [%d1], {%r1, %r2, %r3, %r4};
  ret;
}
"""
VECTORS = """.func (.reg .v2 .u32 r) swap(.reg .v2 .u32 a, .reg .u32 b) {
  add.u32 r.x, a.y, b;
  mov.u32 r.y, a.x;
  ret;
}
.visible .entry k(.param .u64 out) {
  .reg .b64 %d1; .reg .v2 .u32 v; .reg .u32 %r1;
  ld.param.u64 %d1, [out];
  mov.v2.u32 v, {3, 4};
  mov.u32 %r1, 10;
  call (v), swap, (v, %r1);
  call (v), swap, (v, %r1);
  st.global.v2.u32 [%d1], v;
  st.global.v2.u32 [%d1+8], {%r1, %r1};
  ret;
}
"""


def compile_(text: str) -> bytes:
    return binary.write_cubin(ptxas.assemble(ptx.parse(SourceFile("k.ptx", text)), arch.get("sm_90"), Options()))


@pytest.mark.parametrize(("body", "expected"), [(STATICS, [3, 77, 7, 5]), (VECTORS, [13, 14, 10, 10])])
def test_runs(body: str, expected: list[int]) -> None:
    """Variables of module spaces in bodies and inner scopes; vectors as parameters of functions."""
    out = np.zeros(4, np.uint32)
    runtime.Device("sm_90", timing=False).load(compile_(HEAD + body))["k"][1, 1](out).wait()
    assert out.tolist() == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD.replace("size 64", "size 32") + ".visible .entry k() { ret; }\n", "32-Bit ABI"),
        (HEAD + ".visible .entry k() { .shared .b32 s[]; ret; }\n", "has incomplete type"),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        compile_(text)


DEBUG = """.visible .entry k(.param .u64 out) {
  .reg .b64 %d1;
  ld.param.u64 %d1, [out];
  bra.uni $L__tmp0;
$L__tmp0:
  st.global.u32 [%d1], 5;
  ret;
}
.section .debug_info { .b64 $L__tmp0 }
"""


def test_a_label_of_debug_sections_is_a_target_too() -> None:
    """nvcc -G branches to labels that debug information names."""
    assert compile_(HEAD + DEBUG)
