"""Rows that a loop hands on: the next one is loaded into its register, and nothing waits for it within the turn."""

from __future__ import annotations

import numpy as np
import pytest

import runtime
from minicc.binary import write_cubin
from minicc.ptxas.options import Options
from tests.ptxas.conftest import assemble

HEAD = """.version 8.0
.target sm_90
.address_size 64
.visible .entry f(.param .u64 a, .param .u64 o, .param .u32 n, .param .u32 m) {
.reg .pred %more, %p; .reg .b32 %n, %m, %k, %i; .reg .b64 %a, %o, %w; .reg .f64 %mid, %next, %new, %sum, %t, %half;
ld.param.u64 %a, [a]; ld.param.u64 %o, [o]; ld.param.u32 %n, [n]; ld.param.u32 %m, [m];
mov.u32 %i, %tid.x; mul.wide.u32 %w, %i, 8; add.s64 %a, %a, %w; add.s64 %o, %o, %w;
ld.global.f64 %mid, [%a]; ld.global.f64 %next, [%a+256]; mov.f64 %sum, 0d0000000000000000; mov.u32 %k, 0;
mov.f64 %half, 0d3FE0000000000000;
L: setp.lt.s32 %p, %k, %m; fma.rn.f64 %t, %mid, %mid, 0d3FF8000000000000;
"""
LOAD = "ld.global.f64 %new, [%a+512];\n"
STEPS = 40
TURN = STEPS * "fma.rn.f64 %sum, %sum, %half, %t;\n" + "st.global.f64 [%o], %sum;\n"
TAIL = """add.s64 %a, %a, 256; add.s64 %o, %o, 256; add.s32 %k, %k, 1; setp.lt.s32 %more, %k, %n; @%more bra L;
ret; }
"""
SIDE = STEPS * "fma.rn.f64 %sum, %sum, %half, %half;\n"
WAYS = {
    "one way": TURN + LOAD + "mov.f64 %mid, %next; mov.f64 %next, %new;\n",
    "two ways": TURN + LOAD + f"@%p bra B;\nmov.f64 %mid, %next; mov.f64 %next, %new; {SIDE}"
    f"bra E;\nB: mov.f64 %mid, %next; mov.f64 %next, %new; {SIDE} {SIDE}\nE: ",
    "old value wanted": LOAD + TURN + "mov.f64 %t, %mid; mov.f64 %mid, %next; mov.f64 %next, %new;\n"
    "add.f64 %sum, %sum, %t; add.f64 %sum, %sum, %next;\n",
}


def turns(way: str, a: np.ndarray, n: int, m: int) -> np.ndarray:
    total, out = np.zeros(32), []
    for k in range(n):
        for _ in range(STEPS):
            total = total * 0.5 + (a[k] * a[k] + 1.5)
        out.append(total)
        if way == "two ways":
            for _ in range(STEPS * (2 if k < m else 1)):
                total = total * 0.5 + 0.5
        elif way == "old value wanted":
            total = total + a[k] + a[k + 2]
    return np.array(out)


@pytest.mark.parametrize("way", WAYS)
def test_rows_are_handed_on(way: str) -> None:
    n, m = 24, 9
    a = np.random.RandomState(1).uniform(-1, 1, (n + 2, 32))
    cycles = []
    for disable in ((), ("rotate",)):
        image = write_cubin(assemble(HEAD + WAYS[way] + TAIL, Options(disable=frozenset(disable))))
        out = np.zeros((n, 32))
        result = runtime.Device().load(image)["f"][1, 32](a.ravel(), out, np.int32(n), np.int32(m))
        np.testing.assert_allclose(out, turns(way, a, n, m), rtol=1e-13)
        cycles.append(result.cycles)
    assert cycles[0] < (0.9 if way == "two ways" else 1.01) * cycles[1], cycles
