"""sm_89: AD102 as in an RTX 4090 (128 SM). Sources as in `sm_80`; nothing was measured here."""

from __future__ import annotations

from minicc.arch import sm_86
from minicc.arch.machine import Machine
from minicc.record import evolve


def _machine() -> Machine:
    """W: 72 MB of L2, 273 cycles away, 1,708 bytes a cycle (LUO24); GDDR6X, 1,008 GB/s, 541 cycles at 2,520 MHz."""
    of_86 = sm_86.ARCH.machine()
    memory = evolve(
        of_86.memory,
        l1_latency=34,
        l2_bytes=75497472,
        l2_slices=48,
        l2_latency_near=273,
        l2_latency_far=273,
        l2_bandwidth=1708,
        dram_latency=541,
        dram_bandwidth=400.0,
        sides=("0" * 12,) * 5 + ("1" * 12,) * 5 + ("1" * 8,),
        gpcs=11,
    )
    return Machine(of_86.core, memory)


ARCH = sm_86.ARCH._replace(
    name="sm_89",
    sm=89,
    sass="sm_89",
    device_name="NVIDIA GeForce RTX 4090 (model)",
    sm_count=128,
    clock_mhz=2520,
    occupancy=sm_86.ARCH.occupancy._replace(max_blocks=24),  # C
    container=sm_86.ARCH.container._replace(marks=()),  # E
    machine=_machine,
)
