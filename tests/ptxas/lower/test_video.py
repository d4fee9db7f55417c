"""Video instructions: NVIDIA's code of the same PTX gives the same bits on the model."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from minicc import binary
from minicc.sass.program import Program
from tests.conftest import nvidia_assembles
from tests.ptxas.lower.harness import assemble, device

OPERATIONS = ("add", "sub", "avrg", "absdiff", "min", "max")
SCALAR = (
    "vadd.s32.u32.s32 %r4, %r1.b0, %r2.h1;",
    "vsub.u32.u32.u32 %r4, %r1.b1, %r2;",
    "vabsdiff.u32.u32.u32.add %r4, %r1, %r2, %r3;",
    "vmin.s32.s32.s32 %r4, %r1.b3, %r2;",
    "vmax.u32.u32.u32.max %r4, %r1, %r2.b2, %r3;",
    "vset.u32.u32.lt %r4, %r1, %r2;",
    "vmax.s32.s32.s32.min %r4, %r1.h0, %r2.b2, %r3;",
    *(f"v{op}.s32.{a}.{b}.sat %r4, %r1, %r2;" for op in ("add", "sub") for a in ("s32", "u32") for b in ("s32", "u32")),
    "vadd.s32.s32.s32.sat.add %r4, %r1, %r2, %r3;",
    "vmin.s32.s32.s32 %r4.b0, %r1, %r2, %r3;",
    "vshl.u32.u32.u32.clamp %r4, %r1, %r2.b0;",
    "vshl.u32.u32.u32.wrap %r4, %r1, %r2;",
    "vshr.s32.s32.u32.clamp %r4, %r1, %r2.b1;",
    "vshr.u32.u32.u32.wrap %r4, %r1, %r2;",
    "vmad.s32.s32.s32.sat %r4, %r1.b0, %r2.b1, %r3;",
    "vmad.s32.s32.s32.sat.shr7 %r4, %r1.h0, %r2.h1, %r3;",
    "vmad.s32.u32.s32 %r4, %r1.h0, %r2.h1, %r3;",
    "vmad.s32.s32.s32.po %r4, %r1.h0, %r2.h1, %r3;",
    *(f"v{op}.{a}.{b}.{c}.{second} %r4, %r1, %r2, %r3;" for op in ("add", "sub", "absdiff", "min")
      for a in ("s32", "u32") for b in ("s32", "u32") for c in ("s32", "u32") for second in ("min", "max")),
    *(f"vset.{a}.{b}.le.{second} %r4, %r1, %r2.h0, %r3;" for a in ("s32", "u32") for b in ("s32", "u32")
      for second in ("min", "max", "add")),
)  # fmt: skip


SELECTED = {
    "2": (("", ".h0", ".h1"), (".h00", ".h32", ""), (".h13", "", ".h20")),
    "4": (("", ".b310", ".b2"), (".b7531", "", ".b0123"), (".b0000", ".b7654", "")),
}
"""Lanes written, and taken from the first and the second operand."""


def instructions() -> list[str]:
    out = list(SCALAR)
    for lanes in "24":
        for kind in ("s32", "u32"):
            types = f".{kind}.{kind}.{kind}"
            for op in OPERATIONS:
                out.append(f"v{op}{lanes}{types} %r4, %r1, %r2, %r3;")
                if op in ("add", "sub"):
                    out.append(f"v{op}{lanes}{types}.sat %r4, %r1, %r2, %r3;")
                if op != "avrg":
                    out.append(f"v{op}{lanes}{types}.add %r4, %r1, %r2, %r3;")
            out += [f"vset{lanes}.{kind}.{kind}.{c} %r4, %r1, %r2, %r3;" for c in ("lt", "eq", "ge", "ne")]
            parts = zip(*SELECTED[lanes], strict=True)
            out += [f"v{op}{lanes}{types} %r4{d}, %r1{a}, %r2{b}, %r3;" for d, a, b in parts for op in OPERATIONS]
    return out


def test_as_nvidia_compiles_them(tmp_path: Path) -> None:
    chosen = instructions()
    text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
    text += (
        ".reg .b32 %r<9>; .reg .b64 %rd<4>; ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out]; mov.u32 %r0, %tid.x;\n"
    )
    text += f"mad.wide.u32 %rd0, %r0, 12, %rd0; mad.wide.u32 %rd1, %r0, {4 * len(chosen)}, %rd1;\n"
    text += "".join(f"ld.global.u32 %r{k + 1}, [%rd0+{4 * k}];" for k in range(3))
    text += "\n".join(f"{inst} st.global.u32 [%rd1+{4 * k}], %r4;" for k, inst in enumerate(chosen)) + "\nret; }\n"
    theirs = nvidia_assembles(text, tmp_path)
    program = assemble(text)
    assert isinstance(program, Program)
    words = np.random.default_rng(7).integers(0, 1 << 32, 64 * 3, dtype=np.uint64).astype(np.uint32)
    words[:12] = [0, 0, 0, 0x80808080, 0x7F7F7F7F, 1, 0xFFFFFFFF, 0x00010203, 9, 0x80008000, 0x7FFF8000, 5]
    results = []
    for image in (theirs, binary.write_cubin(program)):
        out = np.zeros(64 * len(chosen), np.uint32)
        device().load(image)["k"][1, 64](words, out)
        results.append(out.reshape(64, -1))
    wrong = [inst for k, inst in enumerate(chosen) if not np.array_equal(results[0][:, k], results[1][:, k])]
    assert not wrong


def signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value


BY_THE_BOOK = {
    "vadd.u32.s32.u32.sat %r4, %r1, %r2;": lambda a, b, c: min(max(signed(a) + b, 0), 0xFFFFFFFF),
    "vadd.u32.u32.u32.sat %r4, %r1, %r2;": lambda a, b, c: min(a + b, 0xFFFFFFFF),
    "vsub.u32.u32.s32.sat %r4, %r1, %r2;": lambda a, b, c: min(max(a - signed(b), 0), 0xFFFFFFFF),
    "vadd.u32.u32.u32 %r4.h1, %r1.b1, %r2.h0, %r3;": lambda a, b, c: (
        ((a >> 8 & 255) + (b & 0xFFFF) & 0xFFFF) << 16 | c & 0xFFFF
    ),
    "vsub.s32.s32.s32.sat %r4.b2, %r1, %r2, %r3;": lambda a, b, c: (
        (min(max(signed(a) - signed(b), -128), 127) & 255) << 16 | c & 0xFF00FFFF
    ),
    "vmad.u32.u32.u32.shr15 %r4, %r1.h0, %r2.h1, %r3;": lambda a, b, c: ((a & 0xFFFF) * (b >> 16) + c) >> 15,
}
"""Where ptxas 13.0 does otherwise (it clamps no unsigned sum from above, takes the upper half for .h1, and shifts an
unsigned sum as a signed one), the words of the PTX ISA count."""


def test_as_the_book_says() -> None:
    text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
    text += (
        ".reg .b32 %r<9>; .reg .b64 %rd<4>; ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out]; mov.u32 %r0, %tid.x;\n"
    )
    text += f"mad.wide.u32 %rd0, %r0, 12, %rd0; mad.wide.u32 %rd1, %r0, {4 * len(BY_THE_BOOK)}, %rd1;\n"
    text += "".join(f"ld.global.u32 %r{k + 1}, [%rd0+{4 * k}];" for k in range(3))
    text += "\n".join(f"{inst} st.global.u32 [%rd1+{4 * k}], %r4;" for k, inst in enumerate(BY_THE_BOOK)) + "\nret; }\n"
    program = assemble(text)
    assert isinstance(program, Program)
    words = np.random.default_rng(3).integers(0, 1 << 32, 64 * 3, dtype=np.uint64).astype(np.uint32)
    out = np.zeros(64 * len(BY_THE_BOOK), np.uint32)
    device().load(binary.write_cubin(program))["k"][1, 64](words, out)
    for row, given in zip(out.reshape(64, -1), words.reshape(64, 3), strict=True):
        expected = [rule(*(int(v) for v in given)) & 0xFFFFFFFF for rule in BY_THE_BOOK.values()]
        assert [int(v) for v in row] == expected
