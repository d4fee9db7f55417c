"""sm_90a: sm_90 with the architecture-specific instructions (wgmma, setmaxnreg). The machine is the same,
but ptxas 13.0 lets a kernel have all of a block's shared memory for its variables."""

from __future__ import annotations

from minicc.arch import sm_90

ARCH = sm_90.ARCH._replace(
    name="sm_90a", feature="a", features=sm_90.ARCH.features | {"wgmma"}, static_shared=227 << 10
)
