"""What a block leaves under way is waited for by who takes the first of its two branches, too."""

from __future__ import annotations

import numpy as np

import minicc
import runtime
from minicc.diagnostics import SourceFile

TURNS = """extern "C" __global__ void k(const unsigned *words, unsigned *out) {
    unsigned lane = threadIdx.x, w = words[lane], x = lane;
    for (unsigned i = 0; i < (w >> 6 & 3); i++)
        for (unsigned j = 0; j < (w >> 27 & 1); j++) {
            x = x * 5 + lane + 86;
            if (w >> 11 & 1) { out[lane] = x; return; }
        }
    out[lane] = x;
}"""


def test_a_predicate_of_the_next_turn() -> None:
    words, out = np.random.default_rng(3).integers(0, 1 << 32, 32, np.uint32), np.zeros(32, np.uint32)
    image = minicc.compile(SourceFile("k.cu", TURNS)).cubin
    done = runtime.Device("sm_90", hazards="report").load(image)["k"][1, 32](words, out)
    assert not done.hazards
