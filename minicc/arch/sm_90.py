"""sm_90: GH100 as in an H200 SXM (132 SM).

Sources, named below by letter:
  P  hand-built SASS run on an H200, driver 580.159.04, 2026-11-20 (the project's h200_probes set)
  C  compute-capability tables of the CUDA programming guide
  E  read from files that ptxas 13.0.88 wrote
  R  RRZE-HPC/gpu-benches result files (H200, GH200)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minicc.arch.schema import Abi, Arch, Container, Latency, Occupancy, Pipe

if TYPE_CHECKING:
    from minicc.arch.machine import Machine

# B and C of an idle HMMA are read 3 and 5 cycles after A (P), but not always: with warps beside it an H200 read a C
# register too early at 2, and ptxas never leaves less than 7.
_ALU_LIKE = {"alu": 4, "fma": 5, "half": 5, "fp64": 6, "mma_a": 7, "mma_b": 7, "mma_c": 7, "xu": 4}
_MEM = {"lds_addr": 5, "ldg_addr": 3, "sts_addr": 2, "stg_addr": 1, "match": 3}
# Address operands of LDG/STS/STG are read late by an idle queue; ptxas always leaves 5, and so do we (P, "Uncertain").
# Before MATCH it leaves 4.
_MEM_SAFE = {"lds_addr": 5, "ldg_addr": 5, "sts_addr": 5, "stg_addr": 5, "match": 4}
_FP64 = {
    "alu": 8, "fma": 8, "half": 8, "fp64": 8, "mma_a": 9, "mma_b": 9, "mma_c": 9, "xu": 6, "lds_addr": 7, "ldg_addr": 7,
    "sts_addr": 7, "stg_addr": 7, "ur": 8,
}  # fmt: skip

# P: "Minimum safe distance", producer class -> reader class.
_RAW = {
    # "wide_hi" is the high word of IMAD.WIDE's addend, read two cycles late.
    "alu": {**_ALU_LIKE, **_MEM_SAFE, "ur": 4, "wide_hi": 3},
    "fma": {**_ALU_LIKE, "alu": 5, "fma": 4, **_MEM_SAFE, "ur": 5, "wide_hi": 2},
    "half": {**_ALU_LIKE, "alu": 5, "fma": 5, "half": 4, **_MEM_SAFE, "ur": 5},
    "cs2r64": {
        "alu": 6,
        "fma": 6,
        "half": 6,
        "fp64": 6,
        "mma_a": 7,
        "mma_b": 7,
        "mma_c": 7,
        "xu": 5,
        **_MEM_SAFE,
        "ur": 6,
    },
    "fp64": _FP64,
    # HFMA2.MMA, on the pipe of FP64.
    "half_mma": _FP64,
    # IMAD.WIDE: the low half is there 2 cycles sooner ("wide_lo") than the high half ("wide").
    "wide_lo": {
        "alu": 3,
        "fma": 2,
        "half": 3,
        "fp64": 6,
        "mma_a": 7,
        "mma_b": 7,
        "mma_c": 7,
        "xu": 2,
        **_MEM_SAFE,
        "ur": 3,
    },
    "wide": {
        "alu": 5,
        "fma": 4,
        "half": 5,
        "fp64": 6,
        "mma_a": 7,
        "mma_b": 7,
        "mma_c": 7,
        "xu": 4,
        **_MEM_SAFE,
        "ur": 5,
    },
    "mma16816": {
        "alu": 15,
        "fma": 15,
        "half": 15,
        "fp64": 15,
        "mma_a": 16,
        "mma_b": 13,
        "mma_c": 11,
        "xu": 13,
        "lds_addr": 15,
        "ldg_addr": 15,
        "sts_addr": 15,
        "stg_addr": 15,
        "ur": 15,
    },
    "mma1688": {
        "alu": 13,
        "fma": 13,
        "half": 13,
        "fp64": 13,
        "mma_a": 14,
        "mma_b": 11,
        "mma_c": 11,
        "xu": 11,
        "lds_addr": 13,
        "ldg_addr": 13,
        "sts_addr": 13,
        "stg_addr": 13,
        "ur": 13,
    },
    # Predicates: "pred" is a select-type source (SEL, SETP, PLOP3, IADD3.X), "pred_fma" IMAD.X and DSETP inputs,
    # "guard" the @P of anything and the predicate of BRA, VOTE, BAR, EXIT.
    "p_alu": {"pred": 4, "pred_fma": 5, "guard": 13},
    # Carry-out of IMAD and IMAD.WIDE/HI: NAK's sm_80 table, and ptxas 13.0 leaves 4 before IMAD.X (the pipe's own
    # distance).
    "p_fma": {"pred": 5, "pred_fma": 4, "guard": 13},
    "p_r2p": {"pred": 5, "pred_fma": 5, "guard": 13},
    "p_fp64": {"pred": 6, "pred_fma": 6, "guard": 14},
    # Uniform datapath. Readers: "uniform", "umov" (UMOV, VOTEU), "vector" (UR operand of coupled vector
    # instructions), "mem" (UR operand of XU and memory instructions, descriptors), "branch", "uldc" (address of ULDC).
    "ualu": {"uniform": 4, "umov": 6, "vector": 6, "mem": 9, "branch": 10, "uldc": 12},
    "umov": {"uniform": 1, "umov": 1, "vector": 1, "mem": 2, "branch": 3, "uldc": 5},
    "r2ur": {"uniform": 8, "umov": 10, "vector": 10, "mem": 12, "branch": 13, "uldc": 13},
    "up_alu": {"pred": 4, "guard": 11, "branch": 9},
    "up_vote": {"pred": 1, "guard": 5, "branch": 2},
    # Convergence barriers, saved by BMOV: NVIDIA's NCCL (2.32, sm_90) leaves 4.
    "bssy": {"branch": 4},
}

RAW = {producer: {"wide_in": row["fma"], **row} if "fma" in row else row for producer, row in _RAW.items()}
"""Factors of IMAD.WIDE are read as those of IMAD are."""

_BEFORE_FP64 = {"alu": 2, "fma": 2, "half": 2, "wide": 2, "wide_lo": 2, "cs2r64": 2}
_BEFORE_MMA = dict.fromkeys(("alu", "fma", "half", "wide", "wide_lo", "cs2r64", "fp64", "half_mma"), 8)
_BEFORE_SMALL_MMA = dict.fromkeys(_BEFORE_MMA, 6)
LATENCY = Latency(
    raw=RAW,
    # P: "WAW"; everything else 1.
    waw={
        "fp64": _BEFORE_FP64,
        "half_mma": _BEFORE_FP64,
        "mma16816": _BEFORE_MMA,
        "mma1688": _BEFORE_SMALL_MMA,
        "ualu": {"umov": 6},
        "r2ur": {"umov": 10, "ualu": 4},
        # Not measured: the difference of the writers' RAW distances, plus one.
        "p_fp64": {"p_alu": 3, "p_r2p": 2},
        # Carry-out of IMAD and IMAD.WIDE/HI: NAK's sm_80 table, and ptxas 13.0 leaves 4 before IMAD.X (the pipe's
        # own distance).
    "p_fma": {"pred": 5, "pred_fma": 4, "guard": 13},
    "p_r2p": {"p_alu": 2},
        "up_alu": {"up_vote": 6},
    },
    # P: "WAR": only uniform-datapath readers before an early writer (UMOV, ULDC, VOTEU; VOTEU's predicate).
    war={"uniform": {"umov": 3}, "pred": {"up_vote": 2}},
    # P: "Value arrival without a barrier".
    arrival={"xu": 15, "xu64": 17, "s2r": 23, "shfl": 22, "ldc": 22, "lds": 21, "atoms": 21, "match": 25, "redux": 36,
             "ldg": 29, "dmma": 25, "s2ur": 33},
    barrier_setup=2,
    # P: address operands, ALU -> LDS 5, LDG, LDC index and MATCH 3, STS 2, STG 1 (see _MEM).
    late_read={reader: _MEM_SAFE[reader] - _MEM[reader] for reader in _MEM},
)  # fmt: skip

# P: "Issue", cycles per warp instruction per sub-core.
PIPES = {
    p.name: p
    for p in (
        Pipe("alu", 2),
        Pipe("fma", 1),
        Pipe("fmaheavy", 2),
        Pipe("fmawide", 4),
        Pipe("half", 2),
        Pipe("fp64", 2),
        Pipe("tensor", 6),
        Pipe("xu", 8),
        Pipe("lsu", 2),
        Pipe("uniform", 2),
        Pipe("udp1", 1),
        Pipe("cbu", 1),
        Pipe("adu", 2),
        Pipe("none", 1),
    )
}


def _machine() -> Machine:
    from minicc.arch.sm_90_machine import MACHINE

    return MACHINE


ARCH = Arch(
    name="sm_90",
    sm=90,
    feature="",
    ptx_version=(8, 8),
    sass="sm_90",
    device_name="NVIDIA H200 (model)",
    sm_count=132,
    clock_mhz=1980,
    static_shared=48 << 10,  # CUDA programming guide; ptxas' message
    # E: constant bank 0 of sm_90.
    abi=Abi(
        param_base=0x210,
        stack_base=0x28,
        block_dim=0x0,
        grid_dim=0xC,
        memory_descriptor=0x208,
        shared_window=0x18,
        local_window=0x20,
        constant_window=0xD0,
        shared_reserved=1024,
        text_padding=128,
        descriptors=(0xF0, 0xF8, 0x100),
        parameter_window=0x198,
        parameter_origin=0x210,
    ),
    container=Container(),
    # C
    occupancy=Occupancy(
        max_warps=64,
        max_blocks=32,
        max_threads_per_block=1024,
        registers_per_sm=65536,
        max_registers_per_thread=255,
        register_unit_per_warp=256,
        warp_granularity=4,
        shared_per_sm=233472,
        shared_per_block_max=232448,
        shared_granularity=128,
    ),
    latency=LATENCY,
    pipes=PIPES,
    sub_cores=4,
    reuse_cache=True,
    machine=_machine,
    features=frozenset({"cluster", "scoped", "ordered", "swinhi", "syncs"}),
)
