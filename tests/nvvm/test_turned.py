"""Loops of few turns that pass values on are written out, and compute the same."""

from __future__ import annotations

import numpy as np

import minicc
from minicc.diagnostics import SourceFile
from minicc.nvvm.turned import kernels
from runtime import Device

ORDER = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
ROUNDS = f"""__global__ void rounds(unsigned *out, const unsigned *in)
{{
    const int order[16] = {{{", ".join(map(str, ORDER))}}};
    unsigned m[16], t[16], v[8] = {{1, 2, 3, 4, 5, 6, 7, 8}};
    for (int k = 0; k < 16; k++) m[k] = in[threadIdx.x * 16 + k];
    for (int r = 0; r < 7; r++) {{
        for (int k = 0; k < 16; k++) {{
            unsigned s = v[k & 7] + m[k] + v[(k + 3) & 7];
            v[k & 7] = (s << 7 | s >> 25) ^ v[(k + 5) & 7];
            v[(k + 1) & 7] += (v[k & 7] ^ m[(k + 9) & 15]) * 9 ^ m[k] >> 3;
        }}
        for (int k = 0; k < 16; k++) t[k] = m[order[k]];
        for (int k = 0; k < 16; k++) m[k] = t[k];
    }}
    for (int k = 0; k < 8; k++) out[threadIdx.x * 8 + k] = v[k];
}}
"""


def test_rounds_that_turn_their_words() -> None:
    made = minicc.compile(SourceFile("k.cu", ROUNDS), arch="sm_90")
    assert "bra" not in made.ptx
    m, out = np.random.RandomState(5).randint(0, 1 << 32, (4, 16), np.uint32), np.zeros((4, 8), np.uint32)
    Device("sm_90").load(made.cubin)["rounds"][1, 4](out, m)
    v = np.tile(np.arange(1, 9, dtype=np.uint32), (4, 1)).T.copy()
    for _ in range(7):
        for k in range(16):
            s = v[k & 7] + m[:, k] + v[(k + 3) & 7]
            v[k & 7] = (s << 7 | s >> 25) ^ v[(k + 5) & 7]
            v[(k + 1) & 7] += (v[k & 7] ^ m[:, (k + 9) & 15]) * 9 ^ m[:, k] >> 3
        m = m[:, ORDER]
    assert (out == v.T).all()


LOOP = """
define ptx_kernel void @k(i32 %x, i32 %y) {
entry:
  br label %loop

loop:                                             ; preds = %loop, %entry
  %a = phi i32 [ %x, %entry ], [ %b, %loop ]
  %b = phi i32 [ %y, %entry ], [ WAY, %loop ]
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = mul i32 %a, %b
  %next = add i32 %i, 1
  %end = icmp eq i32 %next, TURNS
  br i1 %end, label %done, label %loop

done:                                             ; preds = %loop
  ret void
}
"""


def test_which_loops() -> None:
    """Of few turns, and of which one gives the next what it had itself."""
    assert kernels(LOOP.replace("WAY", "%a").replace("TURNS", "12")) == {"k"}
    assert kernels(LOOP.replace("WAY", "%a").replace("TURNS", "40")) == set()
    assert kernels(LOOP.replace("WAY", "%s").replace("%b, %loop", "%next, %loop").replace("TURNS", "12")) == set()
