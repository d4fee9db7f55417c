"""Words of products that are made together, and are what they were."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

import runtime
from minicc.analysis.mix import instructions
from minicc.binary import write_cubin
from minicc.ptxas import Options
from tests.ptxas.conftest import ARCH, assemble, checked

BOTH = """\
//! n = 256
//! a = randint(-2147483648, 2147483647, n, i32)
//! b = randint(-2147483648, 2147483647, n, i32)
//! c = zeros(2 * n, i32)
//! f[1, n](a, b, c, n, 77)
//! w = u64(u32(a)) * 3528531795
//! expect(c[0:n], i32(u32(w >> 32) ^ u32(w)))
//! s = i64(b) * 77
//! expect(c[n:2 * n], i32(s >> 32) ^ i32(s))

__global__ void f(const int *a, const int *b, int *c, int n, int d)
{
    unsigned x = a[threadIdx.x];
    int y = b[threadIdx.x];
    c[threadIdx.x] = __umulhi(x, 0xD2511F53u) ^ (x * 0xD2511F53u);
    c[n + threadIdx.x] = __mulhi(y, d) ^ (y * d);
}
"""


def test_both_words_are_one_product(tmp_path: Path) -> None:
    """A constant, and a number of the launch, which may stand as an operand in one of the two and not in the other."""
    assert "IMAD.HI" not in checked(tmp_path, BOTH, "HI")
    (tmp_path / "once").mkdir()
    assert checked(tmp_path / "once", BOTH, "WIDE").count("IMAD.WIDE") >= 2


KERNEL = """.version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y)
{{
.reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<2>;
ld.param.u64 %rd0, [x]; ld.param.u64 %rd1, [y];
mov.u32 %r8, %tid.x; mul.wide.u32 %rd2, %r8, 32; add.s64 %rd0, %rd0, %rd2; add.s64 %rd1, %rd1, %rd2;
ld.global.v4.u32 {{%r0, %r1, %r2, %r3}}, [%rd0];
ld.global.v4.u32 {{%r4, %r5, %r6, %r7}}, [%rd0+16];
mov.u32 %r8, 0;
LOOP:
{body}
add.u32 %r8, %r8, 1; setp.lt.u32 %p0, %r8, 2; @%p0 bra LOOP;
st.global.v4.u32 [%rd1], {{%r0, %r1, %r2, %r3}};
st.global.v4.u32 [%rd1+16], {{%r4, %r5, %r6, %r7}};
ret;
}}
"""
"""Eight words a thread, which the body changes twice."""
OPERATIONS = ("mul.hi.u32", "mul.hi.s32", "mul.lo.u32", "mul.lo.s32", "mul.wide.u32", "mul.wide.s32")


def test_random_products() -> None:
    """Products of few words, which are written again between them: the same with and without the pass."""
    upper = []
    for seed in range(12):
        source = KERNEL.format(body="\n".join(_products(random.Random(seed))))
        x = np.random.default_rng(seed).integers(0, 1 << 32, 8 * 64, dtype=np.uint32)
        results = []
        for options in (Options(), Options(disable=frozenset({"products"}))):
            y = np.zeros_like(x)
            program = assemble(source, options)
            runtime.Device("sm_90").load(write_cubin(program))["k"][1, 64](x, y)
            code = instructions(program.functions[0].code, ARCH)
            results.append((y, sum(i.mnemonic == "IMAD" and "HI" in i.modifiers for i in code)))
        assert np.array_equal(results[0][0], results[1][0])
        upper.append([count for _, count in results])
    assert all(ours <= without for ours, without in upper)
    assert sum(ours for ours, _ in upper) < sum(without for _, without in upper)


def _products(draw: random.Random) -> list[str]:
    """Operations on three words, whose results change them now and then."""
    lines = []
    for _ in range(40):
        operation = draw.choice(OPERATIONS)
        a, b = f"%r{draw.randrange(3)}", draw.choice(("%r0", "%r1", "%r2", "77", "0x80000001", "%r3"))
        if "wide" in operation:
            lines.append(f"{operation} %rd3, {a}, {b}; mov.b64 {{%r4, %r5}}, %rd3; xor.b32 %r6, %r6, %r5;")
        else:
            to = draw.randrange(3, 8)
            lines.append(f"{operation} %r{to}, {a}, {b}; xor.b32 %r{draw.randrange(6, 8)}, %r{to}, %r6;")
        if draw.random() < 0.15:
            lines.append(f"xor.b32 %r{draw.randrange(3)}, %r{draw.randrange(3)}, %r{draw.randrange(8)};")
    return lines
