"""Words taken apart: every bit once, and the fields hold the word."""

from __future__ import annotations

from minicc.sass import anatomy
from tests.sass.common import machine, vectors


def placed(part: anatomy.Part) -> int:
    """The field's value at its bits."""
    word, value = 0, part.value
    for bit in range(128):
        if part.mask >> bit & 1:
            word |= (value & 1) << bit
            value >>= 1
    return word


def test_every_recorded_word_is_its_fields() -> None:
    for vector in vectors()[::7]:
        parts = anatomy.parts(vector.word, machine(vector.arch), vector.address)
        assert sum(part.mask for part in parts) == anatomy.ALL, vector.text
        assert sum(map(placed, parts)) == vector.word, vector.text


def test_what_the_fields_mean() -> None:
    # @!P1 FADD.FTZ R0, -R8, |R6| that waits for SB2, sets SB3 and keeps R8.
    word = 0x221 | 0x9 << 12 | 8 << 24 | 6 << 32 | 1 << 62 | 1 << 72 | 1 << 80
    word |= 5 << 105 | 1 << 109 | 3 << 110 | 7 << 113 | 4 << 116 | 1 << 122
    parts = {part.name: part for part in anatomy.parts(word, machine("sm_90"))}
    meant = {name: part.meaning for name, part in parts.items() if part.meaning}
    assert meant == {
        "opcode": "FADD",
        "guard": "P1",
        "guard !": "complemented",
        "Rd": "R0",
        "A": "-R8",
        "A -": "set",
        "B": "|R6|",
        "B ||": "set",
        "ftz": ".FTZ",
        "form": "tells it from others of its opcode",
        "stall": "5 cycles to this warp's next issue",
        "no yield": "set",
        "write barrier": "SB3",
        "read barrier": "none",
        "wait": "for SB2",
        "reuse": "A",
    }
    assert parts["A"].bits == "24..31"
    assert parts["wait"].value == 4
