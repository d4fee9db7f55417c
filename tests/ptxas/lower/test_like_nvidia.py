"""Rare forms give the bits of NVIDIA's ptxas on the SM model: saturating and narrowing conversions, flushed signs,
compares into halves, video instructions of words of either sign."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np

import runtime
from minicc import arch, binary, ptx, ptxas
from minicc.diagnostics import SourceFile
from minicc.ptxas.options import Options
from tests.conftest import nvidia_assembles

THREADS = 64
HEAD = """.version 9.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in)
{
.reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %rd<8>; .reg .f64 %fd<8>;
.reg .b32 %t<4>;
ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [in]; mov.u32 %t0, %tid.x;
mad.wide.u32 %rd1, %t0, 64, %rd1; mad.wide.u32 %rd0, %t0, SIZE, %rd0;
ld.global.b32 %r2, [%rd1]; ld.global.b32 %r3, [%rd1+4]; ld.global.b32 %f2, [%rd1]; ld.global.b32 %f3, [%rd1+4];
ld.global.b16 %h2, [%rd1]; ld.global.b16 %h3, [%rd1+4]; ld.global.b64 %rd2, [%rd1+8]; ld.global.b64 %fd2, [%rd1+8];
"""
INTEGERS = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
SOURCE = {t: "%h2" if t[1:] in ("8", "16") else "%r2" if t[1:] == "32" else "%rd2" for t in INTEGERS}
FORMS = [
    *(f"cvt.{to}.{by} %h1, {SOURCE[by]};" for to in ("u8", "s8") for by in INTEGERS if by != to),
    *(f"cvt.{r}.sat.f16.{by} %h1, {SOURCE[by]};" for r in ("rn", "rz") for by in INTEGERS),
    *(f"cvt.rn.sat.f64.{by} %fd1, {SOURCE[by]};" for by in INTEGERS),
    *(f"cvt.rzi.{by}.f64 %h1, %fd2;" for by in ("u8", "s8")),
    "cvt.rn.sat.f16.f64 %h1, %fd2;",
    "cvt.rmi.sat.f16.f16 %h1, %h2;",
    "cvt.rmi.sat.f64.f64 %fd1, %fd2;",
    "cvt.sat.f32.f16 %f1, %h2;",
    "cvt.sat.f64.f16 %fd1, %h2;",
    *(f"{op}.{z}{t}" for op in ("abs", "neg") for z in ("", "ftz.") for t in ("f16 %h1, %h2;", "f16x2 %r1, %r2;")),
    *(f"{op}.{t}" for op in ("abs", "neg") for t in ("bf16 %h1, %h2;", "bf16x2 %r1, %r2;")),
    "testp.normal.f32 %p1, %f2;",
    "testp.normal.f64 %p1, %fd2;",
    "set.lt.f16.f32 %h1, %f2, %f3;",
    "set.ge.bf16.s32 %h1, %r2, %r3;",
    *(
        f"{op}.{d}.{a}.{b} %r1, %r2, %r3;"
        for op in ("vmin", "vmax", "vabsdiff")
        for d in ("u32", "s32")
        for a, b in (("u32", "s32"), ("s32", "u32"), ("s32", "s32"))
    ),
    *(f"vset.{a}.{b}.{c} %r1, %r2, %r3;" for a, b in (("u32", "s32"), ("s32", "u32")) for c in ("lt", "ge", "eq")),
]
WORDS = [
    0,
    1,
    0x80000000,
    0xFFFFFFFF,
    0x7F800000,
    0xFF800000,
    0x7FC00000,
    0x3F800000,
    0x00010002,
    0x807FFFFF,
    0x3C003C00,
]


def program() -> str:
    """Every form once, each result in its own 8 bytes."""
    text = ""
    for n, form in enumerate(FORMS):
        match = re.match(r"\S+ (%[a-z]+)1", form)
        assert match is not None
        file, at = match[1], f"[%rd0+{8 * n}]"
        text += form + "\n"
        if file == "%p":
            text += f"selp.b32 %t1, 1, 0, %p1; st.global.b32 {at}, %t1;\n"
        else:
            text += f"st.global.b{ {'%h': 16, '%r': 32, '%f': 32, '%rd': 64, '%fd': 64}[file] } {at}, {file}1;\n"
    return HEAD.replace("SIZE", str(8 * len(FORMS))) + text + "ret;\n}\n"


def test_same_bits(tmp_path: Path) -> None:
    text = program()
    theirs = nvidia_assembles(text, tmp_path, "sm_90a")
    module = ptx.parse(SourceFile("k.ptx", text))
    ours = binary.write_cubin(ptxas.assemble(module, arch.get("sm_90a"), Options()))
    draw = random.Random(7)
    data = np.array(
        [draw.choice(WORDS) if draw.random() < 0.4 else draw.getrandbits(32) for _ in range(16 * THREADS)], np.uint32
    )
    results = []
    for image in (theirs, ours):
        out = np.zeros(THREADS * len(FORMS), np.uint64)
        runtime.Device("sm_90a", timing=False).load(image)["k"][(1,), (THREADS,)](out, data)
        results.append(out.reshape(THREADS, len(FORMS)))
    for n, form in enumerate(FORMS):
        assert np.array_equal(results[0][:, n], results[1][:, n]), form
