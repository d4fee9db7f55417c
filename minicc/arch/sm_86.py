"""sm_86: GA102 as in an RTX A6000 (84 SM). Sources as in `sm_80`; nothing was measured here."""

from __future__ import annotations

from minicc.arch import sm_80
from minicc.arch.machine import Machine
from minicc.arch.schema import Pipe
from minicc.record import evolve


def _machine() -> Machine:
    """W: 6 MB of L2, 250 cycles away (RRZE: A40), GDDR6 of 768 GB/s at 1,800 MHz. What no source gives is sm_80's."""
    from minicc.arch import sm_80_machine

    memory = evolve(
        sm_80_machine.MEMORY,
        l1_bytes=131072,
        l2_bytes=6291456,
        l2_slices=24,
        l2_latency_near=250,
        l2_latency_far=250,
        l2_bandwidth=1536,
        dram_bandwidth=427.0,
        dram_channels=24,
        dram_piece=3.2,
        sides=("0" * 12,) * 4 + ("1" * 12,) * 3,
        shared_configurations=tuple(1024 * k for k in (0, 8, 16, 32, 64, 100)),
    )
    return Machine(sm_80_machine.MACHINE.core, memory)


ARCH = sm_80.ARCH._replace(
    name="sm_86",
    sm=86,
    sass="sm_86",
    device_name="NVIDIA RTX A6000 (model)",
    sm_count=84,
    clock_mhz=1800,
    occupancy=sm_80.ARCH.occupancy._replace(  # C
        max_warps=48, max_blocks=16, shared_per_sm=102400, shared_per_block_max=101376
    ),
    # W: 128 FP32 lanes, two FP64 lanes an SM.
    pipes={**sm_80.PIPES, **{p.name: p for p in (Pipe("fma", 1), Pipe("fp64", 64), Pipe("tensor", 16))}},
    machine=_machine,
)
