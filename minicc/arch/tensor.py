"""The tensor cores of each generation: instruction, shape, latency, throughput, formats.

Latency and throughput are those of the pattern-database document (004, "Tensor Core Evolution"): relative cycles that
it read out of a compiler's cost tables, not of a machine; the cost classes `wmma`, `mma`, `wgmma` and `tcgen` of
selection follow their order. `measured` is cycles on an H200 (the project's probes: issue to first use of D of mma.sync
m16n8k16, and issue interval per sub-core); None where no machine was at hand. Formats are PTX's, by the first SM whose
instructions take them; where the document lists a format that PTX does not have there (FP32 inputs, INT4 on sm_100),
PTX is followed and the format left out.
"""

from __future__ import annotations

import attrs


@attrs.frozen(repr=False)
class Tensor:
    """One generation. Latency in cycles, throughput in results of 256 multiply-adds a cycle (document) or issue
    interval (measured)."""

    sm: int
    name: str
    instruction: str
    shape: str
    threads: int
    latency: int
    throughput: tuple[float, float]
    operations: tuple[int, int]
    formats: tuple[str, ...]
    sparse: bool
    measured: tuple[int, int] | None = None


GENERATIONS = (
    Tensor(70, "Volta", "wmma", "m16n16k16", 32, 8, (1.0, 1.0), (64, 256), ("f16",), False),
    Tensor(75, "Turing", "wmma, mma.sync", "m16n8k8", 32, 8, (1.0, 1.0), (64, 256),
           ("f16", "s8", "u8", "s4", "u4", "b1"), False),
    Tensor(80, "Ampere", "mma.sync", "m16n8k16", 32, 4, (1.0, 1.0), (64, 256),
           ("f16", "bf16", "tf32", "f64", "s8", "u8", "s4", "u4", "b1"), True),
    Tensor(89, "Ada", "mma.sync", "m16n8k32", 32, 4, (1.0, 1.0), (64, 512),
           ("f16", "bf16", "tf32", "f64", "s8", "u8", "s4", "u4", "b1", "e4m3", "e5m2"), True),
    Tensor(90, "Hopper", "wgmma", "m64nNk16", 128, 3, (0.5, 1.0), (128, 1024),
           ("f16", "bf16", "tf32", "f64", "s8", "u8", "b1", "e4m3", "e5m2"), True, (15, 6)),
    Tensor(100, "Blackwell", "tcgen05.mma", "m128nNk16", 128, 2, (1.0, 4.0), (512, 4096),
           ("f16", "bf16", "tf32", "s8", "u8", "e4m3", "e5m2", "e3m2", "e2m3", "e2m1"), True),
    Tensor(120, "Blackwell", "mma.sync block_scale", "m16n8k32", 32, 2, (1.0, 4.0), (512, 4096),
           ("f16", "bf16", "tf32", "f64", "s8", "u8", "e4m3", "e5m2", "e3m2", "e2m3", "e2m1"), True),
)  # fmt: skip


def of(sm: int) -> Tensor | None:
    """The tensor core of a machine; None before Volta."""
    return next((found for found in reversed(GENERATIONS) if found.sm <= sm), None)
