"""Words that inline assembly takes whole and C++ half by half stay whole over loops."""

from __future__ import annotations

import re

import numpy as np
import pytest

import minicc
from minicc.diagnostics import SourceFile
from runtime import Device

KERNEL = """__global__ void sums(const unsigned *a, unsigned short *out, int n, int m)
{
    unsigned short half[6];
    half[0] = FIRST, half[1] = 0, half[2] = 0, half[3] = 7, half[4] = 0, half[5] = 0;
    unsigned *word = reinterpret_cast<unsigned *>(half);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < m; k++)
            asm("add.u32 %0, %0, %3; add.u32 %1, %1, %3; xor.b32 %2, %2, %1;"
                : "+r"(word[0]), "+r"(word[1]), "+r"(word[2]) : "r"(a[i * m + k]));
        AGAIN
    }
    unsigned short *o = out + 6 * threadIdx.x;
    o[0] = half[0], o[1] = half[1], o[2] = half[2], o[3] = half[3], o[4] = half[4], o[5] = half[5];
}
"""


@pytest.mark.parametrize("again", ["", "if (i == 1) half[0] = 3;"])
@pytest.mark.parametrize("first", [0, 65535])
def test_halves_of_words(first: int, again: str) -> None:
    made = minicc.compile(SourceFile("k.cu", KERNEL.replace("FIRST", str(first)).replace("AGAIN", again)), arch="sm_90")
    loops = re.findall(r"\n(\$L\w+):((?:(?!\n\$L).)*?bra\s+\1;)", made.ptx, re.S)
    assert any("xor.b32" in turn for _, turn in loops)
    # nor are accumulators moved between two turns;
    # where a turn of the outer loop sets a half, the word is not carried by either
    assert again or not any(re.search(r"prmt|shr|shl\.b32 .*, 16;|mov\.b32 .*%r\d+, %r", turn) for _, turn in loops), (
        made.ptx
    )
    n, m = 3, 5
    a, out = np.random.RandomState(1).randint(0, 1 << 32, n * m, np.uint64).astype(np.uint32), np.zeros(6, np.uint16)
    Device("sm_90").load(made.cubin)["sums"][1, 1](a, out, n, m)
    word = [np.uint64(first), np.uint64(7 << 16), np.uint64(0)]
    for i in range(n):
        for value in a[i * m : i * m + m].astype(np.uint64):
            word[0] = word[0] + value & np.uint64(0xFFFFFFFF)
            word[1] = word[1] + value & np.uint64(0xFFFFFFFF)
            word[2] ^= word[1]
        if again and i == 1:
            word[0] = word[0] & np.uint64(0xFFFF0000) | np.uint64(3)
    assert [int(x) for x in out] == [int(w) >> s & 0xFFFF for w in word for s in (0, 16)]
