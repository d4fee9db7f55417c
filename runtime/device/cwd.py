"""The compute work distributor's arithmetic: how many CTAs of a grid an SM holds at once, and why not more."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import attrs

from minicc.arch import Arch
from runtime.device.grid import Grid


@attrs.frozen
class Residency:
    """CTAs per SM under each limit (`launch__occupancy_limit_*`), the least of which is `ctas`."""

    warps_per_cta: int
    blocks: int
    warps: int
    registers: int
    shared: int
    barriers: int

    @property
    def ctas(self) -> int:
        """CTAs that an SM holds at once."""
        return min(self.blocks, self.warps, self.registers, self.shared, self.barriers)

    @property
    def limits(self) -> dict[str, int]:
        """Each limit under ncu's name."""
        return {
            "launch__occupancy_limit_blocks": self.blocks,
            "launch__occupancy_limit_registers": self.registers,
            "launch__occupancy_limit_shared_mem": self.shared,
            "launch__occupancy_limit_warps": self.warps,
            "launch__occupancy_limit_barriers": self.barriers,
        }


def residency(threads: int, registers: int, shared: int, barriers: int, arch: Arch) -> Residency:
    """Limits for CTAs of `threads` threads with `registers` registers each and `shared` bytes in all. Registers are
    allocated per warp in units and per sub-core; a limit that does not apply is that of the blocks."""
    o = arch.occupancy
    warps = (threads + 31) // 32
    unit = o.register_unit_per_warp
    per_warp = max((registers * 32 + unit - 1) // unit * unit, unit)
    # Each sub-core has its own file, so whole warps per sub-core count.
    warps_by_registers = o.registers_per_sm // arch.sub_cores // per_warp * arch.sub_cores
    rounded = (shared + o.shared_taken + o.shared_granularity - 1) // o.shared_granularity * o.shared_granularity
    return Residency(
        warps_per_cta=warps,
        blocks=o.max_blocks,
        warps=o.max_warps // warps if warps else 0,
        registers=warps_by_registers // warps if warps else 0,
        shared=o.shared_per_sm // rounded if rounded else o.max_blocks,
        # Each CTA slot has all the named barriers; only more than there are would not fit.
        barriers=o.max_blocks if barriers <= o.max_barriers else 0,
    )


def of_grid(grid: Grid, arch: Arch) -> Residency:
    """`residency` of a grid."""
    threads = grid.block[0] * grid.block[1] * grid.block[2]
    return residency(threads, grid.registers, grid.shared, grid.barriers, arch)


Place = tuple[int, int, int, int, int, int]


def neighbours(ctas: int, arch: Arch) -> Sequence[Place]:
    """Of each SM, in the order in which a grid's first CTAs come to them: the half of L2 that it asks, which group of
    SMs of its row asks that half, its TPC, the quarter of L2 that it is nearer to, its GPC, and how much farther than
    another its GPC's constants are. (H200: first the SMs of
    the last row, then a TPC of each of those that have the most left, so one GPC after another; of a small grid one SM
    of each TPC.)"""
    return _neighbours(ctas <= arch.sm_count // 2, arch)


@cache
def _neighbours(small: bool, arch: Arch) -> Sequence[Place]:
    """The same of all small grids, or of all others."""
    columns = arch.memory.gpc_columns
    sides = arch.memory.sides
    if not sides:
        count = -(-arch.sm_count // arch.memory.gpcs)
        sides = tuple(str(k % 2) * min(count, arch.sm_count - k * count) for k in range(arch.memory.gpcs))
    gpcs = [[int(columns[k][n // 2]) if columns else k for n in range(len(row))] for k, row in enumerate(sides)]
    tpcs = [gpc for row in gpcs for gpc in row[::2]]
    far = {len(places): places for places in arch.memory.constant_places}
    distances = [
        far[tpcs.count(gpc)][tpcs[:tpc].count(gpc)] if tpcs.count(gpc) in far else 0 for tpc, gpc in enumerate(tpcs)
    ]
    number = iter(range(arch.sm_count))
    rows = [
        [
            (side & 1, 2 * k + (side & 1), (tpc := next(number) // 2), side >> 1, gpcs[k][n], distances[tpc])
            for n, side in enumerate(map(int, row))
        ]
        for k, row in enumerate(sides)
    ]
    *others, first = rows
    order: list[Place] = []
    while any(others):
        most = max(map(len, others))
        for row in others:
            if len(row) == most:
                order += row[:2]
                del row[:2]
    if small:
        order = order[::2] + order[1::2]
    return tuple(first + order)


def shared_configuration(grid: Grid, arch: Arch) -> int:
    """Bytes of an SM's memory that the driver makes shared memory (an H200's, of 134 shapes): room for twice the CTAs
    that an SM holds, for those alone if they are of the largest size or there is but one, and if they have no shared
    memory of their own for four times those that it would hold whatever their registers; beyond 132 KB only what the
    CTAs need."""
    sizes = arch.memory.shared_configurations
    limits = of_grid(grid, arch)
    ctas = limits.ctas
    threads = grid.block[0] * grid.block[1] * grid.block[2]
    if ctas > 1 and grid.shared <= arch.abi.shared_reserved:
        wanted = 4 * min(limits.blocks, limits.warps, limits.shared)
    else:
        wanted = 2 * ctas if ctas > 1 and threads < arch.occupancy.max_threads_per_block else ctas
    most = next((s for s in sizes if s >= 128 << 10), sizes[-1])

    def room(count: int) -> int:
        return next((s for s in sizes if s >= max(count * grid.shared, 1)), sizes[-1])

    return max(min(room(min(wanted, arch.occupancy.max_blocks)), most), room(ctas))


def invalid(grid: Grid, arch: Arch) -> str | None:
    """Why the grid cannot be launched at all, or None."""
    o = arch.occupancy
    threads = grid.block[0] * grid.block[1] * grid.block[2]
    if min(grid.grid) < 1 or min(grid.block) < 1:
        return f"empty grid {grid.grid} or block {grid.block}"
    if threads > o.max_threads_per_block or grid.block[0] > 1024 or grid.block[1] > 1024 or grid.block[2] > 64:
        return f"block {grid.block} has more than {o.max_threads_per_block} threads or is too long in one dimension"
    if grid.grid[0] >= 1 << 31 or grid.grid[1] >= 1 << 16 or grid.grid[2] >= 1 << 16:
        return f"grid {grid.grid} is too large"
    if grid.shared - arch.abi.shared_reserved > o.shared_per_block_max:
        return f"{grid.shared - arch.abi.shared_reserved} bytes of shared memory; a block has {o.shared_per_block_max}"
    if grid.registers > o.max_registers_per_thread:
        return f"{grid.registers} registers a thread"
    if of_grid(grid, arch).ctas < 1:
        return f"{threads} threads of {grid.registers} registers do not fit an SM"
    return None
