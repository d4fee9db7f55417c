"""Values that are computed once: what hangs on a repeated compare, too."""

from __future__ import annotations

import numpy as np
import pytest

import minicc
import runtime
from minicc import sass
from minicc.binary import read_cubin, write_cubin
from minicc.diagnostics import SourceFile
from tests.ptxas.conftest import ARCH, assemble, mnemonics

TEXT = """.version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .f32 by)
{
.reg .b64 %rd<4>; .reg .b32 %r<16>; .reg .f32 %f<40>; .reg .pred %p<40>;
ld.param.u64 %rd0, [x]; ld.param.u64 %rd1, [y]; ld.param.f32 %f30, [by]; mov.u32 %r0, %tid.x;
mul.wide.u32 %rd2, %r0, 4; add.s64 %rd0, %rd0, %rd2; add.s64 %rd1, %rd1, %rd2;
TESTS
LOADS
DIVISIONS
STORES
ret;
}
"""


@pytest.mark.parametrize("compares", [0, 6])
def test_divisions_by_one_number(compares: int) -> None:
    """They share its reciprocal, which is scaled by what two compares of it choose, and however many other compares are
    repeated before them."""
    tests = "".join(
        f"setp.lt.u32 %p{2 * n}, %r0, {n + 3}; setp.lt.u32 %p{2 * n + 1}, %r0, {n + 3};"
        f"@%p{2 * n} add.s64 %rd1, %rd1, 0; selp.u32 %r{n + 1}, %r0, 0, %p{2 * n + 1};"
        f"@%p{2 * n} st.global.u32 [%rd1+{512 * n}], %r{n + 1};" for n in range(compares)
    )  # fmt: skip
    loads = "".join(f"ld.global.f32 %f{n}, [%rd0+{128 * n}];" for n in range(8))
    divisions = "".join(f"div.full.f32 %f{n + 8}, %f{n}, %f30;" for n in range(8))
    stores = "".join(f"st.global.f32 [%rd1+{4096 + 128 * n}], %f{n + 8};" for n in range(8))
    source = TEXT.replace("TESTS", tests).replace("LOADS", loads).replace("DIVISIONS", divisions)
    program = assemble(source.replace("STORES", stores))
    code = sass.decode_all(program.functions[0].code, ARCH)
    assert sum(i.mnemonic == "MUFU" for i in code) == 1
    kernel = runtime.Device("sm_90").load(write_cubin(program))["k"]
    x = np.random.RandomState(1).standard_normal(256).astype(np.float32)
    for by in (3.0, -1e-39, 2.0**127):
        y = np.zeros(1024 + 256, np.float32)
        kernel[1, 32](x, y, np.float32(by))
        with np.errstate(over="ignore", under="ignore"):
            want = (x.astype(np.float64) / np.float32(by)).astype(np.float32)
        assert np.allclose(y[1024:], want, rtol=3e-7, atol=1e-38)


@pytest.mark.parametrize(
    ("space", "between", "loads"),
    [
        ("global", "", 1),
        ("shared", "", 1),
        ("volatile.global", "", 2),
        ("volatile.shared", "", 2),
        ("relaxed.gpu.global", "", 2),
        ("global", "bar.sync 0;", 2),
        ("global", "membar.gl;", 2),
        ("global", "st.shared.b32 [%p + 8], %x;", 2),
        ("shared", "red.global.add.u32 [%p + 16], %x;", 2),
    ],
)
def test_loads_of_one_address(space: str, between: str, loads: int) -> None:
    """Nothing between them writes memory or waits for those who do; what is cleared first is loaded all the same."""
    text = f"""
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{{
  .reg .b32 %x, %y, %z; .reg .b64 %p;
  ld.param.u64 %p, [p];
  mov.b32 %x, 0;
  ld.{space}.b32 %x, [%p];
  {between}
  mov.b32 %y, 0;
  ld.{space}.b32 %y, [%p];
  add.s32 %z, %y, %x;
  st.global.b32 [%p + 4], %z;
  ret;
}}"""
    code = mnemonics(write_cubin(assemble(text)), "k")
    assert code.count("LDG") + code.count("LDS") == loads


def test_a_row_of_remainders_asks_once_whether_the_divisor_is_zero() -> None:
    """Once a block: one before the loop asks, too, whose answer would have to live on."""
    source = """
__global__ void f(const unsigned *t, unsigned *out, int n, unsigned most) {
    unsigned h = t[0] % most + threadIdx.x;
    for (int j = 1; j < n; j++) h = (h + t[j] * (threadIdx.x + 1)) % most;
    out[threadIdx.x] = h;
}
"""
    image = minicc.compile(SourceFile("f.k", source)).cubin
    code = sass.decode_all(read_cubin(image, "f").functions[0].code, ARCH)
    assert sum(sass.format(i).count("ISETP.EQ.U32") for i in code) <= 3
    t, out = np.arange(33, dtype=np.uint32) * np.uint32(2654435761), np.zeros(32, np.uint32)
    runtime.Device("sm_90").load(image)["f"][1, 32](t, out, np.int32(33), np.uint32(1000003))
    found = t[0] % np.uint32(1000003) + np.arange(32, dtype=np.uint32)
    for each in t[1:]:
        found = (found + each * np.arange(1, 33, dtype=np.uint32)) % np.uint32(1000003)
    assert np.array_equal(out, found)
