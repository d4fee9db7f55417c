"""Every recorded word decodes, prints as recorded, and encodes back; its text parses back to it."""

from __future__ import annotations

import pytest

from minicc import sass
from minicc.record import evolve
from minicc.sass import codec
from tests.sass.common import machine, squeeze, vectors

ARCHS = sorted({v.arch for v in vectors()})


@pytest.mark.parametrize("name", ARCHS)
def test_decode_print_encode(name: str) -> None:
    arch = machine(name)
    count = 0
    for v in vectors():
        if v.arch != name:
            continue
        instr = sass.decode(v.word, arch, v.address)
        assert squeeze(sass.format(instr, arch.sass)) == v.text, hex(v.word)
        assert sass.encode(instr, arch, v.address) == v.word, v.text
        count += 1
    assert count > 400


# Words whose text leaves bits open: NaN payloads, the high half of a 16-bit immediate, and IADD3 with one carry-out,
# where the text does not say which of the two it is.
OPEN = ("NAN", "F2F.", "FRND.", "MUFU.")


@pytest.mark.parametrize("name", ARCHS)
def test_text_parses_back(name: str) -> None:
    arch = machine(name)
    unclear = 0
    for v in vectors():
        if v.arch != name:
            continue
        instr = sass.decode(v.word, arch, v.address)
        for explicit in (False, True):  # sm_80's descriptor is in the explicit text alone
            back = sass.parse(sass.format(instr, arch.sass, explicit), arch.sass)
            full = evolve(back, control=instr.control, hidden=instr.hidden)
            if sass.encode(full, arch, v.address) == v.word:
                assert full == instr
                break
        else:
            unclear += 1
            doubtful = v.text.partition(" ")[2].count(" P") == 1 or "IADD3" in v.text
            assert doubtful or any(mark in v.text for mark in OPEN), v.text
    assert unclear <= 20


def test_compiled_words_need_no_unnamed_bits() -> None:
    """What ptxas writes for sm_90 is all in named fields."""
    arch = machine("sm_90")
    for v in vectors():
        if v.arch == "sm_90a":
            assert "unused" not in dict(sass.decode(v.word, arch, v.address).hidden), v.text


def test_short_forms_encode_the_same() -> None:
    """An instruction without its silent operands means the same."""
    arch = machine("sm_90")
    tried = 0
    for v in vectors():
        if v.arch != "sm_90a":
            continue
        instr = sass.decode(v.word, arch, v.address)
        plan = codec.form_of(instr, arch.sass)
        assert plan is not None
        kept = tuple(
            operand
            for operand, part in zip(instr.operands, plan.form.operands, strict=True)
            if not (part.hides and operand == part.default)
        )
        if len(kept) == len(instr.operands):
            continue
        short = evolve(instr, operands=kept)
        if sass.canonical(short, arch) == instr:
            assert sass.encode(short, arch, v.address) == v.word
            tried += 1
    assert tried > 500


RARE = (
    ("sm_89", 0x004FDE0000004406000000000408727A, "QMMA.16816.F16.E5M2.E4M3 R8, R4.ROW, R0.COL, R6"),
    ("sm_89", 0x008FF6000001B41000000E080404727A, "QMMA.SP.16864.F32.E4M3.E5M2 R4, R4.ROW, R8.COL, R16, R14, 0x0"),
    ("sm_80", 0x008FF60000781D0800000A0C04047237, "IMMA.SP.168128.S4.U4 R4, R4.ROW, R12.COL, R8, R10, 0x0"),
    ("sm_80", 0x004EA8200C50193000005C063E0C7980, "LD.E.NA.LTC256B R12, desc[UR6][R62.64+0x5c]"),
    ("sm_80", 0x0101E820099EE1C60000202642FF798A, "ATOM.E.INC.STRONG.GPU PT, RZ, desc[UR6][R66.64+0x20], R38"),
    ("sm_80", 0x004FCA000001F8FF00000000FF00723E, "F2FP.SATFINITE.RELU.BF16.MERGE_C.RZ R0, R0, RZ"),
    ("sm_80", 0x00321E00000026000000000000027308, "MUFU.TANH.F16 R2, R0"),
    ("sm_86", 0x0033DE200C10E984000000000200798E, "RED.E.ADD.F16x2.RN.STRONG.GPU desc[UR4][R2.64], R0"),
)
"""What cuobjdump 13.0 prints of words that ptxas 13.0 writes for forms that no kernel above has (2026-11-30)."""


@pytest.mark.parametrize("name, word, text", RARE)
def test_rare_words_of_older_machines(name: str, word: int, text: str) -> None:
    arch = machine(name)
    instr = sass.decode(word, arch, 0)
    assert squeeze(sass.format(instr, arch.sass)).rstrip(" ;") == text
    assert sass.encode(instr, arch, 0) == word
