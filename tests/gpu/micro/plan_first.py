"""First touches of memory and constants, batches of cold loads that wait for one another, local memory."""

from __future__ import annotations

from typing import Any

from tests.gpu.micro.plan_tools import Program, i32, program, words

TOUCHES = ("none", "buf", "buf_own", "c3", "store_one", "sym_store_one", "c4_exit", "buf_exit", "double")
NEXT = {32: lambda n: n * 32, 128: lambda n: n * 128, 1024: lambda n: n * 1024, 16384: lambda n: 32}
"""Words from one batch to the next, by those between two of its loads."""


def _touches() -> Program:
    shapes = ((1, 32), (64, 64), (132, 128), (528, 128), (132, 1024))
    rows: list[Any] = [
        (f"{name} {grid}x{block}", f"g_{name}", grid, block, ["o", "b"]) for name in TOUCHES for grid, block in shapes
    ]
    return program("touch", "first", {"o": words(1 << 19), "b": words(1 << 19)}, rows)


def _batches() -> Program:
    """48 batches one after the other, each of `loads` cold lines; with `lanes`, of one instruction."""
    rows: list[Any] = []
    for loads in (1, 2, 4, 8, 16, 32):
        for stride in (32, 128, 1024, 16384):
            if loads > 1 or stride == 32:
                args = ["p", i32(stride), i32(NEXT[stride](loads)), i32(48), i32(0), "o"]
                rows.append((f"batch{loads} stride {stride * 4} 1", f"batch{loads}", 1, 32, args))
    for lanes in (1, 4, 16, 32):
        for stride in (32, 64, 1024, 16384):
            step = 32 if stride == 16384 else 32 * stride
            args = ["p", i32(stride), i32(step), i32(48), i32(0), i32(lanes), "o"]
            rows.append((f"lanes{lanes} stride {stride * 4}", "batch_lanes", 1, 32, args))
    return program("batch", "batches", {"p": words(1 << 21), "o": words(96)}, rows)


def _local() -> Program:
    """Stores and loads of 8 or 64 words of local memory; of the last, stores once."""
    rows: list[Any] = [
        (f"local {grid}x{block} {count} mode {mode}", "local_walk", grid, block, [i32(count), i32(8), i32(mode), "o"])
        for grid, block in ((1, 32), (1, 256), (132, 32), (132, 256))
        for count in (8, 64)
        for mode in (0, 1, 2)
    ]
    return program("local", "local", {"o": words(32)}, rows)


def first_programs() -> list[Program]:
    return [_touches(), _batches(), _local()]
