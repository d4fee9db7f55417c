"""The schema of a machine description. Cycles are SM clock cycles, sizes bytes, unless a name says otherwise.

Provenance: every group of figures names its origin in a comment beside the data in the `sm_XX` module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from minicc.record import NamedTuple

if TYPE_CHECKING:
    from minicc.arch.machine import Core, Machine, Memory

_NONE: Mapping[str, Any] = {}


class Abi(NamedTuple):
    """Where the driver and the code agree to put things. Offsets are in constant bank 0."""

    param_base: int
    """First byte of the kernel parameters."""
    stack_base: int
    """u32: initial value of R1, top of the local frame."""
    block_dim: int
    """3 x u32 ntid."""
    grid_dim: int
    """3 x u32 nctaid."""
    memory_descriptor: int
    """u64 descriptor that desc[UR][...] accesses name."""
    shared_window: int
    """u64 generic address of the shared window (where "swinhi" is a feature, code asks SR_SWINHI instead)."""
    local_window: int
    """u64 generic address of the local window."""
    constant_window: int
    """u64 generic address of constant bank 3."""
    shared_reserved: int
    """Bytes at the start of shared memory that belong to the system; static data begins after them."""
    text_padding: int
    """Bytes of NOP after the code, beyond rounding up to 128."""
    descriptors: tuple[int, int, int] = (0, 0, 0)
    """u64 addresses of the driver's tables of textures, samplers and surfaces."""
    parameter_window: int | None = None
    """u64 generic address of what bank 0 holds from `parameter_origin` on; None where ptxas has none."""
    parameter_origin: int = 0
    environment: int = 0x40
    """u32 x 32: %envreg0 and the others."""


class Container(NamedTuple):
    """What a cubin for the architecture holds beside code and data (`minicc.binary.cubin_write`), as ptxas 13.0.88
    writes it."""

    compat: bool = True
    """There is a section .nv.compat, and .note.nv.cuinfo names it."""
    reserved_shared: bool = True
    """There are symbols of the shared memory that the system takes."""
    registers_in_text: bool = False
    """The register count stands in the text section's sh_info, too."""
    constants_first: bool = False
    """Bank 0 comes before the code."""
    relocation_action: bytes = b""
    """Contents of .nv.rel.action, if there is one."""
    finalizer: int = 0x0101
    """Value of attribute 0x5F, which has no name."""
    workarounds: int | None = 8
    """EIATTR_SW_WAR, a set of bits."""
    marks: tuple[int, ...] = ()
    """Attributes without value that every kernel has."""


class Occupancy(NamedTuple):
    """Limits that the compute work distributor places CTAs under (CUDA compute-capability tables)."""

    max_warps: int
    max_blocks: int
    max_threads_per_block: int
    registers_per_sm: int
    max_registers_per_thread: int
    register_unit_per_warp: int
    warp_granularity: int
    shared_per_sm: int
    shared_per_block_max: int
    shared_granularity: int
    shared_taken: int = 0
    """Bytes that the system takes beside each block's, where they do not lie in front (`Abi.shared_reserved`)."""
    max_barriers: int = 16


class Latency(NamedTuple):
    """Minimum issue distances in cycles. Classes are those of `minicc.sass` declarations.

    `raw[producer][reader]`: from issue of the producer to issue of a reader of its result. `waw[first][second]`,
    default 1. `war[reader class][writer]`, default 1. `barrier_setup`: from an instruction that sets a scoreboard to
    one that waits on it. `arrival[class]`: when the value of a variable-latency result is in the register without
    contention."""

    raw: Mapping[str, Mapping[str, int]]
    waw: Mapping[str, Mapping[str, int]] = _NONE
    war: Mapping[str, Mapping[str, int]] = _NONE
    arrival: Mapping[str, int] = _NONE
    barrier_setup: int = 2
    uncoupled: frozenset[str] = frozenset()
    """Producer classes that have no fixed latency here, though they are declared so: scoreboards wait for them."""
    late_read: Mapping[str, int] = _NONE
    """How many cycles later than `raw` says a reader class was seen to read: `raw` keeps the compiler's margin, the
    machine model subtracts this."""


class Pipe(NamedTuple):
    """An execution pipe. `interval`: cycles per warp instruction per sub-core (or per SM if `shared`)."""

    name: str
    interval: int
    shared: bool = False


class Arch(NamedTuple):
    """One architecture."""

    name: str
    """"sm_90"; "sm_90a" has its own description."""
    sm: int
    """90"""
    feature: str
    """"" or "a" (architecture-specific)."""
    ptx_version: tuple[int, int]
    """PTX ISA that isel writes for it."""
    sass: str
    """Encoding family, one of `minicc.sass.isa.FAMILIES`."""
    device_name: str
    sm_count: int
    clock_mhz: int
    static_shared: int
    """Bytes of shared variables that ptxas lets a kernel have."""
    abi: Abi
    container: Container
    occupancy: Occupancy
    latency: Latency
    pipes: Mapping[str, Pipe]
    sub_cores: int
    """Of an SM, each with its own scheduler."""
    reuse_cache: bool
    """Whether operands can be kept for the next instruction (`minicc.ptxas.control.reuse`)."""
    machine: Callable[[], Machine]
    """Brings what only a model of the machine wants: a compile does without."""
    features: frozenset[str] = frozenset()
    """What code may count on beyond single instructions: "scoped" atomics, "ordered" memory operations, "cluster"s of
    blocks, SR_"swinhi" (the shared window's upper word), "syncs" (mbarriers are kept by SYNCS), "wgmma"."""
    energy: str = "7nm"
    """Which of `minicc.arch.energy.FIGURES` it takes: picojoules of each event."""

    def __hash__(self) -> int:
        """Tables are kept for each description by itself."""
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    @property
    def core(self) -> Core:
        """One SM."""
        return self.machine().core

    @property
    def memory(self) -> Memory:
        """From the L1 outwards."""
        return self.machine().memory
