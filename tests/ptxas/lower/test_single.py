"""Single instructions: NVIDIA's code and ours of the same PTX leave the same registers and memory on the model."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from minicc import binary
from minicc.sass.program import Program
from tests.conftest import nvidia_assembles
from tests.ptxas.lower.harness import assemble, device

REGISTERS = {"%h": ("b16", 2), "%r": ("b32", 4), "%f": ("f32", 4), "%rd": ("b64", 8), "%fd": ("f64", 8)}
HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"
EIGHT = "{%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}"
WORDS = {n: "{" + ",".join(f"%r{n + k}" for k in range(4)) + "}" for n in (1, 5, 10, 20)}
FRAGMENT = {n: "{" + ",".join(f"%r{n + k}" for k in range(8)) + "}" for n in (20, 30)}
CASES = (
    *(f"mma.sync.aligned.m8n8k4.{a}.{b}.f16.f16.f16.f16 {WORDS[1]},{{%r5,%r6}},{{%r7,%r8}},{WORDS[10]};"
      for a in ("row", "col") for b in ("row", "col")),
    *(f"mma.sync.aligned.m8n8k4.{a}.{b}.f32.f16.f16.f32 {EIGHT},{{%r5,%r6}},{{%r7,%r8}},{EIGHT};"
      for a in ("row", "col") for b in ("row", "col")),
    f"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16 {EIGHT},{{%r5,%r6}},{{%r7,%r8}},{WORDS[10]};",
    *(f"mma.sync.aligned.m8n8k4.row.col{r}.f64.f64.f64.f64 {{%fd1,%fd2}},{{%fd3}},{{%fd4}},{{%fd1,%fd2}};"
      for r in ("", ".rz", ".rm", ".rp")),
    "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1,%f2,%f3,%f4},{3,5,%r1,%r2},{%r3,%r4},"
    "{0f00000000,0f3f800000,0f40000000,0fbf800000};",
    "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r1,%r2,%r3,%r4},{%r1,%r5,%r6,%r7},"
    "{0x01020304,%r3},{0,0,7,-1};",
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1,%fd2},{%fd3},"
    "{0d4008000000000000},{0d3ff0000000000000,%fd4};",
    f"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16 {EIGHT},{FRAGMENT[20]},{FRAGMENT[30]},{WORDS[1]};",
    f"wmma.mma.sync.aligned.row.col.m16n16k16.f16.f32 {WORDS[1]},{FRAGMENT[20]},{FRAGMENT[30]},{EIGHT};",
    f"mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.u4.s32 {WORDS[1]},{WORDS[5]},{{%r20,%r21}},{WORDS[10]};",
    *(f"mma.sp::ordered_metadata.sync.aligned.m16n8k{k}.row.col{s}.s32.{a}.{b}.s32 "
      f"{WORDS[1]},{x},{y},{WORDS[10]},%r9,0x0;"
      for k, x, y in ((64, "{%r5,%r6}", "{%r7,%r8}"), (128, WORDS[5], WORDS[20]))
      for s, a, b in (("", "s4", "u4"), (".satfinite", "u4", "s4"))),
    *(f"cvt.{r}.bf16.{t} %h1,%{x}2;" for r in ("rn", "rz", "rm", "rp") for t, x in (("s32", "r"), ("u64", "rd"))),
    "cvt.rn.satfinite.f16.f32 %h1,%f2;", "cvt.rz.satfinite.relu.bf16.f32 %h1,%f2;", "cvt.rp.ftz.f16.f32 %h1,%f2;",
    "cvt.rna.satfinite.tf32.f32 %r1,%f2;",
    *(f"cvt.pack.sat.{t}.s32.b32 %r1,%r2,%r3,%r4;" for t in ("u8", "s8", "u4", "s4", "u2", "s2")),
    "add.cc.u32 %r1,%r2,%r3; addc.u16 %h1,%h2,%h3;", "sub.cc.u32 %r1,%r2,%r3; subc.sat.s32 %r1,%r4,%r5;",
    "add.cc.u32 %r1,%r2,%r3; madc.lo.s16 %h1,%h2,%h3,%h4;", "mov.v4.u32 {%r1,%r2,%r3,%r4},%tid;",
    "atom.cluster.cas.b32 %r1,[%rd0],%r2,%r3;", "atom.exch.b64 %rd1,[%rd0],%rd2;",
    "atom.cas.b64 %rd1,[%rd0],%rd2,%rd3;",
    "atom.add.v2.f32 {%f1,%f2},[%rd0],{%f3,%f4};", "red.add.noftz.v2.bf16x2 [%rd0],{%r1,%r2};",
)  # fmt: skip


ENDS = np.array([0, 1, 0x7FFFFF, 0x800000, 0x7F7FEFFF, 0x7F7FFFFF, 0x7F800000], np.uint32)
ENDS = np.concatenate([ENDS, ENDS | 1 << 31])
"""The least and largest denormal and number, the last that rounds to a finite one of 10 bits, infinity."""


def kernel(name: str, text: str) -> str:
    """Registers that the instruction names come from and go to a kilobyte of each lane; %rd0 is memory of its own."""
    found = sorted(set(re.findall(r"%(?:h|rd|r|fd|f)\d+", text)) - {"%rd0"})
    lines = [
        f".visible .entry {name}(.param .u64 in, .param .u64 out, .param .u64 own) {{",
        ".reg .b16 %h<9>; .reg .b32 %r<40>; .reg .f32 %f<9>; .reg .b64 %rd<9>; .reg .f64 %fd<9>;",
        ".reg .b64 %in, %out; .reg .b32 %lane; ld.param.u64 %in, [in]; ld.param.u64 %out, [out];",
        "ld.param.u64 %rd0, [own]; mov.u32 %lane, %tid.x; mad.wide.u32 %in, %lane, 1024, %in;",
        "mad.wide.u32 %out, %lane, 1024, %out; mad.wide.u32 %rd0, %lane, 64, %rd0;",
    ]
    kinds = {r: REGISTERS[r.rstrip("0123456789")][0] for r in found}
    lines += [f"ld.global.{kinds[r]} {r}, [%in+{8 * n}];" for n, r in enumerate(found)]
    lines.append(text)
    lines += [f"st.global.{kinds[r]} [%out+{8 * n}], {r};" for n, r in enumerate(found)]
    return "\n".join([*lines, "ret; }\n"])


def test_as_nvidia_compiles_them(tmp_path: Path) -> None:
    text = HEAD + "".join(kernel(f"k{n}", case) for n, case in enumerate(CASES))
    theirs = nvidia_assembles(text, tmp_path)
    program = assemble(text)
    assert isinstance(program, Program)
    modules: list[Any] = [device().load(image) for image in (theirs, binary.write_cubin(program))]
    random = np.random.default_rng(5)
    given = [
        random.integers(0, 1 << 32, 32 * 256, dtype=np.uint64).astype(np.uint32),
        random.standard_normal(32 * 512).astype(np.float16).view(np.uint32),
        random.choice(ENDS, 32 * 256),
    ]
    for n, case in enumerate(CASES):
        for words in given:
            results = []
            for module in modules:
                out, own = np.zeros(32 * 256, np.uint32), words[: 32 * 16].copy()
                module[f"k{n}"][1, 32](words, out, own)
                results.append(np.concatenate([out, own]))
            assert np.array_equal(*results), case
