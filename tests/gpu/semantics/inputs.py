"""Operands of the hardware questions: eight words a thread (R8..R15), edge cases crossed, then random values."""

from __future__ import annotations

from typing import Any

import numpy as np

THREADS = 4096
INT_EDGES = np.array(
    [0, 1, 2, 3, 5, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFE,
     0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF, 0x80, 0x00FF00FF, 0x7F807F80, 0x55555555, 0xAAAAAAAA,
     0x12345678],
    dtype=np.uint32,
)  # fmt: skip
F32_EDGES = np.array(
    [0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x807FFFFF, 0x00800000, 0x80800000, 0x00800001,
     0x00FFFFFF, 0x3F800000, 0xBF800000, 0x3F800001, 0x3F7FFFFF, 0x3F000000, 0x3FC00000, 0x40200000, 0x4B000001,
     0x4EFFFFFF, 0x4F000000, 0xCF000000, 0x4F800000, 0x5F000000, 0xDF000000, 0x7E800000, 0x7F7FFFFF, 0xFF7FFFFF,
     0x7F800000, 0xFF800000, 0x7FC12345, 0xFFFFFFFF, 0x7F800001],
    dtype=np.uint32,
)  # fmt: skip
F64_EDGES = np.array(
    [0, 1 << 63, 1, 0x800FFFFFFFFFFFFF, 0x0010000000000000, 0x8010000000000001, 0x001FFFFFFFFFFFFF,
     0x3FF0000000000000, 0xBFF0000000000000, 0x3FF0000000000001, 0x3FEFFFFFFFFFFFFF, 0x3FE0000000000000,
     0x3FF8000000000000, 0x4330000000000001, 0x41DFFFFFFFE00000, 0x41DFFFFFFFC00000, 0x41E0000000000000,
     0xC1E0000000200000, 0x41EFFFFFFFE00000, 0x43E0000000000000, 0xC3E0000000000000, 0x43F0000000000000,
     0x47EFFFFFE0000000, 0x47EFFFFFF0000000, 0x36A0000000000000, 0x380FFFFFE0000001, 0x7FEFFFFFFFFFFFFF,
     0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000012345, 0xFFF8000ABCDE0001, 0x7FF0000000000005],
    dtype=np.uint64,
)  # fmt: skip
F16_EDGES = np.array(
    [0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x83FF, 0x0400, 0x8400, 0x0401, 0x07FF, 0x3C00, 0xBC00, 0x3C01, 0x3BFF,
     0x3800, 0x3E00, 0x4100, 0x6401, 0x77FF, 0x7800, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E01, 0xFE12, 0x7C01, 0xFFFF,
     0x0C00, 0x1400, 0x5BFF, 0x7A00],
    dtype=np.uint32,
)  # fmt: skip
BF16_EDGES = (F32_EDGES >> 16).astype(np.uint32)


def _cross(edges: Any) -> tuple[Any, Any, Any]:
    """1024 triples: every pair of 32 edges, with a third that varies."""
    i = np.arange(1024)
    return edges[i % 32], edges[i // 32], edges[(i * 7 + i // 32) % 32]


def operands(kind: str, seed: int = 1) -> Any:
    """uint32[THREADS, 8]: words for R8..R15. Kinds: int, f32, f64, f16, bf16."""
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 1 << 32, (THREADS, 8), dtype=np.uint32)
    if kind == "int":
        for at, values in zip((0, 2, 4), _cross(INT_EDGES), strict=True):
            words[:1024, at] = values
        words[:1024, 1::2] = rng.choice(INT_EDGES, (1024, 4))
        words[1024:2048, 2] = rng.integers(0, 70, 1024)
    elif kind == "f32":
        for at, values in zip((0, 2, 4), _cross(F32_EDGES), strict=True):
            words[:1024, at] = values
        near = rng.integers(0, 1 << 24, (1024, 8), dtype=np.uint32) + np.uint32(0x3F000000)
        words[1024:2048] = near ^ (rng.integers(0, 2, (1024, 8), dtype=np.uint32) << 31)
        # Products and sums near the smallest normal number, and near overflow.
        words[2048:2560, 0] = rng.integers(0x00400000, 0x01800000, 512)
        words[2048:2560, 2] = rng.integers(0x3F000000, 0x3F900000, 512)
        words[2048:2560, 4] = rng.integers(0, 0x00900000, 512) | rng.integers(0, 2, 512) << 31
        words[2560:2816, 0] = rng.integers(0x7E800000, 0x7F800000, 256)
        words[2560:2816, 2] = rng.integers(0x3F000000, 0x40000000, 256)
        words[2816:3328, :6] = (
            (rng.normal(size=(512, 6)) * 10.0 ** rng.integers(0, 12, (512, 6))).astype(np.float32).view(np.uint32)
        )
    elif kind == "f64":
        for at, values in zip((0, 2, 4), _cross(F64_EDGES), strict=True):
            words[:1024, at] = values & np.uint64(0xFFFFFFFF)
            words[:1024, at + 1] = values >> np.uint64(32)
        x = rng.normal(size=(2048, 3)) * 2.0 ** rng.integers(-70, 70, (2048, 3))
        words[1024:3072, :6] = x.view(np.uint32).reshape(2048, 6)
        small = rng.integers(0x0008, 0x0030, (512, 3)).astype(np.uint64) << np.uint64(48)
        small |= rng.integers(0, 1 << 48, (512, 3)).astype(np.uint64)
        words[3072:3584, :6] = small.view(np.uint32).reshape(512, 6)
        words[3072:3328, 3] = 0x3FE00000
    elif kind in ("f16", "bf16"):
        edges = F16_EDGES if kind == "f16" else BF16_EDGES
        for at, values in zip((0, 2, 4), _cross(edges), strict=True):
            words[:1024, at] = values | rng.choice(edges, 1024) << 16
        if kind == "f16":
            x = rng.normal(size=(1024, 16)).astype(np.float16)
            words[1024:2048] = x.view(np.uint32).reshape(1024, 8)
        else:
            near = rng.integers(0x3F00, 0x4080, (1024, 16)).astype(np.uint16)
            words[1024:2048] = near.view(np.uint32).reshape(1024, 8)
    else:
        raise ValueError(kind)
    return words


def division_operands() -> Any:
    """For FCHK: every pair of biased exponents with random signs and fractions, uint32[65536 * 2, 8]."""
    rng = np.random.default_rng(9)
    a, b = np.meshgrid(np.arange(256, dtype=np.uint32), np.arange(256, dtype=np.uint32), indexing="ij")
    pairs = np.stack([a.ravel(), b.ravel()], axis=1)
    out = np.zeros((2 * len(pairs), 8), np.uint32)
    for half in (0, 1):
        rows = out[half * len(pairs) : (half + 1) * len(pairs)]
        for column, at in ((0, 0), (1, 2)):
            sign = rng.integers(0, 2, len(pairs), dtype=np.uint32) << np.uint32(31)
            fraction = (
                rng.integers(0, 1 << 23, len(pairs), dtype=np.uint32) if half else np.zeros(len(pairs), np.uint32)
            )
            rows[:, at] = sign | pairs[:, column] << np.uint32(23) | fraction
    return out
