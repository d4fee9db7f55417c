"""sm_90: GH100 as in an H200 SXM, what a model of the machine wants beyond `sm_90.py`, which names the sources."""

from __future__ import annotations

from minicc.arch.machine import Core, Machine, Memory

# P: "Register file, instruction cache, scheduler".
CORE = Core(
    scheduler="greedy-then-highest",
    register_banks=2,
    l0_icache=5632,
    l1_icache=32768,
    l15_icache=131072,
    stall_zero_pause=33,
    branch_latency=10,
    # P: instruction caches (jump 10 / 19-21 / 57-68 / 270-282; straight 1.0 / 2.2 / 5.6 cycles an instruction).
    icache_line=128,
    # From DRAM: 128 KB of code cold, 101 to 116 cycles for each line beyond the first 64 KB.
    icache_jump=(10, 58, 275, 640),
    icache_next=17,
    # 253 ways through code that never ran, 2026-12-01: tests/gpu/micro/fetch.py.
    icache_batch=(6, 3),
    icache_asked=20,
    icache_port=1.0,
    icache_prewarmed=65536,
    # Fitted to ncu's cycles of the samples on an H200 (caches flushed before each launch): one-block and one-wave
    # kernels take about 2,450 cycles more than their work and 300 more on each SM. cta_launch is an estimate.
    cta_launch=250,
    sm_start=190,
    # H200, the first instructions of all SMs lined up by the global timer.
    code_far=90,
    grid_overhead=2750,
    # Two kernels of two streams that wait for the same event: 160 to 350 ns (tests/gpu/together).
    grid_spacing=450,
)
# R, P. L2 size and latencies, DRAM latency: pointer chases on an H200 (M, 2026-11-20): 32 / 281 / 511 / 657 cycles
# at up to 192 KB, 24 MB, 48 MB and beyond 64 MB; 600 and 780 in the two partitions by the SM's clock, but for banks
# that are being refreshed (2026-11-22, 132 SMs); chains by 1 to 132 SMs at once 10 cycles more (2026-11-28);
# L2 bandwidth 0.27 warp loads a cycle and SM, writes half of that; RED to one word 0.0924 warps a cycle in all.
# DRAM: 4.8 TB/s by the data sheet; what streams reach is bound by the slices, which copies of 4 to 128 MB with one
# to three sources show: a line costs its slice 5.2 cycles to read and fill and 5.2 to write, whatever the mixture.
# Constant miss: GA10x (HUERTA25). Fence: an estimate, one L2 round trip.
MEMORY = Memory(
    l1_bytes=262144,
    l1_line=128,
    sector=32,
    l1_latency=32,
    l2_bytes=62914560,
    l2_partitions=2,
    l2_slices=96,
    l2_latency_near=281,
    l2_latency_far=511,
    l2_bandwidth=4600,
    dram_latency=650,
    dram_bandwidth=2424.0,
    l2_ways=16,
    sides=("1100002233331122",) * 4 + ("00002233331122",) * 4 + ("1122", "11111111"),
    gpc_columns=("01234567",) * 4 + ("1234567",) * 4 + ("67", "0000"),
    # H200: chains of LDC by each SM (tests/gpu/micro/gpcs.cu, 2026-11-30), beside SM 124, which has a grid's first CTA.
    constant_places=((5, 5, 9, 0, 0, 5, -5, -4), (5, 5, 13, 0, 0, 9, -4, -4, 5)),
    # H200: CTAs of 128 to 1,024 threads that store at their end, or do not.
    store_drain=45,
    shared_configurations=tuple(1024 * k for k in (0, 8, 16, 32, 64, 100, 132, 164, 196, 228)),
    fence=300,
)
MACHINE = Machine(CORE, MEMORY)
