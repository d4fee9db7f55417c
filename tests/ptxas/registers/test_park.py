"""Accumulators of warpgroup multiplies that do not all fit: those that are parked meanwhile come back as they were."""

from __future__ import annotations

import numpy as np

import runtime
from minicc import arch, binary, ptx, ptxas
from minicc.diagnostics import SourceFile
from minicc.ptxas.control.check import check
from minicc.ptxas.options import Options

COLUMNS, GROUPS = 104, 5
WORDS = COLUMNS // 4
"""Registers of a group: of halves, which need not be a multiple of four."""
HEAD = """.version 8.7 .target sm_90a .address_size 64 .visible .entry k(.param .u64 i, .param .u64 o) .maxnreg 128 {
 .reg .b64 %i, %o, %d, %w; .reg .b32 %t, %s, %a, %r; .shared .align 128 .b8 s[16384];
 ld.param.u64 %i, [i]; ld.param.u64 %o, [o]; mov.u32 %t, %tid.x; mov.u32 %s, s; mul.wide.u32 %w, %t, 4;
 add.s64 %i, %i, %w; mad.lo.u32 %a, %t, 4, %s;
"""
FENCE = "wgmma.fence.sync.aligned;\n"
WAIT = "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"


def names(group: int) -> list[str]:
    return [f"%g{group}_{n}" for n in range(WORDS)]


def multiply(group: int, adds: int) -> str:
    shape = f"wgmma.mma_async.sync.aligned.m64n{COLUMNS}k16.f16.f16.f16"
    return f"{shape} {{{', '.join(names(group))}}}, %d, %d, {adds}, 1, 1, 0, 0;\n"


def test_halves_that_are_parked() -> None:
    """The first group is away while four others are at work, all of the same product, which it then adds once more."""
    others = range(1, GROUPS)
    text = HEAD + "".join(f".reg .b32 {', '.join(names(g))};\n" for g in range(GROUPS))
    text += "".join(f"mov.u32 {name}, 0;\n" for g in range(GROUPS) for name in names(g))
    text += "".join(f"ld.global.u32 %r, [%i+{512 * n}]; st.shared.u32 [%a+{512 * n}], %r;\n" for n in range(8))
    text += "fence.proxy.async; bar.sync 0; shr.u32 %a, %s, 4; mov.b64 %d, {%a, 0x40000008};\n"
    text += FENCE + multiply(0, 0) + WAIT + FENCE + "".join(multiply(g, 0) for g in others) + WAIT
    text += f"mul.wide.u32 %w, %t, {8 * WORDS}; add.s64 %o, %o, %w;\n"
    for n in range(WORDS):  # of four equal words three differences, and a word
        differences = "".join(
            f"xor.b32 %a, {names(g)[n]}, {names(g + 1)[n]}; or.b32 %r, %r, %a;\n" for g in others[:-1]
        )
        text += f"mov.u32 %r, 0;\n{differences} xor.b32 %r, %r, {names(1)[n]}; st.global.u32 [%o+{8 * n}], %r;\n"
    text += FENCE + multiply(0, 1) + WAIT
    text += "".join(f"st.global.u32 [%o+{8 * n + 4}], {name};\n" for n, name in enumerate(names(0))) + "ret; }\n"
    machine = arch.get("sm_90a")
    image = ptxas.assemble(ptx.parse(SourceFile("k.ptx", text)), machine, Options(verify=True))
    assert not check(image.functions[0].code, machine)
    given = np.random.RandomState(1).uniform(-1, 1, 8 * 256).astype(np.float16)
    out = np.zeros((128, WORDS, 2), np.uint32)
    runtime.Device("sm_90", timing=False).load(binary.write_cubin(image))["k"][1, 128](given.view(np.uint32), out)
    one, two = (out[..., n].copy().view(np.float16) for n in range(2))
    assert one.any() and (two == 2 * one).all()
