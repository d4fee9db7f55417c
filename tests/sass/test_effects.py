"""What instructions read and write, against a few that were looked up by hand."""

from __future__ import annotations

import pytest

from minicc import sass
from tests.sass.common import machine, vectors

SM_90 = machine("sm_90")


def sets(text: str) -> tuple[set[str], set[str]]:
    """({registers read}, {registers written}) by name; R4:2 is a pair."""
    fx = sass.effects(sass.parse(text), SM_90)

    def name(a: sass.Access) -> str:
        return f"{a.file}{a.index}" + (f":{a.count}" if a.count > 1 else "")

    return {name(a) for a in fx.reads}, {name(a) for a in fx.writes}


@pytest.mark.parametrize(
    ("text", "reads", "writes"),
    [
        ("IADD3 R5, P1, R6, R7, RZ", "R6 R7", "R5 P1"),
        ("IADD3.X R5, R6, R7, R8, P1, !PT", "R6 R7 R8 P1", "R5"),
        ("@!P3 IMAD.WIDE R2, R5, 0x4, R8", "P3 R5 R8:2", "R2:2"),
        ("IMAD.HI.U32 R2, R5, R6, R8", "R5 R6 R8:2", "R2"),
        ("LDG.E.128 R4, desc[UR4][R2.64+0x10]", "UR4:2 R2:2", "R4:4"),
        ("LDG.E R4, [R2]", "R2:2", "R4"),
        ("STG.E.64 desc[UR6][R8.64], R10", "UR6:2 R8:2 R10:2", ""),
        ("LDS.64 R4, [R0+UR4+0x8]", "R0 UR4", "R4:2"),
        ("ATOMG.E.ADD.64.STRONG.GPU PT, R6, desc[UR6][R18.64], R8", "UR6:2 R18:2 R8:2", "R6:2"),
        ("DFMA R0, R2, c[0x0][0x10], R4", "R2:2 R4:2", "R0:2"),
        ("F2F.F64.F32 R2, R8", "R8", "R2:2"),
        ("F2F.F32.F64 R2, R8", "R8:2", "R2"),
        ("F2I.S64.F64 R2, R8", "R8:2", "R2:2"),
        ("I2F.F64.S64 R2, R8", "R8:2", "R2:2"),
        ("CS2R R2, SR_CLOCKLO", "", "R2:2"),
        ("CS2R.32 R2, SR_CLOCKLO", "", "R2"),
        ("P2R R3, PR, RZ, 0x7f", "P0 P1 P2 P3 P4 P5 P6", "R3"),
        ("P2R R3, PR, R8, 0x4", "P2 R8", "R3"),
        ("UP2UR UR4, UPR, URZ, 0x1", "UP0", "UR4"),
        ("R2P PR, R3, 0x5", "R3", "P0 P2"),
        ("HMMA.16816.F32 R12, R28, R4, R12", "R28:4 R4:2 R12:4", "R12:4"),
        ("HMMA.1688.F16 R12, R28, R4, R14", "R28:2 R4 R14:2", "R12:2"),
        ("HMMA.1688.F32.TF32 R12, R28, R4, R12", "R28:4 R4:2 R12:4", "R12:4"),
        ("IMMA.16832.S8.S8 R12, R28.ROW, R4.COL, R12", "R28:4 R4:2 R12:4", "R12:4"),
        ("HMMA.SP.16816.F32 R4, R18, R16, R4, R0, 0x0", "R18:2 R16:2 R4:4 R0", "R4:4"),
        ("HMMA.SP.16832.F32 R4, R20, R16, R4, R0, 0x0", "R20:4 R16:4 R4:4 R0", "R4:4"),
        ("HMMA.SP.1688.F32.TF32 R8, R16, R18, R4, R0, 0x0", "R16:2 R18:2 R4:4 R0", "R8:4"),
        ("IMMA.SP.16832.S8.S8 R12, R18.ROW, R16.COL, R4, R0, 0x0", "R18:2 R16:2 R4:4 R0", "R12:4"),
        ("LDSM.16.M88.4 R8, [R0]", "R0", "R8:4"),
        ("UIMAD.WIDE.U32 UR4, UR11, 0x3, URZ", "UR11", "UR4:2"),
        ("R2UR UR4, R4", "R4", "UR4"),
        ("VOTE.ANY R11, P2, P1", "P1", "R11 P2"),
        ("BRX R2 -0x10", "R2:2", ""),
        ("SEL R5, R5, R4, !P0", "R5 R4 P0", "R5"),
        ("MATCH.ALL.U64 P0, R15, R8", "R8:2", "P0 R15"),
    ],
)
def test_registers(text: str, reads: str, writes: str) -> None:
    got_reads, got_writes = sets(text)
    assert got_reads == set(reads.split())
    assert got_writes == set(writes.split())


def test_classes() -> None:
    def classes(text: str) -> tuple[list[str], list[str], bool]:
        fx = sass.effects(sass.parse(text), SM_90)
        return [a.cls for a in fx.reads], [a.cls for a in fx.writes], fx.variable

    assert classes("FFMA R1, R2, R3, R4") == (["fma"] * 3, ["fma"], False)
    assert classes("@P0 IADD3 R1, R2, R3, R4") == (["guard", "alu", "alu", "alu"], ["alu"], False)
    assert classes("MUFU.RCP R1, R2") == (["xu"], ["xu"], True)
    assert classes("LDS R1, [R2]") == (["lds_addr"], ["lds"], True)
    assert classes("STS [R2], R3") == (["sts_addr", "xu"], [], False)
    assert classes("HMMA.16816.F32 R8, R4, R2, R8")[0] == ["mma_a", "mma_b", "mma_c"]
    assert classes("HMMA.1688.F32 R8, R4, R2, R8")[1] == ["mma1688"]
    assert classes("DSETP.LT.AND P0, PT, R2, R4, P1") == (["fp64", "fp64", "pred_fma"], ["p_fp64"], False)
    assert classes("IMAD.X R2, R3, R4, R5, P0")[0] == ["fma", "fma", "fma", "pred_fma"]
    assert classes("UIADD3 UR4, UR5, UR6, URZ") == (["uniform", "uniform"], ["ualu"], False)
    assert classes("IADD3 R1, R2, UR4, RZ")[0] == ["alu", "vector"]


def test_reuse_slots() -> None:
    """The reuse flag of a source is by its place in the instruction."""
    for text in (
        "FFMA R1, R2.reuse, R3, R4",
        "FFMA R1, R2, R3.reuse, R4",
        "FFMA R1, R2, R3, R4.reuse",
        "FADD R1, R2, R3.reuse",
    ):
        instr = sass.parse(text)
        flagged = [
            a.index for a in sass.effects(instr, SM_90).reads if a.slot >= 0 and instr.control.reuse >> a.slot & 1
        ]
        assert flagged == [int(text.partition(".reuse")[0][-1])]
    for v in vectors():
        if v.arch == "sm_90a" and ".reuse" in v.text:
            instr = sass.decode(v.word, SM_90, v.address)
            slots = [a for a in sass.effects(instr, SM_90).reads if a.slot >= 0 and instr.control.reuse >> a.slot & 1]
            assert len(slots) == v.text.count(".reuse")
