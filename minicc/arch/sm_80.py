"""sm_80: GA100 as in an A100 SXM (108 SM).

Nothing here was measured by this project: no Ampere GPU was at hand. Sources, named below by letter:
  N  Mesa NAK's latency tables of sm_80 (facts of `sm80_instr_latencies.rs`)
  E  read from code and files that ptxas 13.0.88 wrote for sm_80: the least distances that it leaves
  C  compute-capability tables of the CUDA programming guide
  W  NVIDIA's A100 white paper; HUERTA25, LUO24, RRZE: microarchitecture papers and RRZE-HPC/gpu-benches result files
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minicc.arch import sm_90
from minicc.arch.schema import Abi, Container, Latency, Pipe

if TYPE_CHECKING:
    from minicc.arch.machine import Machine

_MEM = {"lds_addr": 5, "ldg_addr": 5, "sts_addr": 5, "stg_addr": 5, "match": 4}


def _slow(distance: int) -> dict[str, int]:
    """A producer that all readers wait for alike."""
    readers = ("alu", "fma", "half", "fp64", "mma_a", "mma_b", "mma_c", "xu", *_MEM, "ur", "wide_hi", "wide_in")
    return dict.fromkeys(readers, distance)


# N and E. Where ptxas always leaves more than NAK (the low word of IMAD.WIDE), as much as ptxas; four cycles from FMA
# to R2UR are from kernels of cuDNN and NCCL. The rest is what both have for sm_80 and an H200 has, too.
_TENSOR = ("mma_a", "mma_b", "mma_c")
_WIDE = {
    "alu": 5, "fma": 4, "wide_in": 6, "half": 5, "fp64": 6, **dict.fromkeys(_TENSOR, 7), "xu": 5, **_MEM, "ur": 5,
}  # fmt: skip
RAW = {
    **sm_90.RAW,
    "fma": {**sm_90.RAW["fma"], "ur": 4},
    "wide": _WIDE,
    "wide_lo": _WIDE,
    "half_mma": {**_slow(10), "xu": 6, **dict.fromkeys(_MEM, 7)},
    "mma16816": {**_slow(17), "xu": 15, **dict.fromkeys(_MEM, 16), **dict.fromkeys(_TENSOR, 18)},
    "mma1688": {**_slow(13), "xu": 11, **dict.fromkeys(_MEM, 12), **dict.fromkeys(_TENSOR, 14)},
    "ualu": sm_90.RAW["ualu"] | {"umov": 7},
}

LATENCY = Latency(
    raw=RAW,
    # N.
    waw={
        **sm_90.LATENCY.waw,
        "mma16816": dict.fromkeys(sm_90.LATENCY.waw["mma16816"], 12),
        "mma1688": dict.fromkeys(sm_90.LATENCY.waw["mma1688"], 8),
    },
    war=sm_90.LATENCY.war,
    arrival={**sm_90.LATENCY.arrival, "fp64": 40, "r2ur": 13},
    barrier_setup=2,
    # N, E: ptxas waits for them by scoreboards.
    uncoupled=frozenset({"fp64", "r2ur"}),
)

# W: 64 FP32 lanes, 32 FP64 lanes, 16 special-function lanes, four tensor cores an SM.
PIPES = {
    **sm_90.PIPES,
    **{p.name: p for p in (Pipe("fma", 2), Pipe("fp64", 4), Pipe("tensor", 8))},
}


def _machine() -> Machine:
    from minicc.arch.sm_80_machine import MACHINE

    return MACHINE


# E. The attribute without a name is on sm_80 and sm_86, not on sm_89.
CONTAINER = Container(
    compat=False,
    reserved_shared=False,
    registers_in_text=True,
    constants_first=True,
    relocation_action=bytes.fromhex("73000000000000000000001125000536"),
    finalizer=0,
    workarounds=None,
    marks=(0x35,),
)

ARCH = sm_90.ARCH._replace(
    name="sm_80",
    sm=80,
    sass="sm_80",
    device_name="NVIDIA A100 (model)",
    sm_count=108,
    clock_mhz=1410,
    # E: constant bank 0 of sm_80.
    abi=Abi(
        param_base=0x160,
        stack_base=0x28,
        block_dim=0x0,
        grid_dim=0xC,
        memory_descriptor=0x118,
        shared_window=0x18,
        local_window=0x20,
        constant_window=0x50,
        shared_reserved=0,
        text_padding=128,
        descriptors=sm_90.ARCH.abi.descriptors,
        parameter_window=None,
        environment=0x88,
    ),
    container=CONTAINER,
    occupancy=sm_90.ARCH.occupancy._replace(  # C
        shared_per_sm=167936, shared_per_block_max=166912, shared_taken=1024
    ),
    latency=LATENCY,
    pipes=PIPES,
    machine=_machine,
    features=frozenset({"scoped", "ordered"}),
)
