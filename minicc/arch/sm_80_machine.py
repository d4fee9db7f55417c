"""sm_80: GA100 as in an A100 SXM4 of 40 GB, what a model of the machine wants beyond `sm_80.py` (which names sources).

Nothing here was fitted to a chip: what no source gives is the H200's figure. So counts of instructions and sectors are
meant, cycles are not.
"""

from __future__ import annotations

from minicc.arch import sm_90_machine
from minicc.arch.machine import Machine
from minicc.record import evolve

# W. L1: 33 cycles (RRZE), L2: 208 in the near partition and 357 in the far one (LUO25), DRAM 475 and 623; 80 slices of
# 64 bytes a cycle; five stacks of HBM2, 1,555 GB/s at 1,410 MHz. GPCs are on one side of the L2 or the other.
MEMORY = evolve(
    sm_90_machine.MEMORY,
    l1_bytes=196608,
    l1_latency=33,
    l2_bytes=41943040,
    l2_slices=80,
    l2_latency_near=208,
    l2_latency_far=357,
    l2_bandwidth=5120,
    dram_latency=549,
    dram_bandwidth=1103.0,
    dram_channels=80,
    dram_piece=4.2,
    sides=("0" * 16,) * 3 + ("1" * 16,) * 2 + ("1" * 14,) * 2,
    gpc_columns=(),
    gpcs=7,
    shared_configurations=tuple(1024 * k for k in (0, 8, 16, 32, 64, 100, 132, 164)),
)
MACHINE = Machine(sm_90_machine.CORE, MEMORY)
