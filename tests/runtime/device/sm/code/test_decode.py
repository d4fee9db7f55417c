"""Machine code to the engine's tables."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from minicc import sass
from minicc.arch import Arch
from minicc.sass.instr import Instr
from runtime.device.sm.code import decode
from runtime.device.sm.tables import kinds as K
from runtime.device.sm.tables import layout as L
from tests.runtime.device.sm.kit import ARCH, assemble, i


def test_equal_words_are_decoded_once_unless_they_say_where_to_jump(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four turns of one body: its sum and its load have the same rows in each, its jump, whose distance is in its word,
    another target."""
    turns, body = 4, ["FFMA R4, R4, c[0x0][0x214], R5", "LDS R5, [R4+0x8]", "@P0 BRA {}", "IADD3 R6, R6, 0x1, RZ"]
    lines = [i(text.format(hex(16 * (len(body) * turn + 8))), 5) for turn in range(turns) for text in body]
    data = assemble([*lines, *[i("NOP", 5)] * 4, i("EXIT", 5)])
    words, asked = [data[k : k + 16] for k in range(0, len(data), 16)], Counter[int]()
    assert len(set(words)) == len(body) + 2
    one = sass.decode

    def counted(word: int, arch: Arch, address: int) -> Instr:
        asked[word] += 1
        return one(word, arch, address)

    meaning, meant = decode._meaning, Counter[str]()

    def noted(row: Any, place: int, instr: Instr, arch: Arch, absolute: list[int]) -> Any:
        meant[instr.mnemonic] += 1
        return meaning(row, place, instr, arch, absolute)

    monkeypatch.setattr(sass, "decode", counted)
    monkeypatch.setattr(decode, "_meaning", noted)
    decode._CACHE.clear()
    made = decode.decode(data, 0, ARCH, False)
    jump = int.from_bytes(words[2], "little")
    assert asked.pop(jump) == turns and set(asked.values()) == {1}
    assert (meant["FFMA"], meant["LDS"], meant["BRA"]) == (1, 1, turns)
    for turn in range(turns):
        for k in range(len(body)):
            row, first = made.code[len(body) * turn + k].copy(), made.code[k].copy()
            if k == 2:
                assert row[L.C_KIND] == K.K_BRA and row[L.C_TARGET] == len(body) * turn + 8
                row[L.C_TARGET] = first[L.C_TARGET]
            row[[L.C_RES, L.C_SRC, L.C_FOLLOW]] = first[[L.C_RES, L.C_SRC, L.C_FOLLOW]]
            assert (row == first).all()
    assert [place for place, *_ in made.constants] == [len(body) * turn for turn in range(turns)]
    assert not made.errors and made.registers == 7
