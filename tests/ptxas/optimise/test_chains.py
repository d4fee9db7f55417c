"""Compares and choices as others' PTX writes them: fewer instructions, and one division's preparation for several."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import runtime
from minicc import sass
from minicc.binary import write_cubin
from minicc.ptxas import Options
from tests.ptxas.conftest import ARCH, assemble

HEAD = """.version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n, .param .u32 m)
{
.reg .b64 %rd<4>; .reg .b32 %r<80>; .reg .f32 %f<80>; .reg .pred %p<99>;
ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [n]; ld.param.u32 %r1, [m]; mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x;
"""


def made(body: str, **words: object) -> Counter[str]:
    """How many of each instruction are made of a body of PTX."""
    code = assemble(HEAD + body + "ret; }\n", Options(**words)).functions[0].code  # type: ignore[arg-type]
    return Counter(instr.mnemonic for instr in sass.decode_all(code, ARCH))


def test_masks_of_a_tile() -> None:
    """Rows and columns: a compare for each place and for each row, and nothing else."""
    body = ""
    for k in range(4):
        body += f"add.s32 %r{10 + k}, %r2, {k}; setp.lt.s32 %p{k}, %r{10 + k}, %r0;\n"
        body += f"add.s32 %r{20 + k}, %r3, {k}; setp.lt.s32 %p{10 + k}, %r{20 + k}, %r1;\n"
    for n in range(16):
        body += f"and.pred %p{20 + n}, %p{n // 4}, %p{10 + n % 4}; @%p{20 + n} st.global.u32 [%rd0+{4 * n}], %r2;\n"
    counts = made(body)
    assert counts["PLOP3"] == 0 and counts["ISETP"] <= 20
    assert made(body, disable=frozenset({"chains"}))["PLOP3"] == 16


def test_nested_selections() -> None:
    """What two masks leave out: one choice that asks for both, not of different values."""
    body = ""
    for k in range(8):
        body += (
            f"ld.global.f32 %f{k}, [%rd0+{4 * k}]; setp.lt.s32 %p{k}, %r2, {k + 9}; setp.ne.s32 %p{20 + k}, %r3, {k};"
        )
        body += f"selp.f32 %f{20 + k}, %f{k}, 0fC9742400, %p{k};"
        body += f"selp.f32 %f{40 + k}, %f{20 + k}, 0fC9742400, %p{20 + k};"
        body += f"st.global.f32 [%rd0+{4 * k}], %f{40 + k};"
    counts = made(body)
    assert counts["SEL"] + counts["FSEL"] == 8 and counts["ISETP"] == 16 and counts["PLOP3"] == 0
    other = made(body.replace("%f27, 0fC9742400", "%f27, 0f00000000"))
    assert other["SEL"] + other["FSEL"] == 9


@pytest.mark.parametrize("depth", [3, 4, 7, 20])
def test_selections_in_one_another(depth: int) -> None:
    """Each chooses the result of the one before or the same other value; some are joined, the result stays."""
    body = "".join(f"setp.ne.s32 %p{k}, %r2, {5 * k};\n" for k in range(depth)) + "mov.u32 %r10, %r2;\n"
    body += "".join(f"selp.b32 %r{11 + k}, %r{10 + k}, %r3, %p{k};\n" for k in range(depth))
    body += f"mad.wide.u32 %rd0, %r2, 4, %rd0; st.global.u32 [%rd0], %r{10 + depth};\n"
    module = runtime.Device().load(write_cubin(assemble(HEAD + body + "ret; }\n")))
    out = np.full(32, -1, np.int32)
    module["k"][1, 32](out, 1, 1)
    t = np.arange(32)
    assert (out == np.where((t % 5 == 0) & (t < 5 * depth), 0, t)).all()


def test_joined_compares() -> None:
    """Every way to join, either operand negated; floats, whose opposite is true of NaNs."""
    body = "cvt.rn.f32.s32 %f0, %r2; cvt.rn.f32.s32 %f1, %r3; setp.lt.f32 %p0, %f0, %f1; not.pred %p1, %p0;\n"
    body += "setp.eq.s32 %p2, %r2, %r3; xor.pred %p3, %p1, %p2; selp.b32 %r4, %r0, %r1, %p3;\n"
    body += "st.global.u32 [%rd0], %r4;\n"
    counts = made(body)
    assert counts["PLOP3"] <= 1 and counts["ISETP"] + counts["FSETP"] == 2


@pytest.mark.parametrize("join", ["and", "or", "xor"])
@pytest.mark.parametrize("sign", ["", "!"])
def test_what_is_compared_last_comes_last(join: str, sign: str) -> None:
    """Whatever the order in the PTX: a compare with a parameter does not wait for one of a long sum of products."""
    body = "cvt.rn.f32.u32 %f0, %r2; mul.f32 %f1, %f0, %f0; fma.rn.f32 %f1, %f1, %f0, %f0; mul.f32 %f1, %f1, %f1;\n"
    body += f"setp.lt.f32 %p0, %f1, 0f47435000; setp.lt.{join}.s32 %p1, %r2, %r0, {sign}%p0;\n"
    body += "selp.b32 %r4, 1, 0, %p1; mad.wide.u32 %rd0, %r2, 4, %rd0; st.global.u32 [%rd0], %r4;\n"
    program = assemble(HEAD + body + "ret; }\n")
    compares = [i for i in sass.decode_all(program.functions[0].code, ARCH) if i.mnemonic.endswith("SETP")]
    assert [i.mnemonic for i in compares] == ["ISETP", "FSETP"]
    out = np.full(32, -1, np.int32)
    runtime.Device().load(write_cubin(program))["k"][1, 32](out, 20, 1)
    x = np.arange(32, dtype=np.float64)
    first, second = ((x**3 + x) ** 2 < 50000) ^ (sign == "!"), x < 20
    assert (out == {"and": first & second, "or": first | second, "xor": first ^ second}[join]).all()


def test_scaling_in_place() -> None:
    """ex2 without .ftz scales small arguments before and after: the result by one guarded instruction, the argument by
    a choice, for which the compare need not have been long before."""
    body = "".join(
        f"ld.global.f32 %f{k}, [%rd0+{4 * k}]; ex2.approx.f32 %f{20 + k}, %f{k};"
        f"st.global.f32 [%rd0+{4 * k}], %f{20 + k};"
        for k in range(8)
    )
    counts = made(body)
    assert counts["SEL"] + counts["FSEL"] <= 8 and counts["FMUL"] == 16 and counts["FSETP"] == 8


def test_divisions_by_one_number() -> None:
    """Eight quotients, one reciprocal and one scale."""
    body = "ld.global.f32 %f0, [%rd0+64];" + "".join(
        f"ld.global.f32 %f{k}, [%rd0+{4 * k}]; div.full.f32 %f{20 + k}, %f{k}, %f0;"
        f"st.global.f32 [%rd0+{4 * k}], %f{20 + k};"
        for k in range(1, 9)
    )
    counts = made(body)
    assert counts["MUFU"] == 1 and counts["FSETP"] == 2 and counts["FMUL"] == 17


def test_predicates_without_a_register_share_one() -> None:
    """Thirty at once, of which seven have a register: the others are bits of one."""
    body = "".join(f"setp.lt.s32 %p{k}, %r2, {3 * k + 1};\n" for k in range(30)) + "bar.sync 0;\n"
    body += "".join(f"@%p{k} st.global.u32 [%rd0+{4 * k}], %r3;\n" for k in range(30))
    program = assemble(HEAD + body + "ret; }\n", Options(disable=frozenset({"schedule"})))
    counts = Counter(i.mnemonic for i in sass.decode_all(program.functions[0].code, ARCH))
    assert 1 <= counts["SEL"] <= 3 and counts["LOP3"] >= 2 * 20 and program.functions[0].registers <= 12


def test_a_wide_addend_is_kept() -> None:
    """The pair that wide products are added to stays in the operand cache from one to the next (an H200 takes it from
    there, whatever the halves are read at)."""
    body = "mul.wide.u32 %rd1, %r3, 64; add.s64 %rd0, %rd0, %rd1;\n"
    for k in range(12):
        body += f"mad.lo.s32 %r{10 + k}, %r2, {k + 3}, %r{k % 2}; mad.wide.s32 %rd2, %r{10 + k}, 12, %rd0;"
        body += f"ld.global.u32 %r{30 + k}, [%rd2];\n"
    body += "".join(f"add.s32 %r2, %r2, %r{30 + k};" for k in range(12)) + "st.global.u32 [%rd0], %r2;\n"
    code = assemble(HEAD + body + "ret; }\n").functions[0].code
    wide = [i for i in sass.decode_all(code, ARCH) if i.mnemonic == "IMAD" and "WIDE" in i.modifiers]
    assert len(wide) >= 12 and any(i.control.reuse & 4 for i in wide)
