"""Bits that are known of a register, and the work of finding that none are."""

from __future__ import annotations

import numpy as np
import pytest

import runtime
from minicc.binary import write_cubin
from tests.counting import calls_of_pass
from tests.ptxas.conftest import assemble


def test_what_nothing_is_known_of_is_not_looked_back_from_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds of a hash, whose words are each made of three others, and a mask at the end: a look back goes as far as
    twelve definitions, by each of them once from each distance and not by every path."""

    made = calls_of_pass(monkeypatch, "addresses")

    def spent(rounds: int) -> int:
        made.clear()
        step = "lop3.b32 %w{}, %w{}, %w{}, %w{}, 150;"
        steps = "".join(step.format(k, k - 1, k - 2, k - 3) for k in range(3, rounds))
        steps += f"and.b32 %v, %w{rounds - 1}, 65535; st.global.u32 [%rd0], %v;"
        loads = "".join(f"ld.global.u32 %w{k}, [%rd0+{4 * k}];" for k in range(3))
        assemble(
            f""".version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x)
{{
.reg .b64 %rd<1>; .reg .b32 %w<{rounds}>; .reg .b32 %v;
ld.param.u64 %rd0, [x];
{loads}{steps}
ret;
}}
"""
        )
        return sum(made)

    assert spent(100) < 100 * 100


def test_nothing_is_left_out_of_an_address_of_three() -> None:
    """A word that is known to be zero, a register, and a parameter."""
    program = assemble(""".version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x, .param .u32 n) {
.shared .align 4 .b8 words[256]; .reg .b32 %t, %at, %zero, %sum, %n; .reg .b64 %x;
ld.param.u64 %x, [x]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; mov.u32 %at, words;
mad.lo.u32 %at, %t, 4, %at; st.shared.u32 [%at], %t; st.shared.u32 [%at+128], %t; bar.sync 0;
and.b32 %zero, %at, 3; add.u32 %sum, %zero, %at; add.u32 %sum, %sum, %n; ld.shared.u32 %t, [%sum];
mov.u32 %n, %tid.x; mad.wide.u32 %x, %n, 4, %x; st.global.u32 [%x], %t; ret; }
""")
    image = write_cubin(program)
    x = np.full(32, 99, np.uint32)
    runtime.Device("sm_90", timing=False).load(image)["k"][1, 32](x, np.uint32(32))
    assert x.tolist() == [*range(8, 32), *range(8)]
