"""A loop around a switch with all its cases is unrolled, and means the same."""

from __future__ import annotations

import numpy as np

import minicc
import runtime
from minicc.diagnostics import SourceFile
from minicc.nvvm.cases import complete

SOURCE = """__global__ void walk(const unsigned *start, int *out, int steps)
{
    unsigned s = start[threadIdx.x];
    int x = 0, y = 0;
    for (int k = 0; k < steps; k++) {
        s = s * 1664525u + 1013904223u;
        switch (s >> 30) {
            case 0: x++; break;
            case 1: x--; break;
            case 2: y++; break;
            case 3: y -= 2;
        }
    }
    out[threadIdx.x] = x * 1000 + y;
}
"""


def test_unrolled_and_right() -> None:
    """Any number of turns, those that are left over among them."""
    code = {
        options: minicc.compile(SourceFile("walk.k", SOURCE), arch="sm_90", options=options)
        for options in ("", "-Xnvvm --disable=cases")
    }
    ours, plain = (code[options].ptx for options in ("", "-Xnvvm --disable=cases"))
    assert ours.count("1664525") >= 4 > plain.count("1664525")
    kernel = runtime.Device("sm_90").load(code[""].cubin)["walk"]
    for steps in (0, 1, 5, 8, 19):
        start = np.arange(32, dtype=np.uint32) * np.uint32(2654435761)
        out = np.zeros(32, np.int32)
        kernel[1, 32](start, out, np.int32(steps))
        s, x, y = start.copy(), np.zeros(32, int), np.zeros(32, int)
        for _ in range(steps):
            s = s * np.uint32(1664525) + np.uint32(1013904223)
            way = s >> 30
            x += np.where(way == 0, 1, np.where(way == 1, -1, 0))
            y += np.where(way == 2, 1, np.where(way == 3, -2, 0))
        assert np.array_equal(out, x * 1000 + y)


def test_what_stays() -> None:
    """A default that is come to, and a function without a loop."""
    switch = (
        "  switch i32 %x, label %D [\n    i32 0, label %a\n    i32 1, label %b\n  ]\n\nnever:  ; x\n  unreachable\n"
    )
    loop = "f() {\n  %p = phi i32 [ 0, %a ]\n" + switch
    assert complete(loop.replace("%D", "%a")) is None
    assert complete("f() {\n" + switch.replace("%D", "%never")) is None
    changed = complete(loop.replace("%D", "%never"))
    assert changed is not None and "label %b [\n    i32 0, label %a\n  ]" in changed
