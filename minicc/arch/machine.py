"""The schema of a machine description, the part for models of the machine alone: `Arch.core` and `Arch.memory`.

Cycles are SM clock cycles, sizes bytes, unless a name says otherwise.
"""

from __future__ import annotations

import attrs

from minicc.record import NamedTuple


@attrs.frozen(eq=False, repr=False)
class Core:
    """One SM."""

    scheduler: str
    register_banks: int
    l0_icache: int
    l1_icache: int
    l15_icache: int
    stall_zero_pause: int
    branch_latency: int
    icache_line: int = 128
    icache_jump: tuple[int, int, int, int] = (10, 58, 275, 640)
    """Extra cycles of a jump that finds its line in L1, L1.5, L2, DRAM."""
    icache_next: int = 17
    """Cycles per line of straight code from L1.5."""
    icache_batch: tuple[int, int] = (6, 3)
    """Lines that come to L1 together, and how many come whenever it has no more of them before a warp (H200: straight
    code that never ran comes six lines at a time; of jumps over two to five lines every third to every other one
    waits, over six all do)."""
    icache_asked: int = 20
    """Cycles from one to the next of the lines that L1.5 asks for once a batch has come."""
    icache_port: float = 0
    """Cycles in which the SMs of a GPC are given a line that their L1 does not have (H200: chains of branches in step
    over one to 16 lines, of which each brings one to six; warps that go through 40 to 128 KB, each in an order of its
    own)."""
    icache_prewarmed: int = 65536
    """Bytes of a kernel's code that are in L1.5 when it starts."""
    cta_launch: int = 150
    """From the end of a CTA, once heard of, to the first issue of the one that takes its place."""
    cta_retire: float = 1.19
    """Cycles that the distributor takes for the end of a CTA: the most CTAs that a device can run through."""
    cta_interval: tuple[float, float, float] = (24, 0.9, 2.8)
    """Between two CTAs that begin on an SM: cycles, and cycles for each warp; or, if more, cycles for each warp."""
    cta_rate: float = 0.5
    """Cycles between a CTA of one SM and that of the next at the begin of a grid."""
    sm_start: int = 0
    """From the first CTA's arrival at an SM to its first issue: code and constants have to come."""
    code_far: int = 0
    """How much later SMs begin that ask the half of L2 which does not have the kernel's code."""
    grid_flush: int = 150
    """From the end of the last CTA of a grid that accessed memory to that of the grid, where all of them were near."""
    code_prefetch: float = 78
    """Bytes a cycle of a kernel's code that come to the GPCs before it begins."""
    grid_spacing: int = 0
    """Cycles from one grid's arrival to that of another channel's, where both could come."""
    grid_overhead: int = 800
    """Cycles of a grid before its first instruction and after its last."""


@attrs.frozen(eq=False, repr=False)
class Memory:
    """From the L1 outwards. Bandwidths in bytes per SM cycle; latencies from issue to first use, unloaded."""

    l1_bytes: int
    l1_line: int
    sector: int
    l1_latency: int
    l2_bytes: int
    l2_partitions: int
    l2_slices: int
    l2_latency_near: int
    l2_latency_far: int
    l2_bandwidth: int
    dram_latency: int
    dram_bandwidth: float
    l2_ways: int = 16
    dram_channels: int = 192
    dram_piece: float = 4.55
    """Cycles of a channel for 64 bytes, beside what it takes to open rows."""
    dram_row: float = 5.5
    """Cycles of its channel that it costs to open another row."""
    dram_cycle: int = 90
    """Cycles between two rows of one bank."""
    lines_under_way: int = 336
    """Lines that an SM can have asked L2 for."""
    dram_refresh: tuple[int, int] = (2800, 490)
    """How often 16 KB of addresses are refreshed, and for how long they answer nobody then (H200: of loads that miss in
    L2 one in six takes up to 490 cycles longer, any time of that as often as another; 16 loads that wait for one
    another take 200 cycles longer if they are 64 KB apart than if they are in 2 KB)."""
    dram_line: int = 17
    """How much later the second half of a line is there."""
    dram_spread: int = 90
    """By how much `dram_latency`, a mean, is less in the SM's own partition and more in the other."""
    port_read: float = 1.0
    """Cycles of an SM's port to L2 for a request to read sectors of a line."""
    port_write: tuple[float, float, float, float, float] = (1.0, 1.1, 0.5, 1.35, 1.3)
    """The same for stores: a sector; a line of which not all is stored; a line that is held; a packet of a reduction;
    one that is answered."""
    port_bandwidth: float = 128
    """Bytes a cycle from L2 to a pair of SMs."""
    port_line: float = 0.9
    """Cycles of that port for sectors of a line, if their bytes take less (H200: threads that walk along a row each, of
    which every eighth word misses: 0.9 to 1.06 a line for both SMs, and none of an SM's own)."""
    slice_read: tuple[float, float] = (0.35, 0.55)
    """Cycles of an L2 slice: a read of sectors of a line, and each of the sectors."""
    slice_fill: tuple[float, float] = (1.0, 0.4)
    """The same for what comes from DRAM."""
    slice_write: tuple[float, float, float, float] = (1.15, 1.0, 1.1, 1.42)
    """The same for a write: of whole sectors, and each of them; in part, and each sector."""
    slice_again: tuple[float, float] = (2.03, 5.2)
    """Instead of that, for lanes that all store to the place written last: a word, a byte (H200: graph searches whose
    threads all store to one flag, by requests of the busiest slice)."""
    slice_atomic: tuple[float, float, float, float, float, float] = (0.1, 1.3, 2.4, 1.46, 3.53, 0.8)
    """The same for a reduction: a line, and each packet of it, which is of a sector and has no word twice (H200: words
    of 16 KB to 4 MB at random, one a line, beside whole warps to a row of words); instead of both, a packet of several
    64-bit floats, or to compare and swap several words; one for the word of the packet before, of floats
    for the sector of it; what a packet takes of a slice of its SM's half
    of L2 on its way to the other."""
    packets_under_way: int = 240
    """Stores and reductions that an SM can have sent and L2 not taken."""
    l2_parts: int = 3
    """Lines of a set that can be written in part."""
    store_slack: int = 256
    """Cycles by which the load/store unit may be ahead of the port with stores."""
    store_drain: int = 0
    """From when a store has left an SM until the place of its warp, which has ended, is free."""
    shared_configurations: tuple[int, ...] = ()
    """Sizes to which the shared part of the array can be set."""
    constant_port: float = 2.0
    """Cycles for which a GPC's constant cache is busy with a line that a sub-core asks for (H200: where four or more
    warps of all SMs ask, a line comes 258 cycles later in GPCs of 16 SMs, 284 in those of 18, 160 where half of the
    SMs ask; where one warp of each does, 135)."""
    constant_first: int = 110
    """What an SM's first constant takes longer."""
    constant_cold: tuple[int, int] = (205, 370)
    """First use of 256 bytes of a bank other than that of the parameters: from L2 to a GPC, from DRAM to L2."""
    constant_miss: tuple[int, int] = (61, 68)
    """What a line of constants takes from the level behind: as an operand, for LDC."""
    constant_fill: float = 11.0
    """Cycles between two lines that LDC's of an SM ask for (H200: four of one warp come 11 cycles apart, those of 4 to
    32 warps that find half of 64 lines 12, those of 16 warps that go through rows 9 to 12)."""
    constant_places: tuple[tuple[int, ...], ...] = ()
    """What lines take longer than that to a TPC by its place among those of its GPC, in the order of their numbers, in
    GPCs that have as many."""
    fence: int = 300
    """A GPU-scope memory fence with nothing outstanding."""
    gpcs: int = 8
    """Groups of SMs; the blocks of a cluster are in one."""
    l2_quarter: int = 15
    """By how much a slice is nearer than the mean, or farther: whether it is in the quarter of L2 near to the SM."""
    sides: tuple[str, ...] = ()
    """Of each row of SMs, in the order of their numbers, the half of L2 that each asks (the lowest bit), and which
    quarter of it is nearer (the other); two SMs next to each other are a TPC."""
    gpc_columns: tuple[str, ...] = ()
    """Of each row, the GPC of each TPC: SMs are numbered a TPC of each GPC in turn. If not said, a row is a GPC."""
    cluster_latency: int = 156
    """Another SM's shared memory, on top of the own one's (H200: 615 to 660 cycles for four loads in a chain)."""
    cluster_barrier: int = 110
    """Last arrival at a cluster's barrier to the next issue (H200: 445 to 465 cycles with the fence before it)."""
    bulk_start: int = 170
    """A bulk copy, on top of its lines from L2: an estimate."""
    bulk_map: int = 270
    """First use of a tensor map by an SM (H200: 587 cycles for a box outside the tensor, barrier included)."""


class Machine(NamedTuple):
    """Both."""

    core: Core
    memory: Memory
