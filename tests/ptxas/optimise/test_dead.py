"""What nobody reads is not computed."""

from __future__ import annotations

import numpy as np
import pytest

import runtime
from minicc import arch, ptx, ptxas
from minicc.analysis.mix import instructions
from minicc.binary import write_cubin
from minicc.diagnostics import SourceFile
from minicc.ptxas.options import Options
from minicc.sass.instr import Imm

TEXT = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)
{{
  .reg .pred %p; .reg .b32 %v, %n; .reg .b64 %a, %b;
  ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; ld.param.u32 %n, [n];
  cvta.to.global.u64 %a, %a; cvta.to.global.u64 %b, %b;
  setp.ne.u32 %p, %n, 0;
  mov.b32 %v, 7;
  {load}
  st.global.b32 [%b], %v;
  ret;
}}"""


@pytest.mark.parametrize(("load", "cleared"), [("ld.global.b32 %v, [%a];", 0), ("@%p ld.global.b32 %v, [%a];", 1)])
def test_what_is_loaded_over_is_not_written(load: str, cleared: int) -> None:
    module = ptx.parse(SourceFile("k.ptx", TEXT.format(load=load)))
    program = ptxas.assemble(module, arch.get("sm_90"), Options())
    image = write_cubin(program)
    code = instructions(program.functions[0].code, arch.get("sm_90"))
    assert sum(1 for i in code if Imm(7) in i.operands) == cleared
    for n in (0, 1):
        a, b = np.array([5], "i4"), np.zeros(1, "i4")
        runtime.Device().load(image)["k"][1, 1](a, b, np.uint32(n))
        assert b[0] == (7 if cleared and not n else 5)


ASKED = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a)
{
  .reg .pred %p, %q; .reg .b32 %v, %w, %x, %y, %z; .reg .b64 %a;
  ld.param.u64 %a, [a];
  mov.u32 %v, %tid.x;
  shfl.sync.idx.b32 %w|%p, %v, 3, 31, -1;
  shfl.sync.down.b32 %x, %v, 1, 31, -1;
  add.s32 %y, %x, 1;
  shfl.sync.down.b32 %z, %y, 1, 31, -1;
  vote.sync.any.pred %q, %p, -1;
  st.global.u32 [%a], %w;
  ret;
}"""


def test_lanes_do_not_ask_for_what_nobody_reads() -> None:
    """Numba's shuffles of 64-bit sums of which one word is stored."""
    program = ptxas.assemble(ptx.parse(SourceFile("k.ptx", ASKED)), arch.get("sm_90"), Options())
    names = [i.mnemonic for i in instructions(program.functions[0].code, arch.get("sm_90"))]
    assert names.count("SHFL") == 1 and "VOTE" not in names
    out = np.zeros(1, np.uint32)
    device = runtime.Device("sm_90", hazards="report").load(write_cubin(program))
    assert not device["k"][(1, 1, 1), (32, 1, 1)](out).hazards and out[0] == 3
