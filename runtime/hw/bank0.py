"""Constant bank 0: the words in front of the parameters, by which the driver tells code about the launch.

Read from the data flow of disassembled kernels that read every special register (ptxas 13.0.88, sm_90). The offsets
that compiled code depends on most are in the architecture's `abi`; these are the others. A word not listed is 0.
"""

from __future__ import annotations

import struct

import attrs

from minicc.arch.schema import Arch
from minicc.record import evolve


@attrs.frozen
class Extra:
    """Byte offsets of driver words outside `Abi`."""

    dynamic_shared: int
    grid_id: int
    nsmid: int
    reserved_shared: int
    cluster: Cluster | None = None


@attrs.frozen
class Cluster:
    """Where a launch's clusters are described."""

    explicit: int
    """u32: 1 if the launch names a cluster size."""
    dim: int
    reciprocal: int
    """f32 x 3: 1 / cluster x, y, z."""
    grid: int
    rank: int
    """u32: CTAs of a cluster."""


_AMPERE = Extra(dynamic_shared=0x2C, grid_id=0x30, nsmid=0x10C, reserved_shared=0x114)
EXTRA = {
    "sm_80": _AMPERE,
    "sm_86": _AMPERE,
    "sm_89": _AMPERE,
    "sm_90": evolve(_AMPERE, cluster=Cluster(explicit=0x140, dim=0x144, reciprocal=0x150, grid=0x15C, rank=0x188)),
}
"""By encoding family (`Arch.sass`)."""


@attrs.frozen
class LaunchWords:
    """What bank 0 says of one launch. Sizes in bytes; windows are generic addresses."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    cluster: tuple[int, int, int]
    dynamic_shared: int
    stack_base: int
    shared_window: int
    local_window: int
    grid_id: int
    constants: int = 0


def build(arch: Arch, words: LaunchWords, parameters: bytes) -> bytes:
    """Bank 0 for one launch: driver words, then the parameter area."""
    abi, extra = arch.abi, EXTRA[arch.sass]
    bank = bytearray(abi.param_base + len(parameters))

    def put(layout: str, offset: int, *values: float) -> None:
        struct.pack_into("<" + layout, bank, offset, *values)

    put("3I", abi.block_dim, *words.block)
    put("3I", abi.grid_dim, *words.grid)
    put("Q", abi.shared_window, words.shared_window)
    put("Q", abi.local_window, words.local_window)
    put("I", abi.stack_base, words.stack_base)
    put("I", extra.dynamic_shared, words.dynamic_shared)
    put("Q", extra.grid_id, words.grid_id)
    put("Q", abi.constant_window, words.constants)
    put("I", extra.nsmid, arch.sm_count)
    put("I", extra.reserved_shared, abi.shared_reserved)
    if (cluster := extra.cluster) is not None:
        put("I", cluster.explicit, words.cluster != (1, 1, 1))
        put("3I", cluster.dim, *words.cluster)
        put("3f", cluster.reciprocal, *(1.0 / c for c in words.cluster))
        put("3I", cluster.grid, *(g // c for g, c in zip(words.grid, words.cluster, strict=True)))
        put("I", cluster.rank, words.cluster[0] * words.cluster[1] * words.cluster[2])
    # What the memory descriptor holds is not public; an open driver leaves it 0 and works.
    put("Q", abi.memory_descriptor, 0)
    bank[abi.param_base :] = parameters
    return bytes(bank)
