"""How many blocks of a kernel fit an SM, and what stops more of them. The rules are those of the compute work
distributor (limits and granularities in the arch's `occupancy`)."""

from __future__ import annotations

import attrs

from minicc.arch.schema import Arch


@attrs.frozen
class Report:
    """Blocks and warps of one kernel on one SM. `limits` gives the blocks that each resource alone would allow;
    `limiter` names the scarcest ("registers", "shared", "warps", "blocks"); `fraction` is warps over the SM's most."""

    blocks: int
    warps: int
    fraction: float
    limiter: str
    limits: dict[str, int]


def occupancy(arch: Arch, registers: int, shared: int, threads: int) -> Report:
    """For a kernel of `registers` a thread (as reported), `shared` bytes a block (static and dynamic) and `threads` a
    block. A kernel that cannot run at all gives 0 blocks."""
    rules = arch.occupancy
    warps = -(-threads // 32)
    unit = rules.register_unit_per_warp
    per_warp = -(-registers * 32 // unit) * unit
    # Warps are given registers in groups, one for each sub-core.
    fitting = rules.registers_per_sm // max(per_warp, unit) // rules.warp_granularity * rules.warp_granularity
    grain = rules.shared_granularity
    bytes_ = -(-(shared + arch.abi.shared_reserved + rules.shared_taken) // grain) * grain
    limits = {
        "registers": fitting // warps if registers <= rules.max_registers_per_thread else 0,
        "shared": rules.shared_per_sm // bytes_ if shared <= rules.shared_per_block_max else 0,
        "warps": rules.max_warps // warps if threads <= rules.max_threads_per_block else 0,
        "blocks": rules.max_blocks,
    }
    limiter = min(limits, key=lambda name: limits[name])
    blocks = limits[limiter]
    return Report(blocks, blocks * warps, blocks * warps / rules.max_warps, limiter, limits)
