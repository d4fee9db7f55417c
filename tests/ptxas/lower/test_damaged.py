"""Altered instructions: each compiles, or is one error with a place; never a traceback or an encoder's complaint."""

from __future__ import annotations

import random
import re

from minicc.diagnostics import CompileError
from tests.ptxas.lower.harness import assemble

HEAD = (
    ".version 9.0\n.target sm_90\n.address_size 64\n.global .b32 gv;\n"
    ".visible .entry k(.param .u64 a, .param .u32 n) {"
    " .reg .b64 %rd<20>; .reg .b32 %r<20>; .reg .pred %p<9>; .reg .f32 %f<20>; .reg .b16 %h<9>; .reg .f64 %d<9>;"
    " .local .b8 lv[16]; .shared .b8 sv[16]; ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n];"
    " ld.global.u32 %r2, [%rd1];\n"
)
LINES = """
ld.global.v2.u32 {%r3,%r4}, [%rd1+8]; st.global.v4.u32 [%rd1], {%r1,%r2,%r1,%r2};
ld.acquire.gpu.global.u32 %r5, [%rd1]; atom.global.add.u32 %r3, [%rd1], %r2;
atom.shared.cas.b64 %rd4, [%r1], %rd3, %rd2; red.global.add.f32 [%rd1], %f1; atom.add.f64 %d5, [%rd3], %d1;
shf.l.wrap.b32 %r3, %r1, %r2, %r1; mad.hi.u32 %r4, %r1, %r2, %r2; bfe.s64 %rd4, %rd3, %r1, %r2;
setp.lt.and.s32 %p1|%p2, %r1, 5, %p3; selp.u32 %r3, 1, %r2, %p1; add.sat.s32 %r4, %r1, %r2;
mul.wide.s32 %rd5, %r1, 12; bar.sync 1, 64; bar.red.popc.u32 %r4, 3, 64, %p1;
shfl.sync.bfly.b32 %r3|%p1, %r2, 1, 31, -1; vote.sync.any.pred %p1, !%p2, -1; match.all.sync.b32 %r4|%p1, %r2, -1;
redux.sync.add.s32 %r3, %r2, -1; div.full.f32 %f3, %f1, %f2; sqrt.rn.f64 %d3, %d1; ex2.approx.f32 %f4, %f1;
cvt.rni.u32.f32 %r4, %f1; cvt.rn.f16x2.f32 %r3, %f1, %f2; cvt.sat.s16.s32 %h1, %r2;
fma.rn.f32 %f1, %f2, 0f3F800000, %f3; max.f16 %h3, %h3, %h4; fma.rn.bf16 %h5, %h1, %h2, %h3;
mov.b64 {%r1,%r2}, %rd3; lop3.b32 %r1, %r2, %r3, 7, 0x1b; prmt.b32 %r1, %r2, %r3, 0x5410;
ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3,%r4,%r5,%r6}, [%r2]; cp.async.ca.shared.global [%r1], [%rd1], 16;
fence.sc.gpu; dp4a.s32.u32 %r1, %r2, %r3, %r4; isspacep.shared %p1, %rd1; cvta.shared.u64 %rd2, %rd3;
nanosleep.u32 100; activemask.b32 %r3; slct.f32.s32 %f1, %f2, %f3, %r1; div.u64 %rd1, %rd2, %rd3;
"""
OPERANDS = [
    "%r1", "%rd1", "%p1", "!%p2", "%f1", "%h1", "%d1", "5", "-1", "0f3F800000", "0x123456789", "[%rd1]", "[%rd1+8]",
    "[%r1]", "{%r1,%r2}", "_", "gv", "[gv]", "[lv+4]", "sv", "%tid.x", "{%h1,%h2}", "%r3|%p1", "1.5",
    "0d3FF8000000000000", "%clock64", "lv", "%laneid", "%r1.b0", "-%r2",
]  # fmt: skip


def test_altered_instructions() -> None:
    chance = random.Random(31)
    lines = [line.strip() for line in LINES.replace("\n", " ").split(";") if line.strip()]
    words = [m for line in lines for m in line.split()[0].split(".")[1:]]
    compiled = 0
    for _ in range(1500):
        head, _, rest = chance.choice(lines).partition(" ")
        parts = re.findall(r"\{[^}]*\}|\[[^\]]*\]|[^,\s]+", rest)
        for _ in range(chance.randint(0, 2)):
            kind = chance.random()
            if kind < 0.45 and parts:
                parts[chance.randrange(len(parts))] = chance.choice(OPERANDS)
            elif kind < 0.55 and parts:
                parts.pop(chance.randrange(len(parts)))
            elif kind < 0.65:
                parts.append(chance.choice(OPERANDS))
            elif "." in head:
                pieces = head.split(".")
                pieces[chance.randrange(1, len(pieces))] = chance.choice(words)
                head = ".".join(pieces)
        text = f"{chance.choice(['', '@%p1 ', '@!%p2 '])}{head} {', '.join(parts)};"
        try:
            assemble(f"{HEAD}{text}\nst.global.u32 [%rd1], %r2; ret;}}\n")
            compiled += 1
        except CompileError as error:
            first = error.diagnostics[0]
            assert first.code.startswith(("ptx.", "ptxas.")), f"{text}: {first.render()}"
            assert first.where is not None, f"{text}: {first.render()}"
    assert compiled > 300
