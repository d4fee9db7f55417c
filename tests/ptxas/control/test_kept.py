"""Reuse flags and groups of registers, as the static checker sees them: what an H200 did wrong is named."""

from __future__ import annotations

import pytest

from minicc import arch as archs
from minicc import sass
from minicc.ptxas.control.check import check
from minicc.record import evolve
from tests.ptxas.conftest import assemble

ARCH = archs.get("sm_90a")
FMA = ("FFMA R5, R2.reuse, R3, R4", "FFMA R6, R2, R3, R4")


def kinds(*lines: str) -> set[str]:
    """What the checker finds in these instructions, each of which waits long and for everything."""
    code = b""
    for text in (*lines, "EXIT"):
        instr = sass.parse(text)
        control = sass.Control(stall=11, wait=63, reuse=instr.control.reuse)
        code += sass.encode(evolve(instr, control=control), ARCH).to_bytes(16, "little")
    return {p.kind for p in check(code, ARCH) if p.kind in ("reuse", "align")}


@pytest.mark.parametrize(
    "between", ["MOV R2, R9", "@P0 MOV R2, R9", "IADD3 R2, R7, R8, RZ", "LDG.E R2, desc[UR4][R8.64]"]
)
def test_what_is_kept_stays_as_it_was(between: str) -> None:
    assert kinds(*FMA) == set()
    assert kinds(FMA[0], between, FMA[1]) == {"reuse"}
    assert kinds(FMA[0], between, "FFMA R6, R10, R3, R4") == set(), "another register of that bank and slot"
    assert kinds(FMA[0], between, "FFMA R6, R3, R2, R4") == set(), "another slot"
    assert kinds(FMA[0], "FFMA R7, R2, R3, R4", between, FMA[1]) == set(), "the one before did not keep it"
    assert kinds(FMA[0], "BRA 0x20", between, FMA[1]) == set(), "blocks are looked at one by one"


def test_an_instruction_may_not_keep_what_it_writes() -> None:
    assert kinds("FFMA R2, R2.reuse, R3, R4", FMA[1]) == {"reuse"}


def test_pairs_of_doubles_are_read_as_pairs() -> None:
    """As on an H200, where a reduction of doubles went wrong; NVIDIA's code mixes what IMAD.WIDE keeps."""
    kept = "DADD R4, R2.reuse, R6"
    assert kinds(kept, "DADD R8, R2, R10") == set()
    assert kinds(kept, "MOV R9, R12", "DADD R8, R2, R10") == set()
    assert kinds(kept, "IADD3 R9, R2, R10, RZ") == {"reuse"}
    assert kinds(kept, "IADD3 R9, R3, R10, RZ", "IADD3 R9, R2, R10, RZ") == {"reuse"}
    assert kinds("IADD3 R9, R2.reuse, R10, RZ", "DADD R8, R2, R10") == {"reuse"}
    assert kinds(kept, "IADD3 R9, R3, R10, RZ") == set(), "as NVIDIA's NPP has it"
    assert kinds(kept, "IADD3 R9, R13, R10, RZ", "DADD R8, R2, R10") == set(), "half of the pair is kept still"
    assert kinds("IMAD.WIDE R4, R8, R9, R2.reuse", "IADD3 R9, R8, R9, R2") == set()


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("UTMALDG.3D [UR{}], [UR4]", {12, 20, 36}),
        ("UTMALDG.2D [UR{}], [UR4]", {10, 13}),
        ("UTMASTG.4D [UR{}], [UR4]", {12, 20, 36}),
        ("UTMASTG.3D [UR{}], [UR4]", {10, 13}),
        ("UBLKCP.S.G [UR{}], [UR4], UR6", {9, 11}),
        ("LDG.E.128 R{}, desc[UR4][R2.64]", {6, 10, 13}),
        ("LDG.E.64 R{}, desc[UR4][R2.64]", {7, 13}),
        ("DADD R4, R{}, R6", {7, 13}),
    ],
)
def test_groups_begin_where_the_hardware_takes_them(text: str, wrong: set[int]) -> None:
    """UTMALDG.3D with coordinates elsewhere was an illegal instruction on an H200."""
    for number in (8, 16, 24, *wrong):
        assert kinds(text.format(number)) == ({"align"} if number in wrong else set())


SUMS = """.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .b64 %rd<4>; .reg .f64 %fd<6>; .reg .b32 %r<4>; .reg .pred %p;
ld.param.u64 %rd0, [out]; ld.global.f64 %fd0, [%rd0]; ld.global.f64 %fd1, [%rd0+8];
mov.b64 {%r0, %r1}, %fd0; add.s32 %r2, %r0, %r1; st.global.b32 [%rd0+64], %r2;
mul.f64 %fd2, %fd0, %fd1; add.f64 %fd3, %fd2, %fd0; setp.gt.f64 %p, %fd2, %fd0; selp.f64 %fd4, %fd2, %fd0, %p;
st.global.f64 [%rd0], %fd3; st.global.f64 [%rd0+16], %fd4; ret;
}
"""


def test_halves_of_doubles() -> None:
    """Doubles whose halves are read one by one beside them: only what is read as a pair is kept as one."""
    code = assemble(SUMS).functions[0].code
    assert any(instr.control.reuse for instr in sass.decode_all(code, ARCH))
    assert [str(p) for p in check(code, ARCH)] == []
