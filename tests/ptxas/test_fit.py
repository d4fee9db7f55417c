"""How many registers a function is given where nothing says it."""

from __future__ import annotations

import numpy as np

import runtime
from minicc.binary import write_cubin
from tests.ptxas.conftest import assemble

VALUES, STEPS, LANES = 64, 8, 128


def test_known_blocks_leave_room_for_half_of_the_warps() -> None:
    """Sixty-four loads under way together take more than that; a few of them later take a warp hardly longer."""
    loads = "".join(f"ld.global.f32 %f{k}, [%rd0+{4 * LANES * k}];" for k in range(VALUES))
    steps = "".join(f"fma.rn.f32 %f{k}, %f{k}, %f{k}, 0f3e80000{n};" for k in range(VALUES) for n in range(STEPS))
    stores = "".join(f"st.global.f32 [%rd0+{4 * LANES * k}], %f{k};" for k in range(VALUES))
    program = assemble(
        f""".version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x) .reqntid {LANES}
{{
.reg .b64 %rd<2>; .reg .f32 %f<{VALUES}>; .reg .b32 %t;
ld.param.u64 %rd0, [x]; mov.u32 %t, %tid.x; mad.wide.u32 %rd0, %t, 4, %rd0;
{loads}
{steps}
{stores}
ret;
}}
"""
    )
    assert program.functions[0].registers <= 64
    x = np.random.RandomState(1).random_sample(VALUES * LANES).astype(np.float32) / 8
    y, want = x.copy(), x.astype(np.float64)
    runtime.Device("sm_90").load(write_cubin(program))["k"][1, LANES](y)
    for n in range(STEPS):
        want = want * want + float(np.array(0x3E800000 + n, np.uint32).view(np.float32))
    assert np.allclose(y, want, rtol=1e-5)
